"""Tables of which it is known what says something: the target is drawn first, and the features given the target.

``truth`` is 0 for a useless feature, which is drawn without a look at the target, 1 for one that was drawn by it, and 2
for an echo: one of these with noise. An echo says something of the target alone, so it is no false discovery, although
it says nothing new.
"""

import numpy as np

from quboselect.importance import MutualInformation

USELESS, USEFUL, ECHO = 0, 1, 2
SIZES = ((50, 100), (50, 300), (150, 300), (150, 1000), (500, 100), (500, 300))  # features, samples
REPEATS = 5  # of each kind and size
USELESS_TABLES, USELESS_FEATURES = 150, 100  # of each setting


def strengths(rng, n_useful):
    """Return how far useful features are from useless ones, in standard deviations, with a sign."""
    return rng.uniform(0.3, 1.0, n_useful) * rng.choice([-1, 1], n_useful)


def marked(n, useful):
    return np.where(np.arange(n) < useful, USEFUL, USELESS)


def independent(rng, n, samples):
    """Two classes whose means differ; every feature is independent of the others within a class."""
    y = rng.integers(0, 2, samples)
    X = rng.normal(size=(samples, n))
    X[:, : n // 10] += strengths(rng, n // 10) * y[:, None]
    return X, y, marked(n, n // 10)


def correlated(rng, n, samples):
    """The same, but features share a factor in tens, correlated by 0.7; useless ones with useless ones only."""
    y = rng.integers(0, 2, samples)
    factor = np.repeat(rng.normal(size=(samples, n // 10)), 10, axis=1)
    X = np.sqrt(0.7) * factor + np.sqrt(0.3) * rng.normal(size=(samples, n))
    useful = 10 * (n // 100 + 1)
    X[:, :useful] += strengths(rng, useful) * y[:, None]
    return X, y, marked(n, useful)


def echoes(rng, n, samples):
    """The first kind, and two echoes of each useful feature."""
    useful = n // 20
    X, y, truth = independent(rng, n, samples)
    X[:, : n // 10] = rng.normal(size=(samples, n // 10))
    X[:, :useful] += strengths(rng, useful) * y[:, None]
    X[:, useful : 3 * useful] = np.tile(X[:, :useful], 2) + 0.5 * rng.normal(size=(samples, 2 * useful))
    truth[:] = USELESS
    truth[:useful], truth[useful : 3 * useful] = USEFUL, ECHO
    return X, y, truth


def spread(rng, n, samples):
    """Two classes of equal means: useful features only vary more in one of them."""
    y = rng.integers(0, 2, samples)
    X = rng.normal(size=(samples, n))
    X[:, : n // 10] *= 1.0 + rng.uniform(0.4, 1.5, n // 10) * y[:, None]
    return X, y, marked(n, n // 10)


def numbers(rng, n, samples):
    """A target of numbers, on which useful features depend by a line or by its square."""
    y = rng.normal(size=samples)
    X = rng.normal(size=(samples, n))
    useful = n // 10
    form = np.where(np.arange(useful) % 2, (y[:, None] ** 2 - 1) / np.sqrt(2), y[:, None])
    X[:, :useful] += 0.7 * strengths(rng, useful) * form
    return X, y, marked(n, useful)


def categories(rng, n, samples):
    """Three classes of unlike size; features of 2 to 12 categories, as codes, some of them rare."""
    y = rng.choice(3, samples, p=[0.6, 0.3, 0.1])
    X = np.empty((samples, n))
    for j in range(n):
        level = np.log(rng.dirichlet(np.ones(rng.integers(2, 13))) + 0.01)
        by_class = level + (rng.normal(0.0, 0.7, (3, level.size)) if j < n // 10 else np.zeros((3, 1)))
        X[:, j] = (by_class[y] + rng.gumbel(size=(samples, level.size))).argmax(axis=1)
    return X, y, marked(n, n // 10)


def rare(rng, n, samples):
    """One sample in five is of the second class, where useful features, which are rarely 1, are so more often."""
    y = (rng.random(samples) < 0.2).astype(int)
    share = rng.uniform(0.02, 0.15, n)
    often = np.where(np.arange(n) < n // 10, rng.uniform(2.0, 4.0, n), 1.0)
    X = (rng.random((samples, n)) < np.where(y[:, None] == 1, share * often, share)).astype(float)
    return X, y, marked(n, n // 10)


def nothing(rng, n, samples):
    """No feature has to do with the two classes; any discovery is false."""
    return rng.normal(size=(samples, n)), rng.integers(0, 2, samples), marked(n, 0)


KINDS = {
    kind.__name__: kind
    for kind in (independent, correlated, echoes, spread, numbers, categories, rare, nothing)
}


def tables():
    """Yield the kind, the place in it, X, y and the truth of every table."""
    for number, (kind, made) in enumerate(KINDS.items()):
        place = 0
        for repeat in range(REPEATS):
            for n, samples in SIZES:
                rng = np.random.default_rng([number, repeat, n, samples])
                yield kind, place, *made(rng, n, samples)
                place += 1


def useless():
    """Yield a setting, X, y and the measure for tables without a useful feature."""
    plain = MutualInformation(n_jobs=1)
    for seed in range(USELESS_TABLES):
        rng = np.random.default_rng([99, seed])
        X = rng.normal(size=(300, USELESS_FEATURES))
        yield "100 samples, 2 classes", X[:100], rng.integers(0, 2, 100), plain
        yield "300 samples, target of numbers", X, rng.normal(size=300), plain
        rare = rng.random(X.shape) < rng.uniform(0.02, 0.15, USELESS_FEATURES)
        yield "300 samples, rare ones, 2 classes", rare.astype(float), rng.random(300) < 0.2, plain
        twenty = MutualInformation(20, "quantile", n_jobs=1)
        yield "200 samples, 3 classes, 20 quantile bins", X[:200], rng.integers(0, 3, 200), twenty
