"""How much each pair of features says twice: the matrix R. A table flows in, a matrix flows out.

==============================  ==============================================================  ========================
measure                         what it is                                                      range
==============================  ==============================================================  ========================
`MutualInformation`             bits shared by two binned features; the paper's                 0 to the entropy, or 1
`ConditionalMutualInformation`  bits about the target that a pair lacks; as in MIQUBO           0 to twice the target's
`Correlation`                   absolute correlation, of values or of ranks                     0 to 1
`Precomputed`                         numbers of your own                                             0 and more
==============================  ==============================================================  ========================

Anything that maps ``X``, or ``(X, y)``, to a symmetric ``n x n`` matrix with a zero diagonal, no entry negative, can
take the place of what stands here.
"""

from .conditional import ConditionalMutualInformation
from .correlation import Correlation
from .information import MutualInformation
from .precomputed import Precomputed

__all__ = ["ConditionalMutualInformation", "Correlation", "MutualInformation", "Precomputed"]
