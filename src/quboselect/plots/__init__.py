"""Plots: displays of results in the style of scikit-learn's, drawn by matplotlib.

====================  =====================================================================  ======================
display               what it shows                                                          made by
====================  =====================================================================  ======================
`PathDisplay`         size, importance and redundancy of the optimal subset over alpha       path, selector
`EntryDisplay`        which features are in over alpha                                       path, selector
`ImportanceDisplay`   importance of all features as bars, the selected marked                tradeoff, selector
`RedundancyDisplay`   what pairs of features share, the alike side by side                   tradeoff, selector
`FeaturesDisplay`     importance of each feature against its redundancy with the selected    tradeoff, selector
`StabilityDisplay`    how often each feature was selected from resamples                     stability
`SizesDisplay`        score of a model over k, by cross-validation                           SelectQUBOCV
====================  =====================================================================  ======================

A display holds what it shows. Its ``from_...`` computes that and draws it, `plot` draws it again, and both leave
``figure_`` and ``ax_`` (``axes_`` where there are several) behind. ``from_estimator`` takes a fitted selector or a
`Result`. Colours are Okabe and Ito's, which colour-blind readers can tell apart, and of different lightness where they
stand side by side, so that they survive grey print. A display has a title; ``label`` changes it, and ``""`` takes it
away.
"""

from .entry import EntryDisplay
from .features import FeaturesDisplay
from .importance import ImportanceDisplay
from .path import PathDisplay
from .redundancy import RedundancyDisplay
from .sizes import SizesDisplay
from .stability import StabilityDisplay

__all__ = [
    "EntryDisplay",
    "FeaturesDisplay",
    "ImportanceDisplay",
    "PathDisplay",
    "RedundancyDisplay",
    "SizesDisplay",
    "StabilityDisplay",
]
