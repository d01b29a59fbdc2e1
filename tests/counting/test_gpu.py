"""Joint entropies on a device of PyTorch: the same numbers as the processor's, whatever the blocks and the route."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from quboselect import SelectQUBO, criteria, redundancy
from quboselect.counting import gpu
from quboselect.counting.bins import Codes
from quboselect.counting.entropies import joint_entropies
from quboselect.errors import MissingExtra
from quboselect.search.wide import selection
from quboselect.streaming import JointCounts, Tally, Weighing

try:
    import torch
except ModuleNotFoundError:
    torch = None

needs_torch = pytest.mark.skipif(torch is None, reason="torch is not installed")
needs_cuda = pytest.mark.skipif(torch is None or not torch.cuda.is_available(), reason="no CUDA device here")
DEVICES = [pytest.param("cpu", marks=needs_torch), pytest.param("cuda", marks=needs_cuda)]

WEIGHTS = {
    "none": lambda rng, n: None,
    "few": lambda rng, n: rng.integers(1, 3, n),
    "many": lambda rng, n: rng.integers(1, 10**6, n),
    "heavy": lambda rng, n: rng.integers(1, 3, n) * 2.0**40,
}
SIZES = [2, 5, 20, 3, 30, 1, 11]


def random_codes(seed, sizes, n_samples, kind="none"):
    rng = np.random.default_rng(seed)
    values = np.stack([(rng.random(n_samples) ** 2 * size).astype(int) for size in sizes])
    return Codes(values, np.array(sizes), WEIGHTS[kind](rng, n_samples))


@pytest.fixture(autouse=True)
def one_thread():
    if torch is None:
        yield
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@st.composite
def small_codes(draw):
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, 8, 20, 60]), min_size=1, max_size=6))
    return random_codes(draw(st.integers(0, 2**32 - 1)), sizes, draw(st.integers(1, 130)))


@pytest.mark.parametrize("device", DEVICES)
@settings(max_examples=30, deadline=None)
@given(codes=small_codes())
def test_a_device_agrees_with_the_naive_twin(device, codes):
    rows = codes.values
    expected = [[oracles.joint_entropy(a, b) for b in rows] for a in rows]
    np.testing.assert_allclose(joint_entropies(codes, device=device), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("estimate", ["plug-in", "miller-madow"])
@pytest.mark.parametrize("kind", ["none", "few"])
@pytest.mark.parametrize("n_samples", [1, 15, 16, 1003])
def test_a_device_gives_the_same_bits_as_the_processor(n_samples, kind, estimate, device):
    codes = random_codes(1, SIZES * 2, n_samples, kind)
    expected = joint_entropies(codes, estimate=estimate)
    np.testing.assert_array_equal(joint_entropies(codes, estimate=estimate, device=device), expected)


@pytest.mark.parametrize("device", DEVICES)
def test_features_of_too_many_codes_are_counted_by_the_processor(device):
    codes = random_codes(6, [gpu.MOST_CODES, 2, 300, gpu.MOST_CODES + 1, 20], 100)
    np.testing.assert_array_equal(joint_entropies(codes, device=device), joint_entropies(codes))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("estimate", ["plug-in", "miller-madow"])
@pytest.mark.parametrize("kind", ["many", "heavy"])
def test_whole_weights_agree_to_rounding(kind, estimate, device):
    codes = random_codes(2, SIZES, 201, kind)
    expected = joint_entropies(codes, estimate=estimate)
    got = joint_entropies(codes, estimate=estimate, device=device)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(got, got.T)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", ["none", "many"])
@pytest.mark.parametrize(("rows", "size"), [(1, 1), (400, 30_000), (10**6, 10**9)])
def test_the_size_of_blocks_does_not_show(monkeypatch, rows, size, kind, device):
    codes = random_codes(3, [20, 7, 2, 12] * 9, 300, kind)
    expected = joint_entropies(codes, device=device)
    monkeypatch.setattr(gpu, "ROWS", rows)
    monkeypatch.setattr(gpu, "BYTES", size)
    np.testing.assert_allclose(joint_entropies(codes, device=device), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("device", DEVICES)
def test_floats_count_as_integers_do(monkeypatch, device):
    codes = random_codes(4, SIZES * 3, 300)
    expected = joint_entropies(codes)
    monkeypatch.setattr(gpu, "WHOLE", 64)
    for broken in (lambda a, b: (a @ b) + 1, None):
        monkeypatch.setattr(torch, "_int_mm", broken) if broken else monkeypatch.delattr(torch, "_int_mm")
        assert gpu.product(torch, torch.device(device), None)[1] is torch.float32
        np.testing.assert_array_equal(joint_entropies(codes, device=device), expected)


@pytest.mark.parametrize("device", DEVICES)
def test_the_redundancy_of_a_table_is_the_same_on_a_device(device):
    X = np.random.default_rng(5).normal(size=(400, 9)).cumsum(axis=1)
    X[:, 4] = 1.0
    for options in ({}, {"estimate": "miller-madow"}, {"normalised": True}, {"bins": 300}):
        expected = redundancy.MutualInformation(**options)(X)
        got = redundancy.MutualInformation(**options, device=device)(X)
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("device", DEVICES)
def test_constant_features_need_no_counting(device):
    assert not joint_entropies(Codes(np.zeros((3, 7), int), np.ones(3, int)), device=device).any()


@pytest.mark.parametrize("device", DEVICES)
def test_weights_must_be_whole(device):
    codes = Codes([[0, 1, 0], [1, 1, 0]], [2, 2], [1.0, 2.5, 1.0])
    with pytest.raises(ValueError, match=r"weights.*whole.*sample 1 is 2\.5.*device=None"):
        joint_entropies(codes, device=device)


@needs_torch
@pytest.mark.parametrize("device", ["cuda:99", "gpu", "meta"])
def test_a_device_that_is_not_there_is_named(device):
    codes = Codes([[0, 1, 0], [1, 1, 0]], [2, 2])
    with pytest.raises(ValueError, match=rf"got '{device}' \(.*\): use device=None"):
        joint_entropies(codes, device=device)


def test_without_torch_a_device_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    codes = Codes([[0, 1, 0], [1, 1, 0]], [2, 2])
    with pytest.raises(
        MissingExtra, match=r"device='cuda' needs torch, .*: pip install \"quboselect\[gpu\]\""
    ):
        joint_entropies(codes, device="cuda")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("make", [criteria.Pairs, criteria.MRMR, criteria.JMI, criteria.DISR])
def test_every_criterion_counts_there_and_selects_the_same(device, make, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 150)
    X = rng.normal(size=(150, 12)) + y[:, None] * (np.arange(12) < 4)
    asked = []
    counted = gpu.entropies_by_products
    monkeypatch.setattr(
        gpu, "entropies_by_products", lambda *given: (asked.append(given[-1]), counted(*given))[1]
    )
    here, there = (SelectQUBO(4, criterion=make(device=where)).fit(X, y) for where in (None, device))
    assert set(asked) == {device}
    np.testing.assert_array_equal(there.redundancy_, here.redundancy_)
    np.testing.assert_array_equal(there.support_, here.support_)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("make", [criteria.Pairs, criteria.MRMR, criteria.ICAP])
def test_rows_of_wide_tables_are_counted_there_too(device, make):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(90, 40)), rng.integers(0, 2, 90)
    here, there = (make(device=where).redundancy for where in (None, device))
    arguments = (X, y) if getattr(here, "by_class", False) else (X,)
    np.testing.assert_array_equal(there.rows(*arguments).matrix(), here.rows(*arguments).matrix())


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("rows", [1, 100, 4096])
def test_common_counts_are_those_of_the_naive_twin(monkeypatch, rows, device):
    monkeypatch.setattr(gpu, "ROWS", rows)
    sizes = [3, 1, 5, 2, 20] * 5
    codes = random_codes(7, sizes, 60)
    features = np.flatnonzero(codes.sizes > 1)
    pairs = set()
    for (i0, i1, j0, j1), common in gpu.common_counts(codes, features, device):
        some, others = (
            [(f, c) for f in features[a:b] for c in range(1, sizes[f])] for a, b in ((i0, i1), (j0, j1))
        )
        expected = [
            [((codes.values[f] == c) & (codes.values[g] == d)).sum() for g, d in others] for f, c in some
        ]
        np.testing.assert_array_equal(common, expected)
        assert common.dtype == np.uint32
        pairs |= {(i, j) for i in range(i0, i1) for j in range(j0, j1) if i < j}
    assert pairs == {(i, j) for j in range(features.size) for i in range(j)}


def batches_of_every_size():
    """Return batches of features of few codes and of more than a device takes, and a target."""
    rng = np.random.default_rng(8)
    X = np.column_stack([rng.integers(0, size, 150) for size in (2, 7, 30, 1, 12, 5)])
    y = rng.integers(0, 3, 150)
    return [(X[i : i + 60], y[i : i + 60]) for i in range(0, 150, 60)]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("by_class", [False, True])
def test_batches_are_counted_there_and_give_the_same_counts(device, by_class, monkeypatch):
    batches = batches_of_every_size()
    monkeypatch.setattr(gpu, "MOST_CODES", 12)
    coding = sum(Tally.of(*batch) for batch in batches).coding(64, by_class=by_class)
    assert coding.sizes.max() > gpu.MOST_CODES > coding.sizes.min() == 1
    expected = JointCounts.over(coding, batches)
    np.testing.assert_array_equal(JointCounts.over(coding, batches, device=device).tables, expected.tables)
    for large in (1, 1000):
        weighed = [(X, y, np.arange(len(y)) % 3 * large) for X, y in batches]
        scale = sum(Weighing.of(y, weight) for _, y, weight in weighed).scale()
        heavy = sum(Tally.of(*batch, scale=scale) for batch in weighed).coding(64, by_class=by_class)
        here, there = (JointCounts.over(heavy, weighed, device=where) for where in (None, device))
        np.testing.assert_array_equal(there.tables, here.tables)
    # As many samples as 32 bits cannot count.
    monkeypatch.setattr("quboselect.streaming.counts.LARGEST", 100)
    first, *others = batches
    counts = JointCounts.of(coding, *first, device=device)
    for batch in others:
        counts = counts.with_batch(*batch, device=device)
    np.testing.assert_array_equal(counts.tables, expected.tables)
    assert counts.tables.dtype == np.uint64


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("many", [False, True])
def test_a_selector_counts_its_batches_there(device, many, monkeypatch):
    monkeypatch.setattr(selection, "WIDE", 5 if many else 2000)
    batches = batches_of_every_size()
    asked, products = [], gpu.tables_by_products
    monkeypatch.setattr(
        gpu, "tables_by_products", lambda *given: (asked.append(given[-1]), products(*given))[1]
    )
    here, there = (SelectQUBO(3, criterion=criteria.Pairs(device=where)) for where in (None, device))
    np.testing.assert_array_equal(
        there.fit_batches(batches).redundancy_, here.fit_batches(batches).redundancy_
    )
    np.testing.assert_array_equal(there.support_, here.support_)
    assert set(asked) == {device}
    asked.clear()
    there.partial_fit(*batches[0])
    np.testing.assert_array_equal(there.counts_.tables, here.partial_fit(*batches[0]).counts_.tables)
    assert set(asked) == {device}


def test_a_device_that_is_not_there_is_named_before_a_batch_is_read(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match="device='cuda' needs torch"):
        SelectQUBO(3, criterion=criteria.Pairs(device="cuda")).fit_batches(lambda: pytest.fail("read"))
