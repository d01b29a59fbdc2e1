"""Counting: features as codes, their joint counts as entropies, and correlations of numbers."""
