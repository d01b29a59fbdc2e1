"""The loops that carry a dual over to more bits: for many rows at once the minimum of ``D_r'x + x'K x`` over x >= 0.

K is positive semidefinite. X (m, n) are points and H (m, n) the gradients there; both are changed in place.
"""

import numpy as np

from .compiling import kernel
from .outside import move_two
from .settling import add_times

NEAR = 1e-5  # sweeps end when nothing moves so far


@kernel("f8[:,::1] f8[:,::1] f8[:,::1] i8")
def descend_rows(K, X, H, sweeps):
    """Move each row downhill, one entry after the other."""
    for r in range(len(X)):
        x, h = X[r], H[r]
        for _ in range(sweeps):
            most = 0.0
            for j in range(len(x)):
                d = max(0.0, x[j] - h[j] / (2.0 * K[j, j])) - x[j]
                if d != 0.0:
                    x[j] += d
                    add_times(h, 2.0 * d, K[j])
                    most = max(most, abs(d))
            if most < NEAR:
                break


@kernel("f8[:,::1] f8[:,::1] f8[:,::1] i8")
def descend_rows_of_size(K, X, H, steps):
    """Move each row downhill, two entries at a time, their sum kept."""
    for r in range(len(X)):
        for _ in range(steps):
            if move_two(K, H[r], X[r], -1, np.inf) == 0.0:
                break
