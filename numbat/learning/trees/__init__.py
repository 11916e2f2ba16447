"""Weights of a linear model over trees, learned by max margin (Taskar et al. 2004).

`examples` makes of each tree a packed forest that has it; `structured` says what a learner sees of an example,
`frank_wolfe` and `online` are the learners, `training` runs them, and is where to begin.
"""

__all__ = ["bracket_classifier", "examples", "settings", "state_file", "structured", "svmlight", "training"]
