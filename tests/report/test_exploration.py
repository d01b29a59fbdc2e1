"""What a report explores around a fit: of wide tables what the fit has seen, and in any case the selection."""

import numpy as np
import pytest

import path_oracles
from quboselect import Constraints, Tradeoff, best_subset
from quboselect.redundancy.rows import Rows
from quboselect.report import write_report
from quboselect.report.exploration import contents_of


def on_demand(tradeoff):
    return Tradeoff(tradeoff.importance, Rows.of(tradeoff.redundancy.astype(np.float32)))


def random_tradeoff(seed, n=30):
    rng = np.random.default_rng(seed)
    R = np.triu(rng.random((n, n)), 1)
    return Tradeoff(3 * rng.random(n), R + R.T)


@pytest.mark.parametrize("wanted", [{"k": 4, "alpha": 0.7}, {"k": None, "alpha": 0.7}], ids=["size", "alpha"])
def test_of_a_wide_table_with_wishes_at_one_alpha_the_selection_alone_is_shown(wanted, tmp_path):
    result = best_subset(on_demand(random_tradeoff(0)), constraints=Constraints.of(30, include=[3]), **wanted)
    contents = contents_of(result)
    assert contents.path is None
    assert contents.features.tolist() == np.flatnonzero(result.support).tolist()
    ((size, (segment,)),) = contents.sizes.items()
    assert size == result.k
    assert segment.x.all()
    assert (segment.start, segment.stop, segment.gap) == (0.7, 0.7, result.gap)
    expected = result.tradeoff.importance[result.support].sum()
    assert segment.importance == pytest.approx(expected)
    write_report(tmp_path / "report.html", result)


@pytest.mark.filterwarnings("ignore::quboselect.errors.OffPathWarning")
def test_of_a_wide_table_a_selection_off_its_path_is_shown_beside_the_path():
    narrow = path_oracles.never_size_two()
    result = best_subset(on_demand(narrow), k=2)
    contents = contents_of(result)
    assert not result.on_path
    assert {segment.size for segment in contents.path} == {0, 1, 3, 4}
    (own,) = contents.sizes[2]
    np.testing.assert_array_equal(contents.features[own.x], np.flatnonzero(result.support))
    line = own.importance, own.redundancy
    assert line == pytest.approx(narrow.line(result.support)[:2], abs=1e-6)
    assert own.start == own.stop == result.alpha
