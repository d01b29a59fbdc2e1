"""Selecting by batches: what fit selects, one search for many batches, and refusals that leave the state as it was."""

import pickle
import warnings
from collections import namedtuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from batch_oracles import tables
from quboselect import SelectQUBO
from quboselect.datasets import load_ionosphere
from quboselect.importance import Correlation
from quboselect.importance import MutualInformation as Importance
from quboselect.redundancy import Correlation as Repetition
from quboselect.redundancy import MutualInformation as Redundancy
from quboselect.streaming import JointCounts, Tally
from quboselect.streaming.batches import COUNTED, FOUND

X, Y = load_ionosphere(return_X_y=True)
BATCHES = [(X[a : a + 100], Y[a : a + 100]) for a in range(0, len(X), 100)]
FITTED = ("support_", "alpha_", "alpha_window_", "energy_", "bound_", "proven_", "on_path_", "k_")


def selector(**wishes):
    return SelectQUBO(**{"k": 5} | wishes)


def assert_same_fit(one, other):
    for name in (*FITTED, "importance_", "redundancy_", "n_features_in_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert hasattr(one, "feature_names_in_") == hasattr(other, "feature_names_in_")
    np.testing.assert_array_equal(one.get_feature_names_out(), other.get_feature_names_out())


def state(estimator):
    return dict(vars(estimator))


def measures(**wishes):
    return {"importance": Importance(**wishes), "redundancy": Redundancy(**wishes)}


@pytest.mark.filterwarnings("ignore::quboselect.OffPathWarning")
@settings(max_examples=15, deadline=None)
@given(tables(60), st.booleans(), st.booleans())
def test_batches_select_what_the_table_does(drawn, corrected, normalised):
    frame, y, pieces, _ = drawn
    wishes = measures(bins=5, corrected=corrected, normalised=normalised) | {"k": min(2, frame.shape[1])}
    whole = SelectQUBO(**wishes).fit(frame, y)
    assert_same_fit(SelectQUBO(**wishes).fit_batches(pieces), whole)
    coding = Tally.of(frame, y).coding(5)
    assert_same_fit(SelectQUBO(**wishes).fit_counts(JointCounts.over(coding, pieces)), whole)
    assert_same_fit(SelectQUBO(**wishes).partial_fit(frame, y), whole)


@pytest.mark.parametrize(
    "wishes",
    [
        {},
        {"k": 3, "include": [7], "exclude": [0, 2]},
        {"k": None, "alpha": 0.7},
        {"groups": [[4, 5], [9, 20]]},
        {"cost": {3: 0.1, 4: 0.2}},
        {"target": "classes"},
        {"categorical_features": [0, 1]},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::quboselect.OffPathWarning")
def test_every_wish_is_kept_in_batches(wishes):
    whole, parts = selector(**wishes).fit(X, Y), selector(**wishes).fit_batches(BATCHES)
    np.testing.assert_array_equal(parts.support_, whole.support_)
    assert parts.alpha_ == whole.alpha_
    left = np.isin(np.arange(34), wishes.get("exclude", []))
    np.testing.assert_array_equal(parts.importance_[~left], whole.importance_[~left])


def test_what_was_counted_is_told():
    fitted = selector().fit_batches(BATCHES)
    assert (fitted.n_samples_seen_, fitted.rank_error_) == (351, 0.0)
    assert isinstance(fitted.counts_, JointCounts)
    np.testing.assert_array_equal(fitted.transform(X), X[:, fitted.support_])


def test_a_function_of_generators_a_named_batch_and_any_iterable_will_do():
    Named = namedtuple("Named", "X y name")
    whole = selector().fit(X, Y)
    assert_same_fit(selector().fit_batches(lambda: (batch for batch in BATCHES)), whole)
    assert_same_fit(selector().fit_batches(tuple(Named(*batch, "file") for batch in BATCHES)), whole)
    named = [Named(*BATCHES[0], "a.parquet"), Named(BATCHES[1][0][:, :3], BATCHES[1][1], "b.parquet")]
    with pytest.raises(ValueError, match=r"b\.parquet has 3 features, a\.parquet has 34"):
        selector().fit_batches(named)


def test_sketches_are_used_where_values_do_not_fit_and_their_error_is_told():
    rng = np.random.default_rng(0)
    signal = rng.normal(size=(4000, 4))
    y = (signal[:, 0] + signal[:, 1] > 0).astype(int)
    pieces = [(signal[a : a + 500], y[a : a + 500]) for a in range(0, 4000, 500)]
    fitted = selector(k=2).fit_batches(pieces, exact_bytes=2**15)
    assert 0 < fitted.rank_error_ < 0.02
    assert fitted.get_support(indices=True).tolist() == [0, 1]
    np.testing.assert_allclose(fitted.importance_, Importance()(signal, y), atol=0.02)


def test_batches_without_samples_are_passed_over():
    nothing = (X[:0], Y[:0])
    frame = pd.DataFrame(X)
    for pieces in ([nothing, *BATCHES, nothing], [(frame[:0], Y[:0]), (frame, Y), ([], [])]):
        assert_same_fit(selector().fit_batches(pieces), selector().fit(X, Y))
    with pytest.raises(ValueError, match="batch 3 has 3 features, batch 2 has 34"):
        selector().fit_batches([nothing, (X, Y), (X[:, :3], Y)])


def test_what_a_fit_and_a_batch_leave_is_all_forgotten_by_the_next():
    wishes = set(selector().get_params(deep=False))
    assert vars(selector().fit(X, Y)).keys() - wishes - {"n_features_in_"} == FOUND
    parts = selector().partial_fit(*BATCHES[0])
    assert vars(parts).keys() - wishes - {"n_features_in_"} == set(COUNTED)
    assert parts.support_.sum() == 5
    assert vars(parts).keys() - wishes - {"n_features_in_"} == FOUND | set(COUNTED)
    assert vars(parts.fit(X, Y)).keys() - wishes - {"n_features_in_"} == FOUND


def test_names_are_set_as_fit_sets_them():
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(34)])
    whole, parts = selector().fit(frame, Y), selector()
    for a in (0, 100, 200, 300):
        parts.partial_fit(frame[a : a + 100], Y[a : a + 100])
    assert parts.feature_names_in_.tolist() == whole.feature_names_in_.tolist()
    assert parts.feature_names_in_.dtype == object
    assert parts.set_output(transform="pandas").transform(frame).shape == (351, 5)
    # A table without names makes them forgotten, as in fit.
    assert not hasattr(parts.fit_batches(BATCHES), "feature_names_in_")


class TestPartialFit:
    @pytest.fixture
    def searches(self, monkeypatch):
        found = []
        search = SelectQUBO._search
        monkeypatch.setattr(SelectQUBO, "_search", lambda self: found.append(1) or search(self))
        return found

    def test_many_batches_cost_one_search(self, searches):
        parts = selector()
        for batch in BATCHES:
            assert parts.partial_fit(*batch) is parts
        assert parts.n_samples_seen_ == 351
        assert parts.n_features_in_ == 34
        check_is_fitted(parts)
        assert not searches
        assert parts.support_.sum() == 5
        assert 0 < parts.alpha_ < 1
        assert len(searches) == 1
        parts.partial_fit(*BATCHES[0])
        assert parts.proven_ in (True, False)
        assert len(searches) == 2
        assert parts.n_samples_seen_ == 451

    @pytest.mark.parametrize("name", ["support_", "importance_", "path_", "solutions_", "k_", "on_path_"])
    def test_whatever_is_asked_for_first_is_there(self, name):
        parts = selector().partial_fit(*BATCHES[0])
        assert hasattr(parts, name)
        assert name in vars(parts)

    def test_an_unfitted_one_has_nothing(self):
        for name in (*FITTED, "nonsense", "counts_"):
            assert not hasattr(selector(), name)
        with pytest.raises(NotFittedError):
            check_is_fitted(selector())
        with pytest.raises(NotFittedError):
            selector().transform(X)
        with pytest.raises(AttributeError, match="'SelectQUBO' object has no attribute 'nonsense'"):
            selector().partial_fit(*BATCHES[0]).nonsense  # noqa: B018

    def test_it_can_be_pickled_before_the_search_and_after(self, searches):
        parts = selector().partial_fit(*BATCHES[0])
        before = pickle.loads(pickle.dumps(parts))
        assert not searches
        after = pickle.loads(pickle.dumps(before.partial_fit(*BATCHES[1])))
        assert_same_fit(after, parts.partial_fit(*BATCHES[1]))

    def test_a_clone_has_seen_nothing(self):
        parts = selector().partial_fit(*BATCHES[0])
        assert not hasattr(clone(parts), "counts_")
        with pytest.raises(NotFittedError):
            check_is_fitted(clone(parts))

    def test_a_later_fit_forgets_the_batches(self):
        parts = selector().partial_fit(*BATCHES[0]).partial_fit(*BATCHES[1])
        assert_same_fit(parts.fit(X, Y), selector().fit(X, Y))
        for name in ("counts_", "n_samples_seen_", "rank_error_"):
            assert not hasattr(parts, name)
        assert parts.partial_fit(*BATCHES[0]).n_samples_seen_ == 100

    def test_it_goes_on_where_fit_batches_ended(self):
        parts = selector().fit_batches(BATCHES[:3]).partial_fit(*BATCHES[3])
        assert parts.n_samples_seen_ == 351
        assert parts.support_.sum() == 5

    def test_new_labels_and_missing_values_get_codes(self):
        first = pd.DataFrame({"t": ["a", "b"] * 20, "x": np.arange(40.0), "z": np.arange(40) % 4})
        later = pd.DataFrame({"t": ["c", None] * 20, "x": [np.nan, 3.0] * 20, "z": np.arange(40) % 4})
        parts = selector(k=1).partial_fit(first, [0, 1] * 20).partial_fit(later, [2, 1] * 20)
        assert parts.counts_.coding.sizes.tolist() == [4, 21, 4]
        assert parts.counts_.coding.n_labels == 3
        both = selector(k=1).fit(pd.concat([first, later]), [0, 1] * 20 + [2, 1] * 20)
        assert parts.support_.tolist() == both.support_.tolist()
        np.testing.assert_allclose(parts.importance_[[0, 2]], both.importance_[[0, 2]])

    def test_what_the_search_has_to_say_is_said_when_it_happens(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            parts = selector(k=40).partial_fit(*BATCHES[0])
        with pytest.warns(UserWarning, match="k=40 is greater than n_features=34"):
            assert parts.support_.all()

    FRAME = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]})

    @pytest.mark.parametrize(
        ("wrong", "y", "words"),
        [
            (FRAME[["a"]], [0, 1, 0], "batch 2: .*feature names should match|batch 2: X has 1 features"),
            (FRAME.rename(columns={"b": "c"}), [0, 1, 0], "batch 2: The feature names should match"),
            (
                FRAME.assign(a="w"),
                [0, 1, 0],
                "batch 2: feature 'a' must hold numbers as it did before, got text",
            ),
            (
                FRAME.assign(a=np.inf),
                [0, 1, 0],
                "batch 2: X must not hold infinities, but feature 'a' is inf",
            ),
            (FRAME, [0, None, 1], "batch 2: y must have a value for every sample"),
            (FRAME, [0, 1], "batch 2: X and y must have the same number of samples, got 3 and 2"),
            (FRAME[:0], [0, 1], "batch 2: X has 0 sample"),
            (FRAME, ["0", "1", "0"], "batch 2: y must hold numbers as it did before, got text or categories"),
            (FRAME, [True, False, True], "batch 2: y must hold numbers as it did before, got true and false"),
            (
                FRAME,
                [0.5, 1.0, 2.0],
                "batch 2: y holds fractions, and held whole numbers before, .* with target_type='continuous', or go on",
            ),
            (FRAME, None, "requires y to be passed, but the target y is None"),
        ],
    )
    @pytest.mark.parametrize("searched", [False, True])
    def test_a_wrong_batch_is_refused_and_leaves_the_state_as_it_was(self, wrong, y, words, searched):
        parts = selector(k=1).partial_fit(self.FRAME, [0, 1, 0])
        if searched:
            assert parts.support_.sum() == 1
        before = state(parts)
        with pytest.raises(ValueError, match=words):
            parts.partial_fit(wrong, y)
        after = state(parts)
        assert before.keys() == after.keys()
        assert all(before[name] is after[name] for name in before)
        assert parts.n_samples_seen_ == 3

    def test_a_wrong_first_batch_leaves_nothing(self):
        parts = selector(k=1)
        before = state(parts)
        with pytest.raises(ValueError, match="batch 1: X must not hold infinities, but feature 'a' is inf"):
            parts.partial_fit(self.FRAME.assign(a=np.inf), [0, 1, 0])
        with pytest.raises(ValueError, match="k must be an integer from 1 to 2"):
            selector(k=0).partial_fit(self.FRAME, [0, 1, 0])
        assert state(parts) == before

    def test_other_bins_than_before_are_refused(self):
        parts = selector().partial_fit(*BATCHES[0]).set_params(**measures(bins=5))
        with pytest.raises(ValueError, match="the counts were made with 20 bins, the measures have 5"):
            parts.partial_fit(*BATCHES[1])

    @pytest.mark.parametrize(
        ("before", "after", "words"),
        [
            ({"exclude": [3]}, {"exclude": None}, "the counts leave out feature 3: name it in exclude"),
            ({}, measures(bins=5), "the counts were made with 20 bins, the measures have 5"),
            (
                {},
                {"target": "continuous"},
                "target taken for 'classes', the selector has target_type='continuous': use",
            ),
            (
                {"target": "continuous"},
                {"target": "auto"},
                "taken for 'continuous', the selector has target_type='auto', which is 'classes' here",
            ),
            (
                {},
                {"categorical_features": [4]},
                "take feature 4 for numbers, the selector takes it for categories: leave it out of",
            ),
            (
                {"categorical_features": [4]},
                {"categorical_features": "auto"},
                "take feature 4 for categories, the selector takes it for numbers: name it in",
            ),
            ({}, {"importance": Correlation()}, r"of counts only importance.MutualInformation can be made"),
            ({}, {"k": 0}, "k must be an integer from 1 to 34"),
        ],
        ids=str,
    )
    def test_what_was_changed_since_is_refused_by_the_search_and_by_the_next_batch(
        self, before, after, words
    ):
        y = (Y[0] == Y).astype(int)
        parts = selector(**before).partial_fit(X[:100], y[:100])
        made = parts.counts_
        parts.set_params(**after)
        assert not hasattr(parts, "support_")
        with pytest.raises(AttributeError, match=f"SelectQUBO has no importance_ here: .*{words}"):
            parts.importance_  # noqa: B018
        with pytest.raises((ValueError, AttributeError), match=words):
            parts.partial_fit(X[100:], y[100:])
        with pytest.raises(ValueError, match=words):
            selector(**after).fit_counts(made)
        assert parts.counts_ is made
        assert parts.set_params(**selector(**before).get_params(deep=False)).support_.sum() == 5

    def test_a_k_of_auto_afterwards_is_refused_in_the_same_words(self):
        parts = selector().partial_fit(*BATCHES[0]).set_params(k="auto")
        assert not hasattr(parts, "support_")
        with pytest.raises(
            AttributeError, match="no support_ here: k must be a number where features are selected"
        ):
            parts.transform(X)

    def test_wishes_that_change_nothing_are_no_others(self):
        frame = pd.DataFrame({"a": ["x", "y"] * 20, "b": np.arange(40.0), "c": [True, False] * 20})
        parts = selector(k=1).partial_fit(frame, [0, 1] * 20)
        for same in ({"target": "classes"}, {"categorical_features": ["a", "c"]}, {"exclude": ["b"]}):
            assert parts.set_params(**same).partial_fit(frame, [0, 1] * 20).support_.sum() == 1

    @pytest.mark.parametrize(
        ("wishes", "first", "second", "continuous"),
        [
            ({"target": "classes"}, [0, 1] * 5, [0.5, 1] * 5, False),
            ({"target": "continuous"}, [0, 1] * 5, [0.5, 1] * 5, True),
            ({}, [0.5, 1] * 5, [0, 1] * 5, True),
            ({}, [0.0, 1] * 5, [0, 1] * 5, False),
            ({}, pd.Categorical([0, 1] * 5), pd.Categorical([0.5, 1] * 5), False),
        ],
    )
    def test_fractions_and_whole_numbers_go_together_where_it_is_said_or_seen(
        self, wishes, first, second, continuous
    ):
        parts = selector(k=1, **wishes).partial_fit(X[:10], first).partial_fit(X[10:20], second)
        assert parts.counts_.coding.continuous == continuous
        assert parts.support_.sum() == 1
        if wishes:
            assert parts.counts_.coding.fractional

    def test_what_is_no_number_is_refused_by_a_continuous_target_with_its_batch(self):
        parts = selector(k=1, target_type="continuous").partial_fit(X[:2], [0, 1])
        with pytest.raises(ValueError, match="batch 2: a continuous target must be numbers"):
            parts.partial_fit(X[:2], ["a", "b"])

    def test_text_after_fractions_is_refused_though_it_reads_as_numbers(self):
        parts = selector(k=1).partial_fit(X[:2], [0.5, 1.5])
        with pytest.raises(ValueError, match="batch 2: y must hold numbers as it did before, got text"):
            parts.partial_fit(X[:2], ["0.5", "1.5"])

    def test_batches_without_samples_are_passed_over_and_counted_in_names(self):
        parts = selector().partial_fit(X[:0], Y[:0])
        with pytest.raises(NotFittedError):
            check_is_fitted(parts)
        parts.partial_fit(*BATCHES[0]).partial_fit([], [])
        assert parts.n_samples_seen_ == 100
        with pytest.raises(ValueError, match="batch 4: X has 3 features"):
            parts.partial_fit(X[:, :3], Y)
        assert_same_fit(parts, selector().partial_fit(*BATCHES[0]))

    def test_weights_are_refused(self):
        with pytest.raises(ValueError, match="samples in batches have no weights: repeat them, or use fit"):
            selector().partial_fit(X, Y, sample_weight=np.ones(351))


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        (
            {"importance": Correlation()},
            r"of counts only importance.MutualInformation can be made, got Correlation",
        ),
        (
            {"redundancy": Repetition()},
            r"of counts only redundancy.MutualInformation can be made, got Correlation",
        ),
        (
            {"importance": Importance(bins=5)},
            "must have the same bins where they are made of counts, got 5 and 20",
        ),
        ({"k": "auto"}, "k must be a number where features are selected by counts, got 'auto'"),
        ({"k": 0}, "k must be an integer from 1 to 34"),
        ({"alpha": 2}, "alpha must be a number from 0 to 1"),
        ({"exclude": "age"}, "exclude names 'age', but the table has no names"),
    ],
    ids=str,
)
def test_what_counts_cannot_tell_is_refused_before_anything_is_counted(wishes, words, monkeypatch):
    counts = selector().partial_fit(*BATCHES[0]).counts_
    monkeypatch.setattr(JointCounts, "over", lambda *_, **__: pytest.fail("it was counted"))
    wrong = selector(**wishes)
    before = state(wrong)
    for fit in (lambda: wrong.fit_batches(BATCHES), lambda: wrong.fit_counts(counts)):
        with pytest.raises(ValueError, match=words):
            fit()
    assert state(wrong) == before


def test_there_is_a_partial_fit_only_where_counts_will_do():
    assert hasattr(selector(), "partial_fit")
    for wishes in (
        {"k": "auto"},
        {"importance": Correlation()},
        measures(bins=5) | {"importance": Importance()},
    ):
        assert not hasattr(selector(**wishes), "partial_fit")
    with pytest.raises(
        AttributeError, match="SelectQUBO has no partial_fit here: k must be a number where features"
    ):
        selector(k="auto").partial_fit(X, Y)


def test_counts_that_do_not_fit_the_selector_are_refused():
    coding = Tally.of(X, Y, exclude=[3]).coding()
    counts = JointCounts.of(coding, X, Y)
    with pytest.raises(ValueError, match="the counts leave out feature 3: name it in exclude"):
        selector().fit_counts(counts)
    assert not selector(exclude=[3, 4]).fit_counts(counts).support_[[3, 4]].any()
    with pytest.raises(ValueError, match="the counts have no samples"):
        selector(exclude=[3]).fit_counts(JointCounts.over(coding, []))
    with pytest.raises(ValueError, match="the counts have no target"):
        selector().fit_counts(JointCounts.of(Tally.of(X).coding(), X))
    with pytest.raises(TypeError, match="counts must be JointCounts, got list"):
        selector().fit_counts([])


def test_wrong_batches_are_refused_and_leave_the_state_as_it_was():
    fitted = selector().fit(X, Y)
    before = state(fitted)
    for wrong, error, words in (
        (
            (batch for batch in BATCHES),
            TypeError,
            "gone through twice, which a generator cannot: give a list",
        ),
        (7, TypeError, "batches must be an iterable of"),
        ([], ValueError, "at least one batch"),
        (
            [*BATCHES, (X, Y, Y)],
            ValueError,
            r"batch 5 must be a pair \(X, y\), got 3 values: batches have no weights",
        ),
        ([*BATCHES, (X[:, :3], Y)], ValueError, "batch 5 has 3 features, batch 1 has 34"),
        (
            [*BATCHES, (X, Y[:5])],
            ValueError,
            "batch 5: X and y must have the same number of samples, got 351 and 5",
        ),
        ([*BATCHES, (X[:0], Y)], ValueError, "batch 5: X has 0 sample"),
        ([(X[:0], Y[:0]), ([], [])], ValueError, r"at least one batch \(X, y\) that has samples, got none"),
        ([*BATCHES, (X, None)], ValueError, "batch 5: this estimator requires y to be passed"),
    ):
        with pytest.raises(error, match=words):
            fitted.fit_batches(wrong)
    with pytest.raises(
        MemoryError, match=r"counts of all pairs of 34 features need 528 kB, and may take 10 B"
    ):
        fitted.fit_batches(BATCHES, max_bytes=10)
    for wrong in ("1GB", True, -1, 1e9):
        with pytest.raises(ValueError, match=r"max_bytes must be a whole number of bytes, as .*, got"):
            fitted.fit_batches(lambda: pytest.fail("it was read"), max_bytes=wrong)
    assert state(fitted).keys() == before.keys()
    assert all(before[name] is value for name, value in state(fitted).items())


def test_batches_that_change_between_the_passes_are_refused():
    passes = iter([BATCHES, BATCHES[:2]])
    with pytest.raises(
        ValueError, match="the same each time they are gone through, got 351 samples and then 200"
    ):
        selector().fit_batches(lambda: next(passes))
    frame = pd.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]})
    passes = iter([[(frame, [0, 1])], [(frame.assign(a="new"), [0, 1])]])
    with pytest.raises(ValueError, match="batch 1: feature 'a' has 'new', which the first pass did not see"):
        selector(k=1).fit_batches(lambda: next(passes))
