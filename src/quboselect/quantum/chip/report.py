"""What a QUBO asks of a chip, before anything is sent. A QUBO and maybe a chip flow in, a report flows out."""

from dataclasses import dataclass, replace
from typing import Any

from ...qubo import QUBO
from ...search.baselines import dynamic_range
from ..embedding import DENSE, clique_embedding, embed, target_graph

# Without a chip to ask: bits that are all coupled fit the annealers of 2020 to 2025 up to about this number.
ROOM = 120
# Precision of the coefficients of such a chip, in bits; what they tell apart beyond it is lost in noise.
PRECISION = 5


@dataclass(frozen=True)
class ChipReport:
    """What a QUBO asks of a chip; ``print`` it.

    Parameters
    ----------
    size, interactions, degree : int
        Bits, couplings that are not zero, and the most of them that one bit has.
    density : float
        Couplings that are not zero, as a share of all pairs.
    dynamic_range : float
        Bits of precision that tell all coefficients apart.
    fits : bool or None
        Whether an embedding was found. Without a chip, whether one is likely; None where only a chip can tell.
    chip : int or None
        Qubits of the chip, None where none was given.
    largest_clique : int or None
        The most bits that this chip embeds when all are coupled, 0 where its graph is not one of D-Wave's.
    qubits, longest_chain : int or None
        Of the embedding, if there is one.
    """

    size: int
    interactions: int
    degree: int
    density: float
    dynamic_range: float
    fits: bool | None
    chip: int | None = None
    largest_clique: int | None = None
    qubits: int | None = None
    longest_chain: int | None = None

    def __str__(self) -> str:
        lines = [
            f"bits: {self.size}",
            f"couplings: {self.interactions} ({self.density:.0%} of all pairs), at most {self.degree} on one bit",
            f"dynamic range: {self.dynamic_range:.1f} bits"
            + (f", more than the {PRECISION} or so of a chip" if self.dynamic_range > PRECISION else ""),
        ]
        lines.append(f"fit: {self._fit()}")
        if self.largest_clique:
            lines.append(f"largest clique: {self.largest_clique} bits")
        return "\n".join(lines)

    def _fit(self) -> str:
        if self.fits is None:
            return "only a chip can tell"
        if self.chip is not None and self.fits:
            return f"{self.qubits} of {self.chip} qubits, the longest chain has {self.longest_chain}"
        if self.fits:
            return "likely"
        found = "unlikely" if self.chip is None else f"no embedding found on {self.chip} qubits"
        return f"{found}; settle bits and drop couplings with quboselect.quantum.chip.reduce"


def fit_report(qubo: QUBO, target: Any = None, *, seed: int = 0) -> ChipReport:
    """Return what a QUBO asks of a chip, before anything is sent.

    Parameters
    ----------
    qubo : QUBO
    target : sampler, factory of one, or graph, optional
        The chip. It is embedded on, which takes seconds, at most about a minute.
    seed : int
        Of the search for an embedding.

    Examples
    --------
    >>> print(fit_report(QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]])))
    bits: 2
    couplings: 1 (100% of all pairs), at most 1 on one bit
    dynamic range: 2.0 bits
    fit: likely
    """
    used = qubo.couplings != 0.0
    pairs, interactions = qubo.size * (qubo.size - 1) // 2, int(used.sum()) // 2
    report = ChipReport(
        size=qubo.size,
        interactions=interactions,
        degree=int(used.sum(axis=1).max(initial=0)),
        density=interactions / pairs if pairs else 0.0,
        dynamic_range=dynamic_range(qubo),
        fits=True if qubo.size <= ROOM else False if interactions > DENSE * pairs else None,
    )
    if target is None:
        return report
    graph = target_graph(target)
    lengths = [len(chain) for chain in embed(graph, qubo, seed=seed).values()]
    return replace(
        report,
        fits=bool(lengths),
        chip=len(graph),
        largest_clique=_largest_clique(graph),
        qubits=sum(lengths) if lengths else None,
        longest_chain=max(lengths) if lengths else None,
    )


def _largest_clique(graph: Any) -> int:
    low, high = 0, len(graph) + 1
    while high - low > 1:
        # Twice as many at first: large cliques take long to refuse.
        middle = min(2 * low + 1, (low + high) // 2)
        low, high = (middle, high) if clique_embedding(graph, middle) else (low, middle)
    return low
