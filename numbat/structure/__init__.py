"""Dependency model with valence (Klein & Manning 2004): trees of tagged sentences.

Begin with `model`: the probabilities of a model, and its file. `inference` finds best trees and expected counts,
compiled (`_valence.c`) or in `python_inference`, and samples trees.
"""

__all__ = ["inference", "model"]
