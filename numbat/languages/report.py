"""Report on a new language: its page README.md and its summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Final

from numbat.errors import counted
from numbat.languages.held_out import Measured
from numbat.records import frozen
from numbat.treebanks.corruptions import CORRUPTIONS, KINDS
from numbat.treebanks.judgement import Features, Judgement, own_cost
from numbat.version import __version__

FEW: Final = 20
"""Minimum number of sentences for figures that mean something."""


@frozen
class LanguageReport:
    """Report on a language: how it was made, and its measures on held-out sentences, None if there are none.

    `sentences` counts those that it was made of. `command` is the one that made it, `lacks` says what its treebank
    lacks. `gold` names the model that drew the held-out trees, "" for a treebank. `licence` is the file name and the
    first line of the licence beside the treebank.
    """

    folder: str
    source: str
    sentences: int
    stages: tuple[MakingStage, ...]
    measured: Measured | None
    judgement: Judgement | None
    notes: tuple[str, ...] = ()
    command: str = ""
    lacks: tuple[str, ...] = ()
    gold: str = ""
    licence: tuple[str, str] | None = None


@frozen
class MakingStage:
    """A part of the work: what it made, and the CPU seconds that this process spent on it."""

    made: str
    seconds: float


def summary(report: LanguageReport) -> str:
    """Return the measures as text."""
    return "\n".join(_measured(report))


def read_me(report: LanguageReport) -> str:
    """Return the page of a language, in Markdown."""
    lines = [
        f"# {report.folder.rstrip('/').rpartition('/')[2] or report.folder}",
        "",
        f"A language made by numbat {__version__} of {report.source}: {counted(report.sentences, 'sentence')}.",
        *report.notes,
        *(f"Note: {lack}." for lack in report.lacks),
        _licence(report),
        "",
        "```console",
        *([f"$ {report.command}"] if report.command else []),
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


def _licence(report: LanguageReport) -> str:
    holds = "The licence of the treebank applies to these files too: pass them on only with its name and licence."
    if report.licence is None:
        return f"{holds}\nThere is no licence file beside the treebank: look at its source, and write the licence here."
    name, begins = report.licence
    return f"{holds}\n{name} beside the treebank begins: {begins}"


def _measured(report: LanguageReport) -> Iterator[str]:
    measured = report.measured
    if measured is None:
        yield "Nothing: there are too few sentences to hold some out, or no dependencies."
        return
    few = f" (too few to say much: at least {FEW} are needed)" if measured.sentences < FEW else ""
    sentences = counted(measured.sentences, "sentence")
    yield f"On {sentences} that were held out{few}, by the rules of CoNLL 2018, in per cent:"
    if report.gold:
        yield f"compared with the trees of {report.gold}, which nobody has checked: both may make the same mistakes."
    yield ""
    by_tags, from_text = measured.by_tags.measures, measured.from_text.measures
    other_tags = report.gold and not by_tags["UPOS"].f1  # a model may have other tags
    names = [name for name in by_tags if name != "Sentences" and not (name == "UPOS" and other_tags)]
    yield f"| | {' | '.join(names)} |"
    yield "|---|" + "---|" * len(names)
    for name, measures in (("with their tags", by_tags), ("from raw text", from_text)):
        yield f"| {name} | {' | '.join(f'{100 * measures[column].f1:.1f}' for column in names)} |"
    if not measured.pairs:
        return
    yield ""
    yield "Sentences made worse on purpose: how many cost nothing, as if they were well-formed, and how often a"
    yield "sentence scores above its corruption, ties half (in brackets: the area under the ROC curve over all"
    yield "sentences). Scores are the grammar's costs of violations, learned costs, the likelihoods of the tree and of"
    yield "trigrams of tags (per word), and the judgement of the language, which was learned from other sentences."
    yield ""
    values: dict[str, Callable[[Features], float]] = {"cost": own_cost}
    if report.judgement is not None:
        values["learned cost"] = report.judgement.cost
    values |= {"tree": itemgetter("tree"), "tags": itemgetter("tags")}
    if report.judgement is not None:
        values["judgement"] = report.judgement.value
    yield f"| | cost nothing | {' | '.join(values)} |"
    yield "|---|---|" + "---|" * len(values)
    for kind in KINDS:
        free = measured.free(kind)
        if free is None:
            continue
        rows = [f"{100 * free:.0f} %"]
        for value in values.values():
            rows.append(f"{measured.paired(kind, value):.3f} ({measured.pooled(kind, value):.3f})")
        yield f"| {CORRUPTIONS[kind]} | {' | '.join(rows)} |"
