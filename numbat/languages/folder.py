"""Languages: folders made by `numbat induce -o FOLDER/`, with all that parsing raw text needs.

A folder has a grammar with its lexicon, counts of expansions, a tagger, weights of trees, relations of dependencies,
held-out sentences, and a page with measures on them. `numbat parse -g FOLDER` uses them together.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from numbat.acceptability.scores import Score
from numbat.acceptability.settings import SuiteSettings
from numbat.errors import DataError
from numbat.files import lines_of
from numbat.grammar.digest import digest
from numbat.grammar.loading import FOLDER_GRAMMAR, find, load_grammar
from numbat.grammar.model import Grammar
from numbat.labels.tagger import Tagger
from numbat.parses.sentences import reading_of
from numbat.parsing.policies import Limits
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.parsing.treebank_parser import DEFAULT_LIMITS, TreebankParser
from numbat.records import Recent, frozen
from numbat.runs.parsers import treebank_parser_of
from numbat.runs.sentences import InputSentence, NamedText
from numbat.runs.settings import ExpansionSettings, SentenceSettings
from numbat.treebanks.judgement import Judgement, features_of, judgement_of_json
from numbat.treebanks.links import TreebankLinks, links_of_json
from numbat.treebanks.morphology import joined_labels
from numbat.treebanks.ud_maps import UdMap, ud_map_of

if TYPE_CHECKING:
    from numbat.parses.formats import TreeStyle
    from numbat.parses.settings import ParseSettings

ReadingSettings = TypeVar("ReadingSettings", SentenceSettings, SuiteSettings)
LEXICON: Final = "lexicon.tsv"
JUDGED: Final = ("tree", "conllu")
"""Formats that show the judgement of a language."""
MADE: Final = "made.json"
"""File with the digest of the grammar that the other parts were made for."""
SCHEMA: Final = "numbat.language/1"
PARTS: Final = (
    FOLDER_GRAMMAR, LEXICON, "grammar.exp", "tagger.model", "trees.weights", "relations.model", "links.json",
    "cuts.model", "sentences.model", "judgement.json", "held-out.conllu", "README.md", MADE,
)  # fmt: skip
"""Files that a language may have."""


@frozen
class Language:
    """The files of a language in its folder; missing ones are not used."""

    folder: str

    @property
    def grammar(self) -> str:
        """Path of the grammar, which has its lexicon beside it."""
        return self._file(FOLDER_GRAMMAR)

    @property
    def lexicon(self) -> str:
        """Path of the lexicon."""
        return self._file(LEXICON)

    @property
    def expansions(self) -> str:
        """Path of the counts of expansions, as `numbat expansions` writes them."""
        return self._file("grammar.exp")

    @property
    def tagger(self) -> str:
        """Path of the tagger of words."""
        return self._file("tagger.model")

    @property
    def cuts(self) -> str:
        """Path of the tagger that splits written words into several words, or divides the text into words."""
        return self._file("cuts.model")

    def read_by(self, settings: ReadingSettings) -> ReadingSettings:
        """Return settings for reading sentences with the taggers of the language."""
        return replace(settings, tagger=there(self.tagger), cuts=there(self.cuts))

    @property
    def ends(self) -> str:
        """Path of the tagger that finds the ends of sentences in running text."""
        return self._file("sentences.model")

    @property
    def weights(self) -> str:
        """Path of the weights of trees, as `numbat learn weights` writes them."""
        return self._file("trees.weights")

    @property
    def relations(self) -> str:
        """Path of the tagger of relations."""
        return self._file("relations.model")

    @property
    def links(self) -> str:
        """Path of the file with heads of punctuation, lemmas and features of words."""
        return self._file("links.json")

    @property
    def features(self) -> list[str]:
        """Paths of the existing taggers of FEATS, one for each group of features."""
        paths = map(self.features_of, count(1))
        return list(takewhile(os.path.isfile, paths))

    def features_of(self, group: int) -> str:
        """Return the path of the tagger of FEATS for a group; groups count from 1."""
        return self._file(f"features-{group}.model")

    @property
    def judgement(self) -> str:
        """Path of the judgement, a model of acceptability."""
        return self._file("judgement.json")

    @property
    def suite(self) -> str:
        """Path of the held-out sentences."""
        return self._file("held-out.conllu")

    def is_edited(self, grammar: Grammar) -> bool:
        """Return True if the grammar is not the one that the other parts were made for."""
        made = _json_of(self._file(MADE)) if os.path.isfile(self._file(MADE)) else None
        return isinstance(made, dict) and made.get("grammar") != digest(grammar)

    def _file(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def parser(self, limits: Limits | None = None, grammar: Grammar | None = None) -> TreebankParser:
        """Return the parser of the language, perhaps with a changed `grammar`. Raises the errors of its files."""
        settings = ExpansionSettings(self.expansions, weights=there(self.weights))
        limits = limits or DEFAULT_LIMITS
        limits = replace(limits, items=DEFAULT_LIMITS.items) if limits.items is None else limits
        return treebank_parser_of(grammar or load_grammar(self.folder), settings, limits)

    def ud_map(self) -> UdMap:
        """Return the map to Universal Dependencies, with the links of the treebank."""
        return with_links(ud_map_of(load_grammar(self.folder)), self)

    def read_links(self) -> TreebankLinks | None:
        """Return the links of the treebank, or None if it had none. Raises DataError."""
        if not os.path.isfile(self.links):
            return None
        label = Tagger.load(self.relations).label if os.path.isfile(self.relations) else None
        taggers = [Tagger.load(path) for path in self.features]
        of_features = partial(joined_labels, [tagger.label for tagger in taggers]) if taggers else None
        return links_of_json(_json_of(self.links), self.links, label, of_features)

    def read_judgement(self) -> Judgement | None:
        """Return the judgement, or None if none was learned. Raises DataError."""
        if not os.path.isfile(self.judgement):
            return None
        return judgement_of_json(_json_of(self.judgement), self.judgement)


def _json_of(path: str) -> Any:
    """Return the value of a JSON file, or None if it is not JSON."""
    try:
        return json.loads("\n".join(lines_of(path)))
    except ValueError:
        return None


def language_at(name: str) -> Language | None:
    """Return the language in a folder that `numbat induce` has made, or None for any other grammar."""
    language = Language(name)
    if not (os.path.isfile(language.grammar) and os.path.isfile(language.expansions)):
        return None
    return language if find(name) == Path(language.grammar) else None  # a packaged grammar may have the name


def there(path: str) -> str | None:
    """Return the path if the file exists, else None."""
    return path if os.path.isfile(path) else None


def parsing_by(options: ParseSettings, language: Language) -> ParseSettings:
    """Return settings for parsing with the parts of the language."""
    reading, by_expansions = options.reading, options.by_expansions
    if not (reading.tagged or reading.tagger) and (reading.words or not reading.source):
        reading = language.read_by(reading)
    if reading.split == "":  # no language is named: end sentences as in the treebank
        reading = replace(reading, ends=there(language.ends))
    if by_expansions.expansions is None:
        weights = by_expansions.weights or (None if by_expansions.properties else there(language.weights))
        by_expansions = replace(by_expansions, expansions=language.expansions, weights=weights)
    return replace(options, by_expansions=by_expansions, reading=reading)


def in_language(style: TreeStyle, options: ParseSettings, language: Language, grammar: Grammar) -> TreeStyle:
    """Return the style with the links of the language, and with its judgement for parses by expansions.

    The judgement is left out if the grammar has been edited since the judgement was learned.
    """
    if style.ud is not None:
        style = style._replace(ud=with_links(style.ud, language))
    is_judged = options.form in JUDGED and options.by_expansions.expansions is not None
    if is_judged and not language.is_edited(grammar):
        style = style._replace(judgement=language.read_judgement())
    return style


def with_links(ud: UdMap, language: Language) -> UdMap:
    """Return a map to Universal Dependencies with the links of a treebank."""
    return replace(ud, links=language.read_links())


@dataclass(frozen=True)
class LanguageModel:
    """Scorer of parses by any grammar: parses the sentence again with a language, and returns the language's judgement.

    The score is a sum of weighted features. These are its parts, and so is the `probability` of the judgement.
    """

    folder: str
    _made: dict[str, tuple[TextReading, SentenceParser, Judgement]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _last: Recent[Score] = field(default_factory=partial(Recent, 1), repr=False, compare=False)
    """The result for the last sentence; each of its violations asks for it."""

    def __call__(self, parse: Parse) -> Score:
        text = parse.lattice.text
        return self._last.made(text, lambda: self._score(text))

    def _score(self, text: str) -> Score:
        if self.folder not in self._made:
            self._made[self.folder] = self._make()
        read, parser, judgement = self._made[self.folder]
        parsed = parser.parse(read(NamedText("1", text)).lattice)
        features = features_of(parsed, judgement.words)
        parts = judgement.parts(features)
        parts["probability"] = judgement.probability(features)
        return Score(
            os.path.basename(os.path.normpath(self.folder)), judgement.value(features), (), tuple(parts.items())
        )

    def __reduce__(self) -> tuple[type[LanguageModel], tuple[str]]:
        return type(self), (self.folder,)  # another process opens the language again

    def _make(self) -> tuple[TextReading, SentenceParser, Judgement]:
        language = Language(self.folder)
        judgement = language.read_judgement()
        if judgement is None:
            raise DataError(
                f"{self.folder}: a language without a judgement\n"
                "  make it from a treebank with dependencies, and with more sentences"
            )
        parser = language.parser()
        return reading_of(parser, language.read_by(SentenceSettings())), parser, judgement


TextReading = Callable[[NamedText], InputSentence]


def language_model(name: str) -> LanguageModel | None:
    """Return the scorer of a folder that `numbat induce` has made, or None for any other name."""
    return None if language_at(name) is None else LanguageModel(name)
