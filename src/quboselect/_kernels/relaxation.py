"""The loops of the relaxation: projections of lifted matrices, violated cuts, and bounds.

Row 0 of a lifted matrix is the constant 1.  A cut is a row of
``members`` (1-based positions in the lifted matrix, 0 pads), its ``signs`` b (+1/-1) and its ``offset`` t; it says
(b'x - t)(b'x - t - 1) / 2 >= 0, true for all bits because b'x is an integer.  Multiplied out, with x_i^2 = x_i:

    t(t+1)/2 + sum_i a_i x_i + sum_{i<j} b_i b_j X_ij >= 0,    a_i = -t if b_i = 1 else t + 1.
"""

import numpy as np

from .compiling import kernel


@kernel("f8[:,::1] f8[:,::1] f8[:,::1] f8[::1] f8[::1] f8[:,::1] f8 i4[:,::1] i1[:,::1] i8[::1] f8[::1] i8")
def project(P, X, U, tau, linear, couplings, rho, members, signs, offsets, mu, sweeps):
    """Project X - U - C/rho onto the polyhedron {Y_00 = 1, Y_ii = Y_0i, Y >= 0, cuts}.

    All in coordinates scaled by tau, Y_ij * tau_i * tau_j: P (n+1, n+1) receives Y; mu, the multipliers of the
    cuts, is updated in place by ``sweeps`` rounds of coordinate ascent.
    Returned: Z (n, n), upper triangle and diagonal: multipliers of X_ij >= 0 and of x_i >= 0.
    """
    n = len(linear)
    W = np.empty((n + 1, n + 1))  # 1 / (rho * weight of the parameter), upper triangle
    t0 = tau[0] * tau[0]
    for i in range(1, n + 1):
        ti = tau[i] * tau[i]
        wi = 1.0 / (2.0 * t0 * ti + ti * ti)
        a = X[0, i] - U[0, i]
        b = X[i, i] - U[i, i]
        W[i, i] = wi / rho
        P[i, i] = (2.0 * tau[0] * tau[i] * a + ti * b) * wi - linear[i - 1] * W[i, i]
        for j in range(i + 1, n + 1):
            tt = 1.0 / (tau[i] * tau[j])
            W[i, j] = 0.5 * tt * tt / rho
            P[i, j] = (X[i, j] - U[i, j]) * tt - couplings[i - 1, j - 1] * W[i, j]
    m, width = members.shape
    for c in range(m):
        if mu[c] > 0.0:
            t = offsets[c]
            for a in range(width):
                i = members[c, a]
                if i == 0:
                    break
                P[i, i] += mu[c] * W[i, i] * (-t if signs[c, a] > 0 else t + 1)
                for b in range(a + 1, width):
                    j = members[c, b]
                    if j == 0:
                        break
                    P[min(i, j), max(i, j)] += mu[c] * W[min(i, j), max(i, j)] * signs[c, a] * signs[c, b]
    for s in range(sweeps):
        for cc in range(m):
            c = cc if s % 2 == 0 else m - 1 - cc
            t = offsets[c]
            h = 0.5 * t * (t + 1)
            norm = 0.0
            for a in range(width):
                i = members[c, a]
                if i == 0:
                    break
                al = -t if signs[c, a] > 0 else t + 1
                h += al * max(P[i, i], 0.0)
                norm += al * al * W[i, i]
                for b in range(a + 1, width):
                    j = members[c, b]
                    if j == 0:
                        break
                    p, q = min(i, j), max(i, j)
                    norm += W[p, q]
                    h += signs[c, a] * signs[c, b] * max(P[p, q], 0.0)
            new = max(0.0, mu[c] - h / norm)
            step = new - mu[c]
            if step != 0.0:
                mu[c] = new
                for a in range(width):
                    i = members[c, a]
                    if i == 0:
                        break
                    P[i, i] += step * W[i, i] * (-t if signs[c, a] > 0 else t + 1)
                    for b in range(a + 1, width):
                        j = members[c, b]
                        if j == 0:
                            break
                        p, q = min(i, j), max(i, j)
                        P[p, q] += step * W[p, q] * signs[c, a] * signs[c, b]
    Z = np.zeros((n, n))
    P[0, 0] = tau[0] * tau[0]
    for i in range(1, n + 1):
        for j in range(i, n + 1):
            p = P[i, j]
            if p < 0.0:
                Z[i - 1, j - 1] = -p / W[i, j]
                p = 0.0
            if i == j:
                P[0, i] = p * tau[0] * tau[i]
                P[i, 0] = P[0, i]
            p *= tau[i] * tau[j]
            P[i, j] = p
            P[j, i] = p
    return Z


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
