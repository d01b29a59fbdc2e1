"""The path: against the envelope of all subsets, by its properties, and on the counter-examples."""

from itertools import pairwise

import numpy as np
import pytest

import path_oracles
from quboselect import QUBO, Solutions, Tradeoff, alpha_path, importance, redundancy, solvers
from quboselect.datasets import load_ionosphere


@pytest.fixture(scope="module")
def ionosphere():
    data = load_ionosphere()
    return Tradeoff(importance.MutualInformation()(data.X, data.y), redundancy.MutualInformation()(data.X))


@pytest.mark.parametrize("block", range(5))
def test_the_path_is_the_envelope_of_all_subsets(block):
    for seed in range(50 * block, 50 * block + 50):
        tradeoff = path_oracles.random_tradeoff(seed)
        path = alpha_path(tradeoff)
        corners = [(segment.importance, segment.redundancy) for segment in path]
        np.testing.assert_allclose(corners, path_oracles.hull(tradeoff), atol=1e-8, err_msg=f"seed {seed}")
        assert path.proven
        for segment in path:
            for alpha in (segment.start, 0.5 * (segment.start + segment.stop), segment.stop):
                lowest = path_oracles.minimum(tradeoff, alpha)
                assert segment.energy(alpha) == pytest.approx(lowest, abs=1e-9)
                assert path.bound(alpha) <= lowest + 1e-9


@pytest.mark.parametrize("block", range(3))
def test_the_path_is_the_envelope_of_all_subsets_with_costs_too(block):
    for seed in range(60 * block, 60 * block + 60):
        tradeoff = path_oracles.random_priced(seed)
        path = alpha_path(tradeoff)
        corners = [(segment.importance, segment.redundancy) for segment in path]
        np.testing.assert_allclose(corners, path_oracles.hull(tradeoff), atol=1e-8, err_msg=f"seed {seed}")
        assert path.proven
        for alpha in np.linspace(0, 1, 11):
            lowest = path_oracles.minimum(tradeoff, alpha)
            assert path.at(alpha).energy(alpha) == pytest.approx(lowest, abs=1e-9)
            assert path.bound(alpha) <= lowest + 1e-9


def test_what_every_feature_costs_keeps_the_empty_set_until_one_is_worth_it():
    path = alpha_path(Tradeoff([3.0, 1.0], np.zeros((2, 2)), [1.0, 1.0]))
    assert path.sizes == (0, 1, 2)
    assert [segment.stop for segment in path] == pytest.approx([0.25, 0.5, 1.0])


def test_no_features_at_all_have_the_empty_path():
    path = alpha_path(Tradeoff([], np.zeros((0, 0))))
    assert (path.sizes, path.proven, path.solves) == ((0,), True, 0)


def test_windows_follow_each_other_and_importance_and_redundancy_never_fall(ionosphere):
    path = alpha_path(ionosphere)
    assert path[0].start == 0.0
    assert path[-1].stop == 1.0
    assert all(a.stop == b.start for a, b in pairwise(path))
    assert all(segment.start < segment.stop for segment in path[1:])
    assert all(a.importance < b.importance for a, b in pairwise(path))
    assert all(a.redundancy <= b.redundancy for a, b in pairwise(path))


def test_the_ionosphere_path_is_proven_at_every_alpha(ionosphere):
    path = alpha_path(ionosphere)
    assert path.proven
    for alpha in np.linspace(0, 1, 101):
        samples = solvers.BranchAndBound()(ionosphere.at(alpha))
        assert samples.proven
        assert path.at(alpha).energy(alpha) == pytest.approx(samples.energy[0], abs=1e-9)


def test_a_size_can_be_missing_from_the_path():
    assert alpha_path(path_oracles.never_size_two()).sizes == (0, 1, 3, 4)
    assert 4 not in alpha_path(path_oracles.never_size_four()).sizes


def test_the_size_can_fall_as_alpha_grows():
    # Two strong features that repeat each other a little replace three weak ones that do not.
    redundancy = np.array(
        [[0, 1.0, 9, 9, 9], [1.0, 0, 9, 9, 9], [9, 9, 0, 0, 0], [9, 9, 0, 0, 0], [9, 9, 0, 0, 0]]
    )
    path = alpha_path(Tradeoff([2.0, 2.0, 1.1, 1.1, 1.1], redundancy))
    assert path.sizes[:3] == (0, 3, 2)
    assert path.proven


def test_one_size_needs_only_its_bracket(ionosphere):
    whole, part = alpha_path(ionosphere), alpha_path(ionosphere, k=5)
    assert part.solves < whole.solves / 4
    assert len(part) < len(whole)
    ours, theirs = part.of_size(5), whole.of_size(5)
    assert ours.proven
    assert (ours.start, ours.stop) == pytest.approx((theirs.start, theirs.stop), abs=1e-12)
    assert not part.proven


@pytest.mark.parametrize("seed", range(60))
def test_one_size_finds_what_the_whole_path_has(seed):
    tradeoff = path_oracles.random_tradeoff(seed)
    whole = alpha_path(tradeoff)
    for k in range(1, tradeoff.size + 1):
        segment = alpha_path(tradeoff, k=k).of_size(k)
        assert (segment is None) == (k not in whole.sizes)
        if segment is not None:
            assert segment.proven
            lines = [(s.importance, s.redundancy) for s in whole if s.size == k]
            assert any(np.allclose(line, (segment.importance, segment.redundancy)) for line in lines)


def test_of_several_segments_of_one_size_the_widest_is_found_and_proven():
    # Four pairs that exclude each other, each optimal from one of these alphas on. The last is the widest of those
    # that come up first; the widest of all hides between the empty set and a narrow one.
    alphas, gain = np.array([0.12, 0.61, 0.62, 0.78]), np.array([4.0, 10.0, 2.0, 3.0])
    importance, cost = np.cumsum(gain), np.cumsum(gain * alphas / (1 - alphas))
    pair = np.repeat(np.arange(4), 2)
    redundancy = np.where(pair[:, None] == pair, 0.0, 1e4)
    tradeoff = Tradeoff(importance[pair] / 2, redundancy, cost[pair] / 2)
    whole = alpha_path(tradeoff)
    assert whole.sizes[:5] == (0, 2, 2, 2, 2)
    found = alpha_path(tradeoff, k=2).of_size(2)
    assert found.proven
    np.testing.assert_array_equal(found.x, whole.of_size(2).x)
    assert (found.start, found.stop) == pytest.approx((0.12, 0.61))


def test_a_solver_without_bounds_gives_a_path_that_is_not_proven(ionosphere):
    path = alpha_path(ionosphere, solvers.Tabu())
    assert not path.proven
    assert any(segment.gap > 0 for segment in path)
    assert "%" in str(path)


def test_a_weak_solver_never_makes_a_false_proof():
    def lazy(qubo: QUBO) -> Solutions:
        return Solutions.of(qubo, np.zeros(qubo.size), bound=2 * qubo.linear.sum())

    tradeoff = path_oracles.random_tradeoff(5)
    path = alpha_path(tradeoff, lazy)
    assert not path.proven
    for alpha in np.linspace(0, 1, 21):
        assert path.bound(alpha) <= path_oracles.minimum(tradeoff, alpha) + 1e-9


def test_every_sample_enriches_the_path():
    calls = []

    def generous(qubo: QUBO) -> Solutions:
        calls.append(qubo)
        samples = solvers.Exhaustive()(qubo)
        return Solutions.of(qubo, path_oracles.all_subsets(qubo.size), bound=samples.bound)

    tradeoff = path_oracles.random_tradeoff(7)
    path = alpha_path(tradeoff, generous)
    assert path.proven
    assert len(calls) == path.solves == len([s for s in path if s.start > 0]) + 1


def test_max_solves_stops_early_and_says_so(ionosphere):
    path, whole = alpha_path(ionosphere, max_solves=5), alpha_path(ionosphere)
    assert path.solves == 5
    assert not path.proven
    for segment in path:
        alpha = 0.5 * (segment.start + segment.stop)
        assert path.bound(alpha) <= whole.at(alpha).energy(alpha) + 1e-9


def test_a_table_without_any_importance_has_the_empty_path():
    path = alpha_path(Tradeoff(np.zeros(3), np.zeros((3, 3))))
    assert path.sizes == (0,)
    assert (path[0].start, path[0].stop) == (0.0, 1.0)
    assert path.proven
    assert path.solves == 0


def test_the_path_reads_as_a_table_and_answers_questions():
    path = alpha_path(path_oracles.never_size_two())
    assert path.of_size(2) is None
    assert path.at(0.1).size == 3
    assert path.at(1.0).size == 4
    assert path.at(0.0).size == 0
    lines = str(path).splitlines()
    assert lines[0].split() == ["alpha", "size", "importance", "redundancy", "proof", "features"]
    assert lines[3].split()[-4:] == ["+1", "+2", "+3", "-0"]
    assert repr(path) == "Path(4 segments, sizes 0 to 4, proven=True)"
    assert repr(path[1]) == "Segment(1 features, alpha 0.000000 to 0.056604, proven)"
    with pytest.raises(ValueError, match=r"alpha must be a number from 0 to 1, got 1\.5"):
        path.at(1.5)


@pytest.mark.parametrize("k", [-1, 5, 2.0, True])
def test_a_size_that_no_table_can_have_is_refused_in_words(k):
    with pytest.raises(ValueError, match="k must be an integer from 0 to 4"):
        alpha_path(path_oracles.never_size_two(), k=k)


@pytest.mark.parametrize("power", [-17, -12, -9, -6, 6, 7, 8, 9, 12, 17])
@pytest.mark.parametrize("seed", range(4))
def test_the_path_ends_and_holds_whatever_the_scale_of_redundancy(power, seed):
    rng = np.random.default_rng(seed)
    redundancy = np.triu(rng.random((6, 6)), 1) * 10.0**power
    tradeoff = Tradeoff(rng.random(6), redundancy + redundancy.T)
    path = alpha_path(tradeoff)
    for segment in path:
        for alpha in (segment.start, segment.stop):
            lowest = path_oracles.minimum(tradeoff, alpha)
            rounding = 1e-9 * alpha + 1e-15 * (segment.importance + segment.redundancy)
            assert path.bound(alpha) <= lowest + rounding
            assert not segment.proven or segment.energy(alpha) <= lowest + rounding
        for other in path:
            alpha = 0.5 * (segment.start + segment.stop)
            rounding = 1e-9 * alpha + 1e-15 * (segment.importance + segment.redundancy)
            assert segment.energy(alpha) <= other.energy(alpha) + rounding


@pytest.mark.parametrize("seed", range(10))
def test_the_rounding_of_alpha_does_not_undo_a_proof_where_redundancy_is_large(seed):
    rng = np.random.default_rng(seed)
    redundancy = np.triu(rng.random((6, 6)), 1) * 1e7
    tradeoff = Tradeoff(rng.random(6), redundancy + redundancy.T)
    assert alpha_path(tradeoff).proven


def test_the_bound_is_asked_for_within_the_path():
    with pytest.raises(ValueError, match="alpha must be a number from 0 to 1, got 2"):
        alpha_path(path_oracles.never_size_two()).bound(2)
    with pytest.raises(ValueError, match="max_solves must be an integer of at least 1, got -1"):
        alpha_path(path_oracles.never_size_two(), max_solves=-1)


@pytest.mark.parametrize("seed", range(20))
def test_several_sizes_are_explored_together(seed):
    tradeoff = path_oracles.random_tradeoff(seed)
    sizes = [1, tradeoff.size // 2, tradeoff.size]
    together = alpha_path(tradeoff, k=sizes)
    for k in sizes:
        alone = alpha_path(tradeoff, k=k).of_size(k)
        found = together.of_size(k)
        assert (alone is None) == (found is None)
        if alone is not None:
            np.testing.assert_array_equal(found.x, alone.x)
            assert (found.start, found.stop) == pytest.approx((alone.start, alone.stop))
            assert found.proven
    with pytest.raises(ValueError, match="k must be an integer from 0"):
        alpha_path(tradeoff, k=[1, tradeoff.size + 1])
