"""Rows: the matrix of redundancy a row at a time, the same numbers, kept up to a limit."""

import pickle
import re
import sys
from dataclasses import replace

import numpy as np
import pytest

from quboselect import Tradeoff
from quboselect.counting import gpu
from quboselect.counting.bins import Codes
from quboselect.counting.entropies import joint_entropies
from quboselect.errors import MissingExtra
from quboselect.redundancy import (
    CoInformation,
    Correlation,
    MutualInformation,
    SymmetricalRelevance,
    information,
    pairs,
)
from quboselect.redundancy.rows import Rows, summed_rows


def table(seed=0, n=30, samples=200):
    """Return a table with a constant feature, two copies, and features of few codes and of many."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(samples, n))
    X[:, 3] = 1.0
    X[:, 5] = X[:, 4]
    X[:, 6] = rng.integers(0, 3, samples)
    return X


def counting(matrix, asked, **limits):
    """Return rows of a matrix that write down which were asked for."""

    def pairs(features, others):
        asked.append(features.tolist())
        return matrix[features] if others is None else matrix[np.ix_(features, others)]

    return Rows(len(matrix), pairs, **limits)


def random_matrix(n, seed=0):
    upper = np.triu(np.random.default_rng(seed).random((n, n)), 1).astype(np.float32)
    return upper + upper.T


PAPER = MutualInformation(bins=20, edges="quantile")  # more codes than are counted at once
WEIGHTS = {
    "none": None,
    "whole": np.arange(200) % 3,
    "large": 1 + np.arange(200) % 9,
    "any": 0.1 + np.arange(200) / 100,
}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("estimate", ["plug-in", "miller-madow", "shrunk"])
def test_rows_of_mutual_information_are_those_of_the_matrix(estimate, normalised, weights):
    X, w = table(), WEIGHTS[weights]
    measure = MutualInformation(bins=20, edges="quantile", estimate=estimate, normalised=normalised)
    R, rows = measure(X, sample_weight=w), measure.rows(X, sample_weight=w)
    np.testing.assert_allclose(rows.take(np.arange(30)), R, rtol=2e-7, atol=2e-7)
    np.testing.assert_allclose(rows.matrix(), R, rtol=2e-7, atol=2e-7)
    assert rows.matrix().dtype == np.float32
    assert not rows.take([3]).any()
    assert rows.known is None


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("estimate", ["plug-in", "miller-madow", "shrunk"])
def test_all_rows_of_few_codes_are_counted_at_once_and_are_those_of_one_after_another(
    estimate, normalised, weights, monkeypatch
):
    X, w = table(), WEIGHTS[weights]
    measure = MutualInformation(estimate=estimate, normalised=normalised)
    rows = measure.rows(X, sample_weight=w)
    at_once = rows.matrix()
    assert rows.at_once is not None
    np.testing.assert_array_equal(at_once, measure(X, sample_weight=w).astype(np.float32))
    np.testing.assert_allclose(rows.take(np.arange(30)), at_once, rtol=2e-7, atol=2e-7)
    monkeypatch.setattr(pairs, "MOST_AT_ONCE", 29)
    one_by_one = measure.rows(X, sample_weight=w)
    assert one_by_one.at_once is None
    np.testing.assert_allclose(one_by_one.matrix(), at_once, rtol=2e-7, atol=2e-7)
    np.testing.assert_array_equal(one_by_one.take([7, 3]), one_by_one.matrix()[[7, 3]])


@pytest.mark.parametrize(
    "measure",
    [
        CoInformation(),
        CoInformation("auto", together="auto"),
        CoInformation(together=0.5),
        CoInformation(clipped=True),
        SymmetricalRelevance(),
    ],
)
def test_rows_by_class_are_the_same_at_once_and_one_after_another(measure, monkeypatch):
    X, y = table(), np.arange(200) % 3
    rows = measure.rows(X, y)
    at_once = rows.matrix()
    assert rows.signed == measure.signed
    np.testing.assert_array_equal(at_once, measure(X, y).astype(np.float32))
    monkeypatch.setattr(pairs, "MOST_AT_ONCE", 29)
    one_by_one = measure.rows(X, y)
    assert one_by_one.at_once is None
    np.testing.assert_allclose(one_by_one.matrix(), at_once, rtol=2e-6, atol=2e-7)


def test_what_is_counted_at_once_has_few_codes_and_not_too_many_features():
    assert MutualInformation(bins=8).rows(table()).at_once is not None
    assert MutualInformation(bins=9).rows(table()).at_once is None


def test_features_of_very_many_codes_are_counted_too():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.permutation(600), rng.permutation(600), rng.integers(0, 2, 600)])
    measure = MutualInformation(bins=600)
    np.testing.assert_allclose(measure.rows(X).matrix(), measure(X), rtol=1e-6)


@pytest.mark.parametrize("ranks", [False, True])
@pytest.mark.parametrize("weights", [None, np.arange(200) / 100 + 0.1])
def test_rows_of_correlation_are_those_of_the_matrix(ranks, weights):
    X, measure = 1e3 * table() + 1e6, Correlation(ranks=ranks)
    rows = measure.rows(X, sample_weight=weights)
    np.testing.assert_allclose(rows.matrix(), measure(X, sample_weight=weights), atol=1e-6)
    np.testing.assert_allclose(rows.take([7, 3]), rows.matrix()[[7, 3]], atol=1e-6)


def test_correlation_has_no_rows_where_values_are_missing():
    X = table()
    X[0, 0] = np.nan
    assert Correlation().rows(X) is None


def test_a_whole_matrix_is_symmetric_to_the_last_bit_closed_and_has_a_zero_diagonal():
    whole = PAPER.rows(table(n=150)).matrix()
    np.testing.assert_array_equal(whole, whole.T)
    assert not np.diagonal(whole).any()
    assert not whole.flags.writeable


def test_threads_change_nothing():
    X = table(n=80)
    for cut in ({}, {"bins": 20, "edges": "quantile"}):
        one, two = (MutualInformation(**cut, n_jobs=jobs).rows(X).matrix() for jobs in (1, 2))
        np.testing.assert_array_equal(one, two)


def test_a_row_is_computed_once_while_it_is_kept():
    asked, R = [], random_matrix(6)
    rows = counting(R, asked)
    np.testing.assert_array_equal(rows.take([4, 1, 4]), R[[4, 1, 4]])
    np.testing.assert_array_equal(rows.take([1, 2]), R[[1, 2]])
    assert asked == [[4, 1], [2]]
    assert rows.computed == 3
    assert rows.kept == 3 * 6 * 4


def test_the_row_that_was_not_asked_for_longest_is_forgotten_first():
    asked = []
    rows = counting(random_matrix(6), asked, limit=2 * 6 * 4)
    rows.take([0])
    rows.take([1])
    rows.take([0])
    rows.take([2])
    assert rows.kept <= 2 * 6 * 4
    asked.clear()
    rows.take([0])
    assert not asked
    rows.take([1])
    assert asked == [[1]]


def test_pairs_among_features_use_kept_rows_and_compute_no_whole_others():
    asked, R = [], random_matrix(6)
    rows = counting(R, asked)
    rows.take([4])
    asked.clear()
    np.testing.assert_array_equal(rows.among([4, 0, 5]), R[np.ix_([4, 0, 5], [4, 0, 5])])
    assert asked == [[0, 5]]
    assert rows.computed == 1


KINDS = {
    "matrix": lambda: Rows.of(random_matrix(30)),
    "few codes": lambda: MutualInformation().rows(table()),
    "information": lambda: PAPER.rows(table()),
    "normalised": lambda: replace(PAPER, normalised=True).rows(table(), sample_weight=WEIGHTS["any"]),
    "correlation": lambda: Correlation().rows(table()),
    "ranks": lambda: Correlation(ranks=True).rows(table()),
}


@pytest.mark.parametrize("kept", [0, 7, 30])
@pytest.mark.parametrize("kind", KINDS)
def test_features_may_be_asked_for_in_any_order_some_or_all_of_them(kind, kept):
    whole = KINDS[kind]().matrix()
    for seed in range(4):
        rows, order = KINDS[kind](), np.random.default_rng(seed).permutation(30)
        rows.take(order[:kept])
        for features in (order, order[:11], order[::-1], [*order, *order[:3]]):
            some = np.ix_(features, features)
            np.testing.assert_allclose(rows.among(features), whole[some], atol=1e-6)
            np.testing.assert_allclose(rows.take(features), whole[features], atol=1e-6)
            np.testing.assert_allclose(
                rows.pairs(order[:5], np.asarray(features)), whole[order[:5]][:, features], atol=1e-6
            )
        np.testing.assert_allclose(rows.pairs(order[:5], None), whole[order[:5]], atol=1e-6)


def test_of_a_measure_whose_rounding_depends_on_the_order_the_lower_feature_is_believed():
    R = random_matrix(5).astype(np.float64)
    R[3, 1] += 1e-3
    among = Rows(5, lambda a, b: R[np.ix_(a, b)]).among([3, 1])
    np.testing.assert_array_equal(among, np.float32(R[1, 3]) * (1 - np.eye(2)))


@pytest.mark.parametrize(("wrong", "said"), [(-1.0, "is -1"), (np.nan, "is nan"), (np.inf, "is inf")])
def test_what_is_no_redundancy_is_named(wrong, said):
    R = random_matrix(5)
    R[2, 4] = wrong
    with pytest.raises(ValueError, match=rf"finite and not negative; entry \(2, 4\) {said}"):
        Rows.of(R).take([2])


def test_rows_of_a_wrong_shape_are_refused():
    with pytest.raises(ValueError, match=r"must have shape \(1, 5\), got \(5, 5\)"):
        Rows(5, lambda a, b: np.zeros((5, 5))).take([2])


def test_rows_of_a_matrix_know_it_and_others_know_none():
    R = random_matrix(5)
    assert Rows.of(R).known is R
    assert pickle.loads(pickle.dumps(Rows.of(R))).known.tolist() == R.tolist()
    assert PAPER.rows(table()).known is None


def test_rows_are_pickled_without_what_they_kept():
    rows = PAPER.rows(table())
    before = rows.take([4])
    again = pickle.loads(pickle.dumps(rows))
    assert (again.kept, again.size, again.work, again.shape) == (0, 30, rows.work, (30, 30))
    np.testing.assert_array_equal(again.take([4]), before)


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_and_a_pair_are_had_by_their_numbers(kind):
    rows, whole = KINDS[kind](), KINDS[kind]().matrix()
    for i in (0, 4, 29, -1, np.int64(6)):
        np.testing.assert_allclose(rows[i], whole[i], atol=1e-6)
        for j in (5, -30, 29):
            assert rows[i, j] == pytest.approx(whole[i, j], abs=1e-6)
    assert isinstance(rows[4, 5], float)


@pytest.mark.parametrize(
    "key", [slice(3), [0, 1], np.ix_([0], [1]), (0, 1, 2), True, 1.0, (), "age"], ids=repr
)
def test_other_parts_are_refused_and_what_gives_them_is_named(key):
    with pytest.raises(TypeError, match=r"rows\[i, j\].*got .*\.take\(features\).*\.among\(features\)"):
        Rows.of(random_matrix(5))[key]


@pytest.mark.parametrize("key", [5, -6, (0, 5)])
def test_features_that_are_not_there_are_named(key):
    with pytest.raises(IndexError, match="there are 5 features, from 0 to 4, got"):
        Rows.of(random_matrix(5))[key]


def test_rows_do_not_become_a_matrix_unasked():
    rows = Rows(30_000, lambda features, others: np.zeros((features.size, 30_000)))
    for make in (
        np.asarray,
        np.array,
        lambda rows: np.asarray(rows, np.float64),
        lambda rows: rows + np.ones(2),
    ):
        with pytest.raises(TypeError):
            make(rows)
    with pytest.raises(TypeError, match=r"30000 features .* would take 3\.6 GB .* use \.among\(features\)"):
        np.asarray(rows)


def test_a_tradeoff_of_rows_has_no_qubo_and_says_how_to_make_one_of_a_part():
    rows, importance = Rows.of(random_matrix(8)), np.arange(8.0)
    words = r"must be a matrix .*Rows\(8 features.*Tradeoff\(importance\[features\], redundancy\.among\(features\)\)"
    with pytest.raises(TypeError, match=words):
        Tradeoff(importance, rows).at(0.5)
    assert Tradeoff(importance[[2, 1]], rows.among([2, 1])).redundancy[0, 1] == random_matrix(8)[2, 1]


def test_rows_are_forgotten_down_to_a_limit_and_made_again():
    asked, R = [], random_matrix(6)
    rows = counting(R, asked)
    rows.take([0, 1, 2, 3])
    rows.forget(2 * 6 * 4 + 5)
    assert rows.kept == 2 * 6 * 4
    asked.clear()
    np.testing.assert_array_equal(rows.take([2, 3, 0]), R[[2, 3, 0]])
    assert asked == [[0]]
    rows.forget()
    assert rows.kept == 0


def counted_by(asked):
    """Return a stand-in for the device that counts on the processor, and writes down how many features it was given."""

    def entropies_by_products(codes, features, terms, extra, device):
        asked.append((device, features.size))
        some = Codes(codes.values[features], codes.sizes[features], codes.weights)
        return joint_entropies(some) + extra

    return entropies_by_products


def test_a_device_counts_all_rows_at_once_up_to_a_number_of_features(monkeypatch):
    asked = []
    monkeypatch.setattr(information, "device_of", lambda device: None)
    monkeypatch.setattr(gpu, "entropies_by_products", counted_by(asked))
    X, on_device = table(), replace(PAPER, device="cuda")
    rows = on_device.rows(X)
    assert asked == [("cuda", 29)]  # all but the constant feature
    assert rows.known.dtype == np.float32
    assert rows.computed == 30
    np.testing.assert_allclose(rows.known, PAPER.rows(X).matrix(), atol=1e-6)
    monkeypatch.setattr(information, "MOST_ON_DEVICE", 29)
    assert on_device.rows(X).known is None
    assert len(asked) == 1


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_rows_counted_by_torch_are_those_of_the_processor(device):
    torch = pytest.importorskip("torch")
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("no CUDA device here")
    for options in ({}, {"estimate": "miller-madow"}, {"normalised": True}):
        rows = MutualInformation(**options, device=device).rows(table())
        np.testing.assert_array_equal(rows.known, MutualInformation(**options)(table()).astype(np.float32))


@pytest.mark.parametrize("device", ["cuda:99", "gpu"])
def test_rows_are_refused_a_device_that_the_matrix_is_refused(device):
    pytest.importorskip("torch")
    with pytest.raises(ValueError, match=rf"got '{device}' \(.*\): use device=None"):
        MutualInformation(device=device).rows(table())


def test_without_torch_rows_say_what_a_device_needs(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"device='cuda' needs torch, .*: pip install"):
        MutualInformation(device="cuda").rows(table())


def test_rows_that_are_signed_may_be_negative_but_must_be_finite():
    R = np.array([[0, -1, 2], [-1, 0, -3], [2, -3, 0]], np.float32)
    rows = Rows.of(R, signed=True)
    np.testing.assert_array_equal(rows.take([1, 2]), R[1:])
    np.testing.assert_array_equal(rows.matrix(), R)
    with pytest.raises(ValueError, match=r"not negative; entry \(0, 1\) is -1"):
        Rows.of(R).take([0])
    for wrong in (np.nan, np.inf, -np.inf):
        bad = R.copy()
        bad[0, 1] = wrong
        with pytest.raises(ValueError, match=r"finite; entry \(0, 1\)"):
            Rows.of(bad, signed=True).take([0])


@pytest.mark.parametrize("known", [[True, True], [True, False], [False, False]])
def test_rows_of_several_measures_add_up(known):
    rng = np.random.default_rng(0)
    matrices = []
    for _ in known:
        R = np.triu(rng.random((7, 7)), 1).astype(np.float32)
        matrices.append(R + R.T)
    parts = [
        Rows.of(R) if matrix else Rows(7, lambda i, j, R=R: R[i] if j is None else R[np.ix_(i, j)], work=5.0)
        for R, matrix in zip(matrices, known, strict=True)
    ]
    both, naive = summed_rows(parts), matrices[0] + matrices[1]
    np.testing.assert_allclose(both.take(range(7)), naive, rtol=1e-6)
    np.testing.assert_allclose(both.among([5, 1, 2]), naive[np.ix_([5, 1, 2], [5, 1, 2])], rtol=1e-6)
    assert (both.known is not None) == all(known)
    np.testing.assert_array_equal(parts[0].take([3])[0], matrices[0][3])  # not added to in place
    assert summed_rows([*parts, None]) is None


@pytest.mark.parametrize("scale", [1e-290, 1e-108, 1e-39, 1e31, 1e39, 1e290])
def test_numbers_that_single_precision_would_lose_are_refused_in_words(scale):
    matrix = np.zeros((3, 3))
    matrix[0, 1] = matrix[1, 0] = scale
    rows = Rows(
        3, lambda features, others: matrix[features] if others is None else matrix[np.ix_(features, others)]
    )
    words = rf"from 1e-30 to 1e\+30 .* entry \(0, 1\) is {re.escape(f'{scale:g}')}: multiply"
    for known in (rows, Rows.of(matrix)):
        for part in (known.take, known.among):
            with pytest.raises(ValueError, match=words):
                part([0, 1])


@pytest.mark.parametrize("scale", [1e-25, 1e-10, 1e25])
def test_numbers_of_any_other_size_are_rounded_to_single_precision(scale):
    matrix = random_matrix(4).astype(np.float64) * scale * (1.0 + 1e-9)
    np.testing.assert_array_equal(Rows.of(matrix).take(np.arange(4)), matrix.astype(np.float32))


def test_a_row_that_is_larger_than_the_limit_is_made_anew_each_time():
    asked, matrix = [], random_matrix(6)
    rows = counting(matrix, asked, limit=6 * 4 - 1)
    for _ in range(2):
        np.testing.assert_array_equal(rows.take(np.array([2])), matrix[[2]])
    assert rows.kept == 0
    assert len(asked) == 2
