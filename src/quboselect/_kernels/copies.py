"""How many copies of a bit a best vector of k ones can have: fewer than there are, as copies repeat each other."""

import numpy as np

from .compiling import kernel


@kernel("f8[::1] f8[:,::1] f8[::1] i8[::1] i8 i8[::1] i8 f8 f8 i8[::1]")
def useful_copies(linear, couplings, own, most, k, order, tries, slack, margin, useful):
    """Fill in how many copies of each bit a best vector of k ones may have, where it has at most so many of others.

    The t-th copy of i is of no use if, whatever the others are, some j that is not there would be better in its place.
    That exchange costs ``l_j - l_i + (t-1) (D_ij - own_i)`` and the sum of ``D_jm - D_im`` over the k - t others m, of
    which the largest are taken. The others are k - t different ones at the most, so k - t + 1 such j are enough.

    Parameters
    ----------
    linear : array of shape (d,)
        The energy of each bit.
    couplings : array of shape (d, d)
    own : array of shape (d,)
        The coupling of two copies of a bit.
    most : int64 array of shape (d,)
        How many copies of each there may be, at least 1.
    k : int
        At least 2.
    order : int64 array of shape (d,)
        In which order bits are tried in the place of copies; at most so many as ``tries``.
    slack, margin : float
        An exchange must be an improvement by so much of the terms that it is made of, and by so much beyond.
    useful : int64 array of shape (d,)
        Filled in.
    """
    d = linear.size
    values, counts = np.empty(k), np.empty(k, np.int64)
    good = np.empty(k + 1, np.int64)
    for i in range(d):
        useful[i] = 1
        last = min(most[i], k)
        if last < 2:
            continue
        good[:] = 0
        looked, missing = 0, last - 1
        for j in order:
            if j == i:
                continue
            if looked == tries or missing == 0:
                break
            looked += 1
            # The largest values, and how often each is taken.
            filled, different = 0, 0
            for m in range(d):
                more = couplings[j, m] - couplings[i, m]
                if m in (i, j) or (filled == k - 2 and (filled == 0 or more <= values[different - 1])):
                    continue
                place = different
                while place > 0 and values[place - 1] < more:
                    values[place], counts[place] = values[place - 1], counts[place - 1]
                    place -= 1
                values[place], counts[place] = more, most[m]
                different += 1
                filled += most[m]
                while filled - counts[different - 1] >= k - 2:
                    different -= 1
                    filled -= counts[different]
                counts[different - 1] -= max(0, filled - (k - 2))
                filled = min(filled, k - 2)
            others = size = 0.0
            place = left = 0
            for r in range(k - 1):
                if 0 < r <= filled:
                    if left == 0:
                        left, place = counts[place], place + 1
                    left -= 1
                    others += values[place - 1]
                    size += abs(values[place - 1])
                t = k - r
                if t > last:
                    continue
                pair = (t - 1) * (couplings[i, j] - own[i])
                terms = (
                    abs(linear[j]) + abs(linear[i]) + (t - 1) * (abs(couplings[i, j]) + abs(own[i])) + size
                )
                # Without so many others there is nothing that j is not in.
                if r > filled or linear[j] - linear[i] + pair + others <= -slack * terms - margin:
                    good[t] += 1
                    if good[t] == k - t + 1:
                        missing -= 1
        for t in range(2, last + 1):
            if good[t] < k - t + 1:
                useful[i] = t
