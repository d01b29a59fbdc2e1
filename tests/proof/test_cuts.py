"""Cuts: true for all bits, found where violated, and closed under fixing."""

import itertools

import numpy as np
import pytest

from quboselect.proof.cuts import KINDS, Cuts, separate


def value(members, signs, offset, x):
    total = sum(int(b) * int(x[i - 1]) for i, b in zip(members, signs, strict=True) if i > 0)
    return (total - offset) * (total - offset - 1)


def lifted(x, X):
    return np.block([[np.ones((1, 1)), x[None, :]], [x[:, None], X]])


@pytest.mark.parametrize("kind", KINDS)
def test_a_cut_holds_for_all_bits(kind):
    signs, offset = KINDS[kind]
    members = [i + 1 if b else 0 for i, b in enumerate(signs)]
    assert all(value(members, signs, offset, x) >= 0 for x in itertools.product((0, 1), repeat=3))


def test_no_bit_vector_is_cut_off():
    for bits in itertools.product((0.0, 1.0), repeat=5):
        x = np.array(bits)
        assert len(separate(lifted(x, np.outer(x, x)), Cuts.none(), 100)) == 0


def test_the_violated_triangle_is_found():
    x = np.full(3, 0.5)
    Y = lifted(x, np.diag(x))
    cuts = separate(Y, Cuts.none(), 100)
    assert (cuts.members == [1, 2, 3]).all(axis=1).any()
    assert np.array_equal(cuts.offsets[(cuts.members > 0).all(axis=1)], [1])
    assert len(separate(Y, cuts, 100)) == len(cuts)
    assert len(separate(Y, Cuts.none(), 0)) == 0


def test_fixing_bits_keeps_the_meaning_of_a_cut():
    rng = np.random.default_rng(0)
    x = rng.random(6)
    Y = lifted(x, np.outer(x, x) + 0.4 * rng.random((6, 6)))
    Y = (Y + Y.T) / 2
    cuts = separate(Y, Cuts.none(), 200)
    assert len(cuts) > 10
    numbered = Cuts(cuts.members, cuts.signs, cuts.offsets, np.arange(len(cuts), dtype=float))
    settled = np.array([-1, 1, -1, 0, -1, -1], np.int8)
    rest = numbered.given(settled)
    assert 0 < len(rest) < len(cuts)
    for row in range(len(rest)):
        parent = int(rest.mu[row])
        for bits in itertools.product((0, 1), repeat=4):
            full = settled.copy()
            full[settled < 0] = bits
            whole = value(cuts.members[parent], cuts.signs[parent], cuts.offsets[parent], full)
            assert value(rest.members[row], rest.signs[row], rest.offsets[row], bits) == whole
