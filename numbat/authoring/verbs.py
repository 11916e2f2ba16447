"""The functions behind `numbat show` and `numbat convert`, and grammars with changes for one run (`--set`)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from numbat.errors import DataError, UsageError, close_match, either, first_of
from numbat.files import composed, lines_of, text_of
from numbat.grammar.cache import forms_of
from numbat.grammar.layout import Remarks, remarks_of
from numbat.grammar.loading import (
    STDIN,
    YAML,
    find,
    lemmas_of,
    load_grammar,
    packaged,
    parse_grammar,
    templates_in,
)
from numbat.grammar.model import Grammar
from numbat.grammar.names import quoted
from numbat.grammar.printing import format_grammar
from numbat.parsing.parser import Parser
from numbat.records import frozen

if TYPE_CHECKING:
    from numbat.authoring.report import ExampleTree
    from numbat.grammar.inflection import LemmaForms
    from numbat.grammar.templates import TemplateWords
    from numbat.grammar.unimorph import ConvertedLexicon
    from numbat.treebanks.induced import FileCounts


MAX_VIOLATIONS: Final = 5
"""Maximum number of violations listed for an example tree."""


class PackagedGrammar(NamedTuple):
    """A grammar that comes with Numbat; `about` is the first sentence of its file."""

    name: str
    grammar: Grammar
    about: str


def packaged_grammars() -> list[PackagedGrammar]:
    """Return the grammars that come with Numbat."""
    return [PackagedGrammar(name, load_grammar(name), _first_sentence(find(name))) for name in packaged()]


def abouts() -> dict[str, str]:
    """Return the descriptions of the packaged grammars by name: each is the first sentence of the grammar's file."""
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
    """Return the grammar as text: in the notation if `form` is `pg`, or in YAML if it is `yaml`."""
    if form == "pg":
        return format_grammar(grammar)
    from numbat.grammar import yaml_format

    return yaml_format.format_grammar(grammar)


def convert_lexicon(name: str) -> ConvertedLexicon | None:
    """Return a lexicon of UniMorph as a table of entries; None if the file is not one. Raises as `lines_of`."""
    from numbat.grammar.unimorph import convert_unimorph, is_unimorph

    if Path(name).suffix in (".pg", *YAML) or not os.path.isfile(name):
        return None
    lines = lines_of(name)
    return convert_unimorph(lines, name) if is_unimorph(lines) else None


def file_laid_out(name: str) -> tuple[str, str]:
    """Return the path of a grammar file in the notation, and its text in the usual layout, with its comments.

    Raises GrammarError for a grammar with mistakes, UsageError for one in YAML, and errors for a file without access.
    """
    from numbat.grammar.layout import laid_out

    path = find(name)
    if path.suffix in YAML:
        raise UsageError(
            f"{path} is in YAML, but --layout works only on files in the notation (.pg)\n  use a formatter for YAML"
        )
    return str(path), laid_out(text_of(name if path == STDIN else str(path)), str(path))


def lemma_forms(grammar: Grammar, lemma: str) -> list[LemmaForms]:
    """Return the forms of a lemma, for each paradigm that it has in the lexicon files of a grammar.

    Raises UsageError for a word that is not a lemma with a paradigm.
    """
    from numbat.grammar.inflection import LemmaForms, Paradigm, SlotForms, forms_by_slot

    lemma = " ".join(composed(lemma).split())
    forms: list[LemmaForms] = []
    known: dict[str, None] = {}
    for paradigms, lemmas in lemmas_of(grammar.files):
        known |= dict.fromkeys(" ".join(row.form.split()) for row in lemmas)
        for row in lemmas:
            paradigm = paradigms.of(row) if " ".join(row.form.split()) == lemma else None
            if isinstance(paradigm, Paradigm):
                slots = [slot for slot in forms_by_slot(row, paradigm) if isinstance(slot, SlotForms)]
                forms.append(LemmaForms(row, tuple(slots)))
    if not forms:
        raise UsageError(f"{quoted(lemma)} is not a lemma with a paradigm\n  {_meant(grammar, lemma, known)}")
    return forms


def _meant(grammar: Grammar, word: str, lemmas: Collection[str]) -> str:
    """Return a hint for a word that is not a lemma with a paradigm."""
    forms = forms_of(grammar.lexicon)
    readings = grammar.lexicon[forms.index(word)].readings if word in forms else ()
    its_lemmas = dict.fromkeys(reading.lemma for reading in readings if reading.lemma in lemmas)
    if its_lemmas:
        return f"it is a form of {either(map(quoted, its_lemmas))}"
    if readings:
        return "the lexicon has it without a paradigm"
    if not lemmas:
        return "this grammar has no lexicon file with paradigms"
    return close_match(word, lemmas) or "give a lemma that has a paradigm in a lexicon file, as in city TAB %noun"


def template_words(grammar: Grammar, name: str) -> TemplateWords:
    """Return a template of a grammar with the words that use it. Raises UsageError for an unknown name."""
    from numbat.grammar.inflection import MAX_NAMES
    from numbat.grammar.templates import words_of

    templates, entries = templates_in(grammar.files) if grammar.files else ({}, ())
    name = composed(name).strip()
    if name not in templates:
        known = f"its templates are: {first_of([*templates], MAX_NAMES)}" if templates else "it has no templates"
        hint = close_match(name, templates) or known
        raise UsageError(f"{quoted(name)} is not a template of the grammar\n  {hint}")
    return words_of(templates[name], entries)


@frozen
class BrowsedGrammar:
    """A grammar with all that its page shows besides.

    `counted` has, for each file of an induced grammar, the counts in its comments, and `remarks` the comments in files
    of other grammars. `examples` are trees with their violations, the best first.
    """

    grammar: Grammar
    counted: dict[str, FileCounts]
    remarks: dict[str, Remarks]
    examples: tuple[ExampleTree, ...]


def browse(
    grammar: Grammar, trees: str | None = None, complain: Callable[[DataError], object] = lambda error: None
) -> BrowsedGrammar:
    """Return a grammar with its counts and comments, and with the trees of a treebank as examples.

    `complain` is called with an error for each tree that cannot be read.
    """
    from numbat.authoring.report import ExampleTree
    from numbat.treebanks.converting import tree_of
    from numbat.treebanks.induced import read_counts
    from numbat.treebanks.tree_reader import TreeReader
    from numbat.treebanks.verdicts import check_trees

    paths = {construction.span.path for construction in grammar.constructions if construction.span is not None}
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


# Grammars with changes for one run


CHANGES: Final = "--set"
"""Stands in messages about these changes for the name of a file."""


def changed_grammar(name: str, override: Sequence[str] = (), without: Sequence[str] = ()) -> Grammar:
    """Return a grammar with changes for one run, such as `NP: Det < N cost 5`.

    Raises GrammarError with all mistakes in the changes.
    """
    path = find(name)
    if str(path) == "-":
        raise UsageError("--set cannot change a grammar from standard input\n  give the grammar as a file")
    lines = [f"override {change}" for change in override] + [f"without {change}" for change in without]
    text = "\n".join((f"include: {quoted(os.path.abspath(path))}", *lines))
    return parse_grammar(f"{text}\n", CHANGES)
