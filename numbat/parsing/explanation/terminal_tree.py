"""A parse for the terminal: the tree, a summary in one line, one sentence for each violated property."""

from __future__ import annotations

from typing import Final

from numbat.errors import visible
from numbat.evaluation.constituents import Constituent
from numbat.parsing.analysis import Analysis
from numbat.parsing.explanation.labels import MARK, bundle, columns, label, shortened, shown_features
from numbat.parsing.explanation.summary import lexical_status, summary
from numbat.parsing.explanation.violations import explain
from numbat.parsing.explanation.wording import span_of, stretches

RED: Final = "\x1b[31m"
YELLOW: Final = "\x1b[33m"
FAINT: Final = "\x1b[2m"
PLAIN: Final = "\x1b[0m"
LEAST_ROOM: Final = 12
"""Features get at least so many columns, even where the tree is as deep as the terminal is wide."""


def tree(
    analysis: Analysis, color: bool = False, width: int = 100, all_features: bool = False, positions: bool = False
) -> str:
    """The parse as lines of text, without a newline at the end.

    The features are those that the grammar says trees show, or all. They are cut to keep a line of the tree within
    `width` columns; names, words and sentences are never cut. `positions` are those of every constituent, else of those
    with a hole and of the words of such a tree.
    """
    shown = shown_features(analysis.grammar, all_features)
    lines = _tree_lines(analysis, shown, color, width, positions) if analysis.constituents else ["(no words)"]
    sentences = (f"{_painted(MARK, RED, color)} {sentence}" for sentence in explain(analysis))
    return "\n".join((*lines, "", summary(analysis), *sentences))


def _tree_lines(
    analysis: Analysis, shown: frozenset[str] | None, color: bool, width: int, positions: bool
) -> list[str]:
    """One line for each constituent; the top-level ones stand at the margin."""
    broken = any(len(stretches(constituent.cover)) > 1 for top in analysis.constituents for constituent in top.walk())
    lines = []
    waiting = [(top, "", "") for top in reversed(analysis.constituents)]
    while waiting:
        constituent, branch, below = waiting.pop()
        placed = positions or len(stretches(constituent.cover)) > 1 or (broken and constituent.is_word)
        lines.append(branch + _label(constituent, shown, placed, color, width - columns(branch)))
        daughters = constituent.daughters
        for i, daughter in reversed(list(enumerate(daughters))):
            last = i == len(daughters) - 1
            waiting.append((daughter, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  ")))
    return lines


def _label(constituent: Constituent, shown: frozenset[str] | None, placed: bool, color: bool, room: int) -> str:
    """Construction, mark, features, word; with its positions if it is `placed`."""
    head = label(constituent)
    place = f" ({span_of(constituent)})" if placed else ""
    word = f"  {visible(constituent.form)}" if constituent.is_word else ""
    guessed = f" ({lexical_status(constituent)})" if constituent.guessed else ""
    left = max(LEAST_ROOM, room - columns(head + place + word + guessed) - 1)
    written = bundle(constituent, shown)
    features = f" {shortened(written, left)}" if written else ""
    return "".join(
        (
            _painted(head, RED, color and bool(constituent.characterization.violated)),
            _painted(features, FAINT, color),
            place,
            word,
            _painted(guessed, YELLOW, color),
        )
    )


def _painted(text: str, paint: str, color: bool) -> str:
    return f"{paint}{text}{PLAIN}" if color and text else text
