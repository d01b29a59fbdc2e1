"""Entropies of codes: all routes of counting, bit planes, any weights and threads, with and without correction."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from quboselect._kernels import counting
from quboselect.counting import entropies as counts
from quboselect.counting.bins import Codes
from quboselect.counting.entropies import entropies, joint_entropies, joint_entropies_with, mutual_information

WEIGHTS = {
    "none": lambda rng, n: None,
    "ones": lambda rng, n: np.ones(n),
    "few": lambda rng, n: rng.integers(1, 4, n),
    "many": lambda rng, n: rng.integers(1, 10**6, n),
    "fractions": lambda rng, n: rng.exponential(size=n) + 1e-3,
    "far apart": lambda rng, n: 10.0 ** rng.integers(-12, 12, n),
}
ESTIMATE = {False: "plug-in", True: "miller-madow"}
SIZES = [2, 5, 20, 3, 60, 1, 300]


def random_codes(seed, sizes, n_samples, kind="none"):
    rng = np.random.default_rng(seed)
    values = np.stack([(rng.random(n_samples) ** 2 * size).astype(int) for size in sizes])
    return Codes(values, np.array(sizes), WEIGHTS[kind](rng, n_samples))


def unweighted(codes):
    return Codes(codes.values, codes.sizes)


def repeated(codes):
    return unweighted(codes).take(np.repeat(np.arange(codes.n_samples), codes.weights.astype(int)))


def all_entropies(codes, **options):
    label = Codes(codes.values[-1:], codes.sizes[-1:], codes.weights)
    alone, with_last = entropies(codes, **options), joint_entropies_with(codes, label, **options)
    return np.vstack([alone, with_last, joint_entropies(codes, **options)])


@st.composite
def small_codes(draw, kinds=("none",)):
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, 8, 20, 60]), min_size=1, max_size=6))
    seed, n_samples = draw(st.integers(0, 2**32 - 1)), draw(st.integers(1, 130))
    return random_codes(seed, sizes, n_samples, draw(st.sampled_from(kinds)))


@settings(max_examples=60, deadline=None)
@given(small_codes())
def test_entropies_agree_with_their_twins(codes):
    rows = codes.values
    expected = np.array([[oracles.joint_entropy(a, b) for b in rows] for a in rows])
    np.testing.assert_allclose(entropies(codes, n_jobs=1), np.diagonal(expected), rtol=0, atol=1e-12)
    np.testing.assert_allclose(joint_entropies(codes, n_jobs=1), expected, rtol=0, atol=1e-12)
    label = Codes(rows[:1], codes.sizes[:1])
    np.testing.assert_allclose(joint_entropies_with(codes, label, n_jobs=1), expected[0], rtol=0, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(small_codes(kinds=tuple(WEIGHTS)), st.booleans())
def test_weighted_and_corrected_entropies_agree_with_their_twins(codes, corrected):
    rows = codes.values.tolist()
    weights = [1] * codes.n_samples if codes.weights is None else codes.weights
    expected = [
        [oracles.weighted_entropy(weights, a, b, corrected=corrected) for b in rows]
        for a in [[0] * codes.n_samples, rows[-1], *rows]
    ]
    got = all_entropies(codes, estimate=ESTIMATE[corrected], n_jobs=1)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * max(1, 1 / codes.total))


@settings(max_examples=30, deadline=None)
@given(small_codes(kinds=tuple(WEIGHTS)), st.booleans())
def test_joint_entropies_are_symmetric_with_the_entropies_on_the_diagonal(codes, corrected):
    joint = joint_entropies(codes, estimate=ESTIMATE[corrected], n_jobs=1)
    np.testing.assert_array_equal(joint, joint.T)
    np.testing.assert_array_equal(
        np.diagonal(joint), entropies(codes, estimate=ESTIMATE[corrected], n_jobs=1)
    )


@pytest.mark.parametrize("corrected", [False, True])
@pytest.mark.parametrize(("most", "to_the_last_bit"), [(1, True), (2, True), (9, False)])
def test_whole_weights_are_repeated_samples(most, to_the_last_bit, corrected):
    rng = np.random.default_rng(most)
    codes = random_codes(8, SIZES, 400)
    codes = Codes(codes.values, codes.sizes, rng.integers(1, most + 1, 400))
    got = all_entropies(codes, estimate=ESTIMATE[corrected])
    expected = all_entropies(repeated(codes), estimate=ESTIMATE[corrected])
    np.testing.assert_allclose(got, expected, rtol=0, atol=0.0 if to_the_last_bit else 1e-12)


@pytest.mark.parametrize("repeats", [0, 1000])
def test_writing_samples_out_does_not_show(monkeypatch, repeats):
    codes = random_codes(9, SIZES, 300, "few")
    expected = all_entropies(codes, estimate="miller-madow")
    monkeypatch.setattr(counts, "REPEATS", repeats)
    np.testing.assert_allclose(all_entropies(codes, estimate="miller-madow"), expected, rtol=0, atol=1e-12)


def test_weights_of_one_are_no_weights():
    codes = random_codes(10, SIZES, 300, "ones")
    np.testing.assert_array_equal(all_entropies(codes), all_entropies(unweighted(codes)))


@pytest.mark.parametrize("kind", WEIGHTS)
def test_the_order_of_the_samples_does_not_show(kind):
    codes = random_codes(11, SIZES, 501, kind)
    shuffled = codes.take(np.random.default_rng(0).permutation(501))
    np.testing.assert_allclose(all_entropies(shuffled), all_entropies(codes), rtol=0, atol=1e-14)


def test_the_unit_of_the_weights_does_not_show():
    codes = random_codes(12, SIZES, 300, "fractions")
    for unit in (2.0**-40, 2.0**70):
        scaled = Codes(codes.values, codes.sizes, codes.weights * unit)
        np.testing.assert_array_equal(all_entropies(scaled), all_entropies(codes))


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("corrected", [False, True])
def test_features_that_are_constant_in_their_samples_add_exactly_nothing(kind, corrected):
    codes = random_codes(13, [300, 300, 20, 7], 200, kind)
    values = codes.values.copy()
    values[:2] = 299
    joint = joint_entropies(Codes(values, codes.sizes, codes.weights), estimate=ESTIMATE[corrected])
    alone = entropies(codes, estimate=ESTIMATE[corrected])
    assert not joint[:2, :2].any()
    np.testing.assert_array_equal(joint[:2, 2:], [alone[2:], alone[2:]])


def test_the_lightest_sample_still_occupies_its_cell():
    codes = Codes(np.array([[0, 1, 2]]), np.array([3]), np.array([1e12, 1e12, 1e-12]))
    expected = 1.0 + (3 - 1) / (2 * 2e12 * np.log(2))
    assert entropies(codes, estimate="miller-madow")[0] - 1.0 == pytest.approx(expected - 1.0, rel=1e-3)


def test_the_correction_makes_up_for_samples_that_are_few():
    rng = np.random.default_rng(14)
    codes = Codes(rng.integers(0, 8, (300, 60)), np.full(300, 8))
    plain, corrected = entropies(codes), entropies(codes, estimate="miller-madow")
    assert plain.mean() < 2.93
    assert abs(corrected.mean() - 3.0) < 0.01


@pytest.mark.parametrize("narrow", [0, 10, 1000])
def test_the_route_of_counting_does_not_show(monkeypatch, narrow):
    codes = random_codes(4, [2, 5, 20, 3, 60, 1, 11, 12] * 4, 700)
    monkeypatch.setattr(counting, "NARROW", 30)
    expected = joint_entropies(codes)
    monkeypatch.setattr(counting, "NARROW", narrow)
    np.testing.assert_array_equal(joint_entropies(codes), expected)


@pytest.mark.parametrize(("planes", "chunk"), [(1, 8), (5, 8), (64, 16), (10_000, 1024)])
def test_the_size_of_blocks_does_not_show(monkeypatch, planes, chunk):
    codes = random_codes(5, [2, 5, 20, 3] * 4, 3000)
    expected = joint_entropies(codes)
    monkeypatch.setattr(counts, "PLANES", planes)
    monkeypatch.setattr(counts, "CHUNK", chunk)
    np.testing.assert_array_equal(joint_entropies(codes), expected)


@pytest.mark.parametrize("n_jobs", [2, 3, -1, None])
@pytest.mark.parametrize("kind", ["none", "few", "fractions"])
def test_the_number_of_threads_does_not_show(kind, n_jobs):
    codes = random_codes(6, SIZES * 15, 500, kind)
    np.testing.assert_array_equal(
        all_entropies(codes, estimate="miller-madow", n_jobs=n_jobs),
        all_entropies(codes, estimate="miller-madow", n_jobs=1),
    )


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("corrected", [False, True])
def test_a_copy_of_a_feature_adds_exactly_nothing(kind, corrected):
    once = random_codes(7, [20, 60, 300], 400, kind)
    twice = Codes(np.vstack([once.values] * 2), np.concatenate([once.sizes] * 2), once.weights)
    joint = joint_entropies(twice, estimate=ESTIMATE[corrected])
    np.testing.assert_array_equal(np.diagonal(joint, 3), entropies(once, estimate=ESTIMATE[corrected]))


def test_constant_features_alone_have_no_entropy():
    assert not joint_entropies(Codes(np.zeros((3, 7), int), np.ones(3, int))).any()


def test_codes_that_never_occur_add_nothing():
    codes = Codes(np.array([[3, 3, 3], [0, 5, 5]]), np.array([9, 9]))
    assert entropies(codes)[0] == 0.0
    np.testing.assert_allclose(joint_entropies(codes)[0, 1], entropies(codes)[1], rtol=0, atol=1e-15)


def test_features_and_label_must_have_the_same_samples():
    with pytest.raises(ValueError, match="X and y must have the same number of samples, got 3 and 2"):
        joint_entropies_with(Codes(np.zeros((1, 3), int), [1]), Codes(np.zeros((1, 2), int), [1]))


def test_features_and_label_must_have_the_same_weights():
    codes = random_codes(15, [3, 4], 20, "fractions")
    words = "weights of y.*X"
    for other in (
        Codes(codes.values[:1], codes.sizes[:1], np.full(20, 0.5)),
        codes.take(np.arange(20)[::-1]),
    ):
        with pytest.raises(ValueError, match=words):
            joint_entropies_with(codes, other)
    with pytest.raises(ValueError, match=words):
        joint_entropies_with(unweighted(codes), codes)
    silent = joint_entropies_with(codes, unweighted(codes))
    np.testing.assert_array_equal(silent, joint_entropies_with(codes, codes))


def test_mutual_information_is_clipped_at_zero_and_zero_for_constants():
    first = np.array([1.0, 0.0, 1.0])
    got = mutual_information(first, np.array([1.0, 1.0, 1.0]), np.array([2.0 + 1e-15, 1.0 - 1e-15, 1.5]))
    assert got.tolist() == [0.0, 0.0, 0.5]


@pytest.mark.parametrize(("planes", "most", "chunk"), [(1, 1, 8), (5, 9, 8), (128, 512, 1024)])
@pytest.mark.parametrize("n_samples", [1, 511, 513, 3000])
def test_every_pair_of_features_is_counted_once_as_by_a_loop(monkeypatch, n_samples, planes, most, chunk):
    for name, value in (("PLANES", planes), ("MOST_PLANES", most), ("CHUNK", chunk)):
        monkeypatch.setattr(counts, name, value)
    rng = np.random.default_rng(n_samples)
    sizes = np.array([2, 5, 1, 3, 20, 4])
    codes = Codes(rng.integers(0, sizes[:, None], (6, n_samples)).astype(np.uint8), sizes)
    features = np.array([0, 1, 3, 4, 5])
    found = {}

    bits = counts.BitPlanes.of(codes, features, 1)
    starts = bits.starts
    for tile in bits.tiles:
        (i0, i1, j0, j1), common = tile, bits.common_ones(tile)
        for i in range(i0, i1):
            rows = slice(starts[i] - starts[i0], starts[i + 1] - starts[i0])
            ones = [(codes.values[features[i]] == code).sum() for code in range(1, sizes[features[i]])]
            assert bits.ones[starts[i] : starts[i + 1]].tolist() == ones
            for j in range(max(j0, i + 1), j1):
                assert (i, j) not in found
                found[i, j] = common[rows, starts[j] - starts[j0] : starts[j + 1] - starts[j0]].copy()

    assert len(found) == 10
    for (i, j), counted in found.items():
        a, b = codes.values[features[i]], codes.values[features[j]]
        shape = (sizes[features[i]] - 1, sizes[features[j]] - 1)
        expected = [[((a == c + 1) & (b == d + 1)).sum() for d in range(shape[1])] for c in range(shape[0])]
        np.testing.assert_array_equal(counted, expected)


def test_a_device_counts_whole_weights_only_and_names_the_first_other():
    codes = random_codes(0, [2, 3], 4)
    weighted = Codes(codes.values, codes.sizes, np.array([1.0, 2.0, 2.5, 0.5]))
    with pytest.raises(ValueError, match=r"device='cuda'.* sample 2 is 2\.5"):
        counts.entropies_on_device("cuda", weighted, np.arange(2), "plug-in")
