"""The conformance kits: they pass what conforms, and catch what does not, in words."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.feature_selection import f_classif

from quboselect import Solutions, importance, redundancy, solvers
from quboselect.testing import check_importance, check_redundancy, check_solver


def test_our_measures_conform():
    check_importance(importance.MutualInformation())
    check_redundancy(redundancy.MutualInformation(bins=5))
    check_importance(f_classif)


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (lambda X, y: np.zeros(1), r"importance must have shape \(2,\), got \(1,\)"),
        (lambda X, y: np.full(X.shape[1], np.nan), "importance must be finite"),
        (lambda X, y: -np.ones(X.shape[1]), "importance must not be negative"),
        (lambda X, y: np.arange(X.shape[1], dtype=float), "importance must follow the order of the features"),
        (
            lambda X, y: np.random.default_rng().random(X.shape[1]),
            "importance must be the same on every call",
        ),
        (lambda X, y: X.__imul__(0).sum(axis=0), "importance must not change the table"),
        (lambda X, y: np.abs(X).sum(0) if X.min() < -8 else X.__abs__().sum(0) - 1e3, "must not be negative"),
    ],
)
def test_a_wrong_importance_is_caught(measure, words):
    with pytest.raises(AssertionError, match=words):
        check_importance(measure)


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (lambda X: np.zeros((1, 2)), "redundancy must have shape"),
        (lambda X: np.full((X.shape[1],) * 2, np.inf), "redundancy must be finite"),
        (lambda X: -np.ones((X.shape[1],) * 2), "redundancy must not be negative"),
        (lambda X: np.triu(np.ones((X.shape[1],) * 2), 1), "redundancy must be symmetric"),
        (lambda X: np.ones((X.shape[1],) * 2), "redundancy must have a zero diagonal"),
    ],
)
def test_a_wrong_redundancy_is_caught(measure, words):
    with pytest.raises(AssertionError, match=words):
        check_redundancy(measure)


def greedy(qubo):
    x = np.zeros(qubo.size, bool)
    while (fields := qubo.linear + qubo.couplings @ x)[~x].min(initial=0.0) < 0:
        x[np.flatnonzero(~x)[fields[~x].argmin()]] = True
    return Solutions.of(qubo, x)


def test_a_plain_function_can_conform():
    check_solver(greedy)
    with pytest.raises(AssertionError, match="a solver must find at least 100% of the optima"):
        check_solver(greedy, success=1.0)


@pytest.mark.parametrize(
    ("solver", "words"),
    [
        (lambda q: greedy(q).best, "a solver must return Solutions, got ndarray"),
        (lambda q: Solutions.of(q, greedy(q).best, bound=0.0), "bound must be at most the minimum"),
        (
            lambda q: Solutions.of(q, np.random.default_rng().random((5, q.size)) < 0.5),
            "a solver must return the same on every call",
        ),
        (
            lambda q: Solutions(greedy(q).x, np.array([-99.0]), np.array([1])),
            "energies must be true",
        ),
        (
            lambda q: Solutions(np.ones((2, q.size), bool), np.zeros(2), np.ones(2, int)),
            "solutions must be distinct",
        ),
        (
            lambda q: Solutions(
                x := np.eye(q.size, dtype=bool)[q.linear.argsort()[::-1]], q.energy(x), [1] * q.size
            ),
            "solutions must come best first",
        ),
    ],
)
def test_a_wrong_solver_is_caught(solver, words):
    with pytest.raises(AssertionError, match=words):
        check_solver(solver)


def test_a_solver_that_ignores_k_is_caught():
    class Ignores(solvers.BranchAndBound):
        def __call__(self, qubo, /):
            return solvers.BranchAndBound()(qubo)

    with pytest.raises(AssertionError, match="solutions must have exactly"):
        check_solver(Ignores())


def test_the_kits_check_without_assert_statements_too():
    code = (
        "from quboselect.testing import check_importance\n"
        "try: check_importance(lambda X, y: -X[0])\n"
        "except AssertionError: print('caught')"
    )
    result = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "caught"


def test_a_success_that_is_no_share_is_refused():
    with pytest.raises(ValueError, match="success must be a share from 0 to 1, got 2"):
        check_solver(greedy, success=2)
