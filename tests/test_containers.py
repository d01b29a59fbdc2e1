"""A user of a container: the package cannot be written, nor can the home, nor perhaps anything else."""

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import quboselect
from quboselect._kernels.compiling import TEMPORARY

if not hasattr(os, "geteuid"):
    pytest.skip("there is no user to become", allow_module_level=True)

ROOT = os.geteuid() == 0
USER = 50000 + os.getpid() % 10000 if ROOT else os.geteuid()
# Root becomes somebody who may read everything, as Python may lie in root's home, and write nothing.
READS = "=-all,+dac_read_search"
BECOME = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", f"--inh-caps{READS}"]
BECOME += [f"--ambient-caps{READS}", f"--bounding-set{READS}"]
FOLDER = f"quboselect-{USER}"

# Exhaustive search compiles soonest.
FIT = """
import logging, pickle, sys, warnings
logging.basicConfig(level=logging.INFO, format="log: %(message)s", stream=sys.stdout)
import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from quboselect import SelectQUBO, importance, redundancy, solvers
assert "numba" not in sys.modules
R = redundancy.Precomputed(np.ones((4, 4)) - np.eye(4))
measures = dict(importance=importance.Precomputed([1, 2, 3, 4]), redundancy=R)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    pipeline = make_pipeline(SelectQUBO(2, solver=solvers.Exhaustive(), **measures), GaussianNB())
    pipeline.fit(np.eye(4), [0, 0, 0, 1])
print("selected", pipeline[0].get_support(indices=True).tolist())
print("warned", sum("NUMBA_CACHE_DIR" in str(each.message) for each in caught))
"""
KEEP = """
pickle.dump(pipeline, open("fitted.pickle", "wb"))
"""
USE = """
import pickle, sys
import numpy as np
pipeline = pickle.load(open("fitted.pickle", "rb"))
print("transformed", pipeline[0].transform(np.eye(4)).tolist()[2:], "numba" in sys.modules)
print("predicted", pipeline.predict(np.eye(4)).tolist(), "numba" in sys.modules)
"""
COMMAND = """
from quboselect.cli import main
main(["qubo", "solve", "problem.npy", "--solver", "exhaustive", "--json"])
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return a folder with the package, which only root can write, and without kernels that came compiled."""
    if ROOT and (
        shutil.which("setpriv") is None or subprocess.run([*BECOME, sys.executable, "-c", ""]).returncode
    ):
        pytest.skip("root cannot become somebody else here")
    folder = tmp_path_factory.mktemp("installed")
    source = Path(quboselect.__file__).parent
    shutil.copytree(source, folder / "quboselect", ignore=shutil.ignore_patterns("__pycache__", "native.bin"))
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield folder
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


@contextmanager
def planted():
    """Put folders of somebody else where the user's would be; they must be empty in the end."""
    folders = [Path(place, FOLDER) for place in TEMPORARY if Path(place).is_dir()]
    for folder in folders:
        folder.mkdir()
    try:
        yield
    finally:
        for folder in folders:
            folder.rmdir()


def said(code, installed, folder, **more):
    """Return what a new process of the user prints."""
    np.save(folder / "problem.npy", [[-1.0, 3.0], [0.0, -2.0]])
    own = {"HOME": "/nonexistent", "PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}
    own |= {"NUMBA_OPT": "1"}  # compiles sooner; what is compiled with 0 cannot always be kept
    run = subprocess.run(
        [*(BECOME if ROOT else []), sys.executable, "-c", code],
        env={"PATH": os.environ["PATH"], **own, **more},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_one_folder_to_write_is_enough_and_a_transform_needs_none(installed, tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    if ROOT:
        os.chown(folder, USER, USER)
    first = said(FIT + KEEP, installed, folder, TMPDIR=str(folder))
    assert "log: compiling" in first
    assert str(folder / FOLDER) in first
    assert "warned 0" in first
    later = said(USE + FIT + COMMAND, installed, folder, TMPDIR=str(folder))
    assert "transformed [[1.0, 0.0], [0.0, 1.0]] False" in later
    assert "predicted [0, 0, 0, 1] False" in later
    assert "selected [2, 3]" in later
    assert "log: compiling" not in later
    assert '"energy": -2' in later


@pytest.mark.skipif(not ROOT, reason="only root can make folders of somebody else")
def test_without_any_folder_it_works_and_says_so_once(installed, tmp_path):
    with planted():
        found = said(
            FIT + "print(pickle.loads(pickle.dumps(pipeline)).predict(np.eye(4)))" + COMMAND,
            installed,
            tmp_path,
        )
    assert "selected [2, 3]" in found
    assert "warned 1" in found
    assert "[0 0 0 1]" in found
    assert '"energy": -2' in found
    assert sorted(os.listdir(tmp_path)) == ["problem.npy"]
