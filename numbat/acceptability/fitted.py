"""Fitting the costs of properties to rated sentences, by regression over folds; reading and writing of such models."""

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
"""The name of the predictor that scores each sentence with the model of the other folds."""
UNFITTED: Final = ("cost", "fitness", "local")
"""The models with which a fitted model is compared."""


NEW_CONDITIONS: Final = "fitted, for new conditions"
"""The name of the predictor that scores each sentence with a model that saw no sentence of the same condition."""
TRIVIAL_ALONE: Final = "length, unknown words and marks, fitted"
"""The name of the predictor that is a regression on these terms alone."""


@frozen
class SecondGrammarFiles:
    """The files of a second grammar: the grammar itself, expansions to parse with, a tagger for unknown words."""

    grammar: str | None = None
    expansions: str | None = None
    tagger: str | None = None

    def named(self) -> tuple[tuple[str, str], ...]:
        """Return the kind and path of each file given. Raises UsageError for other files without a grammar."""
        files = {"grammar": self.grammar, "expansions": self.expansions, "tagger": self.tagger}
        named = tuple((what, path) for what, path in files.items() if path is not None)
        if named and self.grammar is None:
            raise UsageError(f"--also-{named[0][0]} needs a second grammar\n  add --also-grammar FILE")
        return named

    def load(self) -> SecondGrammar | None:
        """Load and return the second grammar; None if there is none."""
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
    """A model trained on a suite, the report on its held-out scores, and the models to compare it with (`beside`)."""

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
    """Train a model on the rated items of a suite. Raises DataError if they are too few, and MissingExtraError.

    `conditions` are the columns whose values make up the condition of a sentence; by default it is the phenomenon.
    Items that cannot be parsed are added to `lost` and not learned from.
    """
    require_statistics("a fitted model")
    items = comparable(list(run_suite(suite, parser, scorer("cost"), read, executor, lost)))
    grammar = parser.grammar.name
    more = None if second is None else TermsOfSecond(second)
    try:
        if more is not None:
            items = more.ready_for(items, executor, lost)
        of = [condition_of(item.item, conditions) for item in items]
        fit_ = fit(items, HELD_OUT, grammar, seed, folds, more, _run, of)
    except DataError as error:
        unread = "" if suite.rated else suite.lacking("rating")
        raise DataError(f"{suite.path}: {error}{unread}") from None
    held_out = [
        ScoredItem(item.item, item.parse, Score(HELD_OUT, value, (), (), stopped_by=item.parse.stopped_by))
        for item, value in zip(items, fit_.held_out, strict=True)
    ]
    beside = beside_fitted(held_out, fit_)
    title = parser.grammar.title
    report = summarize(suite, held_out, title, HELD_OUT, f"out of {folds} folds", seed, beside)
    reaches = _reaches(held_out, suite, fit_, seed, conditions)
    notes = (*notes_on_lost(lost), *notes_on_groups(items), *notes_on_conditions(fit_, of), *report.notes)
    report = replace(report, notes=notes, reaches=tuple(reaches))
    about = about_fit(fit_, suite, report, folds, seed)
    return FittedSuite(replace(fit_, model=replace(fit_.model, about=about)), report, beside)


def notes_on_groups(items: Sequence[ScoredItem]) -> Iterator[str]:
    """Yield a note if ids suggest groups that the suite does not declare, as folds may then divide such groups."""
    note = proposal([item.item for item in items], "the figures here are too good")
    if note is not None:
        yield note


def _reaches(
    items: Sequence[ScoredItem], suite: Suite, fit_: Fit, seed: int, columns: Sequence[str]
) -> Iterator[Reach]:
    """Return the statistics for other items, conditions and people; for conditions, by models that saw none of them."""

    def condition(item: Item) -> str:
        return condition_of(item, columns)

    new = fit_.new_conditions
    apart = () if new is None else reaches_of(items, suite, seed, new_conditions(items, new), condition)
    by_others = {reach.what: reach for reach in apart if reach.what == OTHER_CONDITIONS}
    return (by_others.get(reach.what, reach) for reach in reaches_of(items, suite, seed, condition=condition))


def condition_of(item: Item, columns: Sequence[str]) -> str:
    """Return the condition of an item: its cells in these columns, or its phenomenon if there are no columns."""
    return " ".join(value_of(item, column) for column in columns).strip() if columns else item.phenomenon


def notes_on_conditions(fit_: Fit, conditions: Sequence[str]) -> Iterator[str]:
    """Yield a note if sentences were scored by models that saw others of their condition."""
    if fit_.new_conditions is not None:
        number = counted(len(set(conditions)), "condition")
        yield (
            f"the folds hold out sentences, but the models saw others of their {number}: the figures are for new "
            f'sentences of these; "{NEW_CONDITIONS}" is by models that saw no sentence of the condition'
        )


def beside_fitted(items: Sequence[ScoredItem], fit_: Fit) -> dict[str, Predictor]:
    """Return the models to compare a fitted one with: unfitted models, and a regression on the trivial terms alone."""
    trivial = {item.id: value for item, value in zip(items, fit_.trivial, strict=True)}
    new = {} if fit_.new_conditions is None else {NEW_CONDITIONS: new_conditions(items, fit_.new_conditions)}
    unfitted = {name: predictor_of(scorer(name)) for name in UNFITTED}
    return new | unfitted | {TRIVIAL_ALONE: lambda scored_item: trivial[scored_item.id]}


def new_conditions(items: Sequence[ScoredItem], values: Sequence[float]) -> Predictor:
    """Return a predictor with these values of items: their scores by models that saw no sentence of their condition."""
    known = {item.id: value for item, value in zip(items, values, strict=True)}
    return lambda scored_item: known[scored_item.id]


def condition_gains(fitted: FittedSuite, seed: int, conditions: Sequence[str] = ()) -> Iterator[str]:
    """Yield by how much scores for new conditions are better than each other model, with intervals over conditions."""
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
    """Return the models to compare with: those in `beside`, with costs as 1/(1 + cost), and the general baselines."""
    costs = {BOUNDED.format(name): bounded(predictor) for name, predictor in beside.items() if name in COSTS}
    others = {name: predictor for name, predictor in beside.items() if name not in (*COSTS, NEW_CONDITIONS)}
    return {**costs, **others, **BASELINES}


def _run(job: Callable[[ScoredItem], Terms], items: Sequence[ScoredItem]) -> Iterator[Terms]:
    return BatchRun(job, items).values()


@frozen
class SecondJob:
    """A function that parses a text with a second grammar and returns its terms."""

    second: SecondGrammar

    def __call__(self, given: NamedText) -> Terms:
        return self.second.terms_of(given.text)


class TermsOfSecond:
    """A function from a parse to the terms of its sentence under a second grammar; each sentence is parsed once."""

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
        """Compute the terms of all items and return the items that have them; others are added to `lost`.

        Raises DataError if there is no `lost`, or for an item that cannot be read.
        """
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
        for item in items:
            if lost is not None and item.parse.sentence in gone:
                lost.items.append(LostItem(item.item, gone[item.parse.sentence], "by the second grammar"))
        return tuple(item for item in items if item.parse.sentence not in gone)


def format_model(path: str, model: Fitted, second: SecondGrammarFiles) -> str:
    """Return the text of a model for the file `path`; files of a second grammar are named relative to its folder."""
    folder = Path(path).resolve().parent
    files = [(what, os.path.relpath(file, folder) if os.path.exists(file) else file) for what, file in second.named()]
    return format_fitted(replace(model, also=tuple(files)))


def read_model(path: str, grammar: Grammar) -> Fitted:
    """Return a model that `numbat learn costs` wrote, ready to score. Raises errors as `read_fitted` does."""
    model = read_fitted(path, grammar)
    folder = Path(path).resolve().parent
    files = {what: str(folder / file) if os.path.exists(folder / file) else file for what, file in model.also}
    second = SecondGrammarFiles(**files).load()
    return model if second is None else replace(model, more=TermsOfSecond(second))
