"""Reads typed sentences whose words carry categories, and the acceptability marks before sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from numbat.errors import DataError, Problem, Span, close_match, shortened
from numbat.grammar.model import Grammar, Reading
from numbat.grammar.names import NAME, WILDCARD
from numbat.words.lattice import Arc, Lattice, Place, check_arcs, check_length, check_tokens
from numbat.words.lexical_lookup import Words, arcs_of
from numbat.words.tokens import spelled

SLASH: Final = "/"
"""The sign between a word and its tag, where no other is named."""


def read_tagged(text: str, words: Words, separator: str = SLASH) -> Lattice:
    """Return the lattice of a sentence whose words carry categories: `word/TAG` or `word/TAG1|TAG2`.

    Another `separator` may stand for the slash; where that is `|`, a word has one tag.

    A tag is a category of the grammar, with features in brackets where they matter: `cats/N[number=pl]`. Without
    features the lexicon's readings of that category count, where it has the word. Raises DataError with all that is
    wrong; the places of its problems are columns of the text.
    """
    check_length(text)
    tokens: list[str] = []
    places: list[Place] = []
    arcs: list[Arc] = []
    problems: list[Problem] = []
    for form, tags, start in tagged_words(text, separator):
        position = len(tokens)
        tokens.append(form)
        places.append((start, start + len(form)))
        begin = start + len(form) + len(separator)
        for tag in [tags] if separator == "|" else re.split(r"\|(?![^\[]*\])", tags):
            try:
                arcs += arcs_of(position, position + 1, form, _tag_readings(form, tag, words))
            except DataError as error:
                problems.append(_problem(str(error), text, begin, len(tag)))
            begin += len(tag) + 1
        check_arcs(len(arcs))
    check_tokens(len(tokens))
    if problems:
        raise _error(problems)
    return Lattice(tuple(tokens), tuple(dict.fromkeys(arcs)), (), text, places=tuple(places))


def tagged_words(text: str, separator: str = SLASH) -> Iterator[tuple[str, str, int]]:
    """Return each word of a tagged sentence, its tag (behind the last separator), and its start.

    Raises DataError with all words that have no tag, as `read_tagged` does.
    """
    found = [(match, *match[0].rpartition(separator)) for match in _TAGGED.finditer(text)]
    untagged = [match for match, form, slash, tags in found if not slash or not form or not tags]
    if untagged:
        raise _error(
            [
                _problem(f'"{shortened(word)}" has no tag\n  {_written(word, separator)}', text, start, len(word))
                for word, start in ((each[0], each.start()) for each in untagged)
            ]
        )
    return ((form, tags, match.start()) for match, form, _, tags in found)


def _error(problems: Sequence[Problem]) -> DataError:
    return DataError("\n".join(f"{each.message}\n  {each.hint}" for each in problems), problems)


def _problem(said: str, text: str, start: int, length: int) -> Problem:
    message, _, hint = said.partition("\n  ")
    return Problem(message, Span("", 0, start + 1, start + 1 + length), hint=hint, source_line=text)


WRITTEN: Final = "tagged words are written word/TAG or word/TAG1|TAG2"
OTHER_SIGNS: Final = "_|"
"""Signs that stand before the tags of other corpora."""


def _written(word: str, separator: str) -> str:
    """Return how a word without tag is written with one."""
    if separator != SLASH:
        return f"tagged words are written word{separator}TAG, as --separator says"
    sign = next((each for each in OTHER_SIGNS if each in word[1:-1]), None)
    return WRITTEN if sign is None else f"{WRITTEN}; --separator '{sign}' reads word{sign}TAG"


_TAGGED: Final = re.compile(r"(?:(?<=[^\s/])\[[^\[\]/]*\]|\S)+")
"""A tagged word; within the brackets of a tag there may be blanks."""
_TAG: Final = re.compile(r"([^\[\]]+)(?:\[([^\[\]]*)\])?")


def _tag_readings(form: str, tag: str, words: Words) -> Sequence[Reading]:
    match = _TAG.fullmatch(tag)
    if match is None:
        raise DataError(
            f'"{tag}" in "{form}/{tag}" is not a tag\n  a tag is a category, or one with features: N[number=pl]'
        )
    name, grammar = match[1], words.grammar
    categories = [WILDCARD, *grammar.categories]
    if name not in categories:
        near = close_match(name, categories) or f"the categories are: {', '.join(categories)}"
        raise DataError(f'"{name}" in "{form}/{tag}" is not a category of the grammar\n  {near}')
    demand: dict[str, tuple[str, ...]] = {}
    for pair in filter(None, (match[2] or "").split(",")):
        feature, values = _tag_demand(pair.strip(), f"{form}/{tag}", grammar)
        if feature in demand:
            both = "|".join((*demand[feature], *values))
            raise DataError(
                f'feature "{feature}" stands twice in "{form}/{tag}"\n  alternatives are written {feature}={both}'
            )
        demand[feature] = values
    if not demand:
        return words.known_as(spelled(form), name) or words.spelt(form, (Reading(name),))
    return (Reading(name, tuple(sorted(demand.items()))),)


def _tag_demand(pair: str, written: str, grammar: Grammar) -> tuple[str, tuple[str, ...]]:
    """Return a feature in the brackets of a tag and its values."""
    declared = dict(grammar.features)
    feature, equals, values = pair.partition("=")
    if not equals or feature not in declared:
        hint = close_match(feature, declared) or f"features are written as in {written.partition('[')[0]}[number=pl]"
        raise DataError(f'"{pair}" in "{written}" is not a feature of the grammar with its value\n  {hint}')
    for value in values.split("|"):
        if value not in declared[feature]:
            hint = close_match(value, declared[feature]) or f"the values are: {', '.join(declared[feature])}"
            raise DataError(f'"{value}" in "{written}" is not a value of {feature}\n  {hint}')
    return feature, tuple(values.split("|"))


# Acceptability marks before a sentence, `*` or `??`

_MARKS: Final[dict[str, tuple[float, str]]] = {
    "✓": (1.0, "well-formed"),
    "√": (1.0, "well-formed"),
    "(?)": (0.8, "nearly well-formed"),
    "?": (0.6, "doubtful"),
    "??": (0.4, "very doubtful"),
    "???": (0.3, "very doubtful"),
    "#": (0.4, "odd"),
    "?*": (0.2, "nearly ill-formed"),
    "*?": (0.2, "nearly ill-formed"),
    "*": (0.0, "ill-formed"),
    "**": (0.0, "ill-formed"),
}
RATINGS: Final = {mark: rating for mark, (rating, _) in _MARKS.items()}
"""The rating that each mark stands for, from 0 to 1."""
MEANINGS: Final = {mark: meaning for mark, (_, meaning) in _MARKS.items()}
"""What each mark says of its sentence."""
_LONGEST_FIRST: Final = "|".join(re.escape(mark) for mark in sorted(MEANINGS, key=len, reverse=True))
_MARKED: Final = re.compile(rf"\s*({_LONGEST_FIRST})(?![*?#])(?<!#(?=\d))\s*(?=\S)")
_LIKE_A_MARK: Final = re.compile(r"\s*([%☆★†‡]|\([*#%]+\)|\w{1,3}[.)]\s*[*?#✓√%]+)\s*(?=\w)")

_VARIANTS: Final = str.maketrans("∗⁎＊﹡？＃", "****?#")
"""The characters that stand for marks in texts copied from PDF files, and in East Asian ones."""


def plain_marks(text: str) -> str:
    """Replace variant characters of marks by the usual ones."""
    return text.translate(_VARIANTS)


def like_a_mark(sentence: str) -> str:
    """Return text before a sentence that some books use as a mark but Numbat does not: `%`, `(*)`, `a. *`."""
    match = _LIKE_A_MARK.match(plain_marks(sentence))
    return match[1] if match else ""


class MarkedSentence(NamedTuple):
    """A sentence without the mark before it, and without the property in brackets that the mark stands for."""

    mark: str
    property: str
    sentence: str


def leading_mark(sentence: str) -> tuple[str, str]:
    """Split a sentence into its mark (empty if none) and the rest, without a property that stands between the two.

    `#1` is a number and no mark.
    """
    found = marked_sentence(sentence)
    return found.mark, found.sentence


def marked_sentence(typed: str) -> MarkedSentence:
    """Split a typed sentence into its mark, the property that the mark stands for, and the sentence itself.

    A property stands in brackets behind a mark of what is not good: `* [NP: Det < N] cat the`.
    """
    match = _MARKED.match(plain_marks(typed))
    if match is None:
        return MarkedSentence("", "", typed)
    begin, mark = match.end(), match[1]
    end = _end_of_property(typed, begin) if RATINGS[mark] < 1.0 else begin
    return MarkedSentence(
        mark, typed[begin + 1 : end - 1].strip(), typed[end:].lstrip() if end > begin else typed[end:]
    )


_PROPERTY: Final = re.compile(rf'\[\s*(?:{NAME}|"(?:[^"\\]|\\.)*")\s*:')
"""The beginning of a property in brackets: `[NP:`."""
_BRACKET: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]]')


def _end_of_property(text: str, begin: int) -> int:
    """Return where the property in brackets ends that begins there; `begin` where there is none."""
    if _PROPERTY.match(text, begin) is None:
        return begin
    depth = 0
    for match in _BRACKET.finditer(text, begin):
        depth += {"[": 1, "]": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    return begin
