"""Units: the smaller problem of the free units, of a matrix and of rows, and the way back to all features."""

import numpy as np
import pytest

from constraint_oracles import feasible
from quboselect import Tradeoff
from quboselect.redundancy.rows import Rows
from quboselect.search.units import Units
from wide_oracles import energies, random_wide


@pytest.mark.parametrize("rows", [True, False], ids=["rows", "matrix"])
@pytest.mark.parametrize("seed", range(12))
def test_every_subset_of_the_units_has_the_energy_of_its_features_less_a_constant(seed, rows):
    importance, R, constraints = random_wide(seed, 10)
    whole = Tradeoff(importance, Rows.of(R) if rows else R, constraints.cost)
    units = Units(whole, constraints)
    problem = units.problem()
    x = (np.arange(2**units.size)[:, None] >> np.arange(units.size)) % 2 == 1
    full = units.features(x)
    assert {bytes(row) for row in full} == {bytes(row) for row in feasible(constraints)[0]}
    for alpha in (0.0, 0.4, 1.0):
        theirs = energies(importance, R, constraints.cost, alpha, full)
        np.testing.assert_allclose(
            problem.at(alpha).energy(x) + units.constant.energy(alpha), theirs, atol=1e-6
        )
    np.testing.assert_allclose(units.rows(np.arange(units.size)), problem.redundancy, rtol=1e-6)
    some = np.arange(units.size)[::-2]
    part = units.among(some)
    np.testing.assert_allclose(part.redundancy, problem.redundancy[np.ix_(some, some)], rtol=1e-6)
    np.testing.assert_allclose(units.constant, whole.line(constraints.included))


def test_subsets_of_some_units_are_spread_over_all_features():
    importance, R, constraints = random_wide(4, 12)
    units = Units(Tradeoff(importance, R, constraints.cost), constraints)
    x = units.features([[True], [False]], [0])
    np.testing.assert_array_equal(x, units.features(np.arange(units.size)[None] == [[0], [-1]]))
