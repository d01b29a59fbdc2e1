"""Tables of any library, read alike; weights; and what has no place in a table."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_array, csr_array, csr_matrix

from quboselect.counting.bins import feature_codes
from quboselect.tables.frames import plain_array
from quboselect.tables.table import Table, as_table, counted_weights

ROWS = 30


def mixed(seed=0):
    """A pandas frame with a feature of every kind, a fifth of it missing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=ROWS),
            "whole": rng.integers(0, 9, ROWS),
            "text": rng.choice(["red", "green", "blue"], ROWS),
            "flag": rng.random(ROWS) < 0.3,
        }
    )
    frame = frame.astype({"text": object, "flag": object, "whole": float})
    return frame.mask(rng.random(frame.shape) < 0.2)


def faces(frame):
    """Yield the same table under the face of each library."""
    typed = frame.astype({"text": "string", "flag": "boolean", "whole": "Int64"})
    yield "pandas objects", frame
    yield "pandas nullable", typed
    yield "pandas categories", frame.astype({"text": "category"})
    yield "polars", pl.from_pandas(typed)
    yield "polars categories", pl.from_pandas(typed).with_columns(pl.col("text").cast(pl.Categorical))
    yield (
        "polars enum",
        pl.from_pandas(typed).with_columns(pl.col("text").cast(pl.Enum(["green", "red", "blue"]))),
    )
    yield "arrow", pa.Table.from_pandas(typed)
    yield "arrow batch", pa.RecordBatch.from_pandas(typed)
    dictionary = pa.Table.from_pandas(typed)
    yield "arrow dictionary", dictionary.set_column(2, "text", dictionary["text"].dictionary_encode())
    yield "objects", frame.to_numpy()
    yield "lists", [[None if pd.isna(cell) else cell for cell in row] for row in frame.to_numpy().tolist()]


FACES = dict(faces(mixed()))


@pytest.mark.parametrize("name", FACES)
def test_every_library_gives_the_same_table(name):
    frame, table = mixed(), as_table(FACES[name])
    assert table.names == (None if name in ("objects", "lists") else tuple(frame.columns))
    assert table.categorical.tolist() == [False, False, True, True]
    assert table.boolean.tolist() == [False, False, False, True]
    number, whole, text, flag = table.block(0, 4)
    np.testing.assert_array_equal(number, frame["number"].to_numpy(float))
    np.testing.assert_array_equal(whole.astype(float), frame["whole"].to_numpy(float))
    order = {"blue": 0, "green": 1, "red": 2}
    assert text.tolist() == [order.get(cell, -1) for cell in frame["text"]]
    assert flag.tolist() == [-1 if pd.isna(cell) else int(cell) for cell in frame["flag"]]


@pytest.mark.parametrize("kind", [csr_array, csc_array, coo_array, csr_matrix])
def test_sparse_tables_are_read(kind):
    X = np.array([[0.0, 1.5, 0.0], [2.0, 0.0, np.nan]])
    table = as_table(kind(X))
    np.testing.assert_array_equal(table.matrix(), X)
    np.testing.assert_array_equal(table.block(1, 3), X[:, 1:].T)
    assert as_table(kind(X), categorical=[1]).block(1, 2)[0].tolist() == [1, 0]


def test_masked_arrays_have_missing_values():
    X = np.ma.masked_array([[1, 2], [3, 4]], [[False, True], [False, False]])
    np.testing.assert_array_equal(as_table(X).matrix(), [[1.0, np.nan], [3.0, 4.0]])


def test_a_masked_array_without_a_mask_is_an_array():
    X = np.array([[1, 2**53], [3, 4]])
    np.testing.assert_array_equal(plain_array(np.ma.masked_array(X)), X)
    assert plain_array(np.ma.masked_array(X, np.zeros((2, 2), bool))).dtype == X.dtype


def test_a_table_is_made_once_with_all_that_it_is_made_of():
    table = as_table([[1.0], [2.0]])
    assert as_table(table) is table
    for changes in ({"categorical": [0]}, {"sample_weight": [1, 2]}):
        with pytest.raises(ValueError, match=f"{next(iter(changes))} must be .* where X is a Table"):
            as_table(table, **changes)


def test_an_array_of_bytes_without_a_meaning_is_refused():
    with pytest.raises(ValueError, match=r"X must hold .*\|V4"):
        as_table(np.zeros((3, 2), "V4"))


def test_numbers_can_be_taken_as_categories():
    X = np.array([[10, 1.0], [30, np.nan], [10, 3.0]])
    for categorical in ([0, 1], [True, True]):
        table = as_table(X, categorical=categorical)
        assert [x.tolist() for x in table.block(0, 2)] == [[0, 1, 0], [0, -1, 1]]
    frame = pd.DataFrame({"code": [10, 30, 10], "x": [1.0, 2.0, 3.0]})
    assert as_table(frame, categorical=["code"]).categorical.tolist() == [True, False]
    assert as_table(frame, categorical="code").categorical.tolist() == [True, False]


def test_categories_of_several_kinds_are_fine_where_asked_for():
    X = np.array([["a"], [1], [2.5], ["a"]], dtype=object)
    codes = as_table(X, categorical=[0]).block(0, 1)[0]
    assert codes[0] == codes[3]
    assert sorted(set(codes.tolist())) == [0, 1, 2]


@pytest.mark.parametrize(
    "codes",
    [
        pd.DataFrame({"c": pd.Categorical([30, 10, None, 30])}),
        pd.DataFrame({"c": pd.Categorical(["b", "a", None, "b"])}),
        pd.DataFrame({"c": pd.Categorical([1.5, 0.5, None, 1.5])}),
        pd.DataFrame({"c": pd.cut(pd.Series([9.0, 1.0, None, 9.0]), 2)}),
        pa.table({"c": pa.array([30, 10, None, 30]).dictionary_encode()}),
    ],
)
def test_categories_are_categories_whatever_they_are_of(codes):
    table = as_table(codes)
    assert table.categorical.tolist() == [True]
    assert table.block(0, 1)[0].tolist() == [1, 0, -1, 1]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_every_nan_is_the_same_missing_category(library):
    X = library({"c": np.array([1.0, np.nan, 2.0, np.nan, 1.0])})
    assert as_table(X, categorical=["c"]).block(0, 1)[0].tolist() == [0, -1, 1, -1, 0]


@pytest.mark.parametrize(
    "X",
    [
        np.array([[0, 2**53], [0, 1]]),
        np.array([[0, -(2**63)], [0, 1]]),
        np.array([[0, 2**63], [0, 1]], np.uint64),
        [[0, 2**53], [0, 1]],
        csr_array([[0, 2**53], [0, 1]]),
        np.ma.masked_array([[0, 2**53], [0, 1]], [[False, False], [False, True]]),
        np.array([[0, None], [0, 2**53]], object),
        np.array([[0, 10**400], [0, 1]], object),
        pd.DataFrame({"a": [0, 0], "b": [2**53, 1]}),
        pd.DataFrame({"a": [0, 0], "b": pd.array([None, 2**53], "Int64")}),
        pl.DataFrame({"a": [0, 0], "b": pl.Series([None, 2**53], dtype=pl.Int128)}),
        pl.DataFrame({"a": [0, 0], "b": [None, -(2**53)]}),
    ],
)
def test_integers_that_floats_cannot_tell_apart_are_refused_unless_excluded_or_categories(X):
    name = "'b'" if hasattr(X, "columns") else "1"
    with pytest.raises(ValueError, match=rf"feature {name} holds integers of 2\^53 or more.*\(.*exclude it"):
        as_table(X)
    assert as_table(X, exclude=[1]).n_features == 2
    assert as_table(X, categorical=[1]).categorical.tolist() == [False, True]


def test_large_floats_and_integers_just_below_the_limit_are_read():
    X = np.array([[2**53 - 1, 0], [-(2**53) + 1, 0]])
    np.testing.assert_array_equal(as_table(X).matrix(), X)
    assert as_table([[1e300, 0.0]]).matrix().tolist() == [[1e300, 0.0]]


def test_decimals_and_numbers_in_objects_are_numbers():
    X = np.array([[decimal.Decimal("1.5"), 1], [2, None]], dtype=object)
    np.testing.assert_array_equal(as_table(X).matrix(), [[1.5, 1.0], [2.0, np.nan]])
    frame = pl.DataFrame({"d": ["1.5", "2.5"]}).with_columns(pl.col("d").cast(pl.Decimal(10, 2)))
    assert as_table(frame).matrix()[:, 0].tolist() == [1.5, 2.5]


def test_true_and_false_count_as_numbers_and_as_categories():
    table = as_table(np.array([[True, False], [False, False]]))
    assert table.categorical.all()
    np.testing.assert_array_equal(table.matrix(), [[1, 0], [0, 0]])
    missing = as_table(np.array([[True], [None]], dtype=object))
    np.testing.assert_array_equal(missing.matrix(), [[1.0], [np.nan]])


def test_a_table_is_returned_as_it_is():
    table = as_table([[1.0]])
    assert as_table(table) is table
    with pytest.raises(ValueError, match="sample_weight must be None where X is a Table"):
        as_table(table, sample_weight=[1.0])


def test_samples_of_no_weight_are_left_out():
    table = as_table([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]], sample_weight=[2, 0, 1])
    assert table.n_samples == 2
    assert table.kept_samples.tolist() == [0, 2]
    assert table.weights.tolist() == [2.0, 1.0]
    assert table.block(1, 2)[0].tolist() == [5.0, 7.0]
    assert table.matrix().tolist() == [[1.0, 5.0], [3.0, 7.0]]


def test_weights_of_one_are_none():
    assert as_table([[1.0], [2.0]], sample_weight=[1, 1]).weights is None
    assert as_table([[1.0], [2.0]], sample_weight=[0.3, 0.3]).weights is None
    assert as_table([[1.0], [2.0]], sample_weight=[2, 2]).weights.tolist() == [2.0, 2.0]


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=20), st.floats(0.1, 10))
def test_fractional_weights_have_an_average_of_one_whatever_their_scale(weights, scale):
    scaled = counted_weights(np.array([w * scale + 0.001234 for w in weights]))
    if scaled is not None and not (scaled == np.floor(scaled)).all():
        assert scaled.mean() == pytest.approx(1.0)


def test_a_weight_of_next_to_nothing_beside_the_others_stays_above_zero():
    for others in (1.5, 1.5e300):
        table = as_table([[1.0], [2.0], [3.0]], sample_weight=[1e-300, others, 3 * others])
        assert 0.0 < table.weights[0] < 1e-290
        assert table.weights[1:].tolist() == pytest.approx([0.75, 2.25])


def test_weights_of_some_samples_know_nothing_of_those_of_others():
    X, w = np.arange(6.0)[:, None], np.array([0.5, 1.5, 0.7, 1.0, 2.0, 3.0])
    rows = np.array([0, 1, 2])
    expected = as_table(X[:3], sample_weight=w[:3]).weights
    for others in (1.0, 1000.0):
        table = as_table(X, sample_weight=np.where(np.arange(6) < 3, w, w * others))
        np.testing.assert_array_equal(table.samples(rows).weights, expected)
    whole = as_table(X, sample_weight=w).samples(np.array([3, 4, 5]))
    assert whole.weights.tolist() == [1.0, 2.0, 3.0]


def test_samples_can_be_taken_and_keep_their_codes():
    X = np.arange(12.0).reshape(4, 3)
    table = as_table(X, sample_weight=[1, 0, 2, 3])
    codes = feature_codes(table, bins=5).values
    rows = np.array([2, 0, 0])
    taken = table.samples(rows)
    np.testing.assert_array_equal(taken.matrix(), X[[3, 0, 0]])
    assert taken.weights.tolist() == [3.0, 1.0, 1.0]
    np.testing.assert_array_equal(taken.codes_by_bins[5, "apart"].values, codes[:, rows])
    assert taken.codes_by_bins[5, "apart"].weights.tolist() == [3.0, 1.0, 1.0]
    again = taken.samples(np.array([0]))
    np.testing.assert_array_equal(again.matrix(), X[[3]])


def test_weights_that_are_not_whole_have_an_average_of_one_in_every_part():
    table = as_table(np.arange(4.0)[:, None], sample_weight=[0.5, 1.5, 2.5, 3.5])
    feature_codes(table, bins=3)
    part = table.samples(np.array([0, 3]))
    assert part.weights.tolist() == [0.25, 1.75]
    assert part.codes_by_bins[3, "apart"].weights.tolist() == [0.25, 1.75]


def test_a_shuffled_table_has_the_same_values_feature_by_feature():
    X = np.arange(40.0).reshape(10, 4)
    shuffled = as_table(X).shuffled(0)
    assert isinstance(shuffled, Table)
    assert not np.array_equal(shuffled.matrix(), X)
    np.testing.assert_array_equal(np.sort(shuffled.matrix(), axis=0), X)
    np.testing.assert_array_equal(as_table(X).shuffled(0).matrix(), shuffled.matrix())


NOW = datetime.datetime(2020, 1, 1)
REFUSED = {
    "one-dimensional": ([1.0, 2.0], ValueError, r"X must be two-dimensional .*, got shape \(2,\)"),
    "nothing": (None, ValueError, "X must be a table, .* got NoneType"),
    "a mapping": ({"a": [1]}, ValueError, r"X must be a table, .* got dict.*pandas.DataFrame"),
    "mappings": ([{"a": 1}], ValueError, r"pandas.DataFrame\(X\) may make a table of it"),
    "arrow, two of a name": (
        pa.table([[1], [2]], names=["a", "a"]),
        ValueError,
        "distinct, but 'a' occurs twice",
    ),
    "ragged": ([[1], [2, 3]], ValueError, "the rows of this list differ"),
    "no samples": (
        np.empty((0, 3)),
        ValueError,
        r"X has 0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1",
    ),
    "no features": (
        np.empty((3, 0)),
        ValueError,
        r"X has 0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1",
    ),
    "infinity": ([[1.0, np.inf]], ValueError, "X must not hold infinities, but feature 1 is inf at sample 0"),
    "named infinity": (pd.DataFrame({"q": [1, -np.inf]}), ValueError, "but feature 'q' is -inf at sample 1"),
    "sparse infinity": (csr_array([[0.0, np.inf]]), ValueError, "but feature 1 is inf at sample 0"),
    "infinity among objects": (
        np.array([[None], [np.inf]], object),
        ValueError,
        "feature 0 is inf at sample 1",
    ),
    "complex": ([[1j]], ValueError, "Complex data not supported"),
    "complex objects": (np.array([[1j]], object), ValueError, "feature 0 holds complex numbers"),
    "months": (np.array([[1]], "m8[M]"), ValueError, "durations must .*timedelta64.M."),
    "pandas periods": (
        pd.DataFrame({"p": pd.period_range("2020", periods=1, freq="D")}),
        ValueError,
        "feature 'p' holds periods of time",
    ),
    "dates and durations": (
        np.array([[NOW], [NOW - NOW]], object),
        ValueError,
        "feature 0 holds values of different kinds",
    ),
    "polars lists": (pl.DataFrame({"many": [[1]]}), TypeError, "feature 'many' holds nested values"),
    "polars structs": (pl.DataFrame({"deep": [{"a": 1}]}), TypeError, "feature 'deep' holds nested values"),
    "pandas lists": (
        pd.DataFrame({"many": [[1]]}),
        TypeError,
        r"feature 'many' holds nested values \(list\)",
    ),
    "dictionaries": (np.array([[{}]], object), TypeError, r"feature 0 holds nested values \(dict\)"),
    "tuples": (pd.DataFrame({"t": [(1, 2)]}), TypeError, r"feature 't' holds nested values \(tuple\)"),
    "text and numbers": (
        [["a"], [1]],
        ValueError,
        r"feature 0 holds values of different kinds \(int and str\)",
    ),
    "two of a name": (
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        ValueError,
        "distinct, but 'a' occurs twice",
    ),
    "lazy": (
        pl.DataFrame({"a": [1]}).lazy(),
        TypeError,
        "must be a table in memory, got a lazy LazyFrame: collect it",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_place_in_a_table_is_refused_in_words(name):
    X, kind, words = REFUSED[name]
    with pytest.raises(kind, match=words):
        as_table(X)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([0, 0], "sample_weight must not be zero for every sample"),
        ([1, -1], "sample_weight must be finite and not negative, but sample 1 has -1.0"),
        ([np.nan, 1], "sample_weight must be finite and not negative, but sample 0 has nan"),
        ([1, 2, 3], r"sample_weight must be 2 numbers, one for each sample, got shape \(3,\)"),
        ([[1], [2]], r"sample_weight must be 2 numbers, one for each sample, got shape \(2, 1\)"),
        (["a", "b"], "sample_weight must be numbers, one for each sample"),
        (np.array(["2020", "2021"], "M8[Y]"), "sample_weight must be numbers, one for each sample"),
        ([1e308, 1e308], "sample_weight must have a finite sum"),
        (np.ma.masked_array([1.0, 2.0], [True, False]), "sample_weight must be finite"),
    ],
)
def test_wrong_weights_are_refused_in_words(weights, words):
    with pytest.raises(ValueError, match=words):
        as_table([[1.0], [2.0]], sample_weight=weights)


def test_a_measure_of_numbers_refuses_categories_by_name():
    table = as_table(pd.DataFrame({"x": [1.0, 2.0], "city": ["a", "b"]}))
    with pytest.raises(
        ValueError, match="needs numbers, but feature 'city' holds categories: use MutualInformation"
    ):
        table.matrix()
