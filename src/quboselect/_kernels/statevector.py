"""State vectors: gates change amplitudes in place.

A state of n qubits is two arrays of 2**n numbers, the real and the imaginary parts, so that every loop runs over
plain floats. Qubit i is bit i of the index: qubit 0 is the lowest bit, and feature 0. Axes are 0, 1, 2 for X, Y, Z.
"""

import numpy as np

from .compiling import kernel

X, Y, Z = 0, 1, 2
# This many amplitudes stay in the cache while all their low qubits are turned.
BLOCK = 1 << 11


@kernel
def diagonal(linear, couplings):
    """Return the energy of every bit vector; bit i of the index is bit i of the vector."""
    n = linear.size
    energies = np.zeros(1 << n)
    field = np.empty(1 << max(n - 1, 0))
    for i in range(n):
        field[0] = linear[i]
        for j in range(i):
            for m in range(1 << j):
                field[m + (1 << j)] = field[m] + couplings[i, j]
        for m in range(1 << i):
            energies[m + (1 << i)] = energies[m] + field[m]
    return energies


@kernel
def turn(re, im, qubit, axis, c, s):
    """Apply ``c - i s P`` to one qubit, P being the Pauli matrix of the axis: a rotation by twice the angle of c, s."""
    half = 1 << qubit
    for start in range(0, re.size, 2 * half):
        ra, rb = re[start : start + half], re[start + half : start + 2 * half]
        ia, ib = im[start : start + half], im[start + half : start + 2 * half]
        if axis == X:
            for m in range(half):
                a, b, d, e = ra[m], ia[m], rb[m], ib[m]
                ra[m] = c * a + s * e
                ia[m] = c * b - s * d
                rb[m] = c * d + s * b
                ib[m] = c * e - s * a
        elif axis == Y:
            for m in range(half):
                a, b, d, e = ra[m], ia[m], rb[m], ib[m]
                ra[m] = c * a - s * d
                ia[m] = c * b - s * e
                rb[m] = c * d + s * a
                ib[m] = c * e + s * b
        else:
            for m in range(half):
                a, b, d, e = ra[m], ia[m], rb[m], ib[m]
                ra[m] = c * a + s * b
                ia[m] = c * b - s * a
                rb[m] = c * d - s * e
                ib[m] = c * e + s * d


@kernel
def turn_all(re, im, axes, angles):
    """Rotate every qubit i about its axis: ``exp(-i angles_i P / 2)``."""
    n = axes.size
    c, s = np.cos(0.5 * angles), np.sin(0.5 * angles)
    block = min(re.size, BLOCK)
    for i in range(n):
        if 1 << i >= block:
            turn(re, im, i, axes[i], c[i], s[i])
    for start in range(0, re.size, block):
        stop = start + block
        for i in range(n):
            if 1 << i < block:
                turn(re[start:stop], im[start:stop], i, axes[i], c[i], s[i])


@kernel
def flip_neighbours(re, im):
    """Apply a controlled Z to every pair of neighbouring qubits: all are diagonal, so their order is all one."""
    for m in range(re.size):
        odd = m & (m >> 1)
        odd ^= odd >> 16
        odd ^= odd >> 8
        odd ^= odd >> 4
        odd ^= odd >> 2
        odd ^= odd >> 1
        if odd & 1:
            re[m] = -re[m]
            im[m] = -im[m]


@kernel
def phase(re, im, energies, angle):
    """Apply ``exp(-i angle E)``, E being diagonal."""
    for m in range(re.size):
        c, s = np.cos(angle * energies[m]), np.sin(angle * energies[m])
        a, b = re[m], im[m]
        re[m] = c * a + s * b
        im[m] = c * b - s * a


@kernel
def product_state(angles):
    """Return the state in which each qubit i is turned from 0 about Y by its angle."""
    n = angles.size
    re, im = np.zeros(1 << n), np.zeros(1 << n)
    re[0] = 1.0
    for i in range(n):
        c, s = np.cos(0.5 * angles[i]), np.sin(0.5 * angles[i])
        for m in range(1 << i):
            re[m + (1 << i)] = s * re[m]
            re[m] *= c
    return re, im


@kernel
def cumulative(re, im):
    """Return the probability to measure each index or a lower one."""
    below = np.empty(re.size)
    total = 0.0
    for m in range(re.size):
        total += re[m] * re[m] + im[m] * im[m]
        below[m] = total
    return below


@kernel
def two_design(axes, angles):
    """Return the state of the Pauli two-design: rotations of shape (layers + 1, n), neighbours joined between them."""
    layers, n = axes.shape
    re, im = product_state(np.full(n, 0.25 * np.pi))
    for layer in range(layers):
        if layer:
            flip_neighbours(re, im)
        turn_all(re, im, axes[layer], angles[layer])
    return re, im


@kernel
def alternate(energies, tilts, tilted, gammas, betas):
    """Return the state after phases by energies and turns towards the ground state of a mixer, in alternation.

    The mixer of qubit i is ``-(sin t X + cos t Z)`` with the tilt t, and the start is its ground state. All tilts are
    right angles unless ``tilted``: the mixer is ``-X`` then, and the start the even superposition of 0 and 1.
    """
    n = tilts.size
    re, im = product_state(tilts)
    about_x, about_y, about_z = np.full(n, X), np.full(n, Y), np.full(n, Z)
    for layer in range(gammas.size):
        phase(re, im, energies, gammas[layer])
        angle = np.full(n, -2.0 * betas[layer])
        if tilted:
            turn_all(re, im, about_y, -tilts)
            turn_all(re, im, about_z, angle)
            turn_all(re, im, about_y, tilts)
        else:
            turn_all(re, im, about_x, angle)
    return re, im
