"""Every alpha and every k: from a tradeoff to a subset.

`envelope` follows the optimum over all alphas, of every size or of one, and makes a `path` of it; `choice` takes the
subset of a size from it, or finds the best of that size;
`units` reduces a problem by its constraints and leads back; `bisection` is the paper's Algorithm 1; `auto_size` says
how many features are enough; `chance` says what shuffled targets show, and `discovery` which features say more;
`baselines` are the methods to compare with; `wide` searches tables of very many
features.
"""

from .bisection import alpha_search
from .discovery import BenjaminiHochberg, Chance, Twins
from .envelope import alpha_path, size_path
from .path import Path, Segment

__all__ = [
    "BenjaminiHochberg",
    "Chance",
    "Path",
    "Segment",
    "Twins",
    "alpha_path",
    "alpha_search",
    "size_path",
]
