"""Information: against dictionaries, in every estimate, and counted once."""

from itertools import combinations

import numpy as np
import pytest

import oracles
from quboselect import importance, redundancy
from quboselect._kernels import counting
from quboselect.counting import information as module
from quboselect.counting.bins import Codes
from quboselect.counting.information import Information, binned, information_of
from quboselect.tables.table import as_table
from quboselect.tables.target import as_target

ESTIMATES = ["plug-in", "miller-madow", "shrunk"]
WEIGHTS = {
    "none": lambda rng, n: None,
    "few": lambda rng, n: rng.integers(1, 3, n),
    "many": lambda rng, n: rng.integers(1, 1000, n),
    "fractions": lambda rng, n: rng.exponential(size=n) + 1e-3,
}


def random_codes(seed, kind="none", n_samples=130, sizes=(2, 5, 20, 1, 60)):
    rng = np.random.default_rng(seed)
    values = np.stack([(rng.random(n_samples) ** 2 * size).astype(int) for size in sizes])
    values[1] = values[0] * 2 + rng.integers(0, 3, n_samples) // 2
    weights = WEIGHTS[kind](rng, n_samples)
    label = (values[0] + rng.integers(0, 2, n_samples)) % 3
    return Codes(values, np.array(sizes), weights), Codes(label[None], [4], weights)


def naive_entropy(weights, a, estimate):
    if estimate == "shrunk":
        return oracles.shrunk_information(weights, a, [0] * len(a))[0]
    return oracles.weighted_entropy(weights, a, corrected=estimate == "miller-madow")


def naive_information(weights, a, b, estimate):
    if estimate == "shrunk":
        return oracles.shrunk_information(weights, a, b)[1]
    corrected = estimate == "miller-madow"
    joint = oracles.weighted_entropy(weights, a, b, corrected=corrected)
    alone = [oracles.weighted_entropy(weights, one, corrected=corrected) for one in (a, b)]
    return max(sum(alone) - joint, 0.0) if min(alone) > 0 else 0.0


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_all_of_it_agrees_with_dictionaries(kind, estimate):
    codes, label = random_codes(len(kind), kind)
    weights = [1.0] * codes.n_samples if codes.weights is None else codes.weights.tolist()
    rows, y = codes.values.tolist(), label.values[0].tolist()
    found = Information.of(codes, label, estimate=estimate, n_jobs=1)
    close = {"rtol": 0, "atol": 1e-11}
    np.testing.assert_allclose(found.alone, [naive_entropy(weights, a, estimate) for a in rows], **close)
    assert found.label == pytest.approx(naive_entropy(weights, y, estimate), abs=1e-11)
    expected = [naive_information(weights, a, y, estimate) for a in rows]
    np.testing.assert_allclose(found.importance, expected, **close)
    members = [[s for s in range(codes.n_samples) if y[s] == c] for c in range(3)]
    for i, j in combinations(range(len(rows)), 2):
        assert found.redundancy[i, j] == pytest.approx(
            naive_information(weights, rows[i], rows[j], estimate), abs=1e-11
        )
        conditional, triple = 0.0, found.label
        for some in members:
            w, a, b = ([values[s] for s in some] for values in (weights, rows[i], rows[j]))
            share, inside = sum(w) / sum(weights), naive_information(w, a, b, estimate)
            conditional += share * inside
            triple += share * (naive_entropy(w, a, estimate) + naive_entropy(w, b, estimate) - inside)
        assert found.conditional[i, j] == pytest.approx(conditional, abs=1e-11)
        assert found.triples[i, j] == pytest.approx(triple, abs=1e-11)
    for matrix in (found.redundancy, found.conditional, found.triples):
        np.testing.assert_array_equal(matrix, matrix.T)
    assert len(found.counts.classes()) == 3
    assert sum(share for share, _ in found.counts.classes()) == pytest.approx(1.0)
    assert not np.diagonal(found.redundancy).any()


@pytest.mark.parametrize("narrow", [0, 10, 1000])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_neither_the_route_nor_the_threads_show(monkeypatch, narrow, n_jobs):
    codes, label = random_codes(1, sizes=(2, 5, 20, 3, 60, 1, 11, 300))
    monkeypatch.setattr(counting, "NARROW", 30)
    expected = Information.of(codes, label, estimate="shrunk", n_jobs=1)
    monkeypatch.setattr(counting, "NARROW", narrow)
    got = Information.of(codes, label, estimate="shrunk", n_jobs=n_jobs)
    for name in ("alone", "importance", "redundancy", "conditional", "triples"):
        np.testing.assert_array_equal(getattr(got, name), getattr(expected, name))


def test_codes_so_many_that_rows_are_counted_one_by_one_are_shrunk_too():
    rng = np.random.default_rng(2)
    codes = Codes(rng.integers(0, 400, (2, 900)), [400, 400])
    shuffled = codes.take(rng.permutation(900))
    got = Information.of(codes, estimate="shrunk").redundancy
    np.testing.assert_array_equal(got, Information.of(shuffled, estimate="shrunk").redundancy)
    naive = oracles.shrunk_information([1] * 900, *codes.values.tolist())[1]
    assert got[0, 1] == pytest.approx(naive, abs=1e-10)


def test_shrunk_information_of_noise_is_far_below_the_plug_in_one():
    rng = np.random.default_rng(3)
    codes = Codes(rng.integers(0, 10, (20, 100)), np.full(20, 10))
    plain, shrunk = (Information.of(codes, estimate=e).redundancy.mean() for e in ("plug-in", "shrunk"))
    assert shrunk < plain / 20


def test_a_constant_feature_has_exactly_nothing():
    codes = Codes(np.array([[1] * 9, [0, 1, 2] * 3]), [4, 3])
    label = Codes([[0, 1, 1] * 3], [2])
    for estimate in ESTIMATES:
        found = Information.of(codes, label, estimate=estimate)
        assert found.alone[0] == found.importance[0] == found.redundancy[0, 1] == found.conditional[0, 1] == 0


def test_measures_of_one_table_and_target_count_once(monkeypatch):
    rng = np.random.default_rng(4)
    table, target = as_table(rng.normal(size=(150, 4))), as_target(rng.integers(0, 2, 150))
    calls = []
    for name in ("joint_entropies", "joint_entropies_with", "entropies"):
        whole = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *a, whole=whole, name=name, **o: calls.append(name) or whole(*a, **o)
        )
    for _ in range(2):
        redundancy.CoInformation(bins=5)(table, target)
        redundancy.SymmetricalRelevance(bins=5)(table, target)
        redundancy.MutualInformation(bins="auto")(table)
        redundancy.MutualInformation(bins=5, normalised=True)(table)
        importance.MutualInformation(bins=5)(table, target)
        importance.Entropy(bins=5)(table, target)
    assert calls.count("joint_entropies") == 3  # all samples, and each of two classes
    assert calls.count("joint_entropies_with") == 1
    other = as_target(rng.integers(0, 2, 150))
    assert information_of(table, other).redundancy is information_of(table, target).redundancy
    assert information_of(table, other).importance is not information_of(table, target).importance


def test_a_table_keeps_only_so_much():
    table = as_table(np.arange(20.0)[:, None])
    for seed in range(50):
        information_of(table, as_target(np.random.default_rng(seed).integers(0, 2, 20)))
    assert len(table.counted) <= module.KEPT
    assert not table.samples(np.arange(5)).counted


def test_numbers_that_are_kept_are_read_only_and_those_returned_are_not():
    table, target = as_table(np.arange(20.0).reshape(10, 2)), as_target([0, 1] * 5)
    R = redundancy.MutualInformation()(table)
    R[:] = 9
    assert redundancy.MutualInformation()(table)[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        information_of(table, target).conditional[0, 1] = 1


def test_information_without_a_target_says_so():
    codes, _ = random_codes(5)
    for name in ("label", "importance", "conditional", "triples"):
        with pytest.raises(ValueError, match="no target"):
            getattr(Information.of(codes), name)


def test_wrong_estimates_and_devices_are_refused():
    codes, label = random_codes(6)
    with pytest.raises(ValueError, match=r"estimate.*'plug-in', 'miller-madow', 'shrunk'.*'naive'"):
        Information.of(codes, label, estimate="naive")
    with pytest.raises(ValueError, match=r"estimate='shrunk'.*device='cpu'.*None"):
        Information.of(codes, label, estimate="shrunk", device="cpu")
    with pytest.raises(ValueError, match="device='cpu'"):
        redundancy.MutualInformation(estimate="shrunk", device="cpu")([[1.0], [2.0]])


def test_bins_by_class_need_a_target_and_cut_a_continuous_one_finer_than_the_features():
    X = np.random.default_rng(7).normal(size=(70, 2))
    with pytest.raises(ValueError, match=r"bins='auto-by-class'.*target"):
        redundancy.MutualInformation(bins="auto-by-class")(X)
    for y, sizes in ((np.arange(70) % 2, 4), (np.arange(70) % 10, 3), (X[:, 0], 3)):
        codes, label = binned(X, y, bins="auto-by-class")
        assert set(codes.sizes.tolist()) == {sizes}
        assert label.sizes[0] == (4 if y is not None and y.dtype.kind == "f" else len(set(y.tolist())))
