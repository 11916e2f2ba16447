"""A parse as bracketed text, as treebanks write trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from numbat.parsing.analysis import Analysis


class _Branching(Protocol):
    @property
    def daughters(self) -> Sequence[Any]: ...


N = TypeVar("N", bound=_Branching)


def brackets(analysis: Analysis) -> str:
    """The top-level constituents on one line: `(S (NP (Det the) (N cat)) (VP (V sleeps)))`.

    Brackets in forms and names become -LRB- and -RRB-. Daughters stand in the order of their first words, so words of
    a discontinuous constituent stand together.
    """
    return bracketed(analysis.constituents, lambda node: (node.construction, node.form if node.is_word else None))


def bracketed(tops: Sequence[N], said: Callable[[N], tuple[str, str | None]]) -> str:
    """Trees in brackets on one line; `said` tells the label of a node and the form of a word, None of a phrase."""
    written: list[str] = []
    waiting: list[N | str] = []
    for top in reversed(tops):
        waiting += (" ", top)
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            written.append(node)
            continue
        label, form = said(node)
        if form is not None:
            written.append(f"({_escaped(label)} {_escaped(form)})")
        else:
            written.append(f"({_escaped(label)}")
            waiting.append(")")
            for daughter in reversed(node.daughters):
                waiting += (daughter, " ")
    return "".join(written).rstrip(" ")


def _escaped(text: str) -> str:
    return text.replace("(", "-LRB-").replace(")", "-RRB-")
