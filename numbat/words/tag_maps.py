"""Tag maps turn the tags of a treebank into categories of a grammar. Reads their files, and makes lattices with them.

    # a comment; a line that starts with # and a TAB maps the tag #
    NNS     N[number=pl]
    VBD     V[tense=past, number=sg|pl] | Aux?[form=fin]
    .       -

Each line has a tag, a TAB and its readings; `-` instead of readings skips tokens with that tag, as punctuation in text
is skipped. A reading with `?` after its category counts only for words that the lexicon has with this category.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from math import log
from pathlib import Path
from typing import Final

from numbat.errors import DataError, Problem, Span, close_match, data_error
from numbat.files import lines_of, packaged_folder
from numbat.grammar.model import Grammar, Reading
from numbat.grammar.names import WILDCARD
from numbat.grammar.properties import Bundle, bundles, unify
from numbat.records import frozen, pattern
from numbat.words.lattice import Arc, Lattice, Place, check_arcs, check_tokens, places_in_line, without_mark
from numbat.words.lexical_lookup import Words
from numbat.words.tokens import spelled

PACKAGED: Final = {"ptb.map": "the Penn Treebank", "ftb.map": "the French Treebank"}
"""The packaged tag maps, with the treebanks whose tags they map."""
EMPTY_TAG: Final = "-NONE-"
"""Tag of an empty element, such as a trace or an empty pronoun."""
CODES: Final = frozenset({EMPTY_TAG, "CODE"})
"""Tags of non-words: empty elements and transcript codes."""
PUNCTUATION: Final = frozenset({",", ":", ".", "``", "''", "-LRB-", "-RRB-", "NFP", "PONCT", "PUNCT"})
"""The tags of punctuation in the Penn, English Web, French and Universal Dependencies treebanks."""


@frozen
class TagMap:
    """The readings of each tag of a treebank in a grammar; `path` is the file of the map.

    With `is_identity` tags are categories of the grammar, and an unknown tag is no mistake in a map. `if_known` maps a
    tag to those of its readings that count only for words that the lexicon has with the same category.
    """

    path: str
    rows: Mapping[str, tuple[Reading, ...]] = field(hash=False)
    if_known: Mapping[str, frozenset[Reading]] = field(hash=False, default_factory=dict)
    is_identity: bool = False

    def readings(self, tag: str) -> tuple[Reading, ...] | None:
        """Return the readings of a tag, () for a token to skip, None for an unknown tag."""
        return self.rows.get(tag)

    def readings_of(self, tag: str, known: Sequence[Reading]) -> tuple[Reading, ...]:
        """Return the readings of a tag for a word with the lexicon's readings `known`; the wildcard for unknown tags.

        Readings of `if_known` count only if one of `known` has their category, or if there would be no reading at all.
        """
        readings = self.rows.get(tag, (Reading(WILDCARD),))
        lexical, categories = self.if_known.get(tag, frozenset()), {reading.category for reading in known}
        return tuple(r for r in readings if r not in lexical or r.category in categories) or readings


def tag_map_of(path: str | None, grammar: Grammar) -> TagMap:
    """Return the tag map in a file; if `path` is None, ptb.map or ftb.map if its categories are those of the grammar.

    For other grammars the tags are categories, and tags of punctuation that the grammar does not have are skipped.
    Raises MissingFileError and DataError.
    """
    return read_tag_map(path, grammar) if path else _default_map(grammar)


def _default_map(grammar: Grammar) -> TagMap:
    return packaged_map(grammar) or identity_map(grammar, CODES | PUNCTUATION)


def identity_map(grammar: Grammar, skipped: Iterable[str]) -> TagMap:
    """Return the map of each leaf to itself; tokens with `skipped` tags that are not leaves are skipped."""
    rows: dict[str, tuple[Reading, ...]] = dict.fromkeys(sorted(skipped), ())
    rows |= {leaf: (Reading(leaf),) for leaf in grammar.leaves}
    return TagMap(grammar.name, rows, is_identity=True)


def read_tag_map(path: str | Path, grammar: Grammar) -> TagMap:
    """Return the tag map of a file, or a packaged one by name, with its names checked against the grammar.

    Raises MissingFileError, and DataError with all mistakes of the file.
    """
    if str(path) in PACKAGED and not os.path.exists(path):
        path = packaged_folder("grammars") / path
    reader = TagMapReader(str(path), grammar)
    for number, line in enumerate(lines_of(str(path)), start=1):
        reader.read(line, number)
    if reader.problems:
        raise data_error(*reader.problems)
    return TagMap(str(path), reader.rows, reader.if_known)


def packaged_map(grammar: Grammar) -> TagMap | None:
    """Return the first packaged map whose categories the grammar has."""
    for name in PACKAGED:
        with suppress(DataError):
            return read_tag_map(packaged_folder("grammars") / name, grammar)
    return None


def origin_of(tags: Collection[str], grammar: Grammar) -> tuple[str, str] | None:
    """Return the treebank that has all these tags and the name of its packaged map; None if the grammar has them."""
    if set(tags) <= set(grammar.leaves):
        return None
    tag_map = packaged_map(grammar)
    if tag_map is None or not tag_map.rows.keys() >= set(tags):
        return None
    name = Path(tag_map.path).name
    return PACKAGED[name], name


def tagged_lattice(
    words: Sequence[tuple[str, str]],
    tag_map: TagMap,
    lexicon: Words,
    *,
    lenient: bool = False,
    place: Span | None = None,
) -> Lattice:
    """Return the lattice of (form, tag) pairs: an arc for each category and bundle that map and lexicon allow.

    A tag that the map lacks raises DataError, at `place` if given; with `lenient` its word gets the wildcard.
    """
    check_tokens(len(words))
    unmapped = [] if lenient else _unmapped(words, tag_map, place)
    if unmapped:
        raise data_error(*unmapped)
    known = (lexicon.known(spelled(form)) for form, _ in words)
    mapped = [(form, tag_map.readings_of(tag, readings)) for (form, tag), readings in zip(words, known, strict=True)]
    return lattice_of_readings(mapped, lexicon)


def lattice_of_readings(words: Sequence[tuple[str, Sequence[Reading]]], lexicon: Words) -> Lattice:
    """Return the lattice of words with their readings; words without readings are skipped like marks."""
    check_tokens(len(words))
    forms = [without_mark(form) for form, _ in words]
    tokens: list[str] = []
    places: list[Place] = []
    skipped: list[str] = []
    skipped_places: list[Place] = []
    gaps: list[int] = []
    arcs: list[Arc] = []
    for (form, readings), characters in zip(words, places_in_line(forms), strict=True):
        if not readings:
            skipped.append(form)
            skipped_places.append(characters)
            gaps.append(len(tokens))
            continue
        arcs += _arcs(form, len(tokens), readings, lexicon)
        check_arcs(len(arcs))
        tokens.append(form)
        places.append(characters)
    text, marks = " ".join(forms), tuple(skipped)
    lattice = Lattice(tuple(tokens), tuple(arcs), marks, text, tuple(gaps), tuple(places), tuple(skipped_places))
    return lexicon.marks.beside(lattice)


def _arcs(form: str, start: int, readings: Sequence[Reading], lexicon: Words) -> list[Arc]:
    """Return the arcs of a word; those of a category are marked as guessed if the lexicon lacks the word with it."""
    arcs = []
    for category in dict.fromkeys(reading.category for reading in readings):
        mapped = [reading for reading in readings if reading.category == category]
        weighed = _in_lexicon(mapped, lexicon.known_as(spelled(form), category))
        guessed = not weighed
        if guessed:
            spelt = lexicon.spelt(form, mapped)
            weighed = _best([(bundle, reading.weight) for reading in spelt for bundle in bundles(reading.features)])
        for features, weight in weighed.items():
            arcs.append(Arc(start, start + 1, form, category, features, log(weight), guessed))
    return arcs


def _in_lexicon(mapped: Sequence[Reading], known: Sequence[Reading]) -> dict[Bundle, float]:
    """Return, with weights, the bundles that unify a reading of the map with one of the lexicon, both of one category.

    The weights of the map decide between categories. Those of the lexicon, divided by the greatest, decide within one.
    """
    agreeing = [
        (_unified(mapped_bundle, bundle), reading.weight, entry.weight)
        for reading in mapped
        for mapped_bundle in bundles(reading.features)
        for entry in known
        for bundle in bundles(entry.features)
        if unify(mapped_bundle, bundle, [feature for feature, _ in mapped_bundle], missing_unifies=True)
    ]
    greatest = max((weight for _, _, weight in agreeing), default=1.0)
    return _best([(bundle, weight * (known_weight / greatest)) for bundle, weight, known_weight in agreeing])


def _best(weighed: Iterable[tuple[Bundle, float]]) -> dict[Bundle, float]:
    """Return each bundle once, with its greatest weight."""
    best: dict[Bundle, float] = {}
    for bundle, weight in weighed:
        best[bundle] = max(weight, best.get(bundle, 0.0))
    return best


def _unified(left: Bundle, right: Bundle) -> Bundle:
    return tuple(sorted({**dict(left), **dict(right)}.items()))


def _unmapped(words: Sequence[tuple[str, str]], tag_map: TagMap, place: Span | None) -> list[Problem]:
    """Return a problem for each tag that the map lacks; it quotes the first word with that tag."""
    problems: dict[str, Problem] = {}
    called = editable = tag_map.path
    if Path(called).parent == packaged_folder("grammars"):  # a file that users do not edit
        called = Path(called).name
        editable = f"a copy of {called}, for --tag-map"
    for form, tag in words:
        if tag not in problems and tag_map.readings(tag) is None:
            problems[tag] = Problem(
                f'{called} does not map the tag "{tag}"',
                place or Span(tag_map.path, 1),
                found=f'"{form}" with tag {tag} in the sentence "{" ".join(form for form, _ in words)}"',
                hint=f"add a line to {editable}: {tag}, a TAB, and {FORMAT}, or {SKIP} to skip such tokens",
            )
    return list(problems.values())


# Reader of tag map files

READING: Final = pattern(r"\s*([^\s\[\]]+?)(?:(?<=[^\s\[\]])(\?))?\s*(?:\[(.*)\]\s*)?")
FEATURE: Final = pattern(r"\s*([^\s=|]+)\s*=\s*([^\s=|]+(?:\s*\|\s*[^\s=|]+)*)\s*")
FORMAT: Final = "Category[feature=value, feature=value]"
SKIP: Final = "-"


class TagMapReader:
    """State of reading a tag map: rows and problems so far."""

    def __init__(self, path: str, grammar: Grammar) -> None:
        self.path = path
        self.categories = (*grammar.categories, WILDCARD)
        self.features = dict(grammar.stated_features)
        self.rows: dict[str, tuple[Reading, ...]] = {}
        self.if_known: dict[str, frozenset[Reading]] = {}
        self.lines: dict[str, int] = {}
        self.problems: list[Problem] = []
        self.line = ""
        self.number = 0

    def read(self, line: str, number: int) -> None:
        self.line, self.number = line.rstrip(), number
        if not self.line or (line.startswith("#") and not line.startswith("#\t")):
            return
        tag, tab, right = self.line.partition("\t")
        if not tab or not tag or tag != tag.strip() or " " in tag:
            hint = "spaces do not separate columns: put a TAB after the tag" if not tab and " " in tag.strip() else ""
            self._report(
                "this line is not a row of a tag map", 0, self.line, "a tag, a TAB and its readings", hint=hint
            )
            return
        if tag in self.lines:
            self._report(f'the tag "{tag}" is already in line {self.lines[tag]}', 0, tag)
            return
        self.lines[tag] = number
        if right.strip() == SKIP:
            self.rows[tag] = ()
            return
        readings: dict[Reading, bool] = {}
        for text, start in _split(right, len(tag) + 1, "|"):
            reading, lexical = self._reading(text, start)
            if reading and reading in readings:
                self._report("this reading is written twice", start, text)
            elif reading:
                readings[reading] = lexical
        self.rows[tag] = tuple(readings)
        self.if_known[tag] = frozenset(reading for reading, lexical in readings.items() if lexical)

    def _reading(self, text: str, start: int) -> tuple[Reading | None, bool]:
        """Return the reading of a text, and whether it applies only to words of the lexicon."""
        match = READING.fullmatch(text)
        if match is None or match[1] == SKIP:
            hint = f"{SKIP} must stand alone: a token is either skipped or read" if match else ""
            self._report("this reading cannot be understood", start, text, FORMAT, hint=hint)
            return None, False
        if match[1] not in self.categories:
            expected = "a construction or a leaf of the grammar"
            self._unknown(f'unknown category "{match[1]}"', match[1], start + match.start(1), expected, self.categories)
        pairs: dict[str, tuple[str, ...]] = {}
        for written, at in _split(match[3], start + match.start(3), ",") if match[3] is not None else ():
            self._feature(written, at, pairs)
        return Reading(match[1], tuple(sorted(pairs.items()))), match[2] is not None

    def _feature(self, text: str, start: int, pairs: dict[str, tuple[str, ...]]) -> None:
        """Add one `feature=value` to the pairs of its reading."""
        match = FEATURE.fullmatch(text)
        if match is None:
            self._report("this feature cannot be understood", start, text, "feature=value")
            return
        feature, values = match[1], [value.strip() for value in match[2].split("|")]
        at = start + match.start(1)
        if feature in pairs:
            self._report(f'the feature "{feature}" is written twice in one reading', at, feature)
        elif feature not in self.features:
            expected = "one of the features " + ", ".join(self.features) if self.features else "no feature"
            self._unknown(f'unknown feature "{feature}"', feature, at, expected, self.features)
        else:
            for value, position in _split(match[2], start + match.start(2), "|"):
                name = value.strip()
                if name not in self.features[feature]:
                    at = position + len(value) - len(value.lstrip())
                    expected = f"{feature}=" + "|".join(self.features[feature])
                    self._unknown(f'unknown value "{name}" of "{feature}"', name, at, expected, self.features[feature])
        pairs[feature] = tuple(dict.fromkeys(values))

    def _unknown(self, message: str, name: str, start: int, expected: str, names: Iterable[str]) -> None:
        self._report(message, start, name, expected, close_match(name, names))

    def _report(self, message: str, start: int, text: str, expected: str = "", hint: str = "") -> None:
        """Report the part `text` of the line, which begins at offset `start`; spaces around it are not underlined."""
        column = start + len(text) - len(text.lstrip()) + 1 if text.strip() else start + 1
        shown = text.strip() or ("the end of the line" if start >= len(self.line) else self.line[start:].strip()[0])
        span = Span(self.path, self.number, column, column + max(1, len(text.strip())))
        self.problems.append(Problem(message, span, "error", expected, shown if expected else "", hint, self.line))


def _split(text: str, start: int, separator: str) -> list[tuple[str, int]]:
    """Split a text at separators outside square brackets; each part has its offset from `start`."""
    parts, begin, depth = [], 0, 0
    for index, char in enumerate(text):
        depth += (char == "[") - (char == "]")
        if char == separator and depth <= 0:
            parts.append((text[begin:index], start + begin))
            begin = index + 1
    return [*parts, (text[begin:], start + begin)]
