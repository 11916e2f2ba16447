"""Trees for the package `forest` and numbered, starred examples for `gb4e`, as text to be put into a LaTeX document.

`FOR_TREES` and `FOR_EXAMPLES` name the packages that the document needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from numbat.errors import visible
from numbat.evaluation.constituents import Constituent
from numbat.grammar.properties import format_property
from numbat.parsing.explanation.violations import bundle, shown_features

if TYPE_CHECKING:
    from numbat.gradience.summary import Experiment
    from numbat.gradience.verdicts import ScoredItem
    from numbat.parsing.result import Parse

ESCAPES: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}

FOR_TREES: Final = "% for the preamble: \\usepackage[T1]{fontenc} \\usepackage{xcolor} \\usepackage{forest}"
FOR_EXAMPLES: Final = f"{FOR_TREES}; for examples, last: \\usepackage{{gb4e}}"
"""Comments that name the packages."""


def escaped(text: str) -> str:
    """The text with LaTeX's own signs made plain."""
    return "".join(ESCAPES.get(char, char) for char in visible(text))


def forest(parse: Parse, all_features: bool = False) -> str:
    """A `forest` environment for each top-level constituent; violated properties stand below the name, in red.

    Features stand below the name: those that the grammar says trees show, or all.
    """
    shown = shown_features(parse.grammar, all_features)
    drawn = []
    for top in parse.constituents:
        body = "\n".join(_node(top, 1, shown))
        drawn.append(f"\\begin{{forest}}\n{body}\n\\end{{forest}}")
    return "\n".join(drawn) + "\n"


def _node(constituent: Constituent, depth: int, shown: frozenset[str] | None) -> Iterator[str]:
    """One line for each node; commas and brackets in a label stand in braces, for forest reads them itself."""
    waiting: list[Constituent | str] = [constituent]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            depth -= 1
            yield "  " * depth + node
        elif node.is_word:
            yield "  " * depth + f"[{_label(node, shown)} [{{{escaped(node.form)}}}, tier=word]]"
        else:
            yield "  " * depth + f"[{_label(node, shown)}"
            depth += 1
            waiting.append("]")
            waiting += reversed(node.daughters)


def _label(node: Constituent, shown: frozenset[str] | None) -> str:
    violated = list(dict.fromkeys(format_property(i.property) for i in node.characterization.violated))
    features = bundle(node, shown)
    below = [f"\\scriptsize {escaped(features)}"] if features else []
    below += [f"\\scriptsize $\\times$ {escaped(text)}" for text in violated]
    text = "\\\\".join((escaped(node.construction), *below))
    return f"{{{text}}}" + ", text=red" * bool(violated) + ", align=center" * bool(below)


def suite_latex(experiment: Experiment) -> str:
    """The sentences of a suite as numbered examples, then a tree for each."""
    trees = (f"\n% {escaped(each.item.id)}\n{forest(each.parse)}" for each in experiment.items)
    return f"{FOR_EXAMPLES}\n{examples(experiment.items)}" + "".join(trees)


def examples(items: Iterable[ScoredItem]) -> str:
    """A `gb4e` list: each sentence with its sign, and a label `ex:ID` to refer to."""
    lines = ["\\begin{exe}"]
    for each in items:
        item = each.item
        sign = escaped(item.judgement or "") if item.is_good is None else item.star
        where = f"\\label{{ex:{_key(item.id)}}}"
        lines.append(f"  \\ex[{sign}]{{{escaped(item.sentence)}}}{where}")
    return "\n".join([*lines, "\\end{exe}"]) + "\n"


def _key(id: str) -> str:
    """An id as a label that LaTeX takes: letters, digits and hyphens."""
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in id)
