"""The ledger: rows stand at once, a kill costs at most one of them, and nothing is measured twice."""

import io
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger import Ledger, Progress, Row, clock, read

KEY = {
    "dataset": "mnist",
    "method": "QFS",
    "model": "tree",
    "k": 30,
    "seed": 1,
    "fold": 2,
    "metric": "accuracy",
}


def test_a_row_stands_in_the_file_at_once(tmp_path):
    ledger = Ledger(tmp_path / "two.csv")
    ledger.add(0.1 + 0.2, **KEY, seconds=1.5)
    (row,) = read(ledger.path)
    assert row.key == ("two", "mnist", "QFS", "tree", "30", "1", "2", "accuracy")
    assert (row.value, row.seconds) == (0.1 + 0.2, 1.5)


def test_the_first_line_names_version_and_machine(tmp_path):
    first = Ledger(tmp_path / "two.csv").path.read_text().splitlines()[0]
    assert first.startswith("# quboselect ")
    assert "cores" in first


def test_what_is_there_is_known_after_a_restart(tmp_path):
    Ledger(tmp_path / "two.csv").add(1.0, **KEY)
    again = Ledger(tmp_path / "two.csv")
    assert again.has(**KEY)
    assert not again.has(**KEY | {"fold": 3})
    with pytest.raises(ValueError, match="has a row two, mnist, QFS"):
        again.add(2.0, **KEY)


@given(cut=st.integers(0, 400))
def test_a_file_cut_anywhere_is_continued(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("cut") / "two.csv"
    ledger = Ledger(path)
    for fold in range(3):
        ledger.add(fold, **KEY | {"fold": fold})
    content = path.read_bytes()
    path.write_bytes(content[:cut])
    again = Ledger(path)
    assert len(again) == max(0, content[:cut].count(b"\n") - 2)
    for fold in range(3):
        if not again.has(**KEY | {"fold": fold}):
            again.add(fold, **KEY | {"fold": fold})
    assert path.read_bytes() == content


def test_another_header_is_refused(tmp_path):
    (tmp_path / "two.csv").write_text("a,b\n1,2\n")
    with pytest.raises(
        ValueError, match=r"should have the header experiment,dataset.*got a,b\. Move it away"
    ):
        Ledger(tmp_path / "two.csv")


def test_a_broken_line_is_named(tmp_path):
    ledger = Ledger(tmp_path / "two.csv")
    with ledger.path.open("a") as file:
        file.write("two,mnist\n")
    with pytest.raises(ValueError, match=r"line 3 of .*two\.csv should hold .*got 'two,mnist'"):
        Ledger(ledger.path)


def test_text_with_commas_comes_back(tmp_path):
    ledger = Ledger(tmp_path / "two.csv")
    ledger.add(1.0, **KEY | {"dataset": "mnist, levels"})
    assert [row.dataset for row in read(ledger.path)] == ["mnist, levels"]


def test_rows_are_found_by_parts_of_their_key(tmp_path):
    ledger = Ledger(tmp_path / "two.csv")
    for fold in range(3):
        ledger.add(fold, **KEY | {"fold": fold})
    assert [row.value for row in ledger.rows(dataset="mnist", fold=1)] == [1.0]
    assert ledger.value(fold=2) == 2.0
    with pytest.raises(KeyError, match="there are 3"):
        ledger.value(dataset="mnist")
    with pytest.raises(ValueError, match="not colour"):
        list(ledger.rows(colour="red"))


def test_only_the_process_that_opened_it_writes(tmp_path, monkeypatch):
    ledger = Ledger(tmp_path / "two.csv")
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(RuntimeError, match="return the number from the worker"):
        ledger.add(1.0, **KEY)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_says_what_is_left_and_is_silent_elsewhere():
    for stream, told in ((Terminal(), True), (io.StringIO(), False)):
        with Progress(4, "folds", stream=stream) as progress:
            progress.step(2)
        assert ("50%" in stream.getvalue()) == told
        assert ("left" in stream.getvalue()) == told


def test_durations_read_as_people_write_them():
    assert [clock(s) for s in (0.4, 59.4, 60, 3600)] == ["0 s", "59 s", "1:00 min", "1:00 h"]


def test_a_row_has_the_columns_that_were_promised():
    promised = "experiment dataset method model k seed fold metric value seconds version"
    assert Row._fields == tuple(promised.split())
