"""SelectQUBO: the selector whole, as scikit-learn knows selectors.

Its methods are short. `tables` reads what is given, measures make I and R of it, `best_subset` makes a `Result` of
these, and everything that a fit leaves behind is a view of that Result, `result_`.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from . import report, streaming
from .criteria import QFS
from .criteria.criterion import criterion_of
from .errors import warn_of_result
from .explain.alternatives import Alternatives
from .explain.notes import Note
from .explain.reasons import Explanation, Swap
from .fitting import constraints_of, read_table, steered_like, table_result, wanted_size, warn_of_samples
from .protocols import Importance, NestedParameters, Redundancy, Solver
from .qubo import Bits, Solutions, Vector
from .report.comparison import Comparison, compare
from .report.stability import Stability, stability
from .search.path import Path
from .solvers import Portfolio
from .streaming import BatchCodes, JointCounts, selector_reading
from .streaming.checks import errors_naming, is_empty
from .tables import output
from .tables.frames import is_frame, plain_frame


def view(name: str) -> Any:
    """Return a property of a selector that is one of its result."""
    return property(attrgetter(f"result_.{name}"))


class SelectQUBO(SelectorMixin, NestedParameters):  # type: ignore[misc]
    """Select the k features that say most about the label and repeat each other least.

    It minimises ``-a * sum_i I_i x_i + (1-a) * sum_{i<j} R_ij x_i x_j`` over all subsets x of k features (paper, Eq.
    2), with importance I, redundancy R, and the a (alpha) that the criterion has for k. ``k`` is a promise: exactly k
    features come back. `SelectQUBO.paper` is the paper's setting to the letter.

    Parameters
    ----------
    k : int, "auto", "fdr" or None, default=10
        How many features, at least 1. If the table has fewer, all are kept, with a warning. ``"auto"`` is a small
        number that needs no model (`quboselect.search.auto_size`), ``"fdr"`` all that pass. None is any, at an alpha.
    alpha : float, optional
        The weight of importance, from 0 to 1: exactly k features, the best at that alpha. None leaves it to the
        criterion.
    criterion : Criterion, optional
        An importance, a redundancy and an alpha for k: ``criteria.JMI()``, or your own; see `quboselect.criteria`. None
        is `criteria.Pairs`; or `criteria.QFS` where a measure is given, as that needs no common unit. With `QFS`, where
        no alpha makes k features optimal, it is the best k where the path passes that size, with an `OffPathWarning`.
    importance : Importance, optional
        In place of the criterion's: a function ``(X, y) -> (n,)`` of numbers that are not negative; scikit-learn's
        score functions will do.
    redundancy : Redundancy, optional
        In place of the criterion's: a function ``X -> (n, n)``, symmetric with a zero diagonal.
    solver : Solver
        A function ``QUBO -> Solutions``. A device, such as `quantum.Dimod` or `quantum.VQE`, is called once, at an
        alpha that was found classically; with ``calls=20`` it searches alpha itself, in at most 20 calls.
    target_type : "auto", "classes" or "continuous"
        What y is. ``"auto"``: numbers are continuous, and binned, if one is not whole or if more than 30 distinct ones
        occur, as of prices; all else is classes.
    class_weight : "balanced" or mapping, optional
        Times `sample_weight`: ``"balanced"`` makes classes count alike, ``{label: weight}`` as it says.
    targets : "sum" or "joint"
        Of several targets, adds up what is found for each, or takes their combinations for the classes of one.
    categorical_features : "auto", or names, indices or a bool array
        Features that are categories although they are numbers. Text, categories and booleans always are categories.
    include, exclude : names, indices or a bool array, optional
        Features that must be selected, and features that must not. Included ones count in k. Excluded columns of a
        frame are not read. An integer is a position, -1 the last, also where the names of a frame are integers.
    groups : sequence of such, optional
        Features that come or go together, such as the columns of a one-hot code. Then k counts groups, and each feature
        outside of them is a group of one.
    cost : array of shape (n,) or mapping, optional
        What a feature costs, in the unit of redundancy: ``(1-a) * sum_i cost_i x_i`` is added to Q.
    fdr : float or rule, optional
        The rate of false discoveries, as 0.1: only features that pass are selected; see `search.BenjaminiHochberg`.
    blocks : int, optional
        Of a time series, its samples in order: how many neighbours are drawn together by `stability`; and shuffles, of
        `fdr` and ``k="auto"``, shift the whole target in a circle.
    n_jobs, random_state : int, optional
        Threads, counted as joblib does, and the seed, for solver and measures; None leaves each as it is.
    verbose : bool
        Whether to print on standard error what the fit is at.

    Attributes
    ----------
    result_ : Result
        Everything that the fit found. The attributes below are views of it.
    n_features_in_, feature_names_in_ : int, and array of str where the table has names
    counts_, n_samples_seen_ : JointCounts and int
        After a fit of batches: the counts of all so far, unless codes were kept, and how many samples there were.
    rank_error_ : float
        After a fit of batches: how far the rank of a bin's edge may be off, as a share of samples; 0.0 if all is exact.

    Examples
    --------
    >>> from quboselect.datasets import load_ionosphere
    >>> X, y = load_ionosphere(return_X_y=True)
    >>> selector = SelectQUBO(k=5).fit(X, y)
    >>> selector.get_support(indices=True), selector.proven_
    (array([ 0,  2,  4,  5, 26]), True)
    >>> SelectQUBO.paper(k=5).fit(X, y).get_support(indices=True)
    array([ 0,  2,  4,  5, 20])
    """

    def __init__(
        self,
        k: int | str | None = 10,
        *,
        alpha: float | None = None,
        criterion: Any = None,
        importance: Importance | None = None,
        redundancy: Redundancy | None = None,
        solver: Solver = Portfolio(),  # noqa: B008
        target_type: str = "auto",
        class_weight: str | Mapping[Any, float] | None = None,
        targets: str = "sum",
        categorical_features: Any = "auto",
        include: Any = None,
        exclude: Any = None,
        groups: Sequence[Any] | None = None,
        cost: npt.ArrayLike | Mapping[Any, float] | None = None,
        fdr: Any = None,
        blocks: int | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.k = k
        self.alpha = alpha
        self.criterion = criterion
        self.importance = importance
        self.redundancy = redundancy
        self.solver = solver
        self.target_type = target_type
        self.class_weight = class_weight
        self.targets = targets
        self.categorical_features = categorical_features
        self.include = include
        self.exclude = exclude
        self.groups = groups
        self.cost = cost
        self.fdr = fdr
        self.blocks = blocks
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def paper(cls, k: Any = 10, **others: Any) -> Self:
        """Return a selector with the paper's setting: 20 quantile bins, and the alpha at which k features are optimal.

        Parameters
        ----------
        k, **others
            Parameters of the selector.
        """
        return cls(k, criterion=QFS(bins=20, edges="quantile"), **others)

    def fit(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Select features of a table.

        Parameters
        ----------
        X : array, pandas or polars frame, Arrow table, sparse matrix, or Dask table, of shape (samples, n)
            Numbers, dates, text, categories, booleans. A missing value (NaN, None, NA) is a bin of its own. A Dask
            table is counted where its partitions are, in two passes, and only counts come here, or codes if wide.
        y : class labels of any type, or numbers, of shape (samples,) or (samples, targets), optional
            Or fields ``event`` and ``time``; or None: what features say of each other (docs/howto/targets.md).
        sample_weight : array of shape (samples,), optional
            Not negative. Whole numbers are as repeating samples that often, but for the number that ``k="auto"`` finds.
            Others have an average of one.
        """
        if type(X).__module__.startswith("dask"):
            reading = selector_reading(self)
            return self._fit_seen(streaming.dask_counts(X, y, reading, sample_weight, check=self._check))
        table, target = read_table(self, X, y, sample_weight)
        steered = self.verbose or self.n_jobs is not None or self.random_state is not None
        result = table_result(self if not steered else steered_like(self), table, target)
        # What may raise comes first: a fit that raises leaves the one before as it was.
        warn_of_samples(self, table, target)
        warn_of_result(self, result)
        validate_data(self, plain_frame(X) if is_frame(X) else X, y, skip_check_array=True)
        for name in ("counts_", "n_samples_seen_", "rank_error_", "_n_batches"):
            self.__dict__.pop(name, None)
        self.result_ = result
        return self

    def fit_batches(
        self,
        batches: Iterable[Any] | Callable[[], Iterable[Any]],
        *,
        exact_bytes: int = 2**30,
        max_bytes: int | None = None,
    ) -> Self:
        """Select features of a table that comes in batches, with only one of them in memory at a time.

        The same features are selected as by `fit` of the whole table, to the last bit of `importance_` and
        `redundancy_`, or to 1e-12 of correlations and 1e-9 of weights that are not whole, as long as the distinct
        values of its floats fit into ``exact_bytes``. Above 2 000 features codes are kept, not counts: a byte for
        each value.

        Parameters
        ----------
        batches : iterable of (X, y) or (X, y, weight), or a function that returns one
            They are read twice, with weights three times, so a generator will not do, but a function that makes one
            will. Errors call a batch by its ``name``, or by its number. Batches without samples are passed over.
        exact_bytes : int
            About how much memory the distinct values of floats may take, 16 bytes each. Quantiles of features that
            have more come from sketches; `rank_error_` says how far the rank of an edge may be off.
        max_bytes : int, optional
            How much memory the counts of all pairs, or the codes, may take; None is half of what the machine has.

        Examples
        --------
        >>> from quboselect.datasets import load_ionosphere
        >>> X, y = load_ionosphere(return_X_y=True)
        >>> batches = [(X[i : i + 100], y[i : i + 100]) for i in range(0, 351, 100)]
        >>> SelectQUBO.paper(k=5).fit_batches(batches).get_support(indices=True)
        array([ 0,  2,  4,  5, 20])
        """
        how: dict[str, Any] = {"exact_bytes": exact_bytes, "max_bytes": max_bytes, "check": self._check}
        return self._fit_seen(streaming.batch_counts(batches, selector_reading(self), **how))

    def fit_parquet(
        self,
        path: Any,
        target: str,
        *,
        features: Sequence[str] | None = None,
        weight: str | None = None,
        filter: Any = None,  # noqa: A002
        batch_size: int | None = None,
        exact_bytes: int = 2**30,
        max_bytes: int | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> Self:
        """Select features of Parquet files, which are read twice, some megabytes at a time, as `fit` would of all.

        Parameters
        ----------
        path, target, features, weight, filter, batch_size, progress
            As in `quboselect.streaming.parquet_batches`.
        exact_bytes, max_bytes : int
            As in `fit_batches`.
        """
        selector_reading(self)  # refuses wrong parameters before a file is opened
        columns: dict[str, Any] = {"features": features, "weight": weight, "exclude": self.exclude}
        batches: Any = streaming.parquet_batches(
            path, target, **columns, filter=filter, batch_size=batch_size, progress=progress
        )
        return self.fit_batches(batches, exact_bytes=exact_bytes, max_bytes=max_bytes)

    @available_if(lambda self: streaming.one_pass_reading(self) is not None)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, *, search: bool = True) -> Self:
        """Learn from one more batch, in memory that does not grow with the samples.

        The first batch says where numbers are cut, so make it large and shuffled. `fit_batches` is exact, also if wide.
        Correlations, which cut nothing, are exact here too, but have no ranks.

        Parameters
        ----------
        X, y : table of shape (samples, n), and labels or numbers
            As in `fit`. New labels, and the first missing value of a feature, get codes of their own. A batch without
            samples changes nothing. With ``target_type="auto"`` the first batch decides, and a batch that does not go
            with it, such as fractions after classes, is refused.
        sample_weight : array of shape (samples,), optional
            As in `fit`. Whole numbers in the first batch that has weights must be followed by whole numbers.
        search : bool
            Whether to select features now. False only counts, until a call with True, or ``fit_counts(s.counts_)``.
        """
        number, before = vars(self).get("_n_batches", 0) + 1, vars(self).get("counts_")
        reading, batch = streaming.one_pass_reading(self), f"batch {number}"
        if not is_empty(X, y):
            with errors_naming(batch):
                first = before is None  # checked on a copy: where it is refused, nothing is left of it
                output.check_features(clone(self) if first else self, X, y, reset=first)
        counts = streaming.more_counts(before, X, y, reading, batch=batch, sample_weight=sample_weight)
        # Without samples nothing changes, but a search that was put off may be wanted now.
        if counts is not None and (counts is not before or (search and not hasattr(self, "result_"))):
            self._check(counts.coding.n_features, counts.coding.names)
            self._fit_seen(counts, search)
        self._n_batches = number
        return self

    def fit_counts(self, counts: JointCounts) -> Self:
        """Select features by counts that were made before, as on a cluster.

        Parameters
        ----------
        counts : JointCounts
            Made as the selector would make them, by ``selector_reading(selector)``: with a target of its `target_type`,
            with the bins of `importance` and `redundancy`, by class where the criterion needs it, as the default does,
            with moments for correlations, and of the features that `exclude` leaves, in `categorical_features` too. Of
            very many features, use `fit_batches` or Dask.
        """
        if not isinstance(counts, JointCounts):
            raise TypeError(f"counts must be JointCounts, got {type(counts).__name__}: see JointCounts.of.")
        return self._fit_seen(counts)

    def transform(self, X: Any) -> Any:
        """Return the selected features of a table, of the kind that ``set_output`` says.

        Parameters
        ----------
        X : table of shape (samples, n)
            A frame keeps the types of its features. Of a Dask table comes another one, not yet computed.
        """
        check_is_fitted(self)
        if streaming.is_dask(X):
            return streaming.dask_features(X, self.support_, getattr(self, "feature_names_in_", None))
        return output.selected_features(self, X)

    def inverse_transform(self, X: Any) -> Any:
        """Return a table of all features, zero where they were not selected.

        Parameters
        ----------
        X : table of shape (samples, selected)
        """
        check_is_fitted(self)
        return output.all_features(self, X)

    def path(
        self,
        *,
        k: Any = None,
        size: int | None = None,
        solver: Solver | None = None,
        max_solves: int | None = None,
    ) -> Path:
        """Return the optimal subset for every alpha, for the problem that was fitted: with its costs and constraints.

        Parameters
        ----------
        k, size, solver, max_solves
            As in `Result.path`.
        """
        check_is_fitted(self)
        return self.result_.path(k=k, size=size, solver=solver, max_solves=max_solves)

    def explain(self) -> Explanation:
        """Return why each feature was selected or left out; ``explain()["age"]`` is a sentence about one of them."""
        check_is_fitted(self)
        criterion = criterion_of(self)
        return self.result_.explain(unit=report.unit_of(criterion.importance, criterion.redundancy))

    def alternatives(self, m: int = 5, *, different: int = 2, effort: float = 1.0) -> Alternatives:
        """Return the m best subsets of the size of the selection, with proofs; see `Result.alternatives`."""
        check_is_fitted(self)
        return self.result_.alternatives(m, different=different, effort=effort)

    def swaps(self, feature: int | str, most: int = 5) -> list[Swap]:
        """Return the best exchanges of one feature, and how much worse the objective gets; see `Result.swaps`."""
        check_is_fitted(self)
        return self.result_.swaps(feature, most)

    def compare(self, **baselines: Any) -> Comparison:
        """Return the selection beside those of the usual methods; see `quboselect.compare`."""
        check_is_fitted(self)
        return compare(self.result_, **baselines)

    def stability(self, X: Any, y: Any, **resamples: Any) -> Stability:
        """Return how stable the selection is under resampling; see `quboselect.stability`."""
        return stability(self, X, y, **resamples)

    def report(
        self,
        file: str | os.PathLike[str],
        X: Any = None,
        y: Any = None,
        *,
        estimator: Any = None,
        most: int | None = None,
        solver: Solver | None = None,
        title: str = report.TITLE,
        also: Mapping[str, str] | None = None,
        **facts: Any,
    ) -> None:
        """Write what was selected and why as one HTML file, which needs no network and holds no samples.

        Other sizes and alphas are explored: on up to 128 features with proofs, on more by a quick search, so that only
        what the fit has proven is proven. Above 2000 features it is as the fit left it.

        Parameters
        ----------
        file : path
            Its folder must exist. A file of that name is replaced, whole or not at all.
        X, y : as in `fit`, optional
            With them it shows how stable the selection is, and what the columns hold.
        estimator : scikit-learn estimator, optional
            It is scored with the selected features and with all, by cross-validation with the selection inside.
        most, solver, title, also, **facts
            As in `quboselect.report.write_report`; ``target="income"`` names the label.
        """
        check_is_fitted(self)
        criterion = criterion_of(self)
        unit = report.unit_of(criterion.importance, criterion.redundancy)
        how: dict[str, Any] = {"most": most, "solver": solver, "title": title, "also": also, "unit": unit}
        known = report.known_facts(self, X, y, estimator, facts)
        settings, code = self.get_params(deep=False), report.code_of(self)
        report.write_report(file, self.result_, settings=settings, code=code, **how, **known)

    support_: Bits = view("support")
    """Which features are selected, shape (n,)."""
    ranking_: npt.NDArray[np.intp] = view("ranking")
    """The rank of each feature, 1 for the first: those selected, then those that enter next."""
    warnings_: list[Note] = view("warnings")
    """What people should know before they trust the selection, in sentences."""
    k_: int = view("k")
    """How many features are selected, or groups where there are groups."""
    alpha_: float = view("alpha")
    """An alpha at which they were selected: that of the criterion, or the middle of the window."""
    alpha_window_: tuple[float, float] = view("window")
    """From where to where alpha gives this subset; one alpha twice where it is not on the path."""
    on_path_: bool = view("on_path")
    """Whether the subset was found on the path: a proof is then about subsets of every size, else of size k."""
    energy_: float = view("energy")
    """The energy of the subset at `alpha_`."""
    bound_: float = view("bound")
    """A proven lower bound on the minimum energy at `alpha_`; off the path, among subsets of size k."""
    proven_: bool = view("proven")
    """Whether the bound meets the energy: no subset has a better value of the objective, in the whole window."""
    importance_: Vector = view("tradeoff.importance")
    """I, shape (n,)."""
    solutions_: Solutions = view("solutions")
    """What the solver returned at `alpha_`, best first; of a device, the reads of size k."""
    path_: Path | None = view("explored")
    """What the fit explored of the path, around k, or None; see `Result`. `path` gives all of it."""

    @property
    def redundancy_(self) -> Any:
        """R, shape (n, n); above 2 000 features in single precision, above 24 000 `Rows`, which compute what is asked.

        ``result_.core`` then says what was proven of the whole table.
        """
        redundancy = self.result_.tradeoff.redundancy
        return redundancy if self.result_.tradeoff.dense or redundancy.known is None else redundancy.known

    @property
    def p_values_(self) -> Vector | None:
        """How often chance shows as much importance, shape (n,); None without `fdr`. ``fdr=1`` lets all pass."""
        return None if self.result_.chance is None else self.result_.chance.p_values

    def _get_support_mask(self) -> Bits:
        check_is_fitted(self)
        return self.support_.copy()

    def _check(self, n: int, names: Sequence[str] | None) -> None:
        """Raise where k, alpha or the constraints do not go with n features."""
        wanted_size(self, constraints_of(self, n, names))

    def _fit_seen(self, counts: JointCounts | BatchCodes, search: bool = True) -> Self:
        """Select features by counts, or by codes, and keep the counts; or only keep them."""
        result = streaming.counts_result(steered_like(self), counts) if search else None
        if result is not None:
            warn_of_result(self, result)
        coding = counts.coding
        for name in ("result_", "feature_names_in_", "counts_"):
            self.__dict__.pop(name, None)
        if isinstance(counts, JointCounts):
            self.counts_ = counts
        self.n_samples_seen_, self.rank_error_, self._n_batches = counts.n_samples, coding.rank_error, 1
        self.n_features_in_ = coding.n_features
        if coding.names is not None:
            self.feature_names_in_ = np.array(coding.names, object)
        if result is not None:
            self.result_ = result
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "result_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        criterion = criterion_of(self)
        measures = criterion.importance, criterion.redundancy
        alone = getattr(measures[0], "fixed", False) or hasattr(measures[0], "information")
        alone &= hasattr(measures[1], "together") or not getattr(measures[1], "by_class", False)
        tags.target_tags.required, tags.target_tags.multi_output = not alone or self.k == "auto", True
        given = tags.input_tags
        given.sparse, given.allow_nan = True, all(getattr(one, "tables", False) for one in measures)
        given.categorical = given.string = all(getattr(one, "categories", False) for one in measures)
        return tags
