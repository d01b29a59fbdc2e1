"""Stability: the index of Nogueira, Sechidis and Brown, its interval, and resamples that are only counted anew."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import f_classif

from quboselect import SelectQUBO, solvers
from quboselect.counting import bins
from quboselect.datasets import load_ionosphere
from quboselect.errors import OffPathWarning
from quboselect.importance import Correlation
from quboselect.importance import MutualInformation as ImportanceInformation
from quboselect.redundancy import Correlation as PairCorrelation
from quboselect.redundancy import MutualInformation as RedundancyInformation
from quboselect.report.stability import Stability, stability
from quboselect.tables.blocks import drawn_places

QUICK = solvers.Portfolio(effort=0.01)


def naive_index(Z):
    """Return the index and its variance, each sum of the paper written out."""
    m, d = len(Z), len(Z[0])
    p = [sum(row[f] for row in Z) / m for f in range(d)]
    k = [sum(row) for row in Z]
    mean = sum(k) / m
    spread = mean / d * (1 - mean / d)
    phi = 1 - sum(m / (m - 1) * share * (1 - share) for share in p) / d / spread
    each = []
    for row, size in zip(Z, k, strict=True):
        agreement = sum(bit * share for bit, share in zip(row, p, strict=True)) / d
        rest = phi / 2 * (2 * mean * size / d**2 - size / d - mean / d + 1)
        each.append((agreement - size * mean / d**2 + rest) / spread)
    average = sum(each) / m
    return phi, 4 / m**2 * sum((value - average) ** 2 for value in each)


def random_subsets(seed, m, d, k):
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(np.arange(d) < k) for _ in range(m)])


def table(seed=0, samples=150, features=8):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, samples)
    return rng.normal(size=(samples, features)) + y[:, None] * np.linspace(0, 1.5, features), y


@pytest.mark.parametrize("seed", range(5))
def test_index_and_interval_are_the_formulas_of_the_paper(seed):
    rng = np.random.default_rng(seed)
    Z = rng.random((rng.integers(2, 30), rng.integers(3, 20))) < rng.random()
    Z[0, :2] = True, False
    found = Stability(Z, Z[0])
    index, variance = naive_index(Z.astype(int).tolist())
    assert found.index == pytest.approx(index, abs=1e-12)
    low, high = found.interval()
    assert (low + high) / 2 == pytest.approx(index, abs=1e-12)
    assert (high - low) / 2 == pytest.approx(1.959963985 * np.sqrt(variance), abs=1e-9)
    low, high = found.interval(0.5)
    assert (high - low) / 2 == pytest.approx(0.674489750 * np.sqrt(variance), abs=1e-9)
    assert found.frequency.tolist() == pytest.approx([np.mean(bits) for bits in Z.T])


def test_subsets_that_are_all_the_same_have_index_one():
    found = Stability([[True, False, True]] * 5, [True, False, True])
    assert found.index == 1.0
    assert found.interval() == (1.0, 1.0)


def test_random_subsets_have_an_index_of_about_zero_within_the_interval():
    found = [Stability(Z, Z[0]) for Z in (random_subsets(seed, 60, 30, 6) for seed in range(40))]
    assert abs(np.mean([one.index for one in found])) < 0.01
    covered = sum(low <= 0.0 <= high for low, high in (one.interval() for one in found))
    assert covered >= 34


def test_subsets_that_exclude_each_other_have_a_negative_index():
    assert Stability(np.eye(4), [1, 0, 0, 0]).index == pytest.approx(-1 / 3)


def test_nothing_or_everything_selected_is_not_defined_and_said_in_words():
    for bit, words in ((True, "all features"), (False, "no feature")):
        found = Stability(np.full((3, 4), bit), np.full(4, bit))
        assert np.isnan(found.index)
        assert np.isnan(found.interval()).all()
        assert f"index not defined, as {words} came of every one of 3 resamples" in str(found)


def test_str_is_a_table_of_the_most_frequent_features():
    found = Stability([[1, 0, 1], [1, 0, 0], [1, 0, 1], [1, 0, 1]], [1, 0, 0], ("age", "city", "pay"))
    lines = str(found).splitlines()
    assert lines[0].startswith("index 0.")
    assert "95 % interval" in lines[0]
    assert lines[0].endswith("4 resamples")
    assert lines[2:] == ["age           1.00  selected", "pay           0.75"]
    assert "feature  frequency  whole table" in lines[1]
    many = Stability(np.tril(np.ones((30, 30))), np.ones(30))
    assert str(many).splitlines()[-1] == "and 10 more, up to 0.33"
    assert str(many).splitlines()[2].split() == ["x0", "1.00", "selected"]


def test_a_stability_is_frozen_and_survives_pickling():
    found = Stability([[1, 0], [0, 1]], [1, 0], ("a", "b"))
    again = pickle.loads(pickle.dumps(found))
    for one in (found, again):
        assert one.names == ("a", "b")
        with pytest.raises(ValueError, match="read-only"):
            one.supports[0, 0] = False
    assert (again.supports == found.supports).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[1, 0]], [1, 0]), "bits of at least two resamples"),
        (([1, 0], [1, 0]), "bits of at least two resamples"),
        (([[1, 0], [1, 0]], [1]), "support must be 2 bits"),
        (([[1, 0], [1, 0]], [1, 0], ("a",)), "names must be 2, one for each feature, got 1"),
    ],
)
def test_what_is_no_stability_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        Stability(*arguments)


def test_the_whole_table_is_the_reference_and_names_are_kept():
    X, y = table()
    names = [f"f{i}" for i in range(8)]
    selector = SelectQUBO(k=3, solver=QUICK)
    found = stability(selector, pd.DataFrame(X, columns=names), y, n_resamples=5)
    assert found.support.tolist() == SelectQUBO(k=3, solver=QUICK).fit(X, y).support_.tolist()
    assert found.names == tuple(names)
    assert found.supports.shape == (5, 8)
    assert (found.supports.sum(axis=1) == 3).all()
    assert not hasattr(selector, "support_")


def test_a_resample_is_a_fit_to_its_samples_in_the_bins_of_the_whole_table():
    X, y = table()
    measures = {"importance": ImportanceInformation(bins=6), "redundancy": RedundancyInformation(bins=6)}
    selector = SelectQUBO(k=3, solver=QUICK, **measures)
    codes = bins.feature_codes(X, bins=6).values.T.astype(str).astype(object)
    for fraction in (None, 0.4):
        found = stability(selector, X, y, n_resamples=4, fraction=fraction, seed=3)
        for i, support in enumerate(found.supports):
            rng = np.random.default_rng([3, i])
            rows = rng.integers(0, 150, 150) if fraction is None else rng.choice(150, 60, replace=False)
            assert (
                support.tolist()
                == SelectQUBO(k=3, solver=QUICK, **measures).fit(codes[rows], y[rows]).support_.tolist()
            )


@pytest.mark.parametrize("fraction", [None, 0.4])
def test_the_samples_of_a_series_are_drawn_in_blocks(fraction):
    X, y = table()
    measures = {"importance": ImportanceInformation(bins=6), "redundancy": RedundancyInformation(bins=6)}
    selector = SelectQUBO(k=3, solver=QUICK, blocks=10, **measures)
    codes = bins.feature_codes(X, bins=6).values.T.astype(str).astype(object)
    found = stability(selector, X, y, n_resamples=4, fraction=fraction, seed=3)
    for i, support in enumerate(found.supports):
        rows = drawn_places(150, 10, fraction, np.random.default_rng([3, i]))
        expected = SelectQUBO(k=3, solver=QUICK, **measures).fit(codes[rows], y[rows])
        assert support.tolist() == expected.support_.tolist()


def test_slow_series_are_less_stable_than_samples_drawn_one_by_one_say():
    rng = np.random.default_rng(0)
    X = np.cumsum(rng.normal(size=(400, 8)), axis=0)
    y = X[:, :4].sum(axis=1) + rng.normal(size=400)
    alone, together = (stability(SelectQUBO(k=2, blocks=b), X, y, n_resamples=15) for b in (None, 50))
    assert together.index < alone.index


def test_the_table_is_binned_once_for_all_resamples(monkeypatch):
    cuts = []
    cut = bins.numeric_codes
    monkeypatch.setattr(bins, "even_codes", lambda *_: {})  # each feature alone
    monkeypatch.setattr(bins, "numeric_codes", lambda *args: cuts.append(1) or cut(*args))
    X, y = table()
    stability(SelectQUBO(k=3, solver=QUICK), X, y, n_resamples=6)
    assert len(cuts) == 8


def test_the_same_seed_gives_the_same_whatever_the_threads():
    X, y = table()
    selector = SelectQUBO(k=3, solver=QUICK)
    one = stability(selector, X, y, n_resamples=10, seed=1)
    again = stability(selector, X, y, n_resamples=10, seed=1, n_jobs=3)
    other = stability(selector, X, y, n_resamples=10, seed=2)
    assert (one.supports == again.supports).all()
    assert (one.supports != other.supports).any()


def test_clear_features_are_stable_and_copies_are_not():
    rng = np.random.default_rng(0)
    # Three features that make the label between them; then twelve of which any is as good as another.
    clear = rng.normal(size=(300, 12))
    y = clear[:, :3].sum(axis=1) > 0
    copies = 0.5 * y[:, None] + rng.normal(size=(300, 1)) + 0.3 * rng.normal(size=(300, 12))
    selector = SelectQUBO(k=3, importance=Correlation(), redundancy=PairCorrelation(), solver=QUICK)
    stable, unstable = (stability(selector, X, y, n_resamples=30) for X in (clear, copies))
    assert stable.interval()[0] > unstable.interval()[1]
    assert stable.frequency[:3].min() > 0.8
    assert unstable.frequency.max() < 0.8


def test_functions_of_numbers_are_computed_anew_from_each_resample():
    def pairs(X):
        seen.append(len(X))
        matrix = np.abs(np.corrcoef(X, rowvar=False))
        np.fill_diagonal(matrix, 0.0)
        return matrix

    seen = []
    X, y = table()
    selector = SelectQUBO(k=2, importance=f_classif, redundancy=pairs, solver=QUICK)
    found = stability(selector, X, y, n_resamples=4, fraction=0.5)
    assert seen == [150, 75, 75, 75, 75]
    assert (found.supports.sum(axis=1) == 2).all()


def test_resamples_are_searched_and_not_proven():
    happened = []

    class Watching:
        def __call__(self, qubo):
            happened.append("proof")
            return QUICK(qubo)

        def scout(self):
            return lambda qubo: happened.append("search") or solvers.Tabu()(qubo)

    X, y = table()
    whole = SelectQUBO(k=3, solver=Watching()).fit(X, y)
    proofs = happened.count("proof")
    happened.clear()
    found = stability(SelectQUBO(k=3, solver=Watching()), X, y, n_resamples=5)
    assert happened.count("proof") == proofs
    assert (found.support == whole.support_).all()
    proven = stability(SelectQUBO(k=3, solver=solvers.BranchAndBound()), X, y, n_resamples=5)
    assert (found.supports == proven.supports).all()


def test_samples_without_weight_are_never_drawn():
    X, y = table()
    weight = np.arange(150) % 3
    selector = SelectQUBO(k=3, solver=QUICK)
    found = stability(selector, X, y, sample_weight=weight, n_resamples=20)
    wild = X.copy()
    wild[weight == 0] = 1e6
    same = stability(selector, wild, y, sample_weight=weight, n_resamples=20)
    assert (found.supports == same.supports).all()
    assert (stability(selector, X, y, n_resamples=20).supports != found.supports).any()


def test_alpha_and_auto_give_subsets_of_varying_size():
    X, y = table(samples=60)
    for selector in (SelectQUBO(k=None, alpha=0.8, solver=QUICK), SelectQUBO(k="auto", solver=QUICK)):
        found = stability(selector, X, y, n_resamples=12)
        assert len(set(found.supports.sum(axis=1))) > 1
        assert found.index <= 1.0


def test_a_resample_in_which_nothing_passes_selects_nothing():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 60)
    X = rng.normal(size=(60, 4))
    X[:, 0] += 0.9 * y
    selector = SelectQUBO(k="fdr", fdr=0.05, solver=QUICK)
    found = stability(selector, X, y, n_resamples=12, fraction=0.4)
    sizes = found.supports.sum(axis=1)
    assert sizes.min() == 0
    assert sizes.max() > 0
    with pytest.raises(ValueError, match="no feature passes"):
        stability(selector, rng.normal(size=(60, 4)), y, n_resamples=3)


def test_a_size_off_the_path_and_too_many_features_are_said_once():
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    # One good feature or three others, but no two at any alpha.
    redundancy = np.array([[0, 1, 1, 1], [1, 0, 0.1, 0.1], [1, 0.1, 0, 0.1], [1, 0.1, 0.1, 0]])
    selector = SelectQUBO(
        k=2, importance=lambda X, y: np.array([10.0, 5, 5, 5]), redundancy=lambda X: redundancy, solver=QUICK
    )
    X = rng.normal(size=(100, 4))
    with pytest.warns(OffPathWarning):
        selector.fit(X, y)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        stability(selector, X, y, n_resamples=3)
    assert [one.category for one in said] == [OffPathWarning]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = stability(SelectQUBO(k=9, solver=QUICK), X, y, n_resamples=3)
    assert ["k=9 is greater than n_features=4" in str(one.message) for one in said] == [True]
    assert np.isnan(found.index)


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"n_resamples": 1}, ValueError, "n_resamples must be an integer of at least 2, got 1"),
        ({"n_resamples": 2.5}, ValueError, "n_resamples must be an integer of at least 2, got 2.5"),
        ({"seed": -1}, ValueError, "seed must be an integer of at least 0, got -1"),
        ({"seed": None}, ValueError, "seed must be an integer of at least 0, got None"),
        ({"fraction": 1.0}, ValueError, "fraction must be a number between 0 and 1, or None"),
        ({"fraction": 0}, ValueError, "fraction must be a number between 0 and 1, or None"),
        ({"fraction": True}, ValueError, "fraction must be a number between 0 and 1, or None"),
        (
            {"selector": SelectQUBO(k=2, solver=solvers.Tabu)},
            TypeError,
            "solver must be a value, got the class",
        ),
        ({"selector": SelectQUBO}, TypeError, "selector must be a SelectQUBO, got <class"),
    ],
)
def test_wrong_arguments_are_refused_in_words(wrong, error, words):
    X, y = table()
    with pytest.raises(error, match=words):
        stability(**{"selector": SelectQUBO(k=2), "X": X, "y": y, **wrong})


@pytest.mark.parametrize("level", [0, 1, 95, True, "0.95"])
def test_a_level_is_a_share(level):
    with pytest.raises(ValueError, match="level must be a number between 0 and 1"):
        Stability([[1, 0], [0, 1]], [1, 0]).interval(level)


def test_weights_that_are_not_whole_are_resampled_too():
    X, y = load_ionosphere(return_X_y=True)
    weights = np.random.default_rng(0).random(len(y))
    found = stability(SelectQUBO(k=2), X[:, :8], y, sample_weight=weights, n_resamples=3)
    expected = SelectQUBO(k=2).fit(X[:, :8], y, sample_weight=weights)
    assert found.support.tolist() == expected.support_.tolist()
    twice = stability(SelectQUBO(k=2), X[:, :8], y, sample_weight=2 * weights, n_resamples=3)
    np.testing.assert_array_equal(found.supports, twice.supports)
