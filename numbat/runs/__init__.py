"""Runs over many sentences: sources, the one loop, jobs, and executors with several processes.

Begin with `loop`: a run takes a job and inputs, and yields a record for each. `sources` has the inputs, with a tagger
for unknown words (`guesser`); `parsing` and `jobs` have the jobs, `curves` measures granularity and time. `pool` works
in several processes, `cluster` on many machines. `record` says with what a result was made, `journal` resumes a run
that was stopped; `piping` is `parser.pipe`. `held_out` and `permissiveness` measure what
grammars do on sentences that were made worse.
"""

__all__ = [
    "cluster",
    "curves",
    "guesser",
    "held_out",
    "jobs",
    "journal",
    "labelling",
    "loop",
    "metadata",
    "parsing",
    "permissiveness",
    "piping",
    "pool",
    "record",
    "sources",
]
