"""The loop: any backend, one objective after the other, all that was spent."""

import numpy as np
import pytest

from quboselect.quantum.circuits import SPSA, TwoDesign, cvar, uniform, variational
from quboselect.quantum.circuits.optimisers import Found
from solver_oracles import random_qubo

ALL = {"start": uniform, "optimiser": SPSA(iterations=2, calibration=1), "shots": 8, "seed": 0, "info": {}}


@pytest.mark.parametrize(("share", "kept"), [(1.0, 10), (0.5, 5), (0.25, 3), (0.1, 1), (0.01, 1), (0.3, 3)])
def test_the_objective_is_the_mean_of_the_lowest_energies(share, kept):
    energies = np.random.default_rng(0).normal(size=10)
    assert cvar(energies, share) == pytest.approx(np.sort(energies)[:kept].mean())


class Zeros:
    """A backend that always measures zeros, and keeps its arguments."""

    def __init__(self):
        self.points = []

    def __call__(self, ansatz, shots, seed):
        def run(points):
            self.points += points
            return [np.zeros((shots, ansatz.size), bool) for _ in points]

        return run


def test_any_callable_is_a_backend():
    backend = Zeros()
    qubo, ansatz = random_qubo(3, 0), TwoDesign.random(3, layers=1, seed=0)
    samples = variational(qubo, ansatz, shares=1.0, backend=backend, **ALL)
    assert samples.count.tolist() == [8]
    assert not samples.best.any()
    assert len(backend.points) == samples.info["evaluations"] + 1 == 7
    np.testing.assert_array_equal(backend.points[-1], samples.info["parameters"])
    assert "Zeros" in samples.info["backend"]


def test_several_shares_are_minimised_one_after_the_other():
    starts = []

    def optimiser(objective, start, rng):
        starts.append(start.copy())
        return Found(start + 1.0, 1, objective([start]))

    fields = ALL | {"optimiser": optimiser, "start": np.zeros(4)}
    qubo, ansatz = random_qubo(2, 0), TwoDesign.random(2, layers=1, seed=0)
    samples = variational(qubo, ansatz, shares=(0.1, 0.5, 1.0), backend=Zeros(), **fields)
    assert [start[0] for start in starts] == [0.0, 1.0, 2.0]
    assert samples.info["parameters"][0] == 3.0
    assert samples.info["evaluations"] == samples.info["history"].size == 3
