"""Shrunk mutual information: tables of counts pulled towards equal shares, as far as the counts are uncertain.

James and Stein's estimate. ``counting/shrunk.py``, ``streaming`` and ``redundancy/pairs.py`` call it, all by way of one
sum over occupied cells, column by column: the last bit does not tell whether samples were counted in memory, in batches
or in which order. The counts are whole numbers; those of weights are in a unit of their own.
"""

import numpy as np

from .compiling import kernel
from .counting import grouped


@kernel
def shrunk_cells(rows, columns, counts, n_cells, n_rows, n_columns, samples, sums, room):
    """The joint entropy, and the mutual information, of a table given by its occupied cells, in bits.

    Cell ``k`` lies in row ``rows[k]``, not below the row of the cell before it. ``samples`` is what the counts add up
    to in samples. ``sums`` is space for ``n_rows + n_columns`` whole numbers, ``room`` for ``2 n_columns`` others.
    """
    sums[: n_rows + n_columns] = 0
    room[: 2 * n_columns] = 0.0
    row_sums, column_sums = sums[:n_rows], sums[n_rows : n_rows + n_columns]
    squares, terms = room[:n_columns], room[n_columns : 2 * n_columns]
    total = np.int64(0)
    for k in range(n_cells):
        row_sums[rows[k]] += counts[k]
        column_sums[columns[k]] += counts[k]
        total += counts[k]
    height = 0
    for row in range(n_rows):
        height += row_sums[row] > 0
    width = 0
    for column in range(n_columns):
        width += column_sums[column] > 0
    size = np.float64(height) * np.float64(width)
    if size == 1.0:
        return 0.0, 0.0

    # Column by column, so that the order of the cells in a row does not show.
    for k in range(n_cells):
        share = counts[k] / total
        squares[columns[k]] += share * share
    square = 0.0
    for column in range(n_columns):
        square += squares[column]
    spread = (samples - 1.0) * (square - 1.0 / size)
    pull = 1.0
    if spread > 0.0:
        pull = min(1.0, max(0.0, 1.0 - square) / spread)
    empty = pull / size
    keep = 1.0 - pull
    for k in range(n_cells):
        share = empty + keep * (counts[k] / total)
        terms[columns[k]] -= share * np.log2(share)
    joint = 0.0
    if empty > 0.0:
        joint -= (size - n_cells) * (empty * np.log2(empty))
    for column in range(n_columns):
        joint += terms[column]
    if pull == 1.0 or height == 1 or width == 1:
        return joint, 0.0

    margins = 0.0
    for row in range(n_rows):
        if row_sums[row] > 0:
            share = pull / height + keep * (row_sums[row] / total)
            margins -= share * np.log2(share)
    for column in range(n_columns):
        if column_sums[column] > 0:
            share = pull / width + keep * (column_sums[column] / total)
            margins -= share * np.log2(share)
    return joint, max(margins - joint, 0.0)


@kernel
def shrunk_table(table, n_rows, n_columns, samples, cells, sums, room):
    """As ``shrunk_cells``, of a flat table of counts; ``cells`` is room for the occupied ones."""
    n_cells = 0
    for row in range(n_rows):
        for column in range(n_columns):
            count = table[row * n_columns + column]
            if count > 0:
                cells[0, n_cells] = row
                cells[1, n_cells] = column
                cells[2, n_cells] = count
                n_cells += 1
    return shrunk_cells(cells[0], cells[1], cells[2], n_cells, n_rows, n_columns, samples, sums, room)


@kernel(
    "u1[::1] i8 u1[:,::1] i8[::1] i8[::1] i8[::1] f8 f8[:,::1]",
    "u1[::1] i8 u2[:,::1] i8[::1] i8[::1] i8[::1] f8 f8[:,::1]",
    "u2[::1] i8 u2[:,::1] i8[::1] i8[::1] i8[::1] f8 f8[:,::1]",
)
def shrunk_with(x, x_size, values, sizes, others, weights, samples, out):
    """Fill ``out[:, 0]`` with joint entropies and ``out[:, 1]`` with information of codes ``x`` with others.

    ``weights`` are whole numbers, or empty where each sample counts once.
    """
    n_samples = x.size
    weighted = weights.size > 0
    widest = 1
    for other in others:
        widest = max(widest, sizes[other])
    sums, room = np.empty(x_size + widest, np.int64), np.empty(2 * widest, np.float64)
    order, starts = np.empty(0, np.int64), np.empty(0, np.int64)
    cells = np.empty((3, min(x_size * widest, n_samples)), np.int64)
    line = np.zeros(widest, np.int64)
    for index in range(others.size):
        y = values[others[index]]
        columns = sizes[others[index]]
        if x_size * columns <= 65536 or x_size * columns <= n_samples:
            table = np.zeros(x_size * columns, np.int64)
            if weighted:
                for sample in range(n_samples):
                    table[np.int64(x[sample]) * columns + y[sample]] += weights[sample]
            else:
                for sample in range(n_samples):
                    table[np.int64(x[sample]) * columns + y[sample]] += 1
            joint, information = shrunk_table(table, x_size, columns, samples, cells, sums, room)
        else:
            # Nearly all cells are empty: count one row at a time.
            if order.size == 0:
                order, starts = grouped(x, x_size)
            n_cells = 0
            for code in range(x_size):
                group = order[starts[code] : starts[code + 1]]
                for sample in group:
                    line[y[sample]] += weights[sample] if weighted else 1
                for sample in group:
                    if line[y[sample]] > 0:
                        cells[0, n_cells] = code
                        cells[1, n_cells] = y[sample]
                        cells[2, n_cells] = line[y[sample]]
                        n_cells += 1
                        line[y[sample]] = 0
            joint, information = shrunk_cells(
                cells[0], cells[1], cells[2], n_cells, x_size, columns, samples, sums, room
            )
        out[index, 0] = joint
        out[index, 1] = information


@kernel("u4[:,::1] i8[::1] i8[::1] i8 i8 i8 i8 i8 f8[:,::1]")
def shrunk_tile(common, margins, starts, n_samples, i0, i1, j0, j1, out):
    """Write the shrunk information of features ``i0..i1`` with ``j0..j1`` into ``out``, both triangles.

    ``common`` comes from ``common_ones``; pairs ``i >= j`` are left out.
    """
    widest = 1
    for f in range(i0, i1):
        widest = max(widest, starts[f + 1] - starts[f] + 1)
    for f in range(j0, j1):
        widest = max(widest, starts[f + 1] - starts[f] + 1)
    table = np.empty(widest * widest, np.int64)
    cells = np.empty((3, widest * widest), np.int64)
    sums, room = np.empty(2 * widest, np.int64), np.empty(2 * widest, np.float64)
    for i in range(i0, i1):
        rows = starts[i + 1] - starts[i] + 1
        top = starts[i] - starts[i0]
        for j in range(max(j0, i + 1), j1):
            columns = starts[j + 1] - starts[j] + 1
            left = starts[j] - starts[j0]
            # Code 0 has no plane: its counts are what the margins leave.
            table[0] = n_samples
            for column in range(1, columns):
                table[column] = margins[starts[j] + column - 1]
                table[0] -= table[column]
            for row in range(1, rows):
                rest = np.int64(margins[starts[i] + row - 1])
                for column in range(1, columns):
                    count = np.int64(common[top + row - 1, left + column - 1])
                    table[row * columns + column] = count
                    table[column] -= count
                    rest -= count
                table[row * columns] = rest
                table[0] -= rest
            information = shrunk_table(table, rows, columns, np.float64(n_samples), cells, sums, room)[1]
            out[i, j] = information
            out[j, i] = information


@kernel("i8[::1] i8 i8[::1] f8 f8[:,::1]")
def shrunk_tables(tables, rows, sizes, samples, out):
    """Fill ``out`` as ``shrunk_with`` does, of flat tables of ``rows`` rows, one after the other."""
    widest = 1
    for size in sizes:
        widest = max(widest, size)
    cells = np.empty((3, rows * widest), np.int64)
    sums, room = np.empty(rows + widest, np.int64), np.empty(2 * widest, np.float64)
    at = 0
    for index in range(sizes.size):
        columns = sizes[index]
        table = tables[at : at + rows * columns]
        joint, information = shrunk_table(table, rows, columns, samples, cells, sums, room)
        out[index, 0] = joint
        out[index, 1] = information
        at += rows * columns


@kernel("i8 u1[:,::1] i8[::1] i8[::1] i8[::1] f8 f8[::1]", "i8 u2[:,::1] i8[::1] i8[::1] i8[::1] f8 f8[::1]")
def shrunk_row(i, values, sizes, others, weights, samples, out):
    """Fill ``out`` with the shrunk information of feature ``i`` with others; those before it are the rows of tables.

    The information of (i, j) is that of (j, i) to the last bit.
    """
    one, pair = np.empty(1, np.int64), np.empty((1, 2), np.float64)
    after = np.empty(others.size, np.int64)
    n_after = 0
    for index in range(others.size):
        if others[index] >= i:
            after[n_after] = others[index]
            n_after += 1
    found = np.empty((n_after, 2), np.float64)
    shrunk_with(values[i], sizes[i], values, sizes, after[:n_after], weights, samples, found)
    n_after = 0
    one[0] = i
    for index in range(others.size):
        j = others[index]
        if j >= i:
            out[index] = found[n_after, 1]
            n_after += 1
        else:
            shrunk_with(values[j], sizes[j], values, sizes, one, weights, samples, pair)
            out[index] = pair[0, 1]
