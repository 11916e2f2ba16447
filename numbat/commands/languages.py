"""Languages: folders that `numbat induce -o FOLDER/` makes of a treebank, and all that parsing raw text takes.

A folder has a grammar with its lexicon, counts of expansions, a tagger, weights of trees, relations of dependencies,
held-out sentences, and a page that says what was measured on them. `numbat parse -g FOLDER` takes them together.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from time import process_time
from typing import Any, Final

from numbat.commands import learn, parsing
from numbat.commands.settings import ExpansionSettings, SentenceSettings, WeightSettings
from numbat.commands.treebanks import InduceSettings, source_of
from numbat.errors import DataError, UnwritableError, require_numpy
from numbat.files import lines_of, write_whole
from numbat.gradience.models import Score
from numbat.grammar.loading import FOLDER_GRAMMAR, load_grammar
from numbat.parsing.policies import Limits
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.parsing.tree_model.scoring import packed_weights
from numbat.parsing.treebank_grammar.expansions import expansion_lines
from numbat.parsing.treebank_parser import TreebankParser
from numbat.records import frozen
from numbat.report.languages import LanguageReport, Stage, read_me
from numbat.report.treebanks import induced_sizes, induced_texts
from numbat.runs.held_out import JudgeJob, MeasureJob, judged_pairs, measure
from numbat.runs.jobs import TreeReader
from numbat.runs.loop import Executor, in_this_process
from numbat.runs.sources import InputSentence, NamedText
from numbat.sequence import perceptron
from numbat.sequence.tagger import Tagger
from numbat.sequence.token_files import Sample
from numbat.treebank.conllu import DependencyTree, format_conllu
from numbat.treebank.converting import to_constituents
from numbat.treebank.corruptions import forms_of
from numbat.treebank.induce import induce
from numbat.treebank.judgement import (
    Judgement,
    WordModel,
    features_of,
    judgement_of_json,
    learned_judgement,
    seen_features,
    word_model,
)
from numbat.treebank.links import TreebankLinks, learned_links, link_rows, links_of_json
from numbat.treebank.reading import TreebankSentence
from numbat.treebank.rule_counts import count_expansions, count_treebank
from numbat.treebank.trees import CODES, Tree, cleaned
from numbat.treebank.ud_maps import UdMap, ud_map_of

HELD_OUT: Final = 10
"""One sentence of so many is held out to measure the language: the last ones."""
MIN_SENTENCES: Final = 20
"""Of fewer sentences none is held out."""
JUDGED: Final = 5
"""One sentence of at least so many teaches the judgement: it is parsed by expansions of the others."""
MAX_JUDGED: Final = 300
MAX_WORDS: Final = 40
"""Longer sentences teach it nothing: parsing them takes long."""
MIN_PAIRS: Final = 40
"""Of fewer pairs no judgement is learned."""
PASSES: Final = 8
"""How often weights of trees and relations are learned from all sentences."""
RELATION_PASSES: Final = 5
RELATION_COUNT: Final = 3

Told = Callable[[str], None]


@frozen
class Language:
    """The files of a language in its folder; what is not there is not used."""

    folder: str

    @property
    def grammar(self) -> str:
        """The grammar, with its lexicon beside it."""
        return self._file(FOLDER_GRAMMAR)

    @property
    def expansions(self) -> str:
        """What `numbat expansions` counts."""
        return self._file("grammar.exp")

    @property
    def tagger(self) -> str:
        """The tagger of words that the lexicon does not have."""
        return self._file("tagger.model")

    @property
    def weights(self) -> str:
        """Weights of trees by `numbat learn weights`."""
        return self._file("trees.weights")

    @property
    def relations(self) -> str:
        """The tagger of relations."""
        return self._file("relations.model")

    @property
    def links(self) -> str:
        """Where marks hang, lemmas and features of words."""
        return self._file("links.json")

    @property
    def judgement(self) -> str:
        """The model of acceptability."""
        return self._file("judgement.json")

    @property
    def suite(self) -> str:
        """The sentences that were held out."""
        return self._file("held-out.conllu")

    def _file(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def parser(self, limits: Limits | None = None) -> SentenceParser:
        """Return the parser of the language. Raises the errors of its files."""
        settings = ExpansionSettings(self.expansions, weights=there(self.weights))
        return parsing.treebank_parser_of(load_grammar(self.folder), settings, limits or Limits())

    def ud_map(self) -> UdMap:
        """Return the map to Universal Dependencies, with what the treebank says of links."""
        return with_links(ud_map_of(load_grammar(self.folder)), self)

    def read_links(self) -> TreebankLinks | None:
        """Return what the treebank says of links; None where it had none. Raises DataError."""
        if not os.path.isfile(self.links):
            return None
        label = Tagger.load(self.relations).label if os.path.isfile(self.relations) else None
        return links_of_json(_json_of(self.links), self.links, label)

    def read_judgement(self) -> Judgement | None:
        """Return the model of acceptability; None where none was learned. Raises DataError."""
        if not os.path.isfile(self.judgement):
            return None
        return judgement_of_json(_json_of(self.judgement), self.judgement)


def _json_of(path: str) -> Any:
    """Return the value in a file, None for one that is no JSON."""
    try:
        return json.loads("\n".join(lines_of(path)))
    except ValueError:
        return None


def language_at(name: str) -> Language | None:
    """Return the language of a folder that `numbat induce` has made; None for another grammar."""
    found = Language(name)
    return found if os.path.isdir(name) and os.path.isfile(found.expansions) else None


def there(path: str) -> str | None:
    """Return a file if it is there."""
    return path if os.path.isfile(path) else None


def with_links(ud: UdMap, language: Language) -> UdMap:
    """Return a map to Universal Dependencies with what a treebank says of links."""
    return replace(ud, links=language.read_links())


@dataclass(frozen=True)
class LanguageModel:
    """A scorer: the judgement of a language on the sentence of a parse, whatever grammar that is by.

    The score is the sum of weighted features, which are its parts; `probability` is that of the judgement.
    """

    folder: str
    _made: dict[str, tuple[TextReading, SentenceParser, Judgement]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __call__(self, parse: Parse) -> Score:
        if self.folder not in self._made:
            self._made[self.folder] = self._make()
        read, parser, judgement = self._made[self.folder]
        found = parser.parse(read(NamedText("1", parse.lattice.text)).lattice)
        features = features_of(found, judgement.words)
        parts = judgement.parts(features)
        parts["probability"] = judgement.probability(features)
        return Score(
            os.path.basename(os.path.normpath(self.folder)), judgement.value(features), (), tuple(parts.items())
        )

    def __reduce__(self) -> tuple[type[LanguageModel], tuple[str]]:
        return type(self), (self.folder,)  # what is made is that of this process

    def _make(self) -> tuple[TextReading, SentenceParser, Judgement]:
        language = Language(self.folder)
        judgement = language.read_judgement()
        if judgement is None:
            raise DataError(
                f"{self.folder}: a language without a judgement\n"
                "  make it of a treebank with dependencies, and of more sentences"
            )
        parser = language.parser()
        return parsing.reading_of(parser, SentenceSettings(tagger=there(language.tagger))), parser, judgement


TextReading = Callable[[NamedText], InputSentence]


def language_model(name: str) -> LanguageModel | None:
    """Return the scorer of a folder that `numbat induce` has made; None for another name."""
    return None if language_at(name) is None else LanguageModel(name)


# Making a language


@frozen
class LanguageSettings:
    """Settings of making a language: those of the grammar, and whether weights of trees are learned."""

    grammar: InduceSettings = InduceSettings()
    weights: bool = True
    notes: tuple[str, ...] = ()


def make_language(
    paths: Sequence[str],
    form: str,
    folder: str,
    settings: LanguageSettings,
    reader: TreeReader,
    told: Told = lambda _: None,
    executor: Executor = in_this_process,
    jobs: int = 1,
) -> LanguageReport:
    """Make a language of the files of a treebank, and write it into a folder.

    The last tenth of the sentences is held out, and the language is measured on it. Raises DataError where there is no
    tree, MissingExtraError without numpy, and UnwritableError.
    """
    require_numpy("a language")
    maker = _Maker(Language(folder), source_of(paths), settings, *_material(paths, form, reader), told)
    try:
        os.makedirs(folder, exist_ok=True)
        maker.make_grammar()
        maker.make_tagger()
        maker.make_links()
        if settings.weights:
            maker.make_weights(executor, jobs)
        maker.make_judgement(executor)
        return maker.measure(executor)
    except OSError as error:
        raise UnwritableError(folder, error.strerror) from None


class _Maker:
    """Makes the parts of a language one after the other, of all sentences but the last tenth."""

    def __init__(
        self,
        language: Language,
        source: str,
        settings: LanguageSettings,
        sentences: Sequence[TreebankSentence],
        trees: Sequence[Tree],
        told: Told,
    ) -> None:
        held = len(sentences) // HELD_OUT if len(sentences) >= MIN_SENTENCES else 0
        cut = len(sentences) - held
        self.language, self.source, self.settings, self.told = language, source, settings, told
        self.sentences, self.trees = sentences[:cut], trees[:cut]
        self.samples = [_tagged(tree) for tree in self.trees]
        self.linked, self.held = _linked(self.sentences), _linked(sentences[cut:])
        self.expansions = count_expansions(self.trees, dropped=CODES)
        self.judgement: Judgement | None = None
        self.stages: list[Stage] = []
        self._since = process_time()

    def _done(self, made: str) -> None:
        self.stages.append(Stage(made, process_time() - self._since))
        self.told(f"{made} ({self.stages[-1].seconds:.0f} s)")
        self._since = process_time()

    def make_grammar(self) -> None:
        """Write grammar, lexicon and expansions."""
        choices = replace(self.settings.grammar, lexicon=True).choices(f"induced from {self.source}")
        induced = induce(count_treebank(self.sentences, dropped=CODES), choices)
        texts = induced_texts(induced, self.source, self.settings.notes, "lexicon.tsv")
        _write(self.language.grammar, texts.grammar)
        _write(os.path.join(self.language.folder, "lexicon.tsv"), texts.lexicon)
        _write(self.language.expansions, "".join(f"{line}\n" for line in expansion_lines(self.expansions)))
        self._done(f"grammar: {induced_sizes(induced)}; {len(self.expansions.counts):,} expansions")

    def make_tagger(self) -> None:
        """Write the tagger of words."""
        tagger = Tagger.train(self.samples, unit="words")
        tagger.save(self.language.tagger)
        self._done(f"tagger: {len(tagger.labels)} tags")

    def make_links(self) -> None:
        """Write what a treebank with dependencies says of these."""
        if self.linked:
            _learn_links(self.linked, self.language)
            self._done("relations of dependencies")

    def make_weights(self, executor: Executor, jobs: int) -> None:
        """Write the weights of trees."""
        grammar = load_grammar(self.language.grammar)
        choice = replace(WeightSettings(), passes=PASSES)
        start = learn.start_of(grammar, self.expansions, choice)
        forests = learn.forests_of(self.trees, grammar, choice, start, executor)
        found = learn.learn(forests, forests.start, choice, jobs, lambda progress, learner: None, self.told)
        write_whole(self.language.weights, packed_weights(found))
        self._done(f"weights of trees: {len(forests.examples):,} forests")

    def make_judgement(self, executor: Executor) -> None:
        """Write the model of acceptability."""
        if self.linked:
            self.judgement = learn_judgement(self.language, self.sentences, self.trees, executor)
            self._done("judgement" if self.judgement is not None else "no judgement: there are too few sentences")

    def measure(self, executor: Executor) -> LanguageReport:
        """Measure the language, and write what was held out and the page."""
        measured = None
        if self.held and self.linked:
            _write(self.language.suite, "".join(format_conllu(tree) for tree in self.held))
            words = self.judgement.words if self.judgement is not None else word_model_of(self.linked)
            job, forms = _measure_job(self.language, words), forms_of((*self.linked, *self.held))
            measured = measure(job, self.held, forms, executor)
            self._done("measured")
        made = self.language.folder, self.source, len(self.sentences), tuple(self.stages)
        report = LanguageReport(*made, measured, self.judgement, self.settings.notes)
        _write(os.path.join(self.language.folder, "README.md"), read_me(report))
        return report


# The judgement of a language


def learn_judgement(
    language: Language,
    sentences: Sequence[TreebankSentence],
    trees: Sequence[Tree],
    executor: Executor = in_this_process,
) -> Judgement | None:
    """Return the judgement of a language, and write it into its folder; None where there are too few sentences.

    `sentences` are those that the language was made of, `trees` their phrases. Every fifth of them, up to `MAX_JUDGED`,
    teaches by its corruptions. Expansions, trigrams and features that judge these are those of the other sentences:
    of what was counted of itself, every sentence is too likely. Weights of trees, which have seen all, choose no tree.
    """
    short = [place for place, tree in enumerate(trees) if sum(1 for _ in tree.words()) <= MAX_WORDS]
    chosen = set(short[:: max(JUDGED, -(-len(short) // MAX_JUDGED))])
    kept = [place for place in range(len(trees)) if place not in chosen]
    known, judged = (_linked(sentences[place] for place in places) for places in (kept, sorted(chosen)))
    if not known:
        return None
    expansions = count_expansions([trees[place] for place in kept], dropped=CODES)
    linked = _linked(sentences)
    job = _judge_job(TreebankParser(load_grammar(language.folder), expansions), word_model_of(known))
    pairs = judged_pairs(job, judged, forms_of(linked), executor)
    if len(pairs) < MIN_PAIRS:
        return None
    found = replace(learned_judgement(job.words, pairs), words=word_model_of(linked))
    _write(language.judgement, json.dumps(found.as_json(), ensure_ascii=False) + "\n")
    return found


def word_model_of(trees: Sequence[DependencyTree]) -> WordModel:
    """Return what trees say of rows of words."""
    words = [word for tree in trees for word in tree.words]
    counts = Counter((word.form.lower(), word.upos, seen_features(word.feats)) for word in words)
    # Of the features of a word the most frequent count; of equals, the first in order.
    features = {each[:2]: each[2] for each in sorted(counts, key=lambda each: (counts[each], each[2]))}
    return word_model([[(word.form, word.upos) for word in tree.words] for tree in trees], features)


def _judge_job(parser: SentenceParser, words: WordModel) -> JudgeJob:
    mapped = parsing.tag_map_of(SentenceSettings(source="conllu"), parser.grammar)
    assert mapped is not None, "there is a source"
    return JudgeJob(parser, mapped, words)


def _linked(sentences: Iterable[TreebankSentence]) -> list[DependencyTree]:
    """Return the sentences that have dependencies."""
    return [each.tree for each in sentences if isinstance(each.tree, DependencyTree) and each.tree.has_heads]


def _write(path: str, text: str) -> None:
    write_whole(path, text.encode())


def _material(paths: Sequence[str], form: str, reader: TreeReader) -> tuple[list[TreebankSentence], list[Tree]]:
    """Return the sentences of files that have phrases, and these. Raises DataError where there is none."""
    sentences, trees = [], []
    for sentence in (each for path in paths for each in reader.sentences(path, form)):
        try:
            tree = cleaned(to_constituents(sentence, reader.notes), dropped=CODES)
        except DataError as error:
            reader.refuse(error)
            continue
        if tree is not None:
            sentences.append(sentence)
            trees.append(tree)
    if not trees:
        raise DataError(f"{paths[0]}: no tree to learn from\n  give a file of trees, with --from if need be")
    return sentences, trees


def _tagged(tree: Tree) -> Sample:
    leaves = [node for node in tree.walk() if node.form is not None]
    return Sample(tuple((leaf.form or "",) for leaf in leaves), tuple(leaf.label for leaf in leaves))


def _learn_links(trees: Sequence[DependencyTree], language: Language) -> None:
    links = learned_links(trees)
    samples = [Sample(link_rows(tree.words), tuple(word.deprel for word in tree.words)) for tree in trees]
    if len({label for sample in samples for label in sample.labels}) > 1:
        settings = perceptron.Settings(epochs=RELATION_PASSES, least=RELATION_COUNT)
        Tagger.train(samples, settings=settings, unit="words", calibrate=False).save(language.relations)
    _write(language.links, json.dumps(links.as_json(), ensure_ascii=False) + "\n")


def _measure_job(language: Language, words: WordModel) -> MeasureJob:
    parser = language.parser()
    read = parsing.reading_of(parser, SentenceSettings(tagger=there(language.tagger)))
    return MeasureJob(parser, read, language.ud_map(), _judge_job(parser, words))
