"""One HTML page of what was selected and why, and the selection beside those of other methods.

::

    Result ─► exploration ─► Contents ─► head, bars, words, tables, template and scripts ─► page
                  ├─► sizes (the best of each size over alpha)
                  └─► comparison
    table, model, resamples ─► known: profile, stability, score ─► Facts ─► Contents
"""

from .code import code_of, unit_of
from .facts import FeatureProfile, Frequencies, Score, TableProfile
from .known import known_facts
from .page import TITLE, write_report
from .profile import table_profile
from .score import model_score

__all__ = [
    "TITLE",
    "FeatureProfile",
    "Frequencies",
    "Score",
    "TableProfile",
    "code_of",
    "known_facts",
    "model_score",
    "table_profile",
    "unit_of",
    "write_report",
]
