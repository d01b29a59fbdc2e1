"""The loops of the relaxation: projections of lifted matrices, violated cuts, and bounds.

Row 0 of a lifted matrix is the constant 1.  A cut is a row of
``members`` (1-based positions in the lifted matrix, 0 pads), its ``signs`` b (+1/-1) and its ``offset`` t; it says
(b'x - t)(b'x - t - 1) / 2 >= 0, true for all bits because b'x is an integer.  Multiplied out, with x_i^2 = x_i:

    t(t+1)/2 + sum_i a_i x_i + sum_{i<j} b_i b_j X_ij >= 0,    a_i = -t if b_i = 1 else t + 1.
"""

import numpy as np

from .compiling import kernel

NEAR = 12  # rows that may extend a triangle


@kernel
def charge(P, row, amount, single):
    """Add an amount, times what moves each, to the bits of a row, in the diagonal of a lifted matrix."""
    for i in range(row.size):
        if row[i]:
            P[i + 1, i + 1] += amount * single[i]


@kernel(
    "f8[:,::1] f8[::1] f8[:,::1] f8[:,::1] f8[::1] f8[::1] f8[:,::1] f8 i8[::1] i4[::1] f4[::1] f4[::1] f8[::1] "
    "f8[::1] b1[:,::1] i8[::1] f8[::1] i8 f8[:,::1]"
)
def project(
    P,
    flat,
    X,
    V,
    metric,
    linear,
    couplings,
    rho,
    starts,
    places,
    factors,
    moves,
    heights,
    mu,
    rows,
    most,
    away,
    sweeps,
    Z,
):
    """Project 2X - V - C/rho onto the polyhedron {Y_00 = 1, Y_ii = Y_0i, Y >= 0, cuts, limits}.

    All in coordinates in which row i counts metric[i] times: P (n+1, n+1) receives Y, and flat is the same memory, row
    after row; mu, the multipliers of the cuts, is updated in place by ``sweeps`` rounds of coordinate ascent. What cut
    c is about are the entries starts[c] to starts[c+1] of places, positions in flat, of factors, and of moves: by how
    much a multiplier of one moves that entry where rho is 1; heights (m,) are the constants. Of the bits of a row of
    rows (r, n) at most so many of most (r,) are ones; away (r,), the multipliers of that, is updated as mu is.
    Z (n, n), if it is not empty, receives in its upper triangle and diagonal the multipliers of X_ij >= 0 and of
    x_i >= 0, and must come as zeros.
    """
    n = len(linear)
    # The inverse of the metric, and 1 / (rho * weight) of a bit, which is in the diagonal and twice in row 0; of a pair
    # it is half / (rho * its metric squared).
    inverse, single, top = np.empty(n + 1), np.empty(n), metric[0]
    for i in range(n + 1):
        inverse[i] = 1.0 / metric[i]
    for i in range(n):
        own = metric[i + 1] * metric[i + 1]
        single[i] = 1.0 / ((2.0 * top * top + own) * own * rho)
    half = 0.5 / rho
    for i in range(1, n + 1):
        a, b = 2.0 * X[0, i] - V[0, i], 2.0 * X[i, i] - V[i, i]
        P[i, i] = ((2.0 * top * a + metric[i] * b) * metric[i] * rho - linear[i - 1]) * single[i - 1]
        for j in range(i + 1, n + 1):
            inner = inverse[i] * inverse[j]
            P[i, j] = (2.0 * X[i, j] - V[i, j] - couplings[i - 1, j - 1] * half * inner) * inner
    m = len(mu)
    weights = np.empty(m)
    for c in range(m):
        weights[c] = 0.0
        for a in range(starts[c], starts[c + 1]):
            weights[c] += factors[a] * moves[a]
        # From here on multipliers are those where rho is 1.
        mu[c] /= rho
        if mu[c] > 0.0:
            for a in range(starts[c], starts[c + 1]):
                flat[places[a]] += mu[c] * moves[a]
    for r in range(len(away)):
        if away[r] > 0.0:
            charge(P, rows[r], -away[r], single)
    for s in range(sweeps):
        for r in range(len(away)):
            ones, members = 0.0, 0.0
            for i in range(n):
                if rows[r, i]:
                    ones += max(P[i + 1, i + 1], 0.0)
                    members += single[i]
            if members > 0.0:
                new = max(0.0, away[r] - (most[r] - ones) / members)
                if new != away[r]:
                    charge(P, rows[r], away[r] - new, single)
                    away[r] = new
        for cc in range(m):
            c = cc if s % 2 == 0 else m - 1 - cc
            h = heights[c]
            for a in range(starts[c], starts[c + 1]):
                h += factors[a] * max(flat[places[a]], 0.0)
            new = max(0.0, mu[c] - h / weights[c])
            step = new - mu[c]
            if step != 0.0:
                mu[c] = new
                for a in range(starts[c], starts[c + 1]):
                    flat[places[a]] += step * moves[a]
    for c in range(m):
        mu[c] *= rho
    P[0, 0] = top * top
    for i in range(1, n + 1):
        if P[i, i] < 0.0:
            if len(Z):
                Z[i - 1, i - 1] = -P[i, i] / single[i - 1]
            P[i, i] = 0.0
        P[0, i] = P[i, 0] = top * metric[i] * P[i, i]
        P[i, i] *= metric[i] * metric[i]
        for j in range(i + 1, n + 1):
            both = metric[i] * metric[j]
            if P[i, j] < 0.0:
                if len(Z):
                    Z[i - 1, j - 1] = -P[i, j] * both * both / half
                P[i, j] = 0.0
            P[i, j] *= both
            P[j, i] = P[i, j]


@kernel("f8[::1] f8[:,::1] i4[:,::1] i1[:,::1] i8[::1] f8[::1]")
def subtract_cuts(linear, couplings, members, signs, offsets, mu):
    """Subtract sum mu * cut from linear and the upper triangle of couplings, and return the constant taken."""
    const = 0.0
    m, width = members.shape
    for c in range(m):
        t = offsets[c]
        if mu[c] > 0.0:
            const += 0.5 * t * (t + 1) * mu[c]
            for a in range(width):
                i = members[c, a]
                if i == 0:
                    break
                linear[i - 1] -= mu[c] * (-t if signs[c, a] > 0 else t + 1)
                for b in range(a + 1, width):
                    j = members[c, b]
                    if j == 0:
                        break
                    couplings[min(i, j) - 1, max(i, j) - 1] -= mu[c] * signs[c, a] * signs[c, b]
    return const


@kernel("f8[:,::1] f8 i4[:,::1] f8[::1]")
def triangles(Y, tol, out, score):
    """Violated triangle (and pair) inequalities of the lifted Y, into out (kind, i, j, k) and score; the number found.

    kind 0: x_i + x_j + x_k - X_ij - X_ik - X_jk <= 1;  kind 1: X_ij + X_ik <= x_i + X_jk;
    kind 2: X_ij <= x_i;  kind 3: x_i + x_j - X_ij <= 1 (k = 0).  When full, a later stronger cut replaces a weaker one.
    """
    n = Y.shape[0] - 1
    cap = len(score)
    found = 0
    for i in range(1, n + 1):
        for j in range(i + 1, n + 1):
            xi, xj, q = Y[0, i], Y[0, j], Y[i, j]
            for kind in range(3):
                v = q - xi if kind == 0 else (q - xj if kind == 1 else xi + xj - q - 1.0)
                if v > tol:
                    s = found % cap if found < cap else (found * 7919) % cap
                    if found < cap or v > score[s]:
                        score[s] = v
                        out[s, 0] = 2 if kind < 2 else 3
                        out[s, 1] = j if kind == 1 else i
                        out[s, 2] = i if kind == 1 else j
                        out[s, 3] = 0
                    found += 1
            for k in range(j + 1, n + 1):
                a, b = Y[i, k], Y[j, k]
                xk = Y[0, k]
                v0 = xi + xj + xk - q - a - b - 1.0
                v1 = q + a - xi - b
                v2 = q + b - xj - a
                v3 = a + b - xk - q
                v = max(max(v0, v1), max(v2, v3))
                if v > tol:
                    s = found if found < cap else (found * 7919) % cap
                    if found < cap or v > score[s]:
                        score[s] = v
                        if v == v0:
                            out[s, 0] = 0
                            out[s, 1], out[s, 2], out[s, 3] = i, j, k
                        else:
                            out[s, 0] = 1
                            if v == v1:
                                out[s, 1], out[s, 2], out[s, 3] = i, j, k
                            elif v == v2:
                                out[s, 1], out[s, 2], out[s, 3] = j, i, k
                            else:
                                out[s, 1], out[s, 2], out[s, 3] = k, i, j
                    found += 1
    return found


@kernel("f8[:,::1] i8[:,::1] i8[:,::1] i8[:,::1] i8[:,::1] f8[::1]")
def pentagons(S, members, signs, out, out_signs, score):
    """Extend each triangle by the two rows of S with which ``sum_{i<j} b_i b_j S_ij >= -2`` is violated most.

    S (n, n) is a lifted matrix over spins, members and signs (m, 3) are rows of it and their b. out and out_signs
    (m, 5) receive five rows and their b, and score (m,) by how much they violate it, at most 0 where they do not. Of
    the other rows the NEAR that add most are looked at.
    """
    n = len(S)
    near = np.empty(NEAR, np.int64)
    height = np.empty(NEAR)
    g = np.empty(n)
    for c in range(len(members)):
        i, j, k = members[c, 0], members[c, 1], members[c, 2]
        bi, bj, bk = signs[c, 0], signs[c, 1], signs[c, 2]
        inner = bi * bj * S[i, j] + bi * bk * S[i, k] + bj * bk * S[j, k]
        count = np.int64(0)
        for row in range(n):
            g[row] = bi * S[i, row] + bj * S[j, row] + bk * S[k, row]
            if row in (i, j, k) or (count == NEAR and abs(g[row]) <= height[NEAR - 1]):
                continue
            if count < NEAR:
                count += 1
            at = count - 1
            while at > 0 and height[at - 1] < abs(g[row]):
                height[at], near[at] = height[at - 1], near[at - 1]
                at -= 1
            height[at], near[at] = abs(g[row]), row
        score[c] = -np.inf
        for a in range(count):
            for b in range(a + 1, count):
                one, two = near[a], near[b]
                for turn in range(4):
                    first, second = 1 - 2 * (turn & 1), 1 - (turn & 2)
                    value = -2.0 - inner - first * g[one] - second * g[two] - first * second * S[one, two]
                    if value > score[c]:
                        score[c] = value
                        out[c, 3], out[c, 4], out_signs[c, 3], out_signs[c, 4] = one, two, first, second
        out[c, 0], out[c, 1], out[c, 2] = i, j, k
        out_signs[c, 0], out_signs[c, 1], out_signs[c, 2] = bi, bj, bk
