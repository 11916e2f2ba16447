"""Many sentences: where they come from, the one loop over them, and the jobs that it does.

Begin with `loop`: a run takes a job and inputs, and gives a record for each. `sources` and `trees` give inputs, with a
tagger's help for unknown words (`guesser`); `parsing` and `suites` have jobs; `timing` measures how long parses take.
"""

__all__ = ["guesser", "loop", "parsing", "sources", "suites", "timing", "trees"]
