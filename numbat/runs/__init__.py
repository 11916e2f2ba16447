"""Many sentences: where they come from, the one loop over them, and the jobs that it does.

Begin with `loop`: a run takes a job and inputs, and gives a record for each. `sources` and `trees` give inputs, with
a tagger's help for unknown words (`guesser`); `parsing` and `suites` have jobs, `structure` parses by a dependency
model; `timing` measures how long parses take, `granularity` what they are from chunks to one deep tree. `pool` does the
work in several processes, each of which is a `worker`, and `cluster` on many machines; both cut the inputs into
`shards`, and `closed_pipes` keeps them from ending with what they talk to. `record` says with what a result was made,
`journal` lets a run go on that was stopped; `piping` is `parser.pipe`.
"""

__all__ = ["cluster", "curves", "guesser", "jobs", "journal", "loop", "parsing", "piping", "pool", "record", "sources"]
