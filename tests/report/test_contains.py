"""The path, the report and the comparison of a fit all contain the selection that the fit made."""

import json
import re
import warnings
from itertools import pairwise

import numpy as np
import pytest

from quboselect import SelectQUBO, Tradeoff, best_subset, compare, criteria, importance, redundancy
from quboselect.datasets import load_ionosphere
from quboselect.errors import OffPathWarning
from quboselect.report.sizes import size_segments


def data_of(file):
    """Return the document of a report."""
    text = file.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text)[1])


def random_selector(seed):
    """Return a selector of a random problem with random constraints, and its number of features.

    Every third problem has small whole numbers, and so many ties; in every third one feature repeats all others and is
    more important than any of them, so that the path passes over sizes.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 13))
    tied = seed % 3 == 0
    R = np.triu(rng.integers(0, 3, (n, n)) if tied else rng.random((n, n)), 1).astype(float)
    weights = rng.integers(0, 4, n).astype(float) if tied else rng.random(n)
    if seed % 3 == 1:
        weights, R = 4 + rng.random(n), 0.1 * R
        weights[0], R[0, 1:] = 10.0, 1 + rng.random(n - 1)
    order = rng.permutation(n)
    parts = np.array_split(order, 4)
    wanted = {}
    if rng.random() < 0.5:
        wanted["include"] = parts[0][:2].tolist()
    if rng.random() < 0.5 and n > 4:
        wanted["exclude"] = parts[1].tolist()
    if rng.random() < 0.5 and len(parts[2]) > 1:
        wanted["groups"] = [parts[2].tolist()]
    if rng.random() < 0.5:
        wanted["cost"] = rng.integers(0, 3, n) / 2 if tied else rng.random(n)
    if seed % 5 == 4:
        wanted |= {"k": None, "alpha": 0.5 if tied else float(rng.random())}
    else:
        least = len(wanted.get("include", ()))
        most = n - len(wanted.get("exclude", ())) - sum(len(group) - 1 for group in wanted.get("groups", ()))
        wanted["k"] = int(rng.integers(max(least, 1), most + 1))
        if seed % 3 == 1 and not least:
            wanted["k"] = min(2, most)
    measures = {"importance": importance.Precomputed(weights), "redundancy": redundancy.Precomputed(R + R.T)}
    return SelectQUBO(**measures, **wanted), n


def check_selection(data, selector):
    """Check that the sliders start at the selection, and that every size has a subset at every alpha."""
    result, (own,) = selector.result_, [path for path in data["paths"] if path["k"] == data["here"]["k"]]
    here = own["places"][data["here"]["place"]]
    assert (data["here"]["k"], data["here"]["alpha"]) == (result.k, result.alpha)
    assert [data["numbers"][i] for i in here["x"]] == np.flatnonzero(selector.support_).tolist()
    assert here["start"] <= result.alpha <= here["stop"]
    assert (here["gap"] == 0.0) == result.proven
    for path in data["paths"]:
        places = path["places"]
        assert (places[0]["start"], places[-1]["stop"]) == (0.0, 1.0)
        assert all(before["stop"] == after["start"] for before, after in pairwise(places))
        assert {int(np.unique(result.constraints.unit[place["x"]]).size) for place in places} == {path["k"]}


@pytest.mark.parametrize("seed", range(90))
def test_path_report_and_comparison_contain_the_selection(seed, tmp_path):
    selector, n = random_selector(seed)
    X, y = np.arange(4 * n).reshape(4, n), [0, 1, 0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OffPathWarning)
        selector.fit(X, y)
    result, path = selector.result_, selector.path()
    assert all(before.stop == after.start for before, after in pairwise(path))
    assert (path[0].start, path[-1].stop) == (0.0, 1.0)
    if result.on_path:
        assert any(np.array_equal(segment.x, selector.support_) for segment in path)
    else:
        assert result.k not in [np.unique(result.constraints.unit[segment.x]).size for segment in path]
    assert path.proven
    selector.report(tmp_path / "report.html")
    data = data_of(tmp_path / "report.html")
    check_selection(data, selector)
    assert data["whole"]
    comparison = compare(selector)
    np.testing.assert_array_equal(comparison.ours.x, selector.support_)
    assert comparison.ours.objective == pytest.approx(selector.energy_)
    for row in comparison.rows:
        assert row.worse_by >= 0.0
        assert row.x[result.constraints.included].all()
        assert not row.x[result.constraints.excluded].any()
        assert np.unique(result.constraints.unit[row.x]).size == selector.k_


def test_costs_count_in_the_path_of_a_selector(tmp_path):
    X, y = load_ionosphere(return_X_y=True)
    selector = SelectQUBO.paper(k=5, cost={0: 5.0, 4: 5.0}).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [2, 5, 6, 30, 33]
    assert selector.path().of_size(5).features.tolist() == [2, 5, 6, 30, 33]


CRITERIA = (
    criteria.Pairs,
    criteria.MRMR,
    criteria.JMI,
    criteria.CMI,
    criteria.CIFE,
    criteria.ICAP,
    criteria.DISR,
)


def random_fit(seed):
    """Return a selector that was fitted to a random table, by a random criterion, with constraints and costs."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 9))
    X = rng.integers(0, 3, (60, n))
    y = (X[:, 0] + X[:, 1] + rng.integers(0, 2, 60)) % 2
    wanted = {"criterion": CRITERIA[seed % len(CRITERIA)]()}
    # With negative redundancies, what is included would have a negative cost, which a tradeoff refuses.
    plain = isinstance(wanted["criterion"], criteria.Pairs | criteria.MRMR | criteria.ICAP)
    if seed % 2:
        wanted |= {"include": [2]} if plain else {}
        wanted |= {"cost": rng.random(n) / 10}
    if seed % 3 == 1 and n > 4 and plain:
        wanted["groups"] = [[0, 3]]
    if seed % 4 == 3 and n > 4:
        wanted["exclude"] = [1]
    units = n - ("groups" in wanted) - ("exclude" in wanted)
    return SelectQUBO(int(rng.integers(1, units + 1)), **wanted).fit(X, y)


@pytest.mark.parametrize("seed", range(28))
def test_every_criterion_has_a_report_that_contains_the_selection_and_the_paths_of_all_sizes(seed, tmp_path):
    selector = random_fit(seed)
    selector.report(tmp_path / "report.html")
    data, result = data_of(tmp_path / "report.html"), selector.result_
    check_selection(data, selector)
    assert bool(data["whole"]) == (result.problem.deepest == 0.0 and result.tradeoff.deepest == 0.0)
    for path in data["paths"]:
        exact = result.path(size=path["k"])
        assert exact.proven
        for place in path["places"]:
            # So few features are proven as they are found.
            assert place["gap"] == 0.0
            for alpha in {place["start"], (place["start"] + place["stop"]) / 2, place["stop"]}:
                energy = (1 - alpha) * place["redundancy"] - alpha * place["importance"]
                assert energy == pytest.approx(exact.at(alpha).energy(alpha), abs=1e-8)
    comparison = compare(selector)
    assert comparison.rows[1].name == "greedy"
    assert all(row.worse_by >= 0.0 for row in comparison.rows)


def test_a_light_search_of_many_features_claims_no_proof_that_it_has_not(tmp_path):
    rng = np.random.default_rng(5)
    R = np.triu(rng.normal(size=(18, 18)), 1)
    result = best_subset(Tradeoff(rng.random(18), R + R.T), k=4, alpha=0.75)
    found = size_segments(result, [4, 3, 5])
    for k, segments in found.items():
        exact = result.path(size=k)
        for segment in segments:
            for alpha in (segment.start, segment.stop):
                lowest = exact.at(alpha).energy(alpha)
                assert segment.energy(alpha) >= lowest - 1e-9
                assert not segment.proven or segment.energy(alpha) <= lowest + 1e-8
    assert [s.proven for s in found[4] if s.start == s.stop] == [True]
