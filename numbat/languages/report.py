"""Report on a new language: its page README.md and its summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from operator import itemgetter
from typing import Final

from numbat.errors import counted
from numbat.languages.held_out import Measured, Value, above_all, above_own, share_free
from numbat.records import frozen
from numbat.statistics.intervals import Estimate
from numbat.treebanks.corruptions import CORRUPTIONS, KINDS
from numbat.treebanks.judgement import JudgedPair, Judgement, own_cost
from numbat.version import __version__

FEW: Final = 20
"""Minimum number of sentences for figures that mean something."""


@frozen
class LanguageReport:
    """Report on a language: how it was made, and its measures on held-out sentences, None if there are none.

    `sentences` counts those that it was made of. `command` is the one that made it, `lacks` says what its treebank
    lacks. `unseen` has, by kind of corruption, a judgement that was learned without that kind. `gold` names the model
    that drew the held-out trees, "" for a treebank. `licence` is the file name and the first line of the licence beside
    the treebank.
    """

    folder: str
    source: str
    sentences: int
    stages: tuple[MakingStage, ...]
    measured: Measured | None
    judgement: Judgement | None
    unseen: Mapping[str, Judgement] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    command: str = ""
    lacks: tuple[str, ...] = ()
    gold: str = ""
    licence: tuple[str, str] | None = None


@frozen
class MakingStage:
    """A part of the work: what it made, the seconds that passed, and the CPU time of this process and its workers."""

    made: str
    seconds: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.made} ({self.seconds:.0f} s, CPU time {self.cpu:.0f} s)"


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
        *(f"- {stage}" for stage in report.stages),
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
    yield from _judged(report, measured)


TYPED: Final = CORRUPTIONS | {"drop": "any word left out"}
"""Descriptions of the kinds of corruption of raw text."""
ABOUT: Final = """
Sentences made worse on purpose, n of each kind, with 95 % intervals over sentences. Scores are the grammar's costs of
violations, and the likelihoods of the tree and of trigrams of tags (per word)."""
ABOUT_JUDGEMENT: Final = """Learned costs and the judgement of the language were learned from other sentences, with
their tags, that were made worse in the same ways. They are less good at mistakes of other kinds: `unseen kind` is a
judgement that was learned without the kind in its row. `numbat report -m {} SUITE` compares the judgement with those
of people."""


def _judged(report: LanguageReport, measured: Measured) -> Iterator[str]:
    """Yield how well scores tell held-out sentences from corruptions, in tables with n and intervals."""
    yield from ABOUT.split("\n")
    values: dict[str, Callable[[str], Value | None]] = {"cost": lambda _: own_cost}
    if (judgement := report.judgement) is not None:
        yield from ABOUT_JUDGEMENT.format(report.folder).split("\n")
        values["learned cost"] = lambda _: judgement.cost
    values |= {"tree": lambda _: itemgetter("tree"), "tags": lambda _: itemgetter("tags")}
    if judgement is not None:
        values["judgement"] = lambda _: judgement.value
        values["unseen kind"] = lambda kind: report.unseen[kind].value if kind in report.unseen else None
    rows = [(CORRUPTIONS[kind], kind, _of(measured.pairs, kind)) for kind in KINDS]
    rows += [(f"{TYPED[kind]}, from raw text", kind, _of(measured.typed, kind)) for kind in KINDS]
    head = f"| | n | cost nothing | {' | '.join(values)} |", "|---|---|---|" + "---|" * len(values)
    for title, above in (
        ("How often a sentence scores above its own corruption, ties half:", above_own),
        ("The area under the ROC curve of all sentences against all corruptions of a kind:", above_all),
    ):
        yield from ("", title, "", *head)
        for name, kind, pairs in rows:
            if pairs:
                chosen = (value(kind) for value in values.values())
                cells = ["-" if by is None else _shown(above(pairs, by)) for by in chosen]
                yield f"| {name} | {len(pairs)} | {_shown(share_free(pairs))} | {' | '.join(cells)} |"


def _of(pairs: Sequence[JudgedPair], kind: str) -> list[JudgedPair]:
    return [pair for pair in pairs if pair.kind == kind]


def _shown(estimate: Estimate) -> str:
    interval = "" if estimate.low is None or estimate.high is None else f" [{estimate.low:.2f}, {estimate.high:.2f}]"
    return f"{estimate.value or 0:.2f}{interval}"
