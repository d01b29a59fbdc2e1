"""Criteria and bins on tables that are not ours to ship: madelon, MNIST, word counts, and a census."""

import numpy as np
import pandas as pd
import pytest

from authors import DATA, needs
from quboselect import SelectQUBO, criteria, importance

pytestmark = pytest.mark.authors
MADELON, MNIST = DATA / "madelon.npz", DATA / "mnist.npz"
WORDS, CENSUS = DATA / "downstream" / "PCMAC.npz", DATA / "downstream" / "adult.csv.gz"


@needs(MADELON)
def test_jmi_finds_the_twenty_true_features_of_madelon_and_proves_it():
    held = np.load(MADELON)
    selector = SelectQUBO(k=20, criterion=criteria.JMI()).fit(held["X"], held["y"].ravel())
    assert selector.proven_
    # Those of the authors' subset, which the paper says equals the ground truth.
    true = [28, 48, 64, 105, 128, 153, 241, 281, 318, 336, 338, 378, 433, 442, 451, 453, 455, 472, 475, 493]
    assert selector.get_support(indices=True).tolist() == true


@needs(MNIST)
@pytest.mark.parametrize("alpha", [0.5, 0.784, 0.99])
def test_thirty_pixels_are_thirty_pixels_at_every_alpha(alpha):
    held = np.load(MNIST)
    X, y = held["X"][::20], held["y"].ravel()[::20]
    selector = SelectQUBO(k=30, alpha=alpha).fit(X.reshape(len(X), -1), y)
    assert (selector.k_, selector.alpha_) == (30, alpha)


@needs(WORDS)
def test_rare_words_are_seen():
    held = np.load(WORDS)
    found = importance.MutualInformation()(held["X"], held["y"].ravel())
    plain = importance.MutualInformation(bins=20, edges="quantile")(held["X"], held["y"].ravel())
    assert (found > 0).sum() >= 2000
    assert (plain > 0).sum() < 200


@needs(CENSUS)
def test_a_column_of_zeros_with_some_numbers_has_its_information():
    frame = pd.read_csv(CENSUS)
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    column = list(X).index("capital-loss")
    assert importance.MutualInformation()(X, y)[column] > 0.01
    assert importance.MutualInformation(bins=20, edges="quantile")(X, y)[column] == 0.0
    apart = criteria.Pairs(5, together=0)
    assert "capital-loss" in SelectQUBO(k=5, criterion=apart).fit(X, y).get_feature_names_out()
