"""Codes become counts, entropies and correlations."""
