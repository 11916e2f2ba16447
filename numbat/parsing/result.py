"""The result of parsing: an analysis, with the ways to look at it and to write it down."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from numbat.grammar.model import Grammar
from numbat.parsing.analysis import Analysis, ParseRecord, analysis_of, excerpt_for, record_of
from numbat.parsing.explanation.text import brackets, summary, tree
from numbat.parsing.explanation.violations import as_typed, explain_violation

if TYPE_CHECKING:
    from networkx import DiGraph

    from numbat.evaluation.constituents import Constituent


class Parse(Analysis):
    """The best analysis of a sentence, or the one of its `rank`, as sentences, a tree, brackets, JSON, rows, a graph.

    The data and what follows from them are told at `Analysis`. Two parses are equal if their records are; the readings
    of words that were not chosen make no difference. A parse that was pickled comes back with an excerpt of its
    grammar, which has the properties that were evaluated; `from_record(parse.record, grammar)` gives it the whole one.
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
        return self  # nothing of a parse ever changes

    def __reduce__(self) -> tuple[Any, ...]:
        # The grammar would be most of it: what travels of that is what the parse needs to answer what it is asked.
        return analysis_of, (type(self), self.record, excerpt_for(self.record, self.grammar), self.lattice.arcs)

    def __repr__(self) -> str:
        return f"<Parse {' '.join(self.lattice.tokens)!r}: {self.summary()}>"

    @cached_property
    def record(self) -> ParseRecord:
        """The parse in plain numbers and names, without the grammar: what can be kept and sent."""
        return record_of(self)

    @classmethod
    def from_record(cls, record: ParseRecord, grammar: Grammar) -> Self:
        """Return the parse of a record.

        Raises DataError where the grammar is not the one that it is of, by its digest.
        """
        return analysis_of(cls, record, grammar)

    def explain(self) -> tuple[str, ...]:
        """One plain sentence for each violated property instance, before them one if the parse is partial."""
        return explain_violation(self)

    def summary(self) -> str:
        """One line: full or partial, costs, weight, number of equally good trees, limit met."""
        return summary(self)

    def text_of(self, constituent: Constituent) -> str:
        """Return the words of a constituent as they were typed: `du` for the tokens `de` and `=le`."""
        return as_typed(constituent, self.lattice)

    def to_brackets(self) -> str:
        """`(S (NP (Det the) (N cat)) (VP (V sleeps)))`."""
        return brackets(self)

    def to_json(self, compact: bool = False) -> dict[str, Any]:
        """Return a value for `json.dumps`, by the schema `numbat.parse/2`; `compact`: numbers in the place of names."""
        from numbat.parsing.explanation.json_format import to_json

        return to_json(self, compact)

    @classmethod
    def from_json(cls, value: Any, grammar: Grammar) -> Self:
        """Return the parse of such a value.

        Raises DataError for another value, and where the grammar is another one.
        """
        from numbat.parsing.explanation.json_format import record_from_json

        return cls.from_record(record_from_json(value, grammar), grammar)

    def to_rows(self, id: str) -> tuple[tuple[str, ...], ...]:
        """One row for each property instance under `ROW_HEADER` of the rows; `id` names the sentence."""
        from numbat.parsing.explanation.json_format import to_rows

        return to_rows(self, id)

    def to_networkx(self) -> DiGraph[str]:
        """Constituents, words and property instances as nodes of a graph."""
        from numbat.parsing.explanation.json_format import to_networkx

        return to_networkx(self)

    def tree(self, color: bool = False, width: int = 100, all_features: bool = False, positions: bool = False) -> str:
        """Return the tree in the characters of a terminal, the summary, the explanations.

        Features are those that the grammar's `tree_features` name, or all; they are cut to fit into `width` columns.
        `positions`: with the token positions of each constituent.
        """
        return tree(self, color, width, all_features, positions)

    # A drawing belongs to the package `report`, which stands above this one. These hooks of notebooks are the one place
    # that reaches for it, when they are called and not before.

    def _repr_svg_(self) -> str:
        from numbat.report.pages import svg

        return svg(self)

    def _repr_html_(self) -> str:
        from numbat.report.pages import html

        return html(self)
