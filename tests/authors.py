"""The authors' published files, which are not ours to ship: a folder ``shared`` beside the checkout, if there is one.

``pytest -m authors`` runs the tests that need them.
"""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
DATA, REFERENCE = SHARED / "data", SHARED / "reference"


def needs(*paths: Path) -> pytest.MarkDecorator:
    """Return a mark that skips a test where one of these files is missing, and names it."""
    missing = [path.name for path in paths if not path.exists()]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)} of the authors' files")
