"""Textbook definitions of the criteria, counted naively: lists, dictionaries and logarithms."""

from collections import Counter
from itertools import combinations, permutations
from math import log2


def entropy(values):
    total = len(values)
    return -sum(c / total * log2(c / total) for c in Counter(values).values())


def information(a, b):
    return entropy(a) + entropy(b) - entropy(list(zip(a, b, strict=True)))


def conditional(a, b, y):
    """I(a; b | y), class by class."""
    total = len(y)
    found = 0.0
    for label in set(y):
        inside = [i for i in range(total) if y[i] == label]
        found += len(inside) / total * information([a[i] for i in inside], [b[i] for i in inside])
    return found


class Textbook:
    """The scores of subsets of the columns of a table of categories, each to be as high as possible."""

    def __init__(self, X, y):
        self.columns, self.y = [list(column) for column in zip(*X, strict=True)], list(y)

    def subsets(self, k):
        return combinations(range(len(self.columns)), k)

    def _I(self, i):  # noqa: N802
        return information(self.columns[i], self.y)

    def _R(self, i, j):  # noqa: N802
        return information(self.columns[i], self.columns[j])

    def _both(self, i, j):
        return list(zip(self.columns[i], self.columns[j], strict=True))

    def _trust(self, i, j):
        cells = len(set(self.y)) * len(set(self.columns[i])) * len(set(self.columns[j]))
        return 0.5 * len(self.y) / cells / (len(self.y) / cells + 1)

    def _shrunk(self, i, j, together=None):
        inside = conditional(self.columns[i], self.columns[j], self.y)
        return max(0.0, self._R(i, j) - (self._trust(i, j) if together is None else together) * inside)

    def pairs(self, chosen, together=None):
        return sum(self._I(i) + self._I(j) - self._shrunk(i, j, together) for i, j in combinations(chosen, 2))

    def pairs_apart(self, chosen):
        return self.pairs(chosen, together=0)

    def pairs_half(self, chosen):
        return self.pairs(chosen, together=0.5)

    def mrmr(self, chosen):
        k = len(chosen)
        repeated = sum(self._R(i, j) for i, j in permutations(chosen, 2))
        return sum(map(self._I, chosen)) / k - repeated / k**2

    def mifs(self, chosen, beta=0.7):
        return sum(map(self._I, chosen)) - beta * sum(self._R(i, j) for i, j in combinations(chosen, 2))

    def jmi(self, chosen):
        return sum(information(self._both(i, j), self.y) for i, j in combinations(chosen, 2))

    def cmi(self, chosen):
        told = sum(conditional(self.columns[j], self.y, self.columns[i]) for i, j in permutations(chosen, 2))
        return sum(map(self._I, chosen)) + told

    def _co(self, i, j):
        return self._R(i, j) - conditional(self.columns[i], self.columns[j], self.y)

    def cife(self, chosen):
        return sum(map(self._I, chosen)) - sum(self._co(i, j) for i, j in combinations(chosen, 2))

    def icap(self, chosen):
        return sum(map(self._I, chosen)) - sum(max(0.0, self._co(i, j)) for i, j in combinations(chosen, 2))

    def disr(self, chosen):
        total = 0.0
        for i, j in combinations(chosen, 2):
            three = entropy(list(zip(self.columns[i], self.columns[j], self.y, strict=True)))
            total += information(self._both(i, j), self.y) / three if three else 0.0
        return total
