"""A classifier: a neural network with one hidden layer.

It is scikit-learn's ``MLPClassifier`` as it comes (Adam, batches of 200, until ten epochs in a row bring less than
1e-4), number for number but for rounding: the same weights are drawn, and the same samples meet in a batch. Five
neurons are so few that scikit-learn spends its time between the operations; here a batch is one kernel, several times
as quick.
"""

from typing import Self

import numpy as np
import numpy.typing as npt
from numba import njit
from sklearn.utils import check_X_y

BATCH, TOLERANCE, PATIENCE, DECAY = 200, 1e-4, 10, 1e-4
RATE, FIRST, SECOND, EPS = 1e-3, 0.9, 0.999, 1e-8


class Network:
    """One hidden layer of rectified units, and a softmax, or a logistic unit for two classes.

    Parameters
    ----------
    hidden : int
        Neurons of the hidden layer.
    iterations : int
        Epochs at most.
    seed : int
        Where the weights and the order of the samples start from.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 400).reshape(-1, 1)
    >>> Network(4, iterations=200, seed=0).fit(X, X[:, 0] > 0).score([[-0.5], [0.5]], [False, True])
    1.0
    """

    def __init__(self, hidden: int, *, iterations: int, seed: int) -> None:
        if hidden < 1:
            raise ValueError(f"a network needs one hidden neuron or more, got {hidden}.")
        self.hidden, self.iterations, self.seed = hidden, iterations, seed

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Train until nothing improves any more, or the iterations are over."""
        table, labels = check_X_y(X, y, dtype=np.float64, order="C")
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if self.classes_.size < 2:
            raise ValueError(f"a network needs two classes or more, got {self.classes_.size}.")
        outputs = 1 if self.classes_.size == 2 else self.classes_.size
        rng = np.random.RandomState(self.seed)
        sizes = [(table.shape[1], self.hidden), (self.hidden, outputs)]
        layers: list[npt.NDArray[np.float64]] = []
        for before, after in sizes:
            bound = np.sqrt(6.0 / (before + after))
            drawn = rng.uniform(-bound, bound, (before, after)), rng.uniform(-bound, bound, after)
            layers += [np.ascontiguousarray(drawn[0].T), drawn[1]]
        self.layers_ = tuple(layers)
        moments = tuple(np.zeros((2, *layer.shape)) for layer in layers)
        order, best, idle, batches = np.arange(len(table)), np.inf, 0, 0
        self.losses_: list[float] = []
        while len(self.losses_) < self.iterations and idle <= PATIENCE:
            places = np.arange(len(table))
            rng.shuffle(places)
            order = order[places]
            loss, batches = _epoch(table, codes, order, *self.layers_, *moments, batches)
            self.losses_.append(loss)
            idle = idle + 1 if loss > best - TOLERANCE else 0
            best = min(best, loss)
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[np.generic]:
        """Return the likeliest class of every sample."""
        inner, shift, outer, end = self.layers_
        found = np.maximum(np.asarray(X, np.float64) @ inner.T + shift, 0.0) @ outer.T + end
        return self.classes_[found.argmax(axis=1) if len(end) > 1 else (found[:, 0] > 0.0).astype(int)]

    def score(self, X: npt.ArrayLike, y: npt.ArrayLike) -> float:
        """Return the share of samples whose class is found."""
        return float(np.mean(self.predict(X) == np.asarray(y)))


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _epoch(X, codes, order, inner, shift, outer, end, m_inner, m_shift, m_outer, m_end, batches):  # type: ignore[no-untyped-def]
    """Pass once over all samples, change the weights after every batch; return the mean loss and the batches so far.

    Solutions lie along the last axis of all that a batch needs, so that the inner loops are long.
    """
    m, n = X.shape
    hidden, outputs = inner.shape[0], outer.shape[0]
    x, h, z = np.empty((n, BATCH)), np.empty((hidden, BATCH)), np.empty((outputs, BATCH))
    back, sums = np.empty(BATCH), np.empty(BATCH)
    d_inner, d_shift = np.empty_like(inner), np.empty_like(shift)
    d_outer, d_end = np.empty_like(outer), np.empty_like(end)
    total = 0.0
    for start in range(0, m, BATCH):
        size = min(BATCH, m - start)
        for s in range(size):
            row = order[start + s]
            for i in range(n):
                x[i, s] = X[row, i]
        _forward(inner, shift, x, h, size)
        for j in range(hidden):
            for s in range(size):
                h[j, s] = max(h[j, s], 0.0)
        _forward(outer, end, h, z, size)
        squares = (inner * inner).sum() + (outer * outer).sum()
        loss = _residuals(z, sums, codes, order, start, size)
        total += loss + 0.5 * DECAY * squares
        _gradient(outer, z, h, d_outer, d_end, size)
        for j in range(hidden):
            back[:size] = 0.0
            for c in range(outputs):
                for s in range(size):
                    back[s] += outer[c, j] * z[c, s]
            for s in range(size):
                h[j, s] = back[s] if h[j, s] > 0.0 else 0.0
        _gradient(inner, h, x, d_inner, d_shift, size)
        batches += 1
        rate = RATE * np.sqrt(1.0 - SECOND**batches) / (1.0 - FIRST**batches)
        _adam(inner.ravel(), d_inner.ravel(), m_inner.reshape(2, -1), rate)
        _adam(shift, d_shift, m_shift, rate)
        _adam(outer.ravel(), d_outer.ravel(), m_outer.reshape(2, -1), rate)
        _adam(end, d_end, m_end, rate)
    return total / m, batches


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _forward(weights, shift, x, z, size):  # type: ignore[no-untyped-def]
    for j in range(weights.shape[0]):
        z[j, :size] = shift[j]
        for i in range(weights.shape[1]):
            w = weights[j, i]
            for s in range(size):
                z[j, s] += w * x[i, s]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _residuals(z, sums, codes, order, start, size):  # type: ignore[no-untyped-def]
    """Turn outputs into probabilities less the truth, and return the sum of the log losses."""
    tiny = 2.220446049250313e-16
    outputs, loss = z.shape[0], 0.0
    if outputs == 1:
        for s in range(size):
            p = 1.0 / (1.0 + np.exp(-z[0, s]))
            hit = codes[order[start + s]] == 1
            loss -= np.log(min(max(p if hit else 1.0 - p, tiny), 1.0 - tiny))
            z[0, s] = p - 1.0 if hit else p
        return loss
    for s in range(size):
        highest = z[0, s]
        for c in range(1, outputs):
            highest = max(highest, z[c, s])
        for c in range(outputs):
            z[c, s] = np.exp(z[c, s] - highest)
    sums[:size] = 0.0
    for c in range(outputs):
        for s in range(size):
            sums[s] += z[c, s]
    for c in range(outputs):
        for s in range(size):
            z[c, s] /= sums[s]
    for s in range(size):
        c = codes[order[start + s]]
        loss -= np.log(min(max(z[c, s], tiny), 1.0 - tiny))
        z[c, s] -= 1.0
    return loss


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _gradient(weights, delta, x, d_weights, d_shift, size):  # type: ignore[no-untyped-def]
    for j in range(weights.shape[0]):
        found = 0.0
        for s in range(size):
            found += delta[j, s]
        d_shift[j] = found / size
        for i in range(weights.shape[1]):
            found = 0.0
            for s in range(size):
                found += delta[j, s] * x[i, s]
            d_weights[j, i] = (found + DECAY * weights[j, i]) / size


@njit(cache=True, nogil=True)
def _adam(weights, gradient, moments, rate):  # type: ignore[no-untyped-def]
    for i in range(weights.size):
        moments[0, i] = FIRST * moments[0, i] + (1.0 - FIRST) * gradient[i]
        moments[1, i] = SECOND * moments[1, i] + (1.0 - SECOND) * gradient[i] ** 2
        weights[i] -= rate * moments[0, i] / (np.sqrt(moments[1, i]) + EPS)
