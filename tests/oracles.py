"""Naive twins: the slow, obvious way to compute what the library computes fast. Plain NumPy loops only."""

from fractions import Fraction

import numpy as np

# --- binning and counting ----------------------------------------------------------------------------------


def quantile_codes(X, bins):
    """Codes (n_features, n_samples) and sizes, one feature and one value at a time."""
    X = np.asarray(X)
    values, sizes = [], []
    for x in X.T:
        edges = np.quantile(x.astype(np.float64), np.arange(1, bins) / bins)
        raw = [sum(1 for edge in edges if edge <= float(value)) for value in x]
        numbered = {code: k for k, code in enumerate(sorted(set(raw)))}
        values.append([numbered[code] for code in raw])
        sizes.append(len(numbered))
    return np.array(values), np.array(sizes)


def weighted_codes(x, weights, bins):
    """Codes of one feature, NaN the last: quantiles of samples that stand there as often as their weights say."""
    present = [(float(v), Fraction(w)) for v, w in zip(x, weights, strict=True) if not np.isnan(v)]
    if len(present) < len(x) and any(w.denominator > 1 for _, w in present):
        # Where some are missing, the weights of the others have an average of one, unless they count samples.
        mean = sum(w for _, w in present) / len(present)
        present = [(v, w / mean) for v, w in present]
    total = sum(w for _, w in present)
    ranks = sorted(present)

    def value_of(rank):
        reached = Fraction(0)
        for value, weight in ranks:
            reached += weight
            if reached > rank:
                return value
        raise AssertionError("beyond the last rank")

    edges = []
    for level in np.arange(1, bins) / bins if present else []:
        position = float(total - 1) * level
        below = np.floor(position)
        a, b, t = value_of(int(below)), value_of(min(int(below) + 1, total - 1)), position - below
        edges.append(b - (b - a) * (1 - t) if t >= 0.5 else a + (b - a) * t)
    raw = [len(edges) + 1 if np.isnan(v) else sum(1 for edge in edges if edge <= v) for v in x]
    numbered = {code: k for k, code in enumerate(sorted(set(raw)))}
    return [numbered[code] for code in raw], len(numbered)


def apart_codes(x, weights, bins):
    """Codes of one feature, NaN the last: frequent values apart, the others in even shares; loops over values only."""
    weight = {}
    for v, w in zip(x, weights, strict=True):
        if not np.isnan(v):
            weight[float(v)] = weight.get(float(v), Fraction(0)) + Fraction(w)
    values, total = sorted(weight), sum(weight.values())
    frequent = [v for v in values if weight[v] * bins > total]
    cuts = []
    for v in frequent:
        cuts.append(v)
        cuts += [u for u in values if u > v][:1]
    segment, segments = [], []
    for v in [*values, None]:
        if v is None or v in frequent:
            segments.append(segment)
            segment = []
        else:
            segment.append(v)
    for segment in segments:
        m = sum(weight[v] for v in segment)
        b = max(1, int(m * bins / total + Fraction(1, 2))) if total else 1
        for part in range(1, b):
            for v in segment:
                if sum(weight[u] for u in segment if u < v) >= Fraction(part, b) * m:
                    cuts.append(v)
                    break
    cuts = sorted({cut for cut in cuts if cut != values[0]})
    raw = [len(cuts) + 1 if np.isnan(v) else sum(1 for cut in cuts if cut <= v) for v in x]
    numbered = {code: k for k, code in enumerate(sorted(set(raw)))}
    return [numbered[code] for code in raw], len(numbered)


def shrunk_information(weights, a, b):
    """Entropy and mutual information in bits of James and Stein's shares of all pairs of codes that occur."""
    cells, total = {}, float(sum(weights))
    for w, cell in zip(weights, zip(a, b, strict=True), strict=True):
        cells[cell] = cells.get(cell, 0.0) + float(w)
    rows, columns = sorted({i for i, _ in cells}), sorted({j for _, j in cells})
    size = len(rows) * len(columns)
    share = np.array([[cells.get((i, j), 0.0) / total for j in columns] for i in rows])
    spread = (total - 1) * ((1 / size - share) ** 2).sum()
    pull = min(1.0, (1 - (share**2).sum()) / spread) if spread > 1e-14 else 1.0
    share = pull / size + (1 - pull) * share
    joint = -sum(p * np.log2(p) for p in share.ravel() if p > 0)
    margins = -sum(p * np.log2(p) for p in [*share.sum(axis=0), *share.sum(axis=1)] if p > 0)
    return joint, margins - joint


def weighted_entropy(weights, *sequences, corrected=False):
    """Joint entropy in bits of sequences of codes, by a dictionary of their cells; perhaps with Miller-Madow."""
    cells = {}
    for weight, cell in zip(weights, zip(*sequences, strict=True), strict=True):
        cells[cell] = cells.get(cell, Fraction(0)) + Fraction(weight)
    total = sum(cells.values())
    plain = -sum(float(c / total) * np.log2(float(c / total)) for c in cells.values())
    return plain + (len(cells) - 1) / (2 * float(total) * np.log(2)) if corrected else plain


def joint_table(a, b, rows, columns):
    """Counts of each pair of codes, one sample at a time."""
    table = np.zeros((rows, columns), dtype=np.int64)
    for i, j in zip(a, b, strict=True):
        table[i, j] += 1
    return table


def entropy(counts):
    """Entropy in bits of a table of counts of any shape."""
    total = counts.sum()
    return -sum(c / total * np.log2(c / total) for c in np.ravel(counts) if c > 0)


def joint_entropy(a, b):
    """Joint entropy in bits of two sequences of codes."""
    return entropy(joint_table(a, b, max(a) + 1, max(b) + 1))


def mutual_information(a, b):
    """Equation 7 of the paper, term by term."""
    share = joint_table(a, b, max(a) + 1, max(b) + 1) / len(a)
    total = 0.0
    for i in range(share.shape[0]):
        for j in range(share.shape[1]):
            if share[i, j] > 0:
                total += share[i, j] * np.log2(share[i, j] / (share[i].sum() * share[:, j].sum()))
    return total


def bit_planes(codes, size, skip):
    """Rows of 64-bit words, one row for each code from skip on; bit s % 64 of word s // 64 is sample s."""
    planes = [[0] * (-(-len(codes) // 64)) for _ in range(size)]
    for sample, code in enumerate(codes):
        planes[int(code)][sample // 64] |= 1 << (sample % 64)
    return np.array(planes, dtype=np.uint64)[skip:]


def common_ones(a, b):
    """How many ones each row of words a shares with each row of words b."""
    return np.array(
        [[sum((int(v) & int(w)).bit_count() for v, w in zip(p, q, strict=True)) for q in b] for p in a]
    )
