"""The independent check: it passes what holds, and refutes every way of cheating that we could think of."""

import copy
import dataclasses

import numpy as np
import pytest

import solver_oracles as oracles
from quboselect import QUBO, Solutions, proof
from quboselect.errors import Refuted
from quboselect.proof import tree, verify
from quboselect.proof.certificate import Certificate, Node, Step, Trace
from quboselect.solvers import BranchAndBound, Exhaustive, Portfolio, Tabu


@pytest.fixture(params=["relaxation", "branch", "branch at k"])
def claim(request, monkeypatch):
    """Return a QUBO, proven samples with a certificate of each kind, and k."""
    monkeypatch.setattr(tree, "TINY", 1)
    qubo = oracles.random_qubo(12, 3)
    if request.param == "relaxation":
        found = proof.prove(qubo, np.zeros(12, bool), work=1e10)
        samples = Solutions.of(qubo, found.x, bound=found.bound, info={"certificate": found.certificate})
    else:
        samples = BranchAndBound(k=5 if request.param == "branch at k" else None)(qubo)
    assert samples.proven
    return qubo, samples, samples.info["certificate"].k


def changed(samples, **changes):
    return dataclasses.replace(samples, **changes)


def test_a_true_claim_passes(claim):
    verify(*claim)


@pytest.mark.parametrize("seed", range(40))
def test_a_bit_that_pays_only_with_others_is_settled_by_the_tangent_at_nothing(seed, monkeypatch):
    monkeypatch.setattr(tree, "TINY", 1)
    # All others are worth it only if the first one is there.
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 14))
    linear, couplings = 0.05 + 0.1 * rng.random(n), np.triu(0.02 * rng.random((n, n)), 1)
    couplings[0, 1:] = -linear[1:] * (1 + rng.random(n - 1) * rng.choice([0.3, 1.0, 2.0]))
    linear[0] = -rng.uniform(0.2, 0.99) * (couplings[0, 1:] + linear[1:]).sum()
    qubo = QUBO(linear, couplings + couplings.T)
    found = proof.prove(qubo, Exhaustive()(qubo).best, work=1e10)
    verify(qubo, Solutions.of(qubo, found.x, bound=found.bound, info={"certificate": found.certificate}))


def test_a_bound_above_the_certificate_is_refuted(claim):
    qubo, samples, k = claim
    with pytest.raises(Refuted, match="is above what the certificate claims"):
        verify(qubo, changed(samples, bound=samples.bound + 1e-3), k=k)


def test_a_certificate_that_claims_more_than_it_shows_is_refuted(claim):
    qubo, samples, k = claim
    worse = np.flatnonzero(samples.best)[:-1] if samples.info["certificate"].k is None else None
    if worse is None:
        x = np.roll(samples.best, 1)
    else:
        x = np.zeros(qubo.size, bool)
        x[worse] = True
    energy = qubo.energy(x)
    assert energy > samples.energy[0]
    false = Certificate(energy, samples.info["certificate"].k, samples.info["certificate"].tree)
    claimed = Solutions.of(qubo, x, bound=energy, info={"certificate": false})
    with pytest.raises(Refuted):
        verify(qubo, claimed, k=k)


def test_a_certificate_of_another_problem_is_refuted(claim):
    qubo, samples, k = claim
    other = QUBO(qubo.linear - 9.0 * (np.arange(12) == np.flatnonzero(~samples.best)[0]), qubo.couplings)
    with pytest.raises(Refuted):
        verify(other, Solutions.of(other, samples.x, bound=np.inf, info=samples.info), k=k)
    with pytest.raises(Refuted, match="12 bits, but the QUBO has 2"):
        verify(QUBO([-1, -1], np.zeros((2, 2))), samples)


def test_a_wrong_energy_is_refuted(claim):
    qubo, samples, k = claim
    with pytest.raises(Refuted, match="the best sample has the energy"):
        verify(qubo, changed(samples, energy=samples.energy - 1.0), k=k)


def test_a_trace_that_leaves_something_out_is_refuted():
    qubo = oracles.random_qubo(12, 3)
    samples = BranchAndBound()(qubo)
    bits = samples.info["certificate"].tree.bits
    for broken, words in (
        (bits[:-1], "nodes open"),
        (np.append(bits, -1), "goes on after"),
        (np.array([-1]), "may still gain"),
        (np.concatenate([[bits[0], bits[0]], bits]), "not a candidate"),
    ):
        false = Certificate(samples.bound, None, Trace(broken.astype(np.int32), np.arange(12)))
        with pytest.raises(Refuted, match=words):
            verify(qubo, changed(samples, info={"certificate": false}))


def test_bits_that_are_no_twins_are_not_exchanged():
    qubo = oracles.random_qubo(12, 3)
    samples = BranchAndBound()(qubo)
    leader = np.arange(12)
    leader[5] = 2
    false = Certificate(samples.bound, None, Trace(samples.info["certificate"].tree.bits, leader))
    with pytest.raises(Refuted, match="bits 5 and 2 cannot be exchanged"):
        verify(qubo, changed(samples, info={"certificate": false}))


def test_proofs_over_twins_can_be_checked():
    rng = np.random.default_rng(0)
    same = rng.integers(0, 4, 40)
    pairs = rng.random((4, 4))
    couplings = (pairs + pairs.T)[np.ix_(same, same)]
    np.fill_diagonal(couplings, 0.0)
    qubo = QUBO(-(1 + rng.random(4))[same], couplings)
    for k in (None, 6):
        samples = BranchAndBound(k=k, nodes=5000)(qubo)
        assert samples.proven
        verify(qubo, samples, k=k)


def relaxation_claim(monkeypatch, seed=3):
    monkeypatch.setattr(tree, "TINY", 1)
    qubo = oracles.random_qubo(12, seed)
    found = proof.prove(qubo, np.zeros(12, bool), work=1e10)
    return qubo, Solutions.of(qubo, found.x, bound=found.bound, info={"certificate": found.certificate})


def nodes_of(node):
    return [node, *(below for child in node.children for below in nodes_of(child))]


def test_a_tree_that_cheats_is_refuted(monkeypatch):
    qubo, samples = relaxation_claim(monkeypatch)
    root = samples.info["certificate"].tree
    for node in nodes_of(root):
        # A branch may be closed by its own dual; here its children must do it.
        node.dual = None if node.end == "branch" else node.dual
    verify(qubo, samples)

    def refuted(change, words=None):
        cheat = copy.deepcopy(root)
        change(cheat)
        certificate = Certificate(samples.bound, None, cheat)
        with pytest.raises(Refuted, match=words):
            verify(qubo, changed(samples, info={"certificate": certificate}))

    def leave_open(node):
        nodes_of(node)[-1].end = "open"
        nodes_of(node)[-1].dual = None

    def settle_wrongly(node):
        free = [i for i in range(12) if not any(i in step.bits for step in node.steps)] or [0]
        wrong = np.array([1 - int(samples.best[free[0]])], np.int8)
        node.steps.insert(0, Step(np.array(free[:1]), wrong))

    def first_settling(node):
        return next(
            (n, at) for n in nodes_of(node) for at, step in enumerate(n.steps) if step.dual is not None
        )

    def flip_step(node):
        node, at = first_settling(node)
        node.steps[at] = dataclasses.replace(
            node.steps[at], values=(1 - node.steps[at].values).astype(np.int8)
        )

    def negative_multiplier(node):
        node, at = first_settling(node)
        Z = node.steps[at].dual.Z.copy()
        Z[0, 1] = -1.0
        node.steps[at] = dataclasses.replace(
            node.steps[at], dual=dataclasses.replace(node.steps[at].dual, Z=Z)
        )

    def settle_twice(node):
        node, at = first_settling(node)
        node.steps.append(node.steps[at])

    refuted(leave_open, "is open")
    refuted(settle_wrongly)
    refuted(flip_step)
    refuted(negative_multiplier, "a multiplier is negative")
    refuted(settle_twice)


def test_enumeration_of_many_bits_is_not_taken_on_trust():
    qubo = QUBO(-np.ones(25), np.ones((25, 25)) - np.eye(25))
    x = np.zeros(25, bool)
    x[0] = True
    lazy = Certificate(-1.0, None, Node(end="enumerate"))
    with pytest.raises(Refuted, match="25 free bits cannot be enumerated"):
        verify(qubo, Solutions.of(qubo, x, bound=-1.0, info={"certificate": lazy}))


def test_samples_without_a_certificate_prove_nothing():
    qubo = oracles.random_qubo(5, 0)
    for solver in (Tabu(), Exhaustive()):
        with pytest.raises(Refuted, match="solutions carry no certificate"):
            verify(qubo, solver(qubo))


@pytest.mark.parametrize("k", [None, 7])
@pytest.mark.parametrize("effort", [0.02, 1.0])
def test_whatever_portfolio_claims_can_be_checked(k, effort):
    for seed in range(6):
        qubo = oracles.random_qubo(32, seed)
        samples = Portfolio(k=k, effort=effort)(qubo)
        if "certificate" in samples.info:
            verify(qubo, samples, k=k)
        assert effort < 1 or samples.proven
