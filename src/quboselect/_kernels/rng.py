"""Random numbers for kernels: each call returns the next number and moves the state on.

The generator is splitmix64. Its state is an array of one ``uint64`` that the caller owns, so a result depends
on the seed it was given and on nothing else: not on threads, not on what ran before.
"""

import numpy as np

from .compiling import kernel

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11), np.uint64(32)
_2_TO_MINUS_53 = 2.0**-53


@kernel
def next_word(state):
    """Return the next 64 random bits as a uint64."""
    state[0] += _GOLDEN
    z = state[0]
    z = (z ^ (z >> _30)) * _MIX1
    z = (z ^ (z >> _27)) * _MIX2
    return z ^ (z >> _31)


@kernel
def uniform(state):
    """Return a float from [0, 1), a multiple of 2**-53."""
    return np.float64(next_word(state) >> _11) * _2_TO_MINUS_53


@kernel
def below(state, bound):
    """Return an integer from 0 to ``bound - 1``, for bounds up to 2**32.

    The high bits of a product replace a division; the bias is below ``bound / 2**32``.
    """
    return np.int64(((next_word(state) >> _32) * np.uint64(bound)) >> _32)
