"""What a fit selects for: weighted classes, several targets at once, none, and times of events."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.class_weight import compute_sample_weight

import oracles
from quboselect import SelectQUBO, SelectQUBOCV, criteria, importance, redundancy
from quboselect.counting.bins import feature_codes
from quboselect.datasets import load_ionosphere
from quboselect.redundancy import MutualInformation as Redundancy
from quboselect.redundancy.rows import Rows
from quboselect.report.stability import stability
from quboselect.search.wide import selection
from quboselect.tables.survival import survival_of

CRITERIA = [criteria.Pairs(), criteria.MRMR(), criteria.JMI(), criteria.DISR(), criteria.QFS(bins=5)]
X, LABELS = load_ionosphere(return_X_y=True)
BAD, GOOD = np.unique(LABELS).tolist()
FIXED = criteria.MRMR(bins=5)  # the number of bins does not go by the weight of the samples
pytestmark = pytest.mark.filterwarnings("ignore::quboselect.errors.OffPathWarning")


def same_fit(first, second, rtol=0.0):
    np.testing.assert_allclose(first.importance_, second.importance_, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(first.redundancy_, second.redundancy_, rtol=rtol, atol=rtol)
    np.testing.assert_array_equal(first.support_, second.support_)


class TestClassWeight:
    @pytest.mark.parametrize("weight", ["balanced", {BAD: 2.5}])
    def test_it_is_the_sample_weight_of_scikit_learn(self, weight):
        weighted = SelectQUBO(k=5, class_weight=weight).fit(X, LABELS)
        same_fit(
            weighted,
            SelectQUBO(k=5).fit(X, LABELS, sample_weight=compute_sample_weight(weight, LABELS)),
            rtol=1e-9,
        )
        plain = SelectQUBO(k=5).fit(X, LABELS)
        assert np.abs(weighted.importance_ - plain.importance_).max() > 1e-3

    def test_weights_of_samples_come_on_top(self):
        given = np.random.default_rng(0).integers(0, 3, len(LABELS))
        mapping = {BAD: 3, GOOD: 2}
        both = SelectQUBO(k=5, class_weight=mapping).fit(X, LABELS, sample_weight=given)
        same_fit(
            both, SelectQUBO(k=5).fit(X, LABELS, sample_weight=given * compute_sample_weight(mapping, LABELS))
        )

    def test_whole_weights_are_still_repeats(self):
        often = np.random.default_rng(1).integers(0, 3, len(LABELS))
        balanced = SelectQUBO(k=4, class_weight="balanced", criterion=FIXED)
        weighted = clone(balanced).fit(X, LABELS, sample_weight=often)
        rows = np.repeat(np.arange(len(LABELS)), often)
        same_fit(weighted, clone(balanced).fit(X[rows], LABELS[rows]), rtol=1e-9)

    def test_a_rare_class_that_is_balanced_is_heard(self):
        # One feature tells the rare class, another splits the common one: weights decide which comes first.
        rng = np.random.default_rng(2)
        y = (np.arange(2000) % 100 == 0).astype(int) * 2
        y[(y == 0) & (rng.random(2000) < 0.5)] = 1
        table = np.column_stack([y == 2, np.where(rng.random(2000) < 0.9, y == 1, y != 1)])
        assert SelectQUBO(k=1).fit(table, y).support_.tolist() == [False, True]
        balanced = SelectQUBO(k=1, class_weight="balanced").fit(table, y)
        assert balanced.support_.tolist() == [True, False]

    def test_a_search_of_sizes_takes_it_from_its_selector(self):
        balanced = SelectQUBO(class_weight="balanced", criterion=criteria.MRMR())
        found = SelectQUBOCV(LogisticRegression(max_iter=500), k=[2, 3], selector=balanced, cv=3).fit(
            X, LABELS
        )
        weights = compute_sample_weight("balanced", LABELS)
        expected = SelectQUBO(found.k_, criterion=criteria.MRMR()).fit(X, LABELS, sample_weight=weights)
        same_fit(found.selector_, expected, rtol=1e-9)

    def test_a_number_has_no_classes(self):
        with pytest.raises(ValueError, match=r"class_weight='balanced'.*continuous"):
            SelectQUBO(class_weight="balanced").fit(X, X[:, 2])


def several():
    """Return a frame of three targets: text, numbers, and whole numbers."""
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {"label": LABELS, "number": X[:, 4] + rng.normal(size=len(X)), "sign": np.sign(X[:, 7]).astype(int)}
    )


class TestSeveralTargets:
    @pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
    def test_the_sum_adds_up_what_is_found_for_each(self, criterion):
        y = several()
        alone = [SelectQUBO(k=4, criterion=criterion).fit(X, y[name]) for name in y]
        both = SelectQUBO(k=4, criterion=criterion).fit(X, y)
        np.testing.assert_allclose(both.importance_, sum(each.importance_ for each in alone), rtol=1e-12)
        np.testing.assert_allclose(both.redundancy_, sum(each.redundancy_ for each in alone), atol=1e-12)

    @pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
    def test_a_target_twice_selects_what_it_selects_once(self, criterion):
        once = SelectQUBO(k=4, criterion=criterion).fit(X, LABELS)
        twice = SelectQUBO(k=4, criterion=criterion).fit(X, np.column_stack([LABELS, LABELS]))
        np.testing.assert_array_equal(twice.support_, once.support_)
        np.testing.assert_allclose(twice.importance_, 2 * once.importance_)

    @pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
    def test_jointly_they_are_one_target_of_tuples(self, criterion):
        y = several()[["label", "sign"]]
        tuples = [f"{label} {sign}" for label, sign in y.itertuples(index=False)]
        joint = SelectQUBO(k=4, criterion=criterion, targets="joint").fit(X, y)
        same_fit(joint, SelectQUBO(k=4, criterion=criterion).fit(X, tuples), rtol=1e-9)

    def test_what_two_targets_say_only_together_is_seen_jointly(self):
        rng = np.random.default_rng(0)
        table = rng.integers(0, 2, size=(400, 4))
        first = rng.integers(0, 2, 400)
        y = np.column_stack([first, first ^ table[:, 2]])
        assert SelectQUBO(k=1, targets="joint").fit(table, y).support_.tolist() == [False, False, True, False]
        assert SelectQUBO(k=1).fit(table, y).importance_.max() < 0.05

    def test_features_that_tell_different_targets_are_both_taken(self):
        rng = np.random.default_rng(1)
        table = rng.normal(size=(500, 6))
        y = np.column_stack([table[:, 1] > 0, table[:, 4] > 0])
        for targets in ("sum", "joint"):
            selector = SelectQUBO(k=2, targets=targets).fit(table, y)
            assert selector.get_support(indices=True).tolist() == [1, 4]

    def test_frames_of_any_library_and_arrays_are_alike(self):
        y = several()[["sign", "number"]]
        expected = SelectQUBO(k=3).fit(X, y)
        for other in (pl.DataFrame(y.to_dict("list")), y.to_numpy(), y.to_numpy().tolist()):
            same_fit(SelectQUBO(k=3).fit(X, other), expected)

    def test_weights_count_for_every_target(self):
        y, often = several(), np.random.default_rng(1).integers(0, 3, len(X))
        rows = np.repeat(np.arange(len(X)), often)
        for targets in ("sum", "joint"):
            selector = SelectQUBO(k=4, targets=targets)
            weighted = clone(selector).fit(X, y, sample_weight=often)
            same_fit(weighted, clone(selector).fit(X[rows], y.iloc[rows]), rtol=1e-9)

    def test_balanced_classes_are_those_of_scikit_learn(self):
        y = several()[["label", "sign"]]
        weighted = SelectQUBO(k=4, class_weight="balanced").fit(X, y)
        same_fit(weighted, SelectQUBO(k=4).fit(X, y, compute_sample_weight("balanced", y)), rtol=1e-9)

    def test_score_functions_and_repeated_features_are_added_up_too(self):
        y = several()[["label", "sign"]]
        table = np.column_stack([X[:, 2:9], X[:, 4]])
        both = SelectQUBO(k=3, importance=f_classif).fit(table, y)
        expected = f_classif(table, y["label"])[0] + f_classif(table, y["sign"])[0]
        np.testing.assert_allclose(both.importance_, expected)
        alone = [SelectQUBO(k=3).fit(table, y[name]).redundancy_ for name in y]
        np.testing.assert_allclose(SelectQUBO(k=3).fit(table, y).redundancy_, sum(alone), atol=1e-12)

    @pytest.mark.parametrize("criterion", [criteria.Pairs(), criteria.MRMR()], ids=repr)
    def test_wide_tables_add_up_rows(self, criterion, monkeypatch):
        monkeypatch.setattr("quboselect.search.wide.selection.WIDE", 100)
        rng = np.random.default_rng(0)
        table = rng.integers(0, 3, size=(60, 130))
        y = np.column_stack([table[:, 3] > 0, table[:, 70] > 1])
        both = SelectQUBO(k=2, criterion=criterion).fit(table, y)
        alone = [SelectQUBO(k=2, criterion=criterion).fit(table, column) for column in y.T]
        np.testing.assert_allclose(both.importance_, sum(each.importance_ for each in alone))
        np.testing.assert_allclose(both.redundancy_, sum(each.redundancy_ for each in alone), atol=1e-5)

    def test_a_stability_is_that_of_the_fit(self):
        found = stability(SelectQUBO(k=2), X[:, :8], several(), n_resamples=3)
        assert found.support.tolist() == SelectQUBO(k=2).fit(X[:, :8], several()).support_.tolist()

    @pytest.mark.parametrize(
        ("refused", "words"),
        [
            (lambda: SelectQUBO(k="auto").fit(X, several()), "k='auto'.*y has 3: give k.*targets='joint'"),
            (lambda: SelectQUBO(targets="all").fit(X, several()), "targets must be 'sum' or 'joint'.*'all'"),
            (
                lambda: SelectQUBO().fit_batches([(X, several())]),
                r"one target, got 3 columns.*pick one.*memory",
            ),
            (lambda: SelectQUBO().partial_fit(X, several()), "one target, got 3 columns.*memory"),
            (lambda: SelectQUBOCV(LogisticRegression()).fit(X, several()), "one target, got 3 columns"),
        ],
    )
    def test_what_stays_refused_says_so(self, refused, words):
        with pytest.raises(ValueError, match=words):
            refused()

    def test_a_small_number_is_found_for_joint_targets(self):
        y = several()[["label", "sign"]]
        assert 1 <= SelectQUBO(k="auto", targets="joint").fit(X[:, :8], y).k_ <= 8


class TestNoTarget:
    def test_importance_is_the_mean_of_what_a_feature_says_of_each_other(self):
        table = load_iris().data
        selector = SelectQUBO(k=2).fit(table)
        codes = [list(map(int, x)) for x in feature_codes(table).values]
        naive = [
            sum(oracles.mutual_information(codes[i], codes[j]) for j in range(4) if j != i) / 3
            for i in range(4)
        ]
        np.testing.assert_allclose(selector.importance_, naive)
        np.testing.assert_array_equal(selector.redundancy_, Redundancy()(table))

    def test_one_of_each_kind_is_taken_before_a_second_of_any_and_before_noise(self):
        rng = np.random.default_rng(0)
        causes = rng.normal(size=(500, 3))
        alike = [causes[:, [i]] + 0.1 * rng.normal(size=(500, 4)) for i in range(3)]
        table = np.hstack([*alike, rng.normal(size=(500, 4))])
        chosen = SelectQUBO(k=3).fit(table).get_support(indices=True)
        assert sorted(chosen // 4) == [0, 1, 2]

    @pytest.mark.parametrize("criterion", [one for one in CRITERIA if one != criteria.DISR()], ids=repr)
    def test_every_criterion_of_what_features_share_has_an_answer(self, criterion):
        selector = SelectQUBO(k=4, criterion=criterion).fit(X)
        bins = 5 if isinstance(criterion, criteria.QFS) else "auto"
        R = Redundancy(bins)(X)
        np.testing.assert_array_equal(selector.redundancy_, R)
        np.testing.assert_allclose(selector.importance_, R.sum(axis=1) / (len(R) - 1))
        assert selector.support_.sum() == 4

    def test_measures_that_need_no_target_are_kept(self):
        selector = SelectQUBO(k=3, importance=importance.Entropy()).fit(X)
        np.testing.assert_array_equal(selector.importance_, importance.Entropy()(X))
        correlated = SelectQUBO(k=3, redundancy=redundancy.Correlation()).fit(X)
        R = redundancy.Correlation()(X)
        np.testing.assert_allclose(correlated.importance_, R.sum(axis=1) / (len(R) - 1))

    def test_excluded_features_are_no_others(self):
        names = [f"f{i}" for i in range(8)]
        frame = pd.DataFrame(X[:, 2:10], columns=names)
        left_out = SelectQUBO(k=3, exclude=["f3"]).fit(frame)
        without = SelectQUBO(k=3).fit(frame.drop(columns="f3"))
        np.testing.assert_allclose(np.delete(left_out.importance_, 3), without.importance_)
        in_array = SelectQUBO(k=3, exclude=[3]).fit(frame.to_numpy())
        np.testing.assert_allclose(np.delete(in_array.importance_, 3), without.importance_)

    def test_frames_weights_sparse_tables_and_repeats(self):
        table, often = np.column_stack([X[:, 2:8], X[:, 4]]), np.random.default_rng(0).integers(0, 3, len(X))
        rows = np.repeat(np.arange(len(X)), often)
        weighted = SelectQUBO(k=3).fit(table, sample_weight=often)
        same_fit(weighted, SelectQUBO(k=3).fit(table[rows]), rtol=1e-9)
        same_fit(SelectQUBO(k=3).fit(csr_array(table)), SelectQUBO(k=3).fit(table))
        R = Redundancy()(table)
        np.testing.assert_allclose(SelectQUBO(k=3).fit(table).redundancy_, R)

    def test_one_feature_has_no_others(self):
        assert SelectQUBO(k=1).fit(X[:, [4]]).importance_.tolist() == [0.0]

    def test_wide_tables_have_all_their_pairs_looked_at(self):
        table = np.random.default_rng(0).integers(0, 3, size=(60, 2030))
        selector = SelectQUBO(k=2).fit(table)
        expected = selector.redundancy_.sum(axis=1, dtype=float) / 2029
        np.testing.assert_allclose(selector.importance_, expected, rtol=1e-5)

    def test_where_pairs_are_too_many_for_a_matrix_it_is_refused(self, monkeypatch):
        monkeypatch.setattr(selection, "WIDE", 20)
        rows = Rows(34, lambda features, others: np.zeros((len(features), 34), np.float32))
        monkeypatch.setattr(selection, "redundancy_rows", lambda *_: rows)
        with pytest.raises(ValueError, match=r"without a target.*34 features"):
            SelectQUBO(k=2).fit(X)

    def test_a_pipeline_needs_no_target(self):
        table = load_breast_cancer(as_frame=True).data
        pipeline = make_pipeline(SelectQUBO(k=4).set_output(transform="pandas"), KMeans(2, random_state=0))
        assert pipeline.fit(table).predict(table).shape == (569,)
        assert pipeline[0].fit_transform(table).shape == (569, 4)

    def test_the_tags_say_whether_a_target_is_needed(self):
        assert not get_tags(SelectQUBO()).target_tags.required
        assert not get_tags(SelectQUBO(importance=importance.Entropy())).target_tags.required
        assert get_tags(SelectQUBO(importance=f_classif)).target_tags.required
        assert get_tags(SelectQUBO(k="auto")).target_tags.required
        assert get_tags(SelectQUBO(criterion=criteria.DISR())).target_tags.required
        assert not get_tags(SelectQUBO(criterion=criteria.JMI())).target_tags.required
        assert get_tags(SelectQUBOCV(LogisticRegression())).target_tags.required

    def test_a_stability_is_that_of_the_fit(self):
        found = stability(SelectQUBO(k=2), X[:, :8], None, n_resamples=3)
        assert found.support.tolist() == SelectQUBO(k=2).fit(X[:, :8]).support_.tolist()

    @pytest.mark.parametrize(
        ("refused", "words"),
        [
            (lambda: SelectQUBO(k="auto").fit(X), "k='auto'.*y is None: give k"),
            (lambda: SelectQUBO(importance=f_classif).fit(X), "importance=.*f_classif.*y is None"),
            (lambda: SelectQUBO(class_weight="balanced").fit(X), "class_weight.*y is None"),
            (
                lambda: SelectQUBO(criterion=criteria.DISR()).fit(X),
                "redundancy=.*requires y.*another criterion",
            ),
            (lambda: SelectQUBO().fit_batches([(X, None)]), "y is None"),
            (lambda: SelectQUBOCV(LogisticRegression()).fit(X, None), "requires y"),
        ],
    )
    def test_what_stays_refused_says_so(self, refused, words):
        with pytest.raises(ValueError, match=words):
            refused()


def waited(n=600, seed=0):
    """Return a table of which feature 1 tells the time of an event, feature 3 that of being lost, and the times."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n, 5))
    time, lost = np.exp(table[:, 1] + 0.3 * rng.normal(size=n)), np.exp(0.5 + rng.normal(size=n))
    y = np.zeros(n, [("event", bool), ("time", float)])
    y["event"], y["time"] = time <= lost, np.minimum(time, lost)
    return table, y


class TestSurvival:
    def test_a_fit_is_that_of_the_times_with_the_weights(self):
        table, y = waited()
        weights = survival_of(y).weights()
        assert 100 < (weights == 0).sum() < 400
        expected = SelectQUBO(k=2, target_type="continuous").fit(table, y["time"], sample_weight=weights)
        same_fit(SelectQUBO(k=2).fit(table, y), expected)
        frame = pd.DataFrame({"time": y["time"], "event": y["event"]})
        same_fit(SelectQUBO(k=2).fit(table, frame), expected)
        assert expected.support_[1]

    def test_few_times_are_numbers_too(self):
        table, y = waited()
        y["time"] = np.ceil(y["time"])
        y["time"] = np.minimum(y["time"], 9)
        times = SelectQUBO(k=2, target_type="continuous")
        expected = times.fit(table, y["time"], sample_weight=survival_of(y).weights())
        same_fit(SelectQUBO(k=2).fit(table, y), expected)

    def test_weights_of_samples_count(self):
        table, y = waited()
        often = np.random.default_rng(0).integers(0, 3, len(y))
        rows = np.repeat(np.arange(len(y)), often)
        weighted = SelectQUBO(k=2, criterion=FIXED).fit(table, y, sample_weight=often)
        same_fit(weighted, SelectQUBO(k=2, criterion=FIXED).fit(table[rows], y[rows]), rtol=1e-9)

    def test_it_goes_through_resamples_and_a_small_number(self):
        table, y = waited()
        assert SelectQUBO(k="auto").fit(table, y).support_[1]
        assert stability(SelectQUBO(k=1), table, y, n_resamples=4).frequency[1] == 1.0

    @pytest.mark.parametrize(
        ("refused", "words"),
        [
            (lambda X, y: SelectQUBO(target_type="classes").fit(X, y), "target_type.*'classes'"),
            (lambda X, y: SelectQUBO(class_weight="balanced").fit(X, y), "class_weight.*continuous"),
            (
                lambda X, y: SelectQUBO().fit_batches([(X, y)]),
                "one target, got the fields event, time.*memory",
            ),
            (lambda X, y: SelectQUBOCV(LogisticRegression()).fit(X, y), "got the fields event, time"),
        ],
    )
    def test_what_stays_refused_says_so(self, refused, words):
        with pytest.raises(ValueError, match=words):
            refused(*waited(60))
