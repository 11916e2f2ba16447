"""The language of a folder in `numbat serve`: its parser with the grammar of the page, its dependencies."""

from __future__ import annotations

from typing import Any

from numbat.grammar.loading import FOLDER_GRAMMAR
from numbat.grammar.model import Grammar
from numbat.labels.guesser import BESIDE_EXPANSIONS, TaggerGuesser, guesser
from numbat.languages.folder import Language
from numbat.parsing.policies import Limits
from numbat.parsing.result import Parse
from numbat.parsing.treebank_parser import TreebankParser
from numbat.runs.settings import SentenceSettings
from numbat.treebanks.arcs import arcs
from numbat.treebanks.dependencies import dependency_tree
from numbat.words.lattice import Lattice
from numbat.words.lexical_lookup import Words, read_text


class ServedLanguage:
    """A language for a page, see `numbat.workbench.session.LanguageOfPage`. Raises DataError for damaged files."""

    def __init__(self, language: Language) -> None:
        self.main, self.grammar_file = FOLDER_GRAMMAR, language.grammar
        self._language = language
        self._judgement, self._ud = language.read_judgement(), language.ud_map()
        self._parser: TreebankParser | None = None
        self._guesser: tuple[object, TaggerGuesser] | None = None

    def parser(self, grammar: Grammar, limits: Limits) -> TreebankParser:
        """Return the parser of the language with its grammar as edited in the page."""
        if self._parser is None or self._parser.grammar.unary_limit != grammar.unary_limit:
            self._parser = self._language.parser(limits, grammar)
        if self._parser.grammar is not grammar or self._parser.limits != limits:
            self._parser = self._parser.with_grammar(grammar, limits)
        return self._parser

    def read(self, text: str, words: Words) -> Lattice:
        """Return a sentence; words that the lexicon lacks get the readings of the tagger."""
        lattice, reading = read_text(text, words), self._language.read_by(SentenceSettings())
        if reading.tagger is None:
            return lattice
        if self._guesser is None or self._guesser[0] is not words.readings:
            self._guesser = words.readings, guesser(reading.tagger, None, words, False, BESIDE_EXPANSIONS, reading.cuts)
        return self._guesser[1].lattice(lattice)

    def view(self, parse: Parse) -> dict[str, Any]:
        """Return the dependencies of a parse as a drawing, and its judgement, or None if the grammar was edited."""
        judged = None if self._language.is_edited(parse.grammar) else self._judgement
        tree = dependency_tree(parse, "1", self._ud)
        return {
            "dependencies": arcs(tree, styled=False),
            "judgement": None if judged is None else judged.told(parse),
        }
