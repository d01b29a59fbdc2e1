"""Ties: of bit vectors that are equally good, the one the library returns.

A bit vector that a solver found flows in; one with fewer ones, then lower indices, flows out, whose energy is
the same within `QUBO.tolerance`. So a feature that changes nothing is not selected, and of two identical
features the first is.
"""

import numpy as np
import numpy.typing as npt

from ..qubo import QUBO, Bits, as_bits


def canonical(qubo: QUBO, x: npt.ArrayLike, k: int | None = None) -> Bits:
    """Return the representative of a bit vector among its equally good neighbours.

    Ones whose removal does not raise the energy are dropped, the highest index first. Then a one moves to the
    lowest free index at which the energy is not higher. Both repeat until nothing changes. All moves together
    raise the energy by at most the tolerance.

    Parameters
    ----------
    qubo : QUBO
    x : bits of shape (n,)
    k : int or None
        Keep exactly k ones: none is dropped.

    Examples
    --------
    >>> qubo = QUBO([0.0, -1.0, -1.0], [[0, 0, 0], [0, 0, 2], [0, 2, 0]])
    >>> canonical(qubo, [1, 0, 1])
    array([False,  True, False])
    """
    bits = as_bits(x, qubo.size).copy()
    if bits.ndim != 1:
        raise ValueError(f"x must be one vector of {qubo.size} bits, got shape {bits.shape}.")
    if k is not None and bits.sum() != k:
        raise ValueError(f"x must have exactly k = {k} ones, got {bits.sum()}.")
    couplings = qubo.couplings
    fields = qubo.linear + couplings[bits].sum(axis=0)
    slack = qubo.tolerance
    moved = True
    while moved:
        moved = False
        if k is None:
            while (free := np.flatnonzero(bits & (-fields <= slack))).size:
                i = free[-1]
                slack += fields[i]
                bits[i] = False
                fields = fields - couplings[i]
        for i in np.flatnonzero(bits):
            change = fields[:i] - fields[i] - couplings[i, :i]
            better = np.flatnonzero(~bits[:i] & (change <= slack))
            if better.size:
                j = better[0]
                slack -= change[j]
                bits[i], bits[j] = False, True
                fields = fields + (couplings[j] - couplings[i])
                moved = True
    return bits
