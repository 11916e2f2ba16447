"""The report on a language that was made of a treebank: its page README.md and its summary."""

from __future__ import annotations

from collections.abc import Iterator

from numbat.errors import counted
from numbat.records import frozen
from numbat.runs.held_out import Measured
from numbat.treebank.corruptions import KINDS
from numbat.treebank.judgement import NAMES, Judgement
from numbat.version import __version__


@frozen
class LanguageReport:
    """How a language was made, and what it does on held-out sentences; None where nothing was held out.

    `sentences` are those that it was made of.
    """

    folder: str
    source: str
    sentences: int
    stages: tuple[Stage, ...]
    measured: Measured | None
    judgement: Judgement | None
    notes: tuple[str, ...] = ()


@frozen
class Stage:
    """A part of the work: what was made, and the CPU seconds that it took in this process."""

    made: str
    seconds: float


WORDS_OF = {
    "swap": "two neighbours swapped",
    "drop": "a word left out that must be there",
    "double": "a word doubled",
    "agreement": "an agreement broken",
}


def summary(report: LanguageReport) -> str:
    """Return what was measured, in a few lines."""
    return "\n".join(_measured(report))


def read_me(report: LanguageReport) -> str:
    """Return the page of a language, in Markdown."""
    lines = [
        f"# {report.folder.rstrip('/').rpartition('/')[2] or report.folder}",
        "",
        f"A language made by numbat {__version__} of {report.source}: {counted(report.sentences, 'sentence')}.",
        *report.notes,
        "The licence of the treebank holds for these files too.",
        "",
        "```console",
        f'$ numbat parse -g {report.folder} "a sentence"',
        f'$ numbat parse -g {report.folder} -f conllu "a sentence"',
        "```",
        "",
        "## Made of",
        "",
        *(f"- {stage.made}, {stage.seconds:.0f} s" for stage in report.stages),
        "",
        "## Measured",
        "",
        *_measured(report),
    ]
    return "\n".join(lines) + "\n"


def _measured(report: LanguageReport) -> Iterator[str]:
    found = report.measured
    if found is None:
        yield "Nothing: there are too few sentences, or no dependencies, to hold some out."
        return
    yield f"On {counted(found.sentences, 'sentence')} that were held out, by the rules of CoNLL 2018, in per cent:"
    yield ""
    by_tags, from_text = found.by_tags.measures, found.from_text.measures
    names = [name for name in by_tags if name != "Sentences"]
    yield f"| | {' | '.join(names)} |"
    yield "|---|" + "---|" * len(names)
    for name, measures in (("with their tags", by_tags), ("from raw text", from_text)):
        yield f"| {name} | {' | '.join(f'{100 * measures[each].f1:.1f}' for each in names)} |"
    if not found.pairs:
        return
    yield ""
    yield "Sentences made worse on purpose: how many cost nothing, as well-formed ones do;"
    yield "how often a sentence scores above its own corruption, by the costs of its violations and by the judgement of"
    yield "the language, ties half (in brackets: the area under the ROC curve, over all sentences)."
    yield ""
    by_cost = NAMES.index("cost")
    values = {"by cost": lambda features: features[by_cost]}
    if report.judgement is not None:
        values["by the judgement"] = report.judgement.value
    yield f"| | cost nothing | {' | '.join(values)} |"
    yield "|---|---|" + "---|" * len(values)
    for kind in KINDS:
        free = found.free(kind)
        if free is None:
            continue
        rows = [f"{100 * free:.0f} %"]
        for value in values.values():
            rows.append(f"{found.paired(kind, value):.3f} ({found.pooled(kind, value):.3f})")
        yield f"| {WORDS_OF[kind]} | {' | '.join(rows)} |"
