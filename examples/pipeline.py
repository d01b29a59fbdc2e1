"""
How many features does my model need?
=====================================

In a pipeline the selector sees only what the model may see. How many features serve the model best, and would other
samples have led to the same ones?
"""

import sys

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from quboselect import SelectQUBOCV, stability
from quboselect.plots import SizesDisplay, StabilityDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = make_pipeline(StandardScaler(), LogisticRegression())

# %%
# In each fold every k is selected on the training part alone, by three criteria; it is counted once for all of them.
search = SelectQUBOCV(model, k=[1, 2, 4, 8, 16], cv=5).fit(X, y)
print(f"by cross-validation: {search.k_} of {X.shape[1]} features")
print(", ".join(search.get_feature_names_out()))
print(search.choice_)

# %%
# The honest score of all of it: the search for k is part of what is validated.
whole = make_pipeline(SelectQUBOCV(model, k=[2, 4, 8, 16], cv=3), model)
nested = cross_val_score(whole, X, y, cv=3)
every = cross_val_score(model, X, y, cv=3)
print(f"accuracy with the selected features {nested.mean():.3f}, with all of them {every.mean():.3f}")

# %%
# What is selected from random halves of the table.
found = stability(search.selector_, X, y, n_resamples=20, fraction=0.5)
figure, axes = plt.subplots(2, 1, figsize=(7.5, 9), layout="constrained", height_ratios=(2, 3))
SizesDisplay.from_estimator(search, label="how many", ax=axes[0])
StabilityDisplay.from_stability(found, label=f"how stable, k = {search.k_}", ax=axes[1])
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
else:
    plt.show()
