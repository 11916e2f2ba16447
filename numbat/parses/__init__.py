"""Parses of many sentences: their sources, the job, the formats of the output.

Begin with `verbs`: it parses sentences as `settings` ask for and gives each as text in a format. `sentences` makes
texts and files ready for a parser, `job` parses them, `formats` has a row for each output format; `parts` joins the
outputs of runs over parts of a file.
"""

__all__ = ["formats", "job", "parts", "sentences", "settings", "verbs"]
