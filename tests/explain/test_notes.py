"""What people should know: each note where it is due, and none where all is well."""

import warnings

import numpy as np
import pandas as pd
import pytest

from quboselect import SelectQUBO, Tradeoff, best_subset, solvers

N = 400


def table(seed=0):
    """Return a frame of five features that each say something of a label, none of them all, and the label."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(N, 5)), columns=list("abcde"))
    y = (X.to_numpy() @ [1.0, 0.9, 0.8, 0.3, 0.2] + rng.normal(size=N) > 0).astype(int)
    return X, y


def kinds(selector):
    return [note.kind for note in selector.warnings_]


def test_where_all_is_well_nothing_is_said():
    X, y = table()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kinds(SelectQUBO(k=3).fit(X, y)) == []


def test_a_constant_feature_is_named_and_one_that_binning_makes_constant():
    X, y = table()
    X["flat"] = 1.0
    X["rare"] = np.where(np.arange(N) == 7, 1.0, 0.0)
    (note,) = SelectQUBO.paper(k=3).fit(X, y).warnings_[:1]
    assert note.kind == "constant"
    assert note.text == "flat, rare: one value only, or one once binned. They say nothing."
    assert note.features == (5, 6)
    (note,) = SelectQUBO(k=3).fit(X, y).warnings_
    assert note.text == "flat: one value only, or one once binned. It says nothing."
    assert kinds(SelectQUBO(k=3, exclude=["flat"]).fit(X, y)) == []


def test_an_identifier_is_named_and_warned_of_where_it_is_selected():
    X, y = table()
    X["customer"] = [f"C{i}" for i in range(N)]
    selector = SelectQUBO.paper(k=2)
    with pytest.warns(
        UserWarning, match="customer: nearly as many categories as samples. If this is an identifier"
    ):
        selector.fit(X, y)
    assert "identifier" in kinds(selector)
    assert "leakage" not in kinds(selector)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain = SelectQUBO(k=2).fit(X, y)
    assert "customer" not in plain.get_feature_names_out()
    assert kinds(plain) == ["identifier"]


def test_several_identifiers_are_warned_of_where_one_is_selected():
    X, y = table()
    X["customer"], X["order"] = [f"C{i}" for i in range(N)], [f"O{i}" for i in range(N)]
    with pytest.warns(UserWarning, match="customer, order: nearly as many .* these are identifiers"):
        SelectQUBO(k=2, include=["order"]).fit(X, y)


def test_one_class_is_warned_of():
    X, _ = table()
    selector = SelectQUBO(k=2)
    with pytest.warns(UserWarning, match="The target has one value only"):
        selector.fit(X, np.zeros(N, int))
    assert kinds(selector)[0] == "one class"
    with pytest.warns(UserWarning, match="The target has one value only"):
        selector.fit(X[:1], [1])
    assert kinds(selector)[0] == "one class"


def test_a_feature_that_tells_the_target_alone_is_named():
    X, y = table()
    X["outcome"] = np.where(y == 1, "paid", "due")
    notes = SelectQUBO(k=3).fit(X, y).warnings_
    assert next((note.kind, note.features) for note in notes) == ("leakage", (5,))
    assert "outcome: tells the target all by itself" in notes[0].text


def test_what_is_nearly_as_good_is_named():
    X, y = table()
    X["twin"] = X["a"] + np.random.default_rng(1).normal(size=N) * 1e-3
    selector = SelectQUBO(k=2).fit(X, y)
    (note,) = selector.warnings_
    assert note.kind == "near-tie"
    assert {"a", "twin"} == {X.columns[i] for i in note.features}
    other = selector.support_.copy()
    other[list(note.features)] ^= True
    assert selector.alternatives(2, different=1)[1].support.tolist() == other.tolist()


def test_what_is_not_proven_is_said():
    X, y = table()
    notes = SelectQUBO(k=3, solver=solvers.Portfolio(effort=0)).fit(X, y).warnings_
    assert [note.kind for note in notes] == ["not proven"]
    assert str(notes[0]).startswith("The selection is the best that was found, not proven to be the best.")


def test_measures_without_bins_have_notes_too():
    X, y = table()
    from quboselect import importance, redundancy

    selector = SelectQUBO(k=2, importance=importance.Correlation(), redundancy=redundancy.Correlation())
    assert kinds(selector.fit(X, y)) == []


def test_other_windows_of_the_size_are_said():
    # Two features of one subset, then two of another, as alpha grows.
    importance = [1.0, 1.1, 2.0, 2.0]
    redundancy = np.array([[0, 0.0, 5, 5], [0.0, 0, 5, 5], [5, 5, 0, 1.0], [5, 5, 1.0, 0]])
    result = best_subset(Tradeoff(importance, redundancy), k=2)
    windows = [segment for segment in result.path() if segment.size == 2]
    assert len(windows) == 2
    (note,) = [note for note in result.warnings if note.kind == "other windows"]
    widths = sorted((segment.stop - segment.start for segment in windows), reverse=True)
    assert note.text.startswith(
        "At other alphas another subset of this size is optimal. The widest window was taken: "
    )
    assert f"{widths[0]:.2g} against {widths[1]:.2g}" in note.text
    alone = best_subset(Tradeoff(importance[:2], redundancy[:2, :2]), k=1)
    assert [note for note in alone.warnings if note.kind == "other windows"] == []
