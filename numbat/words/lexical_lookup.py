"""Finds the readings of tokens in the lexicon or by guess rules.

`words_of` prepares the lexicon and the rules of a grammar for all functions that read sentences. `read_text` turns a
text into a lattice, `detokenize` tokens into text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fnmatch import translate
from itertools import chain
from math import log
from operator import add
from typing import Any, Final, Generic, NamedTuple, TypeVar

from numbat.errors import UsageError
from numbat.grammar.cache import forms_of
from numbat.grammar.digest import GrammarExcerpt
from numbat.grammar.model import Entry, Grammar, GuessRule, Reading, SpellingRule, remembered_lately
from numbat.grammar.names import WILDCARD
from numbat.grammar.properties import MAX_WEIGHT, Bundle, Demand, Operand, bundles
from numbat.records import cached_property, frozen
from numbat.words.beside import DeclaredMarks, marks_of, skipping
from numbat.words.by_language import Conventions, language_of
from numbat.words.judgement_marks import without_judgements
from numbat.words.lattice import Arc, Lattice, Place, bounded, check_length, check_tokens, places_in_line
from numbat.words.respelling import Respelling
from numbat.words.segmentation import BEYOND, WordCosts, is_unsegmented, likely_edges, word_costs
from numbat.words.tokens import Affix, Affixes, Tokens, is_word, pieces, spelled, split, tokenize

Value = TypeVar("Value")
Sense = tuple[str, Bundle, float, bool]
"""A reading: category, features, logarithm of the weight, and whether it is guessed."""
MAX_SENSES: Final = 50_000
"""Maximum number of tokens whose senses are cached; when there are more, the cache is cleared."""
OTHERWISE: Final = 0.001
"""The cost of reading a word in another case, or without its mark; small, but enough to decide between equal parses."""


class Patterns(NamedTuple):
    """Rules of a grammar that give readings or features to words by form; `spelled` has normalized their patterns."""

    guesses: PatternRules[GuessRule]
    names: PatternRules[GuessRule]
    spelling: PatternRules[SpellingRule]


@frozen
class Words:
    """The lexicon and token rules of a grammar, prepared for lookup; the function `spelled` has normalized all forms.

    `readings` maps forms to readings, `multiword` first tokens to forms with spaces, and `rewritten` words in lower
    case to their tokens. `respelling` finds forms in other case, by the conventions of the `language`. `longest` is the
    length of the longest form or rewritten word; `marked_sizes` are the lengths of forms with a mark and without a
    space, longest first. `costs` are the costs of words in text without spaces, and of words with spaces, None if the
    grammar does not divide text by costs. `marks` are the punctuation marks that the grammar declares.
    """

    grammar: Grammar
    readings: Mapping[str, tuple[Reading, ...]]
    patterns: Patterns
    respelling: Respelling
    language: Conventions
    rewritten: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    suffixes: Affixes = field(default_factory=Affixes)
    prefixes: Affixes = field(default_factory=Affixes)
    multiword: Mapping[str, Sequence[str]] = field(default_factory=dict)
    longest: int = 0
    marked_sizes: tuple[int, ...] = ()
    costs: WordCosts | None = None
    marks: DeclaredMarks = DeclaredMarks({})
    _cut: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)
    _senses: dict[str, tuple[Sense, ...]] = field(default_factory=dict, repr=False, compare=False)
    _twins: dict[str, tuple[Sense, ...]] = field(default_factory=dict, repr=False, compare=False)
    _names: dict[str, tuple[Sense, ...]] = field(default_factory=dict, repr=False, compare=False)
    _spelt: dict[str, dict[str, Demand]] = field(default_factory=dict, repr=False, compare=False)

    def senses(self, form: str) -> tuple[Sense, ...]:
        """Return the readings of a token from the lexicon or, if it has none, from the guess rules."""
        senses = self._senses.get(form)
        if senses is None:
            known = self.known(form)
            senses = _remembered(self._senses, form, _senses_of(known or self.guessed(form), guessed=not known))
        return senses

    def known(self, form: str) -> tuple[Reading, ...]:
        """Return the lexicon's readings of a form, else of its lower case, else of its plain capitals.

        If the lexicon has none of these, it is searched for a form with the same letters in other case or spelling.
        """
        readings = self.readings
        known = readings.get(form) or readings.get(self.lower(form)) or readings.get(self.plain(form))
        return known or next((readings[other] for other in self.respelling.others(form)), ())

    def known_as(self, form: str, category: str) -> tuple[Reading, ...]:
        """Return the lexicon's readings of a form with this category, from the first spelling that has any."""
        by_case = (
            [reading for reading in self.readings[case] if reading.category == category] for case in self._cases(form)
        )
        return tuple(next(filter(None, by_case), ()))

    def twins(self, form: str) -> tuple[Sense, ...]:
        """Return the further readings of a form in another case, those of `mark` for `Mark`, as in `otherwise`."""
        twins = self._twins.get(form)
        if twins is None:
            senses = [sense for case in self._cases(form)[1:] for sense in self.otherwise(case, form)]
            twins = _remembered(self._twins, form, tuple(senses))
        return twins

    def otherwise(self, form: str, token: str) -> tuple[Sense, ...]:
        """Return the readings of `form` as readings of `token`, which is written differently.

        The likeliest of them costs `OTHERWISE` more than the likeliest reading of the token itself (ruling 34).
        """
        others = _senses_of(self.known(form), guessed=False)
        best = max(log_weight for _, _, log_weight, _ in self.senses(token))
        loss = best - OTHERWISE - max(log_weight for _, _, log_weight, _ in others)
        return tuple([(category, bundle, log_weight + loss, False) for category, bundle, log_weight, _ in others])

    def _cases(self, form: str) -> list[str]:
        """Return the spellings of a form that the lexicon has, in the order of lookup."""
        cases = [case for case in dict.fromkeys((form, self.lower(form), self.plain(form))) if case in self.readings]
        return list(dict.fromkeys((*cases, *self.respelling.others(form)))) if not cases or form.isupper() else cases

    def lower(self, form: str) -> str:
        """Return a form in lower case, by the language of the grammar."""
        return self.respelling.lower(form)

    def plain(self, form: str) -> str:
        """Return `HAUS` as `Haus`, as lexicons have German nouns and names; a form not all in capitals is unchanged."""
        return self.respelling.plain(form)

    def has(self, form: str) -> bool:
        """True if `known` finds the form."""
        readings = self.readings
        is_in = form in readings or self.lower(form) in readings or self.plain(form) in readings
        return is_in or bool(self.respelling.others(form))

    def is_mark(self, form: str) -> bool:
        """True for a mark that the grammar declares and its lexicon lacks."""
        return form in self.marks and not self.has(form)

    def tokens_of(self, form: str) -> tuple[str, ...]:
        """Return the tokens of a form with spaces, without punctuation marks that the lexicon lacks."""
        tokens = self._cut.get(form)
        if tokens is None:
            parts = (token for _, piece in pieces(form, self) for token, _, _ in split(piece, self).parts)
            tokens = _remembered(self._cut, form, tuple(token for token in parts if is_word(token, self)))
        return tokens

    def matches(self, form: str, operands: Iterable[Operand]) -> bool:
        """True if some reading of a form in the lexicon matches one of the operands."""
        return any(
            operand.matches(reading.category, bundle)
            for reading in self.known(form)
            for bundle in bundles(reading.features)
            for operand in operands
        )

    def cost(self, form: str) -> float | None:
        """Return the cost of a form as a word of text divided by costs, None if the lexicon does not have the form."""
        if self.costs is None:
            return None
        readings = self.known(form)
        return self.costs.known(sum(reading.weight for reading in readings)) if readings else None

    def guessed(self, form: str) -> tuple[Reading, ...]:
        """Return the readings that the first matching guess rule gives a form, else the wildcard (ruling 19)."""
        return self._by_rules(self.patterns.guesses, form) or (Reading(WILDCARD),)

    def names(self, form: str) -> tuple[Sense, ...]:
        """Return the readings that name rules add to a capitalized form that the lexicon has only in lower case."""
        senses = self._names.get(form)
        if senses is None:
            is_name = form not in self.readings and self.has(form) and not form.isupper()
            readings = self._by_rules(self.patterns.names, form) if is_name else ()
            senses = _remembered(self._names, form, _senses_of(readings, guessed=False))
        return senses

    def spelt(self, form: str, readings: Sequence[Reading]) -> Sequence[Reading]:
        """Return the readings that a tag gives an unknown form, with the features that spelling rules add."""
        if not self.patterns.spelling:
            return readings
        features = self._spelt.get(form)
        if features is None:
            features = _remembered(self._spelt, form, _features_by_spelling(spelled(form), self.patterns.spelling))
        return _with_features(readings, features) if features else readings

    def _by_rules(self, rules: PatternRules[GuessRule], form: str) -> tuple[Reading, ...]:
        rule = rules.first(form)
        return _with_spelling(form, rule.readings if rule else (), self.patterns.spelling)


def _remembered(memory: dict[str, Value], form: str, value: Value) -> Value:
    if len(memory) >= MAX_SENSES:
        memory.clear()
    memory[form] = value
    return value


class LexiconReadings(Mapping[str, tuple[Reading, ...]]):
    """The readings by form, decoded on demand; `forms` has the number of the last lexicon entry for each form."""

    def __init__(self, lexicon: Sequence[Entry], spelling: PatternRules[SpellingRule]) -> None:
        self._lexicon, self._spelling = lexicon, spelling
        spelt = _spelled_forms(forms_of(lexicon))
        self.forms = dict(zip(spelt, range(len(spelt)), strict=True))
        self._earlier: dict[str, list[int]] = {}
        if len(self.forms) < len(spelt):
            for i, form in enumerate(spelt):
                if i != self.forms[form]:
                    self._earlier.setdefault(form, []).append(i)
        self._made: dict[str, tuple[Reading, ...]] = {}

    def __getitem__(self, form: str) -> tuple[Reading, ...]:
        known = self._made.get(form)
        if known is None:
            places = *self._earlier.get(form, ()), self.forms[form]
            written = [reading for i in places for reading in self._lexicon[i].readings]
            known = self._made[form] = _with_spelling(form, written, self._spelling)
        return known

    def get(self, form: str, default: Any = None) -> Any:
        return self[form] if form in self.forms else default

    def __contains__(self, form: object) -> bool:
        return form in self.forms

    def __iter__(self) -> Iterator[str]:
        return iter(self.forms)

    def __len__(self) -> int:
        return len(self.forms)


def _spelled_forms(forms: Sequence[str]) -> Sequence[str]:
    """Return forms as `spelled` normalizes them; one text of all is faster than each alone."""
    text = "\n".join(forms)
    together = forms if text.isascii() else spelled(text).split("\n")
    return together if len(together) == len(forms) else [*map(spelled, forms)]


def _with_spelling(form: str, readings: Iterable[Reading], rules: PatternRules[SpellingRule]) -> tuple[Reading, ...]:
    """Return the readings of a form with the features that spelling rules give it, except those that a reading has."""
    return _with_features(readings, _features_by_spelling(form, rules))


def _features_by_spelling(form: str, rules: PatternRules[SpellingRule]) -> dict[str, Demand]:
    """Return the features that the first matching spelling rule gives, by category."""
    rule = rules.first(form, form.lower())
    return {operand.category: operand.features for operand in rule.operands} if rule else {}


def _with_features(readings: Iterable[Reading], spelt: Mapping[str, Demand]) -> tuple[Reading, ...]:
    return tuple(
        [
            replace(reading, features=_merged(reading.features, spelt[reading.category]))
            if reading.category in spelt
            else reading
            for reading in readings
        ]
    )


def _merged(features: Demand, more: Demand) -> Demand:
    return tuple(sorted((dict(more) | dict(features)).items()))


def words_of(grammar: Grammar) -> Words:
    """Prepare the lexicon and token rules of a grammar for lookup. Raises UsageError for an excerpt."""
    if isinstance(grammar, GrammarExcerpt):
        raise UsageError(
            f"{grammar!r} has no words: it came with a parse from another process\n"
            "  load the grammar itself with numbat.load_grammar"
        )
    patterns = Patterns(_as_input(grammar.guesses), _as_input(grammar.names), _as_input(grammar.spelling))
    readings = LexiconReadings(grammar.lexicon, patterns.spelling)
    rewritten: dict[str, tuple[str, ...]] = {}
    for rule in grammar.tokens:
        if rule.kind == "rewrite":
            rewritten.setdefault(spelled(rule.forms[0]).lower(), tuple(map(spelled, rule.forms[1:])))
    suffixes, prefixes = (
        Affixes(Affix(spelled(rule.forms[0]).lower(), rule.beside) for rule in grammar.tokens if rule.kind == kind)
        for kind in ("suffix", "prefix")
    )
    is_segmented = any(rule.kind == "segment" for rule in grammar.tokens)
    weights = [reading.weight for entry in grammar.lexicon for reading in entry.readings] if is_segmented else []
    longest = max(map(len, chain(readings, rewritten)), default=0)
    marked = [form for form in readings if not form.isalnum()]
    sizes = sorted({len(form) for form in marked if " " not in form}, reverse=True)
    language = language_of(grammar.language)
    words = Words(
        grammar,
        readings,
        patterns,
        Respelling(readings.forms, language),
        language,
        rewritten,
        suffixes,
        prefixes,
        longest=longest,
        marked_sizes=tuple(sizes),
        costs=word_costs(weights, readings) if is_segmented else None,
        marks=marks_of(grammar.marks),
    )
    multiword: dict[str, list[str]] = {}
    is_plain = all(affix.has_mark for affix in (*suffixes, *prefixes))
    for form in marked:
        first, blank, _ = form.partition(" ")
        if blank:
            if not (is_plain and first.isalpha() and first in readings and first.lower() not in rewritten):
                first = (*words.tokens_of(form), "")[0]
            multiword.setdefault(first, []).append(form)
    return replace(words, multiword=multiword)


MISSPELT: Final = range(3, 31)
"""The lengths of words for which similar forms are sought."""


def similar_forms(form: str, lexicon: Sequence[Entry], lengths: Container[int] = MISSPELT) -> list[str]:
    """Return the known forms that differ from a lower-case form by one letter or by two exchanged letters."""
    if len(form) not in lengths or not form.isalpha() or not form.islower():
        return []
    known, letters = _forms_and_letters(lexicon)
    halves = [(form[:i], form[i:]) for i in range(len(form) + 1)]
    exchanged = [a + b[1] + b[0] + b[2:] for a, b in halves if len(b) > 1]
    shorter = [a + b[1:] for a, b in halves if b]
    other = [a + letter + b[1:] for a, b in halves if b for letter in letters]
    longer = [a + letter + b for a, b in halves for letter in letters]
    every = dict.fromkeys((*exchanged, *shorter, *other, *longer))
    return sorted((similar for similar in every if similar in known), key=lambda similar: similar[0] != form[0])


@remembered_lately
def _forms_and_letters(lexicon: Sequence[Entry]) -> tuple[frozenset[str], list[str]]:
    known = frozenset(forms_of(lexicon))
    return known, sorted({letter for form in known for letter in form if letter.isalpha()})


def _as_input(rules: tuple[Rule, ...]) -> PatternRules[Rule]:
    return PatternRules([replace(rule, pattern=spelled(rule.pattern)) for rule in rules])


def arcs_of(start: int, end: int, form: str, readings: Iterable[Reading], guessed: bool = False) -> list[Arc]:
    """Return an arc over the tokens from `start` to `end` for each feature bundle of each reading."""
    return [Arc(start, end, form, *sense) for sense in _senses_of(readings, guessed)]


def _senses_of(readings: Iterable[Reading], guessed: bool) -> tuple[Sense, ...]:
    return tuple(
        [
            (reading.category, bundle, _log_weight(reading), guessed)
            for reading in readings
            for bundle in bundles(reading.features)
        ]
    )


def _log_weight(reading: Reading) -> float:
    """Return the logarithm of a reading's weight. Raises UsageError for a weight that no grammar file could state."""
    if not isinstance(reading.weight, int | float) or not 0 < reading.weight <= MAX_WEIGHT:
        raise UsageError(
            f"a reading as {reading.category} has the weight {reading.weight!r}\n"
            f"  it is a number above 0, up to {MAX_WEIGHT}"
        )
    return log(reading.weight)


# Plain sentences


def read_text(text: str, words: Words) -> Lattice:
    """Return the lattice of a sentence; judgement marks inside it are ignored. Raises DataError if it is too long."""
    check_length(text)
    tokens = tokenize(without_judgements(text, words.has), words)
    check_tokens(len(tokens.tokens))
    arcs = bounded(_arcs(tokens, words))
    marks = _marks(tokens, text)
    lattice = Lattice(
        tuple(tokens.tokens),
        arcs,
        tuple(mark for mark, _, _ in marks),
        text,
        tuple(gap for _, gap, _ in marks),
        tuple(tokens.places),
        tuple(place for _, _, place in marks),
    )
    return words.marks.beside(lattice)


def _marks(tokens: Tokens, text: str) -> list[tuple[str, int, Place]]:
    """Return the skipped marks and the markup that was left out, except inside words: each with its gap and place."""
    marks = [*zip(tokens.skipped, tokens.gaps, tokens.skipped_places, strict=True)]
    if not tokens.left_out:
        return marks
    begins = [start for start, _ in tokens.places]
    for _, start, end in tokens.left_out:
        gap = bisect_right(begins, start)
        if gap == 0 or tokens.places[gap - 1][1] <= start:
            marks.append((text[start:end], gap, (start, end)))
    return sorted(marks, key=lambda mark: mark[2])


def _arcs(tokenized: Tokens, words: Words) -> Iterable[Arc]:
    """Return the arcs of a text: single tokens, words in another case, names, further forms, multiword forms."""
    tokens, marks = tokenized.tokens, [*zip(tokenized.gaps, tokenized.skipped, strict=True)]
    spans = [*_multiword_spans(tokens, marks, words)]
    arcs = chain(_arcs_between_blanks(tokenized, marks, words), _several(tokens, spans, words))
    if not (words.costs and spans):
        return arcs
    costs = _costs_over_blanks(tokenized, spans, words, words.costs)
    return (arc._replace(cost=costs.get((arc.start, arc.end), arc.cost)) for arc in arcs)


def _several(tokens: Sequence[str], spans: Iterable[tuple[int, int, str]], words: Words) -> Iterator[Arc]:
    """Yield the arcs of the lexicon's forms with spaces, from their spans."""
    for start, end, form in spans:
        yield from arcs_of(start, end, " ".join(tokens[start:end]), words.known(form))


def _costs_over_blanks(
    tokenized: Tokens, spans: Sequence[tuple[int, int, str]], words: Words, costs: WordCosts
) -> dict[tuple[int, int], float]:
    """Return the costs of a text's words by first token and end, if some of them, the `spans`, contain blanks.

    They are relative to the cheapest division. A word with blanks costs nothing if it has letters of a script without
    blanks, whose words have their costs already.
    """
    tokens = tokenized.tokens
    edges: dict[tuple[int, int], float] = {}
    single = ((i, i + 1, token) for i, token in enumerate(tokens) if i not in tokenized.bridges)
    for start, end, form in chain(single, tokenized.forms, (span for span in spans if span[1] > span[0] + 1)):
        cost = words.cost(form)
        if any(map(is_unsegmented, tokens[start:end])):
            cost = tokenized.costs.get((start, end), 0.0)
        elif cost is None:
            cost = costs.unknown(len(form))
        edges[start, end] = min(cost, edges.get((start, end), cost))
    ordered = [(start, end, edges[start, end]) for start, end in sorted(edges)]
    kept = {(start, end): cost for start, end, cost in likely_edges(ordered, len(tokens))}
    return {span: kept.get(span, BEYOND) for span in edges}


def _arcs_between_blanks(tokenized: Tokens, marks: Sequence[tuple[int, str]], words: Words) -> Iterator[Arc]:
    tokens = tokenized.tokens
    if tokenized.costs:
        yield from _senses_in_run(tokenized, words)
    else:
        yield from _senses(tokens, words, tokenized.bridges)
    yield from _twins(tokens, marks, words)
    yield from _names(tokens, dict(marks), words)
    if tokenized.forms:
        begins = beginnings(tokens, marks)
        for start, end, form in tokenized.forms:
            cost = tokenized.costs.get((start, end), 0.0)
            if cost or not words.has(form):
                yield from (Arc(start, end, form, *sense, cost) for sense in words.senses(form))
                continue
            if end == start + 1:
                yield from (Arc(start, end, form, *sense) for sense in words.otherwise(form, tokens[start]))
                continue
            yield from arcs_of(start, end, form, words.known(form))
            if start in begins:
                yield from (Arc(start, end, form, *sense) for sense in words.twins(form))


def _senses(forms: Sequence[str], words: Words, bridges: Container[int] = ()) -> Iterator[Arc]:
    for i, form in enumerate(forms):
        if i in bridges:
            yield Arc(i, i + 1, form, WILDCARD, guessed=True)
        else:
            yield from (Arc(i, i + 1, form, *sense) for sense in words.senses(form))


def _senses_in_run(tokenized: Tokens, words: Words) -> Iterator[Arc]:
    for i, form in enumerate(tokenized.tokens):
        if i in tokenized.bridges:
            yield Arc(i, i + 1, form, WILDCARD, guessed=True, cost=BEYOND)
        else:
            cost = tokenized.costs.get((i, i + 1), 0.0)
            yield from (Arc(i, i + 1, form, *sense, cost) for sense in words.senses(form))


def _twins(tokens: Sequence[str], marks: Sequence[tuple[int, str]], words: Words) -> Iterator[Arc]:
    """Yield the arcs of words in another case, where the capital may be due to the position in the sentence or line."""
    if any(token[:1].isupper() for token in tokens):
        for i in sorted(beginnings(tokens, marks)):
            if tokens[i][:1].isupper():
                yield from (Arc(i, i + 1, tokens[i], *sense) for sense in words.twins(tokens[i]))


_OPENING: Final = frozenset("\"'`“”„‟‘‚‛«»‹›([{<:.!?…–—-•·*")
"""A word may have a capital because of a mark before it that begins so: quotes, brackets, dashes, sentence ends."""


def beginnings(tokens: Sequence[str], marks: Iterable[tuple[int, str]]) -> set[int]:
    """Return the numbers of the tokens whose capital may be due to their position in the sentence.

    These are the first token and those after a mark that opens something; `marks` are pairs of the number of the next
    token and a skipped mark. In a title or other line in which all longer words have a capital, these are all tokens.
    """
    cased = [token for token in tokens if token.lower() != token.upper()]
    capitals = sum(token[0].isupper() for token in cased)
    is_title = capitals > 2 and all(token[0].isupper() or len(token) < 4 for token in cased)
    if (is_title and 3 * capitals > 2 * len(cased)) or (len(cased) == 2 and "".join(cased).isupper()):
        return set(range(len(tokens)))
    places = {0} if tokens else set()
    places.update(place for place, mark in marks if mark[0] in _OPENING and place < len(tokens))
    places.update(i + 1 for i, token in enumerate(tokens[:-1]) if token[0] in _OPENING and not token[-1].isalnum())
    listed = {place for place, mark in marks if mark == ")" and place < len(tokens) and place - 1 in places}
    return places | {place for place in listed if len(tokens[place - 1]) == 1 or tokens[place - 1].isdigit()}


def read_tokens(tokens: Sequence[str], words: Words) -> Lattice:
    """Return the lattice of a sentence that is already tokenized, with the known or guessed readings of each token.

    Forms with spaces are found, too, except where the costs of words divide a text: there each token is a word. Tokens
    that are marks of the grammar are skipped, unless the lexicon has them.
    """
    check_tokens(len(tokens))
    lattice = Lattice(tuple(tokens), (), (), " ".join(tokens), places=places_in_line(tokens))
    return read_again(skipping(lattice, {i for i, token in enumerate(tokens) if words.is_mark(spelled(token))}), words)


def read_again(lattice: Lattice, words: Words) -> Lattice:
    """Return the lattice of the same tokens with only their known or guessed readings, as by `read_tokens`."""
    forms, marks = list(map(spelled, lattice.tokens)), [*zip(lattice.gaps, lattice.skipped, strict=True)]
    several = _several(forms, () if words.costs else _multiword_spans(forms, marks, words), words)
    arcs = bounded(chain(_senses(forms, words), _twins(forms, (), words), _names(forms, {}, words), several))
    return words.marks.beside(replace(lattice, arcs=arcs))


def _names(tokens: Sequence[str], marks: Mapping[int, str], words: Words) -> Iterator[Arc]:
    """Yield the arcs that name rules add for capitalized words inside a sentence."""
    for i, token in enumerate(tokens):
        if i > 0 and token[:1].isupper() and marks.get(i, ",") == ",":
            yield from (Arc(i, i + 1, token, *sense) for sense in words.names(token))


def _multiword_spans(
    tokens: list[str], skipped: Iterable[tuple[int, str]], words: Words
) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and form of the lexicon's forms with spaces, in any case in which `known` looks up a word.

    A form of one word and marks (`well ,`) matches only where these marks were `skipped` before and after the word.
    """
    signs: dict[int, str] = defaultdict(str)
    for place, sign in skipped:
        signs[place] += sign
    lower, plain = tuple(map(words.lower, tokens)), tuple(map(words.plain, tokens))
    spellings = dict.fromkeys((tuple(tokens), lower, plain))
    for start in range(len(tokens)):
        ends: dict[tuple[int, str], None] = {}
        for spelled_so in spellings:
            for form in words.multiword.get(spelled_so[start], ()):
                form_tokens = words.tokens_of(form)
                end = start + len(form_tokens)
                if end == start + 1 and form.replace(" ", "") not in signs[start] + spelled_so[start] + signs[end]:
                    continue
                if spelled_so[start:end] == form_tokens:
                    ends[end, form] = None
        yield from ((start, end, form) for end, form in ends)


# The first matching shell pattern, found by one regular expression

Rule = TypeVar("Rule", GuessRule, SpellingRule)


class PatternRules(Generic[Rule]):
    """Rules with shell patterns, in order of precedence; one regular expression finds the first that matches."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules: Final[tuple[Rule, ...]] = tuple(rules)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def first(self, *forms: str) -> Rule | None:
        """Return the first rule whose pattern matches any of these forms."""
        fitting = [place for form in forms if (place := self._place(form)) is not None]
        return self._rules[min(fitting)] if fitting else None

    def _place(self, form: str) -> int | None:
        match = self._either.match(form) if self._rules else None
        return None if match is None else self._place_of_group[match.lastindex]

    @cached_property
    def _either(self) -> re.Pattern[str]:
        return re.compile("|".join(f"(?P<rule{i}>{translate(rule.pattern)})" for i, rule in enumerate(self._rules)))

    @cached_property
    def _place_of_group(self) -> dict[int | None, int]:
        # A pattern may contain groups; `lastindex` is the group around it, which closes last.
        groups = self._either.groupindex
        return {groups[f"rule{i}"]: i for i in range(len(self._rules))}


# Detokenization: `de =le` as `du`, `do n't` as `don't`, `l' ami` as `l'ami`.


def retyped(lattice: Lattice, tokens: Sequence[str], words: Words) -> str:
    """Return the text of a lattice as typed, but with these tokens; marks beside changed tokens stay.

    A new first word has a capital if the old one has. If the text would be cut into other tokens, all of it is written
    anew by `detokenize`.
    """
    if list(tokens) == list(lattice.tokens):
        return lattice.text
    text = _with_tokens(lattice, tokens, words) if lattice.places and tokens else ""
    if list(read_text(text, words).tokens) == list(tokens):
        begins = lattice.text[lattice.places[0][0]].isupper() and tokens[0] != lattice.tokens[0]
        return text[:1].upper() + text[1:] if begins else text
    return detokenize(tokens, words, lattice.text)


def _with_tokens(lattice: Lattice, tokens: Sequence[str], words: Words) -> str:
    """Return the text with the tokens between the first and the last that differ written anew."""
    text, places, old = lattice.text, lattice.places, lattice.tokens
    first = alike(old, tokens)
    last = min(alike(old[::-1], tokens[::-1]), min(len(old), len(tokens)) - first)
    while 0 < first < len(old) and places[first - 1][1] > places[first][0]:  # inside a rewritten word
        first -= 1
    while 0 < last < len(old) and places[len(old) - last][0] < places[len(old) - last - 1][1]:
        last -= 1
    end, new = len(old) - last, tokens[first : len(tokens) - last]
    start, stop = places[first][0] if last else places[first - 1][1], places[end][0] if last else places[end - 1][1]
    written = _joined(_rewritten(list(new), words, text.lower().split()), words)
    if new and end > first:
        start, stop = places[first][0], places[end - 1][1]
        betweens = [text[places[i][1] : places[i + 1][0]] for i in range(first, end - 1)]
        if len(new) == end - first and any(map(str.strip, betweens)):
            written = "".join(map(add, new, (*betweens, "")))
    elif new:
        start, written = stop, f"{written} " if last else f" {written}"
    elif last and first and not text[start - 1].isspace():  # an affix
        stop = places[end - 1][1]
    return text[:start] + written + text[stop:]


def alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of words at the beginning of two sentences that are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


def detokenize(tokens: Sequence[str], words: Words, typed: str = "") -> str:
    """Return a text that `tokenize` would cut into these tokens; of several, the one most like the text `typed`.

    If there is no such text, the tokens are joined with spaces.
    """
    text = _joined(_rewritten(list(tokens), words, typed.lower().split()), words)
    return text if list(read_text(text, words).tokens) == list(tokens) else " ".join(tokens)


def _rewritten(tokens: list[str], words: Words, typed: list[str]) -> list[str]:
    """Return the tokens with those that a `rewrite` rule made replaced by the rewritten word."""
    rules: dict[tuple[str, ...], str] = {}
    for word, parts in words.rewritten.items():
        if word in typed or any(not part[0].isalnum() for part in parts):
            rules.setdefault(parts, word)
    joined: list[str] = []
    while tokens:
        size = next((len(parts) for parts in rules if tuple(tokens[: len(parts)]) == parts), 0)
        joined.append(rules[tuple(tokens[:size])] if size else tokens[0])
        tokens = tokens[size or 1 :]
    return joined


def _joined(tokens: Sequence[str], words: Words) -> str:
    """Join tokens with spaces, but affixes that have an apostrophe or hyphen, or fit the word, directly to it."""
    text = ""
    for i, token in enumerate(tokens):
        before = tokens[i - 1] if i else ""
        is_joined = i and (_joins(words.suffixes, token, before, words) or _joins(words.prefixes, before, token, words))
        text += token if not i or is_joined else f" {token}"
    return text


def _joins(affixes: Affixes, token: str, neighbour: str, words: Words) -> bool:
    return any(
        affix.form == token.lower() and (words.matches(neighbour, affix.beside) if affix.beside else affix.has_mark)
        for affix in affixes
    )
