"""The loops that settle bits: bounds on ``const + c'x + x'K x`` over the box [0, 1]^n where one bit has a given value.

K is positive semidefinite, so every point of the box gives a bound by its tangent. A descent looks for a good point,
until the bound reaches the goal or the value at the point falls below it. Where bit i is one, ``c = lin + Z_i``.
"""

import numpy as np

from .compiling import kernel
from .outside import LOOK, least_sum, move_two

PLAIN, EACH = 320, 32  # moves of two bits before the first step of Newton's, and between two


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


@kernel
def eliminated(K, places, count, A):
    """Write K on some places into the first rows of A, and eliminate; False where it is not definite."""
    for a in range(count):
        row, out = K[places[a]], A[a]
        for b in range(a, count):
            out[b] = row[places[b]]
    for c in range(count):
        pivot = A[c]
        if pivot[c] <= 1e-14 * K[places[c], places[c]]:
            return False
        for a in range(c + 1, count):
            factor, row = pivot[a] / pivot[c], A[a]
            for b in range(a, count):
                row[b] -= factor * pivot[b]
    return True


@kernel
def solve_eliminated(A, count, d):
    """Replace the first entries of d by what the eliminated matrix takes to them."""
    for c in range(count):
        pivot, factor = A[c], d[c] / A[c, c]
        for a in range(c + 1, count):
            d[a] -= factor * pivot[a]
    for c in range(count - 1, -1, -1):
        pivot, value = A[c], d[c]
        for a in range(c + 1, count):
            value -= pivot[a] * d[a]
        d[c] = value / pivot[c]


@kernel
def face_solution(K, G, places, count, others, rest, A, r, d, e):
    """Write into d, on some places, what K there takes to r; G is the inverse of K, and others are the other places.

    A holds what `eliminated` left of K on the places or of G on the others, whichever are fewer; e is room to work in.
    """
    if count <= rest:
        for a in range(count):
            e[a] = r[places[a]]
        solve_eliminated(A, count, e)
        for a in range(count):
            d[places[a]] = e[a]
        return
    for j in range(len(d)):
        d[j] = 0.0
    for a in range(count):
        add_times(d, r[places[a]], G[places[a]])
    for a in range(rest):
        e[a] = -d[others[a]]
    solve_eliminated(A, rest, e)
    for a in range(rest):
        add_times(d, e[a], G[others[a]])


@kernel
def newton(K, G, h, x, pin, places, others, A, r, d, e, f):
    """Move what of x is inside the box, but for ``pin``, to the minimum of its face, its sum kept, as far as may be.

    h, the gradient, and x are changed in place; G is the inverse of K, and the other arrays, of shape (n,) but
    A (n, n), are room to work in.
    """
    count, rest = np.int64(0), np.int64(0)
    for j in range(len(x)):
        if j != pin and 0.0 < x[j] < 1.0:
            places[count] = j
            count += 1
        else:
            others[rest] = j
            rest += 1
    if count < 2:
        return
    if not (eliminated(K, places, count, A) if count <= rest else eliminated(G, others, rest, A)):
        return
    for a in range(count):
        r[places[a]] = -0.5 * h[places[a]]
    face_solution(K, G, places, count, others, rest, A, r, d, e)
    for a in range(count):
        r[places[a]] = 1.0
    face_solution(K, G, places, count, others, rest, A, r, f, e)
    up, down = 0.0, 0.0
    for a in range(count):
        up += d[places[a]]
        down += f[places[a]]
    if down <= 0.0:
        return
    for a in range(count):
        d[places[a]] -= up / down * f[places[a]]
    slope, most = 0.0, 1.0
    for a in range(count):
        j = places[a]
        slope += h[j] * d[j]
        if d[j] > 0.0:
            most = min(most, (1.0 - x[j]) / d[j])
        elif d[j] < 0.0:
            most = min(most, x[j] / -d[j])
    if slope >= 0.0 or most <= 0.0:
        return
    for a in range(count):
        j = places[a]
        x[j] = min(1.0, max(0.0, x[j] + most * d[j]))
        add_times(h, 2.0 * most * d[j], K[j])


@kernel("f8[:,::1] i8[::1] f8[::1]")
def shift_rows(X, pins, totals):
    """Move all entries of each row alike but for its pin, cut off at 0 and 1, such that their sum is the given one."""
    for r in range(len(X)):
        x, pin, total = X[r], pins[r], totals[r]
        low, high, shift = np.inf, -np.inf, 0.0
        for j in range(len(x)):
            if j != pin:
                low, high = min(low, -x[j]), max(high, 1.0 - x[j])
        for _ in range(100):
            inside, got = 0, 0.0
            for j in range(len(x)):
                if j != pin:
                    value = min(1.0, max(0.0, x[j] + shift))
                    got += value
                    if 0.0 < value < 1.0:
                        inside += 1
            if abs(got - total) <= 1e-13 * total:
                break
            if got < total:
                low = shift
            else:
                high = shift
            shift = shift + (total - got) / inside if inside else low
            if not low < shift < high:
                shift = 0.5 * (low + high)
        for j in range(len(x)):
            if j != pin:
                x[j] = min(1.0, max(0.0, x[j] + shift))


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


@kernel("f8[:,::1] f8[:,::1] b1[:,::1] f8 f8 i8 f8[:,::1] f8[:,::1] f8[::1]")
def descend_in_box(K, C, fixed, const, goal, sweeps, X, H, out):
    """Move each row of X towards the minimum of ``const + C_r'x + x'K x`` over the box; out receives the bounds.

    X and its gradients H are changed in place; what is fixed (m, n) stays. A row ends at its goal, or below.
    """
    n = len(K)
    p, q, d, e = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for r in range(len(X)):
        x, h, c, held = X[r], H[r], C[r], fixed[r]
        for j in range(n):
            d[j], e[j] = 0.0, 0.0
        for _ in range(sweeps):
            low = const
            for j in range(n):
                low += 0.5 * x[j] * (h[j] + c[j])
            high = low
            for j in range(n):
                if not held[j]:
                    low += min(-h[j] * x[j], h[j] * (1.0 - x[j]))
            out[r] = max(out[r], low)
            if low >= goal or high < goal:
                break
            for j in range(n):
                p[j], q[j] = -x[j], -h[j]
            for j in range(n):
                if not held[j]:
                    move = min(1.0, max(0.0, x[j] - h[j] / (2.0 * K[j, j]))) - x[j]
                    if move != 0.0:
                        x[j] += move
                        add_times(h, 2.0 * move, K[j])
            # On where the value is lowest in the plane of the whole sweep, p, and the last such move, d, as far as the
            # box allows; q and e are 2 K p and 2 K d.
            pp, pd, dd, hp, hd = 0.0, 0.0, 0.0, 0.0, 0.0
            for j in range(n):
                p[j] += x[j]
                q[j] += h[j]
                if (d[j] > 0.0 and x[j] >= 1.0) or (d[j] < 0.0 and x[j] <= 0.0):
                    add_times(e, -2.0 * d[j], K[j])
                    d[j] = 0.0
            for j in range(n):
                pp += p[j] * q[j]
                pd += p[j] * e[j]
                dd += d[j] * e[j]
                hp += h[j] * p[j]
                hd += h[j] * d[j]
            a, b = 0.0, 0.0
            inner = pp * dd - pd * pd
            if dd > 0.0 and inner > 1e-12 * pp * dd:
                a, b = (pd * hd - dd * hp) / inner, (pd * hp - pp * hd) / inner
            elif pp > 0.0:
                a = -hp / pp
            most = 1.0
            for j in range(n):
                d[j] = a * p[j] + b * d[j]
                e[j] = a * q[j] + b * e[j]
                if d[j] > 0.0:
                    most = min(most, (1.0 - x[j]) / d[j])
                elif d[j] < 0.0:
                    most = min(most, x[j] / -d[j])
            if most > 0.0:
                for j in range(n):
                    x[j] = min(1.0, max(0.0, x[j] + most * d[j]))
                    h[j] += most * e[j]


@kernel("f8[:,::1] f8[:,::1] f8[:,::1] i8[::1] i8[::1] i8 f8 f8 i8 f8[:,::1] f8[:,::1] f8[::1]")
def descend_of_size(K, G, C, rows, values, k, const, goal, steps, X, H, out):
    """The same among points whose sum is k, by moves of two bits; bit rows[r] stays at values[r]."""
    n = len(K)
    g = np.empty(n - 1)
    places, others, A, work = np.empty(n, np.int64), np.empty(n, np.int64), np.empty((n, n)), np.empty((4, n))
    for r in range(len(X)):
        x, h, c, i = X[r], H[r], C[r], rows[r]
        for step in range(steps + 1):
            if step % LOOK == 0 or step == steps:
                if step >= PLAIN and step % EACH == 0:
                    newton(K, G, h, x, i, places, others, A, work[0], work[1], work[2], work[3])
                low = const
                for j in range(n):
                    low += 0.5 * x[j] * (h[j] + c[j])
                high = low
                for j in range(n):
                    if j != i:
                        low -= h[j] * x[j]
                        g[j if j < i else j - 1] = h[j]
                low += least_sum(g, k - values[r])
                out[r] = max(out[r], low)
                if low >= goal or high < goal or step == steps:
                    break
            if move_two(K, h, x, i, 1.0) == 0.0:
                break
