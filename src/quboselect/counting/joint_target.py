"""Joint target: several targets made one, whose classes are the combinations of their labels and bins."""

import numpy as np

from ..tables.several import Targets
from ..tables.table import Table
from ..tables.target import Target
from .bins import bins_of, label_codes, target_bins


def joint_target(targets: Targets, table: Table, *, bins: int | str = "auto", edges: str = "apart") -> Target:
    """Return one target of the combinations that occur.

    Parameters
    ----------
    targets : Targets
        Of the samples of the table.
    table : Table
        Its samples, by weight, say where numbers are cut.
    bins : int, "auto" or "auto-by-class"
        Into how many bins each continuous target is cut. Of their own accord all of them together have no more cells
        than one alone would have (`target_bins`), but two bins each at the least.
    edges : "apart" or "quantile"
        Where they are cut, as a feature.

    Examples
    --------
    >>> from quboselect.tables.several import as_targets
    >>> from quboselect.tables.table import as_table
    >>> table, both = as_table([[1], [2], [3], [4]]), as_targets([["a", "x"], ["a", "y"], ["b", "x"], ["a", "x"]])
    >>> joint_target(both, table).values.tolist()
    [0, 1, 2, 0]
    """
    numbers = sum(part.continuous for part in targets.parts)
    number = bins
    if isinstance(bins, str) and numbers:
        cells = target_bins(bins, bins_of("auto", table.binning_weight))
        number = max(b for b in range(2, max(cells, 2) + 1) if b**numbers <= cells or b == 2)
    codes = [
        label_codes(part, bins=number, edges=edges, weights=table.weights).values[0] for part in targets.parts
    ]
    _, combined = np.unique(np.stack(codes), axis=1, return_inverse=True)
    return Target(combined.reshape(-1), False)
