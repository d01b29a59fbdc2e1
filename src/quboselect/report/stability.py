"""Stability: whether other samples would have led to the same features.

It counts how often each feature is selected from resamples, and makes one index of it. The table is read and binned
once, and every resample is only counted anew.
"""

from dataclasses import dataclass
from numbers import Real
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from .._kernels.threads import thread_map
from ..errors import check_integer, warn_of_result
from ..fitting import NothingPasses, Parameters, read_table, table_result, warn_of_samples
from ..qubo import Bits, Vector
from ..search.choice import quick
from ..tables.blocks import drawn_places

SHOWN = 20  # features in the table of str()


@dataclass(frozen=True, eq=False, repr=False)
class Stability:
    """The features that were selected from each of M resamples.

    Parameters
    ----------
    supports : bool array of shape (M, n)
        What was selected from each resample; at least two.
    support : bool array of shape (n,)
        What was selected from the whole table.
    names : tuple of str, optional
        The names of the features.

    Examples
    --------
    >>> same = Stability([[1, 0, 1], [1, 0, 1], [1, 1, 0]], [1, 0, 1])
    >>> same.frequency.round(2).tolist(), round(same.index, 2)
    ([1.0, 0.33, 0.67], 0.0)
    """

    supports: Bits
    support: Bits
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("supports", "support"):
            bits = np.array(getattr(self, name), np.bool_)
            bits.flags.writeable = False
            object.__setattr__(self, name, bits)
        if self.supports.ndim != 2 or len(self.supports) < 2 or not self.supports.size:
            raise ValueError(
                f"supports must be bits of at least two resamples, one row each, got shape {self.supports.shape}."
            )
        n = self.supports.shape[1]
        if self.support.shape != (n,):
            raise ValueError(
                f"support must be {n} bits, one for each feature, got shape {self.support.shape}."
            )
        if self.names is not None and len(self.names) != n:
            raise ValueError(f"names must be {n}, one for each feature, got {len(self.names)}.")

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, which closes the arrays to writing again.
        return Stability, (self.supports, self.support, self.names)

    @property
    def frequency(self) -> Vector:
        """The share of resamples from which each feature was selected, shape (n,)."""
        share: Vector = self.supports.mean(axis=0)
        return share

    @property
    def index(self) -> float:
        """How much the subsets agree: 1 if all are the same, about 0 if they are as if drawn at random.

        Nogueira, Sechidis and Brown (2018), "On the stability of feature selection algorithms", JMLR 18:
        ``1 - mean_f(s_f^2) / (k/n (1 - k/n))``, with the unbiased variance ``s_f^2`` of the bits of feature f, and k
        the mean size. NaN where it is not defined: every subset has all features, or none has any.
        """
        return float(1.0 - self.supports.var(axis=0, ddof=1).mean() / self._spread)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return an interval that covers the index of endless resamples, about so often (the same paper).

        Parameters
        ----------
        level : float
            How often, between 0 and 1. It holds for many resamples.
        """
        if isinstance(level, bool) or not isinstance(level, Real) or not 0.0 < level < 1.0:
            raise ValueError(f"level must be a number between 0 and 1, got {level!r}.")
        bits, share = self.supports.astype(np.float64), self.frequency
        size, mean = bits.mean(axis=1), share.mean()
        # What each resample adds to the index; see the paper for where it comes from.
        half = 0.5 * self.index * (2.0 * size * mean - size - mean + 1.0)
        phi = ((bits * share).mean(axis=1) - size * mean + half) / self._spread
        error = 2.0 * np.sqrt(np.square(phi - phi.mean()).sum()) / len(phi)
        reach = float(NormalDist().inv_cdf(0.5 + 0.5 * level) * error)
        return self.index - reach, self.index + reach

    @property
    def _spread(self) -> float:
        """The mean variance of a bit if features were drawn at random; NaN if all are in every subset, or none."""
        mean = float(self.supports.mean())
        return mean * (1.0 - mean) if 0.0 < mean < 1.0 else np.nan

    def __repr__(self) -> str:
        return f"Stability({self._summary()})"

    def _summary(self) -> str:
        of = f"{len(self.supports)} resamples"
        if np.isnan(self.index):
            every = "all features" if self.supports.all() else "no feature"
            return f"index not defined, as {every} came of every one of {of}"
        low, high = self.interval()
        return f"index {self.index:.3f}, 95 % interval {low:.3f} to {high:.3f}, {of}"

    def __str__(self) -> str:
        share = self.frequency
        order = np.argsort(-share, kind="stable")
        order = order[share[order] > 0.0]
        labels = [f"x{i}" if self.names is None else self.names[i] for i in order[:SHOWN]]
        width = max(map(len, ["feature", *labels]))
        lines = [self._summary(), f"{'feature':<{width}}  frequency  whole table"]
        for label, i in zip(labels, order, strict=False):
            chosen = "selected" if self.support[i] else ""
            lines.append(f"{label:<{width}}  {share[i]:9.2f}  {chosen}".rstrip())
        if order.size > SHOWN:
            lines.append(f"and {order.size - SHOWN} more, up to {share[order[SHOWN]]:.2f}")
        return "\n".join(lines)


def stability(
    selector: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: npt.ArrayLike | None = None,
    n_resamples: int = 50,
    fraction: float | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Stability:
    """Return how stable a selection is under resampling.

    The features are cut into bins once, at the quantiles of the whole table, and resamples keep these bins: what varies
    is what is counted in them, not where they lie. Measures that do not bin, and functions of your own, are computed
    anew from the resampled numbers. Resamples are searched without proofs if the solver has a ``scout``. One in which
    no feature passes ``fdr`` selects none.

    Parameters
    ----------
    selector : SelectQUBO
        It is cloned. Features that it must include or exclude agree by force, and raise the index. Of a time series its
        ``blocks`` says how many neighbouring samples are drawn together.
    X, y, sample_weight
        As in ``SelectQUBO.fit``. Samples are drawn alike, and keep their weights.
    n_resamples : int
        M, at least 2.
    fraction : float, optional
        Draw this share of the samples, between 0 and 1, without replacement. None draws as many as there are, with
        replacement, and so repeats samples. Either way information looks larger than in the whole table: the bias of
        `MutualInformation` is about twice as large in a bootstrap and in a half alike. ``corrected=True`` takes it off
        in a half, but not in a bootstrap, as it does not know of repeats.
    seed : int
        Of the draws.
    n_jobs : int or None
        Threads, counted as joblib does. The result does not depend on it.

    Examples
    --------
    >>> from quboselect import SelectQUBO
    >>> from quboselect.datasets import load_ionosphere
    >>> X, y = load_ionosphere(return_X_y=True)
    >>> found = stability(SelectQUBO(k=3), X, y, n_resamples=20)
    >>> found
    Stability(index 0.623, 95 % interval 0.526 to 0.720, 20 resamples)
    >>> found.frequency[[0, 4, 26]].tolist(), found.support[[0, 4, 26]].tolist()
    ([0.9, 0.95, 0.45], [True, True, True])
    """
    if isinstance(selector, type) or not all(hasattr(selector, name) for name in Parameters.__annotations__):
        raise TypeError(f"selector must be a SelectQUBO, got {selector!r}.")
    check_integer(n_resamples, "n_resamples", 2)
    check_integer(seed, "seed", 0)
    if fraction is not None and (
        isinstance(fraction, bool) or not isinstance(fraction, Real) or not 0.0 < fraction < 1.0
    ):
        raise ValueError(
            f"fraction must be a number between 0 and 1, or None to draw with replacement, got {fraction!r}."
        )
    table, target = read_table(selector, X, y, sample_weight)
    # First of all, because its bins are those of all resamples.
    whole = table_result(selector, table, target)
    warn_of_samples(selector, table, target)
    warn_of_result(selector, whole)
    # Resamples need no proofs, which would take most of the time.
    quicker: Any = clone(selector).set_params(solver=quick(selector.solver))

    def selected(i: int) -> Bits:
        rows = drawn_places(table.n_samples, table.blocks, fraction, np.random.default_rng([seed, i]))
        try:
            return table_result(quicker, table.samples(rows), target.take(rows)).support
        except NothingPasses:
            return np.zeros(table.n_features, np.bool_)

    supports = thread_map(selected, range(n_resamples), n_jobs=n_jobs)
    return Stability(np.array(supports), whole.support, table.names)
