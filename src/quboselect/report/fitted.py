"""The result of a fitted selector, which comparisons and plots are made of."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..result import Result


def result_of(fitted: Any, user: str) -> Result:
    """Return a result as it is, or that of a fitted selector; ``user`` is who asks, for the error.

    Examples
    --------
    >>> result_of(3, "compare")
    Traceback (most recent call last):
    TypeError: compare needs a Result or a fitted SelectQUBO or SelectQUBOCV, got int: of a pipeline, give its selector.
    """
    if isinstance(fitted, Result):
        return fitted
    if hasattr(fitted, "fit"):
        check_is_fitted(fitted)
    # Cross-validation keeps the selector that it has fitted last.
    found = getattr(getattr(fitted, "selector_", fitted), "result_", None)
    if not isinstance(found, Result):
        raise TypeError(
            f"{user} needs a Result or a fitted SelectQUBO or SelectQUBOCV, got {type(fitted).__name__}: "
            f"of a pipeline, give its selector."
        )
    return found
