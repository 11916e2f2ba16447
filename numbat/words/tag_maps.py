"""From the tags of a treebank to the categories of a grammar: the tag map file, and lattices built through it.

    # a comment; a line that starts with # and a TAB maps the tag #
    NNS     N[number=pl]
    VBD     V[tense=past, number=sg|pl] | Aux?[form=fin]
    .       -

One tag a line, a TAB, its readings; `-` skips the token, as the grammar's own reading of text skips punctuation. A
reading with `?` behind its category counts only for words that the lexicon has with this category.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from math import log
from pathlib import Path
from typing import Final

from numbat.errors import DataError, Problem, Span, data_error
from numbat.files import lines_of, packaged_folder
from numbat.grammar.model import Grammar, Reading
from numbat.grammar.names import WILDCARD
from numbat.grammar.properties import Bundle, bundles, unify
from numbat.records import frozen
from numbat.words.lattice import Arc, Lattice, Place, check_arcs, check_tokens, places_in_line
from numbat.words.lexical_lookup import Words
from numbat.words.tag_map_file import FORMAT, SKIP, TagMapReader
from numbat.words.tokens import spelled

PACKAGED: Final = {"ptb.map": "the Penn Treebank", "ftb.map": "the French Treebank"}
"""The tag maps that come with Numbat, and whose tags they map."""


@frozen
class TagMap:
    """What each tag of a treebank may be in a grammar; `path` is the file that says so.

    `is_identity`: tags are categories, and one that the grammar does not have is not a mistake of a map.
    `if_known` has, for a tag, those of its readings that count only where the lexicon has the word with their category.
    """

    path: str
    rows: Mapping[str, tuple[Reading, ...]] = field(hash=False)
    if_known: Mapping[str, frozenset[Reading]] = field(hash=False, default_factory=dict)
    is_identity: bool = False

    def readings(self, tag: str) -> tuple[Reading, ...] | None:
        """The readings of a tag, none of them () for a token to skip; None for a tag that the map does not have."""
        return self.rows.get(tag)

    def readings_of(self, tag: str, known: Sequence[Reading]) -> tuple[Reading, ...]:
        """The readings of a word with this tag that the lexicon knows as `known`; the wildcard for an unmapped tag.

        Where none is left, all of them count.
        """
        readings = self.rows.get(tag, (Reading(WILDCARD),))
        lexical, categories = self.if_known.get(tag, frozenset()), {reading.category for reading in known}
        return tuple(r for r in readings if r not in lexical or r.category in categories) or readings


def identity_map(grammar: Grammar, skipped: Iterable[str]) -> TagMap:
    """Each leaf of a grammar as the tag that it is; the `skipped` tags that are no leaves are skipped."""
    rows: dict[str, tuple[Reading, ...]] = dict.fromkeys(sorted(skipped), ())
    rows |= {leaf: (Reading(leaf),) for leaf in grammar.leaves}
    return TagMap(grammar.name, rows, is_identity=True)


def read_tag_map(path: str | Path, grammar: Grammar) -> TagMap:
    """The tag map of a file, its names checked against the grammar; a packaged one by its name, where no such file is.

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
    """The first packaged map whose categories a grammar has."""
    for name in PACKAGED:
        with suppress(DataError):
            return read_tag_map(packaged_folder("grammars") / name, grammar)
    return None


def origin_of(tags: Collection[str], grammar: Grammar) -> tuple[str, str] | None:
    """The treebank that has all these tags, where the grammar does not, and the packaged map of its tags."""
    if set(tags) <= set(grammar.leaves):
        return None
    found = packaged_map(grammar)
    if found is None or not found.rows.keys() >= set(tags):
        return None
    name = Path(found.path).name
    return PACKAGED[name], name


def tagged_lattice(
    words: Sequence[tuple[str, str]],
    tag_map: TagMap,
    lexicon: Words,
    *,
    lenient: bool = False,
    place: Span | None = None,
) -> Lattice:
    """The lattice of a sentence of (form, tag) pairs: one arc per category and bundle that map and lexicon allow.

    A tag that the map does not have raises DataError, at `place` if that is given; if `lenient`, its word becomes the
    wildcard category (ruling 19).
    """
    check_tokens(len(words))
    unmapped = [] if lenient else _unmapped(words, tag_map, place)
    if unmapped:
        raise data_error(*unmapped)
    forms = [form for form, _ in words]
    tokens: list[str] = []
    places: list[Place] = []
    skipped: list[str] = []
    skipped_places: list[Place] = []
    gaps: list[int] = []
    arcs: list[Arc] = []
    for (form, tag), characters in zip(words, places_in_line(forms), strict=True):
        known = lexicon.known(spelled(form))
        readings = tag_map.readings_of(tag, known)
        if not readings:
            skipped.append(form)
            skipped_places.append(characters)
            gaps.append(len(tokens))
            continue
        arcs += _arcs(form, len(tokens), readings, known, lexicon)
        check_arcs(len(arcs))
        tokens.append(form)
        places.append(characters)
    text, marks = " ".join(forms), tuple(skipped)
    return Lattice(tuple(tokens), tuple(arcs), marks, text, tuple(gaps), tuple(places), tuple(skipped_places))


def _arcs(form: str, start: int, readings: Sequence[Reading], known: Sequence[Reading], lexicon: Words) -> list[Arc]:
    """The arcs of a word, each category once; `guessed` are those on which the lexicon has no say."""
    arcs = []
    for category in dict.fromkeys(reading.category for reading in readings):
        mapped = [reading for reading in readings if reading.category == category]
        weighed = _in_lexicon(mapped, [reading for reading in known if reading.category == category])
        guessed = not weighed
        if guessed:
            spelt = lexicon.spelt(form, mapped)
            weighed = _best([(bundle, reading.weight) for reading in spelt for bundle in bundles(reading.features)])
        for features, weight in weighed.items():
            arcs.append(Arc(start, start + 1, form, category, features, log(weight), guessed))
    return arcs


def _in_lexicon(mapped: Sequence[Reading], known: Sequence[Reading]) -> dict[Bundle, float]:
    """The bundles of the lexicon that agree with the map, unified with it; none if no two agree.

    The tag decides between categories, the lexicon only within one: its greatest weight there counts as 1.
    """
    agreeing = [
        (_unified(own, bundle), reading.weight, entry.weight)
        for reading in mapped
        for own in bundles(reading.features)
        for entry in known
        for bundle in bundles(entry.features)
        if unify(own, bundle, [feature for feature, _ in own], missing_unifies=True)
    ]
    greatest = max((weight for _, _, weight in agreeing), default=1.0)
    return _best([(bundle, weight * (known_weight / greatest)) for bundle, weight, known_weight in agreeing])


def _best(weighed: Iterable[tuple[Bundle, float]]) -> dict[Bundle, float]:
    """Each bundle once, with its greatest weight."""
    best: dict[Bundle, float] = {}
    for bundle, weight in weighed:
        best[bundle] = max(weight, best.get(bundle, 0.0))
    return best


def _unified(left: Bundle, right: Bundle) -> Bundle:
    return tuple(sorted({**dict(left), **dict(right)}.items()))


def _unmapped(words: Sequence[tuple[str, str]], tag_map: TagMap, place: Span | None) -> list[Problem]:
    """One problem for each tag of the sentence that the map does not have, at its first word."""
    problems: dict[str, Problem] = {}
    called = own = tag_map.path
    if Path(called).parent == packaged_folder("grammars"):  # a file that users do not edit
        called = Path(called).name
        own = f"a copy of {called}, for --tag-map"
    for form, tag in words:
        if tag not in problems and tag_map.readings(tag) is None:
            problems[tag] = Problem(
                f'{called} does not map the tag "{tag}"',
                place or Span(tag_map.path, 1),
                found=f'"{form}" with tag {tag} in the sentence "{" ".join(form for form, _ in words)}"',
                hint=f"add a line to {own}: {tag}, a TAB, and {FORMAT}, or {SKIP} to skip such tokens",
            )
    return list(problems.values())
