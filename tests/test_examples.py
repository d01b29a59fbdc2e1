"""Every example runs as it stands, without a warning, in a folder of its own."""

import re
import runpy
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES, SETTINGS, PAGES = ROOT / "examples", ROOT / "mkdocs.yml", ROOT / "docs" / "pages.py"
GALLERY = (
    "few_positives",
    "first_selection",
    "genes",
    "lags",
    "mixed_table",
    "own_measure",
    "own_solver",
    "pipeline",
    "what_alpha_does",
    "words",
)
# What a cell prints stands at its end, after this; the site shows it.
PRINTED = "# >"
# What an example may need beyond the extra ``test``; the gallery needs none of it.
FOREIGN = {"pyspark", "dwave"}
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
PROMISING = [script for script in SCRIPTS if f"\n{PRINTED}" in script.read_text()]


def lines_of(script):
    return script.read_text().splitlines()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_runs(script, monkeypatch, tmp_path, capsys):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    picture = tmp_path / "picture.png"
    monkeypatch.setattr(sys, "argv", [str(script), str(picture)])
    monkeypatch.chdir(tmp_path)
    try:
        # Threads of OpenMP spin while they wait: of a model on busy cores that takes a minute instead of seconds.
        with threadpool_limits(1):
            runpy.run_path(str(script), run_name="__main__")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in FOREIGN or script.stem in GALLERY:
            raise
        pytest.skip(f"{script.name} needs {error.name}")
    finally:
        from matplotlib import pyplot

        pyplot.close("all")
    out = capsys.readouterr().out
    assert out
    if script in PROMISING:
        promised = [line[len(PRINTED) + 1 :] for line in lines_of(script) if line.startswith(PRINTED)]
        assert [line.rstrip() for line in out.splitlines()] == promised
    if "savefig" in script.read_text():
        assert picture.stat().st_size > 1000
    assert set(tmp_path.iterdir()) <= {picture}


def test_the_gallery_is_short_and_each_script_asks_one_question():
    assert set(GALLERY) <= {script.stem for script in SCRIPTS}
    for name in GALLERY:
        lines = [line for line in lines_of(EXAMPLES / f"{name}.py") if not line.startswith(PRINTED)]
        assert len(lines) <= 60
        assert lines[1].endswith("?")
        assert set(lines[2]) == {"="}
        assert len(lines[2]) == len(lines[1])


def test_what_a_cell_prints_stands_at_its_end():
    assert len(PROMISING) >= 5
    for script in PROMISING:
        lines = lines_of(script)
        for line, after in pairwise([*lines, ""]):
            assert not line.startswith(PRINTED) or after == "" or after.startswith(PRINTED), script.name


def test_the_site_shows_the_whole_gallery():
    assert set(re.findall(r": gallery/(\w+)\.md$", SETTINGS.read_text(), re.MULTILINE)) == set(GALLERY)
    listed = re.search(r"^GALLERY = \{(.*?)^\}", PAGES.read_text(), re.MULTILINE | re.DOTALL).group(1)
    assert set(re.findall(r'^    "(\w+)":', listed, re.MULTILINE)) == set(GALLERY)
