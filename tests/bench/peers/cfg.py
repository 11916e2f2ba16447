"""NLTK's chart and Viterbi parsers with a context-free grammar of the same coverage: well-formed sentences only.

The grammar is read off Numbat's best trees of the sentences: a nonterminal for each construction with its features, a
rule for each local tree. It has only rules that are needed, which favours the peer. All readings of words are in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter

import nltk

from numbat.evaluation.constituents import Constituent
from numbat.grammar.properties import Bundle, format_bundle
from numbat.parsing.parser import Parser
from numbat.words.lexical_lookup import read_text
from tests.bench.peers.problem import Answer


class Strict:
    """The grammar, and both parsers with it."""

    def __init__(self, parser: Parser, sentences: Iterable[str]) -> None:
        self._rules: dict[tuple[str, tuple[object, ...]], None] = {}
        for sentence in sentences:
            parse = parser.parse(sentence)
            assert parse.is_well_formed, sentence
            top = parse.constituents[0]
            self._rules["TOP", (nltk.Nonterminal(kind(top.construction, top.features)),)] = None
            for constituent in top.walk():
                self._read_off(constituent)
            for arc in read_text(sentence, parser.words).arcs:
                self._rules[kind(arc.category, arc.features), (arc.form,)] = None
        top_symbol = nltk.Nonterminal("TOP")
        rules = [nltk.Production(nltk.Nonterminal(left), right) for left, right in self._rules]
        count: dict[object, int] = {}
        for rule in rules:
            count[rule.lhs()] = count.get(rule.lhs(), 0) + 1
        likely = [nltk.ProbabilisticProduction(r.lhs(), r.rhs(), prob=1 / count[r.lhs()]) for r in rules]
        self.size = len(rules)
        self.chart_parser = nltk.ChartParser(nltk.CFG(top_symbol, rules))
        self.viterbi_parser = nltk.ViterbiParser(nltk.PCFG(top_symbol, likely))

    def _read_off(self, constituent: Constituent) -> None:
        if constituent.daughters:
            right = tuple(nltk.Nonterminal(kind(d.construction, d.features)) for d in constituent.daughters)
            self._rules[kind(constituent.construction, constituent.features), right] = None

    def chart(self, sentence: str) -> Answer:
        """The whole chart; no tree is read off it."""
        words = sentence.split()
        began = perf_counter()
        chart = self.chart_parser.chart_parse(words)
        milliseconds = (perf_counter() - began) * 1000
        return Answer(milliseconds, 0 if next(chart.parses(nltk.Nonterminal("TOP")), None) is not None else None)

    def viterbi(self, sentence: str) -> Answer:
        """The most likely tree."""
        words = sentence.split()
        began = perf_counter()
        tree = next(self.viterbi_parser.parse(words), None)
        return Answer((perf_counter() - began) * 1000, 0 if tree is not None else None)


def kind(category: str, features: Bundle) -> str:
    return category + format_bundle(features)
