"""Units of a wide table: the same smaller problem as of the whole matrix, row by row."""

import numpy as np
import pytest

from quboselect import Tradeoff
from quboselect.redundancy.rows import Rows
from quboselect.search.wide.units import Units
from wide_oracles import random_wide


@pytest.mark.parametrize("seed", range(12))
def test_units_are_those_that_the_whole_matrix_is_reduced_to(seed):
    importance, R, constraints = random_wide(seed, 12)
    units = Units(importance, Rows.of(R), constraints)
    whole = Tradeoff(importance, R.astype(np.float64), constraints.cost)
    reduced = constraints.reduce(whole)
    np.testing.assert_allclose(units.importance, reduced.importance)
    np.testing.assert_allclose(units.cost, reduced.cost, rtol=1e-6)
    np.testing.assert_allclose(units.take(np.arange(units.size)), reduced.redundancy, rtol=1e-6)
    some = np.arange(units.size)[::-2]
    part = units.among(some)
    np.testing.assert_allclose(part.redundancy, reduced.redundancy[np.ix_(some, some)], rtol=1e-6)
    np.testing.assert_allclose(units.constant, whole.line(constraints.included))


def test_subsets_of_some_units_are_spread_over_all_features():
    importance, R, constraints = random_wide(4, 12)
    units = Units(importance, Rows.of(R), constraints)
    x = units.expand([0], [[True], [False]])
    np.testing.assert_array_equal(x, constraints.expand(np.arange(units.size)[None] == [[0], [-1]]))
