"""A corpus that was parsed, in one file that answers: the store, its query language, comparisons and statistics.

Begin with `Store`: `Store(path).query("NP violates Det ~> N")` gives matches, `Store(path).parses()` the parses.
`schema` documents the views of the file, `writing` makes one, `joining` makes one of others; `query_notation` reads a
query, `query_sql` makes SQL of it.
"""

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
    "schema",
    "statistics",
    "store",
    "stored",
    "writing",
]
