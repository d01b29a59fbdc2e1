"""Dimod: any sampler of D-Wave's Ocean as a solver, whether it runs here, in the cloud or on a quantum computer.

Bits are the integers 0 to n - 1. Energies are computed here from the bits that come back, because some samplers report
the energies of another model. Parameters are checked before anything is sent, because time on a machine costs money.

A chip couples each qubit to few others, so a problem must be embedded on it. The composites of dwave-system do that.
"""

import difflib
import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..errors import check_fields, optional
from ..qubo import QUBO, Bits, Solutions

NO_ACCESS = (
    "D-Wave's machines need a token. Get one at cloud.dwavesys.com/leap, then run `dwave setup` or set the environment "
    "variable DWAVE_API_TOKEN; or use a sampler that runs here, such as "
    "quantum.Dimod(dwave.samplers.SimulatedAnnealingSampler)."
)

# What dimod and minorminer raise if a problem does not fit a chip or a fixed embedding.
UNFIT = {"BinaryQuadraticModelStructureError", "MissingChainError", "MissingEdgeError"}
EMBED = (
    "A chip needs a composite that embeds, such as dwave.system.LazyFixedEmbeddingComposite(sampler); one that keeps "
    "the chains of another problem must be made anew."
)
TOO_LARGE = "Use fewer features, or a hybrid or local sampler."


def dimod_library(user: str = "quantum.Dimod") -> Any:
    """Return dimod, or say who needs it and how to install it."""
    return optional("dimod", "dwave", user)


def local_sampler(name: str, user: str) -> Any:
    """Return a sampler of dwave-samplers, which runs on this machine, by the name of its class."""
    return getattr(optional("dwave.samplers", "dwave", user), name)


def quadratic_model(qubo: QUBO) -> Any:
    """Return a QUBO as dimod's binary quadratic model; couplings that are zero are left out."""
    dimod = dimod_library()
    model = dimod.BinaryQuadraticModel(dimod.BINARY)
    model.add_linear_from(enumerate(qubo.linear.tolist()))
    i, j = np.nonzero(np.triu(qubo.couplings))
    model.add_quadratic_from(zip(i.tolist(), j.tolist(), qubo.couplings[i, j].tolist(), strict=True))
    return model


@dataclass(frozen=True, init=False, repr=False)
class Dimod:
    """Any dimod sampler as a solver.

    A chip needs a composite of dwave-system that embeds the problem:

    - ``Dimod(LazyFixedEmbeddingComposite(DWaveSampler()))`` embeds the first QUBO, and keeps the chains for the next
      ones: along alpha, all QUBOs of one table have the same couplings, but for alpha = 1, where they are zero.
    - ``Dimod(EmbeddingComposite(DWaveSampler()))`` embeds each QUBO anew.
    - ``Dimod(DWaveCliqueSampler)`` embeds a QUBO with all couplings, which R usually is, without a search.

    Parameters
    ----------
    sampler : sampler, or callable that makes one
        A dimod sampler, or a class or function that makes one without arguments. If it is a class or function, the
        solver can be pickled; each call makes a sampler, and closes it at the end.
    num_reads : int, optional
        Number of reads, where the sampler takes one. None leaves it to the sampler.
    label : str, optional
        Name of the problem in D-Wave's dashboard, by default ``"quboselect n=34"`` for 34 bits.
    calls : int or None
        How often a fit may ask it, see `quboselect.search.choice`. None sets no limit.
    parameters : mapping, optional
        Further parameters of the sampler; further keywords are added to it. An unknown name is an error before
        anything is sent.

    Examples
    --------
    >>> def annealer():
    ...     from dwave.samplers import SimulatedAnnealingSampler
    ...     return SimulatedAnnealingSampler()
    >>> Dimod(annealer, num_reads=100, seed=1)
    Dimod(annealer, num_reads=100, seed=1)
    """

    sampler: Any
    num_reads: int | None
    label: str | None
    parameters: Mapping[str, Any] = field(hash=False)
    calls: int | None = 1

    def __init__(
        self,
        sampler: Any,
        num_reads: int | None = 1024,
        *,
        label: str | None = None,
        calls: int | None = 1,
        parameters: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> None:
        values = {
            "sampler": sampler,
            "num_reads": num_reads,
            "label": label,
            "parameters": MappingProxyType({**(parameters or {}), **more}),
            "calls": calls,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        check_fields(self, none=True, num_reads=1, calls=1)
        if not hasattr(sampler, "sample") and (not callable(sampler) or isinstance(sampler, type)):
            raise TypeError(
                f"sampler must be a dimod sampler, which has a method sample, or a class or function that makes one "
                f"without arguments; got {sampler!r}."
            )

    def __repr__(self) -> str:
        label = {"label": self.label} if self.label else {}
        values = {"num_reads": self.num_reads, **label, **self.parameters}
        words = [sampler_name(self.sampler), *(f"{name}={value!r}" for name, value in values.items())]
        return f"Dimod({', '.join(words)})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Read-only mappings cannot be pickled.
        maker = partial(Dimod, label=self.label, calls=self.calls, parameters=dict(self.parameters))
        return maker, (self.sampler, self.num_reads)

    def __deepcopy__(self, memo: Any) -> Self:
        # Nothing here changes, and a connection to a chip cannot be copied: scikit-learn's clone shares it.
        return self

    def __call__(self, qubo: QUBO, /) -> Solutions:
        """Return all reads; nothing is proven. ``info`` holds what the sampler says about itself."""
        if not qubo.size:
            return Solutions.of(qubo, np.zeros((1, 0)), info={"sampler": sampler_name(self.sampler)})
        model = quadratic_model(qubo)
        with open_sampler(self.sampler) as sampler:
            name = sampler_name(sampler)
            try:
                answer = sampler.sample(model, **self._sample_arguments(sampler, qubo))
                # Before the connection is closed: an answer may still be on its way.
                return answer_solutions(answer, qubo, name)
            except Exception as error:
                # A bit without a chain may be named as one of the qubits in chains, which dimod cannot relabel.
                if type(error).__name__ in UNFIT or "relabel" in str(error):
                    raise ValueError(f"{name} has no chains or couplers for {qubo!r}. {EMBED}") from error
                if str(error) == "no embedding found":
                    raise ValueError(f"{name} found no embedding for {qubo!r}. {TOO_LARGE}") from error
                raise

    def _sample_arguments(self, sampler: Any, qubo: QUBO) -> dict[str, Any]:
        """Return what is sent with the problem, or raise if the sampler does not take one of the parameters."""
        known = _parameter_names(sampler)
        unknown = [] if known is None else [name for name in self.parameters if name not in known]
        if unknown:
            near = difflib.get_close_matches(unknown[0], sorted(known or ()), 1)
            raise ValueError(
                f"{sampler_name(sampler)} does not take {unknown[0]!r}"
                + (f"; did you mean {near[0]!r}?" if near else ".")
                + f" It takes: {', '.join(sorted(known or ())) or 'nothing'}. Nothing was sent."
            )
        label = self.label or f"quboselect n={qubo.size}"
        defaults = {"num_reads": self.num_reads, "label": label, "return_embedding": True}
        sent = ("num_reads",) if known is None else tuple(name for name in defaults if name in known)
        return {
            **{name: defaults[name] for name in sent if defaults[name] is not None},
            **self.parameters,
        }


def sampler_name(sampler: Any) -> str:
    """Return the name of a sampler, of its children, or of what makes one.

    Examples
    --------
    >>> sampler_name(partial(dict, size=20))
    'dict(size=20)'
    """
    if isinstance(sampler, partial):
        arguments = [repr(each) for each in sampler.args]
        arguments += [f"{name}={value!r}" for name, value in sampler.keywords.items()]
        return f"{sampler_name(sampler.func)}({', '.join(arguments)})"
    children = () if isinstance(sampler, type) else getattr(sampler, "children", None) or ()
    name = getattr(sampler, "__name__", None) or type(sampler).__name__
    return f"{name}({', '.join(map(sampler_name, children))})" if children else str(name)


@contextmanager
def open_sampler(sampler: Any) -> Iterator[Any]:
    """Yield a sampler, or the one that a class or function makes; only the latter is closed at the end."""
    if not isinstance(sampler, type) and hasattr(sampler, "sample"):
        yield sampler
        return
    try:
        made = sampler()
    except Exception as error:
        refused = "Authentication" in type(error).__name__
        if refused or (isinstance(error, ValueError) and "token" in str(error).lower()):
            raise PermissionError(f"{NO_ACCESS} It said: {error}.") from error
        raise
    if not hasattr(made, "sample"):
        raise TypeError(f"sampler must make a dimod sampler, which has a method sample; it made {made!r}.")
    try:
        yield made
    finally:
        if hasattr(made, "close"):
            made.close()


def _parameter_names(sampler: Any) -> set[str] | None:
    """Return the names of a sampler's parameters, None where it takes any."""
    parameters = getattr(sampler, "parameters", None)
    if parameters is not None:
        return set(parameters)
    signature = inspect.signature(sampler.sample).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in signature):
        return None
    return {each.name for each in signature}


def answer_solutions(answer: Any, qubo: QUBO, name: str = "the sampler") -> Solutions:
    """Return a dimod sample set as solutions of a QUBO, each as often as it occurred."""
    answer = answer.change_vartype("BINARY", inplace=False)
    if set(answer.variables) != set(range(qubo.size)):
        raise ValueError(
            f"{name} must answer with bits 0 to {qubo.size - 1}, got {list(answer.variables)[:8]}."
        )
    # Some samplers list rows that they never read.
    record = answer.record[answer.record.num_occurrences != 0]
    if not len(record):
        raise ValueError(f"{name} answered without a sample.")
    x = record.sample[:, [answer.variables.index(bit) for bit in range(qubo.size)]] > 0
    count = record.num_occurrences.astype(np.int64)
    info = {"sampler": name, **answer.info, "reads": int(count.sum())}
    solutions = Solutions.of(qubo, x, count=count, info=info)
    if "chain_break_fraction" not in record.dtype.names:
        return solutions
    return _with_chain_breaks(solutions, x, record.chain_break_fraction, count)


def _with_chain_breaks(
    solutions: Solutions, x: Bits, broken: npt.NDArray[np.float64], count: npt.NDArray[np.int64]
) -> Solutions:
    """Return solutions with the share of broken chains in their info.

    ``chain_breaks`` is the mean over all reads, ``chain_break_fraction`` has one number for each solution. The rows
    ``x`` are the reads, in any order and with repeats; ``broken`` and ``count`` have one number for each row.
    """
    position = {row.tobytes(): place for place, row in enumerate(np.packbits(solutions.x, axis=1))}
    place = np.array([position[row.tobytes()] for row in np.packbits(x, axis=1)])
    share = np.bincount(place, count * broken, minlength=len(solutions)) / solutions.count
    share.flags.writeable = False
    mean = float(np.average(broken, weights=count))
    return replace(solutions, info={**solutions.info, "chain_breaks": mean, "chain_break_fraction": share})
