"""The parser of a verb for the grammar of `-g`: by properties, or for a language by its own expansions."""

from __future__ import annotations

import gc
import os
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

import click

from numbat.acceptability.settings import SuiteSettings
from numbat.cli.options import is_given
from numbat.cli.printing import GRAMMARS, inputs_of, keep_read, name_of_param, say, spend
from numbat.errors import UsageError

if TYPE_CHECKING:
    from numbat.acceptability.suite import Suite
    from numbat.grammar.model import Grammar
    from numbat.languages.folder import Language
    from numbat.parsing.parser import Parser
    from numbat.parsing.policies import ParserSettings
    from numbat.parsing.sentence_parser import SentenceParser
    from numbat.runs.sentences import Reader


def language_of(name: str) -> Language | None:
    """Return the language in the folder of this name; None if the name is that of a grammar."""
    if not os.path.isdir(name):
        return None
    from numbat.languages.folder import language_at

    return language_at(name)


def parser_named(name: str) -> SentenceParser:
    """Return a parser for the grammar of this name; for the folder of a language, the parser of the language."""
    from numbat.grammar.loading import load_grammar
    from numbat.parsing.parser import Parser

    language = language_of(name)
    return Parser(load_grammar(name)) if language is None else language.parser()


def properties_parser_of(name: str, settings: ParserSettings) -> Parser:
    """Return a parser by properties, for a verb without other parsers; raises as `check_no_language`, `grammar_of`."""
    from numbat.acceptability.scorers import parser_of

    check_no_language(name)
    return parser_of(grammar_of(name), settings)


def check_no_language(name: str) -> None:
    """Raise UsageError for a language: its properties alone would give other trees than `numbat parse`."""
    if (language := language_of(name)) is not None:
        raise UsageError(
            f"{name} is a language, which chooses trees by expansions; this verb uses only properties\n"
            f"  give {language.grammar} to use only its properties"
        )


def parser_and_reading_of(name: str, suite: SuiteSettings, settings: ParserSettings) -> tuple[SentenceParser, Reader]:
    """Return the parser and reader of a verb on suites: the same as in `numbat parse`, for a language too.

    Raises UsageError for settings that do not apply to a language, and the errors of `grammar_of`.
    """
    from numbat.acceptability.runs import reader_of
    from numbat.acceptability.scorers import parser_of

    language = language_of(name)
    if language is None:
        return parser_of(grammar_of(name), settings), reader_of(suite)
    from numbat.parsing.policies import ParserSettings

    if replace(settings, limits=ParserSettings().limits) != ParserSettings():
        raise UsageError(
            f"{name} is a language, which chooses trees by expansions: only the options for limits apply\n"
            f"  leave the others out, or give {language.grammar} to parse by properties only"
        )
    grammar = grammar_of(name)
    tell_of_edits(name, grammar)
    given = suite if suite.tagged or suite.tagger else language.read_by(suite)
    limits = settings.limits if is_given("max_items") else replace(settings.limits, items=None)
    return language.parser(limits, grammar), reader_of(given)


def tell_of_edits(name: str, grammar: Grammar) -> None:
    """Warn if the grammar of a language was edited after its other parts were made."""
    language = language_of(name)
    if language is not None and language.is_edited(grammar):
        say(
            f"numbat: {language.grammar} was edited after the language was made: its new properties count, but\n"
            "  trees are chosen as before the edit, and not judged; run the command in README.md with --keep-grammar"
        )


def grammar_of(name: str) -> Grammar:
    """Return the grammar that a verb uses. Raises UsageError if the verb would overwrite a file of the grammar."""
    from numbat.grammar.loading import load_grammar

    began = monotonic()
    gc.disable()  # reading makes no garbage, and the grammar stays in memory
    try:
        grammar = load_grammar(name)
        gc.freeze()
    finally:
        gc.enable()
    keep_read(grammar.files)
    spend("grammar", monotonic() - began)
    context = click.get_current_context()
    named = next((param for param, path in inputs_of(context) if path == name), None)
    context.meta.setdefault(GRAMMARS, {})[name if named is None else name_of_param(named)] = grammar
    return grammar


def suite_of(settings: SuiteSettings) -> Suite:
    """Return the suite that a verb uses. Raises UsageError if the verb would overwrite a file of the suite."""
    from numbat.experiments import suites

    began = monotonic()
    suite = suites.suite_of(settings)
    spend("suite", monotonic() - began)
    keep_read(dict.fromkeys(item.path for item in suite.items if item.path))
    return suite


def good_sentences_of(path: str) -> list[str]:
    """Return the good sentences of a suite, or all sentences if none is judged."""
    from numbat.experiments import suites

    items = suites.suite_of(SuiteSettings(path)).items
    judged = any(item.judgement is not None or item.rating is not None for item in items)
    return [item.sentence for item in items if item.is_good or not judged]
