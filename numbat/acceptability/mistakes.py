"""Mistakes that a grammar makes on the sentences of an exercise: their kind, their subject, the hints that fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from numbat.acceptability.suite import Item
from numbat.acceptability.verdicts import ScoredItem, TestedItem
from numbat.errors import Problem, Span, close_match
from numbat.evaluation.constituents import Constituent
from numbat.grammar.named_properties import read_named
from numbat.grammar.properties import Property, format_named
from numbat.parsing.explanation.text import lexical_status
from numbat.records import frozen

TOO_GENERAL: Final = "too general"
TOO_NARROW: Final = "too narrow"
ANOTHER_REASON: Final = "another reason"
UNKNOWN_WORD: Final = "unknown word"
KINDS: Final = (TOO_NARROW, TOO_GENERAL, ANOTHER_REASON, UNKNOWN_WORD)
"""A good sentence is judged bad; a bad one is judged good; a bad one is judged bad, but not because of the property
that it names; a word is unknown."""


@frozen
class Mistake:
    """A sentence that a grammar judges wrongly, and why.

    `properties` are those that a good sentence violates, or the one that a bad sentence should violate. `about` has
    features and relations: of these properties, or those in which a bad sentence differs from the most similar good
    one. `says` describes the mistake in one line.
    """

    item: Item
    kind: str
    properties: tuple[str, ...]
    about: tuple[str, ...]
    says: str


def mistakes_of(tested: Sequence[TestedItem]) -> list[Mistake]:
    """Return the mistakes: one for each item of an exercise that is judged wrongly."""
    good = [item.scored for item in tested if item.scored.item.is_good]
    return [_mistake(item, good) for item in tested if item.outcome.verdict in ("fail", "undecided")]


def _mistake(tested_item: TestedItem, good: Sequence[ScoredItem]) -> Mistake:
    scored, item = tested_item.scored, tested_item.scored.item
    unknown = [word.form for word in scored.parse.guessed if lexical_status(word) == "unknown"]
    if unknown:
        return Mistake(item, UNKNOWN_WORD, (), (), f"not in the lexicon: {', '.join(unknown)}")
    if item.is_good:
        violated = [one.property for one in scored.parse.violated if one.property.cost_units]
        return _too_narrow(scored, list(dict.fromkeys(violated)))
    named = (item.named_property,) if item.named_property else ()
    if tested_item.instead:
        return Mistake(item, ANOTHER_REASON, named, (), tested_item.reason)
    about, says = _told_apart(scored, good)
    return Mistake(item, TOO_GENERAL, named, about, says or tested_item.reason)


def _too_narrow(scored: ScoredItem, violated: Sequence[Property]) -> Mistake:
    names = tuple(map(format_named, violated))
    about = dict.fromkeys(name for prop in violated for name in (*_features(prop), prop.type))
    pieces = len(scored.parse.constituents)
    says = f"violates {', '.join(names)}" if names else f"{pieces} fragments" if pieces > 1 else "no root spans it"
    return Mistake(scored.item, TOO_NARROW, names, tuple(about), says)


def _features(prop: Property) -> Iterable[str]:
    """Return the features that a property mentions."""
    return (*prop.features, *(name for operand in prop.all_operands() for name, _ in operand.features))


def _told_apart(bad: ScoredItem, good: Sequence[ScoredItem]) -> tuple[tuple[str, ...], str]:
    """Return the features and relations in which a bad sentence differs from a similar good one, and a description.

    The good sentence has the same words in another order, or differs in a single word.
    """
    words = bad.parse.words
    for other in good:
        theirs = other.parse.words
        if sorted(map(_form, theirs)) == sorted(map(_form, words)) and len(words) > 1:
            return ("linearity", "adjacency"), f'only the order of "{other.item.sentence}" is different'
    for other in good:
        theirs = other.parse.words
        if len(theirs) != len(words):
            continue
        pairs = [(one, two) for one, two in zip(words, theirs, strict=True) if _form(one) != _form(two)]
        if len(pairs) == 1:
            one, two = pairs[0]
            differ = sorted({name for name, _ in {*one.features} ^ {*two.features}})
            if differ:
                said = f'"{one.form}" and "{two.form}" differ in {", ".join(differ)}, but no property checks it'
                return (*differ, "dependency"), said
            if one.construction == two.construction:
                return (), f'"{one.form}" and "{two.form}" are the same to the grammar'
    return (), ""


def _form(word: Constituent) -> str:
    return word.form.lower()


# Hints may begin with their subject in brackets, `[S: NP ~> V [number]] Look at ...`: a property, a feature, a relation
# or a kind of mistake.

_OPENING: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]]')


@frozen
class Hint:
    """A hint in an exercise; `about` is the subject of the mistakes for which it is shown, empty if for all."""

    text: str
    about: str = ""


def read_hint(text: str, place: Span) -> tuple[Hint, Problem | None]:
    """Return the hint in a text that begins at `place`, and the problem with it, if any."""
    end = _end_of_bracket(text)
    if not end:
        return Hint(text), None
    about, rest = text[1 : end - 1].strip(), text[end:].strip()
    if not rest:
        return Hint(text, about), Problem("a hint without text", place, hint="write it after the brackets")
    if ":" in about:
        return Hint(rest, about), read_named(about, place)[1]
    if about not in KINDS and not re.fullmatch(r"\w+", about):
        hint = (
            close_match(about, KINDS)
            or f"a property such as NP: Det < N, a feature, a relation, or: {', '.join(KINDS)}"
        )
        return Hint(rest, about), Problem(f'"{about}" is not a subject of hints', place, hint=hint)
    return Hint(rest, about), None


def _end_of_bracket(text: str) -> int:
    """Return the index after the brackets that begin a text; 0 if it begins without brackets or they are not closed."""
    if not text.startswith("["):
        return 0
    depth = 0
    for match in _OPENING.finditer(text):
        depth += {"[": 1, "]": -1}.get(match[0], 0)
        if not depth:
            return match.end()
    return 0


def following(hints: Sequence[Hint], mistakes: Sequence[Mistake]) -> list[Hint]:
    """Return the hints that fit these mistakes, the most specific first.

    Hints for a violated property come first, then those for a feature or relation, for a kind of mistake, and for all.
    """
    ranked = [(_distance(hint, mistakes), number, hint) for number, hint in enumerate(hints)]
    return [hint for distance, _, hint in sorted(ranked, key=lambda ranking: ranking[:2]) if distance < FAR]


FAR: Final = 4


def _distance(hint: Hint, mistakes: Sequence[Mistake]) -> int:
    if not hint.about:
        return 3
    bare = _bare(hint.about)
    if any(bare == _bare(name) for mistake in mistakes for name in mistake.properties):
        return 0
    if any(hint.about in mistake.about for mistake in mistakes):
        return 1
    return 2 if any(hint.about == mistake.kind for mistake in mistakes) else FAR


def _bare(text: str) -> str:
    return re.sub(r"\s+", "", text)
