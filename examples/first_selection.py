"""
Which features should I keep?
=============================

Thirty measurements of a tumour, many of which say the same thing in other words. Which five say most about the
diagnosis and repeat each other least, and why should you believe it?
"""

import sys

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from quboselect import SelectQUBO
from quboselect.plots import FeaturesDisplay, RedundancyDisplay

# %%
# The selector needs the table, the label, and how many. A frame keeps its names.
X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selector = SelectQUBO(k=5).fit(X, y)
print("selected:", ", ".join(selector.get_feature_names_out()))

# %%
# Exactly five come back. Their path says for which alphas, the weight of importance, no other five are better.
here = selector.path(size=5).at(selector.alpha_)
proof = "proven" if here.proven else "not proven"
print(f"the best five for every alpha from {here.start:.4f} to {here.stop:.4f}: {proof}")

# %%
# The five most important features alone would say the same thing several times.
support = selector.support_
top = selector.importance_.argsort()[-5:]
within = selector.redundancy_[support][:, support].sum() / 20
among_top = selector.redundancy_[top][:, top].sum() / 20
print(f"mean redundancy of a pair: {within:.2f} bits, {among_top:.2f} among the five most important")

# %%
# Selected features stand far up, as they say much, and left, as the others selected do not say it too. In the map, of
# a block of features that repeat each other only some are taken.
figure, axes = plt.subplots(2, 1, figsize=(7.5, 10), layout="constrained", height_ratios=(2, 3))
FeaturesDisplay.from_estimator(selector, label="what each feature adds", ax=axes[0])
RedundancyDisplay.from_estimator(selector, label="what pairs of features share", ax=axes[1])
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
else:
    plt.show()
