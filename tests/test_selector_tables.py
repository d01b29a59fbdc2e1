"""SelectQUBO on any table: every library, kinds of features and targets, weights, wishes, and how many are enough."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import get_tags

from quboselect import SelectQUBO, criteria, importance, redundancy, solvers
from quboselect.datasets import load_ionosphere
from quboselect.errors import OffPathWarning

QUICK = solvers.Portfolio(effort=0.01)
pytestmark = pytest.mark.filterwarnings("ignore::quboselect.errors.OffPathWarning")


def mixed(samples=300, missing=0.2, seed=0):
    """A frame of numbers, whole numbers, text, categories and flags, a fifth of it missing, and labels."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, samples)
    frame = pd.DataFrame(
        {
            "pay": rng.normal(size=samples) + y,
            "rent": rng.normal(size=samples),
            "rooms": rng.integers(1, 6, samples).astype(float),
            "town": np.where(rng.random(samples) < 0.7, np.where(y, "north", "south"), "east"),
            "colour": rng.choice(["red", "green", "blue"], samples),
            "owner": np.where(rng.random(samples) < 0.8, y == 1, y == 0),
        }
    )
    frame = frame.astype({"owner": object, "town": object, "colour": object})
    frame = frame.mask(rng.random(frame.shape) < missing)
    typed = frame.astype({"owner": "boolean", "town": "string", "colour": "category", "rooms": "Int64"})
    return typed, np.where(y, "yes", "no")


def test_the_same_table_in_every_library_gives_the_same_selection():
    frame, y = mixed()
    tables = {
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "arrow": pa.Table.from_pandas(frame),
        "batch": pa.RecordBatch.from_pandas(frame),
        "objects": frame.to_numpy(),
        "lists": [[None if pd.isna(cell) else cell for cell in row] for row in frame.to_numpy().tolist()],
    }
    fits = {name: SelectQUBO(k=3).fit(X, y) for name, X in tables.items()}
    for name, fit in fits.items():
        np.testing.assert_array_equal(fit.support_, fits["pandas"].support_, err_msg=name)
        np.testing.assert_allclose(fit.importance_, fits["pandas"].importance_, rtol=1e-12, err_msg=name)
        np.testing.assert_allclose(fit.redundancy_, fits["pandas"].redundancy_, atol=1e-12, err_msg=name)
        named = name not in ("objects", "lists")
        assert not named or fit.feature_names_in_.tolist() == frame.columns.tolist()
    assert {"pay", "town", "owner"} == set(fits["polars"].get_feature_names_out())


def test_a_table_of_numbers_is_the_same_in_every_library_bit_for_bit():
    X, y = load_ionosphere(return_X_y=True)
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(34)])
    expected = SelectQUBO(k=5).fit(X, y)
    for table in (
        frame,
        pl.from_pandas(frame),
        pa.Table.from_pandas(frame),
        csr_array(X),
        np.asfortranarray(X),
    ):
        fit = SelectQUBO(k=5).fit(table, y)
        np.testing.assert_array_equal(fit.redundancy_, expected.redundancy_)
        np.testing.assert_array_equal(fit.support_, expected.support_)
        assert fit.energy_ == expected.energy_


@pytest.mark.parametrize(
    "measures",
    [
        {},
        {
            "importance": importance.MutualInformation(estimate="miller-madow"),
            "redundancy": redundancy.MutualInformation(normalised=True, bins=7),
        },
        {"criterion": criteria.JMI(bins=5)},
        {"criterion": criteria.DISR(estimate="shrunk")},
        {"redundancy": redundancy.CoInformation(clipped=True)},
        {"importance": importance.Entropy()},
    ],
    ids=["plug-in", "corrected and normalised", "by class", "shrunk", "clipped", "entropy"],
)
def test_rows_repeated_and_rows_weighted_give_the_same_numbers(measures):
    frame, y = mixed(120)
    rng = np.random.default_rng(1)
    for weights in (rng.integers(0, 4, 120), rng.integers(0, 2000, 120)):
        again = np.repeat(np.arange(120), np.minimum(weights, 40) if weights.max() > 9 else weights)
        weights = np.minimum(weights, 40)
        weighted = SelectQUBO(k=3, **measures).fit(frame, y, sample_weight=weights)
        repeated = SelectQUBO(k=3, **measures).fit(frame.iloc[again], y[again])
        np.testing.assert_allclose(weighted.importance_, repeated.importance_, atol=1e-12, rtol=0)
        np.testing.assert_allclose(weighted.redundancy_, repeated.redundancy_, atol=1e-12, rtol=0)
        np.testing.assert_array_equal(weighted.support_, repeated.support_)
        assert weighted.energy_ == pytest.approx(repeated.energy_, abs=1e-12)


def test_repeated_and_weighted_numbers_agree_for_measures_of_numbers_and_continuous_targets():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:150], y[:150] + 0.5
    weights = np.random.default_rng(0).integers(0, 5, 150)
    again = np.repeat(np.arange(150), weights)
    for measures in (
        {},
        {"importance": importance.Correlation(), "redundancy": redundancy.Correlation(ranks=True)},
        {"importance": importance.FStatistic()},
    ):
        weighted = SelectQUBO(k=4, **measures).fit(X, y, sample_weight=weights)
        repeated = SelectQUBO(k=4, **measures).fit(X[again], y[again])
        scale = max(1.0, repeated.importance_.max())
        np.testing.assert_allclose(weighted.importance_, repeated.importance_, atol=1e-12 * scale, rtol=0)
        np.testing.assert_allclose(weighted.redundancy_, repeated.redundancy_, atol=1e-12, rtol=0)
        np.testing.assert_array_equal(weighted.support_, repeated.support_)


def test_weights_are_routed_through_pipelines_and_searches():
    X, y = load_wine(return_X_y=True)
    weights = np.where(y == 0, 0.2, 3.0)
    expected = SelectQUBO(k=3).fit(X, y, sample_weight=weights)
    with sklearn.config_context(enable_metadata_routing=True):
        selector = SelectQUBO(k=3).set_fit_request(sample_weight=True)
        model = GaussianNB().set_fit_request(sample_weight=False).set_score_request(sample_weight=True)
        pipeline = make_pipeline(selector, model).fit(X, y, sample_weight=weights)
        np.testing.assert_array_equal(pipeline[0].importance_, expected.importance_)
        search = GridSearchCV(pipeline, {"selectqubo__k": [2, 3]}, cv=3).fit(X, y, sample_weight=weights)
        np.testing.assert_array_equal(search.best_estimator_[0].importance_, expected.importance_)
    assert not np.allclose(expected.importance_, SelectQUBO(k=3).fit(X, y).importance_)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_whole_pipeline_runs_on_a_mixed_table_with_missing_values(library):
    frame, y = mixed()
    text = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    selector = SelectQUBO(solver=QUICK).set_output(transform="pandas")
    after = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (text, make_column_selector(dtype_exclude="number")),
    )
    if library == "polars":
        X = pl.from_pandas(frame)
    else:
        X = frame.astype({"town": object, "owner": object, "colour": object, "rooms": float}).replace(
            {pd.NA: np.nan}
        )
    model = make_pipeline(selector, after, LogisticRegression())
    search = GridSearchCV(model, {"selectqubo__k": [2, 4, 6]}, cv=3, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.7
    assert search.best_estimator_[0].support_.sum() == search.best_params_["selectqubo__k"]


def test_frames_come_back_with_their_types():
    frame, y = mixed()
    chosen = ["pay", "town", "owner"]
    pandas = SelectQUBO(k=3).set_output(transform="pandas").fit(frame, y).transform(frame)
    pd.testing.assert_frame_equal(pandas, frame[chosen])
    table = pl.from_pandas(frame)
    selector = SelectQUBO(k=3).fit(table, y)
    assert selector.set_output(transform="polars").transform(table).equals(table.select(chosen))
    assert selector.transform(table).schema == table.select(chosen).schema
    assert selector.set_output(transform="pandas").transform(table).columns.tolist() == chosen
    arrow = pa.Table.from_pandas(frame)
    assert selector.set_output(transform="polars").transform(arrow).columns == chosen
    plain = selector.set_output(transform="default").transform(table)
    assert isinstance(plain, np.ndarray)
    assert plain.shape == (300, 3)
    assert SelectQUBO(k=3).fit(arrow, y).transform(arrow).shape == (300, 3)
    assert SelectQUBO(k=3).fit(frame.to_numpy(), y).transform(frame.to_numpy()).shape == (300, 3)


def test_a_frame_of_other_features_is_refused_in_transform():
    frame, y = mixed()
    selector = SelectQUBO(k=3).fit(pl.from_pandas(frame), y)
    with pytest.raises(ValueError, match="feature names should match those that were passed during fit"):
        selector.transform(pl.from_pandas(frame.rename(columns={"pay": "wage"})))
    unnamed = SelectQUBO(k=3).fit(frame.to_numpy(), y)
    with pytest.raises(ValueError, match="X has 5 features, but SelectQUBO is expecting 6 features"):
        unnamed.transform(frame.to_numpy()[:, :5])


def test_sparse_tables_stay_sparse():
    X, y = load_ionosphere(return_X_y=True)
    sparse = csr_array(np.where(np.abs(X) < 0.3, 0.0, X))
    selector = SelectQUBO(k=4).fit(sparse, y)
    np.testing.assert_array_equal(selector.support_, SelectQUBO(k=4).fit(sparse.toarray(), y).support_)
    assert selector.transform(sparse).shape == (351, 4)


def test_the_tags_are_true_to_behaviour():
    frame, y = mixed()
    measures = {
        "any": ({}, True, True),
        "numbers": (
            {"importance": importance.Correlation(), "redundancy": redundancy.Correlation()},
            True,
            False,
        ),
        "by class": ({"redundancy": redundancy.CoInformation(clipped=True)}, True, True),
        "joint": ({"criterion": criteria.JMI()}, True, True),
        "function": ({"importance": lambda X, y: np.ones(X.shape[1])}, False, False),
    }
    for parts, nan, text in measures.values():
        selector = SelectQUBO(k=2, **parts)
        tags = get_tags(selector).input_tags
        assert (tags.allow_nan, tags.categorical, tags.string, tags.sparse) == (nan, text, text, True)
        numbers = frame[["pay", "rent", "rooms"]]
        if nan:
            assert selector.fit(numbers, y).support_.sum() == 2
        else:
            with pytest.raises(
                ValueError, match=r"importance is a function of numbers, but feature 'pay' has missing"
            ):
                selector.fit(numbers, y)
        if text:
            assert selector.fit(frame, y).support_.sum() == 2
        else:
            with pytest.raises(ValueError, match="needs numbers, but feature 'town' holds categories"):
                selector.fit(frame, y)


def test_numbers_that_are_categories_can_be_named():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 60, 4000)
    y = np.isin(code, [3, 17, 41]).astype(int)
    X = pd.DataFrame({"code": code, "noise": rng.normal(size=4000)})
    as_number = SelectQUBO(k=1).fit(X, y).importance_[0]
    as_category = SelectQUBO(k=1, categorical_features=["code"]).fit(X, y).importance_[0]
    share = y.mean()
    entropy = -share * np.log2(share) - (1 - share) * np.log2(1 - share)
    assert as_category == pytest.approx(entropy)
    assert as_number < 0.6 * entropy


def test_a_missing_value_can_be_what_tells():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = rng.integers(0, 2, 200)
    X[y == 1, 2] = np.nan
    selector = SelectQUBO(k=1).fit(X, y)
    assert selector.support_.tolist() == [False, False, True, False]
    assert selector.importance_[2] == pytest.approx(-(p := y.mean()) * np.log2(p) - (1 - p) * np.log2(1 - p))


def test_continuous_targets_are_binned():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    # The disease progression is whole numbers, 214 of them.
    selector = SelectQUBO(k=4).fit(X, y + 0.5)
    for same in (SelectQUBO(k=4), SelectQUBO(k=4, target_type="continuous")):
        np.testing.assert_array_equal(same.fit(X, y.astype(int)).importance_, selector.importance_)
    batches = [(X[i : i + 100], y[i : i + 100]) for i in range(0, 442, 100)]
    np.testing.assert_array_equal(SelectQUBO(k=4).fit_batches(batches).importance_, selector.importance_)
    assert {"bmi", "s5"} <= set(selector.get_feature_names_out())
    halves = SelectQUBO(k=4, target_type="classes").fit(X, np.where(y > 140, 1.5, 0.5))
    assert halves.importance_.max() <= 1.0


def test_what_people_know_is_kept_to_and_k_stays_a_promise():
    data = load_breast_cancer(as_frame=True)
    X, y, names = data.data, data.target, list(data.data.columns)
    free = SelectQUBO(k=4, solver=QUICK).fit(X, y)
    out = free.get_feature_names_out()[0]
    wishes = {"include": ["mean symmetry", -1], "exclude": [out]}
    for k in (2, 4, 29):
        selector = SelectQUBO(k=k, solver=QUICK, **wishes).fit(X, y)
        chosen = set(selector.get_feature_names_out())
        assert len(chosen) == k == selector.k_
        assert {"mean symmetry", names[-1]} <= chosen
        assert out not in chosen
        assert selector.energy_ >= selector.bound_ - 1e-9
    dear = SelectQUBO(k=4, solver=QUICK, cost={out: 50.0}).fit(X, y)
    assert out not in dear.get_feature_names_out()
    groups = [names[:10], names[10:20]]
    selector = SelectQUBO(k=3, groups=groups, solver=QUICK).fit(X, y)
    assert selector.k_ == 3
    for group in groups:
        assert len({bool(selector.support_[names.index(name)]) for name in group}) == 1
    only = SelectQUBO(k=None, alpha=0.9, include=[0, 1], solver=QUICK).fit(X, y)
    assert only.support_[:2].all()


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({"include": ["pay"], "exclude": ["pay"]}, "either included or excluded, but feature 'pay' is both"),
        (
            {"include": ["pay", "rent", "rooms"], "k": 2},
            "k must be at least 3, .*3 features are included",
        ),
        (
            {"exclude": ["pay", "rent", "rooms"], "k": 4},
            "k must be at most 3, .*3 features are left",
        ),
        ({"include": ["wage"]}, "include must name features of the table, got 'wage'"),
        ({"groups": [["pay", "rent"], ["rent", "rooms"]]}, "feature 'rent' is in group 0 and in group 1"),
        ({"cost": [1.0, 2.0]}, "cost must be 6 numbers, one for each feature"),
        ({"cost": {"pay": -1.0}}, "cost must be finite and not negative, but feature 'pay' has -1"),
        ({"exclude": slice(None)}, "exclude must be names or numbers of features"),
        (
            {"k": "many"},
            r"k must be an integer from 1 to 6 \(the table has 6 features\), 'auto' or 'fdr', got 'many'",
        ),
        ({"target_type": "numbers"}, "target_type must be one of .* got 'numbers'"),
        (
            {"categorical_features": ["wage"]},
            "categorical_features must name features of the table, got 'wage'",
        ),
    ],
)
def test_contradictions_are_refused_in_words_before_anything_is_counted(wishes, words):
    frame, y = mixed()

    def counted(X, y=None, /):
        raise AssertionError("it was counted")

    with pytest.raises((ValueError, TypeError), match=words):
        SelectQUBO(**{"k": 3, "importance": counted, "redundancy": counted, **wishes}).fit(frame, y)


def test_more_than_the_table_has_and_wishes():
    frame, y = mixed()
    with pytest.warns(UserWarning, match="k=9 is greater than n_features=6. All the features"):
        assert SelectQUBO(k=9, include=["pay"]).fit(frame, y).support_.all()
    with pytest.warns(UserWarning, match="All the features will be returned, but for excluded ones"):
        assert SelectQUBO(k=9, exclude=["pay"]).fit(frame, y).support_.tolist() == [False, *[True] * 5]
    with pytest.warns(UserWarning, match="k=9 is greater"):
        assert SelectQUBO(k=9, groups=[["pay", "rent"]]).fit(frame, y).k_ == 5


def test_excluded_features_are_not_even_read():
    frame, y = mixed()
    frame["when"] = pd.date_range("2020", periods=len(frame))
    frame["id"] = [[i] for i in range(len(frame))]
    with pytest.raises(TypeError, match="feature 'id' holds nested values"):
        SelectQUBO(k=2).fit(frame, y)
    selector = SelectQUBO(k=2, exclude=["when", "id"]).fit(frame, y)
    np.testing.assert_array_equal(selector.support_[:6], SelectQUBO(k=2).fit(frame.iloc[:, :6], y).support_)
    objects = np.column_stack([frame["pay"], frame["id"]])
    assert SelectQUBO(k=1, exclude=[1]).fit(objects, y).support_.tolist() == [True, False]


def test_groups_are_counted_as_one_and_come_whole():
    data = load_wine()
    groups = [[0, 6], [9, 12]]
    selector = SelectQUBO(k=3, groups=groups, include=[0], solver=QUICK).fit(data.data, data.target)
    assert selector.support_[[0, 6]].all()
    assert selector.k_ == 3
    assert selector.support_.sum() == 3 + sum(bool(selector.support_[group[0]]) for group in groups)


def test_what_was_selected_can_be_put_back():
    frame, y = mixed()
    selector = SelectQUBO(k=3).fit(frame, y)
    back = selector.inverse_transform(selector.transform(frame))
    assert back.shape == frame.shape
    assert pd.isna(back[:, 0]).tolist() == frame["pay"].isna().tolist()
    with pytest.raises(ValueError, match=r"X has shape \(300, 6\), but 3 features were selected"):
        selector.inverse_transform(frame)


def test_what_was_selected_of_a_sparse_table_is_put_back_sparse():
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO(k=3).fit(csr_array(X), y)
    back = selector.inverse_transform(selector.transform(csr_array(X)))
    np.testing.assert_array_equal(back.toarray(), np.where(selector.support_, X, 0.0))
    assert back.nnz == np.count_nonzero(X[:, selector.support_])
    with pytest.raises(ValueError, match=r"X has shape \(351, 34\), but 3 features were selected"):
        selector.inverse_transform(csr_array(X))


@pytest.mark.parametrize("library", ["default", "pandas"])
def test_nothing_selected_keeps_the_samples(library):
    frame, y = mixed()
    apart = criteria.Pairs(together=0)  # no pair is worth having for its redundancy alone
    selector = SelectQUBO(k=None, alpha=0.0, criterion=apart).fit(frame, y).set_output(transform=library)
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(frame).shape == (300, 0)


def test_masks_and_lists_are_what_they_are_everywhere():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    numbers = np.ma.masked_array(rng.normal(size=(60, 3)) + y[:, None], rng.random((60, 3)) < 0.2)
    selector = SelectQUBO(k=2).fit(numbers, y)
    assert np.isnan(selector.transform(numbers)).sum() == numbers.mask[:, selector.support_].sum()
    rows = [["a" if label else "b", float(label)] for label in y]
    assert SelectQUBO(k=2).fit(rows, y).transform(rows).tolist() == rows


def test_weights_need_a_measure_that_takes_them():
    frame, y = mixed()
    numbers = frame[["pay", "rent"]].fillna(0.0)
    weights = np.arange(300.0)
    with pytest.raises(
        ValueError, match=r"importance takes no sample_weight: use a measure of quboselect\.imp"
    ):
        SelectQUBO(k=1, importance=lambda X, y: np.ones(2)).fit(numbers, y, sample_weight=weights)
    seen = []

    def weighted(X, y, sample_weight=None):
        seen.append(sample_weight)
        return np.ones(2)

    SelectQUBO(k=1, importance=weighted).fit(numbers, y, sample_weight=weights)
    np.testing.assert_array_equal(seen[0], weights[1:])


def test_x_and_y_of_different_lengths_are_refused_in_words():
    frame, y = mixed()
    with pytest.raises(ValueError, match="X and y must have the same number of samples, got 300 and 299"):
        SelectQUBO().fit(frame, y[:-1])


def test_enough_features_are_those_that_say_more_than_they_repeat():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 8, 3000)
    bits = np.column_stack([(y >> i) & 1 for i in range(3)])
    noise = rng.normal(size=(3000, 5))
    signals = bits + 0.1 * rng.normal(size=bits.shape)
    X = np.column_stack([signals, signals[:, 0] + 0.02 * rng.normal(size=3000), noise])
    selector = SelectQUBO(k="auto").fit(X, y)
    assert selector.k_ == selector.support_.sum() == 3
    assert selector.support_[1:3].all()
    assert selector.support_[[0, 3]].sum() == 1
    included = SelectQUBO(k="auto", include=[8]).fit(X, y)
    assert included.support_[8]
    assert included.k_ >= 3
    assert SelectQUBO(k="auto").fit(noise, y).k_ == 1
    named = pd.DataFrame(X[:, :3]).assign(id=[f"sample {i}" for i in range(3000)])
    named.columns = ["a", "b", "c", "id"]
    assert SelectQUBO(k="auto").fit(named, y).k_ == 3


def test_one_warning_says_that_a_size_is_off_the_path():
    X = np.random.default_rng(0).normal(size=(20, 4))
    R = np.array([[0, 1, 1, 1], [1, 0, 0.1, 0.1], [1, 0.1, 0, 0.1], [1, 0.1, 0.1, 0]])
    given = {"importance": importance.Precomputed([10, 5, 5, 5]), "redundancy": redundancy.Precomputed(R)}
    with pytest.warns(OffPathWarning, match="k=2 is off the path"):
        assert SelectQUBO(k=2, **given).fit(X, np.arange(20) % 2).support_.sum() == 2


def test_integers_that_floats_cannot_tell_apart_are_refused_unless_excluded():
    y = np.arange(200) % 2
    X = pd.DataFrame({"id": 2**60 + np.arange(200), "a": y, "b": np.arange(200)})
    for table, name in ((X, "'id'"), (X.to_numpy(), "0"), (X.to_numpy().tolist(), "0")):
        with pytest.raises(ValueError, match=rf"feature {name} holds integers of 2\^53 or more.*exclude"):
            SelectQUBO(k=1).fit(table, y)
        assert SelectQUBO(k=1, exclude=[0]).fit(table, y).get_support(indices=True).tolist() == [1]


def test_masked_text_and_masked_truth_are_missing():
    rng = np.random.default_rng(0)
    truth, mask, y = rng.random((200, 3)) < 0.5, rng.random((200, 3)) < 0.2, np.arange(200) % 2
    names = ["a", "b", "c"]
    held = {
        n: pd.array(np.where(mask[:, i], None, truth[:, i]), dtype="boolean") for i, n in enumerate(names)
    }
    wanted = SelectQUBO(k=1).fit(pd.DataFrame(held), y).importance_
    # A real "?" beside what is masked: NumPy's own filling of text would make them one.
    for values in (truth, np.where(truth, "?", "x")):
        found = SelectQUBO(k=1).fit(np.ma.array(values, mask=mask), y).importance_
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_masked_labels_are_refused():
    y = np.ma.array(np.where(np.arange(200) % 2, "yes", "no"), mask=np.arange(200) < 50)
    with pytest.raises(ValueError, match="a value for every sample, but sample 0 is None"):
        SelectQUBO(k=1).fit(np.arange(400.0).reshape(200, 2), y)
