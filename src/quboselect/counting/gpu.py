"""Joint counts made on a device of PyTorch, such as a GPU, and entropies; ``entropies.py`` and batches call it.

A feature of ``B`` codes is ``B`` rows of zeros and ones, one for each code, and the product of two features' rows
counts their joint codes: all tables of a block of features are one product of matrices. Zeros and ones multiply in
8-bit integers that add up in 32 bits, or in floats while a sum stays below 2^24; either way the counts are exact.
What a count adds to an entropy is looked up in the same table as on the processor, and the terms are added in the
same order, so that the entropies are the same to the last bit. Whole weights are multiplied in double precision,
exact below 2^53, and their entropies agree to rounding.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import optional
from .bins import Codes

Matrix = NDArray[np.float64]
Tile = tuple[int, int, int, int]  # features i0 to i1 by features j0 to j1

MOST_CODES = 255  # of a feature counted here; the next number is the padding
PADDING = 255  # a code that has no row of zeros and ones
EDGE = 16  # features and samples are padded to multiples of this, which products of integers need
ROWS = 4096  # of zeros and ones in a block of features
BYTES = 2**29  # of zeros and ones in a block at a time
WHOLE = 2**24  # floats of 32 bits tell all whole numbers up to here


def device_of(device: str) -> tuple[Any, Any]:
    """Return torch and one of its devices, which can hold double precision, or raise an error that says why not."""
    torch = optional("torch", "gpu", f"device={device!r}")
    try:
        found = torch.device(device)
        torch.zeros(1, dtype=torch.float64, device=found).item()
    except (RuntimeError, AssertionError, NotImplementedError, TypeError) as error:
        reason = re.split(r"\.?\n|\. |\.$", str(error).strip(), maxsplit=1)[0]
        raise ValueError(
            f"device must be one that torch {torch.__version__} can count on here, as 'cuda', 'cuda:0' or 'cpu', got "
            f"{device!r} ({reason}): use device=None, which needs no torch, or a build of torch for your GPU."
        ) from error
    return torch, found


def entropies_by_products(
    codes: Codes, features: NDArray[np.int64], terms: NDArray[np.float64] | None, extra: float, device: str
) -> Matrix:
    """Return the joint entropies among some features, each of few codes, counted on a device.

    The device holds their codes, one byte each, and two blocks of zeros and ones at a time.

    Parameters
    ----------
    codes : Codes
        The features; weights, if any, are whole.
    features : array of int
        Which of them, each of at most ``MOST_CODES`` codes.
    terms : array of shape (n_samples + 1,) or None
        What a count of ``c`` adds to an entropy; None where there are weights, and counts go too far for a table.
    extra : float
        What each occupied cell of weights adds to an entropy besides.
    device : str
        As PyTorch names it: ``"cuda"``, ``"cuda:1"``, ``"cpu"``.
    """
    torch, where = device_of(device)
    joint = np.zeros((features.size, features.size))
    if terms is None:
        term = partial(weighted_term, torch, codes.total, extra)
    else:
        term = partial(look_up, torch.as_tensor(terms, device=where))
    for (i0, i1, j0, j1), counts in tables_by_products(codes, features, device):
        tile = table_entropies(counts, term)[: i1 - i0, : j1 - j0].cpu().numpy()
        if i0 == j0:
            # Of the two orders of a pair the processor takes the lower feature for the rows.
            tile = np.triu(tile, 1)
            tile = tile + tile.T
        joint[i0:i1, j0:j1] = tile
        joint[j0:j1, i0:i1] = tile.T
    return joint


def common_counts(
    codes: Codes, features: NDArray[np.int64], device: str
) -> Iterator[tuple[Tile, NDArray[np.uint32]]]:
    """Yield tiles of some features, and how often codes of one and of the other occur together, codes 0 left out.

    A row and a column for each code from 1 on of the tile's features, as `BitPlanes.common_ones` has them.

    Parameters
    ----------
    codes, features, device
        As in `entropies_by_products`; codes without weights.
    """
    (torch, where), sizes = device_of(device), codes.sizes[features]

    def kept(first: int, last: int, width: int) -> Any:
        code = np.arange(width)
        return torch.as_tensor(np.flatnonzero((code > 0) & (code < sizes[first:last, None])), device=where)

    for tile, counts in tables_by_products(codes, features, device):
        height, width = counts.shape[1], counts.shape[3]
        rows, columns = kept(*tile[:2], height), kept(*tile[2:], width)
        flat = counts.reshape(counts.shape[0] * height, counts.shape[2] * width)
        some = flat.index_select(0, rows).index_select(1, columns)
        # Memory that stays in its place takes the counts ten times as fast as any other.
        here = torch.empty(some.shape, dtype=torch.int32, pin_memory=where.type == "cuda")
        # Counts are not negative, so the same bits are the same numbers without a sign.
        yield tile, here.copy_(some).numpy().view(np.uint32)


def tables_by_products(codes: Codes, features: NDArray[np.int64], device: str) -> Iterator[tuple[Tile, Any]]:
    """Yield tiles of some features, and the joint counts of each on the device: (features, codes, features, codes).

    A tile has all pairs of its features, which may be padded, and all have the codes of the widest.
    """
    torch, where = device_of(device)
    if not features.size:
        return
    values = codes_on_device(torch, codes, features, where)
    weights = None if codes.weights is None else torch.as_tensor(codes.weights.copy(), device=where)
    multiply = product(torch, where, weights)
    sizes = codes.sizes[features]
    spans = feature_spans(sizes)
    for k, (i0, i1) in enumerate(spans):
        for j0, j1 in spans[k:]:
            height, width = int(sizes[i0:i1].max()), int(sizes[j0:j1].max())
            a = values[i0 : i0 + padded_length(i1 - i0)]
            b = a if i0 == j0 else values[j0 : j0 + padded_length(j1 - j0)]
            counts = joint_counts(torch, a, height, b, width, multiply, weights)
            yield (i0, i1, j0, j1), counts.reshape(a.shape[0], height, b.shape[0], width)


def padded_length(number: int) -> int:
    """Return the next multiple of ``EDGE``.

    Examples
    --------
    >>> padded_length(1), padded_length(16), padded_length(17)
    (16, 16, 32)
    """
    return -(-number // EDGE) * EDGE


def feature_spans(sizes: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return the features cut into spans of at most ``ROWS`` rows, if they can be; the widest sets the rows of all.

    Examples
    --------
    >>> feature_spans(np.array([20] * 500))
    [(0, 192), (192, 384), (384, 500)]
    """
    cuts = [0]
    for first in range(EDGE, sizes.size, EDGE):
        if int(sizes[cuts[-1] : first + EDGE].max()) * (first + EDGE - cuts[-1]) > ROWS:
            cuts.append(first)
    return list(pairwise([*cuts, sizes.size]))


def codes_on_device(torch: Any, codes: Codes, features: NDArray[np.int64], where: Any) -> Any:
    """Return the codes of some features as bytes on the device, padded at both edges."""
    shape = padded_length(features.size), padded_length(codes.n_samples)
    values = torch.full(shape, PADDING, dtype=torch.uint8, device=where)
    some = codes.values[features].astype(np.uint8, copy=False)
    values[: features.size, : codes.n_samples] = torch.from_numpy(some).to(where)
    return values


def joint_counts(
    torch: Any,
    a: Any,
    height: int,
    b: Any,
    width: int,
    multiply: tuple[Callable[[Any, Any], Any], Any],
    weights: Any,
) -> Any:
    """Return the counts of all codes of some features with all codes of others, codes ``height`` and ``width`` each."""
    function, dtype = multiply
    rows = max(a.shape[0] * height, b.shape[0] * width)
    step = max(EDGE, min(BYTES // (rows * dtype.itemsize), WHOLE) // EDGE * EDGE)
    counts: Any = 0
    for first in range(0, a.shape[1], step):
        piece = slice(first, first + step)
        left = indicator_rows(torch, a[:, piece], height, dtype)
        right = left if b is a else indicator_rows(torch, b[:, piece], width, dtype)
        if weights is not None:
            present = weights[piece]
            left = left[:, : present.shape[0]] * present
            right = right[:, : present.shape[0]]
        counts = counts + function(left, right)
    return counts


def indicator_rows(torch: Any, values: Any, size: int, dtype: Any) -> Any:
    """Return the rows of zeros and ones of some features, ``size`` rows each."""
    codes = torch.arange(size, dtype=torch.uint8, device=values.device)
    ones = values[:, None, :] == codes[None, :, None]
    # A truth value is a byte already.
    ones = ones.view(torch.int8) if dtype is torch.int8 else ones.to(dtype)
    return ones.reshape(values.shape[0] * size, values.shape[1])


def product(torch: Any, where: Any, weights: Any) -> tuple[Callable[[Any, Any], Any], Any]:
    """Return the fastest exact ``a @ b.T`` of this device as whole numbers, and the numbers it takes."""

    def in_floats(a: Any, b: Any) -> Any:
        return (a @ b.T).to(torch.int32)

    def in_integers(a: Any, b: Any) -> Any:
        return torch._int_mm(a, b.T)

    if weights is not None:
        return (lambda a, b: a @ b.T), torch.float64
    # Not part of torch's promised interface, and not on every chip: it is tried, and must count right.
    try:
        ones = torch.ones((2 * EDGE, EDGE), dtype=torch.int8, device=where)
        if bool((in_integers(ones, ones) == EDGE).all()):
            return in_integers, torch.int8
    except (AttributeError, RuntimeError, NotImplementedError):
        pass
    return in_floats, torch.float32


def look_up(terms: Any, counts: Any) -> Any:
    """Return the term of each count."""
    return terms.index_select(0, counts.reshape(-1)).reshape(counts.shape)


def weighted_term(torch: Any, total: float, extra: float, weight: Any) -> Any:
    """Return ``-(w/W) log2(w/W)`` and ``extra``, or nothing for an empty cell."""
    share = weight / total
    return torch.where(weight > 0, extra - share * torch.log2(share), 0.0)


def table_entropies(counts: Any, term: Callable[[Any], Any]) -> Any:
    """Return the entropies of tables of shape (features, rows, features, columns), added up as a kernel would.

    Down the rows first, then across: :func:`quboselect._kernels.counting.table_entropy` does so one by one.
    """
    sums: Any = 0.0
    for row in range(counts.shape[1]):
        sums = sums + term(counts[:, row])
    total: Any = 0.0
    for column in range(counts.shape[3]):
        total = total + sums[:, :, column]
    return total
