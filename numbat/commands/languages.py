"""Languages: folders that `numbat induce -o FOLDER/` makes of a treebank, and all that parsing raw text takes.

A folder has a grammar with its lexicon, counts of expansions, a tagger, weights of trees, relations of dependencies,
held-out sentences, and a page that says what was measured on them. `numbat parse -g FOLDER` takes them together.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count, takewhile
from time import process_time
from typing import Any, Final

from numbat.commands import learn, parsing
from numbat.commands.settings import ExpansionSettings, SentenceSettings, WeightSettings
from numbat.commands.treebanks import InduceSettings, source_of
from numbat.errors import DataError, UnwritableError, require_numpy
from numbat.files import lines_of, write_whole
from numbat.grammar.loading import FOLDER_GRAMMAR, load_grammar
from numbat.parsing.policies import Limits
from numbat.parsing.sentence_parser import SentenceParser
from numbat.parsing.tree_model.scoring import packed_weights
from numbat.parsing.treebank_grammar.expansions import expansion_lines
from numbat.records import frozen
from numbat.report.languages import LanguageReport, Stage, read_me
from numbat.report.treebanks import induced_sizes, induced_texts
from numbat.runs.held_out import MeasureJob, measure
from numbat.runs.jobs import TreeReader
from numbat.runs.loop import Executor, in_this_process
from numbat.sequence import perceptron
from numbat.sequence.tagger import Tagger
from numbat.sequence.token_files import Sample
from numbat.treebank.conllu import DependencyTree, format_conllu
from numbat.treebank.converting import to_constituents
from numbat.treebank.corruptions import forms_of
from numbat.treebank.induce import induce
from numbat.treebank.judgement import Judgement, TagTrigrams, judgement_of_json
from numbat.treebank.links import TreebankLinks, learned_links, link_rows, links_of_json
from numbat.treebank.morphology import feature_groups, feature_rows, joined_labels, part_of
from numbat.treebank.projective import projective, with_frequent_liftings
from numbat.treebank.reading import TreebankSentence
from numbat.treebank.rule_counts import count_expansions, count_treebank
from numbat.treebank.sentence_ends import stretches
from numbat.treebank.trees import CODES, Tree, cleaned
from numbat.treebank.ud_maps import UdMap, ud_map_of

HELD_OUT: Final = 10
"""One sentence of so many is held out to measure the language: the last ones."""
MIN_SENTENCES: Final = 20
"""Of fewer sentences none is held out."""
PASSES: Final = 8
"""How often weights of trees and relations are learned from all sentences."""
RELATION_PASSES: Final = 5
RELATION_COUNT: Final = 3
FEATURE_COUNT: Final = 2

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
    def ends(self) -> str:
        """The tagger of where sentences end in running text."""
        return self._file("sentences.model")

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
    def features(self) -> list[str]:
        """The taggers of FEATS that are there, one for each group of features."""
        paths = map(self.features_of, count(1))
        return list(takewhile(os.path.isfile, paths))

    def features_of(self, group: int) -> str:
        """The tagger of FEATS of a group; groups count from 1."""
        return self._file(f"features-{group}.model")

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
        taggers = [Tagger.load(path) for path in self.features]
        of_features = partial(joined_labels, [tagger.label for tagger in taggers]) if taggers else None
        return links_of_json(_json_of(self.links), self.links, label, of_features)

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
            self._done("relations of dependencies, features, ends of sentences")

    def make_weights(self, executor: Executor, jobs: int) -> None:
        """Write the weights of trees."""
        grammar = load_grammar(self.language.grammar)
        choice = replace(WeightSettings(), passes=PASSES)
        start = learn.start_of(grammar, self.expansions, choice)
        forests = learn.forests_of(self.trees, grammar, choice, start, executor)
        found = learn.learn(forests, forests.start, choice, jobs, lambda progress, learner: None, self.told)
        write_whole(self.language.weights, packed_weights(found))
        self._done(f"weights of trees: {len(forests.examples):,} forests")

    def measure(self, executor: Executor) -> LanguageReport:
        """Measure the language, and write what was held out, the judgement and the page."""
        measured = judgement = None
        if self.held and self.linked:
            _write(self.language.suite, "".join(format_conllu(tree) for tree in self.held))
            trigrams = TagTrigrams.of(sample.labels for sample in self.samples)
            job, forms = _measure_job(self.language, trigrams), forms_of((*self.linked, *self.held))
            measured, judgement = measure(job, self.held, forms, executor)
            if judgement is not None:
                _write(self.language.judgement, json.dumps(judgement.as_json(), ensure_ascii=False) + "\n")
            self._done("measured")
        made = self.language.folder, self.source, len(self.sentences), tuple(self.stages)
        report = LanguageReport(*made, measured, judgement, self.settings.notes)
        _write(os.path.join(self.language.folder, "README.md"), read_me(report))
        return report


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
    """Write marks, words and endings, and taggers of relations, of groups of features and of ends of sentences."""
    lifted = [projective(tree)[0].words for tree in trees]
    relations = with_frequent_liftings([[word.deprel for word in words] for words in lifted])
    samples = [Sample(link_rows(words), tuple(of)) for words, of in zip(lifted, relations, strict=True)]
    _train(samples, RELATION_COUNT, language.relations)
    for path in language.features:  # of a language that was here before
        os.remove(path)
    number = 1
    for group in feature_groups(trees):
        parts = (tuple(part_of(word.feats, group) for word in tree.words) for tree in trees)
        samples = [Sample(feature_rows(tree.words), part) for tree, part in zip(trees, parts, strict=True)]
        number += _train(samples, FEATURE_COUNT, language.features_of(number))
    _train([Sample(*each) for each in stretches(trees)], FEATURE_COUNT, language.ends)
    _write(language.links, json.dumps(learned_links(trees).as_json(), ensure_ascii=False) + "\n")


def _train(samples: Sequence[Sample], least: int, path: str) -> bool:
    """Write a tagger; return False where there is one label alone, and leave none that was there.

    Where it would take more memory than is allowed, what it sees less often is left out.
    """
    if len({label for sample in samples for label in sample.labels}) < 2:
        if os.path.isfile(path):
            os.remove(path)
        return False
    while True:
        settings = perceptron.Settings(epochs=RELATION_PASSES, least=least)
        try:
            Tagger.train(samples, settings=settings, unit="words", calibrate=False).save(path)
        except DataError:
            if least > perceptron.MAX_MIN_COUNT:
                raise
            least *= 2
        else:
            return True


def _measure_job(language: Language, trigrams: TagTrigrams) -> MeasureJob:
    parser = language.parser()
    mapped = parsing.tag_map_of(SentenceSettings(source="conllu"), parser.grammar)
    assert mapped is not None, "there is a source"
    read = parsing.reading_of(parser, SentenceSettings(tagger=there(language.tagger)))
    return MeasureJob(parser, read, mapped, language.ud_map(), trigrams)
