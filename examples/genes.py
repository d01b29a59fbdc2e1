"""
What can I trust of thousands of genes?
=======================================

There are 120 samples and 2010 genes, and genes of one pathway rise and fall together. Three genes can be selected, and
proven to be the best three. What does the proof say, and what does it not say?
"""

import numpy as np
import pandas as pd

from quboselect import SelectQUBO

# %%
# The truth: there are 134 pathways of 15 genes, each gene is its pathway and some noise, and the first three pathways
# make the label. So any gene of p0, one of p1 and one of p2 is a right answer.
rng = np.random.default_rng(0)
pathways = rng.normal(size=(120, 134))
genes = np.repeat(pathways, 15, axis=1) + 0.3 * rng.normal(size=(120, 2010))
X = pd.DataFrame(genes, columns=[f"p{i // 15}_{i % 15}" for i in range(2010)])
y = pathways[:, :3].sum(axis=1) + 0.3 * rng.normal(size=120) > 0
selector = SelectQUBO(k=3).fit(X, y)
print(f"{', '.join(selector.get_feature_names_out())}; proven: {selector.proven_}")
# > p0_5, p1_12, p2_7; proven: True

# %%
# The proof is about the objective: of all triples of 2010 genes, none has a better value for these samples. It is not
# about the genes: another one is nearly as good, and the fit says so. Above 2000 features the next best triples are
# searched for in a core, and all that is proven of them is that none is better than the first: so their gaps say.
print(*selector.warnings_, sep="\n")
print(selector.alternatives(4, different=1))
# > p1_2 instead of p1_12 is nearly as good: 0.77% worse.
# > rank   worse by  proof         instead of the first
# >    1     0.000%  proven
# >    2     0.765%  gap 0.77%     -p1_12  +p1_2
# >    3     1.719%  gap 1.75%     -p1_12  +p1_13
# >    4     2.107%  gap 2.15%     -p0_5  +p0_9
# > Of the others no more is proven than of the first: they are of a core of 185 features, and the table has 2010.

# %%
# Other samples would have led to other genes, but mostly to the same pathways: these samples know the pathway, not the
# gene.
found = selector.stability(X, y, n_resamples=6)
print(repr(found))
hit = found.supports.reshape(6, 134, 15).any(axis=2).mean(axis=0)
print(
    f"p0 in {hit[0]:.0%} of resamples, p1 in {hit[1]:.0%}, p2 in {hit[2]:.0%}, no other in over {hit[3:].max():.0%}"
)
# > Stability(index 0.221, 95 % interval 0.099 to 0.343, 6 resamples)
# > p0 in 67% of resamples, p1 in 100%, p2 in 100%, no other in over 17%

# %%
# Which genes have to do with the label at all? Those that pass, at a rate of false discoveries of 0.1. That is a mean
# over many tables: in one of them the share may be lower or higher, and genes of a pathway tend to pass together.
sure = SelectQUBO(k="fdr", fdr=0.1).fit(X, y)
print(f"{sure.k_} genes pass, {sure.support_[:45].sum()} of them of p0, p1 and p2, which have 45")
# > 42 genes pass, 38 of them of p0, p1 and p2, which have 45
