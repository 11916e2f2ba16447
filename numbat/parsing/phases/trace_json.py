"""The records of a run as a value for JSON, by the schema `numbat.trace/1`.

`trace.schema.json` beside this module is the schema, and says what each key means. Constituents and properties stand
once in tables; everything else names them by number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from numbat.errors import DataError
from numbat.evaluation.constituents import Assignment, Characterization, Constituent, Instance
from numbat.grammar.digest import property_numbers
from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT, Property, format_property
from numbat.parsing.phases.phases import EvaluatedAssignment, PropertyStore
from numbat.parsing.phases.trace import Begun, Choice, Dropped, Elected, PhaseRecord, Recorder, Round
from numbat.parsing.records import Solution

SCHEMA: Final = "numbat.trace/1"
SCHEMA_FILE: Final = Path(__file__).with_name("trace.schema.json")


def trace_to_json(recorder: Recorder) -> dict[str, Any]:
    """What a recorder saw of one run, as a value that `json.dumps` takes. Raises DataError before a run has ended."""
    begun, choice = recorder.begun, recorder.choice
    if begun is None or choice is None:
        raise DataError("this recorder has seen no run to its end\n  give it to Parser.parse as the observer")
    tables = _Tables(begun.evaluator.table.grammar)
    rounds = [_round(each, tables) for each in recorder.rounds]
    solution = _choice(choice, tables)
    return {
        "schema": SCHEMA,
        **_settings(begun),
        "constituents": tables.constituents,
        "properties": [tables.properties[number] for number in sorted(tables.properties)],
        "rounds": rounds,
        "solution": solution,
    }


def _settings(begun: Begun) -> dict[str, Any]:
    profile = begun.profile
    return {
        "tokens": list(begun.lattice.tokens),
        "profile": profile.name,
        "election": profile.election,
        "heuristics": sorted(profile.heuristics),
        "bound": None if begun.bound is None else begun.bound / UNIT,
    }


@dataclass
class _Tables:
    """The constituents and properties that are named somewhere, each with its number."""

    grammar: Grammar
    constituents: list[dict[str, Any]] = field(default_factory=list)
    properties: dict[int, dict[str, Any]] = field(default_factory=dict)
    _by_identity: dict[int, tuple[int, Constituent]] = field(default_factory=dict)
    _by_make: dict[tuple[object, ...], int] = field(default_factory=dict)

    def numbers(self, constituents: Iterable[Constituent]) -> list[int]:
        return [self.number(constituent) for constituent in constituents]

    def number(self, constituent: Constituent) -> int:
        """The number of a constituent: the same for two of equal make over the same words. Daughters come first."""
        for each in reversed(list(constituent.walk())):
            if id(each) not in self._by_identity:
                self._by_identity[id(each)] = self._numbered(each), each
        return self._by_identity[id(constituent)][0]

    def _numbered(self, each: Constituent) -> int:
        daughters = [self._by_identity[id(daughter)][0] for daughter in each.daughters]
        make = (each.construction, each.cover, each.features, each.form, each.lexical_cost, tuple(daughters))
        known = self._by_make.get(make)
        if known is None:
            known = self._by_make[make] = len(self.constituents)
            self.constituents.append(
                {
                    "id": known,
                    "construction": each.construction,
                    "start": each.start,
                    "end": each.end,
                    "positions": [i for i in range(each.end) if each.cover >> i & 1],
                    "features": dict(each.features),
                    "form": each.form if each.is_word else None,
                    "daughters": daughters,
                    "cost": each.cost / UNIT,
                    "gain": each.gain / UNIT,
                    **self.judged(each.characterization, daughters),
                }
            )
        return known

    def judged(self, both: Characterization, daughters: Sequence[int]) -> dict[str, Any]:
        return {
            "satisfied": [self._instance(each, daughters) for each in both.satisfied],
            "violated": [self._instance(each, daughters) for each in both.violated],
        }

    def _instance(self, instance: Instance, daughters: Sequence[int]) -> dict[str, Any]:
        elements = [daughters[i] for i in instance.elements]
        return {"property": self.property(instance.property), "elements": elements}

    def property(self, prop: Property) -> int:
        number = property_numbers(self.grammar)[id(prop)]
        self.properties[number] = {
            "number": number,
            "construction": prop.construction,
            "relation": prop.relation,
            "property": format_property(prop),
            "place": prop.place,
        }
        return number


def _round(told: Round, tables: _Tables) -> dict[str, Any]:
    possible = told.possible
    return {
        "number": told.number,
        "new": tables.numbers(told.site.new),
        "old": tables.numbers(told.site.old),
        "literal": told.literal,
        "combinations": None
        if possible is None
        else {
            "every": str(possible.every),
            "distinct": str(possible.distinct),
            "contiguous": str(possible.contiguous),
        },
        "phases": [_phase(number, phase, tables) for number, phase in enumerate(told.phases, start=2)],
        "elected": [_elected(each, tables) for each in told.elected],
        "waiting": [_elected(each, tables) for each in told.waiting],
    }


def _phase(number: int, phase: PhaseRecord, tables: _Tables) -> dict[str, Any]:
    return {
        "number": number,
        "name": phase.name,
        "entered": phase.entered,
        "left": phase.left,
        "passed": [_passed(each, phase, tables) for each in phase.passed],
        "drops": dict(phase.drops),
        "dropped": [_dropped(each, tables) for each in phase.dropped],
    }


def _passed(each: object, phase: PhaseRecord, tables: _Tables) -> dict[str, Any]:
    if isinstance(each, Constituent):
        return {"constituent": tables.number(each)}
    if isinstance(each, PropertyStore):
        return {
            "assignment": tables.numbers(each.assignment),
            "properties": [tables.property(prop) for prop in each.properties],
            "outside": [tables.property(prop) for prop in phase.outside.get(id(each), ())],
        }
    if isinstance(each, EvaluatedAssignment):
        daughters = tables.numbers(each.assignment)
        judged = [{"construction": name, **tables.judged(both, daughters)} for name, both in each.characterizations]
        return {"assignment": daughters, "judged": judged}
    assignment: Assignment = each  # type: ignore[assignment]  # nothing else passes
    return {"assignment": tables.numbers(assignment)}


def _dropped(dropped: Dropped, tables: _Tables) -> dict[str, Any]:
    daughters = tables.numbers(dropped.assignment)
    return {
        "heuristic": dropped.heuristic,
        "assignment": daughters,
        "construction": dropped.construction,
        "reason": dropped.reason.text,
        "uncovered": [
            {"construction": name, "elements": [daughters[i] for i in at]} for name, at in dropped.reason.uncovered
        ],
    }


def _elected(elected: Elected, tables: _Tables) -> dict[str, Any]:
    return {
        "constituent": tables.number(elected.constituent),
        "built_in": elected.built_in,
        "beaten": tables.numbers(elected.beaten),
    }


def _choice(choice: Choice, tables: _Tables) -> dict[str, Any]:
    return {
        "spans": choice.spans,
        "count": str(choice.count),
        "best": [_solution(each, tables) for each in choice.solutions],
        "ended_by": choice.ended_by,
    }


def _solution(solution: Solution, tables: _Tables) -> dict[str, Any]:
    tops = solution.constituents
    return {
        "constituents": tables.numbers(tops),
        "cost": (sum(top.cost for top in tops) + solution.fragment_cost) / UNIT,
        "fragments": solution.fragment_cost / UNIT,
        "gain": sum(top.gain for top in tops) / UNIT,
    }
