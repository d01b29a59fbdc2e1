"""Outside a core: what is said of bits outside holds against enumeration, and the proof survives its own check."""

import dataclasses
import itertools

import numpy as np
import pytest

import solver_oracles as oracles
from quboselect import QUBO, Solutions
from quboselect.errors import Refuted
from quboselect.proof import core, prove, tree, verify
from quboselect.proof.certificate import Outside
from quboselect.proof.outside import Outsiders, margins, nearest, prices, shared_out, with_sum
from quboselect.proof.relaxation import relax, start_at
from quboselect.solvers import Exhaustive, Portfolio


def vectors(n, k):
    rows = np.zeros((0, n), bool)
    chosen = list(itertools.combinations(range(n), k))
    rows = np.zeros((len(chosen), n), bool)
    for row, ones in zip(rows, chosen, strict=True):
        row[list(ones)] = True
    return rows


def priced(qubo, bits, k, cutoff, iterations=60):
    out = np.setdiff1d(np.arange(qubo.size), bits)
    inner = np.ascontiguousarray(qubo.couplings[np.ix_(bits, bits)])
    found = relax(
        qubo.linear[bits],
        inner,
        k=k,
        cutoff=np.inf,
        warm=start_at(qubo.linear[bits], inner, np.arange(bits.size) < k, k),
        iterations=iterations,
        every=20,
        stop=lambda *_: False,
    )
    outsiders = Outsiders.of(qubo.linear, qubo.couplings, out, bits, k)
    return out, *prices(qubo.linear[bits], inner, found.dual, k, cutoff, outsiders)


@pytest.mark.parametrize("seed", range(40))
def test_no_vector_is_lower_than_said_of_a_bit_outside(seed):
    rng = np.random.default_rng(seed)
    n, k = 12, int(rng.integers(1, 6))
    qubo = oracles.random_qubo(n, seed, signed=seed % 2 == 1)
    inner = np.sort(rng.choice(n, int(rng.integers(max(k, 3), 10)), replace=False))
    rows = vectors(n, k)
    energies = qubo.energy(rows)
    cutoff = float(energies.min() + rng.uniform(-0.5, 0.5))
    out, margin, _ = priced(qubo, inner, k, cutoff)
    for i, least in zip(out, margin, strict=True):
        assert energies[rows[:, i]].min() >= cutoff + least - 1e-9


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("together", [0.0, 0.5])
@pytest.mark.parametrize("large", [12, 100])
def test_a_proof_from_a_core_is_the_optimum_and_verifies(seed, together, large, monkeypatch):
    monkeypatch.setattr(core, "CORE", 8)
    monkeypatch.setattr(core, "JOIN", 3)
    monkeypatch.setattr(tree, "TINY", 3)
    monkeypatch.setattr(tree, "LARGE", large)
    rng = np.random.default_rng(seed)
    n, k = 24, int(rng.integers(2, 5))
    # As features are: a few that say much, many that say little, and pairs that share or help.
    weight = rng.random(n) ** 3
    shared = np.minimum.outer(weight, weight) * rng.random((n, n)) - together * rng.random((n, n)) * 0.2
    shared = np.triu(shared, 1) + np.triu(shared, 1).T
    qubo = QUBO(-(k - 1) * weight, shared)
    best = Exhaustive(k=k)(qubo)
    found = prove(qubo, best.best, k=k, work=1e9)
    assert found.bound >= best.energy[0] - qubo.tolerance
    # All is relaxed where it is few, and something could not be settled by the core.
    assert large > n or any(isinstance(step, Outside) for step in found.certificate.tree.steps)
    claim = Solutions.of(qubo, found.x, bound=found.bound, info={"certificate": found.certificate})
    verify(qubo, claim, k=k)


def claimed(monkeypatch):
    monkeypatch.setattr(core, "CORE", 8)
    monkeypatch.setattr(tree, "LARGE", 12)
    rng = np.random.default_rng(4)
    weight = rng.random(30) ** 3
    shared = np.minimum.outer(weight, weight) * rng.random((30, 30))
    shared = np.triu(shared, 1) + np.triu(shared, 1).T
    qubo = QUBO(-3 * weight, shared)
    found = prove(qubo, Exhaustive(k=4)(qubo).best, k=4, work=1e9)
    return qubo, Solutions.of(qubo, found.x, bound=found.bound, info={"certificate": found.certificate})


def forged(samples, **changes):
    certificate = samples.info["certificate"]
    steps = [
        dataclasses.replace(s, **changes) if isinstance(s, Outside) else s for s in certificate.tree.steps
    ]
    node = dataclasses.replace(certificate.tree, steps=steps)
    return dataclasses.replace(samples, info={"certificate": dataclasses.replace(certificate, tree=node)})


def test_forged_steps_are_refuted(monkeypatch):
    qubo, samples = claimed(monkeypatch)
    verify(qubo, samples, k=4)
    (step,) = (s for s in samples.info["certificate"].tree.steps if isinstance(s, Outside))
    for changes in (
        {"points": step.points + 2.0},
        {"points": np.full_like(step.points, np.nan)},
        {"points": step.points[:1]},
        {"bits": step.bits[:-1]},
        {"core": np.append(step.core, step.bits[0])},
        {"dual": dataclasses.replace(step.dual, u=np.full_like(step.dual.u, np.nan))},
        {"dual": dataclasses.replace(step.dual, u=step.dual.u - 10.0)},
        {"given": np.full_like(step.given, np.nan)},
        {"given": np.full_like(step.given, 2.0)},
    ):
        with pytest.raises(Refuted):
            verify(qubo, forged(samples, **changes), k=4)


def test_where_too_little_can_be_settled_the_bound_still_holds(monkeypatch):
    monkeypatch.setattr(core, "CORE", 6)
    monkeypatch.setattr(core, "ROUNDS", 1)
    for seed in range(10):
        qubo = oracles.random_qubo(16, seed)
        best = Exhaustive(k=5)(qubo)
        found = prove(qubo, best.best, k=5, work=1e8)
        assert found.bound <= best.energy[0] + qubo.tolerance
        claim = Solutions.of(qubo, found.x, bound=found.bound, info={"certificate": found.certificate})
        verify(qubo, claim, k=5)


def test_what_is_shared_out_is_a_lower_bound():
    rng = np.random.default_rng(0)
    for _ in range(50):
        m, b = 7, int(rng.integers(1, 5))
        above, among = rng.normal(size=m), rng.normal(size=(m, m))
        among = among + among.T
        np.fill_diagonal(among, np.inf)
        near = nearest(among, b)[:, b - 1]
        np.testing.assert_allclose(near, np.sort(among, axis=1)[:, : b - 1].sum(axis=1))
        borne, _ = shared_out(above, near, lambda places, among=among: among[places], b)
        least = margins(borne, b)
        for some in itertools.combinations(range(m), b):
            pairs = sum(among[i, j] for i, j in itertools.combinations(some, 2))
            assert above[list(some)].sum() + pairs >= max(least[i] for i in some) - 1e-12


def test_a_point_has_the_sum_asked_for():
    for total in range(6):
        x = with_sum(np.array([0.1, 0.9, 0.5, 0.0, 1.0]), min(total, 5))
        assert x.sum() == pytest.approx(min(total, 5))
        assert ((x >= 0) & (x <= 1)).all()


def test_a_wide_problem_of_the_pair_rule_is_proven():
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 80)
    X = rng.normal(size=(80, 400)) + np.where(np.arange(400) < 12, 1.0, 0.1) * y[:, None]
    from quboselect import SelectQUBO

    result = SelectQUBO(k=6).fit(X, y).result_
    assert result.proven
    qubo, solutions, k = result.certified
    assert k == 6
    verify(qubo, solutions, k=6)
    assert solutions.energy[0] == pytest.approx(Portfolio(k=6, effort=0.0)(qubo).energy[0])
