"""Bins: features and targets as small integers, which all counting rests on.

Section 2.1 of the paper cuts a feature at its quantiles. The published results use the levels ``l / B`` (the text
says ``l / (B + 1)``) and half-open bins ``[q_(l-1), q_l)``, and so does ``edges="quantile"``. The other rule,
``"apart"``, gives frequent values bins of their own (``cuts.py``). Categories keep one code each. A missing value has a
code of its own, after all others.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._kernels.threads import WORTH_A_THREAD, thread_map
from ..errors import check_integer
from ..tables.table import Table, as_table
from ..tables.target import Target, as_target
from .cuts import check_edges, edge_values, even_codes, inner_levels, interval_numbers, reached

Vector = NDArray[np.float64]
FeatureCodes = tuple[NDArray[Any], int]  # the codes of the samples, and how many codes there are

MOST_CODES = 65536  # what a uint16 can tell apart
BLOCK = 16  # features fetched together: their values of one sample then share a cache line
MANY = 65536  # integers with a wider range are sorted, not counted
SHORT = 16384  # samples up to which cutting features together beats one after the other
AUTO = ("auto", "auto-by-class")
LEAST_BINS, MOST_BINS = 3, 8  # by the number of samples
SAMPLES_IN_CELL = 1.0  # "auto-by-class": the least number of samples for each cell of two features in a class
WEIGHTED_TWICE = "sample_weight must be None where X is Codes: make the Codes with weights."


@dataclass(frozen=True, eq=False)
class Codes:
    """A table of small integers, one row per feature, ready to be counted.

    Parameters
    ----------
    values : array of shape (n_features, n_samples)
        Codes ``0 .. sizes[i] - 1`` in row ``i``; kept C-contiguous and read-only, as ``uint8``, or as
        ``uint16`` when some feature has more than 256 codes.
    sizes : array of shape (n_features,)
        The number of codes of each feature; a constant feature has one.
    weights : array of shape (n_samples,), optional
        How much each sample counts, positive; None is one each. A weight of two is the same as the sample twice.

    Attributes
    ----------
    n_features, n_samples : int

    Examples
    --------
    >>> codes = Codes([[0, 1, 1], [2, 0, 1]], [2, 3])
    >>> codes.n_features, codes.n_samples, codes.values.dtype
    (2, 3, dtype('uint8'))
    """

    values: NDArray[Any]
    sizes: NDArray[np.int64]
    weights: Vector | None = None
    n_features: int = field(init=False, repr=False)
    n_samples: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        values = np.asarray(self.values)
        sizes = np.asarray(self.sizes)
        if values.ndim != 2 or values.dtype.kind not in "ui" or values.size == 0:
            raise ValueError(
                "values must be a non-empty table of integers of shape (n_features, n_samples), "
                f"got shape {values.shape} of {values.dtype}."
            )
        if sizes.shape != values.shape[:1] or sizes.dtype.kind not in "ui":
            raise ValueError(
                f"sizes must be {values.shape[0]} integers, one for each feature, "
                f"got shape {sizes.shape} of {sizes.dtype}."
            )
        if sizes.max() > MOST_CODES:
            raise ValueError(
                f"a feature may have at most {MOST_CODES} codes, but feature {sizes.argmax()} has {sizes.max()}: "
                "use fewer bins."
            )
        wrong = (values.max(axis=1) >= sizes) | (values.min(axis=1) < 0)
        if wrong.any():
            i = int(wrong.argmax())
            raise ValueError(
                f"codes must lie from 0 to the feature's size minus one; feature {i} has size {sizes[i]} "
                f"and codes from {values[i].min()} to {values[i].max()}."
            )
        kept: dict[str, NDArray[Any]] = {
            "values": np.ascontiguousarray(values, np.uint8 if sizes.max() <= 256 else np.uint16).view(),
            "sizes": np.ascontiguousarray(sizes, np.int64).view(),
        }
        if self.weights is not None:
            kept["weights"] = checked_weights(self.weights, values.shape[1])
        for name, array in kept.items():
            # A view is closed to writing; the caller's own array stays open.
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "n_features", int(values.shape[0]))
        object.__setattr__(self, "n_samples", int(values.shape[1]))

    @property
    def total(self) -> float:
        """The sum of the weights: the number of samples where there are none."""
        return float(self.n_samples if self.weights is None else self.weights.sum())

    def take(self, samples: ArrayLike) -> "Codes":
        """Return some samples by their indices, repeats allowed, with the codes and weights they have here.

        Examples
        --------
        >>> Codes([[0, 1, 2]], [3]).take([2, 2, 0]).values
        array([[2, 2, 0]], dtype=uint8)
        """
        index = np.asarray(samples)
        if index.ndim != 1 or index.dtype.kind not in "ui":
            raise ValueError(f"samples must be indices, got shape {index.shape} of {index.dtype}.")
        weights = None if self.weights is None else self.weights[index]
        return Codes(np.take(self.values, index, axis=1), self.sizes, weights)


def bins_of(bins: int | str, n_samples: float, n_labels: int | None = 1) -> int:
    """Return the number of bins: the one that was asked for, or the one that fits so many samples.

    ``"auto"`` is the cube root of the number of samples, rounded down, from 3 to 8: each cell of two features then has
    at least as many samples as a feature has bins. ``"auto-by-class"`` is the same, or as many fewer, at least 3, as
    leave one sample for each cell of two features within a class.

    Parameters
    ----------
    bins : int, "auto" or "auto-by-class"
        A number from 2 to 65536 is returned as it is.
    n_samples : float
        The number of samples, or their weight, which is rounded.
    n_labels : int or None
        The number of classes; None for a continuous target, which is cut as `target_bins` says.

    Examples
    --------
    >>> bins_of(20, 351), bins_of("auto", 351), bins_of("auto-by-class", 17, 2), bins_of("auto-by-class", 10_000, None)
    (20, 7, 3, 8)
    """
    if not isinstance(bins, str):
        return check_integer(bins, "bins", 2, MOST_CODES)
    if bins not in AUTO:
        raise ValueError(
            f"bins must be an integer from 2 to {MOST_CODES}, or one of {', '.join(map(repr, AUTO))}, got {bins!r}."
        )
    samples = round(float(n_samples))
    number = max((b for b in range(LEAST_BINS, MOST_BINS + 1) if b**3 <= samples), default=LEAST_BINS)
    if bins == "auto":
        return number
    cells = ((b, (n_labels or target_bins(bins, b)) * b * b) for b in range(number, LEAST_BINS, -1))
    return next((b for b, cell in cells if samples >= SAMPLES_IN_CELL * cell), LEAST_BINS)


def target_bins(bins: int | str, number: int) -> int:
    """Return into how many bins a continuous target is cut, where features are cut into a number.

    As many, where that number was asked for; of their own accord half as many again, as a target is counted with one
    feature or two, and what is to be told apart is told finer.

    Examples
    --------
    >>> target_bins(20, 20), target_bins("auto", 8)
    (20, 12)
    """
    return number + number // 2 if isinstance(bins, str) else number


def feature_codes(
    X: ArrayLike | Table | Codes,
    *,
    bins: int | str = "auto",
    edges: str = "apart",
    n_labels: int | None = 1,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = -1,
) -> Codes:
    """Return each feature cut into about ``bins`` codes.

    ``edges="apart"``: of ``N`` samples, a value that more than ``N / B`` of them have is a bin of its own. The samples
    between two such values are cut into ``m B / N`` bins, rounded, of about as many samples each, at values that occur.
    A feature that varies never becomes constant.

    ``edges="quantile"``: Section 2.1 of the paper. The inner edges are the quantiles ``l / B`` for
    ``l = 1 .. B - 1``, as ``numpy.quantile`` interpolates them in double precision. Tied values make edges coincide,
    and a feature that is mostly one value may become constant.

    In both, samples count as often as their weights say, and a value's code is the number of edges not above it. Codes
    that never occur are left out of the numbering, so that a constant feature has exactly one code. Categories have one
    code for each value that occurs. Missing values, where there are any, have one more code, the last.

    Parameters
    ----------
    X : array of shape (n_samples, n_features), any frame, Table, or Codes
        Codes are returned as they are. A Table is binned once for each number of bins and rule, and keeps the result.
    bins : int, "auto" or "auto-by-class"
        ``B``, from 2 to 65536, or as `bins_of` says.
    edges : "apart" or "quantile"
    n_labels : int or None
        The number of classes of the target, for ``"auto-by-class"``; None where it is continuous.
    sample_weight : array of shape (n_samples,), optional
        How much each sample counts; for a Table or Codes, which have their own, None.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> feature_codes([[0.0], [0.0], [0.0], [4.0]], bins=2).values
    array([[0, 0, 0, 1]], dtype=uint8)
    >>> feature_codes([[0.0], [0.0], [0.0], [4.0]], bins=2, edges="quantile").values
    array([[0, 0, 0, 0]], dtype=uint8)
    """
    if isinstance(X, Codes):
        if sample_weight is not None:
            raise ValueError(WEIGHTED_TWICE)
        return X
    check_edges(edges)
    bins_of(bins, 0.0)  # refuses wrong numbers before the table is read
    table = as_table(X, sample_weight=sample_weight)
    number = bins_of(bins, table.binning_weight, n_labels)
    if (number, edges) in table.codes_by_bins:
        known: Codes = table.codes_by_bins[number, edges]
        return known
    values = np.empty((table.n_features, table.n_samples), np.uint8)
    sizes = np.empty(table.n_features, np.int64)
    beyond_bytes: dict[int, NDArray[Any]] = {}  # codes of features that have more than 256
    together = table.weights is None and table.n_samples <= SHORT

    each = max(BLOCK, WORTH_A_THREAD // (10 * table.n_samples))

    def cut_block(first: int) -> None:
        block = table.block(first, min(first + each, table.n_features))
        even = even_codes(block, number, edges) if together else {}
        for i, x in enumerate(block, start=first):
            categorical = bool(table.categorical[i])
            if i - first in even:
                codes, size = even[i - first]
            elif categorical:
                codes, size = category_codes(x)
            else:
                codes, size = numeric_codes(x, number, edges, table.weights)
            if size > MOST_CODES:
                remedy = "exclude it, or group its rare values" if categorical else "use fewer bins"
                raise ValueError(
                    f"{table.label(i)} has {size} codes, at most {MOST_CODES} can be counted: {remedy}."
                )
            sizes[i] = size
            if size <= 256:
                values[i] = codes
            else:
                beyond_bytes[i] = codes

    thread_map(cut_block, range(0, table.n_features, each), n_jobs=n_jobs)
    if beyond_bytes:
        values = values.astype(np.uint16)
        for i, codes in beyond_bytes.items():
            values[i] = codes
    table.codes_by_bins[number, edges] = result = Codes(values, sizes, table.weights)
    return result


def label_codes(
    y: ArrayLike | Target | Codes,
    *,
    bins: int | str = "auto",
    edges: str = "apart",
    weights: ArrayLike | None = None,
) -> Codes:
    """Return a target as the codes of one feature: classes in sorted order, numbers cut as features are.

    Parameters
    ----------
    y : array of shape (n_samples,), Target, or Codes of one feature
        Labels of any kind that can be sorted, or the numbers of a continuous target. Codes stay as they are.
    bins : int, "auto" or "auto-by-class"
        The codes of a continuous target: as many as of a feature, or as `target_bins` says.
    edges : "apart" or "quantile"
        Where a continuous target is cut, as a feature.
    weights : array of shape (n_samples,), optional
        How much each sample counts, positive. The codes carry them; those of Codes are replaced by them.

    Examples
    --------
    >>> label_codes(["spam", "ham", "spam"]).values
    array([[1, 0, 1]], dtype=uint8)
    >>> label_codes([0.5, 0.25, 0.75, 1.5], bins=2).values
    array([[0, 0, 1, 1]], dtype=uint8)
    """
    if isinstance(y, Codes):
        if y.n_features != 1:
            raise ValueError(f"the codes of y must hold one feature, got {y.n_features}.")
        return y if weights is None else Codes(y.values, y.sizes, checked_weights(weights, y.n_samples))
    target = as_target(y)
    counted = None if weights is None else checked_weights(weights, target.values.size)
    if target.continuous:
        total = target.values.size if counted is None else counted.sum()
        number = target_bins(bins, bins_of(bins, total, None))
        codes, size = numeric_codes(target.values, number, check_edges(edges), counted)
    else:
        distinct, codes = np.unique(target.values, return_inverse=True)
        size = distinct.size
    if size > MOST_CODES:
        raise ValueError(
            f"y has {size} distinct labels, at most {MOST_CODES} can be counted: use target_type='continuous', "
            "or group its rare labels."
        )
    return Codes(codes[None, :], np.array([size]), counted)


def features_and_target(
    X: Any, y: Any, sample_weight: ArrayLike | None
) -> tuple[Table | Codes, Target | Codes]:
    """Return a table, or codes as they are, and the target of the same samples; those of zero weight leave both.

    Examples
    --------
    >>> features_and_target([[1.0], [2.0], [3.0]], ["a", "b", "c"], [1, 0, 1])[1].values.tolist()
    ['a', 'c']
    """
    features: Table | Codes
    if isinstance(X, Codes):
        if sample_weight is not None:
            raise ValueError(WEIGHTED_TWICE)
        features, kept, expected = X, None, X.n_samples
    else:
        features = as_table(X, sample_weight=sample_weight)
        # A Table comes with the target of its own samples; one made just now may have left some out.
        kept = None if features is X else features.kept_samples
        expected = features.n_samples if kept is None else features.n_read
    target = y if isinstance(y, Codes) else as_target(y)
    found = target.n_samples if isinstance(target, Codes) else target.values.size
    if found != expected:
        raise ValueError(f"X and y must have the same number of samples, got {expected} and {found}.")
    return features, target if kept is None else target.take(kept)


def checked_weights(weights: ArrayLike, n_samples: int) -> Vector:
    """Return the weights of the samples as floats, or say why they cannot be."""
    array = np.asarray(weights)
    if array.shape != (n_samples,) or array.dtype.kind not in "uif":
        raise ValueError(
            f"weights must be {n_samples} numbers, one for each sample, got shape {array.shape} of {array.dtype}."
        )
    wrong = ~(np.isfinite(array) & (array > 0))
    if wrong.any():
        i = int(wrong.argmax())
        raise ValueError(
            f"weights must be finite and positive, but that of sample {i} is {array[i]}: leave the sample out."
        )
    return np.ascontiguousarray(array, np.float64).view()


def numeric_codes(
    x: NDArray[Any], bins: int, edges: str = "apart", weights: Vector | None = None
) -> FeatureCodes:
    """Return the codes of numbers, cut where the rule says for those that are not NaN, and how many there are.

    Examples
    --------
    >>> numeric_codes(np.array([1.0, np.nan, 2.0, 3.0]), 2, "quantile")
    (array([0, 2, 1, 1], dtype=uint8), 3)
    """
    if x.dtype.kind in "ui":
        low, high = int(x.min()), int(x.max())
        if are_close(low, high, x.size):
            return codes_by_histogram(x, low, high - low, bins, edges, weights)
    # Differences of large integers overflow inside numpy.quantile.
    x = x.astype(np.float64, copy=False)
    missing = np.isnan(x)
    if missing.all():
        return np.zeros(x.size, np.uint8), 1
    if missing.any():
        present = ~missing
        if weights is not None:
            weights = weights[present]
            # Whole weights count samples; others keep an average of one.
            weights = weights if (weights == np.floor(weights)).all() else weights / weights.mean()
        some, size = numeric_codes(x[present], bins, edges, weights)
        codes = np.full(x.size, size, np.min_scalar_type(size))
        codes[present] = some
        return codes, size + 1
    if weights is None and edges == "quantile":
        cuts = np.unique(np.quantile(x, inner_levels(bins)))
    elif weights is None:
        values, counts = np.unique(x, return_counts=True)
        cuts = edge_values(values, np.cumsum(counts), bins, edges)
    else:
        order = np.argsort(x)
        values, reach = x[order], reached(weights[order])
        last = np.append(np.flatnonzero(values[1:] > values[:-1]), x.size - 1)
        cuts = edge_values(values[last], reach[last], bins, edges)
    codes = interval_numbers(x, cuts)
    if edges == "apart":
        return codes, cuts.size + 1
    occurs = np.bincount(codes, minlength=cuts.size + 1) > 0
    if not occurs.all():
        codes = (np.cumsum(occurs) - 1).astype(codes.dtype)[codes]
    return codes, int(occurs.sum())


def category_codes(x: NDArray[Any]) -> FeatureCodes:
    """Return the codes of categories, numbered without gaps and -1 last, and how many there are.

    Examples
    --------
    >>> category_codes(np.array([4, 0, -1, 4]))
    (array([1, 0, 2, 1], dtype=uint8), 3)
    """
    x = x.astype(np.intp, copy=False)
    occurs = np.bincount(x + 1) > 0
    size = int(occurs.sum())
    number = np.cumsum(occurs[1:])
    # Minus one, a missing value, looks up the last entry.
    number = np.append(number - 1, number[-1:] if number.size else 0)
    return number.astype(np.min_scalar_type(size))[x], size


def codes_by_histogram(
    x: NDArray[Any], low: int, spread: int, bins: int, edges: str, weights: Vector | None
) -> FeatureCodes:
    """Return the codes of integers from ``low`` to ``low + spread``; each value is coded once."""
    index = distances(x, low)
    counts: NDArray[Any] = np.bincount(index, weights, minlength=spread + 1)
    values, occurs = np.arange(low, low + spread + 1), counts > 0
    reach = np.cumsum(counts) if weights is None else reached(counts)
    cuts = edge_values(values[occurs], reach[occurs], bins, edges)

    code = np.searchsorted(cuts, values, side="right")
    code = np.unique(code[occurs], return_inverse=True)[1][np.cumsum(occurs) - 1]
    size = int(code[-1]) + 1
    return np.take(code.astype(np.min_scalar_type(size)), index, mode="clip"), size


def are_close(low: int, high: int, n_samples: int) -> bool:
    """Return whether integers lie so close together that they are counted rather than sorted."""
    return high - low < max(256, min(n_samples, MANY))


def distances(x: NDArray[Any], low: int) -> NDArray[Any]:
    """Return how far integers lie above the lowest one."""
    # Unsigned numbers may be too large for int64, signed ones too far apart for their own type.
    steps = x - x.dtype.type(low) if x.dtype.kind == "u" else x.astype(np.int64) - low
    return steps if steps.dtype == np.uint8 else steps.astype(np.int64)


def few_samples_words(sizes: Codes | ArrayLike, n_samples: float, n_labels: int = 1) -> str | None:
    """Return a sentence where the samples do not fill the cells of a pair of features, or None where they do.

    Parameters
    ----------
    sizes : Codes, or array of int
        The numbers of codes of the features. The median of those that vary is taken for all.
    n_samples : float
        The number of samples, or their weight.
    n_labels : int
        The number of classes, where pairs are counted class by class.

    Examples
    --------
    >>> few_samples_words([20, 20, 1], 351)[:60]
    '351 samples do not fill the 20 x 20 cells of a pair of featu'
    >>> few_samples_words([3, 3], 351) is None
    True
    """
    each = np.asarray(sizes.sizes if isinstance(sizes, Codes) else sizes)
    varying = each[each > 1]
    # One feature has no pairs.
    if varying.size < 2:
        return None
    size, samples = int(np.median(varying)), round(float(n_samples))
    share = samples / (size * size * n_labels)
    if share >= 1.0:
        return None
    classes = f" x {n_labels}" if n_labels > 1 else ""
    what = "a pair of features and the target" if n_labels > 1 else "a pair of features"
    return (
        f"{samples} samples do not fill the {size} x {size}{classes} cells of {what} ({share:.2g} to a cell): "
        "mutual information is too high there; use fewer bins, bins='auto', or estimate='shrunk'."
    )
