"""Conformance kits: certify your own measure or solver as the library's own are.

Each kit calls a plug-in on many inputs and raises an `AssertionError` that says what it did wrong, and on which input.
`verify` does the same for a proof: it checks the certificate that came with some solutions, with code of its own.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from .proof import verify
from .protocols import Importance, Redundancy, Solver, takes
from .qubo import QUBO, Matrix, Solutions, Vector
from .solvers import Exhaustive
from .tradeoff import Tradeoff

__all__ = ["check_importance", "check_redundancy", "check_solver", "small_qubos", "verify"]


def _require(condition: Any, words: str) -> None:
    # Not an assert statement, which python -O leaves out.
    if not condition:
        raise AssertionError(words)


def _tables(seed: int) -> Iterator[tuple[str, Matrix, Any]]:
    """Yield small tables with labels: continuous, with few distinct values, shifted, with a repeated feature."""
    rng = np.random.default_rng(seed)
    for samples, n in ((40, 1), (60, 3), (200, 6)):
        y = rng.integers(0, 3, samples)
        X = rng.normal(size=(samples, n)) + 0.7 * y[:, None] * rng.random(n)
        shape = f"a table of {samples} samples and {n} features"
        yield shape, X, y
        yield f"{shape}, rounded", np.round(X), y
        yield f"{shape}, shifted below zero, in Fortran order", np.asfortranarray(X - 9.0), y
        yield f"{shape} and its first one again", np.column_stack([X, X[:, 0]]), y


def _same(first: Any, second: Any) -> bool:
    return bool(np.allclose(first, second, rtol=1e-9, atol=1e-12))


def check_importance(importance: Importance, *, seed: int = 0) -> None:
    """Raise unless a measure fits `protocols.Importance`.

    It must return one finite, non-negative number per feature (or a tuple that starts with them), the same on
    every call and for every order of the features, and leave its input as it was.

    Examples
    --------
    >>> from quboselect.importance import MutualInformation
    >>> check_importance(MutualInformation())
    """
    rng = np.random.default_rng(seed)
    for on, X, y in _tables(seed):
        kept, order, n = X.copy(), rng.permutation(X.shape[1]), X.shape[1]

        def call(table: Matrix, y: Any = y) -> Vector:
            result: Any = importance(table, y)
            return np.asarray(result[0] if isinstance(result, tuple) else result)

        scores = call(X)
        _require(scores.shape == (n,), f"importance must have shape ({n},), got {scores.shape} on {on}.")
        _require(np.isfinite(scores).all(), f"importance must be finite, got {scores} on {on}.")
        _require((scores >= 0).all(), f"importance must not be negative, got {scores.min()} on {on}.")
        _require(
            np.array_equal(X, kept), f"importance must not change the table it is given; it did on {on}."
        )
        _require(_same(call(X), scores), f"importance must be the same on every call; it was not on {on}.")
        moved = call(X[:, order])
        _require(_same(moved, scores[order]), f"importance must follow the order of the features on {on}.")


def check_redundancy(redundancy: Redundancy, *, seed: int = 0) -> None:
    """Raise unless a measure fits `protocols.Redundancy`.

    It must return a finite, non-negative, symmetric matrix with a zero diagonal, the same on every call and
    for every order of the features, and leave its input as it was.

    Examples
    --------
    >>> from quboselect.redundancy import MutualInformation
    >>> check_redundancy(MutualInformation())
    """
    rng = np.random.default_rng(seed)
    for on, X, _ in _tables(seed):
        kept, order, n = X.copy(), rng.permutation(X.shape[1]), X.shape[1]
        pairs = np.asarray(redundancy(X))
        _require(pairs.shape == (n, n), f"redundancy must have shape ({n}, {n}), got {pairs.shape} on {on}.")
        _require(np.isfinite(pairs).all(), f"redundancy must be finite on {on}.")
        _require((pairs >= 0).all(), f"redundancy must not be negative, got {pairs.min()} on {on}.")
        _require(_same(pairs, pairs.T), f"redundancy must be symmetric on {on}.")
        _require(not np.diagonal(pairs).any(), f"redundancy must have a zero diagonal on {on}.")
        _require(
            np.array_equal(X, kept), f"redundancy must not change the table it is given; it did on {on}."
        )
        _require(
            _same(redundancy(X), pairs), f"redundancy must be the same on every call; it was not on {on}."
        )
        moved = np.asarray(redundancy(X[:, order]))
        follows = _same(moved, pairs[np.ix_(order, order)])
        _require(follows, f"redundancy must follow the order of the features on {on}.")


def small_qubos(seed: int, *, trials: int = 24, largest: int = 9) -> Iterator[QUBO]:
    """Yield QUBOs that enumeration can check: dense, sparse, with ties, twins, zero rows, negative couplings.

    Examples
    --------
    >>> [qubo.size for qubo in small_qubos(0, trials=3)]
    [1, 2, 3]
    """
    rng = np.random.default_rng(seed)
    for trial in range(trials):
        n = 1 + trial % largest
        linear, couplings = rng.random(n), np.triu(rng.random((n, n)), 1)
        if trial % 4 == 1:
            couplings *= rng.random((n, n)) < 0.3
        if trial % 4 == 2:
            linear, couplings = np.round(3 * linear), np.round(2 * couplings)
        couplings = couplings + couplings.T
        if trial % 4 == 3 and n > 2:
            linear[1], couplings[1], couplings[:, 1] = linear[0], couplings[0], couplings[:, 0]
            linear[-1], couplings[-1], couplings[:, -1] = 0.0, 0.0, 0.0
            np.fill_diagonal(couplings, 0.0)
        if trial % 6 == 5:
            yield QUBO(linear - 0.5, couplings - 0.5 * (couplings > 0))
        else:
            yield Tradeoff(linear, couplings).at(float(rng.uniform(0.2, 0.9)))


def check_solver(solver: Solver, *, success: float = 0.0, repeatable: bool = True, seed: int = 0) -> None:
    """Raise unless a solver fits `protocols.Solver`.

    Its solutions must be distinct, best first, with their true energies and a bound that no bit vector is below;
    with a field ``k``, all of exactly k ones when asked for it. A message names the problem by its place in
    ``small_qubos(seed)``.

    Parameters
    ----------
    solver : Solver
    success : float
        The share of small problems of which it must find the optimum: 1 for an exact solver.
    repeatable : bool
        Whether two calls must return the same. Not so for hardware.
    seed : int
        Of the problems.

    Examples
    --------
    >>> from quboselect.solvers import BranchAndBound
    >>> check_solver(BranchAndBound(), success=1.0)
    """
    if not 0.0 <= success <= 1.0:
        raise ValueError(f"success must be a share from 0 to 1, got {success!r}.")
    hits = []
    for place, qubo in enumerate(small_qubos(seed)):
        sizes = [None, 0, qubo.size // 2, qubo.size] if takes(solver, "k") else [None]
        for k in dict.fromkeys(sizes):
            asked: Any = solver if k is None else dataclasses.replace(solver, k=k)  # type: ignore[type-var]
            solutions = asked(qubo)
            minimum = float(Exhaustive(k=k, n_jobs=1)(qubo).energy[0])
            on = f"on problem {place} of seed {seed}, {qubo!r}" + ("" if k is None else f" with k = {k}")
            _check_solutions(solutions, qubo, minimum, k, on)
            if repeatable:
                again = asked(qubo)
                same = np.array_equal(again.x, solutions.x) and np.array_equal(again.count, solutions.count)
                _require(same, f"a solver must return the same on every call; it did not {on}.")
            hits.append(bool(solutions.energy[0] <= minimum + qubo.tolerance))
    share = float(np.mean(hits))
    _require(share >= success, f"a solver must find at least {success:.0%} of the optima, got {share:.0%}.")


def _check_solutions(solutions: Any, qubo: QUBO, minimum: float, k: int | None, on: str) -> None:
    _require(
        isinstance(solutions, Solutions),
        f"a solver must return Solutions, got {type(solutions).__name__} {on}.",
    )
    bits = solutions.x.shape[1]
    _require(bits == qubo.size, f"x must have {qubo.size} bits, got {bits} {on}.")
    _require(len(np.unique(solutions.x, axis=0)) == len(solutions), f"solutions must be distinct {on}.")
    _require((solutions.count > 0).all(), f"counts must be positive {on}.")
    energy = np.asarray(qubo.energy(solutions.x))
    true = np.allclose(solutions.energy, energy, rtol=1e-9, atol=qubo.tolerance)
    _require(true, f"energies must be true {on}.")
    _require((np.diff(energy) >= -2 * qubo.tolerance).all(), f"solutions must come best first {on}.")
    _require(
        solutions.bound <= minimum + qubo.tolerance,
        f"bound must be at most the minimum {minimum:g}, got {solutions.bound:g} {on}.",
    )
    if k is not None:
        sizes = solutions.x.sum(axis=1)
        _require((sizes == k).all(), f"solutions must have exactly {k} ones, got {sizes.tolist()} {on}.")
