"""Parsing of many sentences: where they come from, the job that parses each, the formats of the output.

Begin with `verbs`: it parses sentences with the options in `settings` and prints the parses of each. `sentences`
prepares texts and files for a parser, `job` parses one sentence, `formats` has an entry for each output format, `parts`
joins the outputs of runs over parts of a file.
"""

__all__ = ["formats", "job", "parts", "sentences", "settings", "verbs"]
