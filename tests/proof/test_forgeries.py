"""Forged certificates are refuted, by `Refuted` and nothing else; what is claimed is true in exact arithmetic."""

import dataclasses
import time

import numpy as np
import pytest

import forgery_oracles as oracles
from quboselect import QUBO, Solutions, proof
from quboselect.errors import Refuted
from quboselect.proof import tree, verify
from quboselect.proof.certificate import Apart, Certificate, Dual, Node, Outside, Step, Trace
from quboselect.proof.cuts import Cuts
from quboselect.proof.verify import is_semidefinite
from quboselect.solvers import BranchAndBound, Exhaustive, Portfolio


def claim(x, energy, root, k=None):
    return Solutions(
        np.array([x], bool), [energy], [1], energy, {"certificate": Certificate(energy, k, root)}
    )


def dual(n, **changes):
    plain = Dual(0.0, np.zeros(n), 0.0, np.zeros((n, n)), Cuts.none(), 0.0, np.zeros(n), np.zeros(n))
    return dataclasses.replace(plain, **changes)


def end(n, **changes):
    return Node(end="bound", dual=dual(n, **changes))


def refuted(qubo, solutions, words=None, k=None, apart=None):
    with pytest.raises(Refuted, match=words):
        verify(qubo, solutions, k=k, apart=apart)


def test_a_leader_is_not_broadcast_to_all_bits():
    qubo = QUBO([-1.0, -5.0], [[0, 10.0], [10.0, 0]])
    trace = Trace(np.array([0, -1, -1], np.int32), np.array([0]))
    refuted(qubo, claim([1, 0], -1.0, trace), r"leaders .* shape \(2,\), got int64 of shape \(1,\)")


def test_a_multiplier_is_not_broadcast_to_a_matrix():
    qubo = QUBO(np.ones(12), np.eye(12) - np.ones((12, 12)))
    refuted(qubo, claim([0] * 12, 0.0, end(12, u=np.array([1.0]))), r"u must be numbers of shape \(12,\)")


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_what_is_no_number_is_no_multiplier(odd):
    n = 12
    qubo = QUBO(-np.ones(n), np.zeros((n, n)))
    x = [1] + [0] * (n - 1)
    cut = Cuts(
        np.array([[1, 2, 0, 0, 0]], np.int32),
        np.array([[1, 1, 0, 0, 0]], np.int8),
        np.array([1]),
        np.array([odd]),
    )
    for changes in (
        {"u": np.full(n, odd)},
        {"cuts": cut},
        {"Z": np.full((n, n), odd)},
        {"shift": odd},
        {"face": odd},
    ):
        refuted(qubo, claim(x, -1.0, end(n, **changes)), "finite number")


@pytest.mark.parametrize("cost", [1e12, 1e15])
@pytest.mark.parametrize("root", [Trace(np.array([-1], np.int32), np.arange(3)), Node(end="enumerate")])
def test_a_large_cost_does_not_loosen_the_check(cost, root):
    qubo = QUBO([-1.0, -1e-3, cost], np.zeros((3, 3)))
    refuted(qubo, claim([1, 0, 0], -1.0, root))
    for solver in (Portfolio(), BranchAndBound(), Portfolio(k=2), BranchAndBound(k=2)):
        verify(qubo, solver(qubo), k=solver.k)


def test_a_large_cost_does_not_loosen_what_signs_settle():
    qubo = QUBO([-1.0, -1e-3, 1e12], np.zeros((3, 3)))
    step = Step(np.array([1, 2]), np.array([0, 0], np.int8))
    refuted(qubo, claim([1, 0, 0], -1.0, Node(steps=[step], end="enumerate")), "bit 1 is not settled")


@pytest.mark.parametrize(
    "scale", [np.nan, np.inf, 0.0, -1.0, "1", True, 10**400], ids=lambda value: str(value)[:4]
)
def test_a_scale_is_a_finite_number_above_zero(scale):
    with pytest.raises(ValueError, match="scale must be a finite number above 0, or None, got"):
        QUBO([-1.0], [[0.0]], scale=scale)


@pytest.mark.parametrize("solver", [Portfolio, BranchAndBound])
def test_what_is_proven_of_one_size_is_not_said_of_every_size(solver):
    qubo = QUBO([-1.0, -1.0], np.zeros((2, 2)))
    one, all_sizes = solver(k=1)(qubo), solver()(qubo)
    refuted(qubo, one, "exactly 1 ones, not about those of every size: pass k=1")
    refuted(qubo, one, "not of k = 2", k=2)
    verify(qubo, one, k=1)
    verify(qubo, all_sizes)
    verify(qubo, all_sizes, k=2)
    refuted(qubo, all_sizes, "the best sample has 2 ones, not k = 1", k=1)
    with pytest.raises(ValueError, match="k must be an integer from 0 to 2, got 3"):
        verify(qubo, one, k=3)


def test_a_huge_multiplier_does_not_drown_the_energy_of_the_bit_it_settles():
    qubo = QUBO([-1.0, -0.9], [[0.0, 1.8], [1.8, 0.0]])
    # Given x_0 = 1 what the multiplier adds cancels, and with it the energy of the bit, unless rounding counts.
    step = Step(np.array([0]), np.array([0], np.int8), dual(2, u=np.array([1e16, 0.9])), np.zeros((1, 2)))
    refuted(qubo, claim([0, 1], -0.9, Node(steps=[step], end="enumerate")), "bit 0 is not settled")


def test_a_tree_that_shares_its_branches_is_refuted():
    qubo = QUBO(np.ones(40), np.zeros((40, 40)))
    node = Node(end="open")
    for bit in range(40):
        node = Node(end="branch", bit=bit, children=[node, node])
    start = time.perf_counter()
    refuted(qubo, claim([0] * 40, 0.0, node))
    assert time.perf_counter() - start < 10.0


def test_a_branch_that_stands_for_both_values_is_refuted():
    qubo = QUBO(np.ones(2), np.zeros((2, 2)))
    both = Node(end="enumerate")
    refuted(qubo, claim([0, 0], 0.0, Node(end="branch", bit=0, children=[both, both])), "twice")
    verify(qubo, claim([0, 0], 0.0, Node(end="branch", bit=0, children=[both, Node(end="enumerate")])))


def test_a_bit_that_has_a_value_is_not_branched_on_again():
    qubo = QUBO([1.0, -1.0], np.zeros((2, 2)))
    step, ends = Step(np.array([1]), np.array([1], np.int8)), [Node(end="enumerate"), Node(end="enumerate")]
    verify(qubo, claim([0, 1], -1.0, Node(steps=[step], end="branch", bit=0, children=ends)))
    again = Node(steps=[step], end="branch", bit=1, children=ends)
    refuted(qubo, claim([0, 1], -1.0, again), "both values of a free bit")


def test_an_end_is_not_closed_by_a_bit_that_has_a_value():
    qubo = QUBO([-1.0, 1.0], np.zeros((2, 2)))
    step = Step(np.array([0]), np.array([1], np.int8))
    flip = Node(steps=[step], end="flip", bit=0, dual=dual(1), witnesses=np.zeros((2, 1)))
    refuted(qubo, claim([1, 0], -1.0, flip), "bit 0 is not free")


def test_what_is_far_from_all_others_is_not_left_out_as_near():
    qubo = QUBO([-1.0, -2.0, -3.0], np.zeros((3, 3)))
    lie = claim([1, 0, 0], -1.0, Node(end="near"), k=1)
    refuted(qubo, lie, "near", k=1)
    with pytest.raises(Refuted, match="near"):
        verify(qubo, lie, k=1, apart=Apart(np.array([[False, False, True]]), 1))


def test_an_end_that_no_vector_of_k_ones_reaches_holds_nothing_better():
    # Given x_0 = 1, no more ones are allowed than there are; given x_0 = x_1 = 1 there are too many.
    qubo = QUBO([-1.0, -2.0, -3.0], np.zeros((3, 3)))
    ends = [Node(end="enumerate") for _ in range(3)]
    inner = Node(end="branch", bit=1, children=ends[:2])
    root = Node(end="branch", bit=0, children=[ends[2], inner])
    verify(qubo, claim([0, 0, 1], -3.0, root, k=1), k=1)
    refuted(qubo, claim([0, 1, 0], -2.0, root, k=1), "better", k=1)


def test_a_core_holds_as_many_ones_as_there_are():
    qubo = QUBO([-1.0, -2.0, -3.0], np.zeros((3, 3)))
    step = Outside(np.array([0, 1]), np.array([2]), dual(1), np.zeros((2, 1)), np.zeros((2, 2)), ())
    root = Node(steps=[step], end="enumerate")
    refuted(qubo, claim([0, 1, 1], -5.0, root, k=2), "core of 1 bits .* 2 ones", k=2)


def test_a_matrix_whose_numbers_overflow_is_not_taken_for_semidefinite():
    assert is_semidefinite(np.diag([1.0, 2.0]))
    # A factorisation reads one triangle alone.
    for odd in (
        np.diag([1e308, 1e308, 1e308]),
        np.diag([1.0, np.nan]),
        np.array([[2.0, np.inf], [0.0, 2.0]]),
    ):
        with np.errstate(all="ignore"):
            assert not is_semidefinite(odd)


def test_a_cut_does_not_count_a_bit_twice():
    qubo = QUBO(-np.ones(12), np.zeros((12, 12)))
    members, signs = np.array([[2, 2, 0, 0, 0]], np.int32), np.array([[1, 1, 0, 0, 0]], np.int8)
    cut = Cuts(members, signs, np.array([1]), np.ones(1))
    refuted(qubo, claim([1] * 12, -12.0, end(12, cuts=cut)), "repeated member")


def test_a_bound_of_nothing_is_no_proof():
    qubo = QUBO([-1.0], [[0.0]])
    nothing = dataclasses.replace(BranchAndBound()(qubo), bound=-np.inf)
    refuted(qubo, nothing, "claims nothing")


@pytest.fixture
def small_trees(monkeypatch):
    oracles.small_trees(monkeypatch.setattr)


def has_outside(solutions):
    return any(isinstance(step, Outside) for step in solutions.info["certificate"].tree.steps)


def test_shares_outside_a_core_are_shares(small_trees):
    qubo, solutions, k, _ = oracles.certified("outside", 0)
    assert has_outside(solutions)
    certificate = solutions.info["certificate"]
    steps = [
        dataclasses.replace(step, given=np.full_like(step.given, 1e20)) if isinstance(step, Outside) else step
        for step in certificate.tree.steps
    ]
    forged = dataclasses.replace(certificate, tree=dataclasses.replace(certificate.tree, steps=steps))
    refuted(qubo, dataclasses.replace(solutions, info={"certificate": forged}), "shares given", k=k)


@pytest.mark.parametrize(
    ("forge", "words"),
    [
        (lambda step: {"hard": [*step.hard, (np.array([0]), 1)]}, "places, number, witnesses"),
        (lambda step: {"hard": None}, "hard bits .* tuple"),
    ],
    ids=["short", "none"],
)
def test_what_is_said_of_bits_outside_a_core_has_a_form(forge, words, small_trees):
    qubo, solutions, k, _ = oracles.certified("outside", 0)
    certificate = solutions.info["certificate"]
    steps = [
        dataclasses.replace(step, **forge(step)) if isinstance(step, Outside) else step
        for step in certificate.tree.steps
    ]
    forged = dataclasses.replace(certificate, tree=dataclasses.replace(certificate.tree, steps=steps))
    refuted(qubo, dataclasses.replace(solutions, info={"certificate": forged}), words, k=k)


@pytest.mark.parametrize("block", range(5))
@pytest.mark.parametrize("kind", oracles.KINDS)
def test_no_tampered_certificate_proves_what_is_false(kind, block, small_trees):
    for seed in range(8 * block, 8 * block + 8):
        rng = np.random.default_rng(seed)
        qubo, solutions, k, apart = oracles.certified(kind, seed)
        verify(qubo, solutions, k=k, apart=apart)
        assert not solutions.proven or oracles.exact_excess(qubo, solutions.best, k, apart) <= 1.0
        assert kind != "outside" or has_outside(solutions)
        lies = oracles.false_claims(kind, qubo, solutions, k, rng, apart)
        for lie in lies:
            refuted(qubo, lie, k=k, apart=apart)
        for claimed in [solutions, *lies, *lies, *lies]:
            forged, told = oracles.tampered(claimed.info["certificate"], rng, int(rng.integers(1, 4)))
            try:
                verify(qubo, dataclasses.replace(claimed, info={"certificate": forged}), k=k, apart=apart)
            except Refuted:
                continue
            assert claimed is solutions, f"{kind}, seed {seed}: {told}"


def test_what_is_proven_is_within_one_tolerance_of_the_minimum():
    shown = QUBO([-1, -0.8e-9, -0.5e-9, -0.7e-9, -1.3e-9, -1.4e-9], np.zeros((6, 6)))
    for at, qubo in enumerate([shown, *(oracles.tiny_terms(seed) for seed in range(3000))]):
        solutions = BranchAndBound()(qubo)
        assert solutions.proven
        assert oracles.exact_excess(qubo, solutions.best) <= 1.0
        if at % 3 == 0:
            verify(qubo, solutions)


@pytest.mark.parametrize("kind", ["portfolio", "relaxation", "exhaustive"])
def test_every_solver_keeps_within_one_tolerance(kind, monkeypatch):
    monkeypatch.setattr(tree, "TINY", 1)
    for seed in range(100):
        qubo = oracles.tiny_terms(seed)
        k = None if seed % 3 else 1 + seed % qubo.size
        if kind == "portfolio":
            solutions = Portfolio(k=k, n_jobs=1)(qubo)
        elif kind == "exhaustive":
            solutions = Exhaustive(k=k, n_jobs=1)(qubo)
        else:
            solutions = oracles.proven("relaxation", qubo, k)
        assert solutions.proven
        assert oracles.exact_excess(qubo, solutions.best, k) <= 1.0
        if kind != "exhaustive":
            proof.verify(qubo, solutions, k=k)
