"""SelectQUBO: the scikit-learn face. A table and labels flow in, the chosen features flow out.

Everything it knows is made elsewhere: the measures give I and R, the path and its proofs come from a solver.
"""

import warnings
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import validate_data

from .constraints import Constraints
from .errors import OffPathWarning
from .importance import MutualInformation as ImportanceInformation
from .parameters import NestedParameters
from .protocols import Importance, Redundancy, Solver, check_plugin, pairs, scores
from .qubo import Bits, Vector
from .redundancy import MutualInformation as RedundancyInformation
from .redundancy.rows import Rows
from .report.exploring import Reporting
from .search.auto_size import above_chance, enough
from .search.choice import Chosen, choose
from .search.devices import planner
from .search.path import Path, check_solver
from .search.wide import affordable, choose_wide, rows_of
from .solutions import Solutions
from .solvers import Portfolio
from .streaming.cluster import ClusterSelector, is_dask
from .streaming.parquet import ParquetSelector
from .tables.frames import is_frame, plain_frame
from .tables.output import TableSelector
from .tables.table import Table, as_table
from .tables.target import Target, as_target
from .tradeoff import Tradeoff


class SelectQUBO(Reporting, ClusterSelector, ParquetSelector, TableSelector, NestedParameters):
    """Select the k features that say most about the label and repeat each other least.

    Minimises ``-a * sum_i I_i x_i + (1-a) * sum_{i<j} R_ij x_i x_j`` over all subsets x (paper, Eq. 2), with
    importance I, redundancy R, and the a (alpha) at which k features are optimal. Where no alpha makes k
    features optimal, it is the best subset of k features where the path passes that size, and an
    `OffPathWarning` says so. ``k`` is a promise: exactly k features come back.

    Parameters
    ----------
    k : int or "auto", default=10
        How many features, at least 1. More than the table has keeps all, with a warning. ``"auto"`` takes as
        many as there are when each must add more importance than redundancy, bit for bit, both above what chance
        shows in shuffled data (see `quboselect.search.auto_size`). It is a small number; `SelectQUBOCV` asks a model. Samples
        are shuffled with their weights, so here weights need not give what repeating would.
    alpha : float, optional
        Solve at this one alpha, from 0 to 1, and take as many features as it gives, instead of k.
    importance : Importance
        ``(X, y) -> (n,)``, not negative; scikit-learn's score functions will do. Mutual information in bits on
        20 quantile bins is the paper's.
    redundancy : Redundancy
        ``X -> (n, n)``, not negative, symmetric with a zero diagonal.
    solver : Solver
        ``QUBO -> Solutions``. A device, as `quantum.Dimod` or `quantum.VQE`, is called once, at an alpha that was found
        classically; with its ``calls=20`` it searches alpha itself, in at most so many calls.
    target_type : "auto", "classes" or "continuous"
        What y is. ``"auto"`` decides as scikit-learn's ``type_of_target``; continuous ones are binned.
    categorical_features : "auto", or names, indices or a bool array
        Features to take as categories though they are numbers. Text and categories always are; true and false too.
    include, exclude : names, indices or a bool array, optional
        Features that must be selected, and that must not. Included ones count in k; excluded ones of a frame are not
        even read. An integer is a position, also where the names of a frame are integers.
    groups : sequence of such, optional
        Features that come or go together, as the columns of a one-hot code do. Then k counts groups, and features
        in none of them count as groups of one.
    cost : array of shape (n,) or mapping, optional
        What a feature costs, in the unit of redundancy: ``(1-a) * sum_i cost_i x_i`` is added to Q.

    Attributes
    ----------
    support_ : bool array of shape (n,)
        The selected features.
    k_ : int
        How many they are, in groups where there are groups.
    alpha_ : float
        An alpha at which they were selected: the middle of the window.
    alpha_window_ : tuple of float
        From where to where alpha gives this subset; one alpha twice where it is not on the path.
    on_path_ : bool
        Whether they are on the path that was found: optimal among subsets of *every* size at `alpha_`, if `proven_`.
        Otherwise among those of size k. Subsets are those that fulfil include, exclude and groups.
    energy_, bound_ : float
        Their energy at `alpha_`, and a proven lower bound on the minimum. Off the path it is the minimum
        among subsets of size k.
    proven_ : bool
        Whether the bound meets the energy: no better subset exists, for the whole window.
    importance_ : array of shape (n,)
    redundancy_ : array of shape (n, n)
        Of measures that have rows, as mutual information and correlation, in single precision (float32) above 2 000
        features, and above 24 000 `Rows` instead, of which those are made that the search looks at: the binned table
        stays in them, and is pickled with them. ``solutions_.info["wide"]`` then says what was proven of the whole table.
    solutions_ : Solutions
        What the solver returned at `alpha_`, best first; of a device, the reads of exactly k features, and all of
        them in ``solutions_.info["answer"]``.
    path_ : Path or None
        What was explored of the path, around k; `alpha_path` gives all of it. None with ``alpha``.
    n_features_in_ : int
    feature_names_in_ : array of str, where the table has names

    See Also
    --------
    quboselect.alpha_path : The optimal subset for every alpha at once.

    Examples
    --------
    >>> from quboselect.datasets import load_ionosphere
    >>> X, y = load_ionosphere(return_X_y=True)
    >>> selector = SelectQUBO(k=5).fit(X, y)
    >>> selector.get_support(indices=True), selector.proven_
    (array([ 0,  2,  4,  5, 20]), True)
    >>> selector.transform(X).shape
    (351, 5)
    """

    support_: Bits
    k_: int
    alpha_: float
    alpha_window_: tuple[float, float]
    on_path_: bool
    energy_: float
    bound_: float
    proven_: bool
    importance_: Vector
    redundancy_: Any
    solutions_: Solutions
    path_: Path | None

    def __init__(
        self,
        k: int | str = 10,
        *,
        alpha: float | None = None,
        importance: Importance = ImportanceInformation(),  # noqa: B008
        redundancy: Redundancy = RedundancyInformation(),  # noqa: B008
        solver: Solver = Portfolio(),  # noqa: B008
        target_type: str = "auto",
        categorical_features: Any = "auto",
        include: Any = None,
        exclude: Any = None,
        groups: Sequence[Any] | None = None,
        cost: npt.ArrayLike | Mapping[Any, float] | None = None,
    ) -> None:
        self.k = k
        self.alpha = alpha
        self.importance = importance
        self.redundancy = redundancy
        self.solver = solver
        self.target_type = target_type
        self.categorical_features = categorical_features
        self.include = include
        self.exclude = exclude
        self.groups = groups
        self.cost = cost

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Select features of a table.

        Parameters
        ----------
        X : array, pandas or polars frame, Arrow table, sparse matrix, or one of Dask's, of shape (samples, n)
            Numbers, text, categories, true and false. A missing value (NaN, None, NA) is a bin of its own. A table of
            Dask's is counted where its partitions are, in two passes, and only the counts come here.
        y : class labels of any type, or numbers, of shape (samples,)
        sample_weight : array of shape (samples,), optional
            Not negative. Whole numbers are the same as repeating the samples so often.
        """
        if is_dask(X):
            return self._fit_cluster(X, y, sample_weight)
        self._fit(*self._read(X, y, sample_weight))
        self._record(X, y)
        self._forget()
        self._say()
        return self

    def _read(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> tuple[Table, Target]:
        """Return the samples that have any weight, after every check that needs no counting."""
        X = plain_frame(X) if is_frame(X) else X
        table = as_table(
            X, categorical=self.categorical_features, exclude=self.exclude, sample_weight=sample_weight
        )
        check_plugin(self.importance, "importance")
        check_plugin(self.redundancy, "redundancy")
        check_solver(self.solver)
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        return table, as_target(y, self.target_type).of(table)

    def _record(self, X: Any, y: Any) -> None:
        """Set names and number of features: after everything that may refuse the table, so that a fit is whole."""
        validate_data(self, plain_frame(X) if is_frame(X) else X, y, skip_check_array=True)

    def _fit(self, table: Table, target: Target) -> Self:
        """Select features of a table that was read before."""
        constraints = self._constraints(table.n_features, table.names)
        k = self._checked_k(constraints)
        if (rows := rows_of(self.redundancy, table)) is not None:
            return self._select_wide(scores(self.importance, table, target), rows, constraints, k)
        tradeoff = self._tradeoff(table, target, constraints)
        if k == "auto":
            beyond = above_chance(tradeoff, self.importance, self.redundancy, table, target)
            k = max(constraints.kept + enough(constraints.reduce(beyond), planner(self.solver)), 1)
        return self._select(tradeoff, constraints, k)

    def _select(self, tradeoff: Tradeoff, constraints: Constraints, k: int | None) -> Self:
        """Select features by what was measured of them: k units, or what `alpha` gives."""
        chosen = choose(tradeoff, constraints, self.solver, k=k, alpha=self.alpha)
        return self._keep(chosen, tradeoff.importance, tradeoff.redundancy, constraints)

    def _select_wide(self, importance: Vector, rows: Rows, constraints: Constraints, k: Any) -> Self:
        """Select features of a wide table, of whose redundancy there are rows."""
        if k == "auto":
            raise ValueError(
                f"k='auto' compares all pairs with chance, and {rows.size} features have too many of them: give k."
            )
        whole = affordable(rows)
        redundancy: Any = rows.matrix() if whole else rows
        rows = Rows.of(redundancy) if whole else rows
        chosen = choose_wide(importance, rows, constraints, self.solver, k=k, alpha=self.alpha, whole=whole)
        return self._keep(chosen, np.array(importance, np.float64), redundancy, constraints)

    def _keep(self, chosen: Chosen, importance: Vector, redundancy: Any, constraints: Constraints) -> Self:
        """Set what a fit leaves behind."""
        self.importance_, self.redundancy_ = importance, redundancy
        self.solutions_, self.support_ = chosen.solutions, chosen.solutions.best.copy()
        self.k_ = np.unique(constraints.unit[self.support_]).size
        self.alpha_, self.alpha_window_, self.on_path_ = chosen.alpha, chosen.window, chosen.on_path
        self.energy_, self.bound_ = float(chosen.solutions.energy[0]), chosen.solutions.bound
        self.proven_, self.path_ = chosen.solutions.proven, chosen.path
        self._passes = chosen.passes
        self._units = "features" if np.unique(constraints.unit).size == constraints.unit.size else "groups"
        return self

    def _say(self, stacklevel: int = 3) -> None:
        """Warn of what the fit had to do that was not asked for."""
        n = self.support_.size
        if self.alpha is None and isinstance(self.k, Integral) and self.k > n:
            left = "" if self.support_.all() else ", but for excluded ones"
            words = f"k={self.k} is greater than n_features={n}. All the features will be returned{left}."
            warnings.warn(words, UserWarning, stacklevel=stacklevel)
        if self._passes is not None:
            before, after = self._passes
            warnings.warn(
                f"k={self.k_} is off the path: at alpha {self.alpha_:.6g} it passes from {before} to {after} "
                f"{self._units}. The best subset of exactly {self.k_} {self._units} "
                f"{'' if self.proven_ else 'found '}at that alpha was selected.",
                OffPathWarning,
                stacklevel=stacklevel,
            )

    def _constraints(self, n: int, names: Sequence[str] | None) -> Constraints:
        wishes = {name: getattr(self, name) for name in ("include", "exclude", "groups", "cost")}
        return Constraints.of(n, names, **wishes)

    def _checked_k(self, constraints: Constraints) -> Any:
        """Return k, at most the number of features; ``"auto"``; or None where alpha is given instead."""
        n = constraints.unit.size
        if self.alpha is not None:
            if not isinstance(self.alpha, Real) or isinstance(self.alpha, bool) or not 0 <= self.alpha <= 1:
                raise ValueError(f"alpha must be a number from 0 to 1, or None to use k, got {self.alpha!r}.")
            return None
        if isinstance(self.k, str) and self.k == "auto":
            return self.k
        if not isinstance(self.k, Integral) or isinstance(self.k, bool) or self.k < 1:
            raise ValueError(
                f"k must be an integer from 1 to {n} (the table has {n} features) or 'auto', got {self.k!r}."
            )
        if self.k > n:
            return constraints.kept + constraints.free
        constraints.check_size(int(self.k))
        return int(self.k)

    def _tradeoff(self, table: Table, target: Target, constraints: Constraints) -> Tradeoff:
        """Return I and R of a table, and the costs."""
        importance = scores(self.importance, table, target)
        return Tradeoff(importance, pairs(self.redundancy, table, target), constraints.cost)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        measures = (self.importance, self.redundancy)
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = all(getattr(measure, "tables", False) for measure in measures)
        categories = all(getattr(measure, "categories", False) for measure in measures)
        tags.input_tags.categorical = tags.input_tags.string = categories
        return tags
