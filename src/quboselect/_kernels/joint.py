"""Joint counts that are kept: codes of batches are added to tables, and tables are reduced to entropies.

``streaming`` calls it, and says where each table lies in one array. The counts of few codes come from the bit planes of
``counting.py``, and the entropies are summed in its order, to the same last bit.
"""

import numpy as np

from .compiling import kernel
from .counting import weighted_term


@kernel("u4[:,::1] i8[::1] i8[::1] i8 i8 i8 i8 i8[::1] i8[::1] u4[::1]")
def add_tile(common, features, planes, i0, i1, j0, j1, starts, offsets, tables):
    """Add counts of ``common_ones`` to the tables of the pairs ``features[i0:i1]`` with ``features[j0:j1]``.

    Feature ``features[f]`` owns the planes ``planes[f]`` to ``planes[f + 1]`` there, and ``starts`` here.
    """
    last = starts[-1]
    for i in range(i0, i1):
        rows = planes[i + 1] - planes[i]
        top = planes[i] - planes[i0]
        after = starts[features[i] + 1]
        for j in range(max(j0, i + 1), j1):
            columns = planes[j + 1] - planes[j]
            left = planes[j] - planes[j0]
            corner = offsets[features[i]] + starts[features[j]] - after
            for row in range(rows):
                line = tables[corner + row * (last - after) :][:columns]
                counted = common[top + row, left : left + columns]
                for column in range(columns):
                    line[column] += counted[column]


@kernel(
    "u1[::1] i8 u1[::1] i8 i8 u4[:,:]",
    "u1[::1] i8 u2[::1] i8 i8 u4[:,:]",
    "u2[::1] i8 u2[::1] i8 i8 u4[:,:]",
)
def add_pair(x, x_size, y, y_size, skip, out):
    """Add the joint counts of two features, sample by sample, to ``out``; ``skip`` 1 leaves out the codes 0."""
    n_samples = x.size
    cells = x_size * y_size
    one = out.dtype.type(1)
    if cells > 65536 and cells > n_samples:
        for sample in range(n_samples):
            if x[sample] >= skip and y[sample] >= skip:
                out[x[sample] - skip, y[sample] - skip] += one
        return
    # Two tables: most samples of a skewed feature share a cell, and each increment would wait for the one before.
    half = n_samples // 2
    x_head, x_tail = x[:half], x[half:]
    y_head, y_tail = y[:half], y[half:]
    table = np.zeros(2 * cells, np.uint32)
    for sample in range(half):
        table[np.int64(x_head[sample]) * y_size + y_head[sample]] += np.uint32(1)
        table[cells + np.int64(x_tail[sample]) * y_size + y_tail[sample]] += np.uint32(1)
    if n_samples > 2 * half:
        table[np.int64(x_tail[half]) * y_size + y_tail[half]] += np.uint32(1)
    for row in range(skip, x_size):
        for column in range(skip, y_size):
            cell = row * y_size + column
            out[row - skip, column - skip] += table[cell] + table[cells + cell]


@kernel(
    "u1[::1] u1[::1] i8[::1] i8 u8[:,:]",
    "u1[::1] u2[::1] i8[::1] i8 u8[:,:]",
    "u2[::1] u2[::1] i8[::1] i8 u8[:,:]",
)
def add_weighted_pair(x, y, weights, skip, out):
    """As ``add_pair``, each sample counted ``weights[sample]`` times: whole numbers, whose sums have no order."""
    for sample in range(x.size):
        if x[sample] >= skip and y[sample] >= skip:
            out[x[sample] - skip, y[sample] - skip] += out.dtype.type(weights[sample])


@kernel("u4[:,::1] i8[::1] i8[::1] i8[::1] i8 i8 i8 i8[::1]")
def whole_tables(panel, margins, starts, bounds, i, j0, j1, out):
    """Write the whole table of feature ``i`` with each of ``j0..j1``, codes 0 made of the margins, into ``out``.

    ``panel`` holds the counts of the other codes, ``margins`` how often each code of each feature occurs.
    """
    rows = bounds[i + 1] - bounds[i]
    at = 0
    for j in range(j0, j1):
        columns = bounds[j + 1] - bounds[j]
        left = starts[j] - starts[i + 1]
        first = out[at : at + columns]
        for column in range(columns):
            first[column] = margins[bounds[j] + column]
        for row in range(1, rows):
            line = out[at + row * columns : at + (row + 1) * columns]
            counted = panel[row - 1, left : left + columns - 1]
            rest = margins[bounds[i] + row]
            for column in range(columns - 1):
                count = np.int64(counted[column])
                line[column + 1] = count
                first[column + 1] -= count
                rest -= count
            line[0] = rest
            first[0] -= rest
        at += rows * columns


@kernel("f8[::1] i8 i8[::1] f8[::1]")
def table_sums(terms, rows, sizes, out):
    """Write the sum of each of several flat tables of ``rows`` rows, one after the other, into ``out``.

    Along rows first, then across, as ``table_entropy`` does.
    """
    at = 0
    for index in range(sizes.size):
        columns = sizes[index]
        partial = np.zeros(columns, np.float64)
        for row in range(rows):
            line = terms[at + row * columns : at + (row + 1) * columns]
            for column in range(columns):
                partial[column] += line[column]
        total = 0.0
        for column in range(columns):
            total += partial[column]
        out[index] = total
        at += rows * columns


@kernel("i8[::1] i8 i8[::1] i8 f8 f8[::1]")
def weighted_sums(cells, rows, sizes, total, extra, out):
    """Write the entropy of each of several flat tables of weights, one after the other, into ``out``.

    Cell after cell, as ``weighted_entropies_with`` does; every occupied cell adds ``extra``.
    """
    at = 0
    for index in range(sizes.size):
        entropy = 0.0
        for cell in range(at, at + rows * sizes[index]):
            entropy += weighted_term(cells[cell], total, extra)
        out[index] = entropy
        at += rows * sizes[index]
