"""Functions behind the commands `report`, `design`, `contrast` over a file, `power` and `theories`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from numbat.acceptability.comparison import notes_on_models
from numbat.acceptability.covariates import WordFrequencies, frequency_of
from numbat.acceptability.fitting import FOLDS, Fitted, seen_before
from numbat.acceptability.models import Scorer, scorer
from numbat.acceptability.runs import LostItems, notes_on_lost, run_suite
from numbat.acceptability.suite import Suite, having_read, proposal
from numbat.acceptability.summary import Experiment, predictor_of, summarize
from numbat.errors import DataError, UsageError, require_statistics
from numbat.experiments.contrasts import ContrastGroup, DesignChecks, check_design, pair_contrasts
from numbat.experiments.interactions import DesignSettings, analysed
from numbat.experiments.interactions_report import DesignSection
from numbat.experiments.materials import Materials
from numbat.experiments.power import SIMULATIONS, Pilot, Power, Variances, simulate, variances_of
from numbat.experiments.theories import OF_DEPTH, TheoryReport, compare_theories, on_depth
from numbat.parsing.parser import Parser
from numbat.parsing.sentence_parser import SentenceParser
from numbat.runs.loop import Executor, in_this_process
from numbat.runs.sentences import Reader, plain


def check_items(
    materials: Materials,
    parser: Parser,
    frequencies: WordFrequencies | None = None,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
) -> DesignChecks:
    """Parse the targets of an experiment, and return the differences and common features of their conditions.

    Raises DataError for sentences that cannot be read or have no words.
    """
    suite, score = materials.suite(), scorer("cost")
    items = list(run_suite(suite, parser, score, plain, executor, lost))
    for item in items:
        if item.score is None:
            raise DataError(f"{suite.place(item.item)}: no words\n  give a sentence that has more than punctuation")
    return check_design(materials, items, parser.grammar, score, frequencies)


def contrast_pairs(
    suite: Suite,
    parser: Parser,
    score: Scorer,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
) -> Sequence[ContrastGroup]:
    """Return the differences of each minimal pair of a suite, by phenomenon. Raises DataError if it has no pairs."""
    items = [item for item in run_suite(suite, parser, score, read, executor, lost) if item.score is not None]
    return pair_contrasts(suite, items, parser.grammar, score)


def power_of(
    pilot: Pilot,
    people: Sequence[int] = (),
    items: Sequence[int] = (),
    effect: float | None = None,
    simulations: int = SIMULATIONS,
    seed: int = 0,
    advance: Callable[[], object] = lambda: None,
) -> tuple[Variances, float, list[Power]]:
    """Return the variances of a pilot, the effect, and the power for each number of people and items.

    The effect is by default that of the pilot; the numbers are by default multiples of the conditions. `advance` is
    called after each simulation. Raises UsageError as `simulate` does, and for an effect of 0; MissingExtraError
    without numpy or scipy.
    """
    require_statistics("power")
    conditions = len(pilot.signs)
    size = abs(pilot.contrast) if effect is None else abs(effect)
    if not size:
        raise UsageError("an effect of 0 is never found\n  --effect X sets the smallest effect that matters")
    variances = variances_of(pilot.trials)
    powers = []
    for number in items or [conditions * times for times in (2, 4, 8)]:
        for many in people or [conditions * times for times in (4, 8, 16)]:
            powers.append(simulate(variances, [*pilot.signs.values()], size, many, number, simulations, seed))
            advance()
    return variances, size, powers


def theories(
    suite: Suite,
    parser: Parser,
    names: Sequence[str] = (),
    level: str = "relation",
    seed: int = 0,
    folds: int = FOLDS,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
    advance: Callable[[], object] = lambda: None,
) -> TheoryReport:
    """Compare theories on the rated sentences of a suite, out of sample.

    Raises errors as `compare_theories` does, and MissingExtraError without numpy or scipy.
    """
    require_statistics("comparing theories")
    items = list(run_suite(suite, parser, scorer("cost"), read, executor, lost))
    try:
        return compare_theories(items, names, level, seed, folds, advance)
    except DataError as error:
        raise DataError(f"{suite.path}: {error}{'' if suite.rated else suite.lacking('rating')}") from None


def report_suite(
    suite: Suite,
    parser: SentenceParser,
    model: str,
    score: Scorer,
    weights: str = "grammar",
    seed: int = 0,
    read: Reader = plain,
    others: Mapping[str, Scorer] | None = None,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
    design: DesignSettings | None = None,
    frequencies: str | None = None,
) -> Experiment:
    """Parse, score and compare all items of a suite.

    `model` and `weights` are names to show; a fitted model is shown with its own weights. `others` are models to
    compare with, `design` the factorial design, `frequencies` a word list or a column of the suite. Raises
    MissingExtraError without numpy or scipy.
    """
    require_statistics("a report")
    design = design or DesignSettings()
    suite = having_read(suite, (*design.columns, *([frequencies] if frequencies else [])))
    frequency = None if frequencies is None else frequency_of(frequencies, suite)
    items = list(run_suite(suite, parser, score, read, executor, lost))
    shown = score.name if isinstance(score, Fitted) else weights
    beside = {name: predictor_of(scorer) for name, scorer in (others or {}).items() if name != model}
    made = summarize(suite, items, parser.grammar.title, model, shown, seed, beside, frequency)
    fitted = {name: scorer for name, scorer in {**(others or {}), model: score}.items() if isinstance(scorer, Fitted)}
    seen = (note for name, scorer in fitted.items() for note in seen_before(name, scorer, suite, made.items))
    beware = [*notes_on_models(model, items, suite, beside, seed)]
    if deep := on_depth(items, [name for name in (model, *beside) if name in OF_DEPTH]):
        beware.append(deep)
    if suite.rated and (warning := proposal(suite.items, "the intervals here are too narrow")) is not None:
        beware.append(warning)
    made = replace(made, notes=(*notes_on_lost(lost), *seen, *made.notes, *beware))
    is_designed = design.factors or design.formulas or suite.formulas
    return replace(made, sections=(DesignSection(analysed(suite, items, design, score)),)) if is_designed else made
