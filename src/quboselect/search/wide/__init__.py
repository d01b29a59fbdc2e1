"""Tables of very many features. Importance and rows of redundancy flow in, a choice and what is proven of it flow out.

    units ─► generation   a core of features, grown until nothing outside of it improves the choice
       └───► floor, outside ─► whole   what can be said of all features with few rows or with all of them

No matrix of all pairs is needed: a row is counted only when its feature comes into play.
"""

from .selection import affordable, choose_wide, rows_of

__all__ = ["affordable", "choose_wide", "rows_of"]
