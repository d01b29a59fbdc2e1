"""What the tests of the command share: a folder with tables to read, and a way to type."""

import io
import sys
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from quboselect.cli import main


@pytest.fixture(scope="session")
def frame():
    """A table of 120 samples: two features that tell the class, one of them twice, a town, and noise."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    pay = rng.normal(size=120) + 2 * y
    return pl.DataFrame(
        {
            "pay": pay.round(4),
            "pay_eur": (0.9 * pay).round(4),
            "town": np.where(rng.random(120) < 0.7, np.where(y, "north", "south"), "east"),
            "age": rng.integers(20, 60, 120),
            "noise": rng.normal(size=120).round(4),
            "class": np.where(y, "yes", "no"),
        }
    )


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    """Reports select from few resamples, which is quicker."""
    monkeypatch.setattr("quboselect.report.known.RESAMPLES", 3)


@pytest.fixture
def folder(tmp_path, monkeypatch, frame):
    """An empty folder to work in, but for ``table.csv``."""
    frame.write_csv(tmp_path / "table.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Typed(io.BytesIO):
    """Standard input that comes through a pipe."""

    def isatty(self):
        return False


@pytest.fixture
def run(capfd, monkeypatch):
    """Type a command: ``run("select", ..., stdin=b"...")`` gives code, out and err."""

    def typed(*arguments, stdin=None):
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Typed(stdin), isatty=lambda: False))
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(each) for each in arguments])
        out, err = capfd.readouterr()
        assert "Traceback" not in err or "--debug" in arguments
        return SimpleNamespace(code=ended.value.code, out=out, err=err)

    return typed
