"""Embedding: the bits of a QUBO on the qubits of a chip. A sampler or its graph flows in, chains of qubits flow out.

A chip couples each qubit to few others, so a bit becomes a chain of qubits that are told to agree, and bits with a
coupling need chains that touch. `quantum.Dimod` and `quboselect.quantum.chip` stand on this.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from ..errors import optional
from ..qubo import QUBO

Embedding = Mapping[int, Sequence[int]]

# Above this share of non-zero couplings and this many bits, a search takes seconds to minutes, and hardly fewer qubits
# than a clique, which takes no time. Where there is no room for a clique it still pays for some bits more.
DENSE, FEW, SOME = 0.5, 24, 64
NO_ACCESS = (
    "D-Wave lets nobody in without a token. Get one at cloud.dwavesys.com/leap, then run `dwave setup` or set the "
    "environment variable DWAVE_API_TOKEN; or take a sampler that runs here, such as "
    "quantum.Dimod(dwave.samplers.SimulatedAnnealingSampler)."
)


def name_of(sampler: Any) -> str:
    """Return a sampler, or what makes one, in words."""
    if isinstance(sampler, partial):
        given = [repr(each) for each in sampler.args] + [f"{k}={v!r}" for k, v in sampler.keywords.items()]
        return f"{name_of(sampler.func)}({', '.join(given)})"
    inner = (
        [name_of(each) for each in getattr(sampler, "children", None) or ()]
        if not isinstance(sampler, type)
        else []
    )
    name = getattr(sampler, "__name__", None) or type(sampler).__name__
    return f"{name}({', '.join(inner)})" if inner else str(name)


def check_sampler(sampler: Any) -> None:
    """Raise unless this is a sampler, or something that may make one."""
    if not (hasattr(sampler, "sample") or (callable(sampler) and not isinstance(sampler, type))):
        raise TypeError(
            f"sampler must be a dimod sampler, which has a method sample, or a class or function that makes one "
            f"without arguments; got {sampler!r}."
        )


def opened(sampler: Any) -> Any:
    """Return a sampler from itself or from what makes one."""
    check_sampler(sampler)
    if not isinstance(sampler, type) and hasattr(sampler, "sample"):
        return sampler
    try:
        made = sampler()
    except Exception as error:
        refused = "Authentication" in type(error).__name__
        if refused or (isinstance(error, ValueError) and "token" in str(error).lower()):
            raise PermissionError(f"{NO_ACCESS} It said: {error}.") from error
        raise
    if not hasattr(made, "sample"):
        raise TypeError(f"sampler must make a dimod sampler, which has a method sample; it made {made!r}.")
    return made


@contextmanager
def connected(sampler: Any) -> Iterator[Any]:
    """Open a sampler for a while: what is made for it is closed in the end, what was open stays so."""
    made = opened(sampler)
    try:
        yield made
    finally:
        if made is not sampler and hasattr(made, "close"):
            made.close()


def needs_embedding(sampler: Any) -> bool:
    """Return whether a sampler, or one within it, takes only the couplings of a chip, and nothing in it embeds."""
    dimod = optional("dimod", "dwave", "quantum.Dimod")
    # By name: who embeds with one of these has dwave.system, and nobody else needs it to be told so.
    while all(each.__name__ != "EmbeddingComposite" for each in type(sampler).__mro__):
        if isinstance(sampler, dimod.Structured):
            return True
        if not isinstance(sampler, dimod.Composite) or not sampler.children:
            return False
        sampler = sampler.children[0]
    return False


def target_graph(target: Any) -> Any:
    """Return the graph of qubits and couplers of a sampler, of what makes one, or the graph itself."""
    if hasattr(target, "edges") and not hasattr(target, "sample"):
        return target
    dimod = optional("dimod", "dwave", "quantum.Dimod")
    with connected(target) as chip:
        name = name_of(chip)
        while not hasattr(chip, "to_networkx_graph") and getattr(chip, "children", None):
            chip = chip.children[0]
        if not isinstance(chip, dimod.Structured):
            raise ValueError(f"{name} has no graph of qubits: any QUBO fits it, and none needs embedding.")
        return chip.to_networkx_graph()


def embed(
    target: Any, qubo: QUBO, *, seed: int = 0, tries: int = 3, timeout: int = 60
) -> dict[int, tuple[int, ...]]:
    """Return a chain of qubits for each bit, {} if none is found. Chains of bits with a coupling have a coupler.

    A large QUBO of which most couplings are not zero is embedded as a clique, and refused at once if it is very large
    and no clique has room. Others are searched for, and embedded as a clique if that takes no more qubits.

    Parameters
    ----------
    target : sampler, factory of one, or graph
        Of the qubits and couplers of a chip.
    qubo : QUBO
        Only which of its couplings are not zero counts, so an embedding serves every alpha.
    seed : int
        Of the search.
    tries : int
        Of the search.
    timeout : int
        Seconds after which the search gives up. Effort is counted elsewhere in this library, but minorminer knows
        nothing but time: what it finds in less does not depend on the machine.
    """
    minorminer = optional("minorminer", "dwave-qpu", "solvers.dimod.embed")
    graph = target_graph(target)
    i, j = np.nonzero(np.triu(qubo.couplings))
    clique = clique_embedding(graph, qubo.size)
    dense = i.size > DENSE * qubo.size * (qubo.size - 1) / 2
    if dense and qubo.size > (FEW if clique else SOME):
        return clique
    # A bit without couplings needs a qubit too, and a loop says so.
    edges = [*zip(i.tolist(), j.tolist(), strict=True), *((bit, bit) for bit in range(qubo.size))]
    found = minorminer.find_embedding(
        edges, list(graph.edges), random_seed=seed, tries=tries, timeout=timeout
    )
    if not found or (clique and _qubits(clique) <= _qubits(found)):
        return clique
    return {bit: tuple(found[bit]) for bit in range(qubo.size)}


def _qubits(embedding: Embedding) -> int:
    return sum(len(chain) for chain in embedding.values())


def clique_embedding(graph: Any, size: int) -> dict[int, tuple[int, ...]]:
    """Return chains of which each two have a coupler; {} where the graph has no room or is none of D-Wave's."""
    busclique = optional("minorminer.busclique", "dwave-qpu", "solvers.dimod.embed")
    if graph.graph.get("family") not in ("chimera", "pegasus", "zephyr"):
        return {}
    return dict(busclique.find_clique_embedding(size, graph, use_cache=False))
