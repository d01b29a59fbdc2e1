"""
What do I answer a colleague?
=============================

Which features, in which order, why not this one, what else would do, how sure, and what to beware of: one call each.
Give it a table of your own, ``python examples/colleague.py TABLE TARGET K``, or see it answer for wines.
"""

import sys

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

from quboselect import SelectQUBO

if len(sys.argv) > 3:
    table, target, k = sys.argv[1], sys.argv[2], int(sys.argv[3])
    frame = pd.read_csv(table)
    X, y = frame.drop(columns=target), frame[target]
else:
    k, (X, y) = 4, load_wine(return_X_y=True, as_frame=True)
selector = SelectQUBO(k).fit(X, y)

# %%
# Which, and which next?
order = np.argsort(selector.ranking_)
print(
    "selected:",
    ", ".join(selector.get_feature_names_out()),
    "- proven" if selector.proven_ else "- not proven",
)
print("next:", ", ".join(X.columns[order[k : k + 3]]))

# %%
# Why, and why not?
told = selector.explain()
print(told[order[0]])
print(told[order[k]])

# %%
# What else would do?
print(selector.alternatives(3, different=1))
print(selector.swaps(order[k - 1])[0])

# %%
# How sure, and what to beware of?
print(repr(selector.stability(X, y, n_resamples=20)))
for note in selector.warnings_:
    print("note:", note)
