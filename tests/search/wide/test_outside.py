"""What is outside a core: bounds on every subset that is not of the core alone, and units that may be useful."""

import numpy as np
import pytest

from constraint_oracles import feasible
from quboselect import Tradeoff
from quboselect.redundancy.rows import Rows
from quboselect.search.units import Units
from quboselect.search.wide.floor import Floor
from quboselect.search.wide.outside import Outside
from wide_oracles import energies, random_wide


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("seed", range(18))
def test_no_subset_with_a_unit_from_outside_is_below_its_bound(seed, complete):
    importance, R, constraints = random_wide(seed, 10)
    units = Units(Tradeoff(importance, Rows.of(R), constraints.cost), constraints)
    core = np.sort(np.argsort(-units.importance)[: units.size // 2])
    x, sizes = feasible(constraints)
    inside = units.features(np.ones(core.size, np.bool_), core)
    beyond = (x & ~inside).any(axis=1)
    for most in (1, 3, 40):
        floor = Floor.of(units, most, known=None if complete else core)
        outside = Outside.of(units, core, floor, most)
        for alpha in (0.0, 0.4, 0.8, 1.0):
            energy = energies(importance, R, constraints.cost, alpha, x) - units.constant.energy(alpha)
            known = energy[~beyond].min()
            assert outside.bound(alpha, known) <= energy[beyond].min() + 1e-9
            _check_useful(units, outside, alpha, known, energy, x, beyond)
            for k in range(1, units.size + 1):
                these = beyond & (sizes == constraints.kept + k)
                if these.any():
                    assert outside.bound(alpha, known, k) <= energy[these].min() + 1e-9
                    _check_useful(units, outside, alpha, known, energy, x, these, k)


def _check_useful(units, outside, alpha, known, energy, x, these, k=None):
    """Every unit of a subset below the best energy of the core must be said to be useful."""
    useful = np.isin(np.arange(units.size), outside.units[outside.useful(alpha, known, known - 1e-9, k)])
    settled = np.isin(np.arange(units.size), outside.units) & ~useful
    forbidden = (
        units.features(np.ones(settled.sum(), np.bool_), np.flatnonzero(settled))
        & ~units.constraints.included
    )
    better = these & (energy < known - 1e-6)
    assert not (x[better] & forbidden).any()
