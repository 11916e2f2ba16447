"""Functions of check, show, new, convert, bench, generate and granularity."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from numbat.errors import DataError, Problem, Span, UnwritableError, UsageError, close_match, either, first_of
from numbat.files import composed, lines_of, packaged_folder, text_of
from numbat.grammar.cache import forms_of
from numbat.grammar.layout import Remarks, remarks_of
from numbat.grammar.loading import (
    STDIN,
    YAML,
    LoadedGrammar,
    find,
    lemmas_of,
    load_grammar,
    packaged,
    parse_grammar,
    read_grammar,
    templates_in,
)
from numbat.grammar.model import Grammar
from numbat.grammar.names import is_name, quoted
from numbat.grammar.printing import format_grammar
from numbat.parses.curves import GranularityPoint, ParseAt, SweepJob, points_of
from numbat.parses.sentences import Reading
from numbat.parsing.parser import Parser
from numbat.records import frozen
from numbat.runs.loop import BatchRun, Executor, Failure, in_this_process
from numbat.runs.sentences import InputSentence, NamedText

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numbat.acceptability.generate import Generated, SentenceShape
    from numbat.acceptability.random_phrases import Tried
    from numbat.authoring.report import ExampleTree
    from numbat.grammar.inflection import LemmaForms
    from numbat.grammar.templates import TemplateWords
    from numbat.languages.permissiveness import Permissiveness
    from numbat.parses.curves import TimingPoint
    from numbat.parsing.start_checks import KnownStarts
    from numbat.runs.sentences import HashLines
    from numbat.treebanks.conllu import DependencyTree
    from numbat.treebanks.induced import FileCounts
    from numbat.treebanks.scores import EvalbParameters


KNOWN_TAGS: Final = 0.8
"""Where a grammar has more of the tags of a treebank than this share, it reads these and not words; marks are few."""
MAX_VIOLATIONS: Final = 5
"""So many violations are told below an example."""


@frozen
class CheckedGrammar:
    """A grammar as far as it could be read, its errors; where there are none, its warnings and notes."""

    path: Path
    grammar: Grammar
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    notes: tuple[Problem, ...] = ()


def check_grammar(name: str) -> CheckedGrammar:
    """Read a grammar and judge it, with notes on what somebody may read otherwise. Raises MissingFileError."""
    path = find(name)
    loaded = read_grammar(path)
    found = judged(path, loaded)
    return found if found.errors else replace(found, notes=_notes(loaded, Span(str(path), 0)))


def _notes(loaded: LoadedGrammar, whole: Span) -> tuple[Problem, ...]:
    from numbat.grammar.operands import braces_that_distribute
    from numbat.parsing.start_checks import built_by_obligation

    braces = braces_that_distribute(loaded.grammar, whole, loaded.source_lines)
    return loaded.with_source_lines([*built_by_obligation(loaded.grammar, whole), *braces])


def judged(
    path: Path, loaded: LoadedGrammar, advance: Callable[[], object] = tuple, known: KnownStarts | None = None
) -> CheckedGrammar:
    """Return a grammar that was read from a file, with its errors, or else with its warnings.

    `advance` is called on the way, many times a second; it may raise. `known` is what earlier versions left.
    """
    from numbat.grammar.checks import check, empty_lexicon
    from numbat.parsing.start_checks import check_starts

    if loaded.errors:
        return CheckedGrammar(path, loaded.grammar, loaded.errors, ())
    name, grammar = str(path), loaded.grammar
    doubts = [*check(grammar, name, advance), *check_starts(grammar, name, advance, known)]
    doubts += empty_lexicon(grammar, Span(name, 0), loaded.files.values())
    warnings = loaded.with_source_lines(sorted(doubts, key=lambda problem: (problem.span, problem.message)))
    return CheckedGrammar(path, loaded.grammar, loaded.errors, warnings)


def permissiveness_of(name: str, suite: str, seed: int = 0, executor: Executor = in_this_process) -> Permissiveness:
    """Return what sentences of a suite cost by a grammar when they are made worse on purpose, and as they are.

    The suite is a treebank in CoNLL-U, or judged sentences, of which the good ones count, or `.txt`, a good sentence a
    line. Raises DataError for a suite without such a sentence, and where all have words that the grammar lacks.
    """
    from numbat.acceptability.settings import SuiteSettings
    from numbat.experiments.suites import suite_of
    from numbat.languages.folder import language_at
    from numbat.languages.permissiveness import plain_costs, tagged_costs
    from numbat.parses.sentences import tag_map_of
    from numbat.runs.settings import SentenceSettings
    from numbat.treebanks.corruptions import forms_of

    language = language_at(name)
    parser = Parser(load_grammar(name)) if language is None else language.parser()
    trees = _dependencies(suite)
    if trees and _knows_tags(parser.grammar, trees):
        mapped = tag_map_of(SentenceSettings(source="conllu"), parser.grammar)
        assert mapped is not None, "there is a source"
        found = tagged_costs(trees, forms_of(trees), parser, mapped, seed, executor)
    else:
        texts = [tree.comment("text") for tree in trees]
        if suite.endswith(".txt"):
            texts = [line.strip() for line in lines_of(suite)]
        elif not trees:
            items = suite_of(SuiteSettings(suite)).items
            judged = any(item.judgement is not None or item.rating is not None for item in items)
            texts = [item.sentence for item in items if item.is_good or not judged]
        found = plain_costs(list(filter(None, texts)), parser, seed, executor=executor)
    if not found.costs:
        raise DataError(
            f"{suite}: no good sentence that {name} can read\n"
            "  give good sentences of its words, or of a treebank in CoNLL-U whose tags are its categories"
        )
    return found


def _dependencies(path: str) -> list[DependencyTree]:
    """Return the sentences of a file in CoNLL-U; none of another file."""
    from numbat.treebanks.conllu import DependencyTree, read_conllu

    if not path.endswith(".conllu"):
        return []
    found = (each for each in read_conllu(lines_of(path), path) if isinstance(each, DependencyTree))
    return [tree for tree in found if tree.has_heads]


def _knows_tags(grammar: Grammar, trees: Sequence[DependencyTree]) -> bool:
    """True if nearly all words have a tag that is a category of words."""
    tags = [word.upos for tree in trees for word in tree.words]
    return sum(tag in grammar.leaves for tag in tags) > KNOWN_TAGS * len(tags)


class PackagedGrammar(NamedTuple):
    """A grammar that comes with Numbat; `about` is the first sentence of its file."""

    name: str
    grammar: Grammar
    about: str


def packaged_grammars() -> list[PackagedGrammar]:
    """Return the grammars that come with Numbat."""
    return [PackagedGrammar(name, load_grammar(name), _first_sentence(find(name))) for name in packaged()]


def abouts() -> dict[str, str]:
    """Return the description of each of these grammars by name: the first sentence of its file."""
    return {name: _first_sentence(find(name)) for name in packaged()}


def _first_sentence(path: Path) -> str:
    """Return the first sentence of the comment at the top of a grammar file."""
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#") or not line.strip("# "):
            break
        lines.append(line.strip("# "))
    text = re.sub(r"\s*\([^()]*\)", "", " ".join(lines))
    return re.split(r"(?<=[.;:])\s", text, maxsplit=1)[0].rstrip(".;:")


def convert_grammar(grammar: Grammar, form: str) -> str:
    """Return the grammar as text, in the notation (`pg`) or as `yaml`."""
    if form == "pg":
        return format_grammar(grammar)
    from numbat.grammar import yaml_format

    return yaml_format.format_grammar(grammar)


def file_laid_out(name: str) -> tuple[str, str]:
    """Return the file of a grammar in the notation, and its text in the usual layout, with its comments.

    Raises GrammarError where it cannot be read, UsageError for a grammar in YAML, and the errors of files.
    """
    from numbat.grammar.layout import laid_out

    path = find(name)
    if path.suffix in YAML:
        raise UsageError(f"{path} is YAML, which has formatters of its own\n  --layout is for files in the notation")
    return str(path), laid_out(text_of(name if path == STDIN else str(path)), str(path))


def lemma_forms(grammar: Grammar, lemma: str) -> list[LemmaForms]:
    """Return the forms of a lemma by the paradigms that it has in the lexicon files of a grammar.

    Raises UsageError for a word that is no such lemma.
    """
    from numbat.grammar.inflection import LemmaForms, Paradigm, SlotForms, forms_by_slot

    lemma = " ".join(composed(lemma).split())
    found: list[LemmaForms] = []
    known: dict[str, None] = {}
    for paradigms, lemmas in lemmas_of(grammar.files):
        known |= dict.fromkeys(" ".join(each.form.split()) for each in lemmas)
        for each in lemmas:
            paradigm = paradigms.of(each) if " ".join(each.form.split()) == lemma else None
            if isinstance(paradigm, Paradigm):
                slots = [slot for slot in forms_by_slot(each, paradigm) if isinstance(slot, SlotForms)]
                found.append(LemmaForms(each, tuple(slots)))
    if not found:
        raise UsageError(f"{quoted(lemma)} is no lemma with a paradigm\n  {_meant(grammar, lemma, known)}")
    return found


def _meant(grammar: Grammar, word: str, lemmas: Collection[str]) -> str:
    """Return a hint for a word that is no lemma with a paradigm."""
    forms = forms_of(grammar.lexicon)
    readings = grammar.lexicon[forms.index(word)].readings if word in forms else ()
    of = dict.fromkeys(reading.lemma for reading in readings if reading.lemma in lemmas)
    if of:
        return f"it is a form of {either(map(quoted, of))}"
    if readings:
        return "the lexicon has it without a paradigm"
    if not lemmas:
        return "this grammar has no lexicon file with paradigms"
    return close_match(word, lemmas) or "a lemma has a paradigm in the second column of a lexicon file: city TAB %noun"


def template_words(grammar: Grammar, name: str) -> TemplateWords:
    """Return a template of a grammar with its words.

    Raises UsageError for a name that is no template.
    """
    from numbat.grammar.inflection import MAX_NAMES
    from numbat.grammar.templates import words_of

    templates, entries = templates_in(grammar.files) if grammar.files else ({}, ())
    name = composed(name).strip()
    if name not in templates:
        known = f"its templates are: {first_of([*templates], MAX_NAMES)}" if templates else "it has none"
        hint = close_match(name, templates) or known
        raise UsageError(f"{quoted(name)} is no template of the grammar\n  {hint}")
    return words_of(templates[name], entries)


@frozen
class BrowsedGrammar:
    """The additions of a page on a grammar.

    `counted` has, by file, what the comments of an induced grammar say, `remarks` those of a grammar that somebody has
    written; `examples` are trees with what they violate, the best first.
    """

    grammar: Grammar
    counted: dict[str, FileCounts]
    remarks: dict[str, Remarks]
    examples: tuple[ExampleTree, ...]


def browse(
    grammar: Grammar, trees: str | None = None, complain: Callable[[DataError], object] = lambda error: None
) -> BrowsedGrammar:
    """Return a grammar with its counts, and with the trees of a treebank as examples, each judged by the grammar.

    `complain` is called with each tree that cannot be read.
    """
    from numbat.authoring.report import ExampleTree
    from numbat.treebanks.converting import tree_of
    from numbat.treebanks.induced import read_counts
    from numbat.treebanks.tree_reader import TreeReader
    from numbat.treebanks.verbs import check_trees

    paths = {each.span.path for each in grammar.constructions if each.span is not None}
    files = [path for path in sorted(paths) if os.path.isfile(path)]
    texts = {path: Path(path).read_text(encoding="utf-8-sig") for path in files}
    counted = {path: read_counts(text) for path, text in texts.items()}
    written = [path for path in files if path.endswith(".pg") and not counted[path].supports]
    remarks = {path: remarks_of(texts[path]) for path in written}
    verdicts = check_trees(Parser(grammar), trees, TreeReader(complain)) if trees else []
    examples = [
        ExampleTree(verdict.id, tree_of(verdict.parse), verdict.parse.explain()[:MAX_VIOLATIONS])
        for verdict in verdicts
    ]
    return BrowsedGrammar(grammar, counted, remarks, tuple(sorted(examples, key=lambda example: len(example.violated))))


def bench(
    grammar: Grammar,
    path: str | None = None,
    lengths: Sequence[int] | None = None,
    hash_lines: HashLines | None = None,
) -> list[TimingPoint]:
    """Measure how the time of a parse grows with the words of a sentence; the sentences are grown from those of a file.

    Without a file they are grown from the corpus of a packaged grammar. Raises UsageError where there is none, and
    DataError where no given sentence is well formed.
    """
    from numbat.parses.curves import LENGTHS, growth_curves, texts_of

    return growth_curves(grammar, texts_of(grammar, path, hash_lines), lengths or LENGTHS)


def generate_sentences(
    parser: Parser,
    number: int,
    seed: int = 0,
    violated: str | None = None,
    shape: SentenceShape | None = None,
    seconds: float | None = None,
    tried: Tried | None = None,
    steps: int | None = None,
) -> Iterator[Generated]:
    """Sentences of a grammar as they are found; `violated` is a property that each violates, such as `NP: Det < N`.

    The search ends after so many `steps`, and after so many `seconds` at the latest; `tried` counts what it did. Raises
    UsageError for a property or root that the grammar does not have.
    """
    from numbat.acceptability.generate import ANY, generate, property_named

    prop = None if violated is None else property_named(violated, parser.grammar)
    return generate(parser, number, seed, prop, shape=shape or ANY, seconds=seconds, tried=tried, steps=steps)


# granularity


@frozen
class ReadSweepJob:
    """Reads a sentence and parses it at each granularity."""

    read: Reading
    sweep: SweepJob

    def __call__(self, given: NamedText | InputSentence) -> tuple[ParseAt, ...]:
        return self.sweep(self.read(given))


def granularities_of(text: str) -> tuple[float, ...]:
    """Return the granularities that `0,.5,1` names, each once, the smallest first. Raises UsageError."""
    found = set()
    for part in text.split(","):
        try:
            number = float(part)
        except ValueError:
            number = -1.0
        if not isfinite(number) or number < 0:
            raise UsageError(
                f'"{part.strip()}" is no granularity\n  write numbers from 0 on with commas between them: 0,0.5,1,2'
            )
        found.add(number + 0.0)
    return tuple(sorted(found))


def sweep(
    parser: Parser,
    granularities: tuple[float, ...],
    sentences: Iterable[Any],
    read: Reading,
    gold: EvalbParameters | None = None,
    executor: Executor = in_this_process,
    complain: Callable[[DataError], object] = lambda error: None,
) -> list[GranularityPoint]:
    """Parse the sentences at each granularity, as `preparing` does.

    Raises UsageError where a granularity has no meaning, and DataError where no sentence can be read.
    """
    job = ReadSweepJob(read, SweepJob(parser, granularities, gold))
    found = []
    for record in BatchRun(job, sentences, executor=executor).whole():
        if isinstance(record, Failure):
            complain(record.as_error())
        else:
            found.append(record.value)
    if not found:
        raise DataError("no sentence to parse\n  type some in quotes, or give a file with -i")
    return points_of(granularities, found)


CHANGES: Final = "--set"
"""How messages name the place of changes for one run."""


def changed_grammar(name: str, override: Sequence[str] = (), without: Sequence[str] = ()) -> Grammar:
    """Return a grammar with changes for one run, such as `NP: Det < N cost 5`.

    Raises GrammarError with all that is wrong in them.
    """
    path = find(name)
    if str(path) == "-":
        raise UsageError("--set and a grammar from standard input\n  give the grammar as a file")
    lines = [f"override {each}" for each in override] + [f"without {each}" for each in without]
    text = "\n".join((f"include: {quoted(os.path.abspath(path))}", *lines))
    return parse_grammar(f"{text}\n", CHANGES)


# A project: a folder with a grammar, a lexicon, a suite and how to begin

_GRAMMAR: Final = """\
# {name}: a Property Grammar. A line here says what must hold; numbat check {name}.pg tells mistakes and doubts.
grammar: {name}
language: {language}
lexicon_file: "words.tsv"            # a word a line: form, category, features, with TAB between them
leaves: Det, N, V                    # parts of speech
roots: S                             # what may be a whole sentence
features:
    number: sg, pl

S "sentence":
    oblig VP
    uniq {{NP, VP}}
    NP < VP                          # linearity: the NP comes first
    NP ~> VP [number]                # dependency: they agree
NP "noun phrase":
    oblig N                          # obligation
    uniq {{Det, N}}                    # uniqueness: one of each at most
    Det < N
    N[number=sg] => Det              # requirement: a singular noun needs a determiner
VP "verb phrase":
    oblig V
    uniq V
"""
_GRAMMAR_ON_TOP: Final = """\
# {name}: {base} and what is different here. numbat check {name}.pg tells mistakes and doubts.
grammar: {name}
language: {language}
include: {base}
lexicon_file: "words.tsv"            # further words: form, category, features, with TAB between them
# override NP: Det < N cost 5        # another cost of a property; numbat show {base} lists them
# without NP: Det < N                # a property that is left out
# without word the: Det              # readings that a word loses
"""
_WORDS: Final = """\
# form	category	features
the	Det
cat	N	number=sg
cats	N	number=pl
sleeps	V	number=sg
sleep	V	number=pl
"""
_SUITE: Final = "the cat sleeps\nthe cats sleep\n* the cat sleep\n* cat sleeps\n* sleeps the cat\n"
_READ_ME: Final = """\
# {name}

    numbat check {name}.pg                         mistakes and doubts
    numbat parse -g {name}.pg "{sentence}"
    numbat test -g {name}.pg suite.txt             does it judge these sentences as their marks do?

`{name}.pg` is the grammar, `words.tsv` its words, `suite.txt` sentences, those with `*` being bad ones.
"""


def begin_project(folder: str, base: str | None = None, language: str = "en") -> list[Path]:
    """Write a new project into an empty or new folder; return its files.

    Its grammar is a small one, or changes the grammar `base`. Raises UsageError for a folder that is not empty or
    has no name that a grammar can have, and the errors of files and of `base`.
    """
    place = Path(folder)
    name = place.resolve().name
    if not is_name(name) or name in packaged():
        told = "the name of a packaged grammar" if name in packaged() else "no name of a grammar"
        raise UsageError(f'"{name}" is {told}\n  a folder is named with letters, digits, - and _, as in my-grammar')
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise UsageError(f"{folder}: there is something already\n  name a new folder, or an empty one")
    words, suite, sentence = _WORDS, _SUITE, "the cat sleep"
    if base is not None:
        language = load_grammar(base).language or language
        included = base if base in packaged() else quoted(os.path.relpath(base, place))
        good, bad = _judged_sentences(base)
        words, suite, sentence = "# form\tcategory\tfeatures\n", f"{good}\n* {bad}\n" if good else "", good
        grammar = _GRAMMAR_ON_TOP.format(name=name, base=included, language=language)
    else:
        grammar = _GRAMMAR.format(name=name, language=language)
    contents = {
        f"{name}.pg": grammar,
        "words.tsv": words,
        "suite.txt": suite,
        "README.md": _READ_ME.format(name=name, sentence=sentence),
    }
    try:
        place.mkdir(parents=True, exist_ok=True)
        for file, text in contents.items():
            (place / file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UnwritableError(folder, error.strerror) from None
    return [place / file for file in contents]


def _judged_sentences(base: str) -> tuple[str, str]:
    """Return a good and a bad sentence of the packaged suite of a grammar; empty where there is none."""
    corpus = packaged_folder("corpora") / f"{base}.tsv"
    if not corpus.is_file():
        return "", ""
    rows = [line.split("\t") for line in corpus.read_text(encoding="utf-8").splitlines()[1:]]
    good, bad = (next((row[2] for row in rows if row[1] == judged), "") for judged in ("ok", "*"))
    return good, bad
