"""What does a path look like? Size, importance and redundancy of the optimal subset over alpha."""

import sys

import matplotlib.pyplot as plt

from quboselect import Tradeoff, alpha_path, importance, redundancy
from quboselect.datasets import load_ionosphere

# %%
data = load_ionosphere()
tradeoff = Tradeoff(importance.MutualInformation()(data.X, data.y), redundancy.MutualInformation()(data.X))
path = alpha_path(tradeoff)

# %%
# Most happens close to alpha = 1, so the axis is stretched there: a / (1 - a) on a logarithmic scale.
start, stop = path[1].stop / 2, 0.997
edges = [start, *(segment.start for segment in path[2:]), stop]
odds = [alpha / (1 - alpha) for alpha in edges]
figure, axes = plt.subplots(3, 1, figsize=(7.5, 5.4), sharex=True, layout="constrained")
rows = [
    ("features", path.sizes[1:], "#0072B2"),
    ("importance (bits)", [segment.importance for segment in path[1:]], "#009E73"),
    ("redundancy (bits)", [segment.redundancy for segment in path[1:]], "#D55E00"),
]
chosen = path.of_size(5)
for axis, (label, values, colour) in zip(axes, rows, strict=True):
    axis.stairs(values, odds, color=colour, linewidth=1.8, baseline=None)
    axis.axvspan(chosen.start / (1 - chosen.start), chosen.stop / (1 - chosen.stop), color="0.88", zorder=0)
    axis.set_ylabel(label)
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(axis="y", color="0.93")
    axis.set_axisbelow(True)
axes[0].annotate(
    "k = 5", (chosen.start / (1 - chosen.start), 29), fontsize=9, xytext=(-32, 0), textcoords="offset points"
)
axes[0].set_title("ionosphere: the optimal subset for every alpha, each step proven", fontsize=11, loc="left")
ticks = [0.3, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995]
axes[2].set_xscale("log")
axes[2].set_xticks([a / (1 - a) for a in ticks], [f"{a:g}" for a in ticks])
axes[2].minorticks_off()
axes[2].set_xlim(odds[0], odds[-1])
axes[2].set_xlabel("alpha")
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], metadata={"Date": None} if sys.argv[1].endswith("svg") else None)
