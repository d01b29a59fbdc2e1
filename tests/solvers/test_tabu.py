"""Tabu, and the ties that every solver resolves alike."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quboselect.proof import Apart
from quboselect.qubo import MOVES, QUBO, canonical
from quboselect.solvers.tabu import Tabu, live, live_at, whole_numbers
from solver_oracles import lowest_energy, random_qubo, subsets

CASES = [{}, {"signed": True}, {"whole": True}, {"signed": True, "whole": True}]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n", [1, 2, 3, 7, 12])
def test_the_minimum_of_a_small_qubo_is_found(n, case):
    for seed in range(5):
        qubo = random_qubo(n, seed, **case)
        samples = Tabu()(qubo)
        assert samples.energy[0] == pytest.approx(lowest_energy(qubo), abs=1e-9)
        assert samples.bound == -np.inf


@pytest.mark.parametrize("case", CASES)
def test_the_minimum_at_exactly_k_is_found_for_every_k(case):
    qubo = random_qubo(9, 3, **case)
    for k in range(10):
        samples = Tabu(k=k)(qubo)
        assert (samples.x.sum(axis=1) == k).all()
        assert samples.energy[0] == pytest.approx(lowest_energy(qubo, k), abs=1e-9)


def beasley(n, seed):
    rng = np.random.default_rng(seed)
    pairs = np.triu(rng.integers(-100, 101, (n, n)) * (rng.random((n, n)) < 0.1), 1)
    return QUBO(rng.integers(-100, 101, n), 2.0 * (pairs + pairs.T))


def test_ten_seeds_agree_on_a_rugged_landscape():
    qubo = beasley(100, 4)
    assert len({Tabu(seed=seed)(qubo).energy[0] for seed in range(10)}) == 1


@pytest.mark.parametrize("k", [None, 30])
def test_the_result_is_the_same_whatever_the_number_of_threads(k):
    qubo = beasley(160, 1)
    one, two, many = (Tabu(k=k, n_jobs=n_jobs, rounds=1)(qubo) for n_jobs in (1, 2, 7))
    for other in (two, many):
        np.testing.assert_array_equal(one.x, other.x)
        np.testing.assert_array_equal(one.energy, other.energy)


def test_the_same_seed_gives_the_same_samples():
    qubo = beasley(60, 2)
    first, again = Tabu(seed=5)(qubo), Tabu(seed=5)(qubo)
    np.testing.assert_array_equal(first.x, again.x)


def test_samples_are_distinct_and_best_first_and_at_most_the_elite():
    samples = Tabu(elite=4)(beasley(80, 3))
    assert 1 <= len(samples) <= 4
    assert (np.diff(samples.energy) >= 0).all()
    assert len(np.unique(samples.x, axis=0)) == len(samples)


def test_rounding_to_whole_numbers_changes_no_energy_that_matters():
    qubo = random_qubo(60, 8)
    samples = Tabu()(qubo)
    np.testing.assert_allclose(samples.energy, qubo.energy(samples.x), rtol=1e-12)
    linear, couplings = whole_numbers(qubo.linear, qubo.couplings)
    assert np.abs(linear).sum() + np.abs(couplings).sum() < 2**60
    scale = linear[0] / qubo.linear[0]
    np.testing.assert_allclose(couplings / scale, qubo.couplings, atol=1e-13)


@pytest.mark.parametrize("factor", [1e-200, 1e-9, 1e9, 1e200])
def test_the_unit_of_the_energies_does_not_matter(factor):
    qubo = random_qubo(12, 1)
    scaled = QUBO(factor * qubo.linear, factor * qubo.couplings)
    np.testing.assert_array_equal(Tabu()(scaled).best, Tabu()(qubo).best)


def test_without_a_negative_coefficient_the_empty_set_is_best():
    qubo = QUBO(np.zeros(4), np.ones((4, 4)) - np.eye(4))
    assert not Tabu()(qubo).best.any()
    assert Tabu(k=2)(qubo).energy[0] == 1.0
    assert not Tabu()(QUBO(np.zeros(2), np.zeros((2, 2)))).best.any()


def test_no_bits_are_no_problem():
    assert Tabu()(QUBO(np.zeros(0), np.zeros((0, 0)))).x.shape == (1, 0)


@pytest.mark.parametrize("case", CASES)
def test_settled_bits_agree_with_some_optimum(case):
    for seed in range(10):
        qubo = random_qubo(8, seed, **case)
        rows = subsets(8)
        energy = qubo.energy(rows)
        optimal = rows[energy <= energy.min() + 1e-9]
        part = live(qubo)
        settled = np.setdiff1d(np.arange(8), part.bits)
        assert (optimal[:, settled] == part.x[settled]).all(axis=1).any()


def test_settling_keeps_the_energies_of_the_live_bits():
    qubo = random_qubo(8, 2, signed=True)
    part = live(QUBO(qubo.linear - np.r_[9.0, np.zeros(7)], qubo.couplings))
    assert part.x[0]
    assert 0 not in part.bits
    base = part.x.copy()
    for x in subsets(part.bits.size):
        base[part.bits] = x
        smaller = QUBO(part.linear, part.couplings).energy(x) if x.size else 0.0
        empty = part.x
        shifted = QUBO(qubo.linear - np.r_[9.0, np.zeros(7)], qubo.couplings)
        assert shifted.energy(base) - shifted.energy(empty) == pytest.approx(smaller)


@pytest.mark.parametrize("height", [0.0, -0.5, 0.5])
def test_bits_without_couplings_fill_up_to_k(height):
    qubo = random_qubo(7, 4, signed=True)
    linear = np.r_[height, qubo.linear[:3], height, height, qubo.linear[3:], -0.1]
    places = np.r_[1:4, 6:10]
    couplings = np.zeros((11, 11))
    couplings[np.ix_(places, places)] = qubo.couplings
    padded = QUBO(linear, couplings)
    for k in range(12):
        part = live_at(padded, k)
        assert part.fillers.tolist() == [0, 4, 5]
        samples = Tabu(k=k)(padded)
        assert (samples.x.sum(axis=1) == k).all()
        assert samples.energy[0] == pytest.approx(lowest_energy(padded, k), abs=1e-9)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"restarts": 0}, "restarts must be an integer of at least 1, got 0."),
        ({"rounds": -1}, "rounds must be an integer of at least 0, got -1."),
        ({"steps": 0}, "steps must be an integer of at least 1, got 0."),
        ({"elite": 2.5}, "elite must be an integer of at least 1, got 2.5."),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1."),
        ({"k": -1}, "k must be an integer of at least 0, got -1."),
        ({"k": True}, "k must be an integer of at least 0, got True."),
    ],
)
def test_a_wrong_field_is_refused_in_words(fields, words):
    with pytest.raises(ValueError, match=words):
        Tabu(**fields)


def test_more_ones_than_bits_are_refused_in_words():
    with pytest.raises(ValueError, match=r"k .* from 0 to 3, got 4"):
        Tabu(k=4)(random_qubo(3, 0))


def test_solvers_are_values():
    assert replace(Tabu(), k=3) == Tabu(k=3)
    assert len({Tabu(), Tabu(), Tabu(k=1)}) == 2


def duplicated(qubo, times=2):
    """Every bit several times, its copies excluding each other."""
    linear = np.tile(qubo.linear, times)
    couplings = np.tile(qubo.couplings, (times, times))
    for i in range(qubo.size):
        copies = np.arange(i, linear.size, qubo.size)
        couplings[np.ix_(copies, copies)] = 99.0
    np.fill_diagonal(couplings, 0.0)
    return QUBO(linear, couplings)


@pytest.mark.parametrize("seed", range(5))
def test_of_identical_features_the_first_is_taken(seed):
    qubo = random_qubo(6, seed)
    expected = np.r_[Tabu()(qubo).best, np.zeros(12, bool)]
    np.testing.assert_array_equal(Tabu(seed=seed)(duplicated(qubo, 3)).best, expected)


def test_a_bit_that_changes_nothing_is_dropped():
    qubo = QUBO([0.0, -1.0, 0.0], np.zeros((3, 3)))
    assert canonical(qubo, [1, 1, 1]).tolist() == [False, True, False]
    assert canonical(qubo, [0, 1, 1], k=2).tolist() == [True, True, False]
    assert Tabu(k=2)(qubo).best.tolist() == [True, True, False]


def test_of_two_that_exclude_each_other_freely_the_first_stays():
    qubo = QUBO([-1.0, -1.0], [[0.0, 1.0], [1.0, 0.0]])
    assert canonical(qubo, [1, 1]).tolist() == [True, False]


def test_ties_within_a_sixteenth_of_the_tolerance_count_as_ties_and_those_outside_do_not():
    slightly = QUBO([-1.0, -1.0 - 5e-11], np.zeros((2, 2)))
    clearly = QUBO([-1.0, -1.0 - 5e-10], np.zeros((2, 2)))
    assert canonical(slightly, [0, 1], k=1).tolist() == [True, False]
    assert canonical(clearly, [0, 1], k=1).tolist() == [False, True]


@settings(deadline=None, max_examples=80)
@given(n=st.integers(1, 8), seed=st.integers(0, 2**32), exactly=st.booleans(), noise=st.booleans())
def test_the_canonical_vector_costs_at_most_its_share_and_goes_before(n, seed, exactly, noise):
    qubo = random_qubo(n, seed, signed=True, whole=True)
    rng = np.random.default_rng(seed)
    if noise:  # many small rises, which must not add up
        qubo = QUBO(qubo.linear + rng.uniform(0.0, 0.6 * MOVES * qubo.tolerance, n), qubo.couplings)
    x = rng.random(n) < 0.5
    k = int(x.sum()) if exactly else None
    y = canonical(qubo, x, k)
    assert qubo.energy(y) <= qubo.energy(x) + MOVES * qubo.tolerance * (1 + 1e-4)
    assert y.sum() == k if exactly else y.sum() <= x.sum()
    np.testing.assert_array_equal(canonical(qubo, x, k), y)
    # Fewer ones first, then lower indices.
    assert (y.sum(), np.flatnonzero(y).tolist()) <= (x.sum(), np.flatnonzero(x).tolist())


def test_canonical_refuses_what_it_cannot_keep():
    qubo = random_qubo(3, 0)
    with pytest.raises(ValueError, match="exactly k = 2 ones, got 1"):
        canonical(qubo, [1, 0, 0], k=2)
    with pytest.raises(ValueError, match="one vector of 3 bits"):
        canonical(qubo, [[1, 0, 0]])


def test_a_hint_is_a_start():
    qubo = random_qubo(60, 3)
    best = Tabu()(qubo)
    assert np.array_equal(Tabu(restarts=2, rounds=0, steps=1, hint=best)(qubo).best, best.best)
    at_k = Tabu(k=7)(qubo)
    assert np.array_equal(Tabu(k=7, restarts=2, rounds=0, steps=1, hint=at_k)(qubo).best, at_k.best)
    assert Tabu(k=3, hint=at_k)(qubo).best.sum() == 3


@pytest.mark.parametrize("k", [None, 12])
def test_a_hint_halves_the_searches_of_large_problems_and_loses_nothing(k, monkeypatch):
    rows = []
    searched = Tabu._searched

    def watched(self, some, *arguments):
        rows.append(len(some))
        return searched(self, some, *arguments)

    monkeypatch.setattr(Tabu, "_searched", watched)
    for n, share in ((60, 1.0), (150, 0.5)):
        qubo = random_qubo(n, 3)
        first = Tabu(k=k)(qubo)
        without, rows = rows, []
        again = Tabu(k=k, hint=first)(qubo)
        assert rows[0] == np.ceil(share * without[0])
        assert again.energy[0] <= first.energy[0]
        rows = []


@pytest.mark.parametrize("seed", range(20))
def test_a_search_that_keeps_clear_of_others_finds_the_best_of_what_is_left(seed):
    rng = np.random.default_rng(seed)
    n, k = 9, 2 + seed % 4
    qubo = random_qubo(n, seed, signed=seed % 3 == 1)
    if seed % 4 == 0:
        # The last three have no couplings: fillers, unless one of the others has them.
        pairs = np.array(qubo.couplings)
        pairs[-3:], pairs[:, -3:] = 0.0, 0.0
        qubo = QUBO(np.append(qubo.linear[:-3], [-0.1] * 3), pairs)
    every = subsets(n, k)
    for count in (1, 3, 70):
        others = Apart(every[rng.permutation(len(every))[:count]], int(rng.integers(1, min(k, 3) + 1)))
        far = every[~others.near(every)]
        found = Tabu(k=k).apart(qubo, others)
        if found is None:
            # Of more others than there are sets, nothing may be found, though there is something.
            assert not len(far) or count > 64
            continue
        assert not others.near(found.x).any()
        assert (found.x.sum(axis=1) == k).all()
        if count <= 64:
            assert found.energy[0] == pytest.approx(qubo.energy(far).min(), abs=1e-9)


def test_nothing_is_found_where_nothing_is_left():
    qubo = random_qubo(5, 1)
    assert Tabu(k=2).apart(qubo, Apart(subsets(5, 2), 1)) is None
    assert Tabu(k=5).apart(qubo, Apart(np.ones((1, 5), bool), 1)) is None
