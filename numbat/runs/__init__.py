"""Runs over many sentences: the one loop, executors with several processes, journals and run records.

Begin with `loop`: a run takes a job and inputs, and yields a record for each input. `sentences` reads inputs, with
`metadata`; `settings` has the settings, `parsers` makes a parser and `executors` an executor from them: this process,
several by `pool`, or many machines by `cluster`. `record` describes how a result was made, `journal` resumes a run
that was stopped; `piping` is `Parser.pipe`, `wire` sends results between processes.
"""

__all__ = [
    "executors",
    "journal",
    "loop",
    "metadata",
    "parsers",
    "piping",
    "pool",
    "record",
    "sentences",
    "settings",
    "wire",
]
