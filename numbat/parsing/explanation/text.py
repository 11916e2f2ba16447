"""Format a parse as text: the tree for a terminal, the summary in one line, brackets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Protocol, TypeVar
from unicodedata import category

from numbat.errors import columns, counted, visible
from numbat.evaluation.constituents import Constituent, stretches
from numbat.grammar.model import Grammar
from numbat.grammar.names import WILDCARD
from numbat.grammar.properties import UNIT
from numbat.parsing.analysis import Analysis
from numbat.parsing.explanation.violations import (
    MARK,
    bundle,
    decimal,
    explain_diagnoses,
    explain_prices,
    explain_violation,
    label,
    listed_words,
    shortened_to,
    shown_features,
    span_of,
)
from numbat.parsing.policies import VALUATIONS, profiles_of
from numbat.words.lexical_lookup import similar_forms

RED: Final = "\x1b[31m"
YELLOW: Final = "\x1b[33m"
FAINT: Final = "\x1b[2m"
PLAIN: Final = "\x1b[0m"
LEAST_ROOM: Final = 12
"""Minimum number of columns for features, even if the tree is as deep as the terminal is wide."""


def tree(
    analysis: Analysis, color: bool = False, width: int = 100, all_features: bool = False, positions: bool = False
) -> str:
    """Return the parse as lines of text, without a newline at the end.

    The features are the grammar's `tree_features`, or all. They are cut to keep the lines of the tree within `width`
    columns; names, words and sentences are never cut. With `positions`, each constituent shows its token positions;
    otherwise only constituents with a hole show them, and the words of a tree with such a constituent.
    """
    shown = shown_features(analysis.grammar, all_features)
    lines = _tree_lines(analysis, shown, color, width, positions) if analysis.constituents else ["(no words)"]
    sentences = (f"{_painted(MARK, RED, color)} {sentence}" for sentence in explain_violation(analysis))
    others = (*explain_diagnoses(analysis), *explain_prices(analysis))
    return "\n".join((*lines, "", summary(analysis), *sentences, *others))


def _tree_lines(
    analysis: Analysis, shown: frozenset[str] | None, color: bool, width: int, positions: bool
) -> list[str]:
    """Return one line per constituent; the top-level ones have no indentation."""
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
    """Format the construction, the mark for violations, features and word, and if `placed` the token positions."""
    head = label(constituent)
    place = f" ({span_of(constituent)})" if placed else ""
    word = f"  {visible(constituent.form)}" if constituent.is_word else ""
    guessed = f" ({lexical_status(constituent)})" if constituent.guessed else ""
    left = max(LEAST_ROOM, room - columns(head + place + word + guessed) - 1)
    written = bundle(constituent, shown)
    features = f" {shortened_to(written, left)}" if written else ""
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


def summary(analysis: Analysis) -> str:
    """Summarize the parse in one line.

    It names: full or partial, cost by kind, weight, number of equally good trees, numbers of satisfied and violated
    instances, guessed and unknown words, symbols left out, rank, greedy election, limit. If most words are not in the
    lexicon, the line begins with this fact, because the grammar may be the wrong one.
    """
    if not analysis.constituents:
        return "no words"
    trees = "1 tree" if analysis.count == 1 else f"{analysis.count} equally good trees"
    parts = [f"cost {_cost_by_kind(analysis)}", f"weight {decimal(analysis.weight_units)}", trees]
    parts.append(f"{len(analysis.satisfied)} satisfied, {len(analysis.violated)} violated")
    parts += guess_notes(analysis)
    if signs := [sign for sign in analysis.lattice.skipped if not all(map(is_punctuation, sign))]:
        parts.append(f"left out: {listed_words(list(map(visible, signs)))}")
    if analysis.rank > 1:
        parts.append(f"rank {analysis.rank}")
    if note := greedy_note(analysis):
        parts.append(note)
    if analysis.outcome.preferred:
        parts.append(visible(analysis.outcome.preferred))
    if analysis.stopped_by is not None:
        parts.append(f"stopped by the limit on {analysis.stopped_by}{bound_note(analysis)}")
    return f"{_another_grammar(analysis)}{_kind(analysis)}: {'; '.join(parts)}"


def bound_note(analysis: Analysis) -> str:
    """Report the lower bound on the cost of any parse, if a search met a limit; empty if the bound is unknown."""
    least = analysis.outcome.least_cost
    if least is not None and not analysis.cost_units:
        return ", but no parse costs less"
    if not least:
        return ""
    is_best = round(least * UNIT) >= analysis.cost_units
    return ", but no parse is better" if is_best else f": no parse costs less than {decimal(round(least * UNIT))}"


def greedy_note(analysis: Analysis) -> str:
    """Report that a greedy election found the parse, and the cost of the best parse; empty for other elections."""
    outcome = analysis.outcome
    if not outcome.is_greedy or not analysis.constituents:
        return ""
    profile = profiles_of(analysis.grammar).get(outcome.profile)
    by_profile = profile is not None and profile.election == outcome.election
    who = f'profile "{visible(outcome.profile)}"' if by_profile else f'election "{outcome.election}"'
    by = "" if outcome.valuation in VALUATIONS else f", elected by {visible(outcome.valuation)}"
    if outcome.best_cost is None:
        return f"greedy {who}{by}: a better parse may exist"
    costs = decimal(round(outcome.best_cost * UNIT)) if analysis.may_be_beaten else "as much"
    under = "" if outcome.valuation == "relaxation" else f" under {outcome.valuation}"
    return f"greedy {who}{by}: the best parse{under} costs {costs}"


def _another_grammar(analysis: Analysis) -> str:
    guessed, words = len(analysis.guessed), len(analysis.lattice.tokens)
    if not mostly_guessed(guessed, words):
        return ""
    named = analysis.grammar.name or "the grammar"
    return f"{guessed} of {words} words are not in the lexicon of {named}; "


def mostly_guessed(guessed: int, words: int) -> bool:
    """True if more than half of several words are guessed or unknown."""
    return words > 1 and 2 * guessed > words


def _kind(analysis: Analysis) -> str:
    """Say whether the parse is full or partial; for a grammar without roots, count chunks and words outside them."""
    tops = analysis.constituents
    if not analysis.grammar.is_shallow:
        return "full parse" if analysis.is_full else f"partial parse of {counted(len(tops), 'fragment')}"
    outside = sum(1 for top in tops if not top.daughters)
    chunks = f"shallow parse of {counted(len(tops) - outside, 'chunk')}"
    return f"{chunks} and {counted(outside, 'word')} outside" if outside else chunks


def lexical_status(word: Constituent) -> str:
    """Return `guessed` for a word that the lexicon lacks, `unknown` if no rule guesses it either, empty for others."""
    return ("unknown" if word.construction == WILDCARD else "guessed") if word.guessed else ""


def by_lexical_status(words: Iterable[Constituent]) -> dict[str, list[str]]:
    """Return the forms of guessed and of unknown words, by `lexical_status`, in the order of the words."""
    by_status: dict[str, list[str]] = {}
    for word in sorted(words, key=lexical_status):
        by_status.setdefault(lexical_status(word), []).append(visible(word.form))
    return by_status


def guess_notes(analysis: Analysis) -> list[str]:
    """Report the number of guessed and of unknown words, and list them."""
    by_status = by_lexical_status(analysis.guessed)
    return [f"{counted(len(words), 'word')} {status}: {listed_words(words)}" for status, words in by_status.items()]


def with_similar(words: Sequence[str], grammar: Grammar) -> list[str]:
    """Return these words, each with the most similar word in the lexicon, if there is one: `slepes (sleeps?)`."""
    similar = [similar_forms(word, grammar.lexicon)[:1] for word in words[:MAX_SIMILAR]]
    return [f"{word} ({form[0]}?)" if form else word for word, form in zip(words, similar, strict=False)] + list(
        words[MAX_SIMILAR:]
    )


MAX_SIMILAR: Final = 8
"""Maximum number of words for which similar forms are searched."""


def is_punctuation(sign: str) -> bool:
    """True if a character is punctuation; symbols that are read aloud, such as %, and pictograms are not."""
    return category(sign)[0] in "PZC" and sign not in "%&#@"


def _cost_by_kind(analysis: Analysis) -> str:
    kinds = (
        ("violations", analysis.violation_cost_units),
        ("fragments", analysis.fragment_cost_units),
        ("lexical", analysis.lexical_cost_units),
        ("prices", analysis.price_units),
    )
    shown = ", ".join(f"{name} {decimal(cost)}" for name, cost in kinds if cost)
    return decimal(analysis.cost_units) + (f" ({shown})" if shown else "")


# Bracketed text, as in treebanks.


class _Branching(Protocol):
    @property
    def daughters(self) -> Sequence[Any]: ...


N = TypeVar("N", bound=_Branching)


def brackets(analysis: Analysis) -> str:
    """Return the top-level constituents on one line: `(S (NP (Det the) (N cat)) (VP (V sleeps)))`.

    Brackets in forms and names become -LRB- and -RRB-. Daughters are in the order of their first words, so the words of
    a discontinuous constituent are written next to each other.
    """
    return bracketed(analysis.constituents, lambda node: (node.construction, node.form if node.is_word else None))


def bracketed(tops: Sequence[N], parts: Callable[[N], tuple[str, str | None]]) -> str:
    """Format trees in brackets on one line; `parts` returns the label of a node and its form, None for a phrase."""
    written: list[str] = []
    waiting: list[N | str] = []
    for top in reversed(tops):
        waiting += (" ", top)
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            written.append(node)
            continue
        label, form = parts(node)
        if form is not None:
            written.append(f"({_in_brackets(label) or '_'} {_escaped(form)})")
        else:
            written.append(f"({_in_brackets(label)}")
            waiting.append(")")
            for daughter in reversed(node.daughters):
                waiting += (daughter, " ")
    return "".join(written).rstrip(" ")


BLANKS: Final = re.compile(r"[ \t\n\r\f\v]+")


def _in_brackets(label: str) -> str:
    """Return a label without blanks and the like, after which a word would begin."""
    return _escaped(BLANKS.sub("_", label))


def _escaped(text: str) -> str:
    return text.replace("(", "-LRB-").replace(")", "-RRB-")
