"""The one meaning of properties, used by every engine.

Begin with `evaluator`: it looks up which properties speak of an assignment (`lookup_table`), finds the tuples of
daughters that they match (`matching`) and says which instances are satisfied and violated (`satisfaction`).
`constituents` has the records that come out, `feature_inheritance` where the features of a phrase come from,
`phrase_templates` what phrases of equal make have in common, `readings` words as constituents. What each relation
means, adjacency say, is a row of the table in `numbat/grammar/relations.py`.
"""

__all__ = ["constituents", "evaluator", "feature_inheritance", "matching"]
