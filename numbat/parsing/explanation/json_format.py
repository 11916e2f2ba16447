"""A parse as a value for JSON, by the schema `numbat.parse/2`, and back to its record.

`parse.schema.json` beside this module is the schema, and says what each key means. There are two forms: this one, with
the names that people and programs read, and the compact one (`compact_json`), with numbers in the place of names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from numbat.errors import DataError
from numbat.evaluation.constituents import Constituent
from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT
from numbat.parsing.analysis import Analysis, Evaluated
from numbat.parsing.explanation import compact_json
from numbat.parsing.explanation.fields import constituent_numbers, instance_fields, number
from numbat.parsing.explanation.record_kinds import check_kinds
from numbat.parsing.explanation.wording import stretches
from numbat.parsing.parse_record import (
    ConstituentRecord,
    InstanceRecord,
    ParseRecord,
    check_digest,
    record_of,
)

SCHEMA: Final = "numbat.parse/2"
SCHEMA_FILE: Final = Path(__file__).with_name("parse.schema.json")
"""The JSON Schema of both forms."""


def to_json(analysis: Analysis, compact: bool = False) -> dict[str, Any]:
    """The parse as a value that `json.dumps` takes, by the schema `numbat.parse/2`.

    Costs and weights are numbers in units, not fixed-point. `start` and `end` of a property instance are those of the
    daughters that it speaks of, or of its constituent where it speaks of none. `places` are characters of `sentence`.
    """
    record = record_of(analysis)
    if compact:
        return {"schema": SCHEMA, **compact_json.to_json(record, analysis.grammar)}
    numbers = constituent_numbers(analysis)
    outcome = compact_json.outcome_json(record.outcome)
    if not outcome["why_partial"]:
        del outcome["why_partial"]
    return {
        "schema": SCHEMA,
        "grammar": record.grammar,
        "digest": record.digest,
        "sentence": record.text,
        "tokens": list(record.tokens),
        "places": [list(place) for place in record.places],
        "skipped": list(record.skipped),
        "skipped_places": [list(place) for place in record.skipped_places],
        "gaps": list(record.gaps),
        "constituents": _nested(analysis.constituents, numbers),
        "satisfied": [_instance(evaluated, numbers, analysis) for evaluated in analysis.satisfied],
        "violated": [_instance(evaluated, numbers, analysis) for evaluated in analysis.violated],
        "cost": {
            "total": number(analysis.cost),
            "violations": number(analysis.violation_cost),
            "fragments": number(analysis.fragment_cost),
            "lexical": number(analysis.lexical_cost),
        },
        "weight": number(analysis.weight),
        "nodes": analysis.nodes,
        "count": outcome.pop("count"),
        "full": analysis.is_full,
        "well_formed": analysis.is_well_formed,
        **outcome,
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
                "lexical_cost": number(constituent.lexical_cost),
                "daughters": daughters,
            }
        )
        waiting += [(daughter, daughters) for daughter in reversed(constituent.daughters)]
    return nested


def _instance(evaluated: Evaluated, numbers: dict[int, int], analysis: Analysis) -> dict[str, Any]:
    return {"number": analysis.number_of(evaluated.property), **instance_fields(evaluated, numbers, analysis.grammar)}


# ------------------------------------------------------------------------------------------------------ reading back


def record_from_json(value: Any, grammar: Grammar) -> ParseRecord:
    """The record of a parse from what `to_json` made of it, in either form.

    Raises DataError for a value by no such schema, and for a parse by another grammar.
    """
    if not isinstance(value, Mapping) or value.get("schema") != SCHEMA:
        found = value.get("schema") if isinstance(value, Mapping) else None
        what = f'a parse by the schema "{found}"' if found else "no parse"
        raise DataError(f'this value is {what}; what can be read is "{SCHEMA}"\n  write it with parse.to_json()')
    try:
        check_digest(value["digest"], value["grammar"], grammar)
        record = compact_json.record(value, grammar) if "constructions" in value else _record(value)
        check_kinds(record)
        return record
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DataError(
            f"this value is no parse by the schema {SCHEMA}: {type(error).__name__} {error}\n"
            "  numbat/parsing/explanation/parse.schema.json has the schema"
        ) from None


def _record(value: Mapping[str, Any]) -> ParseRecord:
    """The record of the form with names; what the grammar and the structure say anyway is not looked at."""
    instances = _instances_by_constituent(value)
    constituents: list[ConstituentRecord] = []
    waiting: list[Mapping[str, Any]] = list(reversed(value["constituents"]))
    while waiting:
        each = waiting.pop()
        at = {daughter["id"]: i for i, daughter in enumerate(each["daughters"])}
        satisfied, violated = (
            tuple(InstanceRecord(prop, tuple(at[element] for element in elements)) for prop, elements in found)
            for found in instances.get(each["id"], ([], []))
        )
        constituents.append(
            ConstituentRecord(
                each["construction"],
                sum(1 << position for position in each["positions"]),
                tuple(each["features"].items()),
                len(at),
                satisfied,
                violated,
                "" if each["form"] is None else each["form"],
                each["guessed"],
                0 if at else round(each["lexical_cost"] * UNIT),
            )
        )
        waiting += reversed(each["daughters"])
    return ParseRecord(
        grammar=value["grammar"],
        digest=value["digest"],
        tokens=tuple(value["tokens"]),
        skipped=tuple(value["skipped"]),
        text=value["sentence"],
        gaps=tuple(value["gaps"]),
        places=tuple((start, end) for start, end in value["places"]),
        skipped_places=tuple((start, end) for start, end in value["skipped_places"]),
        constituents=tuple(constituents),
        outcome=compact_json.outcome_of(value, value["cost"]["fragments"]),
    )


Found = tuple[int, list[int]]
"""The number of a property and those of the constituents that an instance speaks of."""


def _instances_by_constituent(value: Mapping[str, Any]) -> dict[int, tuple[list[Found], list[Found]]]:
    """The satisfied and the violated instances of each constituent, by its number."""
    found: dict[int, tuple[list[Found], list[Found]]] = {}
    for i, kind in enumerate(("satisfied", "violated")):
        for each in value[kind]:
            found.setdefault(each["constituent"], ([], []))[i].append((each["number"], each["elements"]))
    return found
