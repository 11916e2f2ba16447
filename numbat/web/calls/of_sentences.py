"""Calls about sentences that were typed: their parses, why they have their scores, what would better them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from numbat.commands import suites
from numbat.errors import DataError, UsageError, counted
from numbat.gradience.models import Score, explain_score
from numbat.gradience.models import contrast as contrast_of
from numbat.parsing.queries import constituent_named
from numbat.parsing.result import Parse
from numbat.report.pages import FOR_TREES, forest, svg
from numbat.report.reasons import contrast_json, explanation_json, repair_json
from numbat.runs.parsing import ParseJob, Tracing
from numbat.runs.sources import InputSentence
from numbat.web.parse_views import NO_WORDS, parse_view, row_of
from numbat.web.requests import (
    MOST_SENTENCES,
    ConstituentOfSentence,
    OneSentence,
    Sentences,
    SentenceToRepair,
    TreeFile,
    TwoSentences,
)
from numbat.web.session import Session
from numbat.words.typed import leading_mark

UNREADABLE = "unreadable"
WAITING = "waiting"
"""The status of a sentence for which there was no time."""
MOST_PARSES: Final = 100
TREE_FORMS: Final[dict[str, Callable[[Parse], str]]] = {
    "svg": svg,
    "latex": lambda parse: f"{FOR_TREES}\n{forest(parse)}",
}
"""What makes a file of a parse, by its form."""


def sentences(session: Session, given: Sentences) -> dict[str, Any]:
    """Each sentence with its status, cost, score and number of violations.

    Where the time is not enough for all, the others have the status `waiting`: who asks again gets more of them.
    """
    if len(given.sentences) > MOST_SENTENCES:
        raise DataError(f"{len(given.sentences):,} sentences\n  give up to {MOST_SENTENCES:,} at once")
    session.get_ready()
    rows = [_row(session, typed) for typed in given.sentences]
    return {"sentences": rows, "waiting": sum(row["status"] == WAITING for row in rows)}


def _row(session: Session, typed: str) -> dict[str, Any]:
    session.go_on()
    if session.is_overdue() and not session.has_parsed(typed):
        return _without_parse(typed, WAITING)
    try:
        parse = session.parses(typed)[0]
    except DataError as error:
        return _without_parse(typed, UNREADABLE, str(error))
    return row_of(typed, parse, _score(session, parse))


def _without_parse(typed: str, status: str, summary: str = "") -> dict[str, Any]:
    mark, _ = leading_mark(typed)
    unknown = dict.fromkeys(("agrees", "cost", "score", "violated", "stopped_by"))
    return {"typed": typed, "mark": mark, "status": status, "summary": summary, **unknown, "guessed": [], "unknown": []}


def _score(session: Session, parse: Parse) -> Score | None:
    return session.score(parse) if parse.constituents else None


def parse(session: Session, given: OneSentence) -> dict[str, Any]:
    """The best parses of a sentence: trees, scores, each violation with its place and its daughters."""
    parses = session.parses(given.sentence, given.n)
    return {
        "typed": given.sentence,
        "mark": leading_mark(given.sentence)[0],
        "parses": [parse_view(each, _score(session, each), given.all_features) for each in parses],
    }


def tree(session: Session, given: TreeFile) -> dict[str, Any]:
    """A parse as a file: a drawing that stands alone (`svg`), or LaTeX for the package forest (`latex`)."""
    if given.form not in TREE_FORMS:
        raise UsageError(f'"{given.form}" is no form of a tree\n  the forms are: {", ".join(TREE_FORMS)}')
    if not 0 < given.rank <= MOST_PARSES:
        raise UsageError(f"rank {given.rank}\n  ranks are from 1 to {MOST_PARSES}")
    parses = session.parses(given.sentence, given.rank)
    if len(parses) < given.rank:
        raise DataError(f"the sentence has {counted(len(parses), 'parse')}\n  ask for one of these")
    return {"form": given.form, "text": TREE_FORMS[given.form](parses[given.rank - 1])}


def explain(session: Session, given: OneSentence) -> dict[str, Any]:
    """Why a sentence has its score: what each violated property takes from it."""
    return explanation_json(explain_score(session.parses(given.sentence)[0], session.score))


def why_not(session: Session, given: ConstituentOfSentence) -> dict[str, Any]:
    """The best analysis with a constituent, what that costs more than the best of all, or why there is none."""
    lattice = session.lattice(given.sentence)
    wanted = constituent_named(given.constituent, session.parser.grammar, lattice)
    found = suites.why_not(session.parser, lattice, wanted)
    forced = found.constrained
    return {
        "says": found.says,
        "best": parse_view(found.best, _score(session, found.best)),
        "forced": None if forced is None else parse_view(forced, _score(session, forced)),
    }


def contrast(session: Session, given: TwoSentences) -> dict[str, Any]:
    """What makes the difference between two sentences: the properties that only one of them violates or satisfies."""
    one, other = (session.parses(typed)[0] for typed in (given.one, given.other))
    found = contrast_json(contrast_of(one, other, session.score))
    return {
        **{name: found[name] for name in ("violated", "satisfied")},
        "one": parse_view(one, _score(session, one)),
        "other": parse_view(other, _score(session, other)),
    }


def repair(session: Session, given: SentenceToRepair) -> dict[str, Any]:
    """The smallest changes of a sentence that better its score, and what speaks against each."""
    if given.edits not in (1, 2) or not 0 < given.most <= 50:
        raise DataError("edits are 1 or 2, and from 1 to 50 proposals can be asked for\n  give such numbers")
    lattice = session.lattice(given.sentence)
    if not lattice.tokens:
        return {"repairs": [], "stopped_by": None, "doubts": [], "status": NO_WORDS}
    found = suites.repair(session.parser, lattice, session.score, given.edits, most=given.most, advance=session.go_on)
    answer = repair_json(found)
    return {name: answer[name] for name in ("repairs", "stopped_by", "doubts", "score")}


def trace(session: Session, given: OneSentence) -> dict[str, Any]:
    """The eight phases of a sentence, round by round, by the schema `numbat.trace/1`."""
    sentence = InputSentence("1", session.lattice(given.sentence))
    traced = ParseJob(session.parser, given.n, Tracing(advance=session.go_on))(sentence)
    session.go_on()
    return {"trace": traced.trace}


def what_if(session: Session, given: Sentences) -> dict[str, Any]:
    """Each sentence under the numbers of the grammar and under those of the settings, with what that changes."""
    after = sentences(session, given)
    before = sentences(session.without_changes(), given)
    changed = [
        {"typed": old["typed"], "cost": _difference(old["cost"], new["cost"]), "agrees": [old["agrees"], new["agrees"]]}
        for old, new in zip(before["sentences"], after["sentences"], strict=True)
    ]
    waiting = max(before["waiting"], after["waiting"])
    return {"before": before["sentences"], "after": after["sentences"], "changed": changed, "waiting": waiting}


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else round(after - before, 9)
