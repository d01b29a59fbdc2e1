"""Comparison: ours beside the baselines, on the same I, R and k.

A tradeoff and a size flow in; one row for each method flows out, all measured by the same objective, that of our alpha.
It stands above `sizes` and `baselines`. ``print`` shows it as a table.
"""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..protocols import Solver, ask, check_plugin
from ..qubo import QUBO, Bits
from ..search.baselines import BASELINES, Baseline, dynamic_range, penalised
from ..search.path import check_size, check_solver
from ..search.sizes import exactly
from ..solutions import percent
from ..solvers import Portfolio
from ..tradeoff import Tradeoff

OURS, PENALTY = "ours", "penalty QUBO"
WIDTH = 100


@dataclass(frozen=True, eq=False)
class Row:
    """A method and its subset of k features.

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
    """Ours and the baselines, each with k features at one alpha.

    Parameters
    ----------
    rows : tuple of Row
        Ours first.
    alpha : float
    gap : float
        How far our objective may be from the minimum, relative to it: 0 is a proof.
    mean_redundancy : float
        Of a pair of any two features: what selection started from.
    bits, penalised_bits : float
        Dynamic range of our QUBO, and of the one in which a penalty asks for k features.
    names : tuple of str, optional
        Of the features.
    """

    rows: tuple[Row, ...]
    alpha: float
    gap: float
    mean_redundancy: float
    bits: float
    penalised_bits: float
    names: tuple[str, ...] | None = None

    @property
    def ours(self) -> Row:
        """The row of our subset."""
        return self.rows[0]

    @property
    def proven(self) -> bool:
        """Whether no subset of k features has a lower objective than ours."""
        return self.gap == 0.0

    def __repr__(self) -> str:
        others = ", ".join(row.name for row in self.rows[1:])
        return f"Comparison(k={self.ours.x.sum()}, alpha={self.alpha:g}, proven={self.proven}, with {others})"

    def __str__(self) -> str:
        k, n = int(self.ours.x.sum()), self.ours.x.size
        proof = (
            f"No {k} features have a lower objective than ours: proven."
            if self.proven
            else f"Ours is the best found, not proven: the gap is {percent(self.gap)}."
        )
        header = ("", "objective", "worse by", "importance", "redundancy", "per pair", "shared")
        cells = [header, *(_cells(row, k) for row in self.rows)]
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
                "",
                f"Mean redundancy of a pair: {self.ours.mean_redundancy:.4g} within ours, "
                f"{self.mean_redundancy:.4g} over all features.",
                f"Dynamic range: {self.bits:.1f} bits for our QUBO, {self.penalised_bits:.1f} with a penalty for k.",
                textwrap.shorten(f"Ours: {', '.join(chosen)}", WIDTH, placeholder=" ..."),
            ]
        )


def _cells(row: Row, k: int) -> Sequence[str]:
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


def compare(
    tradeoff: Tradeoff,
    k: int,
    *,
    solver: Solver = Portfolio(),  # noqa: B008
    baselines: Mapping[str, Baseline] | None = None,
    names: Sequence[str] | None = None,
) -> Comparison:
    """Return our best subset of k features beside those of the baselines.

    Ours is that of `exactly`, and its alpha is the one at which all are measured. That is not what mRMR and QPFS were
    made to minimise, and so importance and redundancy stand beside it.

    Parameters
    ----------
    tradeoff : Tradeoff
    k : int
        How many features each method takes.
    solver : Solver
        Of our QUBO, and of the one with the penalty.
    baselines : mapping of str to callable, optional
        Each ``(tradeoff, k) -> bits`` of shape (n,) with k ones. By default mRMR by difference and by quotient,
        QPFS, the most important (`quboselect.search.baselines.BASELINES`), and the QUBO with a penalty for k.
    names : sequence of str, optional
        Of the features, to be printed.

    Examples
    --------
    >>> redundancy = [[0, 1, 1, 1], [1, 0, 0.1, 0.1], [1, 0.1, 0, 0.1], [1, 0.1, 0.1, 0]]
    >>> comparison = compare(Tradeoff([6.0, 5.0, 5.0, 5.0], redundancy), 3)
    >>> for row in comparison.rows[:2]:
    ...     print(row.name, row.x.astype(int), f"worse by {row.worse_by_relative:.1%}")
    ours [0 1 1 1] worse by 0.0%
    mRMR difference [1 1 1 0] worse by 50.3%
    """
    check_size(k, tradeoff.size)
    check_solver(solver)
    labels = _names(names, tradeoff.size)
    if baselines is not None:
        _check_baselines(baselines)
    alpha, solutions, _ = exactly(tradeoff, k, solver=solver)
    qubo, with_penalty = tradeoff.at(alpha), penalised(tradeoff, k, alpha=alpha)
    if baselines is None:
        baselines = {**BASELINES, PENALTY: lambda *_: ask(solver, with_penalty).best}
    subsets = {OURS: solutions.best}
    subsets |= {
        name: _subset(name, baseline(tradeoff, k), tradeoff, k) for name, baseline in baselines.items()
    }
    pairs = tradeoff.size * (tradeoff.size - 1)
    return Comparison(
        rows=tuple(row_of(name, x, solutions.best, tradeoff, qubo) for name, x in subsets.items()),
        alpha=alpha,
        gap=solutions.gap,
        mean_redundancy=float(tradeoff.redundancy.sum()) / pairs if pairs else 0.0,
        bits=dynamic_range(qubo),
        penalised_bits=dynamic_range(with_penalty),
        names=labels,
    )


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


def _names(names: Sequence[str] | None, n: int) -> tuple[str, ...] | None:
    if names is None:
        return None
    labels = tuple(map(str, names))
    if isinstance(names, str) or len(labels) != n:
        raise ValueError(f"names must be {n}, one for each feature, got {names!r}.")
    return labels


def _subset(name: str, found: object, tradeoff: Tradeoff, k: int) -> Bits:
    """Return what a baseline found as bits, or say in words that they are not k features."""
    x = np.asarray(found)
    if x.shape != (tradeoff.size,):
        raise ValueError(
            f"baseline {name!r} must return {tradeoff.size} bits, one for each feature, got shape {x.shape}. "
            f"From indices: x = np.zeros({tradeoff.size}, bool); x[indices] = True."
        )
    if not np.isin(x, (0, 1)).all():
        raise ValueError(
            f"baseline {name!r} must return only 0 and 1, got {x[~np.isin(x, (0, 1))][0].item()!r}."
        )
    bits = np.array(x, np.bool_)
    if bits.sum() != k:
        raise ValueError(f"baseline {name!r} must return exactly {k} features, got {bits.sum()}.")
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
