"""Which 5 of ionosphere's 34 radar features say most about the label and repeat each other least?"""

# %%
# The selector needs the table, the label, and how many.
from quboselect import SelectQUBO, compare
from quboselect.datasets import load_ionosphere

data = load_ionosphere()
selector = SelectQUBO(k=5).fit(data.X, data.y)

start, stop = selector.alpha_window_
chosen = ", ".join(str(i) for i in selector.get_support(indices=True))
print(f"ionosphere: {data.X.shape[0]} samples, {data.X.shape[1]} features")
print(f"selected:   {chosen}")
print(f"optimal:    for every alpha from {start:.6f} to {stop:.6f}")
print(f"proven:     {'yes, no better subset exists' if selector.proven_ else 'no'}\n")

# %%
# The optimal subset for every alpha: the path of the same problem.
path = selector.path()
proof = "every segment is proven optimal" if path.proven else "some segments are not proven"
print(f"the whole path, {len(path)} segments from {path.solves} QUBOs; {proof}:\n")
print(path)

# %%
# The usual methods, on the same importance and redundancy.
print()
print(compare(selector))
