"""The lexicon of a treebank, and rules that guess the categories of words which are not in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, Literal

from numbat.files import unguarded
from numbat.grammar.model import Entry, GuessRule, Reading, TokenRule
from numbat.treebank.induction.rule_counts import TreebankCounts

LONGEST_SUFFIX: Final = 4
FEWEST_EVIDENCE: Final = 20
"""Rare words that must share a pattern before it becomes a rule."""
FEWEST_MARKS: Final = 5
"""Occurrences of a mark with a category, where there is no other lexicon."""
FEWEST_TIED: Final = 2
"""Occurrences of an elision or a clitic that is to be cut off words."""
_PREFIX: Final = re.compile(r"[^\W\d_]+'")
_SUFFIX: Final = re.compile(r"'[^\W\d_]*|n't|(?:-[^\W\d_A-Z]+)+(?:'[^\W\d_]+)?")
LEAST_SHARE: Final = 0.02
"""Categories of a smaller share of the words behind a rule are left out."""


def fits_a_file(form: str) -> bool:
    """Whether a form can begin a line of a lexicon file: # opens a comment there, % a paradigm, '- is read as -."""
    return form[:1] not in "#%" and unguarded(form) == form


def lexicon_of(treebank: TreebankCounts, features: set[str]) -> tuple[Entry, ...]:
    """The forms of the treebank with their categories and the features that matter, weighted by their counts.

    The first word of a sentence counts as the form in lower case where that occurs elsewhere. Blanks of any kind are
    one blank, as in every lexicon.
    """
    elsewhere = {entry.form for entry in treebank.words if not entry.initial}
    counts: dict[str, dict[Reading, int]] = {}
    for entry, count in treebank.words.items():
        lower = entry.form.lower()
        form = lower if entry.initial and entry.form not in elsewhere and lower in elsewhere else entry.form
        form = " ".join(form.split())
        demand = tuple((name, tuple(value.split(","))) for name, value in sorted(entry.features) if name in features)
        readings = counts.setdefault(form, {})
        reading = Reading(entry.category, demand)
        readings[reading] = readings.get(reading, 0) + count
    return tuple(
        Entry(form, tuple(replace(reading, weight=float(counts[form][reading])) for reading in sorted(
            counts[form], key=lambda reading: (-counts[form][reading], reading.category, reading.features)
        )))
        for form in sorted(filter(None, counts), key=lambda form: (fits_a_file(form), form))
    )  # fmt: skip


def marks_of(treebank: TreebankCounts) -> tuple[Entry, ...]:
    """The frequent forms without a letter or digit: in text they are words only if the lexicon has them (ruling 20)."""
    entries = (entry for entry in lexicon_of(treebank, set()) if not any(char.isalnum() for char in entry.form))
    frequent = ((entry, tuple(each for each in entry.readings if each.weight >= FEWEST_MARKS)) for entry in entries)
    return tuple(replace(entry, readings=readings) for entry, readings in frequent if readings)


def rewrites_of(treebank: TreebankCounts) -> tuple[TokenRule, ...]:
    """Rules that cut a text into the words of the treebank: each token of several words with those it most often is.

    Tokens that stand for punctuation too, or have a blank in them, are left out.
    """
    forms = {entry.form for entry in treebank.words}
    chosen = (
        (written, min(counts, key=lambda words: (-counts[words], words)))
        for written, counts in sorted(treebank.contractions.items())
    )
    return tuple(
        TokenRule("rewrite", (written, *words))
        for written, words in chosen
        if forms.issuperset(words) and not any(" " in form for form in (written, *words))
    )


def affixes_of(treebank: TreebankCounts) -> tuple[TokenRule, ...]:
    """Rules that cut off what is written without a blank before or behind it: elisions (l'), clitics ('s, n't, -t-il).

    A tree does not tell where blanks are, but such forms are told by their spelling. One that occurs once is left out.
    """
    counts: dict[Literal["prefix", "suffix"], Counter[str]] = {"prefix": Counter(), "suffix": Counter()}
    for entry, count in treebank.words.items():
        form = entry.form.replace("’", "'")
        if _PREFIX.fullmatch(form):
            counts["prefix"][form.lower()] += count
        elif _SUFFIX.fullmatch(form):
            counts["suffix"][form.lower()] += count
    return tuple(
        TokenRule(kind, (form,))
        for kind, found in counts.items()
        for form in sorted(found)
        if found[form] >= FEWEST_TIED
    )


def guesses_of(treebank: TreebankCounts) -> tuple[GuessRule, ...]:
    """Rules for unknown words, by digits, capitals and suffixes, from the words that occur only once in the treebank.

    A suffix becomes a rule where its words are of one category more often than those of the next shorter suffix.
    """
    rare: Counter[tuple[str, str]] = Counter()
    forms: Counter[str] = Counter()
    for entry, count in treebank.words.items():
        forms[entry.form] += count
        if not entry.initial:
            rare[entry.form, entry.category] += count
    words = [(form, category) for (form, category) in sorted(rare) if forms[form] == 1]
    rules = []
    for pattern, fits in (("*[0-9]*", _has_digit), ("[A-Z]*", _is_capital)):
        chosen = [word for word in words if fits(word[0])]
        words = [word for word in words if not fits(word[0])]
        if len(chosen) >= FEWEST_EVIDENCE:
            rules.append(GuessRule(pattern, _readings(Counter(category for _, category in chosen))))
    by_suffix: dict[str, Counter[str]] = {}
    for form, category in words:
        for length in range(min(LONGEST_SUFFIX, len(form)) + 1):
            by_suffix.setdefault(form[len(form) - length :], Counter())[category] += 1
    rules += [GuessRule(f"*{suffix}", _readings(by_suffix[suffix])) for suffix in _suffixes(by_suffix)]
    return tuple(rules)


def _suffixes(by_suffix: dict[str, Counter[str]]) -> Iterator[str]:
    """The suffixes that predict a category better than the next shorter one does, the longest first, then the empty
    one."""
    for suffix in sorted(by_suffix, key=lambda suffix: (-len(suffix), suffix)):
        counts = by_suffix[suffix]
        if not suffix:
            yield suffix
        elif counts.total() >= FEWEST_EVIDENCE and suffix.isalpha():
            category, most = min(counts.items(), key=lambda item: (-item[1], item[0]))
            shorter = by_suffix[suffix[1:]]
            if most / counts.total() > shorter[category] / shorter.total() + 0.1:
                yield suffix


def _readings(counts: Counter[str]) -> tuple[Reading, ...]:
    """The categories, the most frequent first, weighted by how many words have them."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    kept = [(category, count) for category, count in ordered if count >= LEAST_SHARE * counts.total()]
    return tuple(Reading(category, (), float(count)) for category, count in kept)


_has_digit: Final[Callable[[str], object]] = re.compile(r"[0-9]").search
_is_capital: Final[Callable[[str], object]] = re.compile(r"[A-Z]").match
