"""
Which words tell two topics apart?
==================================

Word counts are a sparse matrix with a feature for each word. Words that come together, as of one phrase, say the same
thing twice. Synonyms do not: who writes one need not write the other. Does redundancy know the difference?
"""

import numpy as np
from scipy.sparse import issparse
from sklearn.feature_extraction.text import CountVectorizer

from quboselect import SelectQUBO

# %%
# The truth: half of the texts of a topic have its phrase, both words of it. Four in five have a synonym, one of two.
# 45 % have one more word. Each of these comes up in 5 % of the other texts too, among 300 words of no topic.
rng = np.random.default_rng(0)
topics = {
    "film": {"phrase": "box office", "synonyms": ["film", "movie"], "more": "actor"},
    "sport": {"phrase": "penalty kick", "synonyms": ["match", "game"], "more": "coach"},
}


def text_about(topic):
    words = [f"word{i}" for i in rng.integers(0, 300, 30)]
    for name, own in topics.items():
        here = name == topic
        words += [own["phrase"]] * (rng.random() < (0.5 if here else 0.05))
        words += [rng.choice(own["synonyms"])] * (rng.random() < (0.8 if here else 0.05))
        words += [own["more"]] * (rng.random() < (0.45 if here else 0.05))
    return " ".join(rng.permutation(words))


y = rng.choice(list(topics), 1000)
counter = CountVectorizer()
X = counter.fit_transform([text_about(topic) for topic in y])
print(f"{X.shape[0]} texts, {X.shape[1]} words, {X.nnz / np.prod(X.shape):.0%} of the counts are not zero")
# > 1000 texts, 310 words, 10% of the counts are not zero

# %%
# X stays sparse, before and after. It has no names, so the names are given when they are asked for.
selector = SelectQUBO(k=8).fit(X, y)
words = counter.get_feature_names_out()
print(", ".join(selector.get_feature_names_out(words)))
print(f"sparse: {issparse(selector.transform(X))}, proven: {selector.proven_}")
# > actor, box, coach, film, game, kick, match, movie
# > sparse: True, proven: True

# %%
# All four synonyms are in: two that are not written together repeat nothing. Of each phrase one word is in: its two
# words repeat more of each other than either says of the topic.
at = {word: i for i, word in enumerate(words)}
for one, other in [("film", "movie"), ("match", "game"), ("box", "office"), ("penalty", "kick")]:
    shared = selector.redundancy_[at[one], at[other]]
    says = selector.importance_[[at[one], at[other]]]
    print(f"{one} says {says[0]:.2f} bits, {other} {says[1]:.2f}; they repeat {shared:.2f}")
# > film says 0.16 bits, movie 0.20; they repeat 0.00
# > match says 0.20 bits, game 0.18; they repeat 0.00
# > box says 0.21 bits, office 0.21; they repeat 0.52
# > penalty says 0.21 bits, kick 0.21; they repeat 0.55

# %%
# The eight most important words alone would have both words of a phrase.
print(", ".join(words[np.sort(np.argsort(-selector.importance_)[:8])]))
# > actor, box, game, kick, match, movie, office, penalty
