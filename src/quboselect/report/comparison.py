"""Comparison: the selection of a fit beside those of the baselines, for the same problem.

Each baseline chooses as many of the free units as the fit did, and keeps to the same constraints and costs. All are
measured by the objective at the alpha of the fit. ``print`` shows a comparison as a table.
"""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..protocols import ask, check_plugin
from ..qubo import QUBO, Bits, percent
from ..result import Result
from ..search.baselines import BASELINES, SIGNED, Baseline, dynamic_range, greedy, penalised
from ..search.choice import classical
from ..search.constraints import Constraints
from ..tradeoff import Tradeoff
from .fitted import result_of

OURS, GREEDY, PENALTY = "ours", "greedy", "penalty QUBO"
WIDTH = 100
# Of more units than this, the QUBO with a penalty takes long to solve, and is left out.
MOST_PENALISED = 128


@dataclass(frozen=True, eq=False)
class Row:
    """A method and its subset.

    Parameters
    ----------
    name : str
    x : bits of shape (n,)
    objective : float
        Energy of the subset at our alpha.
    importance, redundancy : float
        Sums over its features, and over their pairs. What the features cost counts in redundancy, as everywhere:
        ``objective`` is ``-alpha * importance + (1 - alpha) * redundancy``.
    mean_redundancy : float
        Of a pair within it, without any cost, 0 where there is none.
    shared : int
        How many of its features are also in ours.
    jaccard : float
        The same, as a share of all features in either.
    worse_by : float
        Its objective less ours, 0 within `QUBO.tolerance`; negative where it is better than ours, which a proof
        rules out.
    worse_by_relative : float
        The same as a share of our objective, infinite where that is 0 and the two differ.
    """

    name: str
    x: Bits
    objective: float
    importance: float
    redundancy: float
    mean_redundancy: float
    shared: int
    jaccard: float
    worse_by: float
    worse_by_relative: float


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The selection of a fit and those of the baselines, all measured at one alpha.

    Parameters
    ----------
    rows : tuple of Row
        Ours first.
    alpha : float
    gap : float
        How far our objective may be from the minimum, relative to it: 0 is a proof.
    mean_redundancy : float
        Of a pair of any two features that are not excluded: what selection started from.
    bits, penalised_bits : float
        Dynamic range of our QUBO, and of the one in which a penalty asks for k features.
    constraints : str
        What all subsets had to fulfil, in words; empty where there was nothing.
    names : tuple of str, optional
        Of the features.
    left_out : tuple of str
        The usual baselines that need redundancies that are not negative, where some are.
    """

    rows: tuple[Row, ...]
    alpha: float
    gap: float
    mean_redundancy: float
    bits: float
    penalised_bits: float
    constraints: str = ""
    names: tuple[str, ...] | None = None
    left_out: tuple[str, ...] = ()

    @property
    def left_text(self) -> str:
        """Which of the usual baselines are left out, and why; empty where none is."""
        if not self.left_out:
            return ""
        return f"{' and '.join(self.left_out)} are left out: some redundancies are negative, which they cannot take."

    @property
    def ours(self) -> Row:
        """The row of our subset."""
        return self.rows[0]

    @property
    def proven(self) -> bool:
        """Whether no subset of the same size has a lower objective than ours."""
        return self.gap == 0.0

    def __repr__(self) -> str:
        others = ", ".join(row.name for row in self.rows[1:])
        return f"Comparison(k={self.ours.x.sum()}, alpha={self.alpha:g}, proven={self.proven}, with {others})"

    def __str__(self) -> str:
        k, n = int(self.ours.x.sum()), self.ours.x.size
        which = f"subset of this size that keeps to the constraints ({self.constraints}) has"
        proof = (
            f"No {which if self.constraints else f'{k} features have'} a lower objective than ours: proven."
            if self.proven
            else f"Ours is the best found, not proven: the gap is {percent(self.gap)}."
        )
        header = ("", "objective", "worse by", "importance", "redundancy", "per pair", "shared")
        cells = [header, *(row_cells(row, k) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()
            for line in cells
        ]
        chosen = [str(i) if self.names is None else self.names[i] for i in np.flatnonzero(self.ours.x)]
        return "\n".join(
            [
                f"{k} of {n} features at alpha {self.alpha:.6g}. {proof}",
                "",
                *lines,
                *([self.left_text] if self.left_out else []),
                "",
                f"Mean redundancy of a pair: {self.ours.mean_redundancy:.4g} within ours, "
                f"{self.mean_redundancy:.4g} over all features.",
                f"Dynamic range: {self.bits:.1f} bits for our QUBO, {self.penalised_bits:.1f} with a penalty for k.",
                textwrap.shorten(f"Ours: {', '.join(chosen)}", WIDTH, placeholder=" ..."),
            ]
        )


def row_cells(row: Row, k: int) -> Sequence[str]:
    """Return a row as text."""
    if row.name == OURS:
        verdict, shared = "", ""
    else:
        size, share = f"{abs(row.worse_by):.3g}", abs(row.worse_by_relative)
        size += f" ({percent(share)})" if share < np.inf else ""
        verdict = "equal" if not row.worse_by else size if row.worse_by > 0.0 else f"better by {size}"
        shared = f"{row.shared} of {k}"
    sums = (f"{value:.4g}" for value in (row.importance, row.redundancy, row.mean_redundancy))
    return (row.name, f"{row.objective:.6g}", verdict, *sums, shared)


def compare(fitted: Any, *, baselines: Mapping[str, Baseline] | None = None) -> Comparison:
    """Return the selection of a fit beside those of the baselines.

    Importance and redundancy are given beside the objective, since mRMR and QPFS were made to minimise something else.

    Parameters
    ----------
    fitted : Result, or fitted SelectQUBO or SelectQUBOCV
        ``compare(best_subset(tradeoff, k=5))`` compares the best subset of a tradeoff.
    baselines : mapping of str to callable, optional
        Each ``(tradeoff, k) -> bits`` with k ones. They are given the tradeoff of the free units, which are all
        features where there are no constraints, and the number of these to choose. By default mRMR by difference and by
        quotient, QPFS, the most important (`quboselect.search.baselines.BASELINES`), and, of up to 128 units, the QUBO
        in which a penalty asks for k, where the solver of the fit finds k in it. Of a fit of k features at one alpha
        also `quboselect.search.baselines.greedy`, on the very same objective: what exactness adds. Where redundancies
        are negative, those that cannot take them are left out.

    Examples
    --------
    >>> from quboselect import best_subset
    >>> redundancy = [[0, 1, 1, 1], [1, 0, 0.1, 0.1], [1, 0.1, 0, 0.1], [1, 0.1, 0.1, 0]]
    >>> comparison = compare(best_subset(Tradeoff([6.0, 5.0, 5.0, 5.0], redundancy), k=3))
    >>> for row in comparison.rows[:2]:
    ...     print(row.name, row.x.astype(int), f"worse by {row.worse_by_relative:.1%}")
    ours [0 1 1 1] worse by 0.0%
    mRMR difference [1 1 1 0] worse by 50.3%
    """
    result = result_of(fitted, "compare")
    tradeoff, constraints, ours = result.tradeoff, result.constraints, result.support
    if not tradeoff.dense:
        raise ValueError(
            f"compare takes fits of up to 2000 features, got one of {tradeoff.size}: fit a table of fewer, such as "
            f"those of the highest importance."
        )
    problem, k = result.problem, result.k - constraints.kept
    qubo, with_penalty = problem.at(result.alpha), penalised(problem, k, alpha=result.alpha)
    left_out: tuple[str, ...] = ()
    if baselines is None:
        usual = {name: each for name, each in BASELINES.items() if not problem.deepest or name in SIGNED}
        left_out = tuple(name for name in BASELINES if name not in usual)
        found = {name: baseline(problem, k) for name, baseline in usual.items()}
        if not result.on_path and result.passes is None:
            found = {GREEDY: greedy(problem, k, alpha=result.alpha), **found}
        if 0 < problem.size <= MOST_PENALISED:
            best = ask(classical(result.solver), with_penalty).best
            found |= {PENALTY: best} if best.sum() == k else {}
    else:
        _check_baselines(baselines)
        found = {name: baseline(problem, k) for name, baseline in baselines.items()}
    subsets = {OURS: ours}
    for name, x in found.items():
        subsets[name] = _full_subset(_checked_subset(name, x, problem.size, k), result)
    # What is excluded is not always measured, and its zeros are no redundancy.
    (measured,) = np.nonzero(~constraints.excluded)
    pairs = measured.size * (measured.size - 1)
    return Comparison(
        rows=tuple(row_of(name, x, ours, tradeoff, tradeoff.at(result.alpha)) for name, x in subsets.items()),
        alpha=result.alpha,
        gap=result.gap,
        mean_redundancy=float(tradeoff.among(measured).sum()) / pairs if pairs else 0.0,
        bits=dynamic_range(qubo),
        penalised_bits=dynamic_range(with_penalty),
        constraints=constraint_text(constraints, result.silent),
        names=result.names,
        left_out=left_out,
    )


def constraint_text(constraints: Constraints, silent: Bits | None = None) -> str:
    """Return in words what subsets have to fulfil; silent features are excluded as they say no more than chance.

    Examples
    --------
    >>> constraint_text(Constraints.of(4, include=[0], groups=[[1, 2]]))
    '1 included, groups kept together'
    """
    n_silent = 0 if silent is None else int(silent.sum())
    n_in, n_out = int(constraints.included.sum()), int(constraints.excluded.sum()) - n_silent
    words = [
        f"{n_in} included" * bool(n_in),
        f"{n_out} excluded" * bool(n_out),
        f"without {n_silent} that {'says' if n_silent == 1 else 'say'} no more than chance" * bool(n_silent),
        "groups kept together" * constraints.grouped,
    ]
    return ", ".join(filter(None, words))


def _check_baselines(baselines: object) -> None:
    if not isinstance(baselines, Mapping):
        raise TypeError(
            f"baselines must map names to callables, got {type(baselines).__name__}: "
            f'write {{"mine": lambda tradeoff, k: bits}}.'
        )
    for name, baseline in baselines.items():
        if not isinstance(name, str) or name == OURS:
            raise ValueError(f"a baseline's name must be text other than {OURS!r}, got {name!r}.")
        check_plugin(baseline, f"baseline {name!r}")


def _checked_subset(name: str, found: object, n: int, k: int) -> Bits:
    """Return what a baseline found as bits, or raise where they are not k of n."""
    x = np.asarray(found)
    if x.shape != (n,):
        raise ValueError(
            f"baseline {name!r} must return {n} bits, one for each feature or unit, got shape {x.shape}. "
            f"From indices: x = np.zeros({n}, bool); x[indices] = True."
        )
    if not np.isin(x, (0, 1)).all():
        raise ValueError(
            f"baseline {name!r} must return only 0 and 1, got {x[~np.isin(x, (0, 1))][0].item()!r}."
        )
    if x.sum() != k:
        raise ValueError(f"baseline {name!r} must return exactly {k} features or units, got {int(x.sum())}.")
    return np.array(x, np.bool_)


def _full_subset(x: Bits, result: Result) -> Bits:
    """Return the bits of all features from those of the free units."""
    bits = x if result.constraints.trivial else result.units.features(x)
    bits.flags.writeable = False
    return bits


def row_of(name: str, x: Bits, ours: Bits, tradeoff: Tradeoff, qubo: QUBO) -> Row:
    """Return the row of a subset, measured against ours."""
    (chosen,) = np.nonzero(x)
    best, objective = float(qubo.energy(ours)), float(qubo.energy(x))
    worse_by = objective - best if abs(objective - best) > qubo.tolerance else 0.0
    importance, redundancy = tradeoff.line(x)
    between = 0.5 * float(tradeoff.redundancy[np.ix_(chosen, chosen)].sum())
    pairs = chosen.size * (chosen.size - 1) / 2
    shared = int((x & ours).sum())
    return Row(
        name=name,
        x=x,
        objective=objective,
        importance=importance,
        redundancy=redundancy,
        mean_redundancy=between / pairs if pairs else 0.0,
        shared=shared,
        jaccard=shared / int((x | ours).sum()) if chosen.size else 1.0,
        worse_by=worse_by,
        worse_by_relative=worse_by / abs(best)
        if best
        else float(np.copysign(np.inf, worse_by))
        if worse_by
        else 0.0,
    )
