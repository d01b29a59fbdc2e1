"""The models that the command cross-validates with, for any table: numbers, categories and gaps."""

from typing import Any

CATEGORIES = 20  # of a feature that become columns of their own; the others are one


def cross_validated(plain: Any, X: Any, y: Any, *, most: int, folds: int, model: str, seed: int) -> Any:
    """Return a fitted `SelectQUBOCV`.

    Parameters
    ----------
    plain : SelectQUBO
        Fitted; how features are selected.
    X, y : polars frame and series
    most : int
        The largest number of features to try.
    folds : int
    model : "linear" or "trees"
    seed : int
        Of the folds.
    """
    from sklearn.base import clone
    from sklearn.model_selection import KFold, StratifiedKFold

    from .. import SelectQUBOCV
    from ..tables.target import as_target

    target = as_target(y, plain.target_type)
    kind = KFold if target.continuous else StratifiedKFold
    selector = clone(plain).set_params(k=1, alpha=None)
    sizes = range(1, min(most, X.width) + 1)
    return SelectQUBOCV(
        model_for(model, target.continuous),
        k=sizes,
        selector=selector,
        cv=kind(folds, shuffle=True, random_state=seed),
        rule="one-standard-error",
    ).fit(X, y)


def model_for(model: str, continuous: bool) -> Any:
    """Return a model that takes any polars frame."""
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    rare: dict[str, Any] = {"handle_unknown": "infrequent_if_exist", "max_categories": CATEGORIES}
    one_hot = OneHotEncoder(**rare, sparse_output=False)
    if model == "trees":
        end = HistGradientBoostingRegressor() if continuous else HistGradientBoostingClassifier()
        scaled: Any = "passthrough"
    else:
        end = Ridge() if continuous else LogisticRegression(max_iter=2000)
        scaled = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
    columns = ColumnTransformer([("numbers", scaled, number_columns), ("others", one_hot, other_columns)])
    return make_pipeline(columns, end)


def number_columns(X: Any) -> list[str]:
    """Return the names of the numbers of a polars frame."""
    return [name for name in X.columns if X[name].dtype.is_numeric()]


def other_columns(X: Any) -> list[str]:
    """Return the names of all that are no numbers."""
    return [name for name in X.columns if not X[name].dtype.is_numeric()]
