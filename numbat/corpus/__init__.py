"""A corpus that was parsed, in one file that answers: the store, its query language, comparisons and statistics.

Begin with `Store` of `store`: `Store(path).query("NP violates Det ~> N")` gives matches, `Store(path).parses()` the
parses. `schema` documents the views of the file; `stored` makes rows of a parse, `writing` a file of rows, `reading`
parses of rows, `joining` one file of several. `query_notation` reads a query, `query_sql` makes SQL of it, `answers`
counts the matches; `comparing`, `statistics` and `parquet` work on whole stores. `settings` has the options of a
query, `verbs` is what the command line calls, `report` shows what they say.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numbat.corpus.store import Store

__all__ = [
    "Store",
    "answers",
    "comparing",
    "joining",
    "parquet",
    "query_notation",
    "query_sql",
    "reading",
    "report",
    "schema",
    "settings",
    "statistics",
    "store",
    "stored",
    "verbs",
    "writing",
]


def __getattr__(name: str) -> Any:
    if name == "Store":  # loaded when asked for, so that settings and the help need no store
        from numbat.corpus.store import Store

        return Store
    raise AttributeError(f"module 'numbat.corpus' has no attribute '{name}'")
