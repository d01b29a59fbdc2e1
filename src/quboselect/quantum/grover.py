"""The index of the largest of some values, by Grover's algorithm; a search, and not a solver of QUBOs.

Dürr and Høyer (1996, arXiv:quant-ph/9607014) hold the best index so far and look for one with a larger value by the
search of Boyer, Brassard, Høyer and Tapp (1996, arXiv:quant-ph/9605034) for an unknown number of marked indices: a
random number of Grover's iterations below m, a measurement, and a larger m where that showed none.

The oracle marks the indices whose values are larger. Here it is made from the values, so all of them are known
beforehand, and nothing is saved: what a machine with an oracle of its own would need is counted, not gained.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import check_integer
from ..qubo import Bits, Vector, frozen
from .circuits.ansatz import Gate
from .circuits.backends import Backend, Statevector
from .circuits.loop import check_part

# Boyer et al. take this one, and prove it for all between 1 and 4/3.
GROWTH = 6 / 5
RIGHT = 0.5 * np.pi
IDEAL = Statevector()


@dataclass(frozen=True)
class Maximum:
    """What `maximum_search` found.

    Parameters
    ----------
    index : int
        Where the largest value is, if the search was right.
    calls : int
        Oracle calls, one for each of Grover's iterations. All that are allowed are made: nothing tells the end.
    checks : int
        Values that were looked at one by one: the first, and that of every index that was measured. Each is as dear as
        a call; the published bound leaves them out, as they are few where N is large.
    found_after : int
        Calls and checks after which the index was held; only who knows the maximum could have stopped there.
    probability : float
        That it is right, at least, on a machine without noise: what is proven, and 0 where nothing is.
    """

    index: int
    calls: int
    checks: int
    found_after: int
    probability: float


def published_limit(qubits: int) -> float:
    """Return the time-out of Dürr and Høyer, ``22.5 sqrt(N) + 1.4 lg(N)**2`` for N = 2**qubits.

    It is twice the time that they expect the maximum to take at most, so that by Markov's inequality it is found with
    a probability of at least 1/2, and of 1 - 2**-c in c times as long. Their time has lg N steps for each new
    threshold beside the iterations. These are no oracle calls, and the search here stops no earlier than theirs.

    Examples
    --------
    >>> [round(published_limit(qubits)) for qubits in (4, 6, 10)]
    [112, 230, 860]
    """
    return float(22.5 * 2.0 ** (0.5 * qubits) + 1.4 * qubits**2)


def maximum_search(
    values: npt.ArrayLike,
    *,
    rounds: int = 1,
    limit: int | None = None,
    backend: Backend = IDEAL,
    seed: int = 0,
) -> Maximum:
    """Return the index of the largest of some values, probably, and what it took to find it.

    Parameters
    ----------
    values : array of shape (n,)
        They take the lowest of 2**q indices, q being as small as can be; the others are never marked.
    rounds : int
        How many times the published number of oracle calls; it is right with a probability of 1 - 2**-rounds or more.
    limit : int, optional
        Most calls and checks together. Nothing is proven of a search that is cut short.
    backend : callable
        What runs the circuits: `circuits.Statevector`, or one of `circuits.qiskit`.
    seed : int
        Seed of the first index, the numbers of iterations, and the measurements.

    Examples
    --------
    >>> maximum_search([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0])
    Maximum(index=5, calls=76, checks=70, found_after=4, probability=0.5)
    """
    table = frozen(values, "values", 1)
    if not table.size:
        raise ValueError("values must be one number or more, got none.")
    check_integer(rounds, "rounds", 1)
    most = np.inf if limit is None else check_integer(limit, "limit", 1)
    check_integer(seed, "seed", 0)
    check_part(backend, "backend", "ansatz, shots, seed")
    qubits = (table.size - 1).bit_length()
    if not qubits:
        return Maximum(0, 0, 1, 1, 1.0)
    timeout = int(rounds * published_limit(qubits))
    rng = np.random.default_rng(seed)
    best = int(rng.integers(table.size))
    calls, checks, found_after, below = 0, 1, 1, 1.0
    marked = np.zeros(1 << qubits, np.bool_)
    while calls < timeout and calls + checks < most:
        # The last one is cut short, and measured all the same.
        iterations = int(min(rng.integers(np.ceil(below)), timeout - calls, most - calls - checks - 1))
        marked[: table.size] = table > table[best]
        run = backend(Amplification(marked, iterations), 1, int(rng.integers(2**31)))
        # A sampler may measure more often than it was asked to: the first one counts.
        index = int(run([np.zeros(0)])[0][0] @ (1 << np.arange(qubits)))
        calls, checks = calls + iterations, checks + 1
        below = min(GROWTH * below, 2.0 ** (0.5 * qubits))
        if marked[index]:
            best, found_after, below = index, calls + checks, 1.0
    return Maximum(best, calls, checks, found_after, 1.0 - 0.5**rounds if calls == timeout else 0.0)


@dataclass(frozen=True, eq=False)
class Amplification:
    """Grover's iterations as a circuit without parameters: marked indices change sign, then all turn about their mean.

    Parameters
    ----------
    marked : bool array of shape (2**n,)
    iterations : int
    """

    marked: Bits
    iterations: int

    @property
    def size(self) -> int:
        """Number of qubits, n."""
        return self.marked.size.bit_length() - 1

    @property
    def parameters(self) -> int:
        """Number of parameters: none."""
        return 0

    def state(self, parameters: Vector, /) -> tuple[Vector, Vector]:  # noqa: ARG002
        """Return the real and the imaginary parts of the 2**n amplitudes."""
        signs = np.where(self.marked, -1.0, 1.0)
        state = np.full(signs.size, signs.size**-0.5)
        for _ in range(self.iterations):
            state *= signs
            state = 2.0 / signs.size * state.sum() - state
        return state, np.zeros(signs.size)

    def gates(self) -> Iterator[Gate]:
        """Yield the gates, the first one first; the state is that of `state` but for its phase."""
        zero = np.arange(self.marked.size) == 0
        yield from self._turn_all(RIGHT)
        for _ in range(self.iterations):
            yield from flip_gates(self.marked)
            yield from self._turn_all(-RIGHT)
            yield from flip_gates(zero)
            yield from self._turn_all(RIGHT)

    def _turn_all(self, angle: float) -> Iterator[Gate]:
        for i in range(self.size):
            yield Gate("ry", (i,), angle)


def flip_gates(marked: Bits) -> Iterator[Gate]:
    """Yield the gates that change the signs of marked amplitudes, but for a phase of all: 2**n turns about Z.

    A sign is a phase of 0 or pi, and a phase that depends on the index is a sum over the parities of subsets of its
    bits (a Walsh transform). Each is turned on the highest qubit of its subset, to which the others are added by
    controlled X, one after the other in the order of a Gray code.
    """
    angles = -2.0 * np.pi * marked.astype(np.float64)
    size = marked.size.bit_length() - 1
    for i in range(size):
        pairs = angles.reshape(-1, 2, 1 << i)
        angles = np.stack([pairs.sum(axis=1), pairs[:, 0] - pairs[:, 1]], axis=1).ravel() / 2.0
    for target in range(size):
        parity = 1 << target
        for step in range(1, parity + 1):
            yield Gate("rz", (target,), float(angles[parity]))
            if target:
                other = min((step & -step).bit_length(), target) - 1
                parity ^= 1 << other
                yield Gate("ry", (target,), -RIGHT)
                yield Gate("cz", (other, target))
                yield Gate("ry", (target,), RIGHT)
