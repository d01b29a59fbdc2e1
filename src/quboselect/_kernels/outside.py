"""The loops of the proof that nothing outside a core is of use: tangents of a convex quadratic, and a search for them.

All minimise ``constant + linear'x + x'K x`` over x in the box [0, 1]^c with sum x = m, K positive semidefinite.
"""

import numpy as np

from .compiling import kernel
from .search import sum_of_largest

LOOK = 16  # steps between two looks at the bound


@kernel
def least_sum(g, m):
    """The sum of the m smallest entries of g: the minimum of g'x over the box with sum x = m."""
    turned = np.empty(g.size)
    for j in range(g.size):
        turned[j] = -g[j]
    return -sum_of_largest(turned, g.size, min(m, g.size))


@kernel
def move_two(K, g, x, pin, top):
    """Move the two entries of x, but for ``pin``, that go down fastest, their sum kept, as far as that goes down.

    No entry goes above ``top``. x and its gradient g are changed in place. Returned: the change of the value, negative,
    or 0 where none is left.
    """
    up, down = -1, -1
    for j in range(len(g)):
        if j != pin:
            if x[j] < top and (up < 0 or g[j] < g[up]):
                up = j
            if x[j] > 0.0 and (down < 0 or g[j] > g[down]):
                down = j
    if up < 0 or down < 0 or g[down] <= g[up]:
        return 0.0
    bend = K[up, up] + K[down, down] - 2.0 * K[up, down]
    d = min(top - x[up], x[down])
    if bend > 0.0:
        d = min(d, (g[down] - g[up]) / (2.0 * bend))
    change = d * (g[up] - g[down]) + bend * d * d
    x[up] += d
    x[down] -= d
    for j in range(len(g)):
        g[j] += 2.0 * d * (K[up, j] - K[down, j])
    return change


@kernel("f8[:,::1] f8[::1] f8[::1] i8 f8 i8 f8")
def descend(K, g, x, m, value, steps, gap):
    """Move x downhill, two entries at a time, until the tangent at x is within ``gap`` of the value at x.

    g, the gradient at x, and x are changed in place; value is that at x. Returned: the bound by the tangent at x.
    """
    c = len(g)
    for step in range(steps + 1):
        if step % LOOK == 0 or step == steps:
            low = value + least_sum(g, m)
            for j in range(c):
                low -= g[j] * x[j]
            if value - low <= gap or step == steps:
                return low
        change = move_two(K, g, x, -1, 1.0)
        if change == 0.0:
            break
        value += change
    low = value + least_sum(g, m)
    for j in range(c):
        low -= g[j] * x[j]
    return low


@kernel("f8[:,::1] f8[::1] i8 f8[::1] f8 i8 f8[::1]")
def tangents(D, own, b, g, height, m, out):
    """Bounds on the quadratic plus ``b (own_i + D_i'x)`` for each row i of D, by tangents at one point.

    g is the gradient at the point, and height the value there less g'x.
    """
    c = len(g)
    h = np.empty(c)
    for i in range(len(own)):
        for j in range(c):
            h[j] = g[j] + b * D[i, j]
        out[i] = height + b * own[i] + least_sum(h, m)


@kernel("f8[:,::1] f8[:,::1] f8[::1] i8 f8[::1] f8[::1] f8 i8 i8[::1] i8 f8 f8[::1] f8[:,::1]")
def refine(K, D, own, b, g, point, value, m, rows, steps, gap, out, witnesses):
    """The same for some rows, each with a tangent at a point of its own, which a row of ``witnesses`` receives."""
    c = len(g)
    h = np.empty(c)
    for r in range(len(rows)):
        i = rows[r]
        x = witnesses[r]
        start = value + b * own[i]
        for j in range(c):
            x[j] = point[j]
            h[j] = g[j] + b * D[i, j]
            start += b * D[i, j] * x[j]
        out[i] = max(out[i], descend(K, h, x, m, start, steps, gap))
