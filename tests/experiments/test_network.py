import warnings

import numpy as np
import pytest
from network import Network
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier


def _problem(samples, features, classes, seed):
    rng = np.random.default_rng(seed)
    X = rng.random((samples, features))
    scores = np.sin(3 * X) @ rng.normal(size=(features, classes)) + 0.3 * rng.normal(size=(samples, classes))
    return X, np.array(["a", "b", "c", "d"])[scores.argmax(axis=1)]


def _theirs(hidden, iterations, seed):
    return MLPClassifier((hidden,), max_iter=iterations, random_state=seed)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("samples", "features", "classes", "hidden"),
    [(150, 5, 3, 3), (430, 7, 2, 4), (1001, 20, 4, 22), (401, 1, 2, 1)],
)
def test_every_epoch_is_that_of_scikit_learn(samples, features, classes, hidden, seed):
    X, y = _problem(samples, features, classes, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = _theirs(hidden, 60, seed).fit(X, y)
    ours = Network(hidden, iterations=60, seed=seed).fit(X, y)
    np.testing.assert_allclose(ours.losses_, theirs.loss_curve_, rtol=1e-10)
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()
    assert ours.score(X, y) == theirs.score(X, y)


def test_it_stops_when_scikit_learn_stops():
    X, y = _problem(600, 3, 2, 0)
    theirs = _theirs(3, 1000, 0).fit(X, y)
    ours = Network(3, iterations=1000, seed=0).fit(X, y)
    assert len(ours.losses_) == theirs.n_iter_ < 1000
    np.testing.assert_allclose(ours.losses_, theirs.loss_curve_, rtol=1e-8)


def test_large_features_do_not_break_it():
    # As on madelon: outputs so far apart that probabilities are 0 and 1.
    X, y = _problem(300, 6, 3, 1)
    theirs = _theirs(4, 30, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs.fit(1e4 * X, y)
    ours = Network(4, iterations=30, seed=1).fit(1e4 * X, y)
    assert np.isfinite(ours.losses_).all()
    np.testing.assert_allclose(ours.losses_, theirs.loss_curve_, rtol=1e-6)


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (np.zeros((10, 2)), np.arange(9) % 2, "inconsistent numbers of samples"),
        (np.full((4, 2), np.nan), [0, 1, 0, 1], "contains NaN"),
        (np.full((4, 2), np.inf), [0, 1, 0, 1], "contains infinity"),
        (np.zeros(4), [0, 1, 0, 1], "Expected 2D array"),
    ],
)
def test_what_scikit_learn_would_refuse_is_refused(X, y, words):
    with pytest.raises(ValueError, match=words):
        Network(2, iterations=3, seed=0).fit(X, y)


def test_no_neuron_is_refused():
    with pytest.raises(ValueError, match="one hidden neuron or more, got 0"):
        Network(0, iterations=3, seed=0)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="two classes or more, got 1"):
        Network(2, iterations=3, seed=0).fit(np.zeros((4, 2)), [1, 1, 1, 1])
