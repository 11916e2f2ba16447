"""Weights and costs of properties by max margin, from pairs of sentences of which one is better than the other.

Begin with `rounds`: sentences are parsed under the present costs, a linear ranking is learned of what their parses
violate (`ranking`), and its weights become the costs of the next round (`tying`). Pairs come from judgements
(`comparisons`) and from neighbours of good sentences, a word dropped or two swapped (`neighbours`).
"""

__all__ = ["comparisons", "model", "neighbours", "ranking", "rounds", "strength", "tying"]
