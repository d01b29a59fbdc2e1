"""
Which series tell tomorrow's price?
===================================

Six series are known up to today. Their last five days make 30 features, and the target is the price of tomorrow. Which
series are worth having, and which of their days?
"""

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import TimeSeriesSplit

from quboselect import SelectQUBO, SelectQUBOCV

# %%
# The truth: the price follows the wind of one day before, the coal of two and the sun of three. Every series remembers
# its own past, and gas goes with coal but does nothing to the price.
rng, n = np.random.default_rng(0), 4000
news = rng.normal(size=(n, 6))
news[:, 4] = 0.8 * news[:, 3] + 0.6 * news[:, 4]
series = pd.DataFrame(news, columns=["wind", "rain", "sun", "coal", "gas", "trade"]).ewm(alpha=0.3).mean() * 2
price = 1.0 * series["wind"].shift(1) + 0.8 * series["coal"].shift(2) + 0.8 * series["sun"].shift(3)
price += 0.7 * rng.normal(size=n)

# %%
# No feature knows the day of its target, because the least lag is 1. The last 800 days are put aside for the end.
days = range(1, 6)
lags = {f"{name}_{day}": series[name].shift(day) for name in series for day in days}
X, y = pd.DataFrame(lags)[5:], price[5:]
past, future = slice(0, -800), slice(-800, None)

# %%
# The lags of a series come or go together, so k counts series. Each fold selects and learns from days of the past, and
# is scored on the days after them.
groups = [[f"{name}_{day}" for day in days] for name in series]
how = {"cv": TimeSeriesSplit(5), "rule": "one-standard-error"}
by_series = SelectQUBOCV(LinearRegression(), range(1, 7), selector=SelectQUBO(groups=groups), **how)
by_series.fit(X[past], y[past])
print(f"{by_series.k_} series:", *dict.fromkeys(name[:-2] for name in by_series.get_feature_names_out()))
# > 3 series: wind sun coal

# %%
# Without groups each lag stands for itself, and the three days of the truth are found.
by_lag = SelectQUBOCV(LinearRegression(), range(1, 11), selector=SelectQUBO(), **how).fit(X[past], y[past])
print(f"{by_lag.k_} lags: {', '.join(by_lag.get_feature_names_out())}; proven: {by_lag.selector_.proven_}")
# > 3 lags: wind_1, sun_3, coal_2; proven: True

# %%
# Which series say anything at all? Shuffled days would not remember their past, as these do, so rain seems to. With
# ``blocks`` the whole price is moved along instead, and rain is found out. Gas says what coal says, and so it passes.
for blocks in (None, 50):
    sure = SelectQUBO(k="fdr", fdr=0.1, groups=groups, blocks=blocks).fit(X[past], y[past])
    passed = dict.fromkeys(name.split("_")[0] for name in sure.get_feature_names_out())
    print(f"blocks={blocks}: {', '.join(passed)}")
# > blocks=None: wind, rain, sun, coal, gas
# > blocks=50: wind, sun, coal, gas

# %%
# The days that were put aside: three features tell as much as 30.
for search in (None, by_series, by_lag):
    names = X.columns if search is None else search.get_feature_names_out()
    model = LinearRegression().fit(X[names][past], y[past])
    print(f"{len(names):2} features: R2 {model.score(X[names][future], y[future]):.3f}")
# > 30 features: R2 0.781
# > 15 features: R2 0.783
# >  3 features: R2 0.782
