"""What the benchmarks use of the experiments: data, the paper's measures, the authors' files, reads of samplers."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "experiments"))

from constants import REFERENCE
from data import DatasetUnavailable, madelon, mnist, waveform
from measures import IMPORTANCE, REDUNDANCY
from reads import HitRate, hit_rate, read_runs

__all__ = [
    "IMPORTANCE",
    "REDUNDANCY",
    "REFERENCE",
    "DatasetUnavailable",
    "HitRate",
    "hit_rate",
    "madelon",
    "mnist",
    "read_runs",
    "waveform",
]
