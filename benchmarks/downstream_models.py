"""The models of the downstream benchmark, and the score of one on some features of a table."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from downstream_tables import SEED, Table, design
from sklearn.compose import TransformedTargetRegressor, make_column_selector, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVR

# Few and small trees: the forest has 50, boosting 20 rounds of at most 8 leaves at a rate of 0.3.
FOREST = {"n_estimators": 50, "random_state": SEED}
BOOSTING = {
    "max_iter": 20,
    "learning_rate": 0.3,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 5,
    "early_stopping": False,
    "random_state": SEED,
}
# "linear" is logistic or ridge regression; "simple" is Gaussian naive Bayes, or a linear SVR for numbers.
MODELS = ("linear", "forest", "neighbours", "simple", "boosting")


def model(name: str, task: str) -> Any:
    """Return a new model for classes or for numbers; linear models and neighbours standardise."""
    if task == "regression":
        return {
            "linear": lambda: make_pipeline(StandardScaler(), Ridge()),
            "forest": lambda: RandomForestRegressor(**FOREST),
            "neighbours": lambda: make_pipeline(StandardScaler(), KNeighborsRegressor(5)),
            "simple": lambda: TransformedTargetRegressor(
                make_pipeline(StandardScaler(), LinearSVR(random_state=SEED)), transformer=StandardScaler()
            ),
            "boosting": lambda: HistGradientBoostingRegressor(**BOOSTING),
        }[name]()
    return {
        "linear": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
        "forest": lambda: RandomForestClassifier(**FOREST),
        "neighbours": lambda: make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
        "simple": lambda: GaussianNB(),
        "boosting": lambda: HistGradientBoostingClassifier(**BOOSTING),
    }[name]()


def asked_model(name: str, task: str, X: Any) -> Any:
    """Return a new model that takes the table as our selectors do, with categories and missing values."""
    if not isinstance(X, pd.DataFrame):
        return model(name, task)
    numbers = make_column_selector(dtype_include="number")
    categories = make_column_selector(dtype_exclude="number")
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer(
        (SimpleImputer(strategy="median"), numbers),
        (make_pipeline(SimpleImputer(strategy="most_frequent"), one_hot), categories),
    )
    return make_pipeline(columns, model(name, task))


def score(table: Table, fold: int, features: np.ndarray, name: str) -> float:
    """Return the accuracy, or R^2 and not below 0, of a model on the test part of a fold."""
    train, test = table.splits[fold]
    X, X_test = design(table.columns(features, train), table.columns(features, test))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of iterations, and of classes that only the test part has
        fitted = model(name, table.task).fit(X, table.y[train])
        return max(0.0, float(fitted.score(X_test, table.y[test])))
