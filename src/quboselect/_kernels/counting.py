"""Joint counts of codes, each table reduced to its entropy at once; ``counting/entropies.py`` calls it.

Two routes to the same integers. Features with few codes become bit planes, one bit per sample, and a pair
of codes is counted by ``popcount(plane & plane)``: 64 samples per instruction, hundreds where the processor
has wide registers. Features with many codes are counted sample by sample. A table of counts lives only until
its entropy is known. ``terms[c]`` is ``-(c/N) log2(c/N)``, so an entropy is a sum of look-ups. Samples of any
weight are added up one by one, and the logarithm is taken of each sum.
"""

import numpy as np
from llvmlite import binding

from .bits import equal_codes, popcount
from .compiling import kernel

# The number of codes up to which planes beat counting sample by sample (measured; the counts are the same).
NARROW = 27 if binding.get_host_cpu_features().get("avx512vpopcntdq", False) else 15


@kernel
def table_entropy(table, rows, columns, terms, partial):
    """The entropy of a flat ``rows x columns`` table of counts; ``partial`` is room for ``columns`` numbers.

    Summed along rows first, then across: neighbouring sums are independent, hence fast, and the order
    depends on nothing but the table.
    """
    partial[:columns] = 0.0
    for row in range(rows):
        line = table[row * columns : (row + 1) * columns]
        for column in range(columns):
            partial[column] += terms[line[column]]
    total = 0.0
    for column in range(columns):
        total += partial[column]
    return total


@kernel
def grouped(x, x_size):
    """The samples in the order of their codes, and where each code starts in it."""
    starts = np.zeros(x_size + 1, np.int64)
    for sample in range(x.size):
        starts[x[sample] + 1] += 1
    for code in range(x_size):
        starts[code + 1] += starts[code]
    order = np.empty(x.size, np.int64)
    cursor = starts.copy()
    for sample in range(x.size):
        order[cursor[x[sample]]] = sample
        cursor[x[sample]] += 1
    return order, starts


@kernel(
    "u1[::1] i8 u1[:,::1] i8[::1] i8[::1] f8[::1]",
    "u1[::1] i8 u2[:,::1] i8[::1] i8[::1] f8[::1]",
    "u2[::1] i8 u2[:,::1] i8[::1] i8[::1] f8[::1]",
)
def entropies_with(x, x_size, values, sizes, rows, terms):
    """The joint entropies of one feature's codes ``x`` with those of ``values[rows]``, sample by sample."""
    n_samples = x.size
    half = n_samples // 2
    x_head = x[:half]
    x_tail = x[half:]
    out = np.empty(rows.size, np.float64)

    order, starts = np.empty(0, np.int64), np.empty(0, np.int64)

    for index in range(rows.size):
        y = values[rows[index]]
        columns = sizes[rows[index]]
        cells = x_size * columns
        if cells <= 65536 or cells <= n_samples:
            # Two tables: most samples of a skewed feature share a cell, and each increment would wait
            # for the one before it.
            table = np.zeros(2 * cells, np.uint32)
            y_head = y[:half]
            y_tail = y[half:]
            for sample in range(half):
                table[np.int64(x_head[sample]) * columns + y_head[sample]] += np.uint32(1)
                table[cells + np.int64(x_tail[sample]) * columns + y_tail[sample]] += np.uint32(1)
            if n_samples > 2 * half:
                table[np.int64(x_tail[half]) * columns + y_tail[half]] += np.uint32(1)
            for cell in range(cells):
                table[cell] += table[cells + cell]
            out[index] = table_entropy(table, x_size, columns, terms, np.empty(columns, np.float64))
        else:
            # Nearly all cells would be empty: group the samples by x, and count and clear one row at a time.
            if order.size == 0:
                order, starts = grouped(x, x_size)
            line = np.zeros(columns, np.uint32)
            partial = np.zeros(columns, np.float64)
            for code in range(x_size):
                group = order[starts[code] : starts[code + 1]]
                for sample in group:
                    line[y[sample]] += np.uint32(1)
                for sample in group:
                    # Summed as in table_entropy, so that the order of the samples does not show.
                    partial[y[sample]] += terms[line[y[sample]]]
                    line[y[sample]] = np.uint32(0)
            total = 0.0
            for column in range(columns):
                total += partial[column]
            out[index] = total
    return out


@kernel
def weighted_term(weight, total, extra):
    """What a cell of this weight adds to an entropy: ``-(w/W) log2(w/W)`` and ``extra``, or nothing if empty."""
    if weight == 0:
        return 0.0
    share = weight / total
    return extra - share * np.log2(share)


@kernel(
    "u1[::1] i8 u1[:,::1] i8[::1] i8[::1] i8[::1] f8",
    "u1[::1] i8 u2[:,::1] i8[::1] i8[::1] i8[::1] f8",
    "u2[::1] i8 u2[:,::1] i8[::1] i8[::1] i8[::1] f8",
)
def weighted_entropies_with(x, x_size, values, sizes, rows, weights, extra):
    """As ``entropies_with``, each sample counted ``weights[sample]`` times; every occupied cell adds ``extra``.

    The weights are whole numbers, below 2^62 in all: their sums depend on no order.
    """
    n_samples = x.size
    half = n_samples // 2
    x_head, w_head = x[:half], weights[:half]
    x_tail, w_tail = x[half:], weights[half:]
    total = weights.sum()
    out = np.zeros(rows.size, np.float64)
    order, starts = np.empty(0, np.int64), np.empty(0, np.int64)

    for index in range(rows.size):
        y = values[rows[index]]
        columns = sizes[rows[index]]
        cells = x_size * columns
        if cells <= 65536 or cells <= n_samples:
            table = np.zeros(2 * cells, np.int64)
            y_head = y[:half]
            y_tail = y[half:]
            for sample in range(half):
                table[np.int64(x_head[sample]) * columns + y_head[sample]] += w_head[sample]
                table[cells + np.int64(x_tail[sample]) * columns + y_tail[sample]] += w_tail[sample]
            if n_samples > 2 * half:
                table[np.int64(x_tail[half]) * columns + y_tail[half]] += w_tail[half]
            for cell in range(cells):
                out[index] += weighted_term(table[cell] + table[cells + cell], total, extra)
        else:
            if order.size == 0:
                order, starts = grouped(x, x_size)
            line = np.zeros(columns, np.int64)
            for code in range(x_size):
                group = order[starts[code] : starts[code + 1]]
                for sample in group:
                    line[y[sample]] += weights[sample]
                for sample in group:
                    out[index] += weighted_term(line[y[sample]], total, extra)
                    line[y[sample]] = 0
    return out


@kernel(
    "u1[:,::1] i8[::1] i8[::1] i8 i8 i8 u8[:,::1] i8[::1]",
    "u2[:,::1] i8[::1] i8[::1] i8 i8 i8 u8[:,::1] i8[::1]",
)
def fill_planes(values, features, starts, first, last, skip, planes, margins):
    """Set the bit planes, and count the ones in them, of ``features[first:last]``.

    Feature ``f`` owns planes ``starts[f]`` to ``starts[f + 1]``, for its codes from ``skip`` on: code 0 is the
    rest, and may do without a plane.
    """
    n_samples = values.shape[1]
    whole = n_samples // 64
    for f in range(first, last):
        codes = values[features[f]]
        start = starts[f]
        for code in range(skip, starts[f + 1] - start + skip):
            plane = planes[start + code - skip]
            count = np.uint64(0)
            for word in range(whole):
                bits = equal_codes(codes, 64 * word, code)
                plane[word] = bits
                count += popcount(bits)
            if whole < (n_samples + 63) // 64:
                bits = np.uint64(0)
                for sample in range(64 * whole, n_samples):
                    bits |= np.uint64(codes[sample] == code) << np.uint64(sample - 64 * whole)
                plane[whole] = bits
                count += popcount(bits)
            margins[start + code - skip] = count


@kernel("u8[:,::1] u8[:,::1] i8 u4[:,::1]")
def common_ones(a, b, chunk, out):
    """Add to ``out[i, j]`` the number of ones that planes ``a[i]`` and ``b[j]`` have in common.

    ``out`` has three rows and three columns to spare: planes are taken four by four, so that one loaded word
    serves four counts; at the edge the last plane is taken again and its extra counts are never read.
    """
    height, n_words = a.shape
    width = b.shape[0]
    for begin in range(0, n_words, chunk):
        end = min(begin + chunk, n_words)
        n = end - begin
        for i in range(0, height, 4):
            a0 = a[i, begin:end]
            a1 = a[min(i + 1, height - 1), begin:end]
            a2 = a[min(i + 2, height - 1), begin:end]
            a3 = a[min(i + 3, height - 1), begin:end]
            for j in range(0, width, 4):
                b0 = b[j, begin:end]
                b1 = b[min(j + 1, width - 1), begin:end]
                b2 = b[min(j + 2, width - 1), begin:end]
                b3 = b[min(j + 3, width - 1), begin:end]
                c00 = c01 = c02 = c03 = c10 = c11 = c12 = c13 = np.uint64(0)
                c20 = c21 = c22 = c23 = c30 = c31 = c32 = c33 = np.uint64(0)
                for w in range(n):
                    u, v, s, t = b0[w], b1[w], b2[w], b3[w]
                    p, q, r, z = a0[w], a1[w], a2[w], a3[w]
                    c00 += popcount(p & u)
                    c01 += popcount(p & v)
                    c02 += popcount(p & s)
                    c03 += popcount(p & t)
                    c10 += popcount(q & u)
                    c11 += popcount(q & v)
                    c12 += popcount(q & s)
                    c13 += popcount(q & t)
                    c20 += popcount(r & u)
                    c21 += popcount(r & v)
                    c22 += popcount(r & s)
                    c23 += popcount(r & t)
                    c30 += popcount(z & u)
                    c31 += popcount(z & v)
                    c32 += popcount(z & s)
                    c33 += popcount(z & t)
                block = out[i : i + 4, j : j + 4]
                block[0, 0] += c00
                block[0, 1] += c01
                block[0, 2] += c02
                block[0, 3] += c03
                block[1, 0] += c10
                block[1, 1] += c11
                block[1, 2] += c12
                block[1, 3] += c13
                block[2, 0] += c20
                block[2, 1] += c21
                block[2, 2] += c22
                block[2, 3] += c23
                block[3, 0] += c30
                block[3, 1] += c31
                block[3, 2] += c32
                block[3, 3] += c33


@kernel("u8[:,::1] i8[::1] i8 i8 i8 i8 f8[::1]", "u8[:,::1] i8[::1] i8 i8 i8 i8 i8[::1]")
def short_entropies(planes, starts, i0, i1, j0, j1, terms):
    """The joint entropies of features ``i0..i1`` with features ``j0..j1``, in the type of the terms.

    ``planes[word]`` are the planes of all codes, code 0 too, at one word: where words are few, counting it beats
    working it out, and neighbouring planes are counted side by side, of so many features as a cache holds. Summed as
    in ``table_entropy``.
    """
    out = np.empty((i1 - i0, j1 - j0), terms.dtype)
    for begin in range(j0, j1, 256):
        end = min(begin + 256, j1)
        first, last = starts[begin], starts[end]
        counts = np.empty(last - first, np.uint64)
        partial = np.empty(last - first, terms.dtype)
        for i in range(i0, i1):
            partial[:] = 0
            for plane in range(starts[i], starts[i + 1]):
                counts[:] = 0
                for word in range(len(planes)):
                    line, bits = planes[word, first:last], planes[word, plane]
                    for column in range(line.size):
                        counts[column] += popcount(bits & line[column])
                for column in range(counts.size):
                    partial[column] += terms[counts[column]]
            for j in range(begin, end):
                total = terms.dtype.type(0)
                for column in range(starts[j] - first, starts[j + 1] - first):
                    total += partial[column]
                out[i - i0, j - j0] = total
    return out


@kernel("u4[:,::1] i8[::1] i8[::1] i8 i8 i8 i8 i8 f8[::1]")
def tile_entropies(common, margins, starts, n_samples, i0, i1, j0, j1, terms):
    """The joint entropies of features ``i0..i1`` with features ``j0..j1``.

    ``common`` comes from ``common_ones`` on the planes of the former and of the latter; pairs ``i >= j`` are
    left out.
    """
    widest = 1
    for f in range(i0, i1):
        widest = max(widest, starts[f + 1] - starts[f] + 1)
    for f in range(j0, j1):
        widest = max(widest, starts[f + 1] - starts[f] + 1)
    table = np.empty(widest * widest, np.uint32)
    partial = np.empty(widest, np.float64)
    out = np.zeros((i1 - i0, j1 - j0), np.float64)

    for i in range(i0, i1):
        rows = starts[i + 1] - starts[i] + 1
        top = starts[i] - starts[i0]
        for j in range(max(j0, i + 1), j1):
            columns = starts[j + 1] - starts[j] + 1
            left = starts[j] - starts[j0]
            # Code 0 has no plane: its counts are what the margins leave.
            first = table[:columns]
            first[0] = n_samples
            for column in range(1, columns):
                first[column] = margins[starts[j] + column - 1]
                first[0] -= first[column]
            for row in range(1, rows):
                line = table[row * columns : (row + 1) * columns]
                counted = common[top + row - 1, left : left + columns - 1]
                rest = margins[starts[i] + row - 1]
                for column in range(columns - 1):
                    count = counted[column]
                    line[column + 1] = count
                    first[column + 1] -= count
                    rest -= count
                line[0] = rest
                first[0] -= np.uint32(rest)
            out[i - i0, j - j0] = table_entropy(table, rows, columns, terms, partial)
    return out
