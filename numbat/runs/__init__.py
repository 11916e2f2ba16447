"""Runs over many sentences: the loop that all of them use, executors with several processes, journals, run records.

Begin with `loop`: a run takes a job and inputs, and yields a record for each input. `sentences` reads inputs and, with
`metadata`, facts about them. From the options in `settings`, `parsers` makes a parser and `executors` an executor: this
process, several ones (`pool`), or many machines (`cluster`). `record` describes how a result was made, `journal` lets a
run resume that was stopped; `children` answers requests in processes that can be ended, `piping` implements
`Parser.pipe`, `wire` sends results between processes.
"""

__all__ = [
    "children",
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
