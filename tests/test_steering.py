"""n_jobs, random_state and verbose of a selector reach its solver and measures, and change nothing else."""

import logging
from types import SimpleNamespace

import numpy as np
import pytest

from quboselect import SelectQUBO, criteria, importance, redundancy, solvers
from quboselect._kernels import compiling
from quboselect._kernels.search import tabu_rows
from quboselect.datasets import load_ionosphere
from quboselect.fitting import steered_like

X, Y = load_ionosphere(return_X_y=True)


def test_threads_and_seed_reach_solver_and_measures():
    steered = steered_like(SelectQUBO(n_jobs=2, random_state=7))
    assert (steered.solver.n_jobs, steered.solver.seed) == (2, 7)
    assert steered.criterion.n_jobs == 2
    assert steered.criterion.importance.n_jobs == steered.criterion.redundancy.n_jobs == 2
    own = SelectQUBO(
        importance=importance.MutualInformation(),
        redundancy=redundancy.Correlation(),
        n_jobs=1,
        solver=solvers.Tabu(seed=4),
    )
    steered = steered_like(own)
    assert (steered.importance.n_jobs, steered.solver.n_jobs, steered.solver.seed) == (1, 1, 4)
    assert steered.criterion is None
    assert own.solver == solvers.Tabu(seed=4)


@pytest.mark.parametrize(
    "selector",
    [
        SelectQUBO(k=4),
        SelectQUBO.paper(k=4),
        SelectQUBO(k=4, criterion=criteria.JMI()),
        SelectQUBO(k=4, importance=lambda X, y: np.arange(34.0)),
    ],
    ids=["default", "paper", "criterion", "function"],
)
def test_threads_change_nothing_and_parameters_stay_as_they_were(selector):
    plain = selector.fit(X, Y).get_support()
    given = selector.get_params()
    steered = selector.set_params(n_jobs=1, random_state=0).fit(X, Y)
    assert steered.get_support().tolist() == plain.tolist()
    assert steered.get_params(deep=False)["solver"] == given["solver"]


def test_verbose_tells_that_kernels_are_compiled(capfd):
    log, compiled = logging.getLogger("quboselect"), compiling._Telling()
    before = log.level, log.handlers[:]
    try:
        SelectQUBO(k=3, verbose=True).fit(X, Y)
        SelectQUBO(k=3, verbose=True).fit(X, Y)
        capfd.readouterr()
        for _ in range(2):
            compiled.on_start(SimpleNamespace(data={"dispatcher": tabu_rows}))
        told = capfd.readouterr().err
        assert told.startswith("quboselect: compiling, for some seconds, once ")
        assert told.count("\n") == 1
    finally:
        log.level, log.handlers[:] = before


def test_verbose_tells_what_it_is_at_on_standard_error(capfd):
    SelectQUBO(k=3, verbose=True).fit(X, Y)
    out, err = capfd.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert lines[0] == "quboselect: counting 34 features of 351 samples"
    assert lines[-1] == "quboselect: Result(3 of 34 features, alpha 0.666667, proven)"
    SelectQUBO(k=3).fit(X, Y)
    assert capfd.readouterr().err == ""


def test_a_long_proof_tells_of_its_nodes(capfd):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(100, 60))
    SelectQUBO(15, criterion=criteria.MRMR(), verbose=True).fit(table, rng.integers(0, 2, 100))
    assert "nodes done" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"n_jobs": 0}, "n_jobs must be an integer other than 0, or None, got 0"),
        ({"n_jobs": 1.5}, "n_jobs must be an integer other than 0, or None, got 1.5"),
        ({"random_state": -1}, "random_state must be an integer of at least 0, got -1"),
        ({"random_state": np.random.default_rng(0)}, "random_state must be an integer of at least 0"),
    ],
)
def test_wrong_values_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        SelectQUBO(k=3, **given).fit(X, Y)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"solver": "tabu"}, "write solvers.Portfolio"),
        ({"importance": "correlation"}, "write importance.MutualInformation"),
        ({"redundancy": "correlation"}, "write redundancy.MutualInformation"),
    ],
)
def test_a_word_for_a_plug_in_is_answered_with_what_there_is(given, words):
    with pytest.raises(TypeError, match=words):
        SelectQUBO(k=3, **given).fit(X, Y)
