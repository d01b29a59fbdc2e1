"""
How do I use a measure of my own?
=================================

A measure is any function: importance maps a table and a label to one number for each feature, redundancy maps a table
to a matrix. How do you plug one in, and be sure that it fits?
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.feature_selection import f_classif

from quboselect import SelectQUBO, importance, redundancy
from quboselect.testing import check_redundancy

# %%
# Scores of scikit-learn are importances as they are. Redundancy is symmetric, not negative, with a zero diagonal.
X, y = load_wine(return_X_y=True, as_frame=True)


def squared_correlation(X):
    """Return the share of variance that each pair of features has in common."""
    centred = np.asarray(X, float) - np.asarray(X, float).mean(axis=0)
    length = np.linalg.norm(centred, axis=0)
    unit = centred / np.where(length > 0, length, 1)  # a constant feature shares nothing
    shared = np.triu((unit.T @ unit) ** 2, 1)
    return shared + shared.T


# %%
# The kit tries a measure on tables that are easy to forget, and says in words what is wrong.
check_redundancy(squared_correlation)
selector = SelectQUBO(k=4, importance=f_classif, redundancy=squared_correlation).fit(X, y)
print("mine:    ", ", ".join(selector.get_feature_names_out()))

# %%
# Numbers that you have already, from a model or from an expert, need no function.
known = np.linspace(1.0, 2.0, X.shape[1])
selector = SelectQUBO(k=4, importance=importance.Precomputed(known)).fit(X, y)
print("given:   ", ", ".join(selector.get_feature_names_out()))

# %%
# Measures that come with the library: mutual information, plain or corrected for its bias; correlation.
both = {
    "importance": importance.MutualInformation(bins=10, estimate="miller-madow"),
    "redundancy": redundancy.MutualInformation(bins=10, estimate="miller-madow"),
}
print("ready:   ", ", ".join(SelectQUBO(k=4, **both).fit(X, y).get_feature_names_out()))
