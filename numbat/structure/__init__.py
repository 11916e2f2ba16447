"""Structure from tags: a dependency model with valence (Klein & Manning 2004) and the properties that it proposes.

Begin with `model`: the probabilities of a model, and its file. `inference` finds best trees and expected counts,
compiled (`_valence.c`) or in `python_inference`, and samples trees. `estimation` learns by EM under an annealed bias
(Smith & Eisner 2006), `contrastive` from neighbours of sentences. `grid` tries conditions and chooses one,
`state_files` lets it resume.
`proposals` samples trees from a model and ranks the properties that hold in them, `parsing` parses with a model.
`settings` and `verbs` serve the command line, `report` writes results as text, page and grammar.
"""

__all__ = [
    "contrastive",
    "estimation",
    "grid",
    "inference",
    "model",
    "parsing",
    "proposals",
    "report",
    "settings",
    "state_files",
    "verbs",
]
