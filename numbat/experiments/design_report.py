"""What `numbat design` says and writes: the report on items, lists as tables, an experiment for PCIbex."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, Final

from numbat.acceptability.models import figure
from numbat.acceptability.reasons import contrast_json
from numbat.acceptability.verdicts import LostItem, ScoredItem, another_grammar, unknown_in_all
from numbat.errors import UsageError, counted, first_of
from numbat.experiments.contrasts import (
    Comparison,
    ConditionSummary,
    ContrastGroup,
    DesignChecks,
    Difference,
    FileContrast,
    Interaction,
    Signs,
    in_order,
    words_apart,
)
from numbat.experiments.materials import PRACTICE, TARGET, Constraints, Materials, Stimulus, TrialList, unequal
from numbat.grammar.model import Grammar
from numbat.markup import aligned, read
from numbat.parsing.explanation.violations import on_one_line
from numbat.parsing.result import Parse
from numbat.reports.answers import Answer
from numbat.reports.run_notes import named_as_lost
from numbat.runs.record import RunRecord

SCHEMA: Final = "numbat.design/1"
CONTRASTS_SCHEMA: Final = "numbat.contrasts/1"
CONFOUNDED: Final = 1.0
"""Conditions whose sentences differ by so many words on average are told."""
MOST: Final = 20
"""So many pairs that are not as expected are shown."""


def design_report(
    checks: DesignChecks,
    lists: Sequence[TrialList],
    constraints: Constraints,
    grammar: Grammar,
    lost: Sequence[LostItem] = (),
    record: RunRecord | None = None,
) -> Answer:
    """Return the report on items and lists, as text and as JSON, with the record of the run."""
    return Answer(
        lambda: design_lines(checks, lists, constraints, grammar, lost),
        lambda: design_json(checks, lists, constraints, lost),
        record,
    )


def design_lines(
    checks: DesignChecks,
    lists: Sequence[TrialList],
    constraints: Constraints,
    grammar: Grammar,
    lost: Sequence[LostItem],
) -> Iterator[str]:
    """Return the report: what the items are, the lists, conditions side by side, then each comparison of conditions."""
    materials = checks.materials
    parses = [each.parse for each in checks.items]
    if parses and (another := another_grammar(parses, grammar)):
        yield f"! {another}"
    yield _title(materials)
    yield from (f"! {note}" for note in materials.notes)
    yield _on_lists(lists, materials, constraints)
    if not materials.fillers:
        yield "! no fillers: people see nothing but targets, and may guess what is asked"
    if odd := unequal(materials):
        yield f"! in a list conditions are not equally frequent: {first_of(odd, 3)}"
    full, well = (sum(getattr(parse, name) for parse in parses) for name in ("is_full", "is_well_formed"))
    yield f"grammar {grammar.title}: {counted(full, 'full parse')}, {well:,} of them well formed"
    yield from _on_parses(parses)
    yield from (f"! {caution}" for caution in design_cautions(checks))
    yield ""
    yield from _summary_rows(checks)
    for comparison in checks.comparisons:
        yield ""
        yield from _comparison_lines(comparison, checks)
    for interaction in checks.interactions:
        yield ""
        yield from _interaction_lines(interaction, materials)
    yield from named_as_lost("sentence", [str(each) for each in lost])


def _on_parses(parses: Sequence[Parse]) -> Iterator[str]:
    """Return the words that the lexicon does not have, and how many parses are not known to be the best."""
    yield from unknown_in_all(parses)
    if stopped := sum(parse.stopped_by is not None for parse in parses):
        yield f"! sentences that met a limit, so that a better parse may exist: {stopped}"


def _title(materials: Materials) -> str:
    levels = " × ".join(
        f"{name} ({', '.join(own)})" for name, own in zip(materials.factors, materials.levels, strict=True)
    )
    sets = f" in {counted(len(materials.sets), 'set')} ({', '.join(materials.within)})" if materials.within else ""
    return f"{counted(len(materials.items), 'item')}{sets}, {levels}: {counted(len(materials.targets), 'sentence')}"


def _on_lists(lists: Sequence[TrialList], materials: Materials, constraints: Constraints) -> str:
    first = lists[0].trials
    numbers = Counter(each.kind for each in first)
    kinds = ", ".join(counted(numbers[kind], kind) for kind in (TARGET, "filler") if numbers[kind] or kind == TARGET)
    practice = f", {counted(len(materials.practice), 'sentence')} of practice before" if materials.practice else ""
    number = len({each.number for each in lists})
    orders = f" in {counted(len(lists) // number, 'order')} each" if len(lists) > number else ""
    kept = [f"{counted(constraints.apart, 'other sentence')} at least between two of one condition"] * bool(
        constraints.apart
    )
    kept += [f"{counted(constraints.between, 'filler')} at least between two targets"] * bool(constraints.between)
    kept += [f"{counted(constraints.first, 'filler')} first"] * bool(constraints.first)
    return f"{counted(number, 'list')}{orders}: {kinds}{practice}; orders keep {', '.join(kept) or 'nothing'}"


def design_cautions(checks: DesignChecks) -> Iterator[str]:
    """Return what to mend first: lengths that go with a factor, interactions that the grammar lacks."""
    summary = {(each.of_set, each.condition): each for each in checks.summaries}
    longest: dict[tuple[tuple[str, ...], str], tuple[float, str]] = {}
    for each in checks.comparisons:
        one, other = summary.get((each.of_set, each.one)), summary.get((each.of_set, each.other))
        if one is None or other is None:
            continue
        apart = one.words - other.words
        key = (each.of_set, each.factor)
        if abs(apart) >= CONFOUNDED and abs(apart) > abs(longest.get(key, (0.0, ""))[0]):
            longest[key] = (apart, each.group.name)
    for (of_set, factor), (apart, name) in longest.items():
        where = f" of {' '.join(of_set)}" if of_set else ""
        yield f"length goes with {factor}{where}: {name} is {apart:+.1f} words"
    for interaction in checks.interactions:
        none = sum(not sums for sums in interaction.items.values())
        if 2 * none > len(interaction.items):
            where = f" of {' '.join(interaction.of_set)}" if interaction.of_set else ""
            yield f"the grammar has no interaction in {none} of {counted(len(interaction.items), 'item')}{where}"
    odd = Counter(each.verdict for comparison in checks.comparisons for each in comparison.group.contrasts)
    if bad := sum(odd.values()) - odd["expected"]:
        yield (
            f"{bad} of {odd.total()} contrasts of conditions differ in something else than they should, in more, "
            "or in nothing"
        )


def _summary_rows(checks: DesignChecks) -> Iterator[str]:
    zipf = ["Zipf"] if checks.frequencies else []
    sets = ["set"] if checks.materials.within else []
    rows = [[*sets, "condition", "items", "words", "farthest", "letters", *zipf, "unknown", "full", "well formed"]]
    for each in checks.summaries:
        numbers = [f"{each.words:.1f}", f"{each.farthest:+.1f}", f"{each.letters:.1f}"]
        numbers += [] if each.zipf is None else [f"{each.zipf:.2f}"]
        counts = (each.unknown, each.full, each.well_formed)
        name = [" ".join(each.of_set)] if sets else []
        rows.append([*name, ", ".join(each.condition), str(each.items), *numbers, *map(str, counts)])
    return aligned(rows)


def _comparison_lines(comparison: Comparison, checks: DesignChecks) -> Iterator[str]:
    group, of_set = comparison.group, " ".join(comparison.of_set)
    words = {each.condition: each.words for each in checks.summaries if each.of_set == comparison.of_set}
    apart = words.get(comparison.one, 0.0) - words.get(comparison.other, 0.0)
    yield f"{of_set + ': ' if of_set else ''}{comparison.factor}, {group.name} ({apart:+.1f} words)"
    yield f"  {group.number} of {counted(len(group.contrasts), 'item')}: {signed(group.usual)}"
    for _, each in in_order([group]):
        if each.verdict != "expected":
            yield f"  {each.verdict:8} {each.name}: {_differing(each.differences)}"


def _interaction_lines(interaction: Interaction, materials: Materials) -> Iterator[str]:
    plus, minus = (
        " + ".join(f"({', '.join(each)})" for each in part) for part in (interaction.plus, interaction.minus)
    )
    of_set = " ".join(interaction.of_set)
    yield f"{of_set + ': ' if of_set else ''}{' × '.join(materials.factors)}, {plus} - {minus.replace(' + ', ' - ')}"
    for sums, number in interaction.counts.most_common():
        which = [" ".join(item) for item, own in interaction.items.items() if own == sums]
        named = f" ({first_of(which, 3)})" if 2 * number < len(interaction.items) else ""
        yield f"  {number} of {counted(len(interaction.items), 'item')}: {_differing(sums)}{named}"


def signed(signs: Signs) -> str:
    """Return what two sentences differ in: `+` before what A violates oftener, `-` before what B does."""
    ordered = sorted(signs, key=lambda sign: (not sign[1], sign[0]))
    return "; ".join(f"{'+' if is_more else '-'} {name}" for name, is_more in ordered) or "nothing"


def _differing(found: Sequence[Difference]) -> str:
    ordered = sorted(found, key=lambda each: (-each.number, each.name))
    times = ((each, "" if abs(each.number) == 1 else f" ({abs(each.number)} times)") for each in ordered)
    return "; ".join(f"{'+' if each.number > 0 else '-'} {each.name}{often}" for each, often in times) or "nothing"


def design_json(
    checks: DesignChecks, lists: Sequence[TrialList], constraints: Constraints, lost: Sequence[LostItem]
) -> dict[str, Any]:
    """Return the same as a value, by the schema `numbat.design/1`."""
    materials = checks.materials
    known = {(each.item.group, each.item.phenomenon): each for each in checks.items}
    return {
        "schema": SCHEMA,
        "factors": dict(zip(materials.factors, map(list, materials.levels), strict=True)),
        "within": list(materials.within),
        "items": len(materials.items),
        "sentences": len(materials.targets),
        "notes": [*materials.notes, *unequal(materials), *design_cautions(checks)],
        "constraints": {"apart": constraints.apart, "between": constraints.between, "first": constraints.first},
        "lists": [
            {"list": each.number, "order": each.order, "trials": [_trial_json(trial) for trial in each.trials]}
            for each in lists
        ],
        "conditions": [_condition_json(each) for each in checks.summaries],
        "comparisons": [_comparison_json(each, known) for each in checks.comparisons],
        "interactions": [
            {
                "set": list(each.of_set),
                "plus": [list(condition) for condition in each.plus],
                "minus": [list(condition) for condition in each.minus],
                "items": [{"item": " ".join(item), "differences": _json(own)} for item, own in each.items.items()],
            }
            for each in checks.interactions
        ],
        "lost": [str(each) for each in lost],
    }


def _trial_json(each: Stimulus) -> dict[str, Any]:
    own = {"kind": each.kind, "item": each.name, "condition": list(each.condition), "sentence": each.sentence}
    return own | ({"columns": dict(each.extra)} if each.extra else {})


def _condition_json(each: ConditionSummary) -> dict[str, Any]:
    return {
        "set": list(each.of_set),
        "condition": list(each.condition),
        "items": each.items,
        "words": each.words,
        "farthest": each.farthest,
        "letters": each.letters,
        "zipf": each.zipf,
        "unknown": each.unknown,
        "full": each.full,
        "well_formed": each.well_formed,
    }


def _comparison_json(comparison: Comparison, known: dict[tuple[str, str], ScoredItem]) -> dict[str, Any]:
    items = []
    for each in comparison.group.contrasts:
        one, other = (known[item.group, item.phenomenon] for item in (each.one, each.other))
        only = dict(zip(("only_in_A", "only_in_B"), words_apart(one, other), strict=True))
        items.append(_contrast_json(each) | only)
    return {
        "factor": comparison.factor,
        "set": list(comparison.of_set),
        "A": list(comparison.one),
        "B": list(comparison.other),
        "usual": {"differences": _signs_json(comparison.group.usual), "items": comparison.group.number},
        "items": items,
    }


def _contrast_json(each: FileContrast) -> dict[str, Any]:
    return {
        "name": each.name,
        "verdict": each.verdict,
        "expected": None if each.expected is None else _signs_json(each.expected),
        "differences": _json(each.differences),
        "sentences": {"A": each.one.sentence, "B": each.other.sentence},
        "scores": {"A": each.contrast.one.value, "B": each.contrast.other.value},
    }


def _json(found: Iterable[Difference]) -> list[dict[str, Any]]:
    return [{"property": each.name, "A_minus_B": each.number} for each in found]


def _signs_json(signs: Signs) -> list[dict[str, Any]]:
    return [{"property": name, "violated_more_by": "A" if is_more else "B"} for name, is_more in sorted(signs)]


# Minimal pairs of a file: A is the bad sentence


def pairs_report(
    groups: Sequence[ContrastGroup],
    notes: Sequence[str] = (),
    lost: Sequence[LostItem] = (),
    record: RunRecord | None = None,
) -> Answer:
    """Return what each pair turns on, as text and as JSON; `notes` are those of the suite."""
    return Answer(lambda: pairs_lines(groups, notes, lost), lambda: pairs_json(groups, lost), record)


def pairs_lines(
    groups: Sequence[ContrastGroup], notes: Sequence[str] = (), lost: Sequence[LostItem] = ()
) -> Iterator[str]:
    """Return how many pairs turn on what they should, counts by property, then the pairs that do not, each by name."""
    yield from (f"! {note}" for note in notes)
    yield from _on_parses([parse for group in groups for each in group.contrasts for parse in each.contrast.parses])
    every = [each for group in groups for each in group.contrasts]
    verdicts = Counter(each.verdict for each in every)
    said = sum(each.expected is not None for each in every)
    by = (
        "what the file names"
        if said == len(every)
        else "what most of their phenomenon do"
        if not said
        else "what they should"
    )
    yield f"{counted(len(every), 'pair')}, A the bad sentence: {verdicts['expected']} turn on {by} and nothing else"
    yield (
        f"{verdicts['more']} turn on that and more, {verdicts['other']} something else, "
        f"{verdicts['nothing']} nothing that the grammar knows"
    )
    yield ""
    rows = [["property", "pairs", "alone", "phenomena"]]
    whole = ContrastGroup("", tuple(every), frozenset(), 0)
    for (name, is_more), (number, alone) in whole.counts.items():
        where = [group.name or "(none)" for group in groups if (name, is_more) in group.counts]
        rows.append([f"{'+' if is_more else '-'} {name}", str(number), str(alone), first_of(where, 3)])
    yield from aligned(rows)
    if len(groups) > 1:
        yield ""
        yield from aligned(
            [
                ["phenomenon", "pairs", "as expected", "usually"],
                *(
                    [
                        group.name or "(none)",
                        str(len(group.contrasts)),
                        str(len(group.with_verdict("expected"))),
                        signed(group.usual),
                    ]
                    for group in groups
                ),
            ]
        )
    wrong = [(group, each) for group, each in in_order(groups) if each.verdict != "expected"]
    for group, each in wrong[:MOST]:
        yield ""
        named = f" ({group.name})" if group.name else ""
        yield f"{each.verdict} {each.name or each.one.id}{named}: {_differing(each.differences)}"
        yield f"  A {figure(each.contrast.one.value):>6}  {on_one_line(each.one.sentence)}"
        yield f"  B {figure(each.contrast.other.value):>6}  {on_one_line(each.other.sentence)}"
    if len(wrong) > MOST:
        yield ""
        yield f"and {len(wrong) - MOST} more, which -f json has"
    yield from named_as_lost("sentence", [str(each) for each in lost])


def pairs_json(groups: Sequence[ContrastGroup], lost: Sequence[LostItem]) -> dict[str, Any]:
    """Return all pairs as a value, those first that turn on something else, each with what `contrast -f json` says of
    it, by the schema `numbat.contrasts/1`.
    """
    pairs = [
        _contrast_json(each) | {"phenomenon": group.name, "contrast": contrast_json(each.contrast)}
        for group, each in in_order(groups)
    ]
    whole = ContrastGroup("", tuple(each for group in groups for each in group.contrasts), frozenset(), 0)
    properties = [
        {"property": name, "violated_more_by": "A" if is_more else "B", "pairs": number, "alone": alone}
        for (name, is_more), (number, alone) in whole.counts.items()
    ]
    phenomena = [
        {"name": group.name, "pairs": len(group.contrasts), "usual": _signs_json(group.usual), "number": group.number}
        for group in groups
    ]
    found = {"schema": CONTRASTS_SCHEMA, "properties": properties, "phenomena": phenomena, "pairs": pairs}
    return found | {"lost": [str(each) for each in lost]}


# Lists as a table: a row for each sentence that a group of people is shown, in its order

OWN: Final = ("group", "list", "position", "kind", "item", "condition", "sentence")
"""The columns of every table of lists."""


def list_rows(materials: Materials, lists: Sequence[TrialList]) -> list[list[str]]:
    """Return the rows, the names of columns first. `group` numbers list and order; columns of the file go with them.

    Raises UsageError for a factor that is called as one of the columns of every table.
    """
    named = [name for name in (*materials.within, *materials.factors) if name.lower() != "condition"]
    taken = [name for name in named if name.lower() in OWN]
    if taken:
        raise UsageError(
            f'the column "{taken[0]}" is called as one of the lists\' own\n  rename it: {", ".join(OWN)} are those'
        )
    every = (name for trial in lists[0].trials for name, _ in trial.extra)
    extra = [name for name in dict.fromkeys(every) if name.lower() not in {*OWN, *(each.lower() for each in named)}]
    rows = [[*OWN[:4], *named, *OWN[4:], *extra]]
    width, wide = len(str(max(each.number for each in lists))), len(str(max(each.order for each in lists)))
    several = max(each.order for each in lists) > 1
    for each in lists:
        group = f"{each.number:0{width}}" + (f".{each.order:0{wide}}" if several else "")
        for position, trial in enumerate(each.trials, start=1):
            levels = dict(zip(materials.factors, trial.condition, strict=bool(trial.condition)))
            levels |= dict(zip(materials.within, trial.item[:-1], strict=False))
            own = dict(trial.extra)
            rows.append(
                [
                    *(group, str(each.number), str(position), trial.kind),
                    *(levels.get(name, "") for name in named),
                    *(trial.item[-1], ", ".join(trial.condition), trial.sentence),
                    *(own.get(name, "") for name in extra),
                ]
            )
    return rows


def as_csv(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def as_tsv(rows: Sequence[Sequence[str]]) -> str:
    """Return rows with TABs between cells, which have none."""
    return "".join("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row) + "\n" for row in rows)


# PCIbex: a script for PennController with its table, as one zip

INSTRUCTIONS: Final = """<h2>Instructions</h2> <p>You will read sentences, one after the other. Say how natural each of
them is to you, from <b>{least}</b> (not natural at all) to <b>{most}</b> (fully natural): click on the number, or press
its key.</p> <p>There is no right or wrong: what counts is what you think when you read the sentence. Please do not look
anything up, and do not think about it for long.</p>
"""
READ_ME: Final = """An experiment for PCIbex (PennController 2), made by numbat design.

    data_includes/main.js              the script
    chunk_includes/trials.csv          what each group is shown, in its order
    chunk_includes/instructions.html   what people read first

At https://farm.pcibex.net: make an empty project, add main.js under Scripts and the two others under Resources, and
open the preview. The debugger is on until you take the slashes away before DebugOff().

What is yours to add: consent, and what your ethics committee asks for. main.js says where. The {groups} groups are
given out in turn by the counter; ask a multiple of {groups} people.

Results: every sentence has a row "Scale, rating, Choice" whose columns are those of trials.csv.
"""


def pcibex_zip(materials: Materials, lists: Sequence[TrialList], scale: tuple[int, int]) -> bytes:
    """Return the experiment as a zip: the same bytes for the same lists. Raises UsageError as `list_rows`."""
    rows = list_rows(materials, lists)
    low, high = scale
    settings = {
        "SCALE": [str(number) for number in range(low, high + 1)],
        "LEAST": "not natural at all",
        "MOST": "fully natural",
        "CONTINUE": "Continue",
        "BEGIN": "That was for practice. Now the study begins.",
        "END": "Thank you! Your answers are saved; you may close this page.",
        "PRACTICE": any(each.kind == PRACTICE for each in lists[0].trials),
        "COLUMNS": list(rows[0]),
    }
    constants = "".join(
        f"const {name} = {json.dumps(value, ensure_ascii=False)};\n" for name, value in settings.items()
    )
    contents = {
        "README.txt": READ_ME.format(groups=len(lists)),
        "chunk_includes/instructions.html": INSTRUCTIONS.format(least=escape(str(low)), most=escape(str(high))),
        "chunk_includes/trials.csv": as_csv(rows),
        "data_includes/main.js": f"// An experiment for PCIbex.\n{constants}\n{read('pcibex.js')}",
    }
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in contents.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text.encode())
    return written.getvalue()
