"""Answers about a selection: which order, why and why not, what else would do.

They are made of the problem that was searched, and know neither a table nor a solver's reasons: `ranking` orders all
features, `reasons` says what each would change, `alternatives` lists the next best subsets with their proofs.
"""
