"""How good are the reads of an annealer? All of them by energy, and how often each feature was selected."""

import sys

import matplotlib.pyplot as plt

from quboselect import Tradeoff, importance, redundancy
from quboselect.datasets import load_ionosphere
from quboselect.plots import SolutionsDisplay
from quboselect.quantum.dimod import Dimod
from quboselect.solvers import Anneal, Portfolio

# %%
data = load_ionosphere()
tradeoff = Tradeoff(importance.MutualInformation()(data.X, data.y), redundancy.MutualInformation()(data.X))
qubo = tradeoff.at(0.90625)
proven = Portfolio()(qubo)

# %%
# Sixteen runs of 1024 reads, as in the paper: by D-Wave's simulated annealing, or by ours where that is missing.
try:
    from dwave.samplers import SimulatedAnnealingSampler

    name = "simulated annealing (dwave-samplers)"
    solvers = [Dimod(SimulatedAnnealingSampler, 1024, seed=seed) for seed in range(16)]
except ImportError:
    name = "simulated annealing"
    solvers = [Anneal(reads=1024, seed=seed) for seed in range(16)]
runs = [solver(qubo) for solver in solvers]

# %%
plt.rcParams["svg.hashsalt"] = "quboselect"
display = SolutionsDisplay.from_runs(runs, proven, qubo=qubo, label=f"ionosphere, {name}", unit="bits")
print(f"the optimum was read: {display.rate}")
if len(sys.argv) > 1:
    metadata = {"Date": None} if sys.argv[1].endswith("svg") else None
    display.figure_.savefig(sys.argv[1], metadata=metadata)
