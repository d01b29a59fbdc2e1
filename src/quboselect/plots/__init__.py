"""Plots: results flow in, pictures flow out. Displays in the style of scikit-learn's, drawn by matplotlib.

====================  =====================================================================  ======================
display               what it shows                                                          made by
====================  =====================================================================  ======================
`PathDisplay`         size, importance and redundancy of the optimal subset over alpha       path, estimator
`EntryDisplay`        which features are in over alpha                                       path, estimator
`RedundancyDisplay`   what pairs of features share, the alike side by side                   tradeoff, estimator
`FeaturesDisplay`     importance of each feature against its redundancy with the selected    tradeoff, estimator
`StabilityDisplay`    how often each feature was selected from resamples                     stability
`SizesDisplay`        score of a model over k, by cross-validation                           estimator
====================  =====================================================================  ======================

A display holds what it shows. Its ``from_...`` computes that and draws it, `plot` draws it again, and both leave
``figure_`` and ``ax_`` (``axes_`` where there are several) behind. Colours are Okabe and Ito's, which people who are
colour-blind can tell apart, and of different lightness where they stand side by side, so that they survive grey print.
"""

from .drawing import BLUE, GREEN, GREY, MOST_NAMES, ORANGE, RED, plain_axes
from .entry import EntryDisplay
from .features import FeaturesDisplay
from .path import PathDisplay
from .redundancy import RedundancyDisplay
from .sizes import SizesDisplay
from .stability import StabilityDisplay

__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "MOST_NAMES",
    "ORANGE",
    "RED",
    "EntryDisplay",
    "FeaturesDisplay",
    "PathDisplay",
    "RedundancyDisplay",
    "SizesDisplay",
    "StabilityDisplay",
    "plain_axes",
]
