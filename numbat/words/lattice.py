"""What the words may be: arcs over token positions, the one input of parsing (ruling 14).

Plain text is cut into tokens by the grammar's rules and looked up in its lexicon (ruling 20); `tagged` text brings its
categories along.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from math import log
from typing import Any, Final, NamedTuple, TypeVar
from unicodedata import category, is_normalized, normalize

from numbat.grammar.features import Bundle, Demand, bundles
from numbat.grammar.lazy_lexicon import forms_of
from numbat.grammar.model import WILDCARD, Entry, Grammar, GuessRule, Reading, SpellingRule, TokenRule

Rule = TypeVar("Rule", GuessRule, SpellingRule)


class Arc(NamedTuple):
    """A reading of the tokens from `start` to `end` (exclusive). `log_weight` compares readings of the same tokens.

    `guessed` marks a reading of a word that the lexicon does not have.
    """

    start: int
    end: int
    form: str
    category: str
    features: Bundle = ()
    log_weight: float = 0.0
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class Lattice:
    """The tokens of a sentence and the arcs over them; `skipped` are punctuation marks that the grammar ignores.

    `text` is the sentence as it was typed. `gaps` says of each mark that was skipped how many tokens stand before it.
    """

    tokens: tuple[str, ...]
    arcs: tuple[Arc, ...]
    skipped: tuple[str, ...] = ()
    text: str = ""
    gaps: tuple[int, ...] = ()


Sense = tuple[str, Bundle, float, bool]
"""Category, features, logarithm of the weight of a reading, and whether it is guessed."""
MOST_SENSES: Final = 50_000
"""Tokens whose senses are remembered; when there are more, all are forgotten."""


class Patterns(NamedTuple):
    """The rules of a grammar that go by the form of words; their shell patterns are spelled as the input is."""

    guesses: tuple[GuessRule, ...]
    names: tuple[GuessRule, ...]
    spelling: tuple[SpellingRule, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """A grammar's lexicon and token rules, made ready for look-up; spelled as `spelled` spells the input.

    `readings` go by form, `multiword` forms by the first of their tokens: all of these, and the form; `rewritten` words
    by their lower case. `affixes` are those that are cut off, in lower case.
    """

    grammar: Grammar
    readings: Mapping[str, tuple[Reading, ...]]
    patterns: Patterns
    rewritten: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    affixes: tuple[TokenRule, ...] = ()
    multiword: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]] = field(default_factory=dict)
    _senses: dict[str, tuple[Sense, ...]] = field(default_factory=dict, repr=False, compare=False)
    _names: dict[str, tuple[Sense, ...]] = field(default_factory=dict, repr=False, compare=False)

    def senses(self, form: str) -> tuple[Sense, ...]:
        """What a token may be: the readings that are known or, failing these, guessed."""
        found = self._senses.get(form)
        if found is None:
            known = self.known(form)
            found = _kept(self._senses, form, _senses(known or self.guessed(form), guessed=not known))
        return found

    def known(self, form: str) -> tuple[Reading, ...]:
        """The readings that the lexicon has for a form or, failing that, for its lower case; see `_plain_capitals`."""
        readings = self.readings
        return readings.get(form) or readings.get(form.lower()) or readings.get(_plain_capitals(form)) or ()

    def has(self, form: str) -> bool:
        """Whether `known` finds it."""
        return form in self.readings or form.lower() in self.readings or _plain_capitals(form) in self.readings

    def guessed(self, form: str) -> tuple[Reading, ...]:
        """The readings of the first guess rule that fits; the wildcard where none does (ruling 19)."""
        return self._by_rules(self.patterns.guesses, form) or (Reading(WILDCARD),)

    def names(self, form: str) -> tuple[Sense, ...]:
        """What more a form with a capital is where no sentence begins, if the lexicon has it in lower case only."""
        found = self._names.get(form)
        if found is None:
            is_name = form not in self.readings and self.has(form) and not form.isupper()
            readings = self._by_rules(self.patterns.names, form) if is_name else ()
            found = _kept(self._names, form, _senses(readings, guessed=False))
        return found

    def _by_rules(self, rules: Iterable[GuessRule], form: str) -> tuple[Reading, ...]:
        readings = next((rule.readings for rule in rules if fnmatchcase(form, rule.pattern)), ())
        return _with_spelling(form, readings, self.patterns.spelling)


def _plain_capitals(form: str) -> str:
    """A form that is all in capitals as a lexicon has German nouns and names, of which it knows no lower case."""
    return form.title() if form.isupper() else form


def _kept(memory: dict[str, tuple[Sense, ...]], form: str, senses: tuple[Sense, ...]) -> tuple[Sense, ...]:
    if len(memory) >= MOST_SENSES:
        memory.clear()
    memory[form] = senses
    return senses


class _Readings(Mapping[str, tuple[Reading, ...]]):
    """The readings of the forms of a lexicon, spelled as input is; `places` are the entries of each form."""

    def __init__(
        self, lexicon: Sequence[Entry], places: Mapping[str, Sequence[int]], spelling: Sequence[SpellingRule]
    ) -> None:
        self._lexicon, self._places, self._spelling = lexicon, places, spelling
        self._made: dict[str, tuple[Reading, ...]] = {}

    def __getitem__(self, form: str) -> tuple[Reading, ...]:
        known = self._made.get(form)
        if known is None:
            written = [reading for i in self._places[form] for reading in self._lexicon[i].readings]
            known = self._made[form] = _with_spelling(form, written, self._spelling)
        return known

    def get(self, form: str, default: Any = None) -> Any:
        return self[form] if form in self._places else default

    def __contains__(self, form: object) -> bool:
        return form in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _with_spelling(form: str, readings: Iterable[Reading], rules: Iterable[SpellingRule]) -> tuple[Reading, ...]:
    """The readings of a form with the features that its spelling gives to those which do not have them."""
    lower = form.lower()
    fits = (rule.operands for rule in rules if fnmatchcase(form, rule.pattern) or fnmatchcase(lower, rule.pattern))
    spelt = {operand.category: operand.features for operand in next(fits, ())}
    return tuple(
        [
            replace(each, features=_merged(each.features, spelt[each.category])) if each.category in spelt else each
            for each in readings
        ]
    )


def _merged(features: Demand, more: Demand) -> Demand:
    return tuple(sorted((dict(more) | dict(features)).items()))


def words_of(grammar: Grammar) -> Words:
    """The lexicon and the token rules of a grammar, made ready for look-up."""
    places: dict[str, list[int]] = {}
    for i, written in enumerate(forms_of(grammar.lexicon)):
        places.setdefault(written if written.isascii() else spelled(written), []).append(i)
    patterns = Patterns(_as_input(grammar.guesses), _as_input(grammar.names), _as_input(grammar.spelling))
    readings = _Readings(grammar.lexicon, places, patterns.spelling)
    rewritten: dict[str, tuple[str, ...]] = {}
    for rule in grammar.tokens:
        if rule.kind == "rewrite":
            rewritten.setdefault(spelled(rule.forms[0]).lower(), tuple(map(spelled, rule.forms[1:])))
    affixes = tuple(
        TokenRule(rule.kind, (spelled(rule.forms[0]).lower(),)) for rule in grammar.tokens if rule.kind != "rewrite"
    )
    words = Words(grammar, readings, patterns, rewritten, affixes)
    multiword: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for form in places:
        if " " in form:
            tokens = tuple(token for _, piece in _pieces(form, words) for token in _split(piece, words))
            kept = tuple(token for token in tokens if _is_word(token, words))
            multiword.setdefault(kept[0] if kept else "", []).append((kept, form))
    return replace(words, multiword={first: tuple(forms) for first, forms in multiword.items()})


def _as_input(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    return tuple([replace(rule, pattern=spelled(rule.pattern)) for rule in rules])


_PLAIN: Final = str.maketrans("’ʼ‐‑\u00a0\u2007\u202f", "''--   ")


def spelled(text: str) -> str:
    """A text in the spelling of the lexicon: composed letters (é as one), plain apostrophes, hyphens and blanks."""
    if text.isascii():
        return text
    plain = text.translate(_PLAIN)
    return plain if is_normalized("NFC", plain) else normalize("NFC", plain)


def read_text(text: str, words: Words) -> Lattice:
    """The lattice of a plain sentence."""
    tokens: list[str] = []
    skipped: list[str] = []
    gaps: list[int] = []
    wholes: list[tuple[int, int, str]] = []
    plain = spelled(text)
    quotes = _quotes(plain, words)
    for place, written in _pieces(plain, words):
        if (place in quotes and len(written) == 1) or not _is_word(written, words):
            skipped.append(written)
            gaps.append(len(tokens))
            continue
        parts = tuple(_split(written, words))
        if len(parts) > 1 and words.has(written):
            wholes.append((len(tokens), len(tokens) + len(parts), written))
        tokens += parts
    arcs = [Arc(i, i + 1, token, *sense) for i, token in enumerate(tokens) for sense in words.senses(token)]
    arcs += _names(tokens, dict(zip(gaps, skipped, strict=True)), words)
    for start, end, written in wholes:
        arcs += arcs_of(start, end, written, words.known(written))
    for start, end, form in _multiword_spans(tokens, zip(gaps, skipped, strict=True), words):
        arcs += arcs_of(start, end, " ".join(tokens[start:end]), words.known(form))
    return Lattice(tuple(tokens), tuple(arcs), tuple(skipped), text, tuple(gaps))


def read_tokens(tokens: Sequence[str], words: Words) -> Lattice:
    """The lattice of a sentence that is cut into words already: the readings of each, known or guessed."""
    forms = list(map(spelled, tokens))
    arcs = [Arc(i, i + 1, form, *sense) for i, form in enumerate(forms) for sense in words.senses(form)]
    arcs += _names(forms, {}, words)
    return Lattice(tuple(tokens), tuple(arcs), (), " ".join(tokens))


def _names(tokens: Sequence[str], marks: Mapping[int, str], words: Words) -> Iterator[Arc]:
    """The arcs of words that may be names. A sentence begins at the first one and behind a mark that is no comma."""
    for i, token in enumerate(tokens):
        if i > 0 and token[:1].isupper() and marks.get(i, ",") == ",":
            yield from (Arc(i, i + 1, token, *sense) for sense in words.names(token))


def _is_word(written: str, words: Words) -> bool:
    """Whether a piece of text is a token: all but punctuation marks that the lexicon does not have (ruling 20)."""
    return written.isalnum() or any(char.isalnum() for char in written) or words.has(written)


_PIECE: Final = re.compile(r"\d+(?:[.,:/]\d+)+|\w+(?:['.@/&-]\w+)*|([^\w\s])\1*")


def _pieces(text: str, words: Words) -> Iterator[tuple[int, str]]:
    """Words and punctuation marks as they are written, each with its place in the text.

    What the lexicon has between two blanks is one: `Mr.`, `:-)`.
    """
    for chunk in _CHUNK.finditer(text):
        start, written = chunk.start(), chunk[0]
        if words.has(written):
            yield start, written
        else:
            for match in _PIECE.finditer(_without_marks(written)):
                yield start + match.start(), written[match.start() : match.end()]


_CHUNK: Final = re.compile(r"\S+")
_APOSTROPHE: Final = re.compile(r"(?P<opening>[‘`](?=\w)|(?<!\w)'(?=[^\W\d]))|(?<!\w)'|(?P<closing>(?<=\w)'(?!\w))")
_TIED: Final = re.compile(r"'\w+")
_WORD_FOLLOWS: Final = re.compile(r"\s+\w")


def _quotes(text: str, words: Words) -> set[int]:
    """Where an apostrophe is a quotation mark or stands alone, in a grammar that cuts "'" from the end of words.

    At the beginning of a word it opens a quotation, if the lexicon does not have the word with it (`'s`). At the end
    of a word it closes one that is open, unless it may be a genitive plural, which follows an s and has a word after
    it, and a later one can close the quotation.
    """
    found: set[int] = set()
    if "'" not in text or TokenRule("suffix", ("'",)) not in words.affixes:
        return found
    closing: list[int] | None = None
    """The apostrophes that may close what is open."""
    for match in _APOSTROPHE.finditer(text):
        place = match.start()
        if match["closing"] is None:
            tied = _TIED.match(text, place)
            if tied and words.has(tied[0]):
                continue
            found.add(place)
            if match["opening"]:
                found.update((closing or [])[-1:])
                closing = []
            elif not text[place + 1 : place + 2].isalnum():
                closing = None
        elif closing is not None:
            closing.append(place)
            if text[place - 1] not in "sS" or not _WORD_FOLLOWS.match(text, place + 1):
                found.add(place)
                closing = None
    return found | set((closing or [])[-1:])


def _without_marks(text: str) -> str:
    """The text with each combining mark and joiner, which belong to what they follow, replaced by that character."""
    if text.isascii():
        return text
    shadow: list[str] = []
    for char in text:
        joined = shadow and (category(char)[0] == "M" or category(char) == "Cf")
        shadow.append(shadow[-1] if joined else char)
    return "".join(shadow)


def _split(written: str, words: Words) -> Iterator[str]:
    """The tokens that a written word stands for by the grammar's token rules."""
    waiting = [written]
    while waiting:
        part = waiting.pop()
        rewritten = words.rewritten.get(part.lower())
        cut = None if rewritten is not None or words.has(part) else _cut(part, words.affixes)
        if cut is not None:
            waiting += reversed(cut)
        else:
            yield from (part,) if rewritten is None else rewritten


def _cut(written: str, affixes: Iterable[TokenRule]) -> tuple[str, str] | None:
    """A word and what is cut from its start or end, by the longest affix that fits and leaves something."""
    lower = written.lower()
    best: tuple[int, tuple[str, str]] | None = None
    for rule in affixes:
        (affix,) = rule.forms
        size = len(affix)
        if not 0 < size < len(written) or (best is not None and size <= best[0]):
            continue
        if rule.kind == "suffix" and lower.endswith(affix):
            best = size, (written[:-size], written[-size:])
        elif rule.kind == "prefix" and lower.startswith(affix):
            best = size, (written[:size], written[size:])
    return best[1] if best else None


def arcs_of(start: int, end: int, form: str, readings: Iterable[Reading], guessed: bool = False) -> list[Arc]:
    """An arc for each feature bundle of each reading."""
    return [Arc(start, end, form, *sense) for sense in _senses(readings, guessed)]


def _senses(readings: Iterable[Reading], guessed: bool) -> tuple[Sense, ...]:
    return tuple(
        [
            (reading.category, bundle, log(reading.weight), guessed)
            for reading in readings
            for bundle in bundles(reading.features)
        ]
    )


def _multiword_spans(
    tokens: list[str], skipped: Iterable[tuple[int, str]], words: Words
) -> Iterator[tuple[int, int, str]]:
    """Where the tokens are those of a multiword form, by any spelling in which `known` looks for a word.

    A form that is one word with signs (`well ,`) is there only with the signs that were `skipped` before and behind it.
    """
    signs: dict[int, str] = defaultdict(str)
    for place, sign in skipped:
        signs[place] += sign
    lower, plain = tuple([token.lower() for token in tokens]), tuple(map(_plain_capitals, tokens))
    spellings = dict.fromkeys((tuple(tokens), lower, plain))
    for start in range(len(tokens)):
        found: dict[tuple[int, str], None] = {}
        for spelled_so in spellings:
            for form_tokens, form in words.multiword.get(spelled_so[start], ()):
                end = start + len(form_tokens)
                if end == start + 1 and form.replace(" ", "") not in signs[start] + spelled_so[start] + signs[end]:
                    continue
                if spelled_so[start:end] == form_tokens:
                    found[end, form] = None
        yield from ((start, end, form) for end, form in found)
