"""Blocks: series keep their neighbours where they are shuffled, and come in pieces where they are drawn."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from quboselect.tables.blocks import drawn_places, shuffled_places
from quboselect.tables.table import as_table


def pieces(places, n):
    """Return the runs of places that follow each other in a circle of n."""
    runs = [[places[0]]]
    for before, place in pairwise(places):
        if place == (before + 1) % n:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs


@pytest.mark.parametrize("blocks", [2, 3, 50])
def test_a_series_is_moved_in_a_circle_by_any_distance(blocks):
    rng, series, n = np.random.default_rng(0), list("abcdefg"), 7
    moved = ["".join(series[(i + by) % n] for i in range(n)) for by in range(n)]
    found = [
        "".join(np.array(series)[place] for place in shuffled_places(n, blocks, rng)) for _ in range(700)
    ]
    counts = [found.count(one) for one in moved]
    assert sum(counts) == 700
    assert min(counts) > 60


@pytest.mark.parametrize("n", [5, 12, 31])
@pytest.mark.parametrize("blocks", [2, 5, 9])
def test_blocks_are_drawn_whole_and_every_sample_as_often(n, blocks):
    rng = np.random.default_rng(1)
    drawn = [drawn_places(n, blocks, None, rng) for _ in range(1500)]
    assert all(places.size == n for places in drawn)
    for places in drawn[:50]:
        ends = range(blocks, n, blocks)
        assert all(len(pieces(part, n)) == 1 for part in np.split(places, ends))
    often = np.bincount(np.concatenate(drawn), minlength=n) / 1500
    # Of a block all or nothing is drawn, so a sample comes b times as unevenly.
    np.testing.assert_allclose(often, 1.0, atol=5 * np.sqrt(blocks / 1500))


@pytest.mark.parametrize("blocks", [2, 5, 9])
@pytest.mark.parametrize("fraction", [0.2, 0.5, 0.9])
def test_a_share_has_no_sample_twice_and_few_pieces(blocks, fraction):
    rng, n = np.random.default_rng(2), 31
    drawn = [drawn_places(n, blocks, fraction, rng) for _ in range(1000)]
    for places in drawn:
        assert places.size == len(set(places.tolist())) == round(fraction * n)
        # The circle is cut into blocks, of which the last is shorter; that may be among them, and the end of one.
        assert len(pieces(places, n)) <= -(-places.size // blocks) + 1
    often = np.bincount(np.concatenate(drawn), minlength=n) / 1000
    np.testing.assert_allclose(often, round(fraction * n) / n, atol=0.09)


@pytest.mark.parametrize("fraction", [None, 0.3])
def test_without_blocks_samples_go_one_by_one(fraction):
    rng = np.random.default_rng(3)
    same = rng.integers(0, 50, 50) if fraction is None else rng.choice(50, 15, replace=False)
    drawn = drawn_places(50, None, fraction, np.random.default_rng(3))
    assert drawn.tolist() == sorted(same.tolist())
    assert shuffled_places(50, None, np.random.default_rng(3)).tolist() == (
        np.random.default_rng(3).permutation(50).tolist()
    )


def test_each_feature_of_a_table_is_moved_by_itself():
    X = np.arange(40.0)[:, None] + 100 * np.arange(6)
    moved = replace(as_table(X), blocks=4).shuffled(0).matrix() - 100 * np.arange(6)
    for x in moved.T:
        np.testing.assert_array_equal((x - x[0]) % 40, np.arange(40))
    assert len(set(moved[0])) > 2
