"""The paper's measures: mutual information, plainly counted on 20 bins that are cut at quantiles.

These are not the library's defaults, so every experiment takes them from here; ``SelectQUBO.paper`` has the same.
"""

import numpy as np
from constants import section

from quboselect import Tradeoff
from quboselect.criteria import QFS

PAPER = QFS(bins=section("method")["bins"], edges="quantile")
IMPORTANCE, REDUNDANCY = PAPER.importance, PAPER.redundancy


def tradeoff(X: np.ndarray, y: np.ndarray) -> Tradeoff:
    """Return I and R of a table in bits; the table is binned once."""
    codes = REDUNDANCY.codes(X)
    return Tradeoff(IMPORTANCE(codes, y), REDUNDANCY(codes))
