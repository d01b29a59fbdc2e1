"""The appendix and the paths: every number by looking at all subsets, and what docs/paper.md says of the paper."""

import csv
from itertools import pairwise

import data
import measures
import numpy as np
import path
import pytest
from constants import REFERENCE
from ledger import Ledger

import path_oracles
from authors import needs
from quboselect import Tradeoff, alpha_path
from quboselect.search import alpha_search

published = needs(REFERENCE)


def synth_10():
    with np.load(REFERENCE / "synth_10.npz", allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def information(a, b):
    """Return the mutual information of two codes in bits, by the definition."""
    joint = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(joint, (a, b), 1 / a.size)
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    here = joint > 0
    return (joint[here] * np.log2(joint[here] / product[here])).sum()


def test_the_curves_of_the_appendix_are_minima_over_all_small_subsets():
    tradeoff, alphas = path.appendix(), np.linspace(0, 1, 7)
    curves = path.at_most(tradeoff, alphas)
    for place, alpha in enumerate(alphas):
        of_size = [path_oracles.minimum(tradeoff, alpha, k) for k in range(6)]
        np.testing.assert_allclose(curves[:, place], np.minimum.accumulate(of_size), atol=1e-12)


def test_the_curves_fall_with_alpha_and_with_k_as_the_proof_says():
    curves = path.at_most(path.appendix(), np.linspace(0, 1, 50))
    assert (np.diff(curves, axis=0) <= 0).all()
    assert (np.diff(curves, axis=1) <= 0).all()


@pytest.mark.parametrize(("tradeoff", "k"), [(path.never_two(), 2), (path.never_four(), 4)])
def test_yet_a_size_is_never_optimal_where_its_curve_leaves_the_one_below(tradeoff, k):
    alphas = np.linspace(0, 1, 4001)
    curves = path.at_most(tradeoff, alphas)
    exact = np.array([[path_oracles.minimum(tradeoff, a, k)] for a in alphas[1:-1:40]])[:, 0]
    # The step of the proof that fails: at most k do beat at most k - 1 somewhere, and are not the minimum there.
    below = curves[k] < curves[k - 1] - 1e-12
    assert below.any()
    assert (curves[-1][below] < curves[k][below] - 1e-12).all()
    assert (exact > curves[-1][1:-1:40] + 1e-12).all()


def test_the_counter_examples_miss_one_size_each():
    assert path.absent(path.never_two(), alpha_path(path.never_two()), 4) == [2]
    # One and two of the three free features tie with all of them at alpha 0.
    assert path.absent(path.never_four(), alpha_path(path.never_four()), 8) == [4]


def test_the_numbers_of_the_first_counter_example():
    two = path.never_two()
    three, one = alpha_path(two).of_size(3), alpha_path(two).of_size(1)
    assert one.stop == three.start == pytest.approx(0.3 / 5.3)
    # A pair beats the strong feature from here on only.
    assert one.stop < 1 / 6


@pytest.mark.parametrize("seed", range(5))
def test_importance_and_redundancy_never_fall_along_a_path(seed):
    for a, b in pairwise(alpha_path(path_oracles.random_tradeoff(seed))):
        assert b.importance >= a.importance
        assert b.redundancy >= a.redundancy


def test_jumps_lie_between_the_segments_that_are_named():
    walked = alpha_path(path.never_two())
    assert {size: (walked[i].size, walked[j].size) for size, (i, j) in path.jumps(walked, 4).items()} == {
        2: (1, 3)
    }
    assert list(path.proofs(path.never_two(), walked, 4)) == [(2, True)]


def falling():
    """Return six weak features free of each other beside two strong ones that repeat a little of everything."""
    R = np.zeros((8, 8))
    R[:2, :] = R[:, :2] = 1.0
    R[0, 1] = R[1, 0] = 0.5
    R[0, 0] = R[1, 1] = 0.0
    return Tradeoff([4.0, 4.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], R)


def test_a_size_may_fall_along_a_path_and_that_is_proven():
    walked = alpha_path(falling())
    assert list(path.proven_falls(falling(), walked, 8)) == [(6, True)]
    assert [k for k in walked.sizes if k in (2, 6)] == [6, 2]


def test_a_quick_run_writes_paths_and_is_not_run_again(tmp_path, monkeypatch):
    path.run(Ledger(tmp_path / "path.csv"), quick=True)
    ledger = Ledger(tmp_path / "path.csv")
    assert ledger.value(dataset="ionosphere", metric="sizes missing") == 0
    assert ledger.value(dataset="never_two", metric="sizes missing") == 1
    with (tmp_path / "path_ionosphere.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == ledger.value(dataset="ionosphere", metric="segments proven")
    assert [row["features"] for row in rows if row["size"] == "5"] == ["0 2 4 5 20"]
    monkeypatch.setattr(path, "explored", lambda *_: pytest.fail("it was walked again"))
    path.run(Ledger(tmp_path / "path.csv"), quick=True)


@published
@pytest.mark.parametrize(
    ("name", "k", "once", "twice"),
    [("synth_10", 4, 0.875, 0.9375), ("waveform", 5, 0.78125, 0.875), ("ionosphere", 5, 0.90625, 0.953125)],
)
def test_only_pairs_that_count_once_give_the_alphas_of_the_paper(name, k, once, twice):
    if name == "synth_10":
        X, y = synth_10()["data"], synth_10()["labels"]
    else:
        X, y = data.DATASETS[name]().X, data.DATASETS[name]().y
    label, pairs = measures.IMPORTANCE(X, y), measures.REDUNDANCY(X)
    assert alpha_search(Tradeoff(label, pairs), k)[0] == once
    assert alpha_search(Tradeoff(label, 2 * pairs), k)[0] == twice


@published
def test_quantiles_of_l_over_b_match_the_published_numbers_and_those_of_the_text_do_not():
    stored = synth_10()
    X, y = stored["data"], stored["labels"]
    furthest = {}
    for name, shares in (("l/B", np.arange(1, 20) / 20), ("l/(B+1)", np.arange(1, 21) / 21)):
        codes = [np.searchsorted(np.quantile(x, shares), x, side="right") for x in X.T]
        found = np.array([information(code, y) for code in codes])
        furthest[name] = np.abs(found - stored["lmi"]).max()
    assert furthest["l/B"] < 1e-14
    assert furthest["l/(B+1)"] > 1e-3


@published
def test_the_labels_of_synth_10_are_split_at_the_median_and_not_at_the_mean():
    stored = synth_10()
    z = stored["data"][:, stored["informative"]] @ stored["weights"]
    assert np.bincount(stored["labels"]).tolist() == [5000, 5000]
    assert ((z > np.median(z)) == stored["labels"]).mean() in (0.0, 1.0)
    agreement = ((z > z.mean()) == stored["labels"]).mean()
    assert max(agreement, 1 - agreement) == pytest.approx(0.9962)


@published
def test_the_published_waveform_is_version_two():
    matrix = np.load(REFERENCE / "qubo_waveform.npy")
    with np.load(REFERENCE.parent / "data" / "waveform_v1.npz") as file:
        first = file["X"], file["y"]
    off = {}
    for name, (X, y) in (("version 1", first), ("version 2", (data.waveform().X, data.waveform().y))):
        off[name] = np.abs(measures.tradeoff(X, y).at(0.78125).matrix - matrix).max()
    assert off["version 2"] < 1e-14
    assert off["version 1"] > 0.02


@published
def test_the_published_subsets_of_synth_100_have_ten_features():
    with np.load(REFERENCE / "comparison-subsets.npz") as file:
        sizes = {name: int(file[name].sum()) for name in file.files if name.startswith("synth_100")}
    assert set(sizes.values()) == {10}
