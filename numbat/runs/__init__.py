"""Runs over many sentences: the one loop, executors with several processes, journals and run records.

Begin with `loop`: a run takes a job and inputs, and yields a record for each. `sentences` has the inputs, with
`metadata`; `settings` says what may be asked for, `parsers` makes a parser of it, `executors` an executor: this
process, several by `pool`, or many machines by `cluster`. `record` says with what a result was made, `journal` resumes
a run that was stopped; `piping` is `Parser.pipe`, `wire` what goes from process to process.
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
