"""Cuts: true for all bits, found where violated, and closed under fixing."""

import itertools

import numpy as np
import pytest

from quboselect._kernels.relaxation import pentagons
from quboselect.proof.cuts import KINDS, VIOLATED, Cuts, separate


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


def test_cuts_of_every_size_hold_for_all_bits_and_are_violated_where_they_were_found():
    seen = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.random(7)
        X = np.outer(x, x) + 0.3 * rng.normal(size=(7, 7))
        X = (X + X.T) / 2
        np.fill_diagonal(X, x)
        cuts = separate(lifted(x, X), Cuts.none(), 300)
        for members, signs, t, _ in zip(*cuts.arrays(), strict=True):
            there = [(int(i) - 1, int(b)) for i, b in zip(members, signs, strict=True) if i > 0]
            assert all(value(members, signs, t, bits) >= 0 for bits in itertools.product((0, 1), repeat=7))
            relaxed = t * (t + 1) / 2 + sum((-t if b > 0 else t + 1) * x[i] for i, b in there)
            relaxed += sum(a * b * X[i, j] for (i, a), (j, b) in itertools.combinations(there, 2))
            # Half of ((b's)^2 - 1) / 4, and (b's)^2 is 5 and twice the sum over pairs.
            assert relaxed < (-1e-3 if len(there) < 4 else -VIOLATED / 4)
            seen.add(len(there))
        rows = zip(cuts.members.tolist(), cuts.signs.tolist(), cuts.offsets.tolist(), strict=True)
        assert len({(frozenset(zip(i, b, strict=True)), t) for i, b, t in rows}) == len(cuts)
    assert seen == {2, 3, 4, 5}


@pytest.mark.parametrize("seed", range(10))
def test_a_triangle_is_extended_by_the_two_rows_that_violate_a_pentagon_most(seed):
    rng = np.random.default_rng(seed)
    n, m = 9, 6
    S = rng.uniform(-1, 1, (n, n))
    S = np.triu(S, 1) + np.triu(S, 1).T + np.eye(n)
    members = np.array([rng.choice(n, 3, replace=False) for _ in range(m)])
    signs = rng.choice([-1, 1], (m, 3))
    rows, b, score = np.zeros((m, 5), np.int64), np.zeros((m, 5), np.int64), np.zeros(m)
    pentagons(S, members, signs, rows, b, score)

    def violation(five, turned):
        return -2 - sum(turned[i] * turned[j] * S[five[i], five[j]] for i in range(5) for j in range(i))

    for c in range(m):
        others = itertools.combinations(sorted({*range(n)} - {*members[c].tolist()}), 2)
        every = [
            violation([*members[c], *two], [*signs[c], *turned])
            for two in others
            for turned in itertools.product((-1, 1), repeat=2)
        ]
        assert score[c] == pytest.approx(max(every))
        assert violation(rows[c], b[c]) == pytest.approx(score[c])
        assert len({*rows[c].tolist()}) == 5
        np.testing.assert_array_equal(rows[c, :3], members[c])


def test_the_violated_triangle_is_found():
    x = np.full(3, 0.5)
    Y = lifted(x, np.diag(x))
    cuts = separate(Y, Cuts.none(), 100)
    (at,) = np.flatnonzero((cuts.members == [1, 2, 3, 0, 0]).all(axis=1))
    assert cuts.offsets[at] == 1
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
