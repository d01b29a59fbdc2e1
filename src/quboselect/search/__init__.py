"""Every alpha and every k: from a tradeoff to a subset.

`path` follows the optimum over all alphas; `choice` takes the subset of a size from it, or finds the best of that size;
`units` reduces a problem by its constraints and leads back; `bisection` is the paper's Algorithm 1; `auto_size` says
how many features are enough; `baselines` are the methods to compare with; `wide` searches tables of very many
features.
"""

from .bisection import alpha_search
from .path import Path, Segment, alpha_path

__all__ = ["Path", "Segment", "alpha_path", "alpha_search"]
