"""The terms of a fitted model: counts of a parse, and its likelihood by a treebank.

Besides single counts there are sums over constructions and relations, so that rare violations learn from frequent ones.
Counts that grow with the sentence are given per word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import log
from typing import TYPE_CHECKING, Final, NamedTuple

from numbat.evaluation.constituents import Constituent
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Property, format_property
from numbat.parsing.sentence_parser import SentenceParser
from numbat.parsing.treebank_grammar.expansions import TOP, Expansions
from numbat.records import Recent
from numbat.words.lattice import Lattice
from numbat.words.lexical_lookup import read_text

if TYPE_CHECKING:
    from numbat.parsing.result import Parse


Terms = dict[str, float]
Likely = Sequence[Mapping[str, float]]
"""Likely categories of each token by a tagger, with its confidence."""
Tagging = Callable[[Lattice], tuple[Lattice, Likely]]
"""A function that tags the unknown words of a lattice."""

OF_ALL: Final = " of all"
"""Ending of the names of terms that are not per word."""
SEEN_IN_ALL: Final = 0.7
"""The weight of a rule's frequency under its mother; its frequency under any mother has the remaining weight."""
NEVER: Final = 1e-6
UNSURE: Final = 0.7
LEAST_CONFIDENCE: Final = 1e-3


def counts_of(parse: Parse) -> Terms:
    """Return the counts of a parse per word.

    These are violated instances (`violated NP linearity`, `violated linearity`, `violated`) and likewise satisfied
    ones; phrases (`phrases`, `phrases NP`); the cost, also in all; the logarithm of the number of trees; unknown words.
    `fragments` is 0 if one root (`root S`) spans the sentence.
    """
    words = max(1, len(parse.lattice.tokens))
    counts: Counter[str] = Counter()
    for evaluated in parse.evaluated:
        truth, relation = "satisfied" if evaluated.satisfied else "violated", evaluated.property.type
        for name in (truth, f"{truth} {relation}", f"{truth} {evaluated.constituent.construction} {relation}"):
            counts[name] += 1
    for top in parse.constituents:
        for constituent in top.walk():
            if not constituent.is_word:
                counts["phrases"] += 1
                counts[f"phrases {constituent.construction}"] += 1
    terms: Terms = {name: count / words for name, count in counts.items()}
    cost = parse.violation_cost
    terms |= {"cost": cost / words, "cost of all": cost, "trees": log(max(1, parse.count)) / words}
    unknown = len(parse.guessed)
    terms |= {"unknown words": unknown / words, "unknown words of all": float(unknown)}
    terms["fragments"] = 0.0 if parse.is_full else float(len(parse.constituents))
    if len(parse.constituents) == 1:
        terms[f"root {parse.constituents[0].construction}"] = 1.0
    return terms


def levels_of(prop: Property) -> tuple[str, str, str]:
    """Return the names that terms use for a property: its relation, this with its construction, and the property."""
    where = f"{prop.construction} {prop.type}"
    return prop.type, where, f"{prop.construction} {format_property(prop)} {prop.type}"


def totals_of(parse: Parse) -> Terms:
    """Return the numbers of violated property instances in a parse: totals, not per word.

    The terms are those of relations (`violated linearity of all`), of relations in a construction (`violated NP
    linearity of all`) and of properties (`violated NP Det < N linearity of all`).
    """
    counts: Counter[str] = Counter()
    for evaluated in parse.violated:
        counts.update(f"violated {name}{OF_ALL}" for name in levels_of(evaluated.property))
    return {name: float(count) for name, count in counts.items()}


def size_of(parse: Parse) -> Terms:
    """Return the length, its logarithm, and the number of skipped punctuation marks per word."""
    words = len(parse.lattice.tokens)
    return {"words": float(words), "log words": log(max(1, words)), "marks": len(parse.lattice.skipped) / max(1, words)}


@dataclass(frozen=True)
class Frequencies:
    """Frequencies of words, categories and rules in a treebank, from the grammar induced from it and its expansions.

    The keys of rules have the label of the phrase and of its mother (empty for all mothers).
    """

    words: Mapping[str, float]
    categories: Mapping[str, float]
    rules: Mapping[tuple[str, str, tuple[str, ...]], float]
    phrases: Mapping[tuple[str, str], float]

    @classmethod
    def from_grammar(cls, grammar: Grammar, expansions: Expansions) -> Frequencies:
        """Return the frequencies that a grammar and the expansions counted on the same trees contain."""
        words: dict[str, float] = {}
        for entry in grammar.lexicon:
            form = entry.form.lower()
            words[form] = words.get(form, 0.0) + sum(reading.weight for reading in entry.readings)
        categories: Counter[str] = Counter()
        rules: Counter[tuple[str, str, tuple[str, ...]]] = Counter()
        phrases: Counter[tuple[str, str]] = Counter()
        for (phrase, daughters), count in expansions.counts:
            labels = tuple(daughter.label for daughter in daughters)
            for above in (phrase.above, ""):
                rules[phrase.label, above, labels] += count
                phrases[phrase.label, above] += count
            for symbol in daughters:
                if not symbol.is_phrase:
                    categories[symbol.label] += count
        return cls(words, categories, rules, phrases)

    def rule(self, constituent: Constituent, above: str) -> float:
        """Return the log of how often phrases with this label, under a mother `above`, have these daughters."""
        labels = tuple(daughter.construction for daughter in constituent.daughters)
        shares = []
        for higher in (above, ""):
            of = self.phrases.get((constituent.construction, higher), 0.0)
            shares.append(self.rules.get((constituent.construction, higher, labels), 0.0) / of if of else 0.0)
        return log(SEEN_IN_ALL * shares[0] + (1 - SEEN_IN_ALL) * shares[1] + NEVER)


def likelihood_of(parse: Parse, seen: Frequencies) -> Terms:
    """Return log probabilities of a tree, its rules and its words, per word.

    `likelihood` is that of the expansions; `categories` and `familiarity` are those of categories and words alone. A
    regression that subtracts these normalises for rare words (SLOR: Lau, Clark & Lappin 2017).
    """
    tokens = parse.lattice.tokens
    number = max(1, len(tokens))
    spoken = [word for top in parse.constituents for word in top.words()]
    whole = sum(seen.categories.values()) + len(seen.categories) + 1
    categories = sum(log((seen.categories.get(word.construction, 0.0) + 1) / whole) for word in spoken)
    every = sum(seen.words.values()) + len(seen.words) + 1
    familiar = [log((seen.words.get(token.lower(), 0.0) + 1) / every) for token in tokens]
    rules = sorted(_rules(parse.constituents, TOP, seen))
    rare = rules[: max(1, len(rules) // 4)]
    terms = {
        "likelihood": (parse.log_likelihood or 0.0) / number,
        "categories": categories / number,
        "readings": -parse.lexical_cost / number,
        "familiarity": sum(familiar) / number,
        "least familiar": min(familiar, default=0.0),
        "rules": sum(rules) / number,
        "rules never seen": sum(rule < log(2 * NEVER) for rule in rules) / number,
    }
    return terms | ({"rarest rule": rare[0], "rarest quarter of rules": sum(rare) / len(rare)} if rare else {})


def _rules(constituents: Sequence[Constituent], above: str, seen: Frequencies) -> list[float]:
    logs = []
    waiting = [(constituent, above) for constituent in constituents]
    while waiting:
        constituent, higher = waiting.pop()
        if not constituent.is_word:
            logs.append(seen.rule(constituent, higher))
            waiting += [(daughter, constituent.construction) for daughter in constituent.daughters]
    return logs


def confidence_of(parse: Parse, likely: Likely) -> Terms:
    """Return terms of a tagger's confidence: mean and least logarithm for the likeliest labels, mean for the parse's
    labels (`agreement`), and the share of words with low confidence (`unsure`).
    """
    best = [max(labels.values(), default=LEAST_CONFIDENCE) for labels in likely]
    number = max(1, len(best))
    agreed = [
        log(max(likely[word.start].get(word.construction, 0.0), LEAST_CONFIDENCE))
        for top in parse.constituents
        for word in top.words()
        if word.end == word.start + 1
    ]
    return {
        "confidence": sum(map(log, best)) / number,
        "least confidence": min(map(log, best), default=0.0),
        "unsure": sum(share < UNSURE for share in best) / number,
        "agreement": sum(agreed) / max(1, len(agreed)),
    }


@dataclass(frozen=True)
class SecondGrammar:
    """A second, induced grammar that adds terms of each sentence, whose names begin with the grammar's name."""

    parser: SentenceParser
    seen: Frequencies | None = None
    tagging: Tagging | None = None
    _last: Recent[Terms] = field(default_factory=partial(Recent, 1), repr=False, compare=False)
    """The result for the last sentence; each of its violations asks for it."""

    def terms(self, parse: Parse) -> Terms:
        """Return the terms of a sentence that was parsed by another grammar."""
        return self._last.made(parse.sentence, lambda: self.terms_of(parse.sentence))

    def terms_of(self, text: str) -> Terms:
        """Return the terms of a sentence."""
        lattice, likely = read_text(text, self.parser.words), None
        if not lattice.tokens:
            return {}
        if self.tagging is not None:
            lattice, likely = self.tagging(lattice)
        again = self.parser.parse(lattice)
        terms = counts_of(again)
        if self.seen is not None:
            terms |= likelihood_of(again, self.seen)
        if likely is not None:
            terms |= confidence_of(again, likely)
        return {f"{self.parser.grammar.name}: {name}": value for name, value in terms.items()}


# Groups of terms: by the relation that they count, and other groups.

ALL_RELATIONS: Final = "all relations"
"""The group of sums over all relations: satisfied and violated instances, and costs."""
GROUPS: Final[dict[str, tuple[str, ...]]] = {
    ALL_RELATIONS: ("satisfied", "violated", "cost", "cost of all"),
    "phrases": ("phrases", "trees", "fragments"),
    "unknown words": ("unknown words", "unknown words of all"),
    "length": ("words", "log words", "marks"),
    "frequencies": (
        *("likelihood", "categories", "readings", "familiarity", "least familiar"),
        *("rules", "rules never seen", "rarest rule", "rarest quarter of rules"),
    ),
    "tagger": ("confidence", "least confidence", "unsure", "agreement"),
}
"""The groups that are not relations, with their terms."""
_GROUP: Final = {name: group for group, names in GROUPS.items() for name in names}
_OWNER: Final = re.compile(r"(?:(?P<grammar>.+): )?(?P<name>.+)")
_INSTANCES: Final = re.compile(r"(?:satisfied|violated) (?:.+ )?(?P<relation>\S+)")
_PHRASES: Final = re.compile(r"(?:phrases|root) .+")


class TermGroup(NamedTuple):
    """A relation or another group of terms; `grammar` is the second grammar's name, or empty."""

    name: str
    grammar: str = ""
    is_relation: bool = False

    def __str__(self) -> str:
        return self.term(self.name)

    def term(self, name: str) -> str:
        """Return the full name of a term of this group's grammar; a second grammar's name precedes its terms."""
        return f"{self.grammar}: {name}" if self.grammar else name


def group_of(term: str) -> TermGroup:
    """Return the group of a term: `linearity` of `violated NP linearity`."""
    owner = _OWNER.fullmatch(term)
    grammar, name = (owner["grammar"] or "", owner["name"]) if owner else ("", term)
    if instances := _INSTANCES.fullmatch(name.removesuffix(OF_ALL)):
        return TermGroup(instances["relation"], grammar, is_relation=True)
    return TermGroup("phrases" if _PHRASES.fullmatch(name) else _GROUP.get(name, name), grammar)


def grouped(terms: Iterable[str]) -> dict[TermGroup, list[int]]:
    """Return the indexes of the terms of each group, in the order of their first terms."""
    places: dict[TermGroup, list[int]] = {}
    for place, term in enumerate(terms):
        places.setdefault(group_of(term), []).append(place)
    return places
