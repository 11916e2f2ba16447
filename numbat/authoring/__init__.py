"""Writing grammars: checks, permissiveness, tables and pages of grammars, new projects.

Begin with `checking`, which checks a grammar or an exercise. `permissiveness` measures the costs of sentences that were
corrupted on purpose, `project` makes a folder with a grammar and a suite. The command line calls `verbs`, and `report`
shows the results.
"""

__all__ = ["checking", "permissiveness", "project", "report", "verbs"]
