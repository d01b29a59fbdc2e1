"""Every example runs as it stands, without a warning, in a folder of its own."""

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
GALLERY = ("first_selection", "own_measure", "own_solver", "pipeline", "what_alpha_does")
# What an example may need beyond the extra ``test``; the gallery needs none of it.
FOREIGN = {"pyspark", "dwave"}
SCRIPTS = sorted(EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_runs(script, monkeypatch, tmp_path, capsys):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    picture = tmp_path / "picture.png"
    monkeypatch.setattr(sys, "argv", [str(script), str(picture)])
    monkeypatch.chdir(tmp_path)
    try:
        runpy.run_path(str(script), run_name="__main__")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in FOREIGN or script.stem in GALLERY:
            raise
        pytest.skip(f"{script.name} needs {error.name}")
    finally:
        from matplotlib import pyplot

        pyplot.close("all")
    assert capsys.readouterr().out
    if "savefig" in script.read_text():
        assert picture.stat().st_size > 1000
    assert set(tmp_path.iterdir()) <= {picture}


def test_the_gallery_is_short_and_each_script_asks_one_question():
    assert set(GALLERY) <= {script.stem for script in SCRIPTS}
    for name in GALLERY:
        lines = (EXAMPLES / f"{name}.py").read_text().splitlines()
        assert len(lines) <= 60
        assert lines[1].endswith("?")
        assert set(lines[2]) == {"="}
        assert len(lines[2]) == len(lines[1])
