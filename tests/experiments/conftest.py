"""The scripts of experiments/ import each other by plain names, as they do when they are run."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "experiments"))
