"""Parsed corpora in one file, the store: its query language, comparisons and statistics.

Begin with `Store` in the module `store`: `Store(path).query("NP violates Det ~> N")` yields matches, and
`Store(path).parses()` yields parses. `schema` documents the views of the file; `stored` turns a parse into rows,
`writing` writes rows, `reading` turns rows back into parses, `joining` combines stores. `query_notation` reads a query,
`query_sql` translates it to SQL, `answers` counts the matches; `comparing`, `statistics` and `parquet` work on whole
stores. `settings` has the options for a query; the command line calls `verbs`, whose results `report` prints.
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
    if name == "Store":  # imported late, so that settings and help load no store
        from numbat.corpus.store import Store

        return Store
    raise AttributeError(f"module 'numbat.corpus' has no attribute '{name}'")
