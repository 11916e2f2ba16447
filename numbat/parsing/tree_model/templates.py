"""Feature templates of the linear model: combinations of what can be observed around a span or a step.

They follow the span features of Taskar et al. (2004, section 6) and Hall, Durrett & Klein (2014, "Less Grammar, More
Features"). A template is a list of observations: attributes of words at certain places, and lengths. For a span, it is
combined with the label of the span; for a step of a phrase (a first daughter, a further daughter, the end, an only
daughter), with the label of the phrase and the daughter. The features of links between words are those of McDonald,
Crammer & Pereira (2005). All features are hashed into a table of fixed size.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import IntFlag
from functools import lru_cache
from typing import Final, NamedTuple
from zlib import crc32

from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import Evaluator, evaluated_phrase
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Property, format_named
from numbat.parsing.treebank_grammar.expansions import Symbol
from numbat.parsing.treebank_grammar.items import WHOLE, Forest, categories
from numbat.parsing.treebank_grammar.markov import MarkovGrammar
from numbat.records import cached_property

GROUPS: Final = ("expansions", "properties", "words", "heads", "auxiliary")
"""Groups of features, as named on the command line."""


class HashedGroup(IntFlag):
    """The groups of features that are hashed, as flags."""

    WORDS = 1
    EXPANSIONS = 2
    AUXILIARY = 4
    HEADS = 8


ATTRIBUTES: Final = "wtshpc"
"""Attributes of a word: its form in lower case, tag, last three letters, shape, first three letters; and its class.

The class is the form if the tag belongs to a closed class of words, else the tag.
"""
PLACES: Final = "BbfgklaAnm"
"""Places of words: two and one before a span; its first, second, last but one and last; one and two after it.

The last two letters stand for the words before and after the position at which a daughter is added.
"""
PLACES_OF_LINKS: Final = "xhyudv"
"""Places of words at a link: the word before the head, the head, the word after it; the same for the dependent."""
PLACES_IN_CODE: Final = 16
SPECIAL: Final = {"L": 1000, "LL": 1001, "LR": 1002}
"""Codes for lengths: of the span, of the part before the last daughter, of the last daughter."""
BUCKETS: Final = (0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 7, 8, 8, 8, 8, 8, *([9] * 10))
"""Bucket for each length, from 0; greater lengths are in bucket 10."""

ALONE, WITH_LABEL, WITH_SYMBOL = 1, 2, 4
"""Levels, which say what else a template is combined with.

For spans: nothing; the label; the label and the label above it. For steps: the kind of step and the label of the
phrase; also the daughter; also the daughter before it. For links: the side of the dependent; its side and distance.
"""

SPAN_TEMPLATES: Final = """
7. wf | wl | wb | wa | wb wf | wl wa | wf wl | wb wa
6. tf | tl | tb | ta | tb tf | tl ta | tf tl | tb ta | L | sf | sl | hf | hl | pf | pl | cb ca | cf cl
6. wf tl | tf wl | wb tf | tb wf | wl ta | tl wa | wf ta | hf hl | sf sl | tf tg | tk tl | wf tg | tB tb | ta tA
6. L tf | L tl | L wf | L wl | L ta | L tb
2. tb tf tl ta | tb tf ta | tb tl ta | L tf tl | L tb ta | wb tf tl | tf tl wa | tf tg tk tl | L tf tg tk tl
2. tB tb tf | tl ta tA | wf L tl | wl L tf | wb wf L | wl wa L | cb cf cl ca
"""
STEP_TEMPLATES: Final = """
6. ~
7. wn | wm | tn | tm | LL | LR | wf | wl | ta | wa | tb | sn | sm
3. tn tm | wn wm | wn tm | tn wm | LL LR | tn tm ta | tf tm | wf wm | wf tm | tf wm | tm tl | wm tl | tl ta | wl ta
3. cn cm | LR tm | LL tn | cf cm | LR wm
"""
LINK_TEMPLATES: Final = """
3. wh th | wh | th | wd td | wd | td | wh th wd td | wh th wd | wh th td | wh wd td | th wd td | wh wd | th td
3. sh sd | th sd | sh td | ch cd | th tu td | th td tv | th ty td | tx th td
3. th ty tu td | tx th tu td | th ty td tv | tx th td tv
"""


class Templates(NamedTuple):
    """Templates as the search takes them: the offset of each in `codes`, the codes, and the levels."""

    at: array[int]
    codes: array[int]
    levels: array[int]
    seed: int


def _templates(text: str, seed: int, places: str = PLACES) -> Templates:
    at, codes, levels = array("i", [0]), array("i"), array("i")
    for line in text.strip().splitlines():
        level, _, rest = line.partition(". ")
        for template in rest.split(" | "):
            codes.extend(_code(observation, places) for observation in template.split() if observation != "~")
            at.append(len(codes))
            levels.append(int(level))
    return Templates(at, codes, levels, seed)


def _code(observation: str, places: str) -> int:
    if observation in SPECIAL:
        return SPECIAL[observation]
    return ATTRIBUTES.index(observation[0]) * PLACES_IN_CODE + places.index(observation[1])


EXPANSION_FEATURES: Final = 8
"""Number of features in the group `expansions`: one for a span, four for a step, three more for a complete phrase."""
AUXILIARY_FEATURES: Final = 4
"""Number of features in the group `auxiliary`."""
SPANS: Final = _templates(SPAN_TEMPLATES, 7919)
STEPS: Final = _templates(STEP_TEMPLATES, 104729)
LINKS: Final = _templates(LINK_TEMPLATES, 1299709, PLACES_OF_LINKS)


def version_of(groups: Collection[str]) -> int:
    """Return a checksum of the templates: weights are valid only for the templates with which they were learned."""
    of_phrases = crc32((SPAN_TEMPLATES + STEP_TEMPLATES + ATTRIBUTES + PLACES).encode())
    return crc32((LINK_TEMPLATES + PLACES_OF_LINKS).encode(), of_phrases) if "heads" in groups else of_phrases


# What templates observe: attributes of words, and keys for symbols and states, all as 32-bit hashes.

MARGIN: Final = 2
"""Number of positions before the first word, and after the last one, that templates may observe."""
BEFORE, AFTER = 1, 2
OPEN_CLASSES: Final = "ANVJR"
"""First letters of tags for open classes of words, in the Penn, French and Universal Dependencies treebanks."""


@lru_cache(maxsize=50_000)
def _attributes(form: str, tag: str) -> tuple[int, ...]:
    word = form.lower()
    open_class = tag[:1] in OPEN_CLASSES
    known = tag if open_class else word
    named = ("w" + word, "t" + tag, "s" + word[-3:], "h" + shape(form), "p" + word[:3], "c" + known)
    return tuple([crc32(text.encode("utf-8", "surrogatepass")) for text in named])


def shape(form: str) -> str:
    """Return the shape of a form: X for capitals, x for small letters, d for digits; runs are cut to two."""
    kinds = "".join("X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in form)
    return re.sub(r"(.)\1+", r"\1\1", kinds)


def token_attributes(tokens: Sequence[tuple[str, str]]) -> array[int]:
    """Return attributes of tokens (pairs of form and tag): the first attribute of all tokens, then the next."""
    rows = [_attributes(form, tag) for form, tag in tokens]
    columns = array("I")
    for column in range(len(_attributes("", ""))):
        columns.extend([BEFORE] * MARGIN + [row[column] for row in rows] + [AFTER] * MARGIN)
    return columns


class GrammarKeys:
    """Keys for the symbols, states and categories of a grammar; they do not depend on its counts."""

    def __init__(self, grammar: MarkovGrammar) -> None:
        symbols, states = grammar.symbols, tuple(grammar.states)
        self.label = _keys("L" + symbol.label for symbol in symbols)
        self.plain = _keys(f"P{symbol.label}^{symbol.above}" for symbol in symbols)
        self.full = _keys(f"F{symbol}" for symbol in symbols)
        self.state_label = _keys("L" + phrase.label for phrase, _ in states)
        self.state_plain = _keys(f"P{phrase.label}^{phrase.above}" for phrase, _ in states)
        self.state_full = _keys(f"S{phrase} {_row(history)}" for phrase, history in states)
        self.state_last = _keys("L" + (history[-1].label if history else "") for _, history in states)
        self.state_history = _keys("H" + " ".join(symbol.label for symbol in history) for _, history in states)
        self.category = _keys("C" + label for label in categories(grammar)[0])

    @cached_property
    def packed(self) -> tuple[bytes, ...]:
        """The fields as bytes, in the order in which the compiled code takes them."""
        return tuple(column.tobytes() for column in self.columns)

    @property
    def columns(self) -> tuple[array[int], ...]:
        states = (self.state_label, self.state_plain, self.state_full, self.state_last, self.state_history)
        return (self.label, self.plain, self.full, *states, self.category)


def _row(history: Iterable[Symbol]) -> str:
    return " ".join(map(str, history))


def _keys(names: Iterable[str]) -> array[int]:
    return array("I", [crc32(name.encode("utf-8", "surrogatepass")) for name in names])


# Properties as features of trees: how many instances a phrase satisfies and violates. Instances are counted on three
# levels: by relation, by relation and construction, and by property. What a phrase satisfies is determined by the
# categories of its daughters.

OUTCOMES = ("satisfied", "violated")
MAX_KNOWN = 150_000
"""Maximum number of cached phrases; beyond, the cache is cleared."""


def levels_of(property: Property) -> tuple[str, str, str]:
    """Return the name of a property on each level: its relation, its relation and construction, its notation."""
    return property.relation, f"{property.relation} in {property.construction}", format_named(property)


def property_names(grammar: Grammar) -> tuple[str, ...]:
    """Return the names of all features that a grammar's properties have."""
    names = {level: None for property in grammar.properties for level in levels_of(property)}
    return tuple(f"{outcome} {name}" for name in names for outcome in OUTCOMES)


def relations_of_names(grammar: Grammar) -> dict[str, str]:
    """Return, by the name of a feature, the relation that it counts."""
    return {
        f"{outcome} {level}": property.relation
        for property in grammar.properties
        for level in levels_of(property)
        for outcome in OUTCOMES
    }


class PropertyFeatures:
    """Computes features of phrases from their properties, cached by construction and categories of the daughters."""

    def __init__(self, evaluator: Evaluator, grammar: MarkovGrammar, names: Sequence[str]) -> None:
        self._evaluator, self._grammar = evaluator, grammar
        self._place = {name: place for place, name in enumerate(names)}
        self._labels = categories(grammar)[0]
        self._known: dict[tuple[str, tuple[int, ...]], Mapping[int, int]] = {}

    def of_phrase(self, label: str, daughters: tuple[int, ...]) -> Mapping[int, int]:
        """Return, by the number of a named feature, its count in a phrase over daughters of these categories."""
        if len(self._known) > MAX_KNOWN:
            self._known.clear()
        known = self._known.get((label, daughters))
        if known is None:
            known = self._known[label, daughters] = self._counted(label, daughters)
        return known

    def of_edges(self, forest: Forest) -> EdgeFeatures:
        """Return the features of the edges in a forest; only edges that complete a phrase have any."""
        symbols = self._grammar.symbols
        at, ids, values = array("i", [0]), array("i"), array("f")
        for edge, kind in enumerate(forest.kinds):
            if kind in WHOLE:
                label = symbols[forest.symbols[forest.heads[edge]]].label
                for place, count in self.of_phrase(label, forest.daughters_of(forest.sequences[edge])).items():
                    ids.append(place)
                    values.append(count)
            at.append(len(ids))
        return EdgeFeatures(at, ids, values)

    def _counted(self, label: str, daughters: tuple[int, ...]) -> Mapping[int, int]:
        construction = self._evaluator.table.constructions[label]
        parts = [Constituent(self._labels[category], 1 << i, ()) for i, category in enumerate(daughters)]
        both = evaluated_phrase(construction, tuple(parts), self._evaluator).characterization
        counts: Counter[int] = Counter()
        for outcome, instances in zip(OUTCOMES, (both.satisfied, both.violated), strict=True):
            for instance in instances:
                for place in self._places(outcome, instance.property):
                    counts[place] += 1
        return counts

    def _places(self, outcome: str, property: Property) -> Iterator[int]:
        for name in levels_of(property):
            place = self._place.get(f"{outcome} {name}")
            if place is not None:
                yield place


# Input and output for scoring trees.


class EdgeFeatures(NamedTuple):
    """Named features of edges: edge i has the features `ids[k]` with `values[k]`, for k from `at[i]` to `at[i + 1]`."""

    at: array[int]
    ids: array[int]
    values: array[float]


class WeightTable(NamedTuple):
    """32-bit floats: the weights of `named` features, then 2 to the power of `bits` weights of hashed features."""

    weights: array[float]
    named: int
    bits: int


class Task(NamedTuple):
    """Forest to be scored, with all that its score depends on.

    `tokens` is the number of words, `attributes` has their attributes; `marks` has the auxiliary predictions by span
    (`scoring.marks_of`); `groups` are the hashed groups in use; `extra` has the named features of edges; `losses` are
    added by node; the likelihood counts as costs times `likelihood`.
    """

    forest: Forest
    tokens: int
    attributes: array[int]
    marks: array[int] | None
    keys: GrammarKeys
    groups: int
    table: WeightTable
    extra: EdgeFeatures | None
    losses: array[float] | None
    likelihood: float


class Best(NamedTuple):
    """The best tree: its score, and its edges from the root, each before the edges of its left and right parts."""

    score: float
    edges: array[int]
