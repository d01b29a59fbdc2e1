"""The floor of Gilmore and Lawler: below every subset, of every size, whatever pairs are known."""

import numpy as np
import pytest

from quboselect import Constraints, Tradeoff
from quboselect.redundancy.rows import Rows
from quboselect.search.units import Units
from quboselect.search.wide.floor import Floor, smallest
from wide_oracles import lowest, random_wide


@pytest.mark.parametrize("known", ["all", "some", "none"])
@pytest.mark.parametrize("seed", range(12))
def test_no_subset_is_below_the_floor(seed, known):
    importance, R, constraints = random_wide(seed, 10)
    units = Units(Tradeoff(importance, Rows.of(R), constraints.cost), constraints)
    rows = {"all": None, "some": np.arange(0, units.size, 2), "none": np.zeros(0, np.intp)}[known]
    for most in (1, 3, 50):
        floor = Floor.of(units, most, known=rows)
        for alpha in (0.0, 0.3, 0.7, 1.0):
            best = lowest(importance, R, constraints, alpha)
            assert floor.bound(alpha) + units.constant.energy(alpha) <= best + 1e-9
            for k in range(units.size + 1):
                best = lowest(importance, R, constraints, alpha, constraints.kept + k)
                assert floor.bound(alpha, k) + units.constant.energy(alpha) <= best + 1e-9


def test_where_all_redundancies_are_equal_the_floor_is_the_minimum():
    R = np.full((8, 8), 0.5, np.float32)
    np.fill_diagonal(R, 0.0)
    units = Units(Tradeoff(np.arange(8.0), Rows.of(R)), Constraints.of(8))
    for k in (1, 3, 8):
        best = lowest(np.arange(8.0), R, Constraints.of(8), 0.5, k)
        assert Floor.of(units, 8).bound(0.5, k) == pytest.approx(best)


def test_among_fewer_units_the_floor_is_no_lower():
    importance, R, constraints = random_wide(0, 12)
    units = Units(Tradeoff(importance, Rows.of(R), constraints.cost), constraints)
    few = np.array([0, 2, 5, 7, 11])
    assert Floor.of(units, 4, among=few).bound(0.6, 3) >= Floor.of(units, 4).bound(0.6, 3)


def test_the_smallest_parts_are_added_up_and_rounded_down():
    assert smallest(np.array([3.0, -1.0, 2.0]), 0) == 0.0
    assert 1.0 - 1e-12 < smallest(np.array([3.0, -1.0, 2.0]), 2) <= 1.0
