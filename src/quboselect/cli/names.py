"""The names that people type for values of the library: solvers, kinds of target, kinds of feature.

Names exist only here. A name and its settings flow in, a solver flows out.
"""

from typing import Any

from .failures import Wrong

KINDS = ("number", "category", "text")
TARGETS = ("auto", "classes", "continuous")
QUBO_FORMATS = ("npz", "json", "bqm", "qubo")

# What each solver is, and which settings it has.
SOLVERS = {
    "portfolio": ("the default: search, then a proof", ("effort", "seed")),
    "branch": ("branch and bound with a combinatorial bound", ("effort",)),
    "exhaustive": ("every subset, up to 30 features", ()),
    "tabu": ("tabu search, no proof", ("seed",)),
    "anneal": ("simulated annealing, no proof", ("seed",)),
    "quantum-annealing": ("a simulated quantum annealer, up to some 20 features", ("seed",)),
    "qaoa": ("a simulated gate computer, up to some 20 features", ("seed",)),
    "vqe": ("a simulated gate computer, up to some 20 features", ("seed",)),
    "dwave-annealing": ("D-Wave's simulated annealing on this machine", ("seed",)),
    "dwave-tabu": ("D-Wave's tabu search on this machine", ("seed",)),
}
NODES = 1_000_000


def proves(name: str) -> bool:
    """Return whether a solver proves the more the more effort it is given."""
    return "effort" in SOLVERS[name][1]


def solver_of(name: str, *, effort: float | None, seed: int, threads: int | None) -> Any:
    """Return the solver that a name stands for.

    Parameters
    ----------
    name : str
        One of `SOLVERS`.
    effort : float, optional
        How much a proof may cost, for those that prove within an effort.
    seed : int
    threads : int, optional
        None is all cores.
    """
    from .. import quantum, solvers

    if effort is not None and not proves(name):
        able = " and ".join(filter(proves, SOLVERS))
        raise Wrong(f"--effort is for the solvers {able}, not for {name}: leave it out.")
    effort, jobs = 1.0 if effort is None else effort, -1 if threads is None else threads
    match name:
        case "portfolio":
            return solvers.Portfolio(effort=effort, seed=seed, n_jobs=jobs)
        case "branch":
            return solvers.BranchAndBound(nodes=max(int(effort * NODES), 1))
        case "exhaustive":
            return solvers.Exhaustive(n_jobs=jobs)
        case "tabu":
            return solvers.Tabu(seed=seed, n_jobs=jobs)
        case "anneal":
            return solvers.Anneal(seed=seed, n_jobs=jobs)
        case "quantum-annealing":
            return quantum.QuantumAnnealing(seed=seed, n_jobs=jobs)
        case "qaoa":
            return quantum.QAOA(seed=seed)
        case "vqe":
            return quantum.VQE(seed=seed)
    return _ocean(name, seed)


def _ocean(name: str, seed: int) -> Any:
    """Return a sampler of D-Wave's Ocean that runs on this machine."""
    from .. import quantum
    from ..errors import optional

    samplers = optional("dwave.samplers", "dwave", f"--solver {name}")
    kind = {"dwave-annealing": "SimulatedAnnealingSampler", "dwave-tabu": "TabuSampler"}[name]
    return quantum.Dimod(getattr(samplers, kind), seed=seed)
