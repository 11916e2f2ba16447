"""Comparisons of two grammars on one suite, with a report and a page; and of models with simpler predictors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, ClassVar, Final

from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.suite_report import figure_or_dash
from numbat.acceptability.summary import BASELINES, Experiment, columns_of, main_columns, main_statistic
from numbat.acceptability.verdicts import (
    LostItem,
    Predictor,
    ScoredItem,
    foremost,
    is_undecided,
    lost_items,
    predicted,
    unknown_in_all,
    unknown_words,
)
from numbat.grammar.properties import format_named
from numbat.markup import Displayed, safe
from numbat.parsing.explanation.drawing import svg
from numbat.parsing.explanation.violations import on_one_line
from numbat.records import frozen
from numbat.reports.pages import page
from numbat.reports.report import Column, Lines, Member, Members, Part, Table, cautions, report
from numbat.runs.record import RunRecord
from numbat.statistics.intervals import Estimate

SAME: Final = "violates the same properties; costs, weights or satisfied properties differ"
"""The note on an item whose score changed though its violated properties did not."""


@frozen
class ScoreChange:
    """An item whose score or violations changed: it now violates the `gained` properties, no longer the `lost` ones."""

    item: Item
    before: ScoredItem
    after: ScoredItem
    gained: tuple[str, ...]
    lost: tuple[str, ...]

    @property
    def difference(self) -> float:
        """The increase of the score from the older to the newer grammar."""
        return (self.after.value or 0.0) - (self.before.value or 0.0)

    @property
    def is_better(self) -> bool | None:
        """True if the score moved towards the judgement (up if good, down if bad), False if away, None if neither.

        A fall that may be due to unknown words counts as neither.
        """
        good = self.item.is_good
        if good is None or not self.difference or (self.difference < 0 and is_undecided(self.after)):
            return None
        return (self.difference > 0) == good


@frozen
class GrammarComparison(Displayed):
    """The items of a suite under two grammars, and those that changed; `lost` items could not be compared."""

    SHOWN_BY: ClassVar = "numbat.acceptability.displays"

    before: tuple[ScoredItem, ...]
    after: tuple[ScoredItem, ...]
    changes: tuple[ScoreChange, ...]
    lost: tuple[LostItem, ...] = ()


def compare(before: Sequence[ScoredItem], after: Sequence[ScoredItem]) -> GrammarComparison:
    """Compare the items of one suite, scored with an older grammar (`before`) and a newer one (`after`)."""
    return GrammarComparison(tuple(before), tuple(after), tuple(score_changes(before, after)))


def score_changes(before: Sequence[ScoredItem], after: Sequence[ScoredItem]) -> list[ScoreChange]:
    """Return the items that changed, in the order of the suite."""
    changes = []
    for old, new in zip(before, after, strict=True):
        gone, come = _violated(old), _violated(new)
        if old.value != new.value or gone != come:
            changes.append(
                ScoreChange(new.item, old, new, tuple((come - gone).elements()), tuple((gone - come).elements()))
            )
    return changes


def _violated(scored: ScoredItem) -> Counter[str]:
    """Count the violated properties by construction and text, not by line, as lines move when a grammar is edited."""
    named = Counter(format_named(evaluated.property) for evaluated in scored.parse.violated)
    if not scored.parse.is_full:
        named["fragments"] += 1
    return named


# The report

NOW: Final = {True: "better", False: "worse", None: ""}


@report("numbat.compare/1")
def comparison_report(compared: GrammarComparison, suite: str = "", notes: Sequence[str] = ()) -> Iterator[Part]:
    """Return the overall changes, then each changed item with the properties that cause it; `notes` are the suite's."""
    before, after, changes = compared.before, compared.after, compared.changes
    yield Member("suite", suite)
    cautioned = [*foremost(after), *notes]
    yield Member("notes", cautioned, cautions(cautioned))
    yield Member("sentences", len(after), overall_lines(compared))
    yield Member("before", _numbers(before))
    yield Member("after", _numbers(after))
    judged = Counter(change.is_better for change in changes)
    yield Members({"towards_judgements": judged[True], "away_from_judgements": judged[False]})
    yield Lines([line for change in changes for line in ("", *_change_lines(change))])
    yield Table(CHANGES, changes, "changes")
    yield lost_items(compared.lost, [""])


def overall_lines(compared: GrammarComparison) -> list[str]:
    """Return the numbers of sentences that changed, for better or worse, and the unknown words."""
    changes, after = compared.changes, compared.after
    old, new = _numbers(compared.before), _numbers(after)
    lines = [
        f"{len(changes)} of {len(after)} sentences changed",
        f"well formed {old['well_formed']} -> {new['well_formed']}, full {old['full']} -> {new['full']}",
    ]
    judged = Counter(change.is_better for change in changes)
    if judged[True] or judged[False]:
        lines.append(f"{judged[True]} towards the judgements, {judged[False]} away from them")
    return [*lines, *unknown_in_all([item.parse for item in after])]


def _numbers(items: Sequence[ScoredItem]) -> dict[str, int]:
    return {
        "well_formed": sum(item.parse.is_well_formed for item in items),
        "full": sum(item.parse.is_full for item in items),
    }


def _change_lines(change: ScoreChange) -> Iterator[str]:
    item = change.item
    scores = f"{figure_or_dash(change.before.value)} -> {figure_or_dash(change.after.value)}"
    yield f"{item.id}: {item.star}{on_one_line(item.sentence)}  {scores} {NOW[change.is_better]}".rstrip()
    if is_undecided(change.after):
        yield f"    undecided: {unknown_words(change.after.parse)}"
    yield from (f"    + violated: {name}" for name in change.gained)
    yield from (f"    - no longer: {name}" for name in change.lost)
    if not change.gained and not change.lost:
        yield f"    {SAME}"


CHANGES: Final[Sequence[Column[ScoreChange]]] = (
    *(Column(key=name, value=attrgetter(f"item.{name}")) for name in ("id", "sentence", "judgement", "rating")),
    Column(key="before", value=lambda change: _scored(change.before)),
    Column(key="after", value=lambda change: _scored(change.after)),
    Column(key="better", value=attrgetter("is_better")),
    Column(key="undecided", value=lambda change: is_undecided(change.after)),
    Column(key="violated_now", value=lambda change: list(change.gained)),
    Column(key="violated_no_longer", value=lambda change: list(change.lost)),
)


def _scored(item: ScoredItem) -> dict[str, Any]:
    return {"score": item.value, "tree": item.parse.to_brackets()}


# The page of an edit

JUDGED: Final = """ <span class="good">▲ {better} towards the
judgements</span>, <span class="bad">▼ {worse} away from them</span>."""
BODY: Final = """<p>{changed} of {number} sentences changed. Well formed {before} → {after}.{judged}</p>
<p class="faint">Behind each sentence: its score before and after. Click it for both trees.</p>
{lost}{items}
"""


def compare_page(title: str, compared: GrammarComparison, record: RunRecord | None = None) -> str:
    """Return an HTML page that ends with the record of the run; each changed sentence unfolds to show both trees."""
    before, after, changes = compared.before, compared.after, compared.changes
    better, worse = (sum(change.is_better is sign for change in changes) for sign in (True, False))
    body = BODY.format(
        changed=len(changes),
        number=len(after),
        before=sum(item.parse.is_well_formed for item in before),
        after=sum(item.parse.is_well_formed for item in after),
        judged=JUDGED.format(better=better, worse=worse) if better or worse else "",
        lost="".join(
            f'<p class="bad">Lost, and left out of all figures: {safe(str(lost))}</p>\n' for lost in compared.lost
        ),
        items="\n".join(map(_item, changes)),
    )
    return page(title, ("drawing.css", "compare.css"), body, record)


def _item(change: ScoreChange) -> str:
    item = change.item
    kind, mark = {True: ("good", "▲"), False: ("bad", "▼"), None: ("", "●")}[change.is_better]
    properties = [f'<li class="bad">✗ {safe(name)}</li>' for name in change.gained]
    properties += [f'<li class="good">✓ {safe(name)}, no longer violated</li>' for name in change.lost]
    if not properties:
        properties = [f"<li>{SAME}</li>"]
    trees = "".join(
        f"<div><h2>{name}: {_shown(scored.value)}</h2>"
        f'<div class="wide" tabindex="0">{svg(scored.parse, styled=False)}</div></div>'
        for name, scored in (("before", change.before), ("after", change.after))
    )
    return (
        f'<details><summary><span class="{kind}">{mark}</span> '
        f'<span class="said"><span class="faint">{safe(item.id)}</span> {item.star}{safe(item.sentence)}</span> '
        f'<span class="score">{_shown(change.before.value)} → {_shown(change.after.value)}</span></summary>'
        f'<ul>{"".join(properties)}</ul><div class="both whole">{trees}</div></details>'
    )


def _shown(value: float | None) -> str:
    return figure_or_dash(value).replace("-", "−")


# Gains of a model, as a predictor, over a baseline, another model, or a regression on trivial predictors. As a baseline
# does not claim that longer sentences are better or worse, the absolute value of its correlation counts.

GAINS: Final = ("pearson", "spearman")
MIN_BESIDE_LENGTH: Final = 10
"""Minimum number of items for a note that a model is not better than sentence length."""


def gains(items: Sequence[ScoredItem], main: str, other: Predictor, seed: int = 0) -> dict[str, Estimate]:
    """Return by how much the items' scores predict better than `other`, by statistic.

    If the statistic `main` is "spearman", these are correlations, else AUC. Both predictors are resampled together.
    """
    names = GAINS if main == "spearman" else ("AUC",)
    return {name: columns_of(name, items).over(columns_of(name, items, other).scores, seed) for name in names}


def is_better(gain: Estimate) -> bool:
    """True if the whole interval of a difference is above 0."""
    return gain.low is not None and gain.low > 0


def notes_on_models(
    model: str, items: Sequence[ScoredItem], suite: Suite, others: Mapping[str, Predictor], seed: int
) -> Iterator[str]:
    """Yield cautions: which models are not better than sentence length; that choosing the best of many is biased."""
    predictors = {model: predicted, **others}
    if not suite.rated and not suite.pairs:
        return
    if len(predictors) > 2:
        yield (
            f"{len(predictors)} models are compared on the same sentences: the best one here will do less well on "
            "other sentences; choose it on one half and report it on the other"
        )
    length = main_columns(items, suite, BASELINES["length"]).scores
    if len(length) < MIN_BESIDE_LENGTH:
        return
    not_better = []
    for name, predictor in predictors.items():
        columns = main_columns(items, suite, predictor)
        estimate = columns.over(length, seed)
        if estimate.value is not None and not is_better(estimate):
            not_better.append(name)
    if not_better:
        yield (
            f"not better than the length of the sentences, by {main_statistic(suite)} (the 95 % interval of the "
            f"difference is not above 0): {', '.join(not_better)}"
        )


def gain_lines(report: Experiment, seed: int, others: Mapping[str, Predictor] = BASELINES) -> Iterator[str]:
    """Yield the gain of a fitted model over each baseline, with intervals; then the baselines that it does not beat."""
    not_better: dict[str, list[str]] = {}
    for name, other in others.items():
        advantages = gains(report.items, report.main, other, seed)
        yield f"more than {name}: " + ", ".join(f"{statistic} {value}" for statistic, value in advantages.items())
        for statistic, value in advantages.items():
            if value.value is not None and not is_better(value):
                not_better.setdefault(statistic, []).append(name)
    for statistic, names in not_better.items():
        yield f"! not better by {statistic} (the interval of the difference is not above 0) than: {', '.join(names)}"
