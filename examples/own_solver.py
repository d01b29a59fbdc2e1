"""
How do I use a solver of my own?
================================

A solver is any function that takes a QUBO and returns solutions. Is a greedy search good enough? The default solver
proves its answers, so the question has an answer.
"""

import numpy as np
from sklearn.datasets import load_digits

from quboselect import SelectQUBO, Solutions, criteria, solvers
from quboselect.testing import check_solver, verify


# %%
# Add the feature that lowers the energy most, as long as one does. Solutions.of computes the energies.
def greedy(qubo):
    x = np.zeros(qubo.size, dtype=bool)
    while True:
        change = np.where(x, np.inf, qubo.linear + qubo.couplings @ x)
        if change.min() >= 0:
            return Solutions.of(qubo, x)
        x[change.argmin()] = True


# %%
# The kit certifies it: the right shapes, the right energies, no false claim of an optimum.
check_solver(greedy)

# %%
# How far greedy falls behind depends on alpha. The minimum is proven, and other code checks the certificate.
X, y = load_digits(return_X_y=True)
selector = SelectQUBO(k=5).fit(X, y)
tradeoff = selector.result_.tradeoff
for alpha in (0.1, 0.5, 0.7):
    qubo = tradeoff.at(alpha)
    optimum = solvers.Portfolio()(qubo)
    verify(qubo, optimum)
    behind = 1 - greedy(qubo).energy[0] / optimum.energy[0]
    print(f"alpha {alpha}: greedy is {behind:.1%} behind a minimum that is proven: {optimum.proven}")

# %%
# In the selector it takes the place of the default, with a criterion that finds alpha by the solver: greedy cannot be
# held to five. Nothing is claimed that it cannot prove.
selector.set_params(criterion=criteria.QFS()).fit(X, y)
mine = SelectQUBO(k=5, criterion=criteria.QFS(), solver=greedy).fit(X, y)
print("mine:   ", mine.get_support(indices=True), "proven:", mine.proven_)
print("default:", selector.get_support(indices=True), "proven:", selector.proven_)
