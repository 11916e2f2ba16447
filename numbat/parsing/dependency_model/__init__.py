"""The dependency model with valence (Klein & Manning 2004): trees of tagged sentences.

Begin with `model`: the probabilities of a model. `inference` finds best trees and expected counts, compiled where that
is possible (`_valence.c`), else in `python_inference`; `sampling` draws trees; `model_file` reads and writes a model.
"""

__all__ = ["inference", "model"]
