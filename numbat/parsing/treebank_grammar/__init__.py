"""Parsing by expansions counted on a treebank: Markov tables, coarse-to-fine search, the k best trees."""

__all__ = ["expansions", "likeliest"]
