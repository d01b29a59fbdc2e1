# ruff: noqa: ARG001 - all have the same arguments
"""The other selectors: each a function ``(X, y, k, task, seed) -> indices``, the best first.

X are numbers without gaps (see `downstream_tables`); categories are ordinal codes. Each is called once per fold with
the largest k, and the first features of its ranking are its subsets of the smaller sizes. All run in one thread, with
the settings that are written here; what the packages leave open is their default.

Cuts, so that all of it runs in about an hour on one core: of a table of more than 1 000 features the slow ones
(`SLOW`) see the 1 000 of the highest information on 5 quantile bins, and the others the whole. ReliefF sees at most 300
samples and 200 000 values, but no fewer than 100 samples; Boruta 1 000 samples and 20 rounds of 50 trees; HSIC-Lasso
500 samples.
"""

import contextlib
import io
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import pandas as pd
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import f_classif, f_regression, mutual_info_classif, mutual_info_regression
from sklearn.linear_model import LogisticRegression, lasso_path
from sklearn.preprocessing import StandardScaler
from sklearn.svm import l1_min_c
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

BINS = 5
TREES = 100
WIDE = 1000
SLOW = ("mutual information", "mrmr-selection", "fast-select mRMR quotient", "ReliefF", "HSIC-Lasso")
Method = Callable[[np.ndarray, np.ndarray, int, str, int], np.ndarray]


def largest(scores: np.ndarray, k: int) -> np.ndarray:
    """Return the k features of the highest score, earlier ones first among equals; NaN is the lowest."""
    return np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")[:k]


def fewer(X: np.ndarray, y: np.ndarray, most: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return at most so many samples, drawn with the seed."""
    if len(y) <= most:
        return X, y
    keep = np.random.default_rng(seed).permutation(len(y))[:most]
    return X[keep], y[keep]


def binned(x: np.ndarray) -> np.ndarray:
    """Return the quantile bin of each value of a column."""
    return np.searchsorted(np.quantile(x, np.arange(1, BINS) / BINS), x, side="right")


def binned_table(X: np.ndarray, y: np.ndarray, task: str) -> tuple[np.ndarray, np.ndarray]:
    """Return codes of the features, those of few values as they are, and of the target."""
    few = [len(np.unique(x)) <= BINS for x in X.T]
    codes = [
        np.unique(x, return_inverse=True)[1] if keep else binned(x) for x, keep in zip(X.T, few, strict=True)
    ]
    return np.column_stack(codes), binned(y) if task == "regression" else y


def information(codes: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Return the mutual information of every feature with a label, in bits."""
    joint = np.stack(
        [(codes == value).T.astype(float) @ (label[:, None] == np.unique(label)) for value in range(BINS)], 1
    )
    p = joint / len(label)
    independent = p.sum(2, keepdims=True) * p.sum(1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p > 0, p * np.log2(p / independent), 0.0).sum((1, 2))


def forward(
    codes: np.ndarray, y: np.ndarray, k: int, gains: Callable[[int], np.ndarray], start: np.ndarray
) -> np.ndarray:
    """Return k features, each the one whose mean gain with the ones before is the highest."""
    chosen, total = [int(np.argmax(start))], np.zeros(codes.shape[1])
    while len(chosen) < k:
        total += gains(chosen[-1])
        total[chosen] = -np.inf
        chosen.append(int(np.argmax(total)))
    return np.array(chosen)


def greedy_mrmr(X, y, k, task, seed):
    codes, label = binned_table(X, y, task)
    relevance = information(codes, label)
    return forward(codes, label, k, lambda j: relevance - information(codes, codes[:, j]), relevance)


def greedy_jmi(X, y, k, task, seed):
    """JMI: the sum of I(x_i, x_j; y) over the chosen j, which is I(x_i; (x_j, y)) - I(x_i; x_j) + a constant of j."""
    codes, label = binned_table(X, y, task)
    label = np.unique(label, return_inverse=True)[1]

    def gains(j):
        both = codes[:, j] * (label.max() + 1) + label
        return information(codes, both) - information(codes, codes[:, j])

    return forward(codes, label, k, gains, information(codes, label))


def knn_information(X, y, k, task, seed):
    score = mutual_info_regression if task == "regression" else mutual_info_classif
    return largest(score(X, y, random_state=seed, n_jobs=1), k)


def f_test(X, y, k, task, seed):
    with np.errstate(all="ignore"):
        return largest((f_regression if task == "regression" else f_classif)(X, y)[0], k)


def mrmr_selection(X, y, k, task, seed):
    from mrmr import mrmr_classif, mrmr_regression

    select = mrmr_regression if task == "regression" else mrmr_classif
    return np.array(select(pd.DataFrame(X), pd.Series(y), K=k, n_jobs=1, show_progress=False))


def fast_select(X, y, k, task, seed):
    """mRMR, the quotient, on the naive bins: it wants discrete values. Its difference is the naive one."""
    from fast_select import mRMR

    codes, label = binned_table(X, y, task)
    return mRMR(n_features_to_select=k, method="MIQ", backend="cpu").fit(codes, label).top_features_


def fastcan(X, y, k, task, seed):
    from fastcan import FastCan

    target = y if task == "regression" else np.eye(int(y.max()) + 1)[y][:, np.unique(y)]
    return FastCan(k, verbose=0).fit(X, target).indices_


def relieff(X, y, k, task, seed):
    from skrebate import ReliefF

    X, y = fewer(X, y, max(100, min(300, 200_000 // X.shape[1])), seed)
    kind = "continuous" if task == "regression" else "binary" if len(np.unique(y)) == 2 else "multiclass"
    return largest(ReliefF(n_neighbors=10, label_type=kind).fit(X, y).feature_importances_, k)


def boruta(X, y, k, task, seed):
    """Its ranking; among equals, as all confirmed ones are, the mean importance of its rounds."""
    from boruta import BorutaPy

    X, y = fewer(X, y, 1000, seed)
    forest = RandomForestRegressor if task == "regression" else RandomForestClassifier
    fitted = BorutaPy(forest(max_depth=5), n_estimators=50, max_iter=20, random_state=seed).fit(X, y)
    importance = np.nan_to_num(np.nanmean(fitted.importance_history_[1:], axis=0))
    return np.lexsort((-importance, fitted.ranking_))[:k]


def extra_trees(X, y, k, task, seed):
    trees = ExtraTreesRegressor if task == "regression" else ExtraTreesClassifier
    return largest(trees(TREES, random_state=seed).fit(X, y).feature_importances_, k)


def forest(X, y, k, task, seed):
    trees = RandomForestRegressor if task == "regression" else RandomForestClassifier
    fitted = trees(TREES, random_state=seed, max_features="sqrt")
    return largest(fitted.fit(X, y).feature_importances_, k)


def elimination(X, y, k, task, seed):
    """RFE with a tree: a tenth of the features goes in each round, and from k on one at a time."""
    tree = DecisionTreeRegressor if task == "regression" else DecisionTreeClassifier
    left, gone = np.arange(X.shape[1]), []
    while len(left) > 1:
        order = largest(tree(random_state=seed).fit(X[:, left], y).feature_importances_, len(left))
        drop = 1 if len(left) <= k else min(max(1, len(left) // 10), len(left) - k)
        gone.append(left[order[-drop:]])
        left = np.sort(left[order[:-drop]])
    return np.concatenate([left, *gone[::-1]])[:k]


def l1_path(X, y, k, task, seed):
    """The order in which features enter the path of the lasso, or of L1 logistic regression.

    Of many classes it is each against the rest. Of those that enter in one step the larger coefficient is first.
    """
    X = StandardScaler().fit_transform(X)
    if task == "regression":
        target = y - y.mean()
        strongest = np.abs(X.T @ target).max() / len(y)
        steps = np.abs(lasso_path(X, target, alphas=strongest * np.logspace(0, -3, 100))[1]).T
    else:
        steps = logistic_steps(X, y, k, seed)
    ranking: list[int] = []
    for sizes in steps:
        known = set(ranking)
        ranking += [int(i) for i in np.argsort(-sizes, kind="stable") if sizes[i] > 0 and i not in known]
        if len(ranking) >= k:
            return np.array(ranking[:k])
    raise ValueError(f"the path ends with {len(ranking)} features")


def logistic_steps(X, y, k, seed):
    """Yield the largest absolute coefficient of each feature, for weaker and weaker penalties."""
    classes = np.unique(y)
    targets = [y == value for value in (classes[1:] if len(classes) == 2 else classes)]
    start = min(l1_min_c(X, target, loss="log") for target in targets)
    for strength in start * np.logspace(0.05, 3, 30):
        fits = [
            LogisticRegression(C=strength, l1_ratio=1, solver="liblinear", random_state=seed, tol=1e-3).fit(
                X, target
            )
            for target in targets
        ]
        yield np.max([np.abs(fit.coef_[0]) for fit in fits], axis=0)


def hsic_lasso(X, y, k, task, seed):
    """Block HSIC-Lasso, blocks of 20. It may find fewer than k; then F-values fill up."""
    from pyHSICLasso import HSICLasso

    small, label = fewer(X, y, 500, seed)
    live = np.flatnonzero(small.std(0) > 0)
    lasso = HSICLasso()
    lasso.input(StandardScaler().fit_transform(small[:, live]), np.asarray(label, float))
    np.random.seed(seed)  # noqa: NPY002 - it permutes with the global generator
    run = lasso.regression if task == "regression" else lasso.classification
    run(k, B=20, M=3, n_jobs=1, max_neighbors=0)
    found = live[np.asarray(lasso.get_index(), int)]
    rest = [i for i in f_test(X, y, X.shape[1], task, seed) if i not in set(found)]
    return np.concatenate([found, np.array(rest, int)])[:k]


def at_random(X, y, k, task, seed):
    return np.random.default_rng(seed).permutation(X.shape[1])[:k]


# The package that each needs beyond scikit-learn, or None.
OTHERS: dict[str, tuple[Method, str | None]] = {
    "random": (at_random, None),
    "F": (f_test, None),
    "mutual information": (knn_information, None),
    "mRMR greedy, naive": (greedy_mrmr, None),
    "JMI greedy, naive": (greedy_jmi, None),
    "Extra-Trees": (extra_trees, None),
    "forest importances": (forest, None),
    "RFE, tree": (elimination, None),
    "L1 path": (l1_path, None),
    "mrmr-selection": (mrmr_selection, "mrmr-selection"),
    "fast-select mRMR quotient": (fast_select, "fast-select"),
    "fastcan": (fastcan, "fastcan"),
    "ReliefF": (relieff, "skrebate"),
    "Boruta": (boruta, "boruta"),
    "HSIC-Lasso": (hsic_lasso, "pyHSICLasso"),
}


def installed(name: str) -> bool:
    package = OTHERS[name][1]
    try:
        return package is None or bool(version(package))
    except PackageNotFoundError:
        return False


def ranking(name: str, X: np.ndarray, y: np.ndarray, k: int, task: str, seed: int) -> np.ndarray:
    """Return the k best features by one method, the best first; whatever it prints is not shown."""
    with contextlib.redirect_stdout(io.StringIO()):
        if name not in SLOW or X.shape[1] <= WIDE:
            return np.asarray(OTHERS[name][0](X, y, k, task, seed), int)
        seen = np.sort(largest(information(*binned_table(X, y, task)), WIDE))
        return seen[np.asarray(OTHERS[name][0](X[:, seen], y, k, task, seed), int)]
