"""The joint target: a class for each combination of labels and bins that occurs."""

import numpy as np
import pandas as pd
import pytest

from quboselect.counting.bins import bins_of, label_codes, target_bins
from quboselect.counting.joint_target import joint_target
from quboselect.tables.several import as_targets
from quboselect.tables.table import as_table


def naive_numbers(columns):
    """Return the place of each row among all different rows, in order."""
    rows = list(zip(*columns, strict=True))
    order = sorted(set(rows))
    return [order.index(row) for row in rows]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("bins", "edges"), [(5, "quantile"), (4, "apart")])
def test_combinations_of_codes_are_its_classes(weighted, bins, edges):
    rng = np.random.default_rng(3)
    y = pd.DataFrame({"kind": rng.choice(["a", "b", "c"], 80), "size": rng.normal(size=80)})
    weights = rng.integers(1, 4, 80) if weighted else None
    table, targets = as_table(rng.normal(size=(80, 2)), sample_weight=weights), as_targets(y)
    size = label_codes(targets.parts[1], bins=bins, edges=edges, weights=weights).values[0].tolist()
    target = joint_target(targets, table, bins=bins, edges=edges)
    assert target.values.tolist() == naive_numbers([y["kind"], size])
    assert not target.continuous


@pytest.mark.parametrize(("n", "numbers", "each"), [(60, 1, 4), (60, 2, 2), (1000, 2, 3), (1000, 4, 2)])
def test_numbers_together_have_about_the_cells_of_one(n, numbers, each):
    rng = np.random.default_rng(n)
    table, y = as_table(rng.normal(size=(n, 1)), sample_weight=None), rng.normal(size=(n, numbers))
    labels = np.zeros(n, int)
    target = joint_target(as_targets(pd.DataFrame(y).assign(label=labels)), table)
    cut = [label_codes(column, bins=each).values[0] for column in y.T]
    assert target.values.tolist() == naive_numbers(cut)
    assert each == 2 or each**numbers <= target_bins("auto", bins_of("auto", n)) < (each + 1) ** numbers
