"""The counting kernels against their naive twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import oracles
from quboselect._kernels import counting
from quboselect.counting.entropies import entropy_terms


def random_codes(seed, sizes, n_samples, dtype=np.uint8):
    rng = np.random.default_rng(seed)
    # Squared, so that small codes are frequent and large ones rare or absent.
    return np.stack([(rng.random(n_samples) ** 2 * size).astype(dtype) for size in sizes])


@settings(deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_the_entropy_of_a_table_is_the_sum_of_its_terms(rows, columns, data):
    counts = data.draw(arrays(np.uint32, rows * columns, elements=st.integers(0, 50)))
    counts[0] += 1
    got = counting.table_entropy(counts, rows, columns, entropy_terms(int(counts.sum())), np.empty(columns))
    assert got == pytest.approx(oracles.entropy(counts.astype(int)), abs=1e-12)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("n_samples", [1, 2, 63, 500])
def test_counting_by_samples_agrees_with_its_twin(n_samples, dtype):
    sizes = np.array([1, 2, 7, 20, 60])
    values = random_codes(0, sizes, n_samples, dtype)
    rows = np.array([4, 0, 2, 3])
    for i, size in enumerate(sizes):
        got = counting.entropies_with(values[i], size, values, sizes, rows, entropy_terms(n_samples))
        expected = [oracles.joint_entropy(values[i], values[j]) for j in rows]
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


def test_counting_by_samples_agrees_with_its_twin_where_the_table_would_be_mostly_empty():
    sizes = np.array([300, 400, 2])
    values = random_codes(1, sizes, 200, np.uint16)
    got = counting.entropies_with(values[0], 300, values, sizes, np.arange(3), entropy_terms(200))
    np.testing.assert_allclose(got, [oracles.joint_entropy(values[0], v) for v in values], rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("n_samples", [1, 2, 63, 500])
def test_counting_weighted_samples_agrees_with_its_twin(n_samples, dtype):
    sizes = np.array([1, 2, 7, 20, 60])
    values = random_codes(0, sizes, n_samples, dtype)
    weights = np.random.default_rng(1).integers(1, 2**52, n_samples)
    rows = np.array([4, 0, 2, 3])
    for i, size in enumerate(sizes):
        got = counting.weighted_entropies_with(values[i], size, values, sizes, rows, weights, 0.0)
        expected = [oracles.weighted_entropy(weights.tolist(), values[i], values[j]) for j in rows]
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


def test_counting_weighted_samples_agrees_with_its_twin_where_the_table_would_be_mostly_empty():
    sizes = np.array([300, 400, 2])
    values = random_codes(1, sizes, 200, np.uint16)
    weights = np.random.default_rng(2).integers(1, 9, 200)
    got = counting.weighted_entropies_with(values[0], 300, values, sizes, np.arange(3), weights, 0.5)
    occupied = [len(set(zip(values[0].tolist(), v.tolist(), strict=True))) for v in values]
    plain = [oracles.weighted_entropy(weights.tolist(), values[0], v) for v in values]
    np.testing.assert_allclose(got, np.add(plain, 0.5 * np.array(occupied)), rtol=0, atol=1e-12)


def test_samples_are_grouped_by_code_in_their_order():
    x = random_codes(4, [9], 100)[0]
    order, starts = counting.grouped(x, 9)
    np.testing.assert_array_equal(order, np.argsort(x, kind="stable"))
    np.testing.assert_array_equal(starts, [(x < code).sum() for code in range(10)])


@pytest.mark.parametrize("skip", [0, 1])
@pytest.mark.parametrize("n_samples", [1, 63, 64, 65, 500])
def test_bit_planes_agree_with_their_twin(n_samples, skip):
    sizes = np.array([2, 5, 20])
    values = random_codes(2, sizes, n_samples)
    features = np.array([2, 0, 1])
    starts = np.concatenate([[0], np.cumsum(sizes[features] - skip)])
    planes = np.zeros((starts[-1], n_samples // 64 + 3), np.uint64)
    margins = np.zeros(starts[-1], np.int64)
    counting.fill_planes(values, features, starts, 0, 2, skip, planes, margins)
    counting.fill_planes(values, features, starts, 2, 3, skip, planes, margins)
    expected = np.concatenate([oracles.bit_planes(values[f], sizes[f], skip) for f in features])
    np.testing.assert_array_equal(planes[:, : expected.shape[1]], expected)
    assert not planes[:, expected.shape[1] :].any()
    np.testing.assert_array_equal(margins, [sum(int(w).bit_count() for w in plane) for plane in planes])


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 9), st.integers(1, 9), st.integers(1, 20), st.integers(1, 25), st.integers(0, 2**32 - 1)
)
def test_common_ones_agree_with_their_twin(height, width, n_words, chunk, seed):
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(0, 2**64, (n, n_words), dtype=np.uint64) for n in (height, width))
    out = np.zeros((height + 3, width + 3), np.uint32)
    counting.common_ones(a, b, chunk, out)
    np.testing.assert_array_equal(out[:height, :width], oracles.common_ones(a, b))


@pytest.mark.parametrize("n_samples", [1, 64, 300])
def test_entropies_of_a_tile_agree_with_their_twin(n_samples):
    sizes = np.array([2, 5, 20, 3, 2, 9])
    values = random_codes(3, sizes, n_samples)
    terms = entropy_terms(n_samples)

    def planes(skip):
        bits = [oracles.bit_planes(v, s, skip) for v, s in zip(values, sizes, strict=True)]
        return np.concatenate([[0], np.cumsum(sizes - skip)]), np.concatenate(bits)

    starts, bits = planes(1)
    all_starts, all_bits = planes(0)
    margins = np.array([sum(int(w).bit_count() for w in plane) for plane in bits])
    for i0, i1, j0, j1 in [(0, 3, 0, 3), (0, 3, 3, 6), (3, 6, 3, 6)]:
        expected = np.array([[oracles.joint_entropy(a, b) for b in values[j0:j1]] for a in values[i0:i1]])
        common = np.zeros((starts[i1] - starts[i0] + 3, starts[j1] - starts[j0] + 3), np.uint32)
        counting.common_ones(bits[starts[i0] : starts[i1]], bits[starts[j0] : starts[j1]], 8, common)
        counted = counting.tile_entropies(common, margins, starts, n_samples, i0, i1, j0, j1, terms)
        words = np.ascontiguousarray(all_bits.T)
        short = counting.short_entropies(words, all_starts, i0, i1, j0, j1, terms)
        np.testing.assert_allclose(short, expected, rtol=0, atol=1e-12)
        later = np.arange(i0, i1)[:, None] < np.arange(j0, j1)
        np.testing.assert_array_equal(counted[later], short[later])
        assert not counted[~later].any()
