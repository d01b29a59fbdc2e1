"""198 fits find what they always found. ``python tests/golden/fits.py`` compares them bit for bit, on one machine."""

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

HERE = Path(__file__).parent
spec = spec_from_file_location("golden_fits", HERE / "fits.py")
fits = module_from_spec(spec)
spec.loader.exec_module(fits)

KNOWN = json.loads((HERE / "fits.json").read_text())
CASES = dict(fits.cases())
CLOSE = ("alpha", "energy", "importance_sum", "redundancy_sum")


def test_every_fit_is_written_down():
    assert list(CASES) == list(KNOWN)
    assert len(KNOWN) >= 198


@pytest.mark.parametrize("name", KNOWN)
def test_a_fit_finds_what_it_found(name):
    known, found = KNOWN[name], fits.found(CASES[name])
    for key in ("selected", "k", "proven", "on_path", "sizes", "warned"):
        assert found[key] == known[key], key
    # Another machine may round otherwise: its BLAS adds up in another order.
    for key in CLOSE:
        assert float.fromhex(found[key]) == pytest.approx(float.fromhex(known[key]), rel=1e-6, abs=1e-9), key
    ends = [[float.fromhex(end) for end in row["window"]] for row in (found, known)]
    assert ends[0] == pytest.approx(ends[1], rel=1e-6, abs=1e-9)
    bounds = [float.fromhex(row["bound"]) for row in (found, known)]
    assert bounds[0] == pytest.approx(bounds[1], rel=1e-6 if known["proven"] else 1e-3)
