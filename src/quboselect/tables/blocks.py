"""Blocks: neighbouring samples that stay together where samples are shuffled or drawn, as those of a time series.

Samples of a series depend on those beside them. Shuffled one by one they would not, so what two slow series have in
common by chance would look like more than chance. A series is therefore moved along as a whole, and drawn in blocks
that are longer than samples depend on each other.
"""

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.intp]


def shuffled_places(n: int, blocks: int | None, rng: np.random.Generator) -> Places:
    """Return the places of n samples in a random order; those of a series, moved along by a random distance.

    That is a *circular shift*: the series begins anywhere, and what came before follows its end. All neighbours stay,
    but for the two ends, whatever the length of blocks; what else happened at the time is elsewhere. It is right for a
    series whose manner does not change in time, and sees nothing where a season is all that two series share.

    Parameters
    ----------
    n : int
    blocks : int, optional
        None shuffles samples one by one.
    rng : Generator

    Examples
    --------
    >>> shuffled_places(6, 2, np.random.default_rng(0))
    array([1, 2, 3, 4, 5, 0])
    """
    places: Places = rng.permutation(n) if blocks is None else np.roll(np.arange(n), rng.integers(n))
    return places


def drawn_places(n: int, blocks: int | None, fraction: float | None, rng: np.random.Generator) -> Places:
    """Return the places of samples that are drawn from n of them, one by one or in blocks.

    Blocks begin anywhere, and what follows the last sample is the first (the circular block bootstrap of Politis and
    Romano, 1992). Where a share is drawn, no sample comes twice: the samples are cut into blocks, at random places.

    Parameters
    ----------
    n : int
    blocks : int, optional
        The length of a block. None draws samples one by one, and returns them in the order they stand in.
    fraction : float, optional
        Draw this share without replacement. None draws n with replacement.
    rng : Generator

    Examples
    --------
    >>> drawn_places(6, 3, None, np.random.default_rng(1))
    array([2, 3, 4, 3, 4, 5])
    >>> drawn_places(6, 3, 0.5, np.random.default_rng(1))
    array([2, 3, 4])
    """
    size = n if fraction is None else max(round(fraction * n), 1)
    if blocks is None:
        # In order they are quicker to gather.
        return np.sort(rng.integers(0, n, n) if fraction is None else rng.choice(n, size, replace=False))
    if fraction is None:
        starts = rng.integers(0, n, -(-n // blocks))
        return (starts[:, None] + np.arange(blocks)).ravel()[:n] % n
    circle = np.split((rng.integers(n) + np.arange(n)) % n, range(blocks, n, blocks))
    return np.concatenate([circle[i] for i in rng.permutation(len(circle))])[:size]
