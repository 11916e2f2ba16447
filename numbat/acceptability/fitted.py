"""Fits what properties cost to rated sentences, by regression over folds; reads and writes such models."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from numbat.acceptability.fitting import FOLDS, Fit, Fitted, about_fit, fit, format_fitted, read_fitted
from numbat.acceptability.models import scorer
from numbat.acceptability.runs import LostItems, notes_on_lost, run_suite
from numbat.acceptability.scores import Score
from numbat.acceptability.suite import Item, Suite, proposal
from numbat.acceptability.suite_tables import value_of
from numbat.acceptability.summary import (
    BASELINES,
    BOUNDED,
    COSTS,
    OTHER_CONDITIONS,
    Experiment,
    Reach,
    bounded,
    columns_of,
    predictor_of,
    reaches_of,
    summarize,
)
from numbat.acceptability.terms import Frequencies, SecondGrammar, Tagging, Terms
from numbat.acceptability.verdicts import LostItem, Predictor, ScoredItem, comparable
from numbat.errors import DataError, UsageError, counted, require_statistics
from numbat.grammar.model import Grammar
from numbat.parsing.parser import Parser
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.parsing.treebank_parser import TreebankParser
from numbat.records import frozen
from numbat.runs.loop import BatchRun, Executor, Success, in_this_process
from numbat.runs.sentences import NamedText, Reader, plain
from numbat.words.lattice import Lattice

HELD_OUT: Final = "fitted"
"""The name of the scores that the other folds give."""
UNFITTED: Final = ("cost", "fitness", "local")
"""The models beside which a fitted one is shown."""


NEW_CONDITIONS: Final = "fitted, for new conditions"
"""The name of the scores by models that saw no sentence of the same condition."""
TRIVIAL_ALONE: Final = "length, unknown words and marks, fitted"
"""The name of the scores of a regression on these alone."""


@frozen
class SecondGrammarFiles:
    """The files of a second grammar: itself, expansions to parse by, a tagger for its unknown words."""

    grammar: str | None = None
    expansions: str | None = None
    tagger: str | None = None

    def named(self) -> tuple[tuple[str, str], ...]:
        """Return the files that are given, by what they are. Raises UsageError for files without a grammar."""
        files = {"grammar": self.grammar, "expansions": self.expansions, "tagger": self.tagger}
        found = tuple((what, path) for what, path in files.items() if path is not None)
        if found and self.grammar is None:
            raise UsageError(f"--also-{found[0][0]} needs a second grammar\n  add --also-grammar FILE")
        return found

    def load(self) -> SecondGrammar | None:
        """Return the second grammar made ready; None without one."""
        if not self.named():
            return None
        from numbat.grammar.loading import load_grammar
        from numbat.parsing.treebank_grammar.expansions import read_expansions

        grammar = load_grammar(str(self.grammar))
        parser: SentenceParser = Parser(grammar)
        seen = None
        if self.expansions is not None:
            expansions = read_expansions(self.expansions)
            parser, seen = TreebankParser(grammar, expansions), Frequencies.from_grammar(grammar, expansions)
        tagging = None if self.tagger is None else _tagging(self.tagger, parser, seen is not None)
        return SecondGrammar(parser, seen, tagging)


def _tagging(model: str, parser: SentenceParser, beside_expansions: bool) -> Tagging:
    from numbat.labels.guesser import BESIDE_EXPANSIONS, guesser

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
    conditions: Sequence[str] = (),
) -> FittedSuite:
    """Train a model on the rated items of a suite. `conditions` are the columns that say which sentences are of one
    condition; without any it is the phenomenon. Raises DataError for one that there is too little to learn from.

    Nothing is learned from an item that is lost: it is kept in `lost`. Raises MissingExtraError without numpy or scipy.
    """
    require_statistics("a fitted model")
    items = comparable(list(run_suite(suite, parser, scorer("cost"), read, executor, lost)))
    grammar = parser.grammar.name
    more = None if second is None else TermsOfSecond(second)
    try:
        if more is not None:
            items = more.ready_for(items, executor, lost)
        of = [condition_of(scored_item.item, conditions) for scored_item in items]
        found = fit(items, HELD_OUT, grammar, seed, folds, more, _run, of)
    except DataError as error:
        unread = "" if suite.rated else suite.lacking("rating")
        raise DataError(f"{suite.path}: {error}{unread}") from None
    held_out = [
        ScoredItem(item.item, item.parse, Score(HELD_OUT, value, (), (), stopped_by=item.parse.stopped_by))
        for item, value in zip(items, found.held_out, strict=True)
    ]
    beside = beside_fitted(held_out, found)
    title = parser.grammar.title
    report = summarize(suite, held_out, title, HELD_OUT, f"out of {folds} folds", seed, beside)
    reaches = _reaches(held_out, suite, found, seed, conditions)
    notes = (*notes_on_lost(lost), *notes_on_groups(items), *notes_on_conditions(found, of), *report.notes)
    report = replace(report, notes=notes, reaches=tuple(reaches))
    about = about_fit(found, suite, report, folds, seed)
    return FittedSuite(replace(found, model=replace(found.model, about=about)), report, beside)


def notes_on_groups(items: Sequence[ScoredItem]) -> Iterator[str]:
    """Return a note where ids look as if they stood for groups, of which folds know nothing."""
    told = proposal([item.item for item in items], "the figures here are too good")
    if told is not None:
        yield told


def _reaches(
    items: Sequence[ScoredItem], suite: Suite, found: Fit, seed: int, columns: Sequence[str]
) -> Iterator[Reach]:
    """Return what the statistics generalise to: to other conditions those of models that did not see them."""

    def condition(item: Item) -> str:
        return condition_of(item, columns)

    new = found.new_conditions
    apart = () if new is None else reaches_of(items, suite, seed, new_conditions(items, new), condition)
    by_others = {reach.what: reach for reach in apart if reach.what == OTHER_CONDITIONS}
    return (by_others.get(each.what, each) for each in reaches_of(items, suite, seed, condition=condition))


def condition_of(item: Item, columns: Sequence[str]) -> str:
    """Return the condition of an item: its cells in these columns, without any its phenomenon."""
    return " ".join(value_of(item, column) for column in columns).strip() if columns else item.phenomenon


def notes_on_conditions(found: Fit, conditions: Sequence[str]) -> Iterator[str]:
    """Return a note where sentences were judged by models that saw others of their condition."""
    if found.new_conditions is not None:
        number = counted(len(set(conditions)), "condition")
        yield (
            f"the folds hold out sentences, whose {number} the models saw: the figures are for other sentences of "
            f'these; "{NEW_CONDITIONS}" is by models that saw none of the condition'
        )


def beside_fitted(items: Sequence[ScoredItem], found: Fit) -> dict[str, Predictor]:
    """Return the baselines of a fitted model on the same sentences: models that nothing was fitted for, and a
    regression on length, unknown words and marks alone, judged on the same folds.
    """
    trivial = {item.id: value for item, value in zip(items, found.trivial, strict=True)}
    new = {} if found.new_conditions is None else {NEW_CONDITIONS: new_conditions(items, found.new_conditions)}
    unfitted = {name: predictor_of(scorer(name)) for name in UNFITTED}
    return new | unfitted | {TRIVIAL_ALONE: lambda scored_item: trivial[scored_item.id]}


def new_conditions(items: Sequence[ScoredItem], values: Sequence[float]) -> Predictor:
    """Return the scores by models that saw no sentence of the same condition."""
    known = {item.id: value for item, value in zip(items, values, strict=True)}
    return lambda scored_item: known[scored_item.id]


def condition_gains(fitted: FittedSuite, seed: int, conditions: Sequence[str] = ()) -> Iterator[str]:
    """Return what the scores for new conditions are more than each other model, with intervals over conditions."""
    scores = fitted.beside.get(NEW_CONDITIONS)
    if scores is None:
        return
    report = fitted.report
    units = [condition_of(item.item, conditions) for item in comparable(report.items)]
    name = "AUC" if report.main == "AUC" else "pearson"
    for other, predictor in compared_with(fitted.beside).items():
        columns = columns_of(name, report.items, scores)._replace(units=units)
        estimate = columns.over(columns_of(name, report.items, predictor).scores, seed)
        yield f"for new conditions more than {other}: {name} {estimate}"


def compared_with(beside: Mapping[str, Predictor]) -> dict[str, Predictor]:
    """Return the same models, the cost in its bounded form, and the baselines of every model."""
    costs = {BOUNDED.format(name): bounded(each) for name, each in beside.items() if name in COSTS}
    others = {name: each for name, each in beside.items() if name not in (*COSTS, NEW_CONDITIONS)}
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
        """Return the items whose terms are known now; those that are lost are kept in `lost`. Raises DataError."""
        texts = {item.parse.sentence: item.id for item in items}
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
        return tuple(scored_item for scored_item in items if scored_item.parse.sentence not in gone)


def format_model(path: str, model: Fitted, second: SecondGrammarFiles) -> str:
    """Return the text of a model for the file `path`; the files of a second grammar are named from its folder."""
    folder = Path(path).resolve().parent
    files = [(what, os.path.relpath(file, folder) if os.path.exists(file) else file) for what, file in second.named()]
    return format_fitted(replace(model, also=tuple(files)))


def read_model(path: str, grammar: Grammar) -> Fitted:
    """Return a model of `numbat learn costs`, ready to score.

    Raises errors as `read_fitted`, and those of its other files.
    """
    model = read_fitted(path, grammar)
    folder = Path(path).resolve().parent
    files = {what: str(folder / file) if os.path.exists(folder / file) else file for what, file in model.also}
    second = SecondGrammarFiles(**files).load()
    return model if second is None else replace(model, more=TermsOfSecond(second))
