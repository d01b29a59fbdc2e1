"""R: measures of how much each pair of features says twice, one number per pair.

==============================  ==============================================================  ========================
measure                         what it is                                                      range
==============================  ==============================================================  ========================
`MutualInformation`             bits shared by two binned features; the paper's                 0 to the entropy, or 1
`CoInformation`                 bits that two features say twice about the target               below and above 0
`SymmetricalRelevance`          minus the share that two features say about the target          -1 to 0
`Correlation`                   absolute correlation, of values or of ranks                     0 to 1
`Precomputed`                   numbers of your own                                             0 and more
==============================  ==============================================================  ========================

Any callable that maps ``X``, or ``(X, y)``, to a symmetric ``n x n`` matrix with a zero diagonal, no entry negative
unless it says so by an attribute ``signed``, can be used instead.
"""

from .correlation import Correlation
from .information import MutualInformation
from .precomputed import Precomputed
from .targeted import CoInformation, SymmetricalRelevance

__all__ = ["CoInformation", "Correlation", "MutualInformation", "Precomputed", "SymmetricalRelevance"]
