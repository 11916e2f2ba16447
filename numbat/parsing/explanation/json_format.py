"""A parse as a value for JSON, by the schema `numbat.parse/1`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from numbat.evaluation.constituents import Constituent
from numbat.parsing.analysis import Analysis
from numbat.parsing.explanation.fields import constituent_numbers, instance_fields, number
from numbat.parsing.explanation.wording import stretches

SCHEMA: Final = "numbat.parse/1"


def to_json(analysis: Analysis) -> dict[str, Any]:
    """The parse as a value that `json.dumps` takes, by the schema `numbat.parse/1`.

    Costs and weights are numbers in units, not fixed-point. `start` and `end` of a property instance are those of the
    daughters that it speaks of, or of its constituent where it speaks of none.
    """
    numbers = constituent_numbers(analysis)
    return {
        "schema": SCHEMA,
        "grammar": analysis.grammar.name,
        "sentence": analysis.sentence,
        "tokens": list(analysis.lattice.tokens),
        "skipped": list(analysis.lattice.skipped),
        "constituents": _nested(analysis.constituents, numbers),
        "satisfied": [instance_fields(evaluated, numbers) for evaluated in analysis.satisfied],
        "violated": [instance_fields(evaluated, numbers) for evaluated in analysis.violated],
        "cost": {
            "total": number(analysis.cost),
            "violations": number(analysis.violation_cost),
            "fragments": number(analysis.fragment_cost),
            "lexical": number(analysis.lexical_cost),
        },
        "weight": number(analysis.weight),
        "nodes": analysis.nodes,
        "count": analysis.count,
        "full": analysis.is_full,
        "well_formed": analysis.is_well_formed,
        "rank": analysis.rank,
        "rounds": analysis.rounds,
        "engine": analysis.engine,
        "profile": analysis.profile,
        "election": analysis.election,
        "valuation": analysis.valuation,
        "stopped_by": analysis.stopped_by,
    }


def _nested(tops: Sequence[Constituent], numbers: dict[int, int]) -> list[dict[str, Any]]:
    """Each constituent with those below it; without recursion, for trees may be deep."""
    nested: list[dict[str, Any]] = []
    waiting = [(top, nested) for top in reversed(tops)]
    while waiting:
        constituent, sisters = waiting.pop()
        daughters: list[dict[str, Any]] = []
        sisters.append(
            {
                "id": numbers[id(constituent)],
                "construction": constituent.construction,
                "start": constituent.start,
                "end": constituent.end,
                "positions": [i for run in stretches(constituent.cover) for i in range(*run)],
                "features": dict(constituent.features),
                "form": constituent.form if constituent.is_word else None,
                "guessed": constituent.guessed,
                "daughters": daughters,
            }
        )
        waiting += [(daughter, daughters) for daughter in reversed(constituent.daughters)]
    return nested
