"""Joint entropies of one feature with many others, in fixed point; ``redundancy/pairs.py`` calls it.

Where samples are few, most cells of a table are empty, and going through them all costs more than counting. A sample
that is the ``c``-th in its cell adds ``terms[c] - terms[c - 1]`` to the entropy, so no cell is looked at twice. Whole
numbers add up to the same in any order: the entropy of (i, j) is that of (j, i) to the last bit.
"""

import numpy as np

from .bits import popcount
from .compiling import kernel


@kernel(
    "u1[::1] i8 u1[:,::1] i8[::1] i8[::1] i8[::1] u2[::1] i8[::1]",
    "u1[::1] i8 u1[:,::1] i8[::1] i8[::1] i8[::1] u4[::1] i8[::1]",
)
def joint_row(x, stride, values, others, terms, steps, table, out):
    """Fill ``out`` with the joint entropies of codes ``x`` with those of ``values[others]``.

    ``terms[c]`` is what a cell of ``c`` samples adds, ``steps`` its differences; no code reaches ``stride``.
    ``table`` is room for the counts, ``stride`` for each code of ``x``, of a type that holds the number of samples.
    """
    n_samples = x.size
    start = np.empty(n_samples, np.uint32)
    for sample in range(n_samples):
        start[sample] = np.uint32(x[sample]) * np.uint32(stride)
    sparse = n_samples < 2 * table.size
    for index in range(others.size):
        y = values[others[index]]
        table[:] = 0
        total = np.int64(0)
        if sparse:
            # Unsigned places: a signed one would be tested for counting from the end.
            for sample in range(n_samples):
                cell = np.uint64(start[sample]) + np.uint64(y[sample])
                before = table[cell]
                total += steps[np.uint64(before)]
                table[cell] = before + 1
        else:
            for sample in range(n_samples):
                table[np.uint64(start[sample]) + np.uint64(y[sample])] += 1
            for count in table:
                total += terms[np.uint64(count)]
        out[index] = total


@kernel("u8[:,::1] i8[::1] i8 i8 i8 i8[::1] i8[::1]")
def plane_row(words, starts, feature, first, last, terms, out):
    """Fill ``out`` with the joint entropies of a feature with features ``first..last``, by bit planes.

    ``words[w]`` are the planes of all codes at one word, those of feature f from ``starts[f]`` on: neighbouring planes
    are counted side by side. The sums are those of ``joint_row``.
    """
    for begin in range(first, last, 256):
        end = min(begin + 256, last)
        left, right = starts[begin], starts[end]
        counts = np.empty(right - left, np.uint64)
        partial = np.zeros(right - left, np.int64)
        for plane in range(starts[feature], starts[feature + 1]):
            counts[:] = 0
            for word in range(len(words)):
                line, bits = words[word, left:right], words[word, plane]
                for column in range(line.size):
                    counts[column] += popcount(bits & line[column])
            for column in range(counts.size):
                partial[column] += terms[counts[column]]
        for other in range(begin, end):
            total = np.int64(0)
            for column in range(starts[other] - left, starts[other + 1] - left):
                total += partial[column]
            out[other - first] = total
