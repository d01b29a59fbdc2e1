"""Joint entropies of one feature with many others, in fixed point; ``redundancy/pairs.py`` calls it.

Where samples are few, most cells of a table are empty, and going through them all costs more than counting. A sample
that is the ``c``-th in its cell adds ``terms[c] - terms[c - 1]`` to the entropy, so no cell is looked at twice. Whole
numbers add up to the same in any order: the entropy of (i, j) is that of (j, i) to the last bit.
"""

import numpy as np

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
