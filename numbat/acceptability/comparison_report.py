"""Reports that compare: two grammars on a suite, coverage, ablation, gains of a fitted model; as text and as a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from numbat.acceptability.attribution import Attribution
from numbat.acceptability.comparison import SAME, Ablation, Comparison, Coverage, ScoreChange, gains, is_better
from numbat.acceptability.suite_report import estimate_json, figure_or_dash
from numbat.acceptability.summary import BASELINES, Experiment
from numbat.acceptability.verdicts import (
    LostItem,
    OutcomeChange,
    Predictor,
    ScoredItem,
    another_grammar,
    is_undecided,
    unknown_in_all,
    unknown_words,
)
from numbat.errors import first_of
from numbat.grammar.properties import format_named, format_property
from numbat.markup import aligned, safe
from numbat.parsing.explanation.drawing import svg
from numbat.parsing.explanation.violations import on_one_line
from numbat.reports.answers import property_json
from numbat.reports.pages import page
from numbat.reports.run_notes import NAMED, named_as_lost
from numbat.runs.record import RunRecord


def comparison_lines(compared: Comparison, notes: Sequence[str] = ()) -> Iterator[str]:
    """Return the overall changes, then item by item with the properties that cause them; `notes` are those of the
    suite.
    """
    yield from (f"! {note}" for note in foremost(compared.after))
    yield from (f"! {note}" for note in notes)
    yield from overall_lines(compared)
    for change in compared.changes:
        item = change.item
        verdict = {True: "better", False: "worse", None: ""}[change.is_better]
        yield ""
        scores = f"{figure_or_dash(change.before.value)} -> {figure_or_dash(change.after.value)}"
        yield f"{item.id}: {item.star}{on_one_line(item.sentence)}  {scores} {verdict}".rstrip()
        if is_undecided(change.after):
            yield f"    undecided: {unknown_words(change.after.parse)}"
        yield from (f"    + violated: {name}" for name in change.gained)
        yield from (f"    - no longer: {name}" for name in change.lost)
        if not change.gained and not change.lost:
            yield f"    {SAME}"
    yield from lost_lines(compared.lost)


def attribution_lines(found: Sequence[Attribution]) -> Iterator[str]:
    """Return the edits by how many changes each explains alone, then item by item what explains its change."""
    alone = Counter(str(edits[0]) for each in found for edits in each.sets if len(edits) == 1)
    yield ""
    yield "edits that explain a change alone: without them the sentence is judged as before"
    yield from (f"  {number:,}  {text}" for text, number in sorted(alone.items(), key=lambda pair: (-pair[1], pair[0])))
    if not alone:
        yield "  none"
    for each in found:
        yield f"{each.change.item.id}: {on_one_line(each.change.item.sentence)}"
        for edits in each.sets:
            yield f"    {' and '.join(map(str, edits))}"
        if not each.sets:
            yield "    no set of edits that was tried explains it"


def overall_lines(compared: Comparison) -> Iterator[str]:
    """Return how many sentences changed, for better or worse, and which words the lexicon does not have."""
    before, after, found = compared.before, compared.after, compared.changes
    yield f"{len(found)} of {len(after)} sentences changed"
    yield f"well formed {_well_formed(before)} -> {_well_formed(after)}, full {_full(before)} -> {_full(after)}"
    judged = Counter(change.is_better for change in found)
    if judged[True] or judged[False]:
        yield f"{judged[True]} towards the judgements, {judged[False]} away from them"
    yield from unknown_in_all([each.parse for each in after])


COMPARISON: Final = "numbat.compare/1"


def comparison_json(compared: Comparison, suite: str, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the same as a value for `json.dumps`, by the schema `numbat.compare/1`."""
    before, after, changes = compared.before, compared.after, compared.changes
    return {
        "schema": COMPARISON,
        "suite": suite,
        "notes": [*foremost(after), *notes],
        "sentences": len(after),
        "before": {"well_formed": _well_formed(before), "full": _full(before)},
        "after": {"well_formed": _well_formed(after), "full": _full(after)},
        "towards_judgements": sum(change.is_better is True for change in changes),
        "away_from_judgements": sum(change.is_better is False for change in changes),
        "changes": [_change_json(change) for change in changes],
        "lost": list(map(str, compared.lost)),
    }


def _change_json(change: ScoreChange) -> dict[str, Any]:
    return {
        "id": change.item.id,
        "sentence": change.item.sentence,
        "judgement": change.item.judgement,
        "rating": change.item.rating,
        "before": {"score": change.before.value, "tree": change.before.parse.to_brackets()},
        "after": {"score": change.after.value, "tree": change.after.parse.to_brackets()},
        "better": change.is_better,
        "undecided": is_undecided(change.after),
        "violated_now": list(change.gained),
        "violated_no_longer": list(change.lost),
    }


def foremost(items: Sequence[ScoredItem]) -> list[str]:
    """Return the note that comes first: a grammar may be another one than was meant."""
    found = another_grammar([each.parse for each in items], items[0].parse.grammar) if items else ""
    return [found] if found else []


def _well_formed(items: Iterable[ScoredItem]) -> int:
    return sum(each.parse.is_well_formed for each in items)


def _full(items: Iterable[ScoredItem]) -> int:
    return sum(each.parse.is_full for each in items)


def coverage_lines(covered: Coverage, notes: Sequence[str] = ()) -> Iterator[str]:
    """Return a row for each property that was evaluated, then those that never were, and unknown words of the items.

    `notes` are those of the suite.
    """
    found, items = covered.properties, covered.items
    yield from (f"! {note}" for note in (*foremost(items), *notes))
    tested = [each for each in found if each.satisfied + each.violated + each.undecided]
    violated = sum(bool(each.violated) for each in tested)
    doubted = any(each.undecided for each in tested)
    yield f"{len(tested)} of {len(found)} properties evaluated, {violated} of them violated somewhere"
    yield ""
    rows = [
        ["construction", "property", "satisfied", "violated", "in good", "in bad", *(["undecided"] * doubted), "line"]
    ]
    for each in tested:
        prop = each.property
        numbers = (each.satisfied, each.violated, each.good, each.bad, *((each.undecided,) if doubted else ()))
        rows.append([prop.construction, format_property(prop), *map(str, numbers), prop.place])
    yield from aligned(rows)
    untested = [each.property for each in found if not each.satisfied + each.violated + each.undecided]
    if untested:
        yield ""
        yield "never evaluated:"
        yield from (f"    {format_named(prop)}  {prop.place}".rstrip() for prop in untested)
    never = [each.property for each in tested if not each.violated]
    if never:
        yield ""
        yield f"never violated, so that nothing shows what they forbid: {len(never)}"
    if told := unknown_in_all([each.parse for each in items]):
        yield ""
        yield from told


COVERAGE: Final = "numbat.coverage/1"


def coverage_json(
    covered: Coverage, suite: str, notes: Sequence[str] = (), lost: Sequence[LostItem] = ()
) -> dict[str, Any]:
    """Return the same as a value for `json.dumps`, by the schema `numbat.coverage/1`."""
    found = covered.properties
    return {
        "schema": COVERAGE,
        "suite": suite,
        "notes": [*foremost(covered.items), *notes],
        "sentences": len(covered.items),
        "evaluated": sum(bool(each.satisfied + each.violated + each.undecided) for each in found),
        "violated": sum(bool(each.violated) for each in found),
        "properties": [
            property_json(each.property)
            | {
                "satisfied": each.satisfied,
                "violated": each.violated,
                "in_good": each.good,
                "in_bad": each.bad,
                "undecided": each.undecided,
            }
            for each in found
        ],
        "lost": list(map(str, lost)),
    }


def ablation_lines(found: Iterable[Ablation], statistic: str) -> Iterator[str]:
    """Return the whole grammar, then what is lost without each heuristic and relation, the most important first."""
    rows = [["without", statistic, "loss", "full parses", "met a limit"]]
    for number, each in enumerate(by_loss(found)):
        loss = str(each.loss) if number else ""
        rows.append([each.name, str(each.value), loss, str(each.full), str(each.stopped)])
    yield from aligned(rows)


def by_loss(found: Iterable[Ablation]) -> list[Ablation]:
    """Return the whole grammar, then the others by what is lost, the most important first."""
    first, *rest = found
    return [first, *sorted(rest, key=lambda each: -(each.loss.value or 0.0))]


ABLATION: Final = "numbat.ablate/1"


def ablation_json(
    found: Iterable[Ablation],
    statistic: str,
    suite: str,
    notes: Sequence[str] = (),
    undecided: Sequence[ScoredItem] = (),
    lost: Sequence[LostItem] = (),
) -> dict[str, Any]:
    """Return the same as a value for `json.dumps`, by the schema `numbat.ablate/1`; the whole grammar comes first."""
    return {
        "schema": ABLATION,
        "suite": suite,
        "statistic": statistic,
        "notes": list(notes),
        "without": [
            {
                "name": each.name if number else None,
                "value": estimate_json(each.value),
                "loss": estimate_json(each.loss) if number else None,
                "full": each.full,
                "stopped": each.stopped,
            }
            for number, each in enumerate(by_loss(found))
        ],
        "undecided": [each.id for each in undecided],
        "lost": list(map(str, lost)),
    }


def gain_lines(report: Experiment, seed: int, others: Mapping[str, Predictor] = BASELINES) -> Iterator[str]:
    """Return the advantage of a fitted model over each baseline, with the intervals of the differences; then those that
    it does not beat.
    """
    not_better: dict[str, list[str]] = {}
    for name, other in others.items():
        found = gains(report.items, report.main, other, seed)
        yield f"more than {name}: " + ", ".join(f"{statistic} {value}" for statistic, value in found.items())
        for statistic, value in found.items():
            if value.value is not None and not is_better(value):
                not_better.setdefault(statistic, []).append(name)
    for statistic, names in not_better.items():
        yield f"! not better by {statistic} (the interval of the difference is not above 0) than: {', '.join(names)}"


def undecided_lines(undecided: Sequence[ScoredItem]) -> Iterator[str]:
    """Return the bad sentences that are in no figure, for words that the lexicon does not have may be all that is
    wrong.
    """
    if undecided:
        yield ""
        which = first_of([each.id for each in undecided], NAMED)
        yield f"bad sentences undecided, and in no figure: {len(undecided):,} ({which}); --count-undecided counts them"
        yield from unknown_in_all([each.parse for each in undecided])


def lost_lines(lost: Sequence[LostItem]) -> Iterator[str]:
    """Return the items that are in no figure, each with the reason, below an empty line."""
    if lost:
        yield ""
    yield from named_as_lost("sentence", list(map(str, lost)))


def change_lines(changes: Sequence[OutcomeChange]) -> Iterator[str]:
    """Return the changes since the outcomes were accepted."""
    yield f"{len(changes)} changed since accepted" if changes else "nothing changed since accepted"
    yield from (f"  {change}" for change in changes)


# The page of an edit

JUDGED: Final = """ <span class="good">▲ {better} towards the
judgements</span>, <span class="bad">▼ {worse} away from them</span>."""
BODY: Final = """<p>{changed} of {number} sentences changed. Well formed {before} → {after}.{judged}</p>
{lost}{items}
"""


def compare_page(title: str, compared: Comparison, record: RunRecord | None = None) -> str:
    """Return the page, with the record of the run at its end; each changed sentence opens to show both trees."""
    before, after, changes = compared.before, compared.after, compared.changes
    better, worse = (sum(change.is_better is sign for change in changes) for sign in (True, False))
    body = BODY.format(
        changed=len(changes),
        number=len(after),
        before=sum(each.parse.is_well_formed for each in before),
        after=sum(each.parse.is_well_formed for each in after),
        judged=JUDGED.format(better=better, worse=worse) if better or worse else "",
        lost="".join(f'<p class="bad">Lost, and in no figure: {safe(str(each))}</p>\n' for each in compared.lost),
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
