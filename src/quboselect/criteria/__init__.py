"""What people call the method: a criterion is an importance, a redundancy, and the alpha that goes with k features.

Each is exact: the best subset of k features by ``a * sum I - (1-a) * sum R``, with a proof where the solver has one.

===========  ==================================================  ==================  =======================
criterion    maximises, over subsets of k features               redundancy          alpha
===========  ==================================================  ==================  =======================
`Pairs`      sum over pairs of I_i + I_j - R_ij; the default     R - t R|y           (k-1) / k
`QFS`        the paper's objective                               R                   where k is optimal
`MRMR`       mean I - mean R; Peng, Long and Ding 2005           R                   k / (k+2)
`MIFS`       sum I - beta sum R; Battiti 1994                    R                   1 / (1+beta)
`JMI`        sum over pairs of I(x_i, x_j; y)                    R - R|y             (k-1) / k
`CMI`        sum I + sum over ordered pairs of I(x_i; y | x_j)   R - R|y             k / (k+2)
`CIFE`       sum I - sum (R - R|y)                               R - R|y             1/2
`ICAP`       sum I - sum max(0, R - R|y)                         max(0, R - R|y)     1/2
`DISR`       sum over pairs of I(x_i, x_j; y) / H(x_i, x_j, y)   minus that          0
===========  ==================================================  ==================  =======================

I is ``I(x_i; y)``, R is ``I(x_i; x_j)`` and R|y is ``I(x_i; x_j | y)``. R - R|y is negative where two features say more
together than apart; t, from 0 to 1, is how well R|y is known, by the samples in its cells. A criterion of your own is
``Criterion(importance, redundancy, alpha)``. Optima of mRMR's quotient and of CFS lie on the path of one size:
``selector.path(size=k).best(mrmr_quotient)``.
"""

from .criterion import Criterion
from .family import CIFE, CMI, DISR, ICAP, JMI, MIFS, MRMR, QFS, Pairs
from .scores import cfs_merit, mrmr_difference, mrmr_quotient

__all__ = [
    "CIFE",
    "CMI",
    "DISR",
    "ICAP",
    "JMI",
    "MIFS",
    "MRMR",
    "QFS",
    "Criterion",
    "Pairs",
    "cfs_merit",
    "mrmr_difference",
    "mrmr_quotient",
]
