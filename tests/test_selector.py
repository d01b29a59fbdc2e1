"""SelectQUBO: exactly k, scikit-learn's conventions, and errors in words."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import path_oracles
from quboselect import SelectQUBO, Tradeoff, alpha_path, criteria, importance, redundancy, solvers
from quboselect.counting import bins
from quboselect.datasets import load_ionosphere
from quboselect.errors import OffPathWarning
from quboselect.importance import MutualInformation as ImportanceInformation
from quboselect.redundancy import MutualInformation as RedundancyInformation

QUICK = solvers.Portfolio(effort=0.01)


# Shuffled samples, by which k="auto" knows what chance shows, are others where samples are repeated or in other order.
CHANCE = dict.fromkeys(
    [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")],
    "k='auto' compares with samples shuffled at random",
)


def correlation(X):
    matrix = np.abs(np.corrcoef(X, rowvar=False))
    np.fill_diagonal(matrix, 0.0)
    return matrix


@pytest.fixture(scope="module")
def ionosphere():
    return load_ionosphere(return_X_y=True)


@parametrize_with_checks(
    [
        SelectQUBO(k=1),
        SelectQUBO(k=2, solver=solvers.BranchAndBound()),
        SelectQUBO(k=None, alpha=0.9),
        SelectQUBO(k=1, importance=ImportanceInformation(bins=5), redundancy=RedundancyInformation(bins=7)),
        SelectQUBO(k=1, solver=solvers.Tabu(n_jobs=1)),
        SelectQUBO(k="auto"),
        SelectQUBO(k=1, importance=importance.Correlation(), redundancy=redundancy.Correlation(ranks=True)),
        SelectQUBO(k=2, criterion=criteria.JMI()),
        SelectQUBO.paper(k=1),
    ],
    expected_failed_checks=lambda selector: CHANCE if selector.k == "auto" else {},
)
@pytest.mark.filterwarnings("ignore:k=2 is greater than n_features=1", "ignore:No features were selected")
def test_it_is_a_scikit_learn_selector(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OffPathWarning)
        check(estimator)


def test_the_example_of_the_paper(ionosphere):
    selector = SelectQUBO.paper(k=5).fit(*ionosphere)
    assert selector.get_support(indices=True).tolist() == [0, 2, 4, 5, 20]
    assert selector.proven_
    assert selector.on_path_
    start, stop = selector.alpha_window_
    assert start < 0.90625 < stop
    assert start < selector.alpha_ < stop
    assert selector.energy_ == selector.bound_
    assert selector.transform(ionosphere[0]).shape == (351, 5)


def test_the_default_is_exactly_k_features_at_the_alpha_of_pairs(ionosphere):
    selector = SelectQUBO(k=5).fit(*ionosphere)
    assert (selector.alpha_, selector.alpha_window_) == (0.8, (0.8, 0.8))
    assert (selector.path_, selector.on_path_, selector.result_.passes) == (None, False, None)
    assert selector.proven_
    named = SelectQUBO(k=5, criterion=criteria.Pairs()).fit(*ionosphere)
    np.testing.assert_array_equal(named.support_, selector.support_)
    assert named.energy_ == selector.energy_
    tradeoff = selector.result_.tradeoff
    line = tradeoff.line(selector.support_)
    assert selector.energy_ == pytest.approx(0.2 * line.redundancy - 0.8 * line.importance)
    assert selector.energy_ == solvers.Portfolio(k=5)(tradeoff.at(0.8)).energy[0]


def test_the_papers_setting_is_its_bins_and_its_path(ionosphere):
    paper = SelectQUBO.paper(5, exclude=[20]).fit(*ionosphere)
    cut = {"bins": 20, "edges": "quantile"}
    measures = {
        "importance": importance.MutualInformation(**cut),
        "redundancy": redundancy.MutualInformation(**cut),
    }
    given = SelectQUBO(5, **measures, exclude=[20]).fit(*ionosphere)
    for name in ("support_", "importance_", "redundancy_"):
        np.testing.assert_array_equal(getattr(given, name), getattr(paper, name))
    assert (given.alpha_window_, given.energy_) == (paper.alpha_window_, paper.energy_)
    assert SelectQUBO.paper().k == SelectQUBO().k == 10


def test_alpha_and_k_are_both_kept(ionosphere):
    selector = SelectQUBO(alpha=0.5).fit(*ionosphere)
    assert (selector.k_, selector.alpha_, selector.path_) == (10, 0.5, None)
    few = SelectQUBO.paper(3, alpha=0.90625).fit(*ionosphere)
    assert (few.k_, few.alpha_, few.on_path_) == (3, 0.90625, False)
    best = solvers.Portfolio(k=3)(few.result_.tradeoff.at(0.90625))
    assert few.energy_ == best.energy[0]


def tables():
    X, y = load_ionosphere(return_X_y=True)
    yield "ionosphere", X, y
    yield "wine", *load_wine(return_X_y=True)
    yield "breast cancer", *load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    X = rng.normal(size=(120, 8)) + y[:, None] * np.linspace(0, 1.5, 8)
    constant = X.copy()
    constant[:, [0, 3, 5]] = 7.0
    yield "constant features", constant, y
    yield "duplicated features", np.column_stack([X, X[:, ::-1], X[:, :3]]), y
    yield "nothing but constants", np.ones((20, 6)), y[:20]
    yield "labels all the same", X, np.zeros(120)
    yield "more bins than samples", X[:7], np.arange(7) % 2


TABLES = {name: (X, y) for name, X, y in tables()}


@pytest.mark.parametrize("make", [SelectQUBO, SelectQUBO.paper], ids=["default", "paper"])
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.filterwarnings("ignore::quboselect.errors.OffPathWarning")
@pytest.mark.filterwarnings("ignore:The target has one value only")
def test_k_is_a_promise(name, make):
    X, y = TABLES[name]
    for k in sorted({*range(1, X.shape[1] + 1, 1 + X.shape[1] // 12), X.shape[1]}):
        selector = make(k=k, solver=QUICK).fit(X, y)
        assert selector.support_.sum() == k
        start, stop = selector.alpha_window_
        assert 0 <= start <= selector.alpha_ <= stop <= 1
        assert -np.inf < selector.bound_ <= selector.energy_ + 1e-9
        assert selector.on_path_ or start == stop
        if selector.proven_:
            rival = solvers.Tabu(k=None if selector.on_path_ else k, seed=1)
            qubo = selector.result_.problem.at(selector.alpha_)
            assert selector.energy_ <= rival(qubo).energy[0] + 1e-8 * max(1.0, abs(selector.energy_))


@pytest.mark.filterwarnings("ignore::quboselect.errors.OffPathWarning")
def test_k_is_a_promise_on_digits():
    data = load_digits()
    for k in (*range(1, 60, 6), 63, 64):
        assert SelectQUBO(k=k, solver=QUICK).fit(data.data, data.target).support_.sum() == k


@pytest.mark.parametrize(
    ("tradeoff", "k"), [(path_oracles.never_size_two(), 2), (path_oracles.never_size_four(), 4)]
)
def test_a_size_that_no_alpha_gives_is_still_returned_and_said_in_words(tradeoff, k):
    X = np.random.default_rng(0).normal(size=(20, tradeoff.size))
    selector = SelectQUBO(
        k=k, importance=lambda X, y: tradeoff.importance, redundancy=lambda X: tradeoff.redundancy
    )
    with pytest.warns(
        OffPathWarning, match=f"k={k} is off the path: at alpha .* from {k - 1} to {k + 1} features"
    ):
        selector.fit(X, np.arange(20) % 2)
    assert selector.support_.sum() == k
    assert not selector.on_path_
    assert selector.proven_
    best = path_oracles.minimum(tradeoff, selector.alpha_, k)
    assert selector.energy_ == pytest.approx(best, abs=1e-9)


def test_alpha_instead_of_k_solves_that_one_qubo(ionosphere):
    selector = SelectQUBO.paper(k=None, alpha=0.90625).fit(*ionosphere)
    assert selector.get_support(indices=True).tolist() == [0, 2, 4, 5, 20]
    assert selector.alpha_window_ == (0.90625, 0.90625)
    assert selector.proven_
    assert selector.path_ is None
    for make in (SelectQUBO, SelectQUBO.paper):  # all but the constant feature
        assert make(k=None, alpha=1.0).fit(*ionosphere).support_.sum() == 33


def test_what_is_enough_is_chosen_among_the_same_numbers_with_weights_and_with_repeats():
    rng = np.random.default_rng(0)
    y, weights = rng.integers(0, 3, 60), rng.integers(0, 5, 60)
    X, again = (
        rng.normal(size=(60, 8)) + y[:, None] * np.linspace(0, 1.5, 8),
        np.repeat(np.arange(60), weights),
    )
    repeated = SelectQUBO(k="auto").fit(X[again], y[again])
    weighted = SelectQUBO(k="auto").fit(X, y, weights)
    np.testing.assert_allclose(weighted.importance_, repeated.importance_, atol=1e-12)
    np.testing.assert_allclose(weighted.redundancy_, repeated.redundancy_, atol=1e-12)


def test_one_is_the_most_important_feature(ionosphere):
    selector = SelectQUBO(k=1).fit(*ionosphere)
    assert selector.support_.argmax() == selector.importance_.argmax()


def test_more_than_the_table_has_keeps_all_with_a_warning():
    data = load_wine()
    with pytest.warns(
        UserWarning, match="k=14 is greater than n_features=13. All the features will be returned"
    ):
        selector = SelectQUBO(k=14).fit(data.data, data.target)
    assert selector.support_.all()


@pytest.mark.parametrize("k", [0, -1, 2.5, float("nan"), "3", None, True])
def test_a_wrong_k_is_refused_in_words(ionosphere, k):
    with pytest.raises(
        ValueError,
        match=r"k must be an integer from 1 to 34 \(the table has 34 features\), 'auto' or 'fdr', got",
    ):
        SelectQUBO(k=k).fit(*ionosphere)


@pytest.mark.parametrize("alpha", [-0.1, 1.5, float("nan"), "0.5", True])
def test_a_wrong_alpha_is_refused_in_words(ionosphere, alpha):
    with pytest.raises(ValueError, match="alpha must be a number from 0 to 1, or None, got"):
        SelectQUBO(k=None, alpha=alpha).fit(*ionosphere)
    with pytest.raises(ValueError, match="alpha must be a number from 0 to 1, or None, got"):
        SelectQUBO(k=3, alpha=alpha).fit(*ionosphere)


@pytest.mark.parametrize("part", ["importance", "redundancy", "solver"])
def test_a_plug_in_that_cannot_be_called_is_refused_in_words(ionosphere, part):
    with pytest.raises(TypeError, match=f"{part} must be callable, got 'mi'"):
        SelectQUBO(**{part: "mi"}).fit(*ionosphere)


def test_a_measure_that_breaks_its_promise_is_refused_in_words(ionosphere):
    with pytest.raises(ValueError, match="importance must not be negative"):
        SelectQUBO(importance=lambda X, y: -np.ones(34)).fit(*ionosphere)
    with pytest.raises(ValueError, match="redundancy must be symmetric with a zero diagonal"):
        SelectQUBO(redundancy=lambda X: np.ones((34, 34))).fit(*ionosphere)


@pytest.mark.filterwarnings("ignore:Features .* are constant", "ignore:invalid value")
def test_a_constant_feature_of_which_a_score_knows_nothing_has_no_importance(ionosphere):
    selector = SelectQUBO(k=3, importance=f_classif).fit(*ionosphere)
    assert selector.importance_[1] == 0.0
    with pytest.raises(ValueError, match="importance must be finite; entry"):
        SelectQUBO(importance=lambda X, y: np.full(34, np.nan)).fit(*ionosphere)


def test_the_class_of_a_plug_in_is_refused_in_words(ionosphere):
    with pytest.raises(
        TypeError, match=r"importance must be a value, got the class MutualInformation: write Mu"
    ):
        SelectQUBO(importance=ImportanceInformation).fit(*ionosphere)
    with pytest.raises(ValueError, match="solver must not be bound to a size of its own"):
        SelectQUBO(k=3, solver=solvers.Portfolio(k=2)).fit(*ionosphere)


def test_importance_and_redundancy_of_different_sizes_are_refused_in_words(ionosphere):
    with pytest.raises(ValueError, match=r"same features, got 33 numbers .* shape \(34, 34\)"):
        SelectQUBO(importance=lambda X, y: np.ones(33)).fit(*ionosphere)
    with pytest.raises(TypeError, match="importance must be real numbers, got None"):
        SelectQUBO(importance=lambda X, y: None).fit(*ionosphere)


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float32, bool])
def test_tables_of_any_number_type_work(dtype):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    X = (rng.integers(0, 50, (80, 6)) + 60 * y[:, None]).astype(dtype)
    if dtype is np.uint64:
        X = X + np.uint64(2**52)
    assert SelectQUBO(k=2).fit(np.asfortranarray(X), y).support_.sum() == 2


def test_the_support_can_be_changed_by_its_owner(ionosphere):
    support = SelectQUBO(k=5).fit(*ionosphere).get_support()
    support[0] = False


def test_strongly_redundant_tables_end():
    rng = np.random.default_rng(0)
    X = rng.normal(size=2000)[:, None] + 0.1 * rng.normal(size=(2000, 120))
    assert SelectQUBO(k=5, solver=QUICK).fit(X, rng.integers(0, 2, 2000)).support_.sum() == 5


def test_scikit_learns_score_functions_and_any_callable_plug_in():
    data = load_wine()
    selector = SelectQUBO(k=4, importance=f_classif, redundancy=correlation).fit(data.data, data.target)
    np.testing.assert_allclose(selector.importance_, f_classif(data.data, data.target)[0])
    assert selector.support_.sum() == 4


def test_the_table_is_binned_once_for_both_measures(ionosphere, monkeypatch):
    calls = []
    cut = bins.numeric_codes
    monkeypatch.setattr(bins, "even_codes", lambda *_: {})  # each feature alone
    monkeypatch.setattr(bins, "numeric_codes", lambda *args: calls.append(1) or cut(*args))
    SelectQUBO(k=5).fit(*ionosphere)
    assert len(calls) == 34


def test_labels_may_be_strings(ionosphere):
    X, y = ionosphere
    for make in (SelectQUBO, SelectQUBO.paper):
        named, plain = make(k=5).fit(X, np.where(y == 1, "good", "bad")), make(k=5).fit(X, y)
        assert named.get_support(indices=True).tolist() == plain.get_support(indices=True).tolist()


def test_names_and_frames_are_kept(ionosphere):
    X, y = ionosphere
    frame = pd.DataFrame(X, columns=[f"pulse {i}" for i in range(34)])
    selector = SelectQUBO(k=5).set_output(transform="pandas").fit(frame, y)
    chosen = [f"pulse {i}" for i in SelectQUBO(k=5).fit(X, y).get_support(indices=True)]
    assert selector.get_feature_names_out().tolist() == chosen
    assert selector.transform(frame).columns.tolist() == chosen
    assert selector.feature_names_in_.tolist() == frame.columns.tolist()


def test_it_lives_in_pipelines_and_grid_searches(ionosphere):
    pipeline = make_pipeline(StandardScaler(), SelectQUBO(), LogisticRegression())
    search = GridSearchCV(pipeline, {"selectqubo__k": [1, 5]}, cv=3, n_jobs=2).fit(*ionosphere)
    assert search.best_params_["selectqubo__k"] in (1, 5)
    assert search.best_estimator_[1].support_.sum() == search.best_params_["selectqubo__k"]


def test_it_clones_and_pickles(ionosphere):
    selector = SelectQUBO.paper(k=5, solver=solvers.Portfolio(effort=0.5)).fit(*ionosphere)
    again = pickle.loads(pickle.dumps(selector))
    assert np.array_equal(again.support_, selector.support_)
    assert str(again.path_) == str(selector.path_)
    fresh = clone(selector)
    assert fresh.solver == selector.solver
    assert not hasattr(fresh, "support_")


def test_two_fits_are_the_same_and_a_new_fit_forgets_the_old(ionosphere):
    selector = SelectQUBO.paper(k=7).fit(*ionosphere)
    first = selector.support_.copy()
    assert np.array_equal(selector.fit(*ionosphere).support_, first)
    assert selector.path_ is not None
    selector.set_params(alpha=0.5).fit(*ionosphere)
    assert selector.path_ is None
    assert selector.support_.sum() == 7


def test_the_selection_does_not_depend_on_the_order_of_the_features(ionosphere):
    X, y = ionosphere
    order = np.random.default_rng(0).permutation(34)
    shuffled = SelectQUBO(k=6).fit(X[:, order], y)
    straight = SelectQUBO(k=6).fit(X, y)
    assert sorted(order[shuffled.support_].tolist()) == np.flatnonzero(straight.support_).tolist()


def test_the_window_is_that_of_the_whole_path(ionosphere):
    selector = SelectQUBO.paper(k=9).fit(*ionosphere)
    segment = alpha_path(Tradeoff(selector.importance_, selector.redundancy_)).of_size(9)
    assert selector.alpha_window_ == pytest.approx((segment.start, segment.stop), abs=1e-12)


def test_a_fit_that_is_refused_leaves_the_selector_as_it_was():
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO(k=2).fit(X, y)
    with pytest.raises(ValueError, match="same number of samples"):
        selector.fit(X[:, :4], y[:5])
    assert selector.n_features_in_ == 34
    assert selector.transform(X).shape == (351, 2)


@pytest.mark.parametrize(
    "wrong", [{"include": [7]}, {"k": 0}, {"importance": lambda X, y: -np.ones(X.shape[1])}]
)
def test_a_refit_that_is_refused_leaves_the_fit_that_was_there(wrong):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 9)), np.arange(100) % 2
    selector = SelectQUBO(k=2).fit(X, y)
    before = selector.support_.copy()
    selector.set_params(**wrong)
    with pytest.raises(ValueError, match=r"include|k must|negative"):
        selector.fit(X[:, :5], y)
    assert selector.n_features_in_ == 9
    assert selector.get_support().tolist() == before.tolist()
    assert selector.transform(X).shape == (100, 2)


def test_a_first_fit_that_is_refused_leaves_nothing():
    selector = SelectQUBO(k=0)
    with pytest.raises(ValueError, match="k must"):
        selector.fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert not any(name.endswith("_") for name in vars(selector))
