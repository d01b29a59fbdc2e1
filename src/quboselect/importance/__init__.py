"""I: measures of how much each feature says about the target, one number per feature.

======================  =================================================================  ==========================
measure                 what it is                                                         range
======================  =================================================================  ==========================
`MutualInformation`     bits shared by a binned feature and the target; the paper's        0 to the entropy, or to 1
`Correlation`           absolute correlation, or the correlation ratio for classes         0 to 1
`FStatistic`            variance explained over variance left                              0 and more, finite
`Entropy`               bits in a binned feature; the target is ignored                    0 to log2(bins)
`Permutation`           what the score of a model loses if a feature is shuffled           0 and more, of the score
`SHAP`                  how much a feature moves what a model says                         0 and more, of the answer
`Precomputed`           numbers of your own                                                0 and more
======================  =================================================================  ==========================

Any callable that maps ``(X, y)`` to ``n`` numbers, none negative, can be used instead, such as scikit-learn's score
functions.
"""

from .correlation import Correlation, FStatistic
from .information import Entropy, MutualInformation
from .model import SHAP, Permutation
from .precomputed import Precomputed

__all__ = ["SHAP", "Correlation", "Entropy", "FStatistic", "MutualInformation", "Permutation", "Precomputed"]
