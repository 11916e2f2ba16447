"""Helps to write grammars: checks, permissiveness, tables and pages that show a grammar, new projects.

Begin with `checking`, which checks a grammar or an exercise. `permissiveness` measures whether sentences that were
corrupted on purpose cost anything, `project` makes a folder with a grammar and a suite, `known_words` tells what a
grammar knows of a word. The command line calls `verbs`, and `report` shows the results.
"""

__all__ = ["checking", "known_words", "permissiveness", "project", "report", "verbs"]
