"""Combine a tagger with a grammar: the tagger predicts the categories of words that the lexicon lacks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import log
from typing import Any, Final

from numbat.errors import UsageError
from numbat.labels.tagger import MIN_CONFIDENCE, Tagger
from numbat.labels.token_files import TokenColumns
from numbat.parsing.parser import Parser
from numbat.parsing.sentence_parser import SentenceParser
from numbat.records import frozen
from numbat.runs.sentences import InputSentence, NamedText, SentenceReading
from numbat.treebanks.running_text import BEGINS, WHOLE, division_rows
from numbat.words.lattice import Arc, Lattice, check_tokens, decided, in_atoms, joined, undecided
from numbat.words.lexical_lookup import Words, arcs_of, beginnings, read_text
from numbat.words.tag_maps import TagMap, identity_map, tag_map_of, tagged_lattice
from numbat.words.tokens import spelled


@frozen
class TaggerGuesser:
    """A tagger for words that the lexicon of a grammar lacks, with the map from its labels to categories.

    If `best`, a word gets only the label that the tagger chooses for it, else every likely label, with its confidence
    to the power `trust`. `cuts` is a tagger that decides whether an ambiguous written word is one word or several, or
    which parts of the text begin a word (`treebanks.running_text`).
    """

    tagger: Tagger
    tag_map: TagMap
    words: Words
    best: bool = False
    trust: float = 1.0
    cuts: Tagger | None = None

    def __post_init__(self) -> None:
        if self.tagger.columns != 1:
            raise UsageError(
                "this tagger was trained on further columns beside the words, which sentences do not have\n"
                "  use one that was trained on words and labels alone"
            )

    def lattice(self, lattice: Lattice, divides: bool = True) -> Lattice:
        """Return the lattice with arcs from the lexicon for the words that it has, and from the tagger for others.

        Unless it `divides` the text into words anew, the tokens are the words.
        """
        if divides and self.cuts is not None and lattice.places:
            lattice = self._divided(lattice, self.cuts) if BEGINS in self.cuts.labels else self._cut(lattice, self.cuts)
        return self.informed(lattice, self.likely(lattice))

    def _divided(self, lattice: Lattice, cuts: Tagger) -> Lattice:
        """Return the lattice with words of the parts that `cuts` labels as words, without readings.

        Raises DataError for too many words.
        """
        lattice = in_atoms(lattice)
        forms, places = with_marks(lattice)
        (labels,) = cuts.label([division_rows(forms, self.words.has)]) if forms else ([],)
        lattice = joined(lattice, [labels[place] == BEGINS for place in places])
        check_tokens(len(lattice.tokens))
        return lattice

    def _cut(self, lattice: Lattice, cuts: Tagger) -> Lattice:
        """Return the lattice with each ambiguous written word cut or left whole, as `cuts` labels the sentence."""
        doubtful = undecided(lattice) if self.words.costs is None else []
        if not doubtful:
            return lattice
        units = written_units(lattice, doubtful)
        (labels,) = cuts.label([[(lattice.typed(*unit),) for unit in units]])
        label_of = dict(zip(units, labels, strict=True))
        return decided(lattice, {span: label_of[span] == WHOLE for span in doubtful})

    def likely(self, lattice: Lattice) -> list[Sequence[tuple[str, float]]]:
        """Return the likely labels of each token with their confidences; the tagger also reads skipped marks."""
        if not lattice.tokens:
            return []
        forms, places = with_marks(lattice)
        rows: list[TokenColumns] = [(form,) for form in forms]
        likely: Sequence[Sequence[tuple[str, float]]]
        if self.best:
            likely = [((label, 1.0),) for label in self.tagger.label([rows])[0]]
        else:
            likely = self.tagger.candidates([rows])[0]
        return [likely[place] for place in places]

    def informed(self, lattice: Lattice, likely: Sequence[Sequence[tuple[str, float]]]) -> Lattice:
        """Return the lattice with arcs for the words that the lexicon lacks, from the likely labels of each token."""
        arcs = [arc for arc in lattice.arcs if arc.end - arc.start > 1 and not arc.guessed]
        begins = beginnings(lattice.tokens, zip(lattice.gaps, lattice.skipped, strict=True))
        for i, token in enumerate(lattice.tokens):
            known = self._known(i, token, i in begins)
            arcs += self._weighed(known, likely[i]) if known else self._guessed(i, token, likely[i])
        informed = replace(lattice, arcs=tuple(sorted(arcs, key=lambda arc: (arc.start, arc.end))))
        return self.words.marks.beside(informed)

    def _known(self, start: int, token: str, begins: bool) -> list[Arc]:
        form = spelled(token)
        twins = self.words.twins(form) if begins and form[:1].isupper() else ()
        known = arcs_of(start, start + 1, token, self.words.known(form))
        return known + [Arc(start, start + 1, token, *sense) for sense in twins]

    def _weighed(self, known: list[Arc], likely: Sequence[tuple[str, float]]) -> list[Arc]:
        """Return a word's arcs from the lexicon; unless `trust` is 1, a tagger of categories weights them."""
        confidences = dict(likely)
        if (
            self.trust == 1.0
            or not self.tag_map.is_identity
            or confidences.keys().isdisjoint(a.category for a in known)
        ):
            return known
        return [
            arc._replace(log_weight=self.trust * log(confidences.get(arc.category, MIN_CONFIDENCE))) for arc in known
        ]

    def _guessed(self, start: int, token: str, likely: Sequence[tuple[str, float]]) -> list[Arc]:
        """Return the arcs of a token: for each category with features that a label is mapped to, the likeliest one."""
        best: dict[tuple[str, Any], Arc] = {}
        for label, confidence in likely:
            for arc in tagged_lattice([(token, label)], self.tag_map, self.words, lenient=True).arcs:
                log_weight = arc.log_weight + self.trust * log(confidence)
                weighed = arc._replace(start=start, end=start + 1, log_weight=log_weight, guessed=True)
                key = arc.category, arc.features
                if key not in best or weighed.log_weight > best[key].log_weight:
                    best[key] = weighed
        if best:
            return list(best.values())
        return arcs_of(start, start + 1, token, self.words.guessed(token), guessed=True)


@frozen
class ReadingWithGuesser:
    """Reads a sentence with `read`, then gives words that the lexicon lacks categories by the tagger of `guesser`."""

    read: SentenceReading
    guesser: TaggerGuesser

    def __call__(self, given: NamedText | InputSentence) -> InputSentence:
        """Return the sentence with the tagger's categories. Raises DataError if it cannot be read."""
        sentence = self.read(given)
        divides = isinstance(given, NamedText)  # other sentences come with their words
        return replace(sentence, lattice=self.guesser.lattice(sentence.lattice, divides))


BESIDE_EXPANSIONS: Final = 2.0
"""Exponent of the tagger's confidences in parsing by expansions, which score categories of words, too.

This value was best on the development trees of the English Web Treebank; the tagger deserves the greater weight because
it sees the words on both sides, unlike expansions."""


def written_units(lattice: Lattice, doubtful: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the span of tokens of each written word: a `doubtful` span, tokens from the same place, or one token."""
    ends = dict(doubtful)
    units: list[tuple[int, int]] = []
    start = 0
    while start < len(lattice.tokens):
        end = ends.get(start, start + 1)
        while end < len(lattice.tokens) and lattice.places[end] == lattice.places[start]:
            end += 1
        units.append((start, end))
        start = end
    return units


def guesser(
    model: str, tag_map: str | None, words: Words, best: bool, trust: float = 1.0, cuts: str | None = None
) -> TaggerGuesser:
    """Return the guesser for a tagger's model (a file or packaged); `cuts` is a model that decides which words to cut.

    Without a tag map, labels are taken as categories if all of them are categories, and otherwise mapped like tags of a
    treebank. Raises UsageError if most labels are then not categories of the grammar.
    """
    tagger = Tagger.load(model)
    grammar = words.grammar
    categories = set(grammar.categories)
    are_categories = tag_map is None and categories.issuperset(tagger.labels)
    mapped = identity_map(grammar, ()) if are_categories else tag_map_of(tag_map, grammar)
    made = TaggerGuesser(tagger, mapped, words, best, trust, None if cuts is None else Tagger.load(cuts))
    strange = [label for label in tagger.labels if mapped.readings(label) is None]
    if 2 * len(strange) > len(tagger.labels):
        where = "" if mapped.is_identity else f" and {mapped.path} does not map them"
        raise UsageError(
            f"most labels of the model, such as {', '.join(strange[:3])}, are not categories of the grammar{where}\n"
            "  map them with --tag-map FILE, or train on the tags of such a map"
        )
    return made


@dataclass
class ReadingWithTagger:
    """Reads the sentences of a suite with a lexicon and a tagger, which is prepared once for each lexicon."""

    model: str
    tag_map: str | None
    cuts: str | None = None
    _made: dict[int, TaggerGuesser] = field(default_factory=dict, repr=False)

    def __call__(self, sentence: str, parser: SentenceParser) -> Lattice:
        known = self._made.get(id(parser.words))
        if known is None:
            trust = 1.0 if isinstance(parser, Parser) else BESIDE_EXPANSIONS
            known = self._made[id(parser.words)] = guesser(
                self.model, self.tag_map, parser.words, False, trust, self.cuts
            )
        return known.lattice(read_text(sentence, parser.words))

    def __reduce__(self) -> tuple[type[ReadingWithTagger], tuple[str, str | None, str | None]]:
        # the cache is keyed by the identity of objects, which means nothing in another process
        return type(self), (self.model, self.tag_map, self.cuts)


def with_marks(lattice: Lattice) -> tuple[list[str], list[int]]:
    """Return one list of a lattice's tokens and skipped marks in order, and the indices of the tokens in this list."""
    forms: list[str] = []
    places: list[int] = []
    taken = 0
    for number, token in enumerate(lattice.tokens):
        before = bisect_right(lattice.gaps, number)
        forms += lattice.skipped[taken:before]
        taken = before
        places.append(len(forms))
        forms.append(token)
    return [*forms, *lattice.skipped[taken:]], places
