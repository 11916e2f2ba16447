"""Parses of many sentences: their sources, the job, the formats of the output.

Begin with `verbs`: it parses sentences under `settings` and prints each in an output format. `sentences` prepares
texts and files for a parser, `job` parses them, `formats` has a row for each output format, `parts` joins the outputs
of runs over parts of a file.
"""

__all__ = ["formats", "job", "parts", "sentences", "settings", "verbs"]
