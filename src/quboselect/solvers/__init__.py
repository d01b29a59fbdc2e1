"""argmin: the solvers, one file each. Each takes a QUBO and returns `Solutions`.

==================  ======================================================  =========
solver              how                                                     proves
==================  ======================================================  =========
`Portfolio`         the default: `Tabu`, then two kinds of proof            mostly
`BranchAndBound`    depth first, with a combinatorial bound                 mostly
`Exhaustive`        every subset in Gray code order, up to 30 bits          always
`Tabu`              multistart tabu search with recombination               never
`Anneal`            simulated annealing                                     never
`Greedy`            one feature after the other, as mRMR does               never
==================  ======================================================  =========

All of them take ``k=`` for subsets of exactly k bits. Quantum computers and samplers of D-Wave's Ocean are in
`quboselect.quantum`. Any other callable that fits `quboselect.protocols.Solver` can stand in their place.
"""

from .anneal import Anneal
from .branch import BranchAndBound
from .exhaustive import Exhaustive
from .greedy import Greedy
from .portfolio import Portfolio
from .tabu import Tabu

__all__ = ["Anneal", "BranchAndBound", "Exhaustive", "Greedy", "Portfolio", "Tabu"]
