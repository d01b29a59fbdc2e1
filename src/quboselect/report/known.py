"""What a report is told of a fit, where the table is at hand again: notes, profile, stability and a score."""

from typing import Any

import numpy as np

from .profile import table_profile
from .score import model_score
from .stability import stability

RESAMPLES = 30
# Above so many features, or numbers in the table, resamples would take longer than a report may.
MOST_FEATURES, MOST_CELLS = 2000, 50_000_000


def known_facts(selector: Any, X: Any, y: Any, estimator: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return what a report is told: what was given, and of the rest what can be known.

    Parameters
    ----------
    selector : SelectQUBO
        Fitted.
    X, y
        As given to ``fit``, or None: then there are notes alone.
    estimator : scikit-learn estimator or None
        A model to score with the selected features and with all.
    given : dict
        Facts by name, as of `write_report`.
    """
    facts = {"notes": [note.text for note in selector.warnings_], **given}
    if X is None:
        if estimator is not None or y is not None:
            raise ValueError("a report needs X and y to score a model: pass both, as they were fitted.")
        return facts
    if "target" not in facts and isinstance(getattr(y, "name", None), str):
        facts["target"] = y.name
    if "profile" not in facts:
        how = {"categorical": selector.categorical_features, "exclude": selector.exclude}
        # Several targets, and times of events, have no profile.
        one = y if np.ndim(y) == 1 and getattr(getattr(y, "dtype", None), "names", None) is None else None
        facts["profile"] = table_profile(X, one, **how, target_type=selector.target_type)
    n_samples, n = X.shape if hasattr(X, "shape") else np.shape(X)
    if "stability" not in facts and n <= MOST_FEATURES and n_samples * n <= MOST_CELLS:
        facts["stability"] = stability(selector, X, y, n_resamples=RESAMPLES)
    if "score" not in facts and estimator is not None:
        facts["score"] = model_score(selector, estimator, X, y)
    return facts
