"""Dimod: any sampler of D-Wave's Ocean, local, hybrid or quantum. A QUBO flows in, its reads flow out.

Bits are the integers 0 to n - 1. Energies are computed here from the bits that came back, since some samplers report
those of something else, and what was sent is checked beforehand, since a mistake costs minutes of a quantum computer.
"""

import difflib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from ..errors import check_fields, optional
from ..qubo import QUBO
from ..solutions import Solutions
from .embedding import Embedding, check_sampler, connected, embed, name_of, needs_embedding
from .recorded import with_chain_breaks


def quadratic_model(qubo: QUBO) -> Any:
    """Return a QUBO as dimod's binary quadratic model; couplings that are zero are left out."""
    dimod = optional("dimod", "dwave", "quantum.Dimod")
    model = dimod.BinaryQuadraticModel(dimod.BINARY)
    model.add_linear_from(enumerate(qubo.linear.tolist()))
    i, j = np.nonzero(np.triu(qubo.couplings))
    model.add_quadratic_from(zip(i.tolist(), j.tolist(), qubo.couplings[i, j].tolist(), strict=True))
    return model


def qbsolv(size: int = 50, *, rounds: int = 3, timeout: int = 20) -> Any:
    """Return a sampler with the loop of qbsolv, which is no longer maintained: tabu search of some bits, then of all.

    Parameters
    ----------
    size : int
        Bits of a subproblem.
    rounds : int
        End after so many rounds that did not lower the energy.
    timeout : int
        Milliseconds of each tabu search. Results depend on the machine.
    """
    hybrid = optional("hybrid", "dwave-qpu", "solvers.dimod.qbsolv")
    # A subproblem is of other bits each time, and would be started from solutions of those before.
    forget = hybrid.Lambda(lambda _, state: state.updated(subsamples=None))
    step = (
        forget
        | hybrid.EnergyImpactDecomposer(size=size)
        | hybrid.TabuSubproblemSampler(timeout=timeout)
        | hybrid.SplatComposer()
        | hybrid.TabuProblemSampler(timeout=timeout)
    )
    return hybrid.HybridSampler(hybrid.LoopUntilNoImprovement(step, convergence=rounds))


@dataclass(frozen=True, init=False, repr=False)
class Dimod:
    """Any dimod sampler as a solver.

    ``Dimod(DWaveSampler)`` embeds each QUBO on the chip by `embed`, ``Dimod(EmbeddingComposite(DWaveSampler()))`` as
    that does. `fixed` keeps one embedding for all alphas.

    Parameters
    ----------
    sampler : sampler, or callable that makes one
        A dimod sampler, or a class or function that makes one without arguments. With the latter the solver can be
        pickled, and a sampler of a chip is opened only when it is needed, and closed again after each call.
    num_reads : int, optional
        Solutions asked for, where the sampler takes a number. None leaves it to the sampler.
    label : str, optional
        Name of the problem in D-Wave's dashboard, by default ``"quboselect n=34"`` or the like.
    embedding : mapping, optional
        Chain of qubits of each bit, see `embed`.
    calls : int or None
        How often a fit may ask it, see `quboselect.search.devices`. None leaves it uncounted.
    parameters : mapping, optional
        What else the sampler takes; further keywords are added to it. A name the sampler does not know is an error
        before anything is sent.

    Examples
    --------
    >>> from functools import partial
    >>> Dimod(partial(qbsolv, size=20), num_reads=None)
    Dimod(qbsolv(size=20), num_reads=None)
    """

    sampler: Any
    num_reads: int | None
    label: str | None
    embedding: Embedding | None = field(hash=False)
    parameters: Mapping[str, Any] = field(hash=False)
    calls: int | None = 1

    def __init__(
        self,
        sampler: Any,
        num_reads: int | None = 1024,
        *,
        label: str | None = None,
        embedding: Embedding | None = None,
        calls: int | None = 1,
        parameters: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> None:
        chains = None if embedding is None else {bit: tuple(chain) for bit, chain in embedding.items()}
        strange = [bit for bit in chains or () if not isinstance(bit, int | np.integer)]
        if strange:
            raise TypeError(
                f"embedding must have a chain for each bit, and bits are integers, got {strange[0]!r}; JSON makes "
                f"strings of them: write {{int(bit): chain for bit, chain in embedding.items()}}."
            )
        values = {
            "sampler": sampler,
            "num_reads": num_reads,
            "label": label,
            "embedding": None if chains is None else MappingProxyType(chains),
            "parameters": MappingProxyType({**(parameters or {}), **more}),
            "calls": calls,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        check_fields(self, none=True, num_reads=1, calls=1)
        check_sampler(sampler)

    def __repr__(self) -> str:
        said = {
            "num_reads": self.num_reads,
            **({"label": self.label} if self.label else {}),
            **self.parameters,
        }
        chains = [] if self.embedding is None else [f"embedding=<{len(self.embedding)} chains>"]
        words = [name_of(self.sampler), *(f"{name}={value!r}" for name, value in said.items()), *chains]
        return f"Dimod({', '.join(words)})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Read-only mappings cannot be pickled.
        chains = None if self.embedding is None else dict(self.embedding)
        made = partial(
            Dimod, label=self.label, embedding=chains, calls=self.calls, parameters=dict(self.parameters)
        )
        return made, (self.sampler, self.num_reads)

    def __deepcopy__(self, memo: Any) -> Self:
        # Nothing here changes, and a connection to a chip cannot be copied: scikit-learn's clone shares it.
        return self

    def fixed(self, qubo: QUBO, *, seed: int = 0, tries: int = 3, timeout: int = 60) -> Self:
        """Return the solver with an embedding for all QUBOs whose couplings are zero where those of this one are.

        Along alpha they all are, but at 1, where none is left and any embedding will do. Parameters are those of
        `embed`.
        """
        chains = embed(self.sampler, qubo, seed=seed, tries=tries, timeout=timeout)
        if not chains:
            raise ValueError(
                f"no embedding found for {qubo!r}: the chip has too few qubits or couplers. Take fewer features, "
                f"drop the weakest couplings (quboselect.quantum.chip.reduce), or use a hybrid or a local sampler."
            )
        return replace(self, embedding=chains)

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return all reads; nothing is proven. What the sampler says of itself stands in ``info``."""
        if not qubo.size:
            return Solutions.of(qubo, np.zeros((1, 0)), info={"sampler": name_of(self.sampler)})
        model = quadratic_model(qubo)
        with connected(self.sampler) as made:
            sampler = self._embedded(made, qubo)
            answer = sampler.sample(model, **self._sent(sampler, qubo))
            # Before the connection is closed: an answer may still be on its way.
            return read_answer(answer, qubo, name_of(sampler))

    def _embedded(self, sampler: Any, qubo: QUBO) -> Any:
        """Return the sampler within what embeds, where it needs to be."""
        if self.embedding is None:
            if not needs_embedding(sampler):
                return sampler
            return replace(self, sampler=sampler).fixed(qubo)._embedded(sampler, qubo)
        system = optional("dwave.system", "dwave-qpu", "quantum.Dimod on a chip")
        if set(self.embedding) != set(range(qubo.size)):
            raise ValueError(
                f"embedding must have a chain for each of {qubo.size} bits, got {len(self.embedding)} chains; "
                f"embed anew with fixed(qubo)."
            )
        while isinstance(sampler, system.EmbeddingComposite):
            sampler = sampler.child
        fixed = system.FixedEmbeddingComposite(sampler, dict(self.embedding))
        for i, j in np.argwhere(np.triu(qubo.couplings)).tolist():
            if j not in fixed.adjacency[i]:
                raise ValueError(
                    f"embedding has no coupler between the chains of bits {i} and {j}, which have a coupling: it was "
                    f"made for a QUBO without it. Embed anew with fixed(qubo)."
                )
        return fixed

    def _sent(self, sampler: Any, qubo: QUBO) -> dict[str, Any]:
        """Return what goes with the problem, or say which parameter the sampler does not take."""
        taken = _taken(sampler)
        unknown = [] if taken is None else [name for name in self.parameters if name not in taken]
        if unknown:
            near = difflib.get_close_matches(unknown[0], sorted(taken or ()), 1)
            raise ValueError(
                f"{name_of(sampler)} does not take {unknown[0]!r}"
                + (f"; did you mean {near[0]!r}?" if near else ".")
                + f" It takes: {', '.join(sorted(taken or ())) or 'nothing'}. Nothing was sent."
            )
        label = self.label or f"quboselect n={qubo.size}"
        ours = {"num_reads": self.num_reads, "label": label, "return_embedding": True}
        kept = {name: ours[name] for name in ours if taken is not None and name in taken}
        if taken is None:
            kept = {"num_reads": self.num_reads}
        return {**{name: value for name, value in kept.items() if value is not None}, **self.parameters}


def _taken(sampler: Any) -> set[str] | None:
    """Return the names a sampler takes, None where it takes any."""
    parameters = getattr(sampler, "parameters", None)
    if parameters is not None:
        return set(parameters)
    signature = inspect.signature(sampler.sample).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in signature):
        return None
    return {each.name for each in signature}


def read_answer(answer: Any, qubo: QUBO, name: str = "the sampler") -> Solutions:
    """Return a dimod sample set as solutions of a QUBO, each as often as it occurred."""
    answer = answer.change_vartype("BINARY", inplace=False)
    if set(answer.variables) != set(range(qubo.size)):
        raise ValueError(
            f"{name} must answer with bits 0 to {qubo.size - 1}, got {list(answer.variables)[:8]}."
        )
    # Some samplers list what they did not see.
    record = answer.record[answer.record.num_occurrences != 0]
    if not len(record):
        raise ValueError(f"{name} answered without a sample.")
    x = record.sample[:, [answer.variables.index(bit) for bit in range(qubo.size)]] > 0
    count = record.num_occurrences.astype(np.int64)
    info = {"sampler": name, **answer.info, "reads": int(count.sum())}
    solutions = Solutions.of(qubo, x, count=count, info=info)
    if "chain_break_fraction" not in record.dtype.names:
        return solutions
    return with_chain_breaks(solutions, x, record.chain_break_fraction, count)
