"""`numbat fit`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from numbat.errors import DataError, UsageError
from numbat.gradience.fitting.fitted import Fit, Fitted, fit, format_fitted, read_fitted
from numbat.gradience.fitting.terms import Frequencies, Second, Tagging, Terms
from numbat.gradience.models.scores import Score
from numbat.gradience.suites.experiment import Reader, Scored, comparable, plain, run
from numbat.gradience.suites.suite import Suite
from numbat.gradience.suites.summary import BASELINES, Experiment, gains, summarize
from numbat.grammar.model import Grammar
from numbat.parsing.parser import Parser
from numbat.parsing.result import Parse
from numbat.words.lattice import Lattice

HELD_OUT = "fitted"
FITTED_ON = re.compile(r"suite (.+): (\d+) rated sentences")
OUT_OF_FOLD = re.compile(r"out of fold: pearson ([^;]+)")
"""Of what `_told` says: the suite of a model with its size, and how well it did out of its folds."""


@dataclass(frozen=True, slots=True)
class Also:
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

    def second(self) -> Second | None:
        """The second grammar made ready; None without one."""
        if not self.named():
            return None
        from numbat.grammar.loading import load_grammar
        from numbat.parsing.treebank_grammar.expansions import read_expansions

        grammar = load_grammar(str(self.grammar))
        expansions = None if self.expansions is None else read_expansions(self.expansions)
        parser = Parser(grammar, expansions=expansions)
        seen = None if expansions is None else Frequencies.of(grammar, expansions)
        return Second(parser, seen, None if self.tagger is None else _tagging(self.tagger, parser, seen is not None))


def _tagging(model: str, parser: Parser, beside_expansions: bool) -> Tagging:
    from numbat.commands.tagging import BESIDE_EXPANSIONS, guesser

    known = guesser(model, None, parser.words, False, BESIDE_EXPANSIONS if beside_expansions else 1.0)

    def tag(lattice: Lattice) -> tuple[Lattice, list[dict[str, float]]]:
        likely = known.likely(lattice)
        return known.informed(lattice, likely), [dict(labels) for labels in likely]

    return tag


def fitted(
    suite: Suite, parser: Parser, seed: int, folds: int, read: Reader = plain, second: Second | None = None
) -> tuple[Fit, Experiment]:
    """A model trained on a suite, and the report of the scores that each sentence got from the other folds.

    Raises DataError for a suite that there is too little to learn from.
    """
    items = comparable(list(run(suite, parser, read=read)))
    grammar = parser.grammar.name
    try:
        found = fit(items, HELD_OUT, grammar, seed, folds, None if second is None else _once(second))
    except DataError as error:
        unread = "" if suite.rated else suite.lacking("rating")
        raise DataError(f"{suite.path}: {error}{unread}") from None
    held_out = [
        Scored(each.item, each.parse, Score(HELD_OUT, value, (), (), stopped_by=each.parse.stopped_by))
        for each, value in zip(items, found.held_out, strict=True)
    ]
    report = summarize(suite, held_out, grammar or "without name", HELD_OUT, f"out of {folds} folds", seed)
    return replace(found, model=_told(found, suite, report, folds, seed)), report


def _once(second: Second) -> Callable[[Parse], Terms]:
    """The terms of a sentence by the second grammar, which parses the same words once."""
    known: dict[tuple[str, tuple[str, ...]], Terms] = {}

    def terms(parse: Parse) -> Terms:
        key = parse.lattice.text, parse.lattice.tokens
        if key not in known:
            known[key] = second.terms(parse)
        return known[key]

    return terms


def gain_lines(report: Experiment, seed: int) -> Iterator[str]:
    """How much better the model does than each baseline, with the intervals of the differences."""
    for name in BASELINES:
        found = gains(report, name, seed)
        yield f"more than {name}: " + ", ".join(f"{statistic} {value}" for statistic, value in found.items())


def write_model(path: str, model: Fitted, also: Also) -> str:
    """The text of a model for a file; the files of a second grammar are named from its folder."""
    folder = Path(path).resolve().parent
    files = [(what, os.path.relpath(file, folder) if os.path.exists(file) else file) for what, file in also.named()]
    return format_fitted(replace(model, also=tuple(files)))


def read_model(path: str, grammar: Grammar) -> Fitted:
    """A model of `numbat fit`, ready to score. Raises the errors of `read_fitted`, and those of its other files."""
    model = read_fitted(path, grammar)
    folder = Path(path).resolve().parent
    files = {what: str(folder / file) if os.path.exists(folder / file) else file for what, file in model.also}
    second = Also(**files).second()
    return model if second is None else replace(model, more=_once(second))


def seen_before(name: str, model: Fitted, made: Experiment) -> Iterator[str]:
    """A note where a model is judged by the very suite that it was fitted on, by the suite's name and size."""
    suite = next(filter(None, map(FITTED_ON.fullmatch, model.about)), None)
    size = str(len(comparable(made.items)))
    if suite is None or (Path(suite[1]).name, suite[2]) != (Path(made.suite.path).name, size):
        return
    apart = next(filter(None, map(OUT_OF_FOLD.match, model.about)), None)
    figure = f"; out of fold its pearson was {apart[1]}" if apart is not None else ""
    yield f"{name} was fitted on this suite, so that its figures here are too good{figure}"


def _told(found: Fit, suite: Suite, report: Experiment, folds: int, seed: int) -> Fitted:
    statistics = "; ".join(f"{name} {value}" for name, value in report.lines[0].statistics.items())
    alike = "the same words" if found.variants is None else f"{found.variants:.0%} of the words by their rarity"
    about = (
        f"suite {suite.path}: {len(report.items)} rated sentences",
        f"ridge regression, penalty {found.penalty:g}, {folds} folds, seed {seed}; in one fold: groups, pairs, {alike}",
        f"out of fold: {statistics}",
        "score = intercept + sum of weight * (value - mean) / scale, each quotient from -3 to 3; counts are per word",
    )
    return replace(found.model, about=about)
