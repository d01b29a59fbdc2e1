"""SelectQUBOCV: every k scored as if fitted anew in each fold, scikit-learn's conventions, and errors in words."""

import pickle
import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csc_array
from sklearn import __version__ as sklearn_version
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, LeaveOneGroupOut, StratifiedKFold
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

import path_oracles
from quboselect import SelectQUBO, solvers
from quboselect.counting import bins
from quboselect.criteria import JMI, MRMR, Criterion, Pairs
from quboselect.datasets import load_ionosphere
from quboselect.errors import OffPathWarning
from quboselect.evaluation import trial
from quboselect.evaluation.cross_validation import SelectQUBOCV
from quboselect.importance import Correlation
from quboselect.redundancy import Correlation as PairCorrelation

QUICK = solvers.Portfolio(effort=0.01, n_jobs=1)
PLAIN = SelectQUBO(solver=QUICK)
PATH = SelectQUBO.paper(solver=QUICK)
ONE = (Pairs(),)
# Before 1.9 a scorer that was not told about weights is not asked.
SCORERS_REQUEST = parse_version(sklearn_version) >= parse_version("1.9")
NUMERIC, OTHER = make_column_selector(dtype_include="number"), make_column_selector(dtype_exclude="number")


def table(samples=90, features=7, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, samples)
    return rng.normal(size=(samples, features)) + y[:, None] * np.linspace(0, 1.5, features), y


def mixed(samples=120, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, samples)
    frame = pd.DataFrame(
        {
            "age": rng.normal(size=samples) + y,
            "city": np.where(rng.random(samples) < 0.3, "Bonn", np.where(y == 1, "Rome", "Oslo")),
            "pay": rng.normal(size=samples) - y,
            "noise": rng.normal(size=samples),
            "word": rng.choice(["a", "b", "c"], samples),
        }
    )
    frame.loc[frame.index % 7 == 0, "age"] = np.nan
    frame.loc[frame.index % 11 == 0, "city"] = None
    frame.index = frame.index + 1000
    return frame, np.where(y, "yes", "no")


def mixed_model(numeric=NUMERIC, other=OTHER):
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    encoded = make_column_transformer((numbers, numeric), (OneHotEncoder(handle_unknown="ignore"), other))
    return make_pipeline(encoded, LogisticRegression())


@pytest.mark.filterwarnings("ignore:k must lie from 1 to 1 for this table")
@parametrize_with_checks([SelectQUBOCV(BernoulliNB(), k=range(1, 3), cv=2, selector=PLAIN)])
def test_it_is_a_scikit_learn_selector(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OffPathWarning)
        check(estimator)


@pytest.mark.filterwarnings("ignore::quboselect.errors.OffPathWarning")
@pytest.mark.parametrize("scoring", [None, "neg_log_loss"])
def test_every_k_is_scored_as_if_fitted_anew_in_each_fold(scoring):
    X, y = table()
    wishes = SelectQUBO(solver=QUICK, include=[0], exclude=[5], groups=[[1, 2]], cost={3: 0.01})
    found = SelectQUBOCV(GaussianNB(), k=[4, 1, 2, 2, 3], selector=wishes, cv=3, scoring=scoring).fit(X, y)
    assert found.cv_results_["k"].tolist() == [1, 2, 3, 4]
    assert found.n_splits_ == 3
    score = get_scorer(scoring or "accuracy")
    table_of_scores = []
    for i, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        for j, k in enumerate([1, 2, 3, 4]):
            selector = clone(wishes).set_params(k=k).fit(X[train], y[train])
            assert found.cv_results_[f"split{i}_support"][j].tolist() == selector.support_.tolist()
            start, stop = selector.alpha_window_
            assert start - 1e-9 <= found.cv_results_[f"split{i}_alpha"][j] <= stop + 1e-9
            model = GaussianNB().fit(selector.transform(X[train]), y[train])
            expected = score(model, selector.transform(X[test]), y[test])
            assert found.cv_results_[f"split{i}_test_score"][j] == pytest.approx(expected, abs=1e-12)
            table_of_scores.append(expected)
    scores = np.reshape(table_of_scores, (3, 4))
    assert found.cv_results_["mean_test_score"] == pytest.approx(scores.mean(axis=0))
    assert found.cv_results_["std_test_score"] == pytest.approx(scores.std(axis=0))
    assert found.cv_results_["rank_test_score"].min() == 1
    assert found.k_ == 1 + found.cv_results_["rank_test_score"].argmin()
    whole = clone(wishes).set_params(k=found.k_).fit(X, y)
    assert found.support_.tolist() == whole.support_.tolist()
    assert found.selector_.k == found.k_
    assert found.selector_.proven_ == whole.proven_


def test_each_training_part_is_binned_and_its_path_explored_once(monkeypatch):
    X, y = table()
    cuts, paths = [], []
    cut, explore = bins.numeric_codes, trial.alpha_path

    def counted(*args, **options):
        path = explore(*args, **options)
        paths.append(path)
        return path

    monkeypatch.setattr(bins, "even_codes", lambda *_: {})  # each feature alone
    monkeypatch.setattr(bins, "numeric_codes", lambda x, *rest: cuts.append(len(x)) or cut(x, *rest))
    monkeypatch.setattr(trial, "alpha_path", counted)
    SelectQUBOCV(GaussianNB(), selector=PATH, cv=3).fit(X, y)
    assert sorted(cuts) == [60] * 21 + [90] * 7
    assert len(paths) == 3


def test_a_path_is_not_explored_beyond_what_is_asked(monkeypatch):
    X, y = table(120, 40)
    paths, explore = [], trial.alpha_path
    monkeypatch.setattr(
        trial, "alpha_path", lambda *args, **options: paths.append(explore(*args, **options)) or paths[-1]
    )
    SelectQUBOCV(GaussianNB(), k=[2, 3], selector=PATH, cv=2).fit(X, y)
    few = max(path.solves for path in paths)
    paths.clear()
    SelectQUBOCV(GaussianNB(), k=range(1, 41), selector=PATH, cv=2).fit(X, y)
    assert few < min(path.solves for path in paths) / 2


def test_folds_are_searched_and_only_the_last_selection_is_proven():
    happened = []

    class Watching:
        def __call__(self, qubo):
            happened.append("proof")
            return QUICK(qubo)

        def scout(self):
            return lambda qubo: happened.append("search") or solvers.Tabu()(qubo)

    class Model(GaussianNB):
        def fit(self, X, y):
            happened.append("fit")
            return super().fit(X, y)

    X, y = table()
    found = SelectQUBOCV(Model(), k=[3], selector=SelectQUBO.paper(solver=Watching()), cv=3).fit(X, y)
    assert found.selector_.proven_
    assert happened.count("fit") == 3
    last = len(happened) - happened[::-1].index("fit")
    assert set(happened[:last]) == {"search", "fit"}
    assert "proof" in happened[last:]


def made(scores, criteria=ONE):
    """Return results of given scores, one row for each fold, of k = 2, 4, 6, ... by each criterion, and the folds."""
    outcomes = [trial.Outcome(list(row), [0.5] * len(row), [np.ones(3, bool)] * len(row)) for row in scores]
    tried = [SelectQUBO(criterion=one) for one in criteria]
    sizes = [2 * (j + 1) for j in range(len(scores[0]) // len(tried))]
    return trial.layout(tried, sizes, outcomes), len(outcomes)


def taken(results, n_splits, rule):
    """Return the number of features that a rule takes."""
    return results["k"][trial.best_candidate(results, n_splits, rule)]


def test_best_is_the_highest_mean_and_the_smallest_k_of_a_tie():
    # The same scores in other folds: their means are equal, whatever rounding would say.
    a, b, c = 0.1, 0.7, 0.2
    results, n_splits = made([[0.1, a, b], [0.1, b, c], [0.1, c, a]])
    assert taken(results, n_splits, "best") == 4
    assert results["rank_test_score"].tolist() == [3, 1, 1]
    assert results["mean_test_score"][1] == results["mean_test_score"][2]


def test_one_standard_error_takes_the_smallest_k_within_it():
    scores = np.array([[0.70, 0.77, 0.86, 0.90], [0.75, 0.85, 0.88, 0.80], [0.70, 0.90, 0.84, 0.94]])
    error, narrow = (np.std(scores[:, 3], ddof=ddof) / np.sqrt(3) for ddof in (1, 0))
    mean = scores.mean(axis=0)
    # That of the mean of a sample, of which three folds have two degrees of freedom: the other is too narrow for 4.
    assert mean[0] < mean[3] - error < mean[1] < mean[3] - narrow < mean[3]
    assert taken(*made(scores.tolist()), "one-standard-error") == 4
    assert taken(*made(scores.tolist()), "best") == 8
    # None at all, as with all folds scoring alike, is too little for 4.
    closer = scores.copy()
    closer[:, 3] = 0.88
    assert taken(*made(closer.tolist()), "one-standard-error") == 8


def test_of_several_criteria_the_smallest_k_of_a_tie_is_taken_and_of_these_the_first():
    tried = (Pairs(), MRMR(), JMI())
    results, n_splits = made([[0.5, 0.9, 0.8, 0.9, 0.9, 0.9]] * 2, tried)
    assert results["k"].tolist() == [2, 4] * 3
    assert results["criterion"].tolist() == [one for one in tried for _ in range(2)]
    assert trial.best_candidate(results, n_splits, "best") == 4  # k=2 by the third, and not k=4 by the first
    assert trial.best_candidate(*made([[0.5, 0.9, 0.5, 0.9, 0.5, 0.9]] * 2, tried), "best") == 1


def test_one_standard_error_takes_the_smallest_k_of_any_criterion_and_the_first_criterion_of_that_k():
    # The best is k=4 by the second, 0.9 with an error of 0.05; k=2 is within it by the second and by the
    # third, which is better there but less simple.
    scores = [[0.70, 0.80, 0.84, 0.85, 0.85, 0.80], [0.70, 0.80, 0.88, 0.95, 0.91, 0.80]]
    results, n_splits = made(scores, (Pairs(), MRMR(), JMI()))
    assert trial.standard_error(results, 3, n_splits) == pytest.approx(0.05)
    chosen = trial.best_candidate(results, n_splits, "one-standard-error")
    assert (chosen, results["k"][chosen], results["criterion"][chosen]) == (2, 2, MRMR())
    words = trial.choice_words(results, chosen, n_splits, "one-standard-error")
    assert words.startswith(
        f"k=2 by {MRMR()!r}: 0.8600 +- 0.0200; within one standard error of the best, k=4 by {MRMR()!r}: 0.9000 "
    )
    assert words.endswith(
        f"-0.0200 against the best of another criterion, k=2 by {JMI()!r}: 0.8800 +- 0.0300"
    )
    best = trial.choice_words(results, 3, n_splits, "best")
    assert best == (
        f"k=4 by {MRMR()!r}: 0.9000 +- 0.0500; +0.0200 against the best of another criterion, "
        f"k=2 by {JMI()!r}: 0.8800 +- 0.0300"
    )


def test_one_criterion_and_one_fold_have_no_other_and_no_error():
    results, n_splits = made([[0.5, 0.75]])
    assert trial.choice_words(results, 1, n_splits, "best") == f"k=4 by {Pairs()!r}: 0.7500"


def test_scores_that_are_no_numbers_come_last():
    results, n_splits = made([[np.nan, 0.5, 0.4], [0.9, 0.5, 0.4]])
    assert results["rank_test_score"].tolist() == [3, 1, 2]
    for rule in trial.RULES:
        assert taken(results, n_splits, rule) == 4
    other = made([[np.nan, 0.5, np.nan, 0.4]] * 2, (Pairs(), MRMR()))
    assert "nan" not in trial.choice_words(other[0], 1, 2, "best")
    with pytest.raises(ValueError, match=r"not a number \(NaN\) for every k"):
        taken(*made([[np.nan], [0.3]]), "best")


def test_the_rule_decides_the_selection():
    X, y = table(150, 8, seed=1)
    best, sparing = (SelectQUBOCV(GaussianNB(), selector=PLAIN, rule=rule).fit(X, y) for rule in trial.RULES)
    assert sparing.k_ < best.k_
    assert sparing.support_.sum() == sparing.k_ == sparing.selector_.k_
    assert (sparing.cv_results_["mean_test_score"] == best.cv_results_["mean_test_score"]).all()


def test_criteria_and_bins_are_tried_with_every_k():
    X, y = table(150, 8, seed=1)
    tried = [Pairs(), JMI()]
    found = SelectQUBOCV(GaussianNB(), k=[2, 4], criterion=tried, bins=["auto", 4], cv=3).fit(X, y)
    expected = [Pairs(), Pairs(bins=4), JMI(), JMI(bins=4)]
    assert found.cv_results_["criterion"].tolist() == [one for one in expected for _ in range(2)]
    assert found.cv_results_["k"].tolist() == [2, 4] * 4
    for i, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        for j, (criterion, k) in enumerate((one, k) for one in expected for k in (2, 4)):
            selector = SelectQUBO(k=k, criterion=criterion).fit(X[train], y[train])
            assert found.cv_results_[f"split{i}_support"][j].tolist() == selector.support_.tolist()
            assert found.cv_results_[f"split{i}_alpha"][j] == selector.alpha_
            model = GaussianNB().fit(selector.transform(X[train]), y[train])
            score = model.score(selector.transform(X[test]), y[test])
            assert found.cv_results_[f"split{i}_test_score"][j] == score
    chosen = trial.best_candidate(found.cv_results_, 3, "best")
    assert found.criterion_ == found.cv_results_["criterion"][chosen] == found.selector_.criterion
    assert found.k_ == found.cv_results_["k"][chosen]
    assert found.choice_.startswith(f"k={found.k_} by {found.criterion_!r}: ")
    whole = SelectQUBO(k=found.k_, criterion=found.criterion_).fit(X, y)
    assert found.support_.tolist() == whole.support_.tolist()
    assert found.selector_.proven_


def test_what_is_tried_where_nothing_is_said():
    X, y = table(60, 3)
    found = SelectQUBOCV(GaussianNB(), k=[1], cv=2).fit(X, y)
    assert found.cv_results_["criterion"].tolist() == [Pairs(), MRMR(), JMI()]
    assert found.criterion_ == Pairs()  # one feature is the most important one by each
    found = SelectQUBOCV(GaussianNB(), k=[1], criterion=JMI(), cv=2).fit(X, y)
    assert found.cv_results_["criterion"].tolist() == [JMI()]
    found = SelectQUBOCV(GaussianNB(), k=[1], selector=PLAIN, bins=[3, 4], cv=2).fit(X, y)
    assert found.cv_results_["criterion"].tolist() == [Pairs(bins=3), Pairs(bins=4)]
    named = SelectQUBOCV(GaussianNB(), k=[1], selector=SelectQUBO(criterion=MRMR()), cv=2).fit(X, y)
    assert named.criterion_ == MRMR()


def test_measures_that_are_given_keep_their_path_whatever_bins_are_tried():
    X, y = table()
    own = SelectQUBO(solver=QUICK, importance=Correlation())
    found = SelectQUBOCV(GaussianNB(), k=[3], selector=own, bins=[3, 4], cv=2).fit(X, y)
    assert [one.alpha(3) for one in found.cv_results_["criterion"]] == [None, None]
    assert [one.redundancy.bins for one in found.cv_results_["criterion"]] == [3, 4]
    assert found.selector_.path_ is not None


def test_a_subset_that_two_criteria_select_is_scored_once():
    fits = []

    class Model(GaussianNB):
        def fit(self, X, y):
            fits.append(X.shape)
            return super().fit(X, y)

    X, y = table(120, 5)
    # One feature is the most important one by every criterion, and five are all.
    found = SelectQUBOCV(Model(), k=[1, 5], criterion=[Pairs(), MRMR(), JMI()], cv=3).fit(X, y)
    assert fits == [(80, 1), (80, 5)] * 3
    for i in range(3):
        scores = found.cv_results_[f"split{i}_test_score"].reshape(3, 2)
        assert (scores == scores[0]).all()
    assert found.criterion_ == Pairs()


def test_a_training_part_is_cut_once_for_criteria_of_the_same_bins(monkeypatch):
    X, y = table()
    cuts, cut = [], bins.numeric_codes
    monkeypatch.setattr(bins, "even_codes", lambda *_: {})  # each feature alone
    monkeypatch.setattr(bins, "numeric_codes", lambda x, *rest: cuts.append(len(x)) or cut(x, *rest))
    SelectQUBOCV(GaussianNB(), k=[2], criterion=[Pairs(bins=3), MRMR(bins=3), JMI(bins=3)], cv=3).fit(X, y)
    assert sorted(cuts) == [60] * 21 + [90] * 7


def test_a_criterion_may_be_a_tuple_of_names():
    class Mine(NamedTuple):
        importance: Any
        redundancy: Any
        alpha: Any

    own = Mine(Correlation(), PairCorrelation(), lambda k: 0.5)
    X, y = table()
    for given in (own, [own]):
        found = SelectQUBOCV(GaussianNB(), k=[1, 2], criterion=given, cv=2).fit(X, y)
        assert found.cv_results_["criterion"][0] is found.criterion_ is own


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow", "batch"])
def test_a_frame_of_any_types_reaches_the_model_as_it_is(library):
    frame, y = mixed()
    seen = []

    class Seeing(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            seen.append(type(X).__module__.partition(".")[0])
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.repeat(self.classes_[:1], len(X))

    X = {
        "pandas": lambda: frame,
        "polars": lambda: pl.from_pandas(frame),
        "arrow": lambda: pa.Table.from_pandas(frame, preserve_index=False),
        "batch": lambda: pa.RecordBatch.from_pandas(frame, preserve_index=False),
    }[library]()
    found = SelectQUBOCV(Seeing(), k=[1, 3], selector=PLAIN, cv=2).fit(X, y)
    assert set(seen) == {{"arrow": "pyarrow", "batch": "pyarrow"}.get(library, library)}
    assert found.feature_names_in_.tolist() == list(frame.columns)
    assert found.n_features_in_ == 5
    assert found.k_ == 1


def test_a_pipeline_that_chooses_by_type_takes_a_mixed_frame_with_missing_values():
    frame, y = mixed()
    found = SelectQUBOCV(mixed_model(), selector=PLAIN, cv=3).fit(frame, y)
    assert found.cv_results_["k"].tolist() == [1, 2, 3, 4, 5]
    assert found.cv_results_["mean_test_score"].max() > 0.75
    assert "city" in found.get_feature_names_out()
    taken = found.set_output(transform="pandas").transform(frame)
    assert taken.dtypes.tolist() == frame.dtypes[found.support_].tolist()
    # scikit-learn's own selector of features by type knows pandas only.
    model = mixed_model(
        lambda X: [name for name in X.columns if X[name].dtype.is_numeric()],
        lambda X: [name for name in X.columns if not X[name].dtype.is_numeric()],
    )
    plain = pl.from_pandas(frame)
    again = SelectQUBOCV(model, selector=PLAIN, cv=3).fit(plain, pl.Series(y))
    assert again.cv_results_["mean_test_score"] == pytest.approx(found.cv_results_["mean_test_score"])
    assert make_pipeline(again.set_output(transform="polars"), model).fit(plain, y).score(plain, y) > 0.75


def test_a_sparse_table_gives_what_a_dense_one_does():
    X, y = table()
    X = np.where(X > 1, np.round(X), 0.0)
    dense, sparse = (
        SelectQUBOCV(MultinomialNB(), selector=PLAIN, cv=3).fit(one, y) for one in (X, csc_array(X))
    )
    assert (dense.cv_results_["mean_test_score"] == sparse.cv_results_["mean_test_score"]).all()
    assert (dense.support_ == sparse.support_).all()


def test_regression_and_a_target_of_numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    y = X[:, 1] - X[:, 4] + rng.normal(size=400)
    found = SelectQUBOCV(LinearRegression(), selector=PLAIN, cv=KFold(3, shuffle=True, random_state=0)).fit(
        X, y
    )
    assert found.support_[[1, 4]].all()
    sparing = SelectQUBOCV(LinearRegression(), selector=PLAIN, rule="one-standard-error").fit(X, y)
    assert sparing.get_support(indices=True).tolist() == [1, 4]


def test_the_result_does_not_depend_on_the_number_of_jobs():
    X, y = table()
    one, two = (
        SelectQUBOCV(GaussianNB(), k=[2, 4], selector=PLAIN, cv=3, n_jobs=n_jobs).fit(X, y)
        for n_jobs in (None, 2)
    )
    assert one.cv_results_.keys() == two.cv_results_.keys()
    for name, values in one.cv_results_.items():
        assert (values == two.cv_results_[name]).all()
    assert (one.support_ == two.support_).all()


class Weighing(GaussianNB):
    """A model that keeps what weights its fits were given."""

    given = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        self.given.append(sample_weight)
        return super().fit(X, y, sample_weight)


def test_weights_go_to_the_selector_and_to_the_model():
    X, y = table()
    weight = np.arange(90) % 4
    cv = list(StratifiedKFold(3).split(X, y))
    Weighing.given.clear()
    found = SelectQUBOCV(Weighing(), k=[2, 3], selector=PLAIN, cv=cv).fit(X, y, sample_weight=list(weight))
    for i, (train, test) in enumerate(cv):
        some, tested = train[weight[train] > 0], test[weight[test] > 0]
        for j, k in enumerate([2, 3]):
            assert Weighing.given[2 * i + j].tolist() == weight[some].tolist()
            selector = SelectQUBO(k=k, solver=QUICK).fit(X[train], y[train], weight[train])
            assert found.cv_results_[f"split{i}_support"][j].tolist() == selector.support_.tolist()
            model = GaussianNB().fit(selector.transform(X[some]), y[some], weight[some])
            score = model.score(selector.transform(X[tested]), y[tested])
            assert found.cv_results_[f"split{i}_test_score"][j] == score
    whole = SelectQUBO(k=found.k_, solver=QUICK).fit(X, y, weight)
    assert found.support_.tolist() == whole.support_.tolist()
    # A model without weights is fitted without them.
    SelectQUBOCV(KNeighborsClassifier(), k=[2], selector=PLAIN, cv=cv).fit(X, y, sample_weight=weight)


def test_the_weights_of_a_test_part_have_no_say_in_its_training_part():
    X, y = table()
    rng = np.random.default_rng(0)
    weight = np.exp(rng.normal(size=90)) * (rng.random(90) < 0.9)
    for train, test in StratifiedKFold(3).split(X, y):
        some, tested = train[weight[train] > 0], test[weight[test] > 0]
        louder = weight.copy()
        louder[test] *= 1000
        one, other = (
            SelectQUBOCV(GaussianNB(), k=[1, 2, 4], selector=PLAIN, cv=[(train, test)])
            .fit(X, y, sample_weight=given)
            .cv_results_
            for given in (weight, louder)
        )
        for j, k in enumerate([1, 2, 4]):
            selector = SelectQUBO(k=k, solver=QUICK).fit(X[train], y[train], weight[train])
            model = GaussianNB().fit(selector.transform(X[some]), y[some], weight[some])
            score = model.score(selector.transform(X[tested]), y[tested])
            for results in (one, other):
                assert results["split0_support"][j].tolist() == selector.support_.tolist()
                assert results["split0_alpha"][j] == selector.alpha_
                assert results["split0_test_score"][j] == score


def test_groups_go_to_the_splitter():
    X, y = table()
    groups = np.repeat(["a", "b", "c"], 30)
    found = SelectQUBOCV(GaussianNB(), k=[2, 3], selector=PLAIN, cv=LeaveOneGroupOut()).fit(
        X, y, groups=groups
    )
    parts = list(LeaveOneGroupOut().split(X, y, groups))
    same = SelectQUBOCV(GaussianNB(), k=[2, 3], selector=PLAIN, cv=parts).fit(X, y)
    assert found.n_splits_ == 3
    assert (found.cv_results_["mean_test_score"] == same.cv_results_["mean_test_score"]).all()


def test_metadata_are_routed_to_those_who_ask():
    X, y = table()
    weight, groups = 1 + np.arange(90) % 3, np.arange(90) % 10
    arguments = {"k": [2, 3], "selector": PLAIN, "cv": GroupKFold(3)}
    plain = SelectQUBOCV(Weighing(), **arguments).fit(X, y, sample_weight=weight, groups=groups)
    with config_context(enable_metadata_routing=True):
        Weighing.given.clear()
        model = Weighing().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        routed = SelectQUBOCV(model, **arguments).fit(X, y, sample_weight=weight, groups=groups)
        assert all(given is not None for given in Weighing.given)
        Weighing.given.clear()
        model = Weighing().set_fit_request(sample_weight=False).set_score_request(sample_weight=False)
        SelectQUBOCV(model, **arguments).fit(X, y, sample_weight=weight, groups=groups)
        assert all(given is None for given in Weighing.given)
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            SelectQUBOCV(Weighing(), **arguments).fit(X, y, sample_weight=weight, groups=groups)
        # Through a pipeline in a search, where the groups serve both kinds of folds.
        Weighing.given.clear()
        inner = SelectQUBOCV(model, **arguments).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(inner, Weighing().set_fit_request(sample_weight=True))
        unweighted = get_scorer("accuracy").set_score_request(sample_weight=False)
        search = GridSearchCV(
            pipeline, {"selectqubocv__rule": list(trial.RULES)}, scoring=unweighted, cv=GroupKFold(2)
        )
        search.fit(X, y, sample_weight=weight, groups=groups)
        assert sum(given is not None for given in Weighing.given) == 2 * 2 + 1
    for name, values in plain.cv_results_.items():
        assert (values == routed.cv_results_[name]).all()


@pytest.mark.parametrize("own", [True, False], ids=["the model's score", "a scorer"])
def test_weights_of_the_test_part_are_routed_to_a_score_that_asks(own):
    X, y = table()
    weight = np.exp(np.random.default_rng(0).normal(size=90)) * (np.arange(90) % 9 > 0)
    cv = list(StratifiedKFold(3).split(X, y))
    with config_context(enable_metadata_routing=True):
        model, scoring = GaussianNB().set_fit_request(sample_weight=False), None
        if own:
            model.set_score_request(sample_weight=True)
        else:
            scoring = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        arguments = {"k": [2, 3], "selector": PLAIN, "cv": cv}
        found = SelectQUBOCV(model, scoring=scoring, **arguments).fit(X, y, sample_weight=weight)
        if SCORERS_REQUEST:
            unset = make_scorer(accuracy_score)
            with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
                SelectQUBOCV(model, scoring=unset, **arguments).fit(X, y, sample_weight=weight)
    for i, (train, test) in enumerate(cv):
        for j in range(2):
            support, some = found.cv_results_[f"split{i}_support"][j], train[weight[train] > 0]
            model = GaussianNB().fit(X[some][:, support], y[some])
            right = model.predict(X[test][:, support]) == y[test]
            expected = np.average(right, weights=weight[test])
            assert found.cv_results_[f"split{i}_test_score"][j] == pytest.approx(expected, abs=1e-12)
            assert expected != np.mean(right[weight[test] > 0])


@pytest.mark.parametrize("routing", [False, True])
def test_folds_may_come_from_a_generator(routing):
    X, y = table()
    weight = 1 + np.arange(90) % 3
    with config_context(enable_metadata_routing=routing):
        model = GaussianNB()
        if routing:
            model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        found, same = (
            SelectQUBOCV(model, k=[2, 3], selector=PLAIN, cv=cv).fit(X, y, sample_weight=weight)
            for cv in (StratifiedKFold(3).split(X, y), 3)
        )
    assert found.n_splits_ == 3
    assert (found.cv_results_["mean_test_score"] == same.cv_results_["mean_test_score"]).all()


def test_a_pipeline_with_the_model_after_it_survives_cloning_and_pickling():
    X, y = table()
    pipeline = make_pipeline(SelectQUBOCV(GaussianNB(), k=[2, 4], selector=PLAIN, cv=3), GaussianNB())
    fitted = pickle.loads(pickle.dumps(clone(pipeline).fit(X, y)))
    assert fitted[0].transform(X).shape == (90, fitted[0].k_)
    assert fitted.score(X, y) > 0.8
    search = GridSearchCV(pipeline, {"selectqubocv__selector__exclude": [None, [6]]}, cv=2).fit(X, y)
    assert search.best_params_ == {"selectqubocv__selector__exclude": None}


def test_input_tags_are_those_of_both():
    def tags(model, selector=None):
        return get_tags(SelectQUBOCV(model, selector=selector)).input_tags

    own = get_tags(SelectQUBO()).input_tags
    assert not tags(LogisticRegression()).allow_nan
    assert tags(LogisticRegression()).sparse
    assert not tags(GaussianNB()).sparse
    assert tags(MultinomialNB()).positive_only
    for model in (make_pipeline(SimpleImputer(), GaussianNB()), mixed_model()):
        assert tags(model).allow_nan
        assert not tags(model, SelectQUBO(redundancy=lambda X: np.corrcoef(X.T))).allow_nan
    assert tags(mixed_model()).categorical == tags(mixed_model()).string == own.categorical
    assert not tags(LogisticRegression()).string


def test_missing_values_that_a_model_fills_in_pass_the_selector():
    X, y = table()
    X[::7, 6] = np.nan
    found = SelectQUBOCV(make_pipeline(SimpleImputer(), GaussianNB()), k=[3], selector=PLAIN, cv=3).fit(X, y)
    assert np.isnan(found.transform(X)).any() == found.support_[6]
    with pytest.raises(ValueError, match="Input X contains NaN"):
        SelectQUBOCV(GaussianNB(), k=[7], selector=PLAIN, cv=3).fit(X, y)


def test_a_size_off_the_path_is_said_once():
    tradeoff = path_oracles.never_size_two()
    selector = SelectQUBO(
        importance=lambda X, y: tradeoff.importance, redundancy=lambda X: tradeoff.redundancy, solver=QUICK
    )
    X, y = table(60, tradeoff.size)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = SelectQUBOCV(GaussianNB(), k=[2], selector=selector, cv=3).fit(X, y)
    assert [one.category for one in said] == [OffPathWarning]
    assert said[0].filename == __file__
    assert found.k_ == 2
    assert found.cv_results_["split0_support"].sum() == 2


def test_sizes_that_a_table_cannot_give_become_the_nearest():
    X, y = table()
    arguments = {"cv": 2, "selector": SelectQUBO(solver=QUICK, include=[0, 1], exclude=[5])}
    with pytest.warns(
        UserWarning, match="k must lie from 2 to 6 for this table, got 40: the nearest is tried"
    ):
        found = SelectQUBOCV(GaussianNB(), k=np.array([3, 40]), **arguments).fit(X, y)
    assert found.cv_results_["k"].tolist() == [3, 6]
    found = SelectQUBOCV(GaussianNB(), **arguments).fit(X, y)
    assert found.cv_results_["k"].tolist() == [2, 3, 4, 5, 6]
    everything = SelectQUBO(solver=QUICK, include=range(7))
    assert SelectQUBOCV(GaussianNB(), cv=2, selector=everything).fit(X, y).k_ == 7


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"estimator": LogisticRegression}, TypeError, "estimator must be a model with fit, such as"),
        (
            {"estimator": "logistic"},
            TypeError,
            "estimator must be a model with fit, such as .* got 'logistic'",
        ),
        ({"k": []}, ValueError, r"k must hold at least one number of features to try, got \[\]"),
        ({"k": range(5, 5)}, ValueError, "k must hold at least one number of features to try"),
        ({"k": [0, 1]}, ValueError, "k must hold integers of at least 1, got 0 among them"),
        ({"k": [2.5]}, ValueError, "k must hold integers of at least 1, got 2.5"),
        ({"k": [True]}, ValueError, "k must hold integers of at least 1, got True"),
        ({"k": 5}, TypeError, r"k must be the numbers of features to try, as in range\(1, 31\) .* got 5"),
        ({"k": "auto"}, TypeError, "k must be the numbers of features to try, .* got 'auto'"),
        ({"rule": "knee"}, ValueError, "rule must be one of 'best', 'one-standard-error', got 'knee'"),
        ({"selector": SelectQUBO}, TypeError, "selector must be a SelectQUBO, or None"),
        ({"selector": GaussianNB()}, TypeError, "selector must be a SelectQUBO, or None .* got GaussianNB"),
        (
            {"selector": SelectQUBO(k=None, alpha=0.5)},
            ValueError,
            "leave alpha to each k, got one with alpha=0.5",
        ),
        ({"selector": SelectQUBO(importance=3)}, TypeError, "importance must be callable, got 3"),
        (
            {"selector": SelectQUBO(solver=solvers.Tabu)},
            TypeError,
            "solver must be a value, got the class Tabu",
        ),
        ({"criterion": []}, ValueError, "criterion and bins must each hold at least one to try, got none"),
        ({"bins": []}, ValueError, "criterion and bins must each hold at least one to try, got none"),
        ({"bins": [3, 1]}, ValueError, "bins must be .* got 1"),
        ({"bins": "many"}, ValueError, "bins must be .* got 'many'"),
        ({"criterion": JMI}, TypeError, r"criterion must be a value, got the class JMI: write JMI\(\)"),
        ({"criterion": "jmi"}, TypeError, "criterion must have an importance.* 'jmi' has no importance"),
        ({"criterion": [JMI(), 3]}, TypeError, "criterion must have an importance.* 3 has no importance"),
        (
            {"criterion": Criterion(Correlation(), PairCorrelation(), lambda k: 0.5), "bins": [3]},
            ValueError,
            "bins can be tried with criteria that have bins, got Criterion",
        ),
        ({"cv": "five"}, ValueError, "cv.? as an integer"),
        ({"cv": 1}, ValueError, "n_splits=2 or more"),
        ({"cv": []}, ValueError, "cv must make at least one fold, got none"),
        ({"cv": [(np.arange(40), np.arange(0))]}, ValueError, "fold 0 has 40 and 0: use fewer folds"),
        (
            {"cv": [(np.arange(40), np.arange(40, 60))], "rule": "one-standard-error"},
            ValueError,
            "needs at least two folds, got one",
        ),
        ({"scoring": "nonsense"}, ValueError, "scoring"),
        ({"scoring": lambda *args: "good"}, ValueError, "scoring must give one number, got 'good'"),
        ({"scoring": ["accuracy", "f1"]}, ValueError, "scoring must give one number, got {'accuracy'"),
    ],
)
def test_wrong_arguments_are_refused_in_words(wrong, error, words):
    X, y = table()
    arguments = {"estimator": GaussianNB(), "k": [2], "selector": PLAIN, "cv": 3, **wrong}
    with pytest.raises(error, match=words):
        SelectQUBOCV(**arguments).fit(X, y)


def test_a_refit_that_is_refused_leaves_the_fit_that_was_there():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 6)), np.arange(60) % 2
    search = SelectQUBOCV(GaussianNB(), k=[1, 2], cv=3).fit(X, y)
    before = search.support_.copy()
    search.set_params(k=[0])
    with pytest.raises(ValueError, match="k"):
        search.fit(X[:, :4], y)
    assert search.n_features_in_ == search.selector_.n_features_in_ == 6
    assert search.get_support().tolist() == before.tolist()


def test_many_codes_are_classes_for_a_classifier_and_a_number_for_a_regressor():
    rng = np.random.default_rng(0)
    y = np.arange(40).repeat(6)
    X = np.column_stack([y % 8 + 0.1 * rng.normal(size=y.size), y // 8, rng.normal(size=(y.size, 2))])
    found = SelectQUBOCV(GaussianNB(), k=[1, 2], cv=3).fit(X, y)
    assert found.selector_.target_type == "classes"
    assert found.selector_.importance_[0] > 2.0
    continuous = SelectQUBOCV(LinearRegression(), k=[1], cv=3).fit(X, y + 2)
    assert continuous.selector_.importance_[0] < 1.0


def test_it_answers_as_its_selector_does():
    X, y = load_ionosphere(return_X_y=True)
    search = SelectQUBOCV(GaussianNB(), k=[2, 3], cv=3).fit(X, y)
    assert search.ranking_.tolist() == search.selector_.ranking_.tolist()
    assert str(search.explain()) == str(search.selector_.explain())
    assert search.warnings_ == search.selector_.warnings_


def test_what_was_selected_can_be_put_back():
    X, y = table()
    found = SelectQUBOCV(GaussianNB(), k=[2, 3], selector=PLAIN, cv=2)
    with pytest.raises(NotFittedError):
        found.inverse_transform(X[:, :2])
    found.fit(X, y)
    back = found.inverse_transform(found.transform(X))
    np.testing.assert_array_equal(back, np.where(found.support_, X, 0.0))
