"""The chip: whether a QUBO fits one, and how to make it fit. A QUBO flows in; a report flows out, or a smaller QUBO.

An annealer has some thousands of qubits, each coupled to few others, and tells few coefficients apart. `fit_report`
says before anything is sent what a QUBO asks of it; `reduce` makes it smaller, and `OnChip` does so around any solver.
"""

from .reduction import OnChip, Reduced, reduce
from .report import ChipReport, fit_report

__all__ = ["ChipReport", "OnChip", "Reduced", "fit_report", "reduce"]
