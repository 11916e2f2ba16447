"""The answers of `explain`, `contrast`, `judge`, `why-not` and `repair` as JSON.

Parses are written as `numbat parse -f json` writes them, scores with the named numbers that they are made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numbat.commands.json_text import json_text
from numbat.gradience.models.contrasts import contrast, losses
from numbat.gradience.models.scores import Score, Scorer
from numbat.gradience.repair.repair import Repairs
from numbat.grammar.model import Property
from numbat.grammar.printing import format_property
from numbat.parsing.result import Parse


def text_of(value: Any) -> str:
    """The answer about one sentence. Raises DataError where its tree is too deep for JSON."""
    return json_text(value, "<sentence>", "-f text", indent=2)


def judged(place: str, parse: Parse, score: Scorer) -> str:
    """A tree that was given, and its score. Raises DataError for one too deep for JSON."""
    return json_text(scored(parse, score), place, "-f text", indent=2)


def listed(records: Sequence[str]) -> str:
    """Records that are JSON already as one list."""
    return "[\n  " + ",\n".join(records).replace("\n", "\n  ") + "\n]" if records else "[]"


def scored(parse: Parse, score: Scorer) -> dict[str, Any]:
    """A parse with its score."""
    return {"score": _score(score(parse)), "parse": parse.to_json()}


def explained(parse: Parse, score: Scorer) -> dict[str, Any]:
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
        for loss in losses(parse, score)
    ]
    return {"losses": lost, **scored(parse, score)}


def contrasted(one: Parse, other: Parse, score: Scorer) -> dict[str, Any]:
    """Two parses with their scores, and how much more often the first violates and satisfies each property."""
    found = contrast(one, other, score)
    return {
        "violated": [_named(prop, number) for prop, number in found.violated],
        "satisfied": [_named(prop, number) for prop, number in found.satisfied],
        "A": scored(one, score),
        "B": scored(other, score),
    }


def forced(best: Parse, found: Parse | None, said: str) -> dict[str, Any]:
    """What `why-not` says, with both parses; the second is null where no analysis has the constituent."""
    return {"says": said, "best": best.to_json(), "forced": None if found is None else found.to_json()}


def repaired(parse: Parse, found: Repairs, score: Scorer) -> dict[str, Any]:
    """The repairs of a parse, the best first, and the limit at which the search for them ended."""
    made = [
        {
            "sentence": repair.sentence,
            "edits": [{"kind": edit.kind, "says": edit.says} for edit in repair.edits],
            "gain": repair.gain,
            "gain_per_edit": repair.gain_per_edit,
            "well_formed": repair.parse.is_well_formed,
            "violated": len(repair.parse.violated),
        }
        for repair in found
    ]
    return {"repairs": made, "stopped_by": found.stopped_by, **scored(parse, score)}


def _score(found: Score) -> dict[str, Any]:
    return {"model": found.model, "value": found.value, "parts": dict(found.parts), "factor": found.factor}


def _named(prop: Property, number: int) -> dict[str, Any]:
    return {
        "construction": prop.construction,
        "property": format_property(prop),
        "relation": prop.relation,
        "more_in_A": number,
    }
