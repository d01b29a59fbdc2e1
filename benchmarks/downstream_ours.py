# ruff: noqa: ARG005 - all have the same arguments
"""Our selectors: a registry of constructors ``(k, seed) -> selector``, and the greedy twin of each exact one.

Exact against greedy: both have the importance I, the redundancy R and the alpha of the exact fit, and k. The exact one
minimises ``-alpha sum I + (1 - alpha) sum R`` over all subsets of k features as far as it can; the greedy one
adds the feature that lowers it most, k times. What this library does not have is left out with a line.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from downstream_models import asked_model, model
from downstream_tables import SIZES

from quboselect import SelectQUBO
from quboselect.evaluation.cross_validation import CRITERIA as CRITERIA_ASKED
from quboselect.evaluation.cross_validation import SelectQUBOCV
from quboselect.search.baselines import greedy
from quboselect.solvers import Portfolio

CRITERIA = ("QFS", "Pairs", "MRMR", "JMI", "CMI", "CIFE", "ICAP", "DISR")
RULE = "one-standard-error"  # another criterion than the default has to earn it
EXACT, GREEDY = ", exact", ", greedy"
DEFAULT, PAPER, ASKS = "SelectQUBO", "SelectQUBO.paper", "SelectQUBOCV"


def criterion(name: str) -> Any:
    """Return a criterion by name; raises AttributeError or ImportError where there is none."""
    from quboselect import criteria

    return getattr(criteria, name)()


def of_criterion(name: str) -> Callable[[int, int], Any]:
    """Return the constructor of a criterion: searched as the default is, with a twentieth of its effort for proofs."""
    return lambda k, seed: SelectQUBO(k, criterion=criterion(name), solver=Portfolio(effort=0.05))


OURS: dict[str, Callable[[int, int], Any]] = {
    # By the search of the default, without its proof, which changes no selection that the search got right.
    DEFAULT: lambda k, seed: SelectQUBO(k, solver=Portfolio(effort=0.0)),
    PAPER: lambda k, seed: SelectQUBO.paper(k),
    **{name + EXACT: of_criterion(name) for name in CRITERIA},
}
# Made of the fit of another one.
TWINS = {name + GREEDY: name + EXACT for name in CRITERIA}
# These ask the model, and select anew for each.
ASKING: dict[str, Callable[[Any, int, int], Any]] = {
    ASKS: lambda estimator, k, seed: SelectQUBOCV(
        estimator,
        k=[k],
        selector=SelectQUBO(solver=Portfolio(effort=0.05)),
        criterion=CRITERIA_ASKED,
        cv=5,
        rule=RULE,
    ),
}
# A twin comes after what it is made of, whose fits are kept until then.
NAMES = (DEFAULT, PAPER, *(name + kind for name in CRITERIA for kind in (EXACT, GREEDY)), *ASKING)
KEPT: dict[tuple, Any] = {}


def missing(name: str) -> str | None:
    """Return why a selector cannot be made here, or None."""
    try:
        if name in ASKING:
            ASKING[name](model("linear", "classes"), 5, 0)
        else:
            OURS[TWINS.get(name, name)](5, 0)
    except (AttributeError, ImportError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def fitted(name: str, X: Any, y: np.ndarray, k: int, task: str, seed: int, asked: str) -> Any:
    """Return a fitted selector; `asked` is the model, for those that ask one."""
    if name in ASKING:
        selector = ASKING[name](asked_model(asked, task, X), k, seed)
    else:
        selector = OURS[name](k, seed)
    if task == "regression":  # some targets are whole numbers, which look like classes
        selector.set_params(**{"selector__target_type" if name in ASKING else "target_type": "continuous"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sizes off the path are what is asked for
        return selector.fit(X, y)


def subset(
    name: str, X: Any, y: np.ndarray, k: int, task: str, seed: int, asked: str, where: tuple
) -> np.ndarray:
    """Return the k features of one of ours; `where` names the samples, so that a fit can serve its twin."""
    base = TWINS.get(name, name)
    key = (*where, base, k)
    selector = KEPT.get(key) or fitted(base, X, y, k, task, seed, asked)
    if base in TWINS.values():
        KEPT[key] = selector
        while len(KEPT) > len(SIZES):
            KEPT.pop(next(iter(KEPT)))
    if name in TWINS:
        return np.flatnonzero(greedy(selector.result_.tradeoff, k, alpha=selector.alpha_))
    return np.flatnonzero(selector.support_)
