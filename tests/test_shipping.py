"""What is shipped agrees with itself: versions, floors, Pythons, and the address of the project."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import quboselect

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
if not (ROOT / ".github").exists():
    pytest.skip("only a checkout has what releases need", allow_module_level=True)

yaml = pytest.importorskip("yaml")
RECIPE = yaml.safe_load((ROOT / "recipe/recipe.yaml").read_text(encoding="utf-8"))
TESTS = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8"))
PYTHONS = [
    line.rpartition(" ")[2] for line in PROJECT["project"]["classifiers"] if re.search(r":: 3\.\d+$", line)
]


def floors(requirements):
    """Return the name and the rest of each requirement, however they are spaced."""
    return {tuple(re.match(r"([\w-]+?)(?:-base)? ?(>=.*)$", each).groups()) for each in requirements}


def test_the_version_is_the_same_everywhere_and_has_its_notes():
    version = quboselect.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## \[(.+?)\]", changes, re.MULTILINE).group(1) == version
    assert citation["version"] == RECIPE["context"]["version"] == version
    assert (ROOT / f".github/notes/{version}.md").exists()


def test_the_recipe_needs_what_the_project_needs():
    project, requirements = PROJECT["project"], RECIPE["requirements"]
    python, *run = requirements["run"]
    assert python == "python >=${{ python_min }}"
    assert floors(run) == floors(project["dependencies"])
    assert floors(requirements["host"][2:]) == floors(PROJECT["build-system"]["requires"])
    extras = {each for extra in project["optional-dependencies"].values() for each in extra}
    named = floors(each for each in extras if re.fullmatch(r"[\w-]+>=[\d.]+", each))
    assert floors(requirements["run_constraints"]) <= named


def test_every_python_that_is_named_is_tested_and_the_lowest_is_the_least():
    assert TESTS["jobs"]["test"]["strategy"]["matrix"]["python"] == PYTHONS
    assert PROJECT["project"]["requires-python"] == f">={PYTHONS[0]}"
    assert RECIPE["context"]["python_min"] == PYTHONS[0]


def test_the_address_stands_in_one_file():
    address = PROJECT["project"]["urls"]["Source"]
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("no repository")
    files = [path for name in listed.stdout.splitlines() if (path := ROOT / name).is_file()]
    holding = {path.name for path in files if address.encode() in path.read_bytes()}
    # The page on releases tells what to replace.
    assert holding - {"RELEASING.md"} == {"pyproject.toml"}


def test_what_the_registry_shows_has_no_link_into_the_checkout():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    relative = re.findall(r"\]\((?!https?:|#)([^)]+)\)", text)
    for rule in PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(rule["pattern"], rule["replacement"], text)
    assert not re.findall(r"\]\((?!https?:|#)", text)
    address = PROJECT["project"]["urls"]["Source"]
    for target in relative:
        assert re.search(re.escape(address) + r"/(raw|blob)/v\$HFPR_VERSION/" + re.escape(target), text)
    assert re.search(r"!\[[^\]]*\]\(" + re.escape(address) + r"/raw/", text)
