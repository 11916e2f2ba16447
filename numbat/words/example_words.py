"""Picks words of a lexicon for examples: plain, frequent words of each category, and the other forms of a word.

A lexicon has no frequencies. Words in the sentences that come with a grammar are therefore first, then words in the
order of the lexicon; names are last. Only the likeliest reading of a word counts.
"""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from math import log
from typing import Final

from numbat.files import packaged_folder
from numbat.grammar.cache import first_of_each, forms_of_lemma
from numbat.grammar.model import Grammar, Reading, remembered_lately
from numbat.grammar.properties import Bundle, bundles
from numbat.words.lexical_lookup import Words
from numbat.words.tokens import spelled

FIRST: Final = 1500
"""Number of forms that are considered, from the beginning of the lexicon, where closed classes usually are."""

UNSEEN: Final = 0.3
"""Number of occurrences that a word is taken to have if there are none."""

Kind = tuple[str, Bundle]
"""A category with its features."""

_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


def packaged_sentences(grammar: Grammar) -> list[str]:
    """Return the well-formed sentences that come with the grammar; none if Numbat has none for it."""
    corpus = packaged_folder("corpora") / f"{grammar.name}.tsv"
    if not grammar.name or not os.path.isfile(corpus):
        return []
    with corpus.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [spelled(row["sentence"]) for row in rows if row["judgement"] == "ok"]


def packaged_counts(grammar: Grammar) -> Counter[str]:
    """Return how often each word occurs in the sentences that come with the grammar."""
    return Counter(word for sentence in packaged_sentences(grammar) for word in _WORD.findall(sentence))


class ExampleWords:
    """Plain words of a lexicon by category and features, the most frequent first."""

    def __init__(self, words: Words, counts: Mapping[str, int] | None = None) -> None:
        self._words = words
        known: Counter[str] = Counter()
        for word, number in (packaged_counts(words.grammar) if counts is None else counts).items():
            form = word if word in words.readings else word.lower()
            if form in words.readings:
                known[form] += number
        self.counts: Mapping[str, int] = known
        self._order: dict[str, int] = {}
        kinds: dict[Kind, list[str]] = {}
        heads = map(spelled, first_of_each(words.grammar.lexicon).values())
        for number, form in enumerate(dict.fromkeys((*known, *islice(words.readings, FIRST), *heads))):
            if " " in form:
                continue
            self._order[form] = number
            for kind in dict.fromkeys(_likeliest(words.readings[form])):
                kinds.setdefault(kind, []).append(form)
        self._kinds = {kind: sorted(forms, key=self.rank) for kind, forms in kinds.items()}
        self._sizes = Counter(category for (category, _), forms in kinds.items() for _ in forms)
        self._total = known.total() + 100 * UNSEEN

    def rank(self, form: str) -> tuple[object, ...]:
        """Return the sort key of words: names last, unambiguous ones first, then by frequency."""
        categories = {reading.category for reading in self._words.readings[form]}
        return form[:1].isupper(), -self.counts.get(form, 0), len(categories), self._order.get(form, len(self._order))

    def by_bundle(self, category: str) -> dict[Bundle, list[str]]:
        """Return the forms of a category by their features; the features with the most frequent form come first."""
        by_bundle = [(bundle, forms) for (name, bundle), forms in self._kinds.items() if name == category]
        by_bundle.sort(key=lambda pair: (-sum(self.counts.get(form, 0) for form in pair[1]), -len(pair[1])))
        return dict(by_bundle)

    @property
    def categories(self) -> list[str]:
        """The categories of the words, those with the fewest words first."""
        return sorted(self._sizes, key=lambda category: (self._sizes[category], category))

    def surprise(self, form: str) -> float:
        """Return the surprise of a word in nats, by its frequency; log 100 if nothing is known about frequencies."""
        return log(self._total / ((self.counts.get(form, 0) or self.counts.get(form.lower(), 0)) + UNSEEN))

    def openness(self, category: str) -> float:
        """Return the logarithm of the number of words of a category: low for function words."""
        return log(self._sizes[category] or len(self._kinds) + 1)

    def forms_of(self, lemma: str) -> list[str]:
        """Return the forms of a lemma, of any category, in the order of the lexicon."""
        forms = dict.fromkeys(map(spelled, forms_of_lemma(self._words.grammar.lexicon, lemma)))
        return [form for form in forms if " " not in form]


example_words = remembered_lately(ExampleWords)
"""The plain words of a lexicon, made once for each of the last few lexicons."""


def _likeliest(readings: Iterable[Reading]) -> Iterator[Kind]:
    """Yield the kinds of the readings with the greatest weight."""
    every = tuple(readings)
    most = max(reading.weight for reading in every)
    for reading in every:
        if reading.weight == most:
            yield from ((reading.category, bundle) for bundle in bundles(reading.features))


def difference(one: Bundle, other: Bundle) -> int:
    """Return the number of features in which two bundles differ."""
    mine, theirs = dict(one), dict(other)
    return sum(mine.get(name) != theirs.get(name) for name in mine.keys() | theirs.keys())


def shared_beginning(one: str, other: str) -> int:
    """Return the length of the common prefix of two forms."""
    letters = zip(one.lower(), other.lower(), strict=False)
    return next((i for i, (a, b) in enumerate(letters) if a != b), min(len(one), len(other)))
