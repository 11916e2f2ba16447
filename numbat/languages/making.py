"""Make a language from a treebank or tagged sentences: its parts one after the other, and its measures."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Final

from numbat.errors import DataError, UnwritableError, UsageError, counted, data_error, require_numpy, shortened
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.files import shown, write_whole
from numbat.grammar.digest import digest
from numbat.grammar.loading import FOLDER_GRAMMAR, load_grammar
from numbat.labels import perceptron
from numbat.labels.tagger import Tagger
from numbat.labels.token_files import Sample
from numbat.languages.folder import LEXICON, MADE, PARTS, SCHEMA, Language, language_at
from numbat.languages.held_out import HeldOutJob, MeasureJob, judged_pairs, measure
from numbat.languages.report import LanguageReport, MakingStage, read_me
from numbat.learning import verbs as learn
from numbat.learning.settings import WeightSettings
from numbat.parses.sentences import reading_of, tag_map_of
from numbat.parsing.sentence_parser import SentenceParser
from numbat.parsing.tree_model.scoring import packed_weights
from numbat.parsing.treebank_grammar.expansions import expansion_lines
from numbat.parsing.treebank_grammar.likeliest import check_names
from numbat.parsing.treebank_parser import TreebankParser
from numbat.records import frozen
from numbat.runs.loop import Executor, Failure, in_this_process
from numbat.runs.settings import SentenceSettings
from numbat.structure.model import DependencyModel, read_model
from numbat.structure.parsing import StructureTally, parse_structure, tagged_for
from numbat.structure.proposals import is_possible, material_for, model_under, opening_of, propose_grammar, with_words
from numbat.structure.report import proposed_grammar
from numbat.structure.settings import DrawSettings
from numbat.treebanks.conllu import DependencyTree, format_conllu
from numbat.treebanks.converting import to_constituents
from numbat.treebanks.corruptions import KINDS, forms_of
from numbat.treebanks.induce import induce
from numbat.treebanks.induced import format_lexicon
from numbat.treebanks.judgement import Judgement, WordModel, learned_judgement, seen_features, word_model
from numbat.treebanks.links import learned_links, link_rows
from numbat.treebanks.material import NO_TAGS, doubts, lacks_tags
from numbat.treebanks.morphology import feature_groups, feature_rows, part_of
from numbat.treebanks.notes import UnfitTreeError
from numbat.treebanks.projective import projective, with_frequent_liftings
from numbat.treebanks.reading import TreebankSentence
from numbat.treebanks.report import induced_sizes, induced_texts
from numbat.treebanks.rule_counts import count_expansions, count_treebank
from numbat.treebanks.running_text import divided_words, stretches, written_words
from numbat.treebanks.tagged_sentences import UPOS_MARK, TaggedSentence, as_tree
from numbat.treebanks.tree_reader import TreeReader
from numbat.treebanks.trees import Tree, cleaned
from numbat.treebanks.verbs import InduceSettings, source_of, why_none
from numbat.words.tag_maps import CODES

HELD_OUT: Final = 10
"""The last sentences, one part in this many, are held out to measure the language."""
MIN_SENTENCES: Final = 20
"""Minimum number of sentences to hold some out."""
JUDGED: Final = 5
"""From at most one sentence in this many the judgement is learned; expansions of the others parse it."""
MAX_JUDGED: Final = 300
MAX_WORDS: Final = 40
"""Maximum number of words of a sentence from which the judgement is learned, as parsing long ones takes long."""
MIN_PAIRS: Final = 40
"""Minimum number of pairs, a sentence and a corruption of it, to learn a judgement from."""
PASSES: Final = 8
"""Passes over all sentences in learning the weights of trees."""
RELATION_PASSES: Final = 5
RELATION_COUNT: Final = 3
FEATURE_COUNT: Final = 2

Report = Callable[[str], None]


@frozen
class LanguageSettings:
    """Settings for making a language: those of the grammar, and whether to learn weights of trees.

    `keeps_grammar` keeps the edited grammar of the folder and remakes all other parts; `replaces` overwrites the files
    of a language. README.md shows `command` as the one that made the language.
    """

    grammar: InduceSettings = InduceSettings()
    weights: bool = True
    notes: tuple[str, ...] = ()
    keeps_grammar: bool = False
    replaces: bool = False
    command: str = ""


def make_language(
    paths: Sequence[str],
    form: str,
    folder: str,
    settings: LanguageSettings,
    reader: TreeReader,
    report: Report = lambda _: None,
    executor: Executor = in_this_process,
    jobs: int = 1,
) -> LanguageReport:
    """Make a language from the files of a treebank in a folder, completely or not at all.

    The last tenth of the sentences is held out to measure it. Raises DataError without trees, MissingExtraError without
    numpy, UsageError if the folder already has such files, and UnwritableError.
    """
    require_numpy("a language")
    with _made_in(folder, settings) as language:
        sentences, trees = _material(paths, form, reader)
        lacks = _doubts(sentences, reader.read - len(sentences), report)
        maker = _Maker(
            language, source_of(paths), settings, sentences, trees, report, lacks, licence=licence_beside(paths)
        )
        if not settings.keeps_grammar:
            maker.make_grammar()
        return maker.make_rest(folder, executor, jobs)


class _Maker:
    """Maker of the parts of a language, from all sentences but the last tenth."""

    def __init__(
        self,
        language: Language,
        source: str,
        settings: LanguageSettings,
        sentences: Sequence[TreebankSentence],
        trees: Sequence[Tree],
        report: Report,
        lacks: tuple[str, ...] = (),
        gold: str = "",
        licence: tuple[str, str] | None = None,
    ) -> None:
        held = len(sentences) // HELD_OUT if len(sentences) >= MIN_SENTENCES else 0
        cut = len(sentences) - held
        self.language, self.source, self.settings, self.report = language, source, settings, report
        self.lacks, self.gold, self.licence = lacks, gold, licence
        self.sentences, self.trees = sentences[:cut], trees[:cut]
        self.samples = [_tagged(tree) for tree in self.trees]
        self.linked, self.held = _linked(self.sentences), _linked(sentences[cut:])
        self.expansions = count_expansions(self.trees, dropped=CODES)
        self.judgement: Judgement | None = None
        self.unseen: Mapping[str, Judgement] = {}
        self.stages: list[MakingStage] = []
        self._since = monotonic(), cpu_seconds()

    def _done(self, made: str) -> None:
        now = monotonic(), cpu_seconds()
        self.stages.append(MakingStage(made, now[0] - self._since[0], now[1] - self._since[1]))
        self.report(str(self.stages[-1]))
        self._since = now

    def make_grammar(self) -> None:
        """Write grammar and lexicon."""
        choices = replace(self.settings.grammar, lexicon=True).choices(f"induced from {self.source}")
        induced = induce(count_treebank(self.sentences, dropped=CODES), choices)
        texts = induced_texts(induced, self.source, self.settings.notes, LEXICON)
        _write(self.language.grammar, texts.grammar)
        _write(self.language.lexicon, texts.lexicon)
        self._done(f"grammar: {induced_sizes(induced)}")

    def make_rest(self, folder: str, executor: Executor, jobs: int) -> LanguageReport:
        """Write all other parts of the language and measure it; its page names the language `folder`."""
        self.make_expansions()
        self.make_tagger()
        self.make_links()
        if self.settings.weights:
            self.make_weights(executor, jobs)
        self.make_judgement(executor)
        return self.measure(folder, executor)

    def make_expansions(self) -> None:
        """Write the expansions. Raises UsageError if a kept grammar does not fit the trees."""
        check_names(self.expansions, Evaluator(build_table(load_grammar(self.language.grammar))))
        _write(self.language.expansions, "".join(f"{line}\n" for line in expansion_lines(self.expansions)))
        self._done(f"{len(self.expansions.counts):,} expansions")

    def make_tagger(self) -> None:
        """Write the tagger of words."""
        tagger = Tagger.train(self.samples, unit="words")
        tagger.save(self.language.tagger)
        self._done(f"tagger: {len(tagger.labels)} tags")

    def make_links(self) -> None:
        """Write models of relations, features, multiword tokens and ends of sentences, if there are dependencies."""
        if self.linked:
            _learn_links(self.linked, self.language)
            self._done("relations of dependencies, features, ends of sentences")

    def make_weights(self, executor: Executor, jobs: int) -> None:
        """Write the weights of trees."""
        grammar = load_grammar(self.language.grammar)
        groups = "expansions,heads,words" if self.linked else "expansions,words"
        choice = replace(WeightSettings(), passes=PASSES, features=groups)
        if len(self.trees) < 2 * choice.folds:
            self.report(f"no weights of trees: too few sentences ({len(self.trees)})")
            return
        start = learn.start_of(grammar, self.expansions, choice)

        def lose(failure: Failure) -> None:
            self.report(f"numbat: sentence {failure.id}: {failure.reason}: no weights are learned from it")

        forests = learn.forests_of(self.trees, grammar, choice, start, executor, lose=lose)
        if not forests.examples:
            self.report("no weights of trees: none can be built with the expansions of the others")
            return
        weights = learn.learn(forests, forests.start, choice, jobs, lambda progress, learner: None, self.report)
        write_whole(self.language.weights, packed_weights(weights))
        self._done(f"weights of trees: {len(forests.examples):,} forests")

    def make_judgement(self, executor: Executor) -> None:
        """Learn and write the judgement."""
        if self.linked:
            self.judgement, self.unseen = learn_judgement(self.language, self.sentences, self.trees, executor)
            self._done("judgement" if self.judgement is not None else "no judgement: too few sentences")

    def measure(self, folder: str, executor: Executor) -> LanguageReport:
        """Measure the language, and write the held-out sentences and the page."""
        measured = None
        if self.held and self.linked:
            _write(self.language.suite, "".join(format_conllu(tree) for tree in self.held))
            words = self.judgement.words if self.judgement is not None else word_model_of(self.linked)
            job, forms = _measure_job(self.language, words), forms_of((*self.linked, *self.held))
            measured = measure(job, self.held, forms, executor)
            self._done("measured")
        made = folder, self.source, len(self.sentences), tuple(self.stages)
        said = self.settings.notes, self.settings.command, self.lacks, self.gold
        report = LanguageReport(*made, measured, self.judgement, self.unseen, *said, self.licence)
        _write(os.path.join(self.language.folder, "README.md"), read_me(report))
        return report


def cpu_seconds() -> float:
    """Return the CPU time of this process and of those of its worker processes that have ended."""
    return sum(os.times()[:4])


# The judgement of a language


def learn_judgement(
    language: Language,
    sentences: Sequence[TreebankSentence],
    trees: Sequence[Tree],
    executor: Executor = in_this_process,
) -> tuple[Judgement | None, Mapping[str, Judgement]]:
    """Learn the judgement of a language and write it into its folder; return None if there are too few sentences.

    Return also, by kind of corruption, the judgement that is learned without that kind, to be tested on it.

    `sentences` are those that the language was made of, `trees` their phrases. The judgement is learned from every
    fifth sentence, up to `MAX_JUDGED`, and corruptions of these. Expansions, trigrams and features for them are those
    of the other sentences, as a sentence is too likely under its own counts; weights of trees are not used, as they
    were learned from all sentences.
    """
    short = [place for place, tree in enumerate(trees) if sum(1 for _ in tree.words()) <= MAX_WORDS]
    chosen = set(short[:: max(JUDGED, -(-len(short) // MAX_JUDGED))])
    kept = [place for place in range(len(trees)) if place not in chosen]
    known, judged = (_linked(sentences[place] for place in places) for places in (kept, sorted(chosen)))
    if not known:
        return None, {}
    expansions = count_expansions([trees[place] for place in kept], dropped=CODES)
    linked = _linked(sentences)
    job = _judge_job(TreebankParser(load_grammar(language.folder), expansions), word_model_of(known))
    pairs = judged_pairs(job, judged, forms_of(linked), executor)
    if len(pairs) < MIN_PAIRS:
        return None, {}
    judgement = replace(learned_judgement(job.words, pairs), words=word_model_of(linked))
    _write(language.judgement, json.dumps(judgement.as_json(), ensure_ascii=False) + "\n")
    others = {kind: [pair for pair in pairs if pair.kind != kind] for kind in KINDS}
    return judgement, {
        kind: learned_judgement(job.words, rest) for kind, rest in others.items() if MIN_PAIRS <= len(rest) < len(pairs)
    }


def word_model_of(trees: Sequence[DependencyTree]) -> WordModel:
    """Return the word model of trees."""
    words = [word for tree in trees for word in tree.words]
    counts = Counter((word.form.lower(), word.upos, seen_features(word.feats)) for word in words)
    # a word has its most frequent features; of ties, the last in order
    features = {key[:2]: key[2] for key in sorted(counts, key=lambda key: (counts[key], key[2]))}
    return word_model([[(word.form, word.upos) for word in tree.words] for tree in trees], features)


def _judge_job(parser: SentenceParser, words: WordModel) -> HeldOutJob:
    mapped = tag_map_of(SentenceSettings(source="conllu"), parser.grammar)
    assert mapped is not None, "the settings name a source"
    return HeldOutJob(parser, mapped, words)


# A language from tagged sentences, with trees by a model of structure


def make_language_of_tags(
    paths: Sequence[str],
    form: str,
    folder: str,
    model_file: str,
    settings: LanguageSettings,
    drawing: DrawSettings,
    complain: Callable[[DataError], object],
    report: Report = lambda _: None,
    executor: Executor = in_this_process,
    jobs: int = 1,
) -> LanguageReport:
    """Make a language from tagged sentences in a folder.

    Its grammar has the properties that hold in trees drawn by a model of `numbat learn structure`, its expansions are
    those of the likeliest trees that the grammar allows. Raises DataError without sentences, and the errors of
    `make_language`.
    """
    require_numpy("a language")
    model = read_model(model_file)
    with _made_in(folder, settings) as language:
        tagged: list[TaggedSentence] = []
        for path in paths:
            file = tagged_for(model, path, form)
            tagged += file.sentences
            for problem in file.problems:
                complain(data_error(problem))
        if not settings.keeps_grammar:
            material = material_for(model, paths, form, drawing.max_length)
            proposed = propose_grammar(model, material, paths, settings.grammar, drawing)
            opening = [*opening_of(proposed, paths, model_file), *settings.notes]
            trees, _ = _trees_by(model, tagged)
            choices = replace(settings.grammar, lexicon=True).choices(proposed.induced.grammar.source)
            proposed = with_words(proposed, induce(count_treebank(trees, dropped=CODES), choices), model.index)
            _write(language.grammar, proposed_grammar(proposed, opening, LEXICON))
            _write(language.lexicon, format_lexicon(proposed.induced.grammar.lexicon))
            report(f"grammar: {counted(len(proposed.proposals), 'proposal')}")
        trees, lost = _trees_by(model_under(model, load_grammar(language.grammar)), tagged)
        if lost:
            report(f"{counted(lost, 'sentence')} left out: too long, or the grammar allows no tree")
        if not trees:
            raise DataError(
                f"{language.grammar}: the grammar allows no tree of any sentence\n  add daughters to its const lines"
            )
        phrases = [to_constituents(sentence) for sentence in trees]
        source = f"{source_of(paths)} by the model {os.path.basename(model_file)}"
        maker = _Maker(
            language, source, settings, trees, phrases, report, gold=model_file, licence=licence_beside(paths)
        )
        return maker.make_rest(folder, executor, jobs)


def _trees_by(model: DependencyModel, tagged: Sequence[TaggedSentence]) -> tuple[list[TreebankSentence], int]:
    """Return the likeliest trees of sentences, and the number of sentences without a tree."""
    sentences, lost = [], 0
    for sentence in parse_structure(model, tagged, StructureTally()):
        if sentence.heads is None or not is_possible(model, sentence.sentence.tags, sentence.heads):
            lost += 1
        elif sentence.heads:
            sentences.append(TreebankSentence(sentence.sentence.name, _as_words(sentence.sentence, sentence.heads)))
    return sentences, lost


def _as_words(sentence: TaggedSentence, heads: Sequence[int]) -> DependencyTree:
    """Return a tree whose UPOS are the tags of the sentence, from whichever column these came."""
    tree = as_tree(sentence, heads)
    words = tuple(
        replace(word, upos=tag, deprel=word.deprel if tag != UPOS_MARK or not word.head else "punct")
        for word, tag in zip(tree.words, sentence.tags, strict=True)
    )
    text = () if tree.comment("text") else (f"# text = {' '.join(sentence.forms)}",)
    return replace(tree, words=words, comments=(*tree.comments, *text))


# The folder gets a whole language or nothing

MAKING: Final = ".making"
"""Name of the folder, inside that of the language, in which its parts are made."""


@contextmanager
def _made_in(folder: str, settings: LanguageSettings) -> Iterator[Language]:
    """Yield a language in a temporary folder, whose files are moved into `folder` at the end.

    After an error nothing has changed. Raises UsageError if the folder already has such files, unless they may be
    replaced, and UnwritableError.
    """
    place, is_new = Path(folder), not os.path.isdir(folder)
    making = Language(str(place / MAKING))
    earlier = language_at(folder)
    if settings.keeps_grammar and earlier is None:
        raise UsageError(f"{folder}: no language whose grammar could be kept\n  leave out --keep-grammar")
    if not (settings.replaces or settings.keeps_grammar):
        existing = [name for name in PARTS if os.path.lexists(place / name)]
        if existing:
            what = "a language" if earlier else f"another {existing[0]}"
            hint = "name another folder; --force overwrites it"
            more = ", --keep-grammar remakes all but its grammar and lexicon" if earlier else ""
            raise UsageError(f"{folder} already has {what}\n  {hint}{more}")
    try:
        shutil.rmtree(making.folder, ignore_errors=True)
        os.makedirs(making.folder)
        if settings.keeps_grammar:
            for file in _own_files(folder):
                os.makedirs((Path(making.folder) / file).parent, exist_ok=True)
                shutil.copyfile(place / file, Path(making.folder) / file)
        yield making
        made = {"schema": SCHEMA, "grammar": digest(load_grammar(making.grammar))}
        _write(os.path.join(making.folder, MADE), json.dumps(made) + "\n")
        _move(Path(making.folder), place, _own_files(folder) if settings.keeps_grammar else ())
        is_new = False
    except OSError as error:
        raise UnwritableError(folder, error.strerror) from None
    finally:
        shutil.rmtree(making.folder, ignore_errors=True)
        if is_new:
            with suppress(OSError):
                os.rmdir(folder)


def _own_files(folder: str) -> list[str]:
    """Return the files inside a folder that its grammar consists of, relative to it. Raises GrammarError."""
    inside = Path(os.path.realpath(folder))
    files = (Path(os.path.realpath(file)) for file in load_grammar(Language(folder).grammar).files)
    return [str(path.relative_to(inside)) for path in files if path.is_relative_to(inside)]


def _move(made: Path, place: Path, kept: Sequence[str]) -> None:
    """Move the files of a language from `made` to `place`, except those in `kept`.

    The grammar is removed first and moved last, as a folder without it is not a language.
    """
    parts = (*PARTS, *(path.name for path in place.glob("features-*.model")))
    for name in (FOLDER_GRAMMAR, *(part for part in parts if not (made / part).exists())):
        if name not in kept:
            (place / name).unlink(missing_ok=True)
    for file in sorted(made.rglob("*"), key=lambda file: file.name == FOLDER_GRAMMAR):
        name = str(file.relative_to(made))
        if file.is_file() and name not in kept:
            os.replace(file, place / name)


def _linked(sentences: Iterable[TreebankSentence]) -> list[DependencyTree]:
    """Return the dependency trees of the sentences that have heads."""
    return [
        sentence.tree for sentence in sentences if isinstance(sentence.tree, DependencyTree) and sentence.tree.has_heads
    ]


def _write(path: str, text: str) -> None:
    write_whole(path, text.encode())


def _material(paths: Sequence[str], form: str, reader: TreeReader) -> tuple[list[TreebankSentence], list[Tree]]:
    """Return the sentences of files and their phrase structure trees. Raises DataError if there are none."""
    sentences, trees = [], []
    for sentence in (sentence for path in paths for sentence in reader.sentences(path, form)):
        try:
            tree = cleaned(to_constituents(sentence, reader.notes), dropped=CODES)
            if tree is not None and lacks_tags(tree):
                raise UnfitTreeError(NO_TAGS, sentence.id)
        except DataError as error:
            reader.refuse(error)
            continue
        if tree is not None:
            sentences.append(sentence)
            trees.append(tree)
    if not trees:
        raise DataError(f"{shown(paths[0])}: no tree to learn from\n  {why_none(reader)}")
    return sentences, trees


LICENCES: Final = re.compile(r"(licen[cs]e|copying)(\.\w+)?", re.IGNORECASE)
"""Names of licence files."""


def licence_beside(paths: Sequence[str]) -> tuple[str, str] | None:
    """Return the name and the first line of the licence beside files, or None."""
    for folder in dict.fromkeys(Path(path).resolve().parent for path in paths):
        for file in sorted(folder.iterdir()) if folder.is_dir() else ():
            if LICENCES.fullmatch(file.name) and file.is_file():
                text = file.read_text(encoding="utf-8", errors="replace")
                begins = next((line.strip() for line in text.splitlines() if line.strip()), "")
                if begins:
                    return file.name, shortened(begins)
    return None


def _doubts(sentences: Sequence[TreebankSentence], left_out: int, report: Report) -> tuple[str, ...]:
    """Return the doubts about the material, and report them."""
    few = [f"{left_out:,} of {left_out + len(sentences):,} sentences were left out"] if left_out else []
    lines = (*few, *doubts(sentences))
    for line in lines:
        report(f"numbat: {line}")
    return lines


def _tagged(tree: Tree) -> Sample:
    leaves = [node for node in tree.walk() if node.form is not None]
    return Sample(tuple((leaf.form or "",) for leaf in leaves), tuple(leaf.label for leaf in leaves))


def _learn_links(trees: Sequence[DependencyTree], language: Language) -> None:
    """Write the links of a treebank, and taggers of relations, features, ends of sentences, multiword tokens."""
    lifted = [projective(tree)[0].words for tree in trees]
    relations = with_frequent_liftings([[word.deprel for word in words] for words in lifted])
    samples = [Sample(link_rows(words), tuple(of)) for words, of in zip(lifted, relations, strict=True)]
    _train(samples, RELATION_COUNT, language.relations)
    number = 1
    for group in feature_groups(trees):
        parts = (tuple(part_of(word.feats, group) for word in tree.words) for tree in trees)
        samples = [Sample(feature_rows(tree.words), part) for tree, part in zip(trees, parts, strict=True)]
        number += _train(samples, FEATURE_COUNT, language.features_of(number))
    _train([Sample(*stretch) for stretch in stretches(trees)], FEATURE_COUNT, language.ends)
    cuts = divided_words(trees) or written_words(trees)
    _train([Sample(*sample) for sample in cuts], FEATURE_COUNT, language.cuts)
    _write(language.links, json.dumps(learned_links(trees).as_json(), ensure_ascii=False) + "\n")


def _train(samples: Sequence[Sample], least: int, path: str) -> bool:
    """Train a tagger and write it; without several labels, write nothing and return False.

    Rare features are left out until it takes no more memory than allowed.
    """
    if len({label for sample in samples for label in sample.labels}) < 2:
        return False
    while True:
        settings = perceptron.PerceptronSettings(epochs=RELATION_PASSES, least=least)
        try:
            Tagger.train(samples, settings=settings, unit="words", calibrate=False).save(path)
        except DataError:
            if least > perceptron.MAX_MIN_COUNT:
                raise
            least *= 2
        else:
            return True


def _measure_job(language: Language, words: WordModel) -> MeasureJob:
    parser = language.parser()
    read = reading_of(parser, language.read_by(SentenceSettings()))
    return MeasureJob(parser, read, language.ud_map(), _judge_job(parser, words))
