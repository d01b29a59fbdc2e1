"""The scripts of experiments/ import each other by plain names, as they do when they are run. OpenML is never asked."""

import sys
from pathlib import Path
from urllib.error import URLError

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "experiments"))


@pytest.fixture(scope="session", autouse=True)
def _offline():
    def unreachable(**_):
        raise URLError("tests do not go online")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sklearn.datasets.fetch_openml", unreachable)
        yield
