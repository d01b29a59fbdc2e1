"""The loops that settle bits: bounds on ``const + c'x + x'K x`` over the box [0, 1]^n where one bit has a given value.

K is positive semidefinite, so every point of the box gives a bound by its tangent. A descent looks for a good point,
until the bound reaches the goal or the value at the point falls below it. Where bit i is one, ``c = lin + Z_i``.
"""

import numpy as np

from .compiling import kernel
from .outside import LOOK, least_sum, move_two


@kernel
def add_times(h, factor, row):
    """Add a multiple of a row to h."""
    for j in range(h.size):
        h[j] += factor * row[j]


@kernel
def gradient(K, c, x, h):
    """Write c + 2 K x into h."""
    for j in range(len(c)):
        h[j] = c[j]
    for j in range(len(c)):
        if x[j] != 0.0:
            add_times(h, 2.0 * x[j], K[j])


@kernel("f8[:,::1] f8[::1] f8[::1] i8")
def lowest_of_box(K, lin, x, sweeps):
    """Move x in the box towards the minimum of lin'x + x'K x by coordinate descent."""
    h = np.empty(len(lin))
    gradient(K, lin, x, h)
    for _ in range(sweeps):
        most = 0.0
        for j in range(len(lin)):
            d = min(1.0, max(0.0, x[j] - h[j] / (2.0 * K[j, j]))) - x[j]
            if d != 0.0:
                x[j] += d
                add_times(h, 2.0 * d, K[j])
                most = max(most, abs(d))
        if most < 1e-6:
            break


@kernel("f8[:,::1] f8[::1] f8[:,::1] f8[::1] f8[:,::1] f8 i8[:] i8[:] b1[:,::1] f8 i8 f8[::1] f8[:,::1]")
def flips(K, lin, Z, start, G, const, rows, values, off, goal, sweeps, out, witness):
    """Bounds where bit rows[r] is values[r], by coordinate descent; witness (len(rows), n) receives the points.

    start is where to start from, G the inverse of K, and off (n, n) says which bits may be taken as 0 where one is 1.
    """
    n = len(lin)
    h = np.empty(n)
    c = np.empty(n)
    x0 = np.empty(n)
    h0 = np.empty(n)
    fixed = np.empty(n, np.bool_)
    for r in range(len(rows)):
        i, v, x = rows[r], values[r], witness[r]
        for j in range(n):
            fixed[j] = j == i or (v == 1 and off[i, j])
            x[j] = 0.0 if fixed[j] else min(1.0, max(0.0, start[j] + (v - start[i]) * G[j, i] / G[i, i]))
            c[j] = lin[j] + (Z[i, j] if v == 1 else 0.0)
        x[i] = v
        gradient(K, c, x, h)
        for _ in range(sweeps):
            low = const
            for j in range(n):
                low += 0.5 * x[j] * (h[j] + c[j])
            high = low
            for j in range(n):
                if not fixed[j]:
                    low += min(-h[j] * x[j], h[j] * (1.0 - x[j]))
            out[r] = max(out[r], low)
            if low >= goal or high < goal:
                break
            for j in range(n):
                x0[j], h0[j] = x[j], h[j]
            for j in range(n):
                if not fixed[j]:
                    d = min(1.0, max(0.0, x[j] - h[j] / (2.0 * K[j, j]))) - x[j]
                    if d != 0.0:
                        x[j] += d
                        add_times(h, 2.0 * d, K[j])
            # On in the direction of the whole sweep, as far as that goes down and the box allows.
            slope, bend, most = 0.0, 0.0, np.inf
            for j in range(n):
                d = x[j] - x0[j]
                slope += h[j] * d
                bend += (h[j] - h0[j]) * d
                if d > 0.0:
                    most = min(most, (1.0 - x[j]) / d)
                elif d < 0.0:
                    most = min(most, x[j] / -d)
            if slope < 0.0 < bend and most > 0.0:
                t = min(most, -slope / bend)
                for j in range(n):
                    x[j] = min(1.0, max(0.0, x[j] + t * (x[j] - x0[j])))
                    h[j] += t * (h[j] - h0[j])


@kernel("f8[:,::1] f8[::1] f8[:,::1] f8[::1] f8 i8[:] i8[:] i8 f8 i8 f8[::1] f8[:,::1]")
def flips_of_size(K, lin, Z, start, const, rows, values, k, goal, steps, out, witness):
    """The same among points whose sum is k, by moves of two bits."""
    n = len(lin)
    h = np.empty(n)
    c = np.empty(n)
    g = np.empty(n - 1)
    for r in range(len(rows)):
        i, v, x = rows[r], values[r], witness[r]
        rest = k - v
        # The others of the start, moved alike until they have the sum that is left.
        a, b = -1.0, 1.0
        for _ in range(50):
            middle = 0.5 * (a + b)
            total = 0.0
            for j in range(n):
                if j != i:
                    total += min(1.0, max(0.0, start[j] + middle))
            if total < rest:
                a = middle
            else:
                b = middle
        for j in range(n):
            x[j] = min(1.0, max(0.0, start[j] + b))
            c[j] = lin[j] + (Z[i, j] if v == 1 else 0.0)
        x[i] = v
        gradient(K, c, x, h)
        for step in range(steps + 1):
            if step % LOOK == 0 or step == steps:
                low = const
                for j in range(n):
                    low += 0.5 * x[j] * (h[j] + c[j])
                high = low
                for j in range(n):
                    if j != i:
                        low -= h[j] * x[j]
                        g[j if j < i else j - 1] = h[j]
                low += least_sum(g, rest)
                out[r] = max(out[r], low)
                if low >= goal or high < goal or step == steps:
                    break
            if move_two(K, h, x, i) == 0.0:
                break
