"""Learns from the rated sentences of a suite what properties cost, and reads such models back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from numbat.commands.suites import notes_on_lost
from numbat.errors import DataError, UsageError
from numbat.gradience.fitting import FOLDS, Fit, Fitted, about_fit, fit, format_fitted, read_fitted
from numbat.gradience.models import Score, scorer
from numbat.gradience.suite import Suite, proposal
from numbat.gradience.summary import BASELINES, BOUNDED, COSTS, Experiment, bounded, predictor_of, summarize
from numbat.gradience.terms import Frequencies, SecondGrammar, Tagging, Terms
from numbat.gradience.verdicts import LostItem, Predictor, ScoredItem, comparable
from numbat.grammar.model import Grammar
from numbat.parsing.parser import Parser
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.records import frozen
from numbat.runs.jobs import LostItems, Reader, plain, run_suite
from numbat.runs.loop import BatchRun, Executor, Success, in_this_process
from numbat.runs.sources import NamedText
from numbat.words.lattice import Lattice

HELD_OUT: Final = "fitted"
"""The name of the scores that the other folds give."""
UNFITTED: Final = ("cost", "fitness", "local")
"""The models beside which a fitted one is shown."""
TRIVIAL_ALONE: Final = "length, unknown words and marks, fitted"
"""The name of the scores of a regression on these alone."""


@frozen
class SecondGrammarFiles:
    """The files of a second grammar: itself, expansions to parse by, a tagger for its unknown words."""

    grammar: str | None = None
    expansions: str | None = None
    tagger: str | None = None

    def named(self) -> tuple[tuple[str, str], ...]:
        """The files that are given, by what they are. Raises UsageError for files without a grammar."""
        files = {"grammar": self.grammar, "expansions": self.expansions, "tagger": self.tagger}
        found = tuple((what, path) for what, path in files.items() if path is not None)
        if found and self.grammar is None:
            raise UsageError(f"--also-{found[0][0]} needs a second grammar\n  add --also-grammar FILE")
        return found

    def load(self) -> SecondGrammar | None:
        """The second grammar made ready; None without one."""
        if not self.named():
            return None
        from numbat.grammar.loading import load_grammar
        from numbat.parsing.treebank_grammar.expansions import read_expansions

        grammar = load_grammar(str(self.grammar))
        parser: SentenceParser = Parser(grammar)
        seen = None
        if self.expansions is not None:
            from numbat.parsing.treebank_parser import TreebankParser

            expansions = read_expansions(self.expansions)
            parser, seen = TreebankParser(grammar, expansions), Frequencies.of(grammar, expansions)
        tagging = None if self.tagger is None else _tagging(self.tagger, parser, seen is not None)
        return SecondGrammar(parser, seen, tagging)


def _tagging(model: str, parser: SentenceParser, beside_expansions: bool) -> Tagging:
    from numbat.runs.guesser import BESIDE_EXPANSIONS, guesser

    known = guesser(model, None, parser.words, False, BESIDE_EXPANSIONS if beside_expansions else 1.0)

    def tag(lattice: Lattice) -> tuple[Lattice, list[dict[str, float]]]:
        likely = known.likely(lattice)
        return known.informed(lattice, likely), [dict(labels) for labels in likely]

    return tag


@frozen
class FittedSuite:
    """A model trained on a suite, and the report of the scores that each sentence got from the other folds, with what
    it is compared with."""

    fit: Fit
    report: Experiment
    beside: Mapping[str, Predictor]


def fit_suite(
    suite: Suite,
    parser: Parser,
    seed: int = 0,
    folds: int = FOLDS,
    read: Reader = plain,
    second: SecondGrammar | None = None,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
) -> FittedSuite:
    """Train a model on the rated items of a suite. Raises DataError for one that there is too little to learn from.

    Nothing is learned from an item that is lost: it is kept in `lost`.
    """
    items = comparable(list(run_suite(suite, parser, scorer("cost"), read, executor, lost)))
    grammar = parser.grammar.name
    more = None if second is None else TermsOfSecond(second)
    try:
        if more is not None:
            items = more.ready_for(items, executor, lost)
        found = fit(items, HELD_OUT, grammar, seed, folds, more, _run)
    except DataError as error:
        unread = "" if suite.rated else suite.lacking("rating")
        raise DataError(f"{suite.path}: {error}{unread}") from None
    held_out = [
        ScoredItem(each.item, each.parse, Score(HELD_OUT, value, (), (), stopped_by=each.parse.stopped_by))
        for each, value in zip(items, found.held_out, strict=True)
    ]
    beside = beside_fitted(held_out, found)
    title = parser.grammar.title
    report = summarize(suite, held_out, title, HELD_OUT, f"out of {folds} folds", seed, beside)
    report = replace(report, notes=(*notes_on_lost(lost), *notes_on_groups(items), *report.notes))
    about = about_fit(found, suite, report, folds, seed)
    return FittedSuite(replace(found, model=replace(found.model, about=about)), report, beside)


def notes_on_groups(items: Sequence[ScoredItem]) -> Iterator[str]:
    """A note where ids look as if they stood for groups, of which folds know nothing."""
    told = proposal([each.item for each in items], "the figures here are too good")
    if told is not None:
        yield told


def beside_fitted(items: Sequence[ScoredItem], found: Fit) -> dict[str, Predictor]:
    """What a fitted model has to beat on the same sentences: models that nothing was fitted for, and a regression on
    length, unknown words and marks alone, judged on the same folds."""
    trivial = {each.id: value for each, value in zip(items, found.trivial, strict=True)}
    return {name: predictor_of(scorer(name)) for name in UNFITTED} | {TRIVIAL_ALONE: lambda each: trivial[each.id]}


def compared_with(beside: Mapping[str, Predictor]) -> dict[str, Predictor]:
    """The same, the cost in its bounded form, and the baselines of every model."""
    costs = {BOUNDED.format(name): bounded(each) for name, each in beside.items() if name in COSTS}
    others = {name: each for name, each in beside.items() if name not in COSTS}
    return {**costs, **others, **BASELINES}


def _run(job: Callable[[ScoredItem], Terms], items: Sequence[ScoredItem]) -> Iterator[Terms]:
    return BatchRun(job, items).values()


@frozen
class SecondJob:
    """Gives the terms of a text by a second grammar."""

    second: SecondGrammar

    def __call__(self, given: NamedText) -> Terms:
        return self.second.terms_of(given.text)


class TermsOfSecond:
    """Gives the terms of a sentence by a second grammar, which parses the same words once."""

    def __init__(self, second: SecondGrammar) -> None:
        self._second = second
        self._known: dict[str, Terms] = {}

    def __call__(self, parse: Parse) -> Terms:
        text = parse.sentence
        if text not in self._known:
            self._known[text] = self._second.terms_of(text)
        return self._known[text]

    def ready_for(
        self, items: Sequence[ScoredItem], executor: Executor, lost: LostItems | None
    ) -> tuple[ScoredItem, ...]:
        """The items whose terms are known now; those that are lost are kept in `lost`. Raises DataError."""
        texts = {each.parse.sentence: each.id for each in items}
        inputs = (NamedText(id, text) for text, id in texts.items())
        run = BatchRun(SecondJob(self._second), inputs, executor=executor, total=len(texts))
        gone: dict[str, str] = {}
        for text, record in zip(texts, run.whole(), strict=True):
            if isinstance(record, Success):
                self._known[text] = record.value
            elif record.lost and lost is not None:
                lost.complain(record.as_error())
                gone[text] = record.reason
            else:
                raise record.as_error()
        for each in items:
            if lost is not None and each.parse.sentence in gone:
                lost.items.append(LostItem(each.item, gone[each.parse.sentence], "by the second grammar"))
        return tuple(each for each in items if each.parse.sentence not in gone)


def format_model(path: str, model: Fitted, second: SecondGrammarFiles) -> str:
    """The text of a model for the file `path`; the files of a second grammar are named from its folder."""
    folder = Path(path).resolve().parent
    files = [(what, os.path.relpath(file, folder) if os.path.exists(file) else file) for what, file in second.named()]
    return format_fitted(replace(model, also=tuple(files)))


def read_model(path: str, grammar: Grammar) -> Fitted:
    """A model of `numbat learn costs`, ready to score. Raises errors as `read_fitted`, and those of its other files."""
    model = read_fitted(path, grammar)
    folder = Path(path).resolve().parent
    files = {what: str(folder / file) if os.path.exists(folder / file) else file for what, file in model.also}
    second = SecondGrammarFiles(**files).load()
    return model if second is None else replace(model, more=TermsOfSecond(second))
