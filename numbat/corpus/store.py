"""`Store`, a parsed corpus in one file: the interface for scripts and notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from numbat.corpus.reading import StoreReader

if TYPE_CHECKING:
    from numbat.corpus.answers import MatchCounts
    from numbat.corpus.query_sql import Query, QueryMatch


class Store(StoreReader):
    """A store opened for reading, which is closed at the end of the `with`.

        with Store("corpus.db") as store:
            for match in store.query("NP violates Det ~> N"):
                print(match.row.stored.text, match.parse.summary())

    Raises MissingFileError, and DataError unless the file is a store of this version.
    """

    def query(
        self,
        text: str,
        run: int | None = None,
        limit: int | None = None,
        worst_first: bool = False,
        max_seconds: float | None = None,
    ) -> Iterator[QueryMatch]:
        """Yield the matches of a query in a run, in the order of sentences or, if `worst_first`, the costliest first.

        By default the run is the last complete one. Raises DataError for mistakes in the query, with their places, and
        for a query that takes more than `max_seconds`.
        """
        from numbat.corpus.query_sql import matches

        return matches(self, self.compiled(text, run), limit, worst_first, max_seconds)

    def count(
        self, text: str, by: Sequence[str] = (), run: int | None = None, max_seconds: float | None = None
    ) -> MatchCounts:
        """Return the counts of a query's matches, grouped by keys: of metadata, `construction`, `word`, `property`."""
        from numbat.corpus.answers import counted

        return counted(self, self.compiled(text, run), by, max_seconds)

    def compiled(self, text: str, run: int | None = None) -> Query:
        """Return a query compiled to SQL for this store. Raises DataError for mistakes in the query."""
        from numbat.corpus.query_sql import compiled

        return compiled(self, text, self.run(run))
