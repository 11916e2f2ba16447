"""Evaluation of properties, shared by every engine.

Begin with `evaluator`: it retrieves the properties that apply to an assignment and evaluates them, with a cache of
evaluated phrases. `matching` has the lookup table, the matching of properties to daughters, and their satisfaction;
`constituents` the resulting records; `feature_inheritance` the features of phrases. Relations are defined in
`numbat/grammar/relations.py`.
"""

__all__ = ["constituents", "evaluator", "feature_inheritance", "matching"]
