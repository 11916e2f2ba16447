"""Property Grammars from treebanks.

`rule_counts` counts the rules, words and agreeing features of trees, `occurrences` the daughters of one construction.
From these `property_candidates` and `agreement` find properties, each with its support; `induced_lexicon` makes the
lexicon. Begin with `induce`, which puts the grammar together; `induced` has its records, and `induced_files` writes it
with the counts in comments.
"""

__all__ = ["induce", "induced", "induced_files", "property_candidates", "rule_counts"]
