"""From a wanted size to a subset: Algorithm 1 that stops, and sizes that no alpha gives."""

import numpy as np
import pytest

import path_oracles
from authors import SHARED, needs
from quboselect import QUBO, Solutions, Tradeoff, alpha_path, best_subset, importance, redundancy, solvers
from quboselect.datasets import load_ionosphere
from quboselect.errors import OffPathWarning
from quboselect.protocols import check_solver
from quboselect.search import alpha_search
from quboselect.search.choice import choice_of_size

COUNTER_EXAMPLES = [(path_oracles.never_size_two(), 2), (path_oracles.never_size_four(), 4)]
published = needs(SHARED)


def tradeoff_of(X, y):
    """Return the paper's tradeoff of a table."""
    cut = {"bins": 20, "edges": "quantile"}
    return Tradeoff(importance.MutualInformation(**cut)(X, y), redundancy.MutualInformation(**cut)(X))


def exactly(tradeoff, k, path=None, solver=solvers.Portfolio()):  # noqa: B008
    """Return alpha, solutions and whether they are on the path, of the best subset of a size."""
    check_solver(solver)
    path = alpha_path(tradeoff, solver, k=k) if path is None else path
    choice = choice_of_size(tradeoff, k, path, solver)
    return choice.alpha, choice.solutions, choice.on_path


def features(samples):
    return np.flatnonzero(samples.best).tolist()


def test_algorithm_one_gives_the_papers_alpha_on_ionosphere():
    data = load_ionosphere()
    alpha, samples = alpha_search(tradeoff_of(data.X, data.y), 5)
    assert alpha == 0.90625
    assert features(samples) == [0, 2, 4, 5, 20]
    assert samples.proven
    assert samples.info["stopped"] == "size 5 found after 5 solves"


@published
def test_algorithm_one_gives_the_papers_alpha_and_matrix_on_waveform():
    with np.load(SHARED / "data" / "waveform.npz", allow_pickle=False) as file:
        tradeoff = tradeoff_of(file["X"], file["y"])
    alpha, samples = alpha_search(tradeoff, 5)
    assert alpha == 0.78125
    assert features(samples) == [4, 6, 9, 10, 15]
    assert samples.energy[0] == pytest.approx(-0.7639395571725054, abs=1e-12)
    theirs = np.load(SHARED / "reference" / "qubo_waveform.npy")
    np.testing.assert_allclose(tradeoff.at(alpha).matrix, theirs, rtol=0, atol=1e-12)


@published
def test_algorithm_one_gives_the_papers_alpha_and_matrix_on_synth_10():
    with np.load(SHARED / "reference" / "synth_10.npz", allow_pickle=False) as file:
        names = {name: file[name] for name in file.files}
    X = next(v for v in names.values() if v.ndim == 2 and v.shape == (10_000, 10))
    y = next(v for v in names.values() if v.shape == (10_000,))
    tradeoff = tradeoff_of(X, y)
    alpha, samples = alpha_search(tradeoff, 4)
    assert alpha == 0.875
    assert features(samples) == [4, 5, 7, 9]
    assert samples.energy[0] == pytest.approx(-0.9536027792006271, abs=1e-12)
    theirs = np.load(SHARED / "reference" / "qubo_synth_10.npy")
    np.testing.assert_allclose(tradeoff.at(alpha).matrix, theirs, rtol=0, atol=1e-12)


@published
def test_the_published_ionosphere_matrix_has_the_published_minimum():
    samples = solvers.Portfolio()(QUBO.from_matrix(np.load(SHARED / "reference" / "qubo_ionosphere.npy")))
    assert samples.energy[0] == pytest.approx(-0.9629258732121557, abs=1e-12)
    assert features(samples) == [0, 2, 4, 5, 20]
    assert samples.proven


@pytest.mark.parametrize(
    ("tradeoff", "k", "between"),
    [
        (path_oracles.never_size_two(), 2, "size 1 .* size 3"),
        (path_oracles.never_size_four(), 4, "size 3 .* size 5"),
    ],
)
def test_algorithm_one_stops_where_the_paper_runs_for_ever(tradeoff, k, between):
    with pytest.warns(OffPathWarning, match=f"size {k} not found after 50 solves: between {between}"):
        alpha, samples = alpha_search(tradeoff, k)
    assert 0 < alpha < 1
    assert samples.best.sum() != k
    assert samples.info["stopped"].startswith(f"size {k} not found")


def test_algorithm_one_stops_where_alpha_cannot_be_halved_any_more():
    with pytest.warns(OffPathWarning, match="not found after"):
        _, samples = alpha_search(path_oracles.never_size_two(), 2, max_solves=10_000)
    assert "after 10000 solves" not in samples.info["stopped"]


def test_sizes_above_the_number_of_important_features_are_never_found_by_algorithm_one():
    with pytest.warns(OffPathWarning, match="size 2 not found"):
        alpha_search(Tradeoff([1.0, 0.0], np.zeros((2, 2))), 2)


@pytest.mark.parametrize(
    ("argument", "words"), [({"k": 5}, "k must be an integer"), ({"max_solves": 0}, "max_solves")]
)
def test_wrong_arguments_of_algorithm_one_are_refused(argument, words):
    with pytest.raises(ValueError, match=words):
        alpha_search(path_oracles.never_size_two(), **{"k": 2, **argument})


@pytest.mark.parametrize(
    ("tradeoff", "k"), [(path_oracles.never_size_two(), 2), (path_oracles.never_size_four(), 4)]
)
def test_a_size_off_the_path_is_the_best_of_that_size_where_its_neighbours_meet(tradeoff, k):
    path = alpha_path(tradeoff)
    alpha, samples, on_path = exactly(tradeoff, k, path)
    assert samples.best.sum() == k
    assert samples.proven
    assert not on_path
    assert samples.energy[0] == pytest.approx(path_oracles.minimum(tradeoff, alpha, k), abs=1e-12)
    assert any(alpha == segment.stop for segment in path)


@pytest.mark.parametrize("seed", range(120))
def test_every_missing_size_is_answered_and_optimal(seed):
    tradeoff = path_oracles.random_tradeoff(seed)
    path = alpha_path(tradeoff)
    for k in set(range(1, tradeoff.size + 1)) - set(path.sizes):
        alpha, samples, on_path = exactly(tradeoff, k, path)
        assert samples.best.sum() == k
        assert samples.proven
        best = path_oracles.minimum(tradeoff, alpha, k)
        assert samples.energy[0] == pytest.approx(best, abs=1e-9)
        assert on_path == (best <= path_oracles.minimum(tradeoff, alpha) + 1e-9)


@pytest.mark.parametrize("block", range(6))
def test_every_size_is_answered_and_optimal_with_costs_too(block):
    for seed in range(50 * block, 50 * block + 50):
        tradeoff = path_oracles.random_priced(seed, most=7)
        path = alpha_path(tradeoff)
        for k in range(tradeoff.size + 1):
            alpha, samples, on_path = exactly(tradeoff, k, path)
            assert samples.best.sum() == k
            assert samples.proven
            best = path_oracles.minimum(tradeoff, alpha, k)
            assert samples.energy[0] == pytest.approx(best, abs=1e-9)
            assert on_path == (best <= path_oracles.minimum(tradeoff, alpha) + 1e-9), f"seed {seed}, k {k}"


def test_at_alpha_zero_what_costs_nothing_goes_before_what_is_important():
    tradeoff = Tradeoff([1.0, 2.0, 3.0, 9.0], np.zeros((4, 4)), [0.0, 0.0, 0.0, 1e-3])
    alpha, samples, on_path = exactly(tradeoff, 2)
    assert (alpha, on_path, features(samples)) == (0.0, True, [1, 2])


def test_sizes_that_tie_by_rounding_alone_are_on_the_path():
    # Each is worth its cost at one and the same alpha, where all energies are rounding.
    importance = np.array([0.1, 0.3, 0.7, 1.1])
    tradeoff = Tradeoff(importance, np.zeros((4, 4)), 0.7 * importance)
    path = alpha_path(tradeoff)
    assert path.sizes == (0, 4)
    assert all(exactly(tradeoff, k, path)[2] for k in range(5))


def test_above_the_important_features_the_cheapest_others_fill_up():
    tradeoff = Tradeoff([1.0, 0.0, 0.0, 0.0], np.zeros((4, 4)), [1.0, 3.0, 1.0, 2.0])
    assert features(exactly(tradeoff, 3)[1]) == [0, 2, 3]


def test_algorithm_one_counts_the_cost():
    tradeoff = Tradeoff([3.0, 2.0, 1.0], np.zeros((3, 3)), [9.0, 1.0, 1.0])
    alpha, samples = alpha_search(tradeoff, 1)
    assert features(samples) == [1]
    assert samples.energy[0] == pytest.approx(path_oracles.minimum(tradeoff, alpha), abs=1e-12)


def test_a_size_that_ties_with_its_neighbours_is_on_the_path_at_one_alpha():
    # Three features that cost and give the same whatever else is in: sizes 1 and 2 only tie.
    tradeoff = Tradeoff([1.0, 1.0, 1.0], np.zeros((3, 3)))
    path = alpha_path(tradeoff)
    assert path.sizes == (0, 3)
    alpha, samples, on_path = exactly(tradeoff, 2, path)
    assert (alpha, on_path) == (0.0, True)
    assert samples.best.tolist() == [True, True, False]


def test_at_alpha_zero_the_most_important_of_the_free_subsets_is_taken():
    redundancy = np.zeros((4, 4))
    redundancy[0, 1:] = redundancy[1:, 0] = 1.0
    tradeoff = Tradeoff([10.0, 5.0, 5.0, 5.0], redundancy)
    path = alpha_path(tradeoff)
    assert path.sizes[:2] == (0, 3)
    assert exactly(tradeoff, 1, path)[1].best.tolist() == [True, False, False, False]


def test_above_the_important_features_the_least_redundant_others_fill_up():
    redundancy = np.zeros((4, 4))
    redundancy[0, 1] = redundancy[1, 0] = 2.0
    redundancy[0, 2] = redundancy[2, 0] = 1.0
    redundancy[2, 3] = redundancy[3, 2] = 5.0
    tradeoff = Tradeoff([1.0, 0.0, 0.0, 0.0], redundancy)
    path = alpha_path(tradeoff)
    assert np.flatnonzero(exactly(tradeoff, 2, path)[1].best).tolist() == [0, 3]
    alpha, samples, on_path = exactly(tradeoff, 3, path)
    assert np.flatnonzero(samples.best).tolist() == [0, 1, 3]
    assert (alpha, on_path, samples.proven) == (1.0, True, True)


def test_a_solver_that_knows_no_k_leaves_the_missing_size_to_the_default():
    def plain(qubo):
        return solvers.Exhaustive()(qubo)

    tradeoff = path_oracles.never_size_two()
    path = alpha_path(tradeoff, plain)
    assert exactly(tradeoff, 2, path, plain)[1].best.sum() == 2


def test_a_size_that_the_path_has_is_its_segment():
    tradeoff = path_oracles.never_size_two()
    segment = alpha_path(tradeoff).of_size(3)
    alpha, samples, on_path = exactly(tradeoff, 3)
    assert segment.start < alpha < segment.stop
    assert np.array_equal(samples.best, segment.x)
    assert (samples.proven, on_path) == (True, True)


@pytest.mark.parametrize(
    "call", [alpha_path, lambda t, s: alpha_search(t, 2, s), lambda t, s: best_subset(t, k=2, solver=s)]
)
def test_a_solver_that_is_none_is_refused_in_words(call):
    tradeoff = path_oracles.never_size_two()
    with pytest.raises(TypeError, match=r"solver must be a value, got the class Tabu: write Tabu\(\)"):
        call(tradeoff, solvers.Tabu)
    with pytest.raises(TypeError, match="solver must be callable, got 'tabu'"):
        call(tradeoff, "tabu")
    with pytest.raises(TypeError, match=r"a solver must return Solutions .* got ndarray"):
        call(tradeoff, lambda qubo: np.zeros(4))
    with pytest.raises(ValueError, match="a solver must return rows of 4 bits, got 1"):
        call(tradeoff, lambda qubo: Solutions.of(QUBO([-1.0], [[0.0]]), [1]))
    with pytest.raises(ValueError, match="solver must not be bound to a size of its own, got one with k=3"):
        call(tradeoff, solvers.Tabu(k=3))


class Weak:
    """A search that has no bound, and seldom finds the best."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def __call__(self, qubo, /):
        return Solutions.of(qubo, self.rng.random((3, qubo.size)) < 0.4)


@pytest.mark.parametrize("seed", range(40))
def test_a_weak_search_never_makes_a_false_proof(seed):
    tradeoff = path_oracles.random_tradeoff(seed, most=7)
    weak = Weak(seed)
    for k in range(1, tradeoff.size + 1):
        alpha, samples, on_path = exactly(tradeoff, k, solver=weak)
        assert samples.best.sum() == k
        least = path_oracles.minimum(tradeoff, alpha, None if on_path else k)
        assert samples.bound <= least + 1e-9
        assert not samples.proven or samples.energy[0] <= least + 1e-9
