"""Settings for queries of a store."""

from __future__ import annotations

from numbat.records import frozen
from numbat.settings import MOST_SECONDS, setting


@frozen
class QuerySettings:
    """Settings for a query and its output: the options of `numbat query`."""

    store: str
    query: str | None
    by: tuple[str, ...]
    sql: str | None
    form: str
    for_spreadsheets: bool
    output: str | None
    color: str
    run: int | None = setting(
        None, "--run", "Number of the run (default: the last complete one).", least=1, heading="Input"
    )
    against: str | None = setting(
        None,
        "--against",
        "Compare with this store.",
        reads="file",
        metavar="STORE",
        heading="Input",
    )
    against_run: int | None = setting(
        None, "--against-run", "Compare with this run of STORE, or of the store of --against.", least=1, heading="Input"
    )
    verify: bool = setting(
        False, "--verify", "Check that STORE is as it was written, by its checksum.", heading="Input"
    )
    count: bool = setting(False, "--count", "Count the matches instead of printing them.", heading="Output")
    sample: int | None = setting(None, "--sample", "Print this many random matches.", least=1, heading="Output")
    seed: int = setting(0, "--seed", "Random seed for the sample.", least=0, heading="Output")
    order: str = setting(
        "corpus",
        "--order",
        "corpus (default), or worst: the costliest sentences first.",
        choices=("corpus", "worst"),
        metavar="ORDER",
        heading="Output",
    )
    n: int | None = setting(None, "-n", "Print at most this many matches.", least=1, heading="Output")
    context: int = setting(
        40, "--context", "Columns of text to show before and after the match.", least=0, most=10_000, heading="Output"
    )
    max_seconds: float | None = setting(
        None, "--max-seconds", "Stop the query after this many seconds.", above=0, most=MOST_SECONDS, heading="Output"
    )
