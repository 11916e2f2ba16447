"""`Parse`, the result of parsing: an analysis with output formats; `Parses`, a list of parses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, SupportsIndex, overload

from numbat.errors import UsageError, counted
from numbat.grammar.model import Grammar
from numbat.markup import Displayed
from numbat.parsing.analysis import Analysis, ParseRecord, analysis_of, excerpt_for, record_of
from numbat.parsing.explanation.text import brackets, summary, tree
from numbat.parsing.explanation.violations import as_typed, explain_violation
from numbat.records import cached_property

if TYPE_CHECKING:
    from networkx import DiGraph

    from numbat.evaluation.constituents import Constituent


class Parse(Analysis):
    """A parse of a sentence, with output as text, tree, brackets, CoNLL-U, JSON, rows and graph.

    `Analysis` documents the data. Two parses are equal if their records are equal; readings that were not chosen make
    no difference. An unpickled parse has only an excerpt of its grammar, with the properties that were evaluated;
    `from_record(parse.record, grammar)` returns the parse with the whole grammar.
    """

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Parse):
            return NotImplemented
        return self is other or self.record == other.record

    def __hash__(self) -> int:
        return hash(self.record)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self  # a parse is immutable

    def __reduce__(self) -> tuple[Any, ...]:
        # The grammar would be most of the pickle, so only the excerpt that the parse needs is pickled.
        return analysis_of, (type(self), self.record, excerpt_for(self.record, self.grammar), self.lattice.arcs)

    def __repr__(self) -> str:
        return f"<Parse {' '.join(self.lattice.tokens)!r}: {self.summary()}>"

    def __str__(self) -> str:
        return self.tree()

    @cached_property
    def record(self) -> ParseRecord:
        """The parse as plain numbers and names, without the grammar, to be stored or sent."""
        return record_of(self)

    @classmethod
    def from_record(cls, record: ParseRecord, grammar: Grammar) -> Self:
        """Convert a record to a parse. Raises DataError if the record was made with another grammar (by its digest)."""
        return analysis_of(cls, record, grammar)

    def explain(self) -> tuple[str, ...]:
        """Return one sentence per violated property instance; if the parse is partial, the first says so."""
        return explain_violation(self)

    def summary(self) -> str:
        """Return one line: full or partial, costs, weight, number of equally good trees, limit met."""
        return summary(self)

    def text_of(self, constituent: Constituent) -> str:
        """Return the words of a constituent as typed: `du` for the tokens `de` and `=le`."""
        return as_typed(constituent, self.lattice)

    def to_brackets(self) -> str:
        """Return the tree in brackets: `(S (NP (Det the) (N cat)) (VP (V sleeps)))`."""
        return brackets(self)

    def to_conllu(self, id: str = "1") -> str:
        """Return the dependencies as a CoNLL-U sentence with this `id`, using the grammar's map of relations."""
        from numbat.treebanks.dependencies import conllu_of

        return conllu_of(self, id)

    def to_json(self, compact: bool = False) -> dict[str, Any]:
        """Return a value for `json.dumps`, by the schema `numbat.parse/2`; `compact` puts numbers instead of names."""
        from numbat.parsing.explanation.json_format import to_json

        return to_json(self, compact)

    @classmethod
    def from_json(cls, value: Any, grammar: Grammar) -> Self:
        """Convert a value from `to_json` to a parse. Raises DataError for an invalid value or another grammar."""
        from numbat.parsing.explanation.json_format import record_from_json

        return cls.from_record(record_from_json(value, grammar), grammar)

    def to_rows(self, id: str) -> tuple[tuple[str, ...], ...]:
        """Return a row of texts per property instance, with the columns `ROW_HEADER`; `id` identifies the sentence."""
        from numbat.parsing.explanation.json_format import to_rows

        return to_rows(self, id)

    def to_dicts(self, id: str = "1") -> list[dict[str, Any]]:
        """Return a dict per property instance: `to_rows` with typed values (numbers, booleans, tuples of numbers)."""
        from numbat.parsing.explanation.json_format import to_dicts

        return to_dicts(self, id)

    def to_networkx(self) -> DiGraph[str]:
        """Return a graph whose nodes are constituents, words and property instances."""
        from numbat.parsing.explanation.json_format import to_networkx

        return to_networkx(self)

    def tree(self, color: bool = False, width: int = 100, all_features: bool = False, positions: bool = False) -> str:
        """Return the tree as text for a terminal, with summary and explanations.

        It shows the features in the grammar's `tree_features`, or all, cut to fit into `width` columns; with
        `positions` also the token positions of each constituent.
        """
        return tree(self, color, width, all_features, positions)

    def _repr_svg_(self) -> str:
        from numbat.parsing.explanation.drawing import svg

        return svg(self)

    def _repr_html_(self) -> str:
        from numbat.parsing.explanation.drawing import html

        return html(self)


class Parses(Displayed, list[Parse]):
    """List of parses, from `n_best` or elsewhere (`Parses(parser.pipe(texts))`), with tables and notebook display."""

    SHOWN_BY: ClassVar = "numbat.parsing.explanation.drawing"

    @overload
    def __getitem__(self, at: SupportsIndex) -> Parse: ...
    @overload
    def __getitem__(self, at: slice) -> Parses: ...
    def __getitem__(self, at: SupportsIndex | slice) -> Parse | Parses:
        return Parses(super().__getitem__(at)) if isinstance(at, slice) else super().__getitem__(at)

    def to_dicts(self, of: Rows = "properties", ids: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Return a dict for each property instance, or for each parse, with the columns of `to_frame`.

        `ids` has the identifier of the sentence for each parse; by default, sentences are numbered, and each parse of
        rank 1 begins a new sentence. Raises UsageError if the numbers of ids and parses differ.
        """
        named = self._ids() if ids is None else list(ids)
        if len(named) != len(self):
            raise UsageError(f"{len(named)} ids for {counted(len(self), 'parse')}\n  give one for each parse")
        if of == "parses":
            from numbat.parsing.explanation.json_format import to_dict

            return [to_dict(parse, id, parse.to_brackets()) for parse, id in zip(self, named, strict=True)]
        return [row for parse, id in zip(self, named, strict=True) for row in parse.to_dicts(id)]

    def to_frame(self, of: Rows = "properties", ids: Sequence[str] | None = None, library: str | None = None) -> Any:
        """Return a data frame of pandas or polars, whichever is installed, with typed columns.

        It has a row for each property instance, as in `numbat parse -f tsv`, or for each parse, according to `of`.
        Raises MissingExtraError if the library (or both) is not installed, UsageError as `to_dicts` does.
        """
        from numbat.parsing.explanation.json_format import PARSE_TYPES, ROW_TYPES, data_frame

        return data_frame(self.to_dicts(of, ids), PARSE_TYPES if of == "parses" else ROW_TYPES, library)

    def _ids(self) -> list[str]:
        number, ids = 0, list[str]()
        for parse in self:
            number += parse.rank == 1 or not ids
            ids.append(str(number))
        return ids


Rows = Literal["properties", "parses"]
"""Kinds of rows in a table of parses: one for each property instance, or one for each parse."""
