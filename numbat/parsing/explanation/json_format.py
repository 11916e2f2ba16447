"""Convert a parse to JSON by the schema `numbat.parse/2` and back to its record; to rows and data frames; to a graph.

The schema, `parse.schema.json` in this folder, documents each key. There are two forms: the full one, with names, and
the compact one (`to_compact_json`), with numbers instead of names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from functools import cache
from importlib import import_module
from math import isfinite
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Final, get_type_hints

from numbat.errors import DataError, MissingExtraError, UsageError, either
from numbat.evaluation.constituents import Constituent, stretches
from numbat.grammar.model import Grammar, remembered
from numbat.grammar.properties import UNIT, Bundle, format_bundle, format_property
from numbat.parsing.analysis import (
    Analysis,
    ConstituentRecord,
    Diagnosis,
    Evaluated,
    InstanceRecord,
    Outcome,
    ParseRecord,
    check_digest,
    record_of,
)
from numbat.parsing.explanation.violations import Message, messages_of
from numbat.words.lattice import Place

if TYPE_CHECKING:
    from networkx import DiGraph


SCHEMA: Final = "numbat.parse/2"
SCHEMA_FILE: Final = Path(__file__).with_name("parse.schema.json")
"""JSON Schema of both forms."""


def to_json(analysis: Analysis, compact: bool = False) -> dict[str, Any]:
    """Return the parse as a value for `json.dumps`, by the schema `numbat.parse/2`; the short form if `compact`.

    Costs and weights are as in the grammar, not fixed-point. A property instance has the `start` and `end` of its
    elements, or of its constituent if it has no elements. `places` count characters in `sentence`.
    """
    record = record_of(analysis)
    if compact:
        return {"schema": SCHEMA, **to_compact_json(record, analysis.grammar)}
    numbers = constituent_numbers(analysis)
    outcome = outcome_json(record.outcome)
    outcome = {key: value for key, value in outcome.items() if key not in UNTOLD or value != UNTOLD[key]}
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
        "violated": [
            _instance(evaluated, numbers, analysis) | message_fields(message)
            for evaluated, message in zip(
                analysis.violated, messages_of(analysis.grammar, analysis.violated, analysis.lattice), strict=True
            )
        ],
        **({"priced": [_instance(e, numbers, analysis) for e in analysis.priced]} if analysis.priced else {}),
        "cost": {
            "total": number(analysis.cost_units),
            "violations": number(analysis.violation_cost_units),
            "fragments": number(analysis.fragment_cost_units),
            "lexical": number(analysis.lexical_cost_units),
            **({"prices": number(analysis.price_units)} if analysis.priced else {}),
        },
        "weight": number(analysis.weight_units),
        "nodes": analysis.nodes,
        "count": outcome.pop("count"),
        "full": analysis.is_full,
        "well_formed": analysis.is_well_formed,
        **outcome,
    }


def _nested(tops: Sequence[Constituent], numbers: dict[int, int]) -> list[dict[str, Any]]:
    """Return constituents with their daughters nested; without recursion, as trees may be deep."""
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
                "lexical_cost": number(constituent.lexical_cost_units),
                "daughters": daughters,
            }
        )
        waiting += [(daughter, daughters) for daughter in reversed(constituent.daughters)]
    return nested


def _instance(evaluated: Evaluated, numbers: dict[int, int], analysis: Analysis) -> dict[str, Any]:
    return {"number": analysis.number_of(evaluated.property), **instance_fields(evaluated, numbers, analysis.grammar)}


def message_fields(message: Message) -> dict[str, Any]:
    """Return the fields of the message about a violation; `words` are the positions of the words that are wrong."""
    return {
        "message": message.plain,
        "formal": message.formal,
        "words": [i for run in stretches(message.cover) for i in range(*run)],
    }


# ------------------------------------------------------------------------------------------------------ reading back


def record_from_json(value: Any, grammar: Grammar) -> ParseRecord:
    """Convert a value by `to_json`, in either form, to the record of a parse.

    Raises DataError for a value that does not follow the schema, and for a parse made with another grammar.
    """
    if not isinstance(value, Mapping) or value.get("schema") != SCHEMA:
        schema = value.get("schema") if isinstance(value, Mapping) else None
        what = f'a parse by the schema "{schema}"' if schema else "not a parse"
        raise DataError(f'this value is {what}; the schema must be "{SCHEMA}"\n  write it with parse.to_json()')
    try:
        check_digest(value["digest"], value["grammar"], grammar)
        record = record_from_compact(value, grammar) if "constructions" in value else _record(value)
        check_kinds(record)
        return record
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DataError(
            f"this value does not follow the schema {SCHEMA}: {type(error).__name__} {error}\n"
            "  the schema is numbat/parsing/explanation/parse.schema.json"
        ) from None


def _record(value: Mapping[str, Any]) -> ParseRecord:
    """Convert a value in the full form to a record; keys that repeat the grammar or the structure are not read."""
    instances = _instances_by_constituent(value)
    constituents: list[ConstituentRecord] = []
    waiting: list[Mapping[str, Any]] = list(reversed(value["constituents"]))
    while waiting:
        node = waiting.pop()
        at = {daughter["id"]: i for i, daughter in enumerate(node["daughters"])}
        satisfied, violated, priced = (
            tuple(InstanceRecord(prop, tuple(at[element] for element in elements)) for prop, elements in pairs)
            for pairs in instances.get(node["id"], ([], [], []))
        )
        constituents.append(
            ConstituentRecord(
                node["construction"],
                _cover(node["positions"], len(value["tokens"])),
                tuple(node["features"].items()),
                len(at),
                satisfied,
                violated,
                "" if node["form"] is None else node["form"],
                node["guessed"],
                0 if at else round(node["lexical_cost"] * UNIT),
                priced,
            )
        )
        waiting += reversed(node["daughters"])
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
        outcome=outcome_of(value, value["cost"]["fragments"]),
    )


def _cover(positions: Iterable[int], length: int) -> int:
    """Return the set of some of `length` positions as bits. Raises ValueError for another position."""
    return sum([1 << range(length).index(position) for position in positions])


_Numbers = tuple[int, list[int]]
"""A property instance: the number of the property, and the numbers of its elements."""


def _instances_by_constituent(value: Mapping[str, Any]) -> dict[int, tuple[list[_Numbers], ...]]:
    """Return the satisfied instances, the violated ones and those of prices by the number of their constituent."""
    by_number: dict[int, tuple[list[_Numbers], ...]] = {}
    for i, instances in enumerate((value["satisfied"], value["violated"], value.get("priced", ()))):
        for instance in instances:
            both = by_number.setdefault(instance["constituent"], ([], [], []))
            both[i].append((instance["number"], instance["elements"]))
    return by_number


# The compact form of a parse in JSON: numbers for the grammar's properties and features, lists instead of trees.
#
#     "constructions": ["NP", "Det", "N"],      of all constituents, in pre-order
#     "daughters": [2, 0, 0],                   number of daughters, 0 for a word
#     "features": [[4], [], [4, 9]],            numbers of the pairs of feature and value that the grammar declares
#     "instances": ["17:0 18:1 !21:0,1"]        per phrase: property, ":", daughters; "!": violated, "+": a price
#
# Values that can be derived are left out: tokens that equal the characters at their places, the spans of words if each
# is over one token, and values that are empty, 0 or null.

OUTCOME: Final = tuple(field.name for field in fields(Outcome) if field.name != "fragment_cost")
"""Fields of an outcome that are the same in both forms."""
UNTOLD: Final[dict[str, Any]] = {
    "why_partial": "",
    "best_cost": None,
    "least_cost": None,
    "diagnoses": [],
    "preferred": "",
}
"""Fields of an outcome that are left out if they have the value given here."""
ALWAYS: Final = (
    "grammar", "digest", "sentence", "constructions", "daughters", "features", "instances",
    "count", "rank", "rounds", "engine", "profile", "election", "valuation",
)  # fmt: skip
"""Keys that are present even if their value is empty or 0."""
_INSTANCE: Final = re.compile(r"([!+]?)(\d+)(?::(\d+(?:,\d+)*))?")


def to_compact_json(record: ParseRecord, grammar: Grammar) -> dict[str, Any]:
    """Convert a record to the compact form, without the name of the schema."""
    numbers = {pair: i for i, pair in enumerate(_declared(grammar))}
    words = [constituent for constituent in record.constituents if not constituent.daughters]
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
        "constructions": [node.construction for node in record.constituents],
        "daughters": [node.daughters for node in record.constituents],
        "features": [[numbers.get(pair, list(pair)) for pair in node.features] for node in record.constituents],
        "instances": [" ".join(_instances(node)) for node in record.constituents if node.daughters],
        "words": [] if spans == _one_each(len(spans)) else [list(span) for span in spans],
        "forms": {str(i): word.form for i, word in enumerate(words) if word.form != _form(record.tokens, spans[i])},
        "guessed": [i for i, word in enumerate(words) if word.guessed],
        "lexical_costs": {str(i): number(word.lexical_cost) for i, word in enumerate(words) if word.lexical_cost},
        "fragment_cost": number(record.outcome.fragment_cost),
        "why_partial": "",  # fixes its place among the keys
        **outcome_json(record.outcome),
    }
    scale = written.pop("granularity")
    left = {key: value for key, value in written.items() if value or key in ALWAYS or value != UNTOLD.get(key, value)}
    return left if scale == 1 else left | {"granularity": scale}


def record_from_compact(value: Mapping[str, Any], grammar: Grammar) -> ParseRecord:
    """Convert a compact value to a record. Raises LookupError, TypeError or ValueError for a malformed value."""
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
    """Return the keys of an outcome except the fragment cost, for which the two forms have different keys."""
    written = {name: getattr(outcome, name) for name in OUTCOME}
    costs = {name: written[name] for name in ("best_cost", "least_cost")}
    written["diagnoses"] = [
        {
            "cost": number(other.cost),
            "violation_cost": number(other.violation_cost),
            "reasons": list(other.reasons),
            "rare": list(other.rare),
            "tree": other.tree,
        }
        for other in outcome.diagnoses
    ]
    return written | {name: None if cost is None else number(round(cost * UNIT)) for name, cost in costs.items()}


def outcome_of(value: Mapping[str, Any], fragments: float) -> Outcome:
    """Make an outcome from its JSON keys and the cost of fragments (a float). Raises LookupError for a missing key."""
    read = {"granularity": 1.0, **UNTOLD, **value}
    read["diagnoses"] = tuple(
        Diagnosis(
            round(other["cost"] * UNIT),
            round(other["violation_cost"] * UNIT),
            tuple(other["reasons"]),
            tuple(other["rare"]),
            other["tree"],
        )
        for other in read["diagnoses"]
    )
    return Outcome(round(fragments * UNIT), *(read[name] for name in OUTCOME))


def _constituents(value: Mapping[str, Any], tokens: tuple[str, ...], grammar: Grammar) -> tuple[ConstituentRecord, ...]:
    """Return the constituents. They are built from the last to the first: a phrase covers what its daughters cover."""
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
            satisfied, violated, priced = _read_instances(instances.pop())
            made.append(ConstituentRecord(construction, cover, bundle, daughters, satisfied, violated, priced=priced))
        else:
            word -= 1
            start, end = spans[word]
            if end > len(tokens):
                raise LookupError(f"a word that ends at {end} of {len(tokens)}")
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
    """Yield every pair of feature and value in the order of their declaration, which gives them numbers."""
    return ((name, value) for name, values in grammar.features for value in values)


def _bundle(features: Iterable[Any], pairs: list[tuple[str, str]]) -> Bundle:
    return tuple(pairs[feature] if isinstance(feature, int) else (feature[0], feature[1]) for feature in features)


def _instances(record: ConstituentRecord) -> Iterator[str]:
    for mark, instances in (("", record.satisfied), ("!", record.violated), ("+", record.priced)):
        for prop, daughters in instances:
            yield f"{mark}{prop}" + (f":{','.join(map(str, daughters))}" if daughters else "")


def _read_instances(text: str) -> Iterator[tuple[InstanceRecord, ...]]:
    """Parse the instances of a phrase, `17:0 !21:0,1 +30`: the satisfied and the violated ones, and those of prices."""
    by_mark: dict[str, list[InstanceRecord]] = {"": [], "!": [], "+": []}
    for written in text.split():
        match = _INSTANCE.fullmatch(written)
        if match is None:
            raise ValueError(f'"{written}" is not a property instance')
        daughters = tuple(map(int, match[3].split(","))) if match[3] else ()
        by_mark[match[1]].append(InstanceRecord(int(match[2]), daughters))
    return map(tuple, by_mark.values())


def _as_typed(text: str, places: Iterable[Place]) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in places)


def _form(tokens: tuple[str, ...], span: Place) -> str:
    return " ".join(tokens[span[0] : span[1]])


def _span(cover: int) -> Place:
    return (cover & -cover).bit_length() - 1, cover.bit_length()


def _one_each(number_of_words: int) -> list[Place]:
    """Return the spans (0, 1), (1, 2) and so on: each word is one token."""
    return [(i, i + 1) for i in range(number_of_words)]


def _pairs(numbers: list[int]) -> tuple[Place, ...]:
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


# Type checks for records from files.

KINDS: Final[dict[object, tuple[type, ...]]] = {
    str: (str,),
    int: (int,),
    float: (int, float),
    str | None: (str, NoneType),
    float | None: (int, float, NoneType),
    tuple[Diagnosis, ...]: (tuple,),
}
"""By the type of a field: the types that its JSON value may have; a bool is not accepted as a number."""


@cache
def _kinds_of_outcome() -> dict[str, Any]:
    return get_type_hints(Outcome)


def check_kinds(record: ParseRecord) -> None:
    """Raise TypeError with the name of the first field whose value has the wrong type."""
    fits = {name: isinstance(getattr(record, name), str) for name in ("grammar", "digest", "text")}
    kinds = _kinds_of_outcome()
    fits |= {
        name: type(value) in KINDS[kinds[name]] and (type(value) is not float or isfinite(value))
        for name, value in asdict(record.outcome).items()
    }
    texts = (text for other in record.outcome.diagnoses for text in (*other.reasons, *other.rare, other.tree))
    fits["diagnoses"] = _are(str, texts)
    fits["tokens"] = _are(str, record.tokens) and _are(str, record.skipped)
    fits["places"] = all(_are(int, place) for place in (record.gaps, *record.places, *record.skipped_places))
    fits["constituents"] = all(map(_fits, record.constituents))
    for name, fits_kind in fits.items():
        if not fits_kind:
            raise TypeError(f'"{name}" has the wrong type')


def _fits(record: ConstituentRecord) -> bool:
    texts = (record.construction, record.form, *(part for feature in record.features for part in feature))
    numbers = [
        number
        for instance in (*record.satisfied, *record.violated, *record.priced)
        for number in (instance.property, *instance.daughters)
    ]
    return (
        _are(str, texts)
        and _are(int, numbers)
        and isinstance(record.guessed, bool)
        and type(record.lexical_cost) is int
    )


def _are(kind: type, values: Iterable[Any]) -> bool:
    return all(type(value) is kind for value in values)


# Rows of a table, one for each property instance.

ROW_TYPES: Final[dict[str, type]] = {
    "id": str, "rank": int, "constituent": int, "construction": str, "start": int, "end": int, "elements": tuple,
    "words": str, "relation": str, "property": str, "satisfied": bool, "weight": float, "cost": float, "hard": bool,
    "place": str,
}  # fmt: skip
"""Columns of `to_dicts` and `to_rows`, with their types; `elements` has the numbers of constituents."""
ROW_HEADER: Final = tuple(ROW_TYPES)


def to_dicts(analysis: Analysis, id: str) -> list[dict[str, Any]]:
    """Return a dict for each property instance, satisfied or violated, with the keys and types in `ROW_TYPES`.

    `id` identifies the sentence. `start`, `end` and `words` refer to the elements of the instance, as in `to_json`.
    """
    return [{column: ROW_TYPES[column](cells[column]) for column in ROW_TYPES} for cells in _cells(analysis, id)]


def to_rows(analysis: Analysis, id: str) -> tuple[tuple[str, ...], ...]:
    """Return `to_dicts` as rows of texts, columns `ROW_HEADER`; cells have no tab or newline, booleans are 1 or 0."""
    return tuple(tuple(_cell(cells[column]) for column in ROW_HEADER) for cells in _cells(analysis, id))


def _cells(analysis: Analysis, id: str) -> Iterator[dict[str, Any]]:
    numbers = constituent_numbers(analysis)
    for evaluated in analysis.evaluated:
        instance = instance_fields(evaluated, numbers, analysis.grammar)
        words = " ".join(word.form for word in _words(evaluated))
        yield instance | {"id": id, "rank": analysis.rank, "words": words, "satisfied": evaluated.satisfied}


def _words(evaluated: Evaluated) -> list[Constituent]:
    spoken_of = evaluated.elements or (evaluated.constituent,)
    words = (word for element in spoken_of for word in element.words())
    return sorted(words, key=lambda word: word.start)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, list):
        return " ".join(map(str, value))
    return re.sub(r"\s+", " ", str(value))


PARSE_TYPES: Final[dict[str, type]] = {
    "id": str, "rank": int, "text": str, "full": bool, "well_formed": bool, "cost": float, "violation_cost": float,
    "fragment_cost": float, "lexical_cost": float, "weight": float, "fragments": int, "satisfied": int, "violated": int,
    "unknown": int, "nodes": int, "length": int, "trees": int, "stopped_by": str, "tree": str,
}  # fmt: skip
"""Columns of a table with a row per parse; `trees` is how many are equally good, `stopped_by` may be None."""


def to_dict(analysis: Analysis, id: str, tree: str) -> dict[str, Any]:
    """Return a parse as one row, with the keys and types in `PARSE_TYPES`; `tree` is the parse in brackets."""
    return {
        "id": id,
        "rank": analysis.rank,
        "text": analysis.lattice.text or " ".join(analysis.lattice.tokens),
        "full": analysis.is_full,
        "well_formed": analysis.is_full and analysis.is_well_formed,
        "cost": analysis.cost,
        "violation_cost": analysis.violation_cost,
        "fragment_cost": analysis.fragment_cost,
        "lexical_cost": analysis.lexical_cost,
        "weight": analysis.weight,
        "fragments": len(analysis.constituents),
        "satisfied": len(analysis.satisfied),
        "violated": len(analysis.violated),
        "unknown": len(analysis.guessed),
        "nodes": analysis.nodes,
        "length": len(analysis.lattice.tokens),
        "trees": analysis.count,
        "stopped_by": analysis.stopped_by,
        "tree": tree,
    }


LIBRARIES: Final = ("pandas", "polars")
"""Libraries for data frames, in the order in which they are tried."""


def data_frame(rows: Sequence[Mapping[str, Any]], types: Mapping[str, type], library: str | None = None) -> Any:
    """Return rows as a data frame with these types, by pandas or polars (by default, the first that is installed).

    Values may be None, so numbers in pandas have nullable types. Raises UsageError for another library,
    MissingExtraError if the library (by default: any of them) is not installed.
    """
    if library is not None and library not in LIBRARIES:
        raise UsageError(f'no data frames with "{library}"\n  use {either(LIBRARIES)}')
    for name in LIBRARIES if library is None else (library,):
        try:
            module: Any = import_module(name)
        except ImportError:
            continue
        if name == "pandas":
            kinds: dict[type, Any] = {str: "string", int: "Int64", float: "Float64", bool: "boolean", tuple: "object"}
            dtypes = {column: kinds[kind] for column, kind in types.items()}
            return module.DataFrame(list(rows), columns=list(types)).astype(dtypes)
        kinds = {str: module.String, int: module.Int64, float: module.Float64, bool: module.Boolean}
        kinds[tuple] = module.List(module.Int64)
        schema = {column: kinds[kind] for column, kind in types.items()}
        return module.DataFrame([tuple(row.values()) for row in rows], schema=schema, orient="row")
    needed = library or either(LIBRARIES)
    raise MissingExtraError(f"a data frame needs {needed}\n  pip install {library or LIBRARIES[0]}")


def to_networkx(analysis: Analysis) -> DiGraph[str]:
    """Return the parse as a networkx graph of constituents and words (`c0`, ...) and property instances (`p0`, ...).

    The `kind` of a node is constituent, word or property; that of an edge is daughter (from a constituent to its
    daughter, with its `order`), speaks_of (from a property instance to an element) or evaluated_in (to its
    constituent). All attributes are strings, numbers and booleans, so every format of networkx can write them.
    """
    from networkx import DiGraph

    graph: DiGraph[str] = DiGraph(schema=SCHEMA, sentence=analysis.sentence)
    numbers = constituent_numbers(analysis)
    for constituent in analysis.walk():
        graph.add_node(f"c{numbers[id(constituent)]}", **_constituent_attributes(constituent))
    for constituent in analysis.walk():
        for order, daughter in enumerate(constituent.daughters):
            edge = f"c{numbers[id(constituent)]}", f"c{numbers[id(daughter)]}"
            graph.add_edge(*edge, kind="daughter", order=order)
    for i, evaluated in enumerate(analysis.evaluated):
        instance = instance_fields(evaluated, numbers, analysis.grammar)
        constituent_number, elements = instance.pop("constituent"), instance.pop("elements")
        graph.add_node(f"p{i}", kind="property", satisfied=evaluated.satisfied, **instance)
        graph.add_edge(f"p{i}", f"c{constituent_number}", kind="evaluated_in")
        graph.add_edges_from(((f"p{i}", f"c{element}") for element in elements), kind="speaks_of")
    return graph


def _constituent_attributes(constituent: Constituent) -> dict[str, str | int | bool]:
    attributes: dict[str, str | int | bool] = {
        "kind": "word" if constituent.is_word else "constituent",
        "construction": constituent.construction,
        "start": constituent.start,
        "end": constituent.end,
        "features": format_bundle(constituent.features),
    }
    if constituent.is_word:
        attributes |= {"form": constituent.form, "guessed": constituent.guessed}
    return attributes


# Fields of constituents and property instances shared by JSON, rows and graph. Constituents are numbered from 0 in the
# order of `Constituent.walk`.


def number(units: int) -> int | float:
    """Convert fixed-point units to a number, an integer if possible."""
    return units // UNIT if units % UNIT == 0 else units / UNIT


def constituent_numbers(analysis: Analysis) -> dict[int, int]:
    """Return the number of each constituent by its `id`, because hashing by value would walk its whole tree."""
    return {id(constituent): i for i, constituent in enumerate(analysis.walk())}


@remembered
def _notations(grammar: Grammar) -> dict[int, str]:
    """Return a cache, by `id`, for the grammar's properties in its notation."""
    return {}


def instance_fields(evaluated: Evaluated, numbers: dict[int, int], grammar: Grammar) -> dict[str, Any]:
    """Return the fields of a property instance; its constituent and elements are given by number."""
    prop = evaluated.property
    notations = _notations(grammar)
    notation = notations.get(id(prop)) or notations.setdefault(id(prop), format_property(prop))
    spoken_of = evaluated.elements or (evaluated.constituent,)
    return {
        "relation": prop.type,
        "property": notation,
        "construction": prop.construction,
        "constituent": numbers[id(evaluated.constituent)],
        "start": min(element.start for element in spoken_of),
        "end": max(element.end for element in spoken_of),
        "elements": [numbers[id(element)] for element in evaluated.elements],
        "cost": number(prop.cost_units),
        "weight": number(prop.weight_units),
        "hard": prop.hard,
        "place": prop.place,
        **({"title": prop.title, "register": prop.register} if prop.is_price else {}),
    }
