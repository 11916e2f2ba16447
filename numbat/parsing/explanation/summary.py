"""A parse in one line: how much of the sentence it covers, what it costs, what is not known of its words."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import category

from numbat.errors import counted, visible
from numbat.evaluation.constituents import Constituent
from numbat.grammar.names import WILDCARD
from numbat.parsing.analysis import Analysis
from numbat.parsing.explanation.wording import decimal, listed_words


def summary(analysis: Analysis) -> str:
    """The parse in one line.

    Full or partial, cost by kind, weight, number of equally good trees, P+ and P-, words that are guessed or unknown,
    signs that were left out, limit. First of all it is said that most words are not in the lexicon: the grammar may be
    another one than was meant.
    """
    if not analysis.constituents:
        return "no words"
    trees = "1 tree" if analysis.count == 1 else f"{analysis.count} equally good trees"
    parts = [f"cost {_cost_by_kind(analysis)}", f"weight {decimal(analysis.weight)}", trees]
    parts.append(f"{len(analysis.satisfied)} satisfied, {len(analysis.violated)} violated")
    parts += told_of_guesses(analysis)
    if signs := [sign for sign in analysis.lattice.skipped if not all(map(is_punctuation, sign))]:
        parts.append(f"left out: {listed_words(list(map(visible, signs)))}")
    if analysis.rank > 1:
        parts.append(f"rank {analysis.rank}")
    if analysis.stopped_by is not None:
        parts.append(f"stopped by the limit on {analysis.stopped_by}")
    return f"{_another_grammar(analysis)}{_kind(analysis)}: {'; '.join(parts)}"


def _another_grammar(analysis: Analysis) -> str:
    guessed, words = len(analysis.guessed), len(analysis.lattice.tokens)
    if not mostly_guessed(guessed, words):
        return ""
    named = analysis.grammar.name or "the grammar"
    return f"{guessed} of {words} words are not in the lexicon of {named}; "


def mostly_guessed(guessed: int, words: int) -> bool:
    """Whether more than half of several words are guessed or unknown."""
    return words > 1 and 2 * guessed > words


def _kind(analysis: Analysis) -> str:
    """Full or partial; of a grammar without roots, how many chunks there are and how many words outside of them."""
    tops = analysis.constituents
    if not analysis.grammar.is_shallow:
        return "full parse" if analysis.is_full else f"partial parse of {counted(len(tops), 'fragment')}"
    outside = sum(1 for top in tops if not top.daughters)
    told = f"shallow parse of {counted(len(tops) - outside, 'chunk')}"
    return f"{told} and {counted(outside, 'word')} outside" if outside else told


def lexical_status(word: Constituent) -> str:
    """`guessed` for a word that the lexicon does not have, `unknown` where no rule guesses it either; else nothing."""
    return ("unknown" if word.construction == WILDCARD else "guessed") if word.guessed else ""


def by_lexical_status(words: Iterable[Constituent]) -> dict[str, list[str]]:
    """Which of these words are guessed, and which unknown, in their order."""
    found: dict[str, list[str]] = {}
    for word in sorted(words, key=lexical_status):
        found.setdefault(lexical_status(word), []).append(visible(word.form))
    return found


def told_of_guesses(analysis: Analysis) -> list[str]:
    """How many words are guessed and how many unknown, and which."""
    found = by_lexical_status(analysis.guessed)
    return [f"{counted(len(words), 'word')} {how}: {listed_words(words)}" for how, words in found.items()]


def is_punctuation(sign: str) -> bool:
    """Whether a character only divides: what is read out, such as % or a picture, is more than that."""
    return category(sign)[0] in "PZC" and sign not in "%&#@"


def _cost_by_kind(analysis: Analysis) -> str:
    kinds = (
        ("violations", analysis.violation_cost),
        ("fragments", analysis.fragment_cost),
        ("lexical", analysis.lexical_cost),
    )
    shown = ", ".join(f"{name} {decimal(cost)}" for name, cost in kinds if cost)
    return decimal(analysis.cost) + (f" ({shown})" if shown else "")
