import subprocess
import sys
from pathlib import Path

import paper
import pytest


class Module:
    def __init__(self, error=None):
        self.error, self.runs = error, []

    def run(self, ledger, quick):
        self.runs.append((ledger.path.name, quick))
        if self.error:
            raise self.error


def test_named_experiments_run_in_order(tmp_path, monkeypatch, capsys):
    modules = {"one": Module(), "two": Module()}
    monkeypatch.setattr(paper, "import_module", modules.__getitem__)
    assert paper.main(["--quick", "--results", str(tmp_path), "2", "1"]) == 0
    assert modules["one"].runs == [("one.csv", True)]
    assert capsys.readouterr().out.index("experiment 2") >= 0


def test_one_that_fails_does_not_stop_the_others(tmp_path, monkeypatch, capsys):
    modules = {"one": Module(ValueError("no mnist")), "two": Module()}
    monkeypatch.setattr(paper, "import_module", modules.__getitem__)
    assert paper.main(["--results", str(tmp_path), "1", "2"]) == 1
    assert "experiment 1 failed: ValueError: no mnist" in capsys.readouterr().err
    assert modules["two"].runs == [("two.csv", False)]


def test_an_unknown_experiment_is_refused(capsys):
    with pytest.raises(SystemExit):
        paper.main(["5"])
    assert "the experiments are 1, 2, 3, 4, path, grover, not 5" in capsys.readouterr().err


def test_the_whole_paper_runs_quickly_and_its_figures_are_drawn(tmp_path, capsys):
    failed = paper.main(["--quick", "--results", str(tmp_path)])
    said = capsys.readouterr()
    assert failed == 0, said.err
    assert {"two.csv", "four.csv", "path.csv", "grover.csv"} <= {file.name for file in tmp_path.iterdir()}
    for experiment in ("1", "2", "3", "4", "path", "grover"):
        assert f"experiment {experiment}: " in said.out
    # As a script: it needs no data, and chooses how matplotlib draws.
    words = [
        str(Path(paper.__file__).with_name("figures.py")),
        "--results",
        str(tmp_path),
        "--figures",
        str(tmp_path),
    ]
    run = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert {"two_accuracies.svg", "path_counter_examples.svg", "grover.svg"} <= {
        file.name for file in tmp_path.iterdir()
    }


@pytest.mark.parametrize("script", ["paper", "four"])
def test_a_script_starts_from_any_folder(script, tmp_path):
    words = [str(Path(paper.__file__).with_name(f"{script}.py")), "--help"]
    run = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "usage" in run.stdout
