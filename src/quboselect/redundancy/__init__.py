"""R: measures of how much each pair of features says twice, one number per pair.

==============================  ==============================================================  ========================
measure                         what it is                                                      range
==============================  ==============================================================  ========================
`MutualInformation`             bits shared by two binned features; the paper's                 0 to the entropy, or 1
`ConditionalMutualInformation`  what a pair falls short of the best pair, in bits; MIQUBO       0 to twice the target's
`Correlation`                   absolute correlation, of values or of ranks                     0 to 1
`Precomputed`                   numbers of your own                                             0 and more
==============================  ==============================================================  ========================

Any callable that maps ``X``, or ``(X, y)``, to a symmetric ``n x n`` matrix with a zero diagonal, no entry negative,
can be used instead.
"""

from .conditional import ConditionalMutualInformation
from .correlation import Correlation
from .information import MutualInformation
from .precomputed import Precomputed

__all__ = ["ConditionalMutualInformation", "Correlation", "MutualInformation", "Precomputed"]
