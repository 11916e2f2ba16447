"""The compact form of a parse in JSON: numbers of the grammar's properties and features, lists in the place of trees.

    "constructions": ["NP", "Det", "N"],      every constituent, from the left and from the top
    "daughters": [2, 0, 0],                   how many each has, 0 for a word
    "features": [[4], [], [4, 9]],            numbers of the pairs of feature and value that the grammar declares
    "instances": ["17:0 18:1 !21:0,1"]        of each phrase: property, ":" and daughters; "!" before what is violated

What a reader can work out is left out: tokens that stand in the sentence as they are, words over one token each in
their order, and what is empty, 0 or null.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, Final

from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT, Bundle
from numbat.parsing.analysis import Outcome
from numbat.parsing.explanation.fields import number
from numbat.parsing.parse_record import ConstituentRecord, InstanceRecord, ParseRecord
from numbat.words.lattice import Place

OUTCOME: Final = tuple(each.name for each in fields(Outcome) if each.name != "fragment_cost")
"""What both forms have of an outcome, as it has it."""
ALWAYS: Final = (
    "grammar", "digest", "sentence", "constructions", "daughters", "features", "instances",
    "count", "rank", "rounds", "engine", "profile", "election", "valuation",
)  # fmt: skip
"""The keys that are there even where their value is empty or 0."""
_INSTANCE: Final = re.compile(r"(!?)(\d+)(?::(\d+(?:,\d+)*))?")


def to_json(record: ParseRecord, grammar: Grammar) -> dict[str, Any]:
    """The value of a record, without the name of the schema."""
    numbers = {pair: i for i, pair in enumerate(_declared(grammar))}
    words = [each for each in record.constituents if not each.daughters]
    spans = [_span(word.cover) for word in words]
    written = {
        "grammar": record.grammar,
        "digest": record.digest,
        "sentence": record.text,
        "tokens": [] if record.tokens == _as_typed(record.text, record.places) else list(record.tokens),
        "places": [i for place in record.places for i in place],
        "skipped": list(record.skipped),
        "skipped_places": [i for place in record.skipped_places for i in place],
        "gaps": list(record.gaps),
        "constructions": [each.construction for each in record.constituents],
        "daughters": [each.daughters for each in record.constituents],
        "features": [[numbers.get(pair, list(pair)) for pair in each.features] for each in record.constituents],
        "instances": [" ".join(_instances(each)) for each in record.constituents if each.daughters],
        "words": [] if spans == _one_each(len(spans)) else [list(span) for span in spans],
        "forms": {str(i): word.form for i, word in enumerate(words) if word.form != _form(record.tokens, spans[i])},
        "guessed": [i for i, word in enumerate(words) if word.guessed],
        "lexical_costs": {str(i): number(word.lexical_cost) for i, word in enumerate(words) if word.lexical_cost},
        "fragment_cost": number(record.outcome.fragment_cost),
        "why_partial": "",  # its place among the keys
        **outcome_json(record.outcome),
    }
    scale = written.pop("granularity")
    left = {key: value for key, value in written.items() if value or key in ALWAYS}
    return left if scale == 1 else left | {"granularity": scale}


def record(value: Mapping[str, Any], grammar: Grammar) -> ParseRecord:
    """The record of such a value. Raises LookupError, TypeError or ValueError for a value that is none."""
    places, text = _pairs(value.get("places", [])), value["sentence"]
    tokens = tuple(value.get("tokens", [])) or _as_typed(text, places)
    return ParseRecord(
        grammar=value["grammar"],
        digest=value["digest"],
        tokens=tokens,
        skipped=tuple(value.get("skipped", ())),
        text=text,
        gaps=tuple(value.get("gaps", ())),
        places=places,
        skipped_places=_pairs(value.get("skipped_places", [])),
        constituents=_constituents(value, tokens, grammar),
        outcome=outcome_of({"stopped_by": None, "log_likelihood": None, **value}, value.get("fragment_cost", 0)),
    )


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """The keys of an outcome in both forms; what fragments cost has a place of its own in each."""
    return {name: getattr(outcome, name) for name in OUTCOME}


def outcome_of(value: Mapping[str, Any], fragments: float) -> Outcome:
    """The outcome of these keys, and of what fragments cost. Raises LookupError for one that is missing."""
    read = {"granularity": 1.0, "why_partial": "", **value}
    return Outcome(round(fragments * UNIT), *(read[name] for name in OUTCOME))


def _constituents(value: Mapping[str, Any], tokens: tuple[str, ...], grammar: Grammar) -> tuple[ConstituentRecord, ...]:
    """The constituents; the cover of a phrase is that of its words, so they are made from the last to the first."""
    pairs = list(_declared(grammar))
    number_of_words = value["daughters"].count(0)
    spans = value.get("words") or _one_each(number_of_words)
    forms, costs, guessed = value.get("forms", {}), value.get("lexical_costs", {}), set(value.get("guessed", []))
    instances, word = list(value["instances"]), number_of_words
    made: list[ConstituentRecord] = []
    covers: list[int] = []
    columns = zip(value["constructions"], value["daughters"], value["features"], strict=True)
    for construction, daughters, features in reversed(list(columns)):
        bundle = _bundle(features, pairs)
        if daughters:
            cover = 0
            for _ in range(daughters):
                cover |= covers.pop()
            both = _read_instances(instances.pop())
            made.append(ConstituentRecord(construction, cover, bundle, daughters, *both))
        else:
            word -= 1
            start, end = spans[word]
            cover, form = (1 << end) - (1 << start), forms.get(str(word), _form(tokens, (start, end)))
            cost = round(costs.get(str(word), 0) * UNIT)
            made.append(
                ConstituentRecord(construction, cover, bundle, form=form, guessed=word in guessed, lexical_cost=cost)
            )
        covers.append(cover)
    if instances:
        raise ValueError("more lists of instances than phrases")
    return tuple(reversed(made))


def _declared(grammar: Grammar) -> Iterator[tuple[str, str]]:
    """Every feature with every value, in the order in which the grammar declares them; its place is its number."""
    return ((name, value) for name, values in grammar.features for value in values)


def _bundle(features: Iterable[Any], pairs: list[tuple[str, str]]) -> Bundle:
    return tuple(pairs[each] if isinstance(each, int) else (each[0], each[1]) for each in features)


def _instances(each: ConstituentRecord) -> Iterator[str]:
    for mark, instances in (("", each.satisfied), ("!", each.violated)):
        for prop, daughters in instances:
            yield f"{mark}{prop}" + (f":{','.join(map(str, daughters))}" if daughters else "")


def _read_instances(text: str) -> tuple[tuple[InstanceRecord, ...], tuple[InstanceRecord, ...]]:
    """The satisfied and the violated instances of a phrase."""
    both: tuple[list[InstanceRecord], list[InstanceRecord]] = [], []
    for written in text.split():
        match = _INSTANCE.fullmatch(written)
        if match is None:
            raise ValueError(f'"{written}" is no property instance')
        daughters = tuple(map(int, match[3].split(","))) if match[3] else ()
        both[bool(match[1])].append(InstanceRecord(int(match[2]), daughters))
    return tuple(both[0]), tuple(both[1])


def _as_typed(text: str, places: Iterable[Place]) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in places)


def _form(tokens: tuple[str, ...], span: Place) -> str:
    return " ".join(tokens[span[0] : span[1]])


def _span(cover: int) -> Place:
    return (cover & -cover).bit_length() - 1, cover.bit_length()


def _one_each(number_of_words: int) -> list[Place]:
    """Words over one token each, in their order."""
    return [(i, i + 1) for i in range(number_of_words)]


def _pairs(numbers: list[int]) -> tuple[Place, ...]:
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))
