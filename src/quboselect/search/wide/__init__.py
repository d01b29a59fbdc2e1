"""Tables of very many features: the best subset from rows of redundancy, without a matrix of all pairs.

::

    units ─► generation   a core of features, grown until nothing outside of it improves the choice
       └───► floor, outside ─► whole   what can be said of all features with few rows or with all of them

A row is counted only when its feature comes into play.
"""

from .selection import choose_wide, redundancy_rows

__all__ = ["choose_wide", "redundancy_rows"]
