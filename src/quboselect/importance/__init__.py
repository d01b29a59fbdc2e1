"""How much each feature says about the target: the vector I. A table and a target flow in, a vector flows out.

======================  =================================================================  ==========================
measure                 what it is                                                         range
======================  =================================================================  ==========================
`MutualInformation`     bits shared by a binned feature and the target; the paper's        0 to the entropy, or to 1
`Correlation`           absolute correlation, or the correlation ratio for classes         0 to 1
`FStatistic`            variance explained over variance left                              0 and more, finite
`Entropy`               bits in a binned feature, whatever the target                      0 to log2(bins)
`Precomputed`                 numbers of your own                                                0 and more
======================  =================================================================  ==========================

Anything that maps ``(X, y)`` to ``n`` numbers, none negative, can take the place of what stands here;
scikit-learn's score functions do.
"""

from .correlation import Correlation, FStatistic
from .information import Entropy, MutualInformation
from .precomputed import Precomputed

__all__ = ["Correlation", "Entropy", "FStatistic", "MutualInformation", "Precomputed"]
