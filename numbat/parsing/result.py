"""The result of parsing: an analysis, with the ways to look at it and to write it down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numbat.parsing.analysis import Analysis
from numbat.parsing.explanation.brackets import brackets
from numbat.parsing.explanation.graph import to_networkx
from numbat.parsing.explanation.json_format import to_json
from numbat.parsing.explanation.rows import to_rows
from numbat.parsing.explanation.summary import summary
from numbat.parsing.explanation.terminal_tree import tree
from numbat.parsing.explanation.violations import explain

if TYPE_CHECKING:
    from networkx import DiGraph


class Parse(Analysis):
    """The best analysis of a sentence, or the one of its `rank`, as sentences, a tree, brackets, JSON, rows, a graph.

    The data and what follows from them are told at `Analysis`.
    """

    def __repr__(self) -> str:
        return f"<Parse {' '.join(self.lattice.tokens)!r}: {self.summary()}>"

    def explain(self) -> tuple[str, ...]:
        """One plain sentence for each violated property instance, before them one if the parse is partial."""
        return explain(self)

    def summary(self) -> str:
        """One line: full or partial, costs, weight, number of equally good trees, limit met."""
        return summary(self)

    def to_brackets(self) -> str:
        """`(S (NP (Det the) (N cat)) (VP (V sleeps)))`."""
        return brackets(self)

    def to_json(self) -> dict[str, Any]:
        """A value for `json.dumps`, by the schema `numbat.parse/1`."""
        return to_json(self)

    def to_rows(self, id: str) -> tuple[tuple[str, ...], ...]:
        """One row for each property instance under `ROW_HEADER` of the rows; `id` names the sentence."""
        return to_rows(self, id)

    def to_networkx(self) -> DiGraph[str]:
        """Constituents, words and property instances as nodes of a graph."""
        return to_networkx(self)

    def tree(self, color: bool = False, width: int = 100, all_features: bool = False) -> str:
        """The tree in the characters of a terminal, the summary, the explanations.

        Features are those that the grammar's `tree_features` name, or all; they are cut to fit into `width` columns.
        """
        return tree(self, color, width, all_features)

    # A drawing belongs to the package `report`, which stands above this one. These hooks of notebooks are the one place
    # that reaches for it, when they are called and not before.

    def _repr_svg_(self) -> str:
        from numbat.report.svg import svg

        return svg(self)

    def _repr_html_(self) -> str:
        from numbat.report.svg import html

        return html(self)
