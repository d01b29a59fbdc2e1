"""Which 5 of ionosphere's 34 radar features say most about the label and repeat each other least?"""

# %%
# The selector needs the table, the label, and how many.
from quboselect import SelectQUBO, compare
from quboselect.datasets import load_ionosphere

data = load_ionosphere()
selector = SelectQUBO(k=5).fit(data.X, data.y)

alternatives = selector.path(size=5)
here = alternatives.at(selector.alpha_)
chosen = ", ".join(str(i) for i in selector.get_support(indices=True))
print(f"ionosphere: {data.X.shape[0]} samples, {data.X.shape[1]} features")
print(f"selected:   {chosen}")
print(f"best five:  at alpha {selector.alpha_}, and for every alpha from {here.start:.6f} to {here.stop:.6f}")
print(f"proven:     {'yes, no better five exist' if selector.proven_ else 'no'}\n")


# %%
# The best five features for every alpha, and then the best subset of any size.
def show(path, what):
    proof = "every segment is proven optimal" if path.proven else "some segments are not proven"
    print(f"{what}, {len(path)} segments from {path.solves} QUBOs; {proof}:\n")
    print(path)
    print()


show(alternatives, "every alternative of five")
show(selector.path(), "the whole path, over all sizes")

# %%
# The usual methods, on the same importance and redundancy.
print(compare(selector))

# %%
# The paper's setting: 20 quantile bins, and the alpha at which five features are optimal among subsets of every size.
paper = SelectQUBO.paper(k=5).fit(data.X, data.y)
start, stop = paper.alpha_window_
print("\nthe paper's:", ", ".join(str(i) for i in paper.get_support(indices=True)))
print(f"optimal:     for every alpha from {start:.6f} to {stop:.6f}, proven: {paper.proven_}")
