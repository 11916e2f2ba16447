"""The answers of `explain`, `contrast`, `judge`, `why-not` and `repair` as JSON.

Parses are written as `numbat parse -f json` writes them, scores with the named numbers that they are made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numbat.gradience.models import Contrast, Explanation, Score
from numbat.gradience.repair import RepairedSentence, doubts_of
from numbat.grammar.properties import Property, format_property
from numbat.parsing.queries import WhyNot
from numbat.parsing.result import Parse
from numbat.report.json_text import json_text
from numbat.runs.jobs import JudgedTree


def answer_text(value: Any) -> str:
    """The answer about one sentence. Raises DataError where its tree is too deep for JSON."""
    return json_text(value, "<sentence>", "-f text", indent=2)


def judged_text(judged: JudgedTree, indent: int | None = 2) -> str:
    """A tree that was given, and its score. Raises DataError for one too deep for JSON."""
    return json_text(scored_json(judged.parse, judged.score), judged.place, "-f text", indent=indent)


def list_text(records: Sequence[str]) -> str:
    """Records that are JSON already as one list."""
    return "[\n  " + ",\n".join(records).replace("\n", "\n  ") + "\n]" if records else "[]"


def scored_json(parse: Parse, score: Score) -> dict[str, Any]:
    """A parse with its score."""
    return {"score": _score(score), "parse": parse.to_json()}


def explanation_json(explained: Explanation) -> dict[str, Any]:
    """A parse with its score and what each violated property takes from it."""
    lost = [
        {
            "construction": loss.construction or None,
            "property": None if loss.property is None else format_property(loss.property),
            "relation": None if loss.property is None else loss.property.relation,
            "value": loss.value,
            "share": loss.share,
            "sentences": list(loss.sentences),
        }
        for loss in explained.losses
    ]
    return {"losses": lost, **scored_json(explained.parse, explained.score)}


def contrast_json(found: Contrast) -> dict[str, Any]:
    """Two parses with their scores, and how much more often the first violates and satisfies each property."""
    return {
        "violated": [_named(prop, number) for prop, number in found.violated],
        "satisfied": [_named(prop, number) for prop, number in found.satisfied],
        "A": scored_json(found.parses[0], found.one),
        "B": scored_json(found.parses[1], found.other),
    }


def why_not_json(found: WhyNot) -> dict[str, Any]:
    """What `why-not` says, with both parses; the second is null where no analysis has the constituent."""
    forced = None if found.constrained is None else found.constrained.to_json()
    return {"says": found.says, "best": found.best.to_json(), "forced": forced}


def repair_json(repaired: RepairedSentence) -> dict[str, Any]:
    """The repairs of a parse, the best first, and the limit at which the search for them ended."""
    made = [
        {
            "sentence": repair.sentence,
            "edits": [{"kind": edit.kind, "says": edit.says} for edit in repair.edits],
            "gain": repair.gain,
            "gain_per_edit": repair.gain_per_edit,
            "well_formed": repair.parse.is_well_formed,
            "violated": len(repair.parse.violated),
            "doubts": doubts_of(repair.parse),
        }
        for repair in repaired.repairs
    ]
    return {
        "repairs": made,
        "stopped_by": repaired.repairs.stopped_by,
        "doubts": doubts_of(repaired.parse),
        **scored_json(repaired.parse, repaired.score),
    }


def _score(found: Score) -> dict[str, Any]:
    return {"model": found.model, "value": found.value, "parts": dict(found.parts), "factor": found.factor}


def _named(prop: Property, number: int) -> dict[str, Any]:
    return {
        "construction": prop.construction,
        "property": format_property(prop),
        "relation": prop.relation,
        "more_in_A": number,
    }
