"""
What does alpha do?
===================

Alpha weighs importance against redundancy: at 0 nothing is worth selecting, at 1 everything is. Between them the
optimal subset changes only at some breakpoints. What does the whole path look like?
"""

import sys

import matplotlib.pyplot as plt

from quboselect import SelectQUBO, criteria
from quboselect.datasets import load_ionosphere
from quboselect.plots import EntryDisplay, PathDisplay

# %%
# One fit measures importance and redundancy; they do not depend on alpha. What features say only together is left out
# here: by the default criterion a pair may be worth having at alpha 0.
X, y = load_ionosphere(return_X_y=True)
selector = SelectQUBO(k=5, criterion=criteria.Pairs(together=0)).fit(X, y)
path = selector.path()
print(f"{len(path)} segments by {path.solves} QUBOs, proven: {path.proven}")

# %%
# Ask for one alpha, or for a size. A segment knows its window, its features and its proof.
print(path.at(0.9))
print(path.of_size(10))

# %%
# Size, importance and redundancy grow in steps. Most happens near 1, so the axis is stretched there.
label = "ionosphere: the optimal subset for every alpha, each step proven"
display = PathDisplay.from_path(path, k=5, label=label, unit="bits")

# %%
# Features enter, and some leave again when others say together what they said alone.
entry = EntryDisplay.from_path(path, k=5, label="ionosphere: which features are in")
if len(sys.argv) > 1:
    for file, picture in zip(sys.argv[1:], (display, entry), strict=False):
        picture.figure_.savefig(file)
else:
    plt.show()
