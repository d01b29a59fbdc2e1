"""Pictures are drawn into memory, and closed afterwards."""

import pytest

from quboselect import SelectQUBO
from quboselect.datasets import load_ionosphere


@pytest.fixture(autouse=True)
def plt():
    """Draw into memory, and close what was drawn."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


@pytest.fixture(scope="session")
def selector():
    X, y = load_ionosphere(return_X_y=True)
    return SelectQUBO.paper(k=5).fit(X, y)


@pytest.fixture(scope="session")
def tradeoff(selector):
    return selector.result_.tradeoff


@pytest.fixture(scope="session")
def path(selector):
    return selector.path()


@pytest.fixture
def clipped():
    """Return a function that says by how many inches what is drawn reaches over the edges of a figure."""

    def outside(figure):
        figure.canvas.draw()
        drawn, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
        return round(max(-drawn.x0, -drawn.y0, drawn.x1 - width, drawn.y1 - height, 0.0), 2)

    return outside
