"""BatchSelector: selecting features of a table that comes in batches. Batches or counts flow in, a fit flows out.

Two passes make it exact: values are tallied (``tally.py``), then pairs are counted (``joint.py``). One pass has to cut
numbers at the quantiles of its first batch. `SelectQUBO` is one of these.
"""

from collections.abc import Callable, Iterable
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import validate_data

from ..constraints import Constraints
from ..search.path import check_solver
from ..tables.frames import is_frame, plain_frame
from ..tradeoff import Tradeoff
from .joint import JointCounts
from .layout import check_bytes, check_memory
from .schema import begun_anew, filled, is_empty, naming, unchanged_if_refused
from .tally import Tally
from .wishes import check_counts, counted_bins

# What a search finds, and is looked for when it is first asked for: what `SelectQUBO._keep` sets.
FOUND = {"support_", "k_", "alpha_", "alpha_window_", "on_path_", "energy_", "bound_", "proven_", "path_"}
FOUND |= {"importance_", "redundancy_", "solutions_", "_passes", "_units"}
COUNTED = ("counts_", "n_samples_seen_", "rank_error_", "_n_batches", "_unsearched")  # what `_remember` sets


class BatchSelector:
    """The part of `SelectQUBO` that learns from batches.

    Attributes
    ----------
    counts_ : JointCounts
        The counts of all batches so far.
    n_samples_seen_ : int
        How many samples they count.
    rank_error_ : float
        How far the rank of a bin's edge may be off, as a share of the samples; 0.0 where all is exact. Above that
        edges come from sketches, which draw at random and take no seed: a second fit may differ a little.
    """

    k: int | str
    alpha: float | None
    importance: Any
    redundancy: Any
    solver: Any
    target_type: str
    categorical_features: Any
    exclude: Any
    counts_: JointCounts
    n_samples_seen_: int
    rank_error_: float
    n_features_in_: int
    _constraints: Callable[..., Constraints]
    _checked_k: Callable[[Constraints], Any]
    _select: Callable[..., Any]
    _say: Callable[..., None]

    def fit_counts(self, counts: JointCounts) -> Self:
        """Select features by counts that were made before, as on a cluster.

        Parameters
        ----------
        counts : JointCounts
            Made as the selector would: with a target, taken for what `target` says, with the bins of `importance` and
            `redundancy`, and of the features that `exclude` leaves, in `categorical_features` too.

        Examples
        --------
        >>> from quboselect.streaming import JointCounts, Tally
        >>> from quboselect import SelectQUBO
        >>> X, y = [[0, 5], [1, 5], [0, 5], [1, 5]], ["a", "b", "a", "b"]
        >>> counts = JointCounts.of(Tally.of(X, y).coding(bins=20), X, y)
        >>> SelectQUBO(k=1).fit_counts(counts).support_
        array([ True, False])
        """
        if not isinstance(counts, JointCounts):
            raise TypeError(f"counts must be JointCounts, got {type(counts).__name__}: see JointCounts.of.")
        with unchanged_if_refused(self):
            self._remember(counts, 1)
            self._search()
        self._say()
        return self

    def fit_batches(
        self,
        batches: Iterable[tuple[Any, Any]] | Callable[[], Iterable[tuple[Any, Any]]],
        *,
        exact_bytes: int = 2**30,
        max_bytes: int | None = None,
    ) -> Self:
        """Select features of a table that comes in batches, of which only one is in memory at a time.

        The same features are selected as by `fit` of the whole table, to the last bit of `importance_` and
        `redundancy_`, as long as the distinct values of its floats fit into ``exact_bytes``. Above 2 000
        features `fit` rounds redundancy to single precision, and batches do not.

        Parameters
        ----------
        batches : iterable of (X, y), or a function that returns one
            Gone through twice, so a generator will not do, but a function that makes one will. Errors call a batch by
            its ``name``, where it has one, else by its number. Those without samples are passed over.
        exact_bytes : int
            About how much memory the distinct values of floats may take, 16 bytes each. Quantiles of features that
            have more come from sketches of Apache DataSketches, which take no seed, so that a second fit may differ
            a little; `rank_error_` says how good they are.
        max_bytes : int, optional
            How much memory the counts of all pairs may take; None is half of what there is.

        Examples
        --------
        >>> from quboselect import SelectQUBO
        >>> from quboselect.datasets import load_ionosphere
        >>> X, y = load_ionosphere(return_X_y=True)
        >>> batches = [(X[i : i + 100], y[i : i + 100]) for i in range(0, 351, 100)]
        >>> SelectQUBO(k=5).fit_batches(batches).get_support(indices=True)
        array([ 0,  2,  4,  5, 20])
        """
        bins = self._counted_bins()
        check_bytes(max_bytes)
        again = begun_anew(batches)
        tally: Tally | None = None
        for X, y, name in filled(again()):
            seen = self._tally(X, y, name, exact_bytes)
            tally = seen if tally is None else tally + seen
        if tally is None:
            raise ValueError("batches must hold at least one batch (X, y) that has samples, got none.")
        self._check_wishes(tally.n_features, tally.names)
        full: Any = filled(again())
        counts = JointCounts.over(
            tally.coding(bins), full, n_jobs=self.redundancy.n_jobs, max_bytes=max_bytes
        )
        if counts.n_samples != tally.n_samples:
            raise ValueError(
                f"batches must be the same each time they are gone through, got {tally.n_samples} samples and then "
                f"{counts.n_samples}."
            )
        with unchanged_if_refused(self):
            self._remember(counts, 1)
            self._search()
        self._say()
        return self

    @available_if(lambda self: self._counted_bins() > 0)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, sample_weight: None = None) -> Self:
        """Learn from one batch more, in memory that does not grow with the samples.

        The first batch says where numbers are cut, so it should be a large and shuffled one; a feature that is constant
        in it stays so. `fit_batches`, which goes through the batches twice, is exact. The search comes when its result
        is first asked for, not with every batch.

        Parameters
        ----------
        X, y : table of shape (samples, n), and labels or numbers
            As in `fit`. New labels, and the first missing value of a feature, get codes of their own. A batch without
            samples changes nothing. With ``target_type="auto"`` the first batch decides, and one that it did not foresee,
            as fractions after whole numbers, is refused.
        sample_weight : None
            Samples in batches have no weights.

        Examples
        --------
        >>> from quboselect import SelectQUBO
        >>> from quboselect.datasets import load_ionosphere
        >>> X, y = load_ionosphere(return_X_y=True)
        >>> selector = SelectQUBO(k=3).partial_fit(X[:200], y[:200]).partial_fit(X[200:], y[200:])
        >>> selector.n_samples_seen_, int(selector.support_.sum())
        (351, 3)
        """
        if sample_weight is not None:
            raise ValueError(
                "samples in batches have no weights: repeat them, or use fit, which takes sample_weight."
            )
        bins = self._counted_bins()
        before: JointCounts | None = vars(self).get("counts_")
        n_batches = vars(self).get("_n_batches", 0) + 1
        batch = f"batch {n_batches}"
        X = plain_frame(X) if is_frame(X) else X
        if is_empty(X, y):
            self._n_batches = n_batches
            return self
        with unchanged_if_refused(self):
            if before is None or y is None:
                validate_data(self, X, y, skip_check_array=True)
                # All of it is in memory already: nothing is saved by a sketch.
                coding = self._tally(X, y, batch, 2**62).coding(bins)
                counts = JointCounts.of(coding, X, y, n_jobs=self.redundancy.n_jobs, batch=batch)
            else:
                self._check_counts(before)
                with naming(batch):
                    validate_data(self, X, y, reset=False, skip_check_array=True)
                table = before.coding.table(X, batch=batch)
                coding = before.coding.grown(table, y, target_type=self.target_type, batch=batch)
                check_memory(coding, None)
                more = before.grown(coding)
                counts = more.with_batch(table, y, n_jobs=self.redundancy.n_jobs, batch=batch)
            self._check_wishes(coding.n_features, coding.names)
            self._remember(counts, n_batches)
        return self

    def __getattr__(self, name: str) -> Any:
        # Only asked for what is not there: what a search would have found, if there was none since the last batch.
        if name in FOUND and vars(self).get("_unsearched", False):
            # Parameters may have been changed since; scikit-learn expects hasattr to say no, and never to raise.
            self._refused_as_missing(name, lambda: self._check_counts(self.counts_))
            self._search()
            self._say(stacklevel=4)
            return getattr(self, name)
        if name == "partial_fit":
            # scikit-learn asks whether there is one; where there is none, people are told why.
            self._refused_as_missing(name, self._counted_bins)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _refused_as_missing(self, name: str, check: Callable[[], Any]) -> None:
        """Say in the words of a check that refuses why there is no such attribute."""
        try:
            check()
        except (TypeError, ValueError) as error:
            raise AttributeError(f"{type(self).__name__} has no {name} here: {error}") from error

    def __sklearn_is_fitted__(self) -> bool:
        return "support_" in vars(self) or vars(self).get("_unsearched", False)

    def _search(self) -> None:
        """Select features by the counts there are, if they are such as the parameters ask for."""
        self._check_counts(self.counts_)
        counts, importance, redundancy = self.counts_, self.importance, self.redundancy
        constraints = self._constraints(counts.coding.n_features, counts.coding.names)
        scores = counts.importance(corrected=importance.corrected, normalised=importance.normalised)
        pairs = counts.redundancy(
            corrected=redundancy.corrected, normalised=redundancy.normalised, n_jobs=redundancy.n_jobs
        )
        self._select(Tradeoff(scores, pairs, constraints.cost), constraints, self._checked_k(constraints))
        self._unsearched = False

    def _remember(self, counts: JointCounts, n_batches: int) -> None:
        """Keep counts, and forget what was found by others."""
        for name in FOUND & vars(self).keys():
            delattr(self, name)
        self.counts_, self._n_batches, self._unsearched = counts, n_batches, True
        self.n_samples_seen_, self.rank_error_ = counts.n_samples, counts.coding.rank_error
        self.n_features_in_ = counts.coding.n_features
        names = counts.coding.names
        if names is not None:
            self.feature_names_in_ = np.array(names, object)
        elif "feature_names_in_" in vars(self):
            del self.feature_names_in_

    def _forget(self) -> None:
        """Forget what batches left: a table was fitted."""
        for name in COUNTED:
            vars(self).pop(name, None)

    def _tally(self, X: Any, y: Any, batch: str, exact_bytes: int) -> Tally:
        """Return the tally of a batch, read as the parameters say."""
        if y is None:
            raise ValueError(f"{batch}: this estimator requires y to be passed, but the target y is None.")
        return Tally.of(
            X,
            y,
            categorical=self.categorical_features,
            exclude=self.exclude,
            target_type=self.target_type,
            exact_bytes=exact_bytes,
            n_jobs=self.redundancy.n_jobs,
            batch=batch,
        )

    def _counted_bins(self) -> int:
        """Return the number of bins, after refusing what counts of pairs cannot tell."""
        bins = counted_bins(self.importance, self.redundancy)
        if self.alpha is None and isinstance(self.k, str):
            raise ValueError(
                f"k must be a number where features are selected by counts, got {self.k!r}: 'auto' compares with "
                "shuffled samples, of which counts know nothing; use fit, or give alpha."
            )
        check_solver(self.solver)
        return bins

    def _check_wishes(self, n: int, names: tuple[str, ...] | None) -> None:
        """Raise where k, alpha or what people know of the features cannot be, before anything is searched."""
        self._checked_k(self._constraints(n, names))

    def _check_counts(self, counts: JointCounts) -> None:
        """Raise unless features can be selected by these counts."""
        bins, coding = self._counted_bins(), counts.coding
        constraints = self._constraints(coding.n_features, coding.names)
        check_counts(
            counts,
            bins=bins,
            target_type=self.target_type,
            categorical=self.categorical_features,
            kept=~constraints.excluded,
        )
        self._checked_k(constraints)
