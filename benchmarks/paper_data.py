"""What the benchmarks use of the experiments: their data sets, the authors' files, and the reads of samplers."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "experiments"))

from constants import REFERENCE
from data import DatasetUnavailable, madelon, mnist, waveform
from reads import HitRate, hit_rate, read_runs

__all__ = [
    "REFERENCE",
    "DatasetUnavailable",
    "HitRate",
    "hit_rate",
    "madelon",
    "mnist",
    "read_runs",
    "waveform",
]
