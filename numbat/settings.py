"""Records of settings: each field has its default, range and command line option; records are read from JSON.

`cli.options.options_of` makes options of them; requests of the page have those that are marked so (`web.requests`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields, is_dataclass
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypedDict, TypeVar, Unpack, get_args, get_origin, get_type_hints

from numbat.errors import UsageError, close_match


class About(TypedDict, total=False):
    """Further facts about a setting and its option.

    `metavar` stands for the value in the help. The value is at least `least`, or `above` a number, and at most `most`;
    a number is whole unless the type of the field says float. `choices` are the values that there are. `file`: the
    value names a file that is read. `heading` is that of the option in the help,
    `advanced`: hardly anybody needs it. `formerly` has former names (see `cli.verbs.Option`). `page`: requests of the
    page have the setting too.
    """

    metavar: str
    least: float
    above: float
    most: float
    choices: Sequence[str]
    file: bool
    heading: Literal["Input", "Grammar", "Search", "Learning", "Output", "Many sentences"]
    advanced: bool
    formerly: Mapping[str, str | None]
    page: bool


def setting(default: Any, option: str, help: str, **about: Unpack[About]) -> Any:
    """Return a field of a settings record, with its command line option and help."""
    return field(default=default, metadata={"option": option, "help": help, "heading": "Search", **about})


def learning(default: Any, option: str, help: str, **about: Unpack[About]) -> Any:
    """Return a setting of how something is learned."""
    about["heading"] = "Learning"
    return setting(default, option, help, **about)


def settings_of(record: Any) -> Iterator[Field[Any]]:
    """Yield the settings of a record and of the records that its fields have by default."""
    for each in fields(record):
        if is_dataclass(each.default):
            yield from settings_of(each.default)
        elif "option" in each.metadata:
            yield each


def option_name(each: Field[Any]) -> str:
    """Return the parameter name of a field's option, such as `max_items`; the field's name if it has no option."""
    option: str = each.metadata.get("option", each.name)
    return option.removeprefix("--").replace("-", "_")


# Records from JSON, by the types of their fields.
#
# A dataclass is an object of JSON, a named tuple a list of its fields. Where the metadata of a field say that a record
# is `inlined`, those of its fields that they name stand in the object itself.

Record = TypeVar("Record")

KINDS: Final[dict[type, tuple[str, tuple[type, ...]]]] = {
    str: ("a text", (str,)),
    bool: ("true or false", (bool,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
}
"""The types of single values: what they are called, and what of JSON they are."""


def record_of(kind: type[Record], value: object, where: str) -> Record:
    """Build a record from a JSON object, called `where` in messages. Raises UsageError."""
    if not isinstance(value, Mapping):
        raise UsageError(f"{where} is no object\n  {_takes(kind)}")
    hints, known = get_type_hints(kind), _names(kind)
    for name in value:
        if name not in known:
            raise UsageError(f'{where} has no field "{name}"\n  {close_match(str(name), known) or _takes(kind)}')
    given = {}
    for each in _fields(kind):
        name = each.name
        if names := each.metadata.get("inlined"):
            own = {name: value[name] for name in names if name in value}
            given[name] = record_of(hints[name], own, where)
        elif name in value:
            given[name] = _value(hints[name], value[name], f"{where}.{name}")
        elif each.default is MISSING and each.default_factory is MISSING:
            raise UsageError(f'{where} lacks the field "{name}"\n  {_takes(kind)}')
    return kind(**given)


def _fields(kind: type) -> tuple[Field[Any], ...]:
    assert is_dataclass(kind)
    return fields(kind)


def _names(kind: type) -> list[str]:
    """Return the names of the JSON object, including those of inlined records."""
    return [name for each in _fields(kind) for name in each.metadata.get("inlined", (each.name,))]


def _takes(kind: type) -> str:
    names = _names(kind)
    return f"its fields are: {', '.join(names)}" if names else "it takes no fields"


def _value(kind: Any, value: Any, where: str) -> Any:
    """Convert a JSON value to the type of a field."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if origin is UnionType:
        if value is None and NoneType in arguments:
            return None
        return _value(next(each for each in arguments if each is not NoneType), value, where)
    if origin is tuple and arguments[-1] is not Ellipsis:
        return _row(arguments, value, where)
    if origin in (tuple, Sequence, Iterable):
        if not isinstance(value, list):
            raise UsageError(f"{where} is no list\n  give a list, which may be empty")
        return tuple(_value(arguments[0], each, f"{where}[{i}]") for i, each in enumerate(value))
    if origin is not None:
        if not isinstance(value, Mapping):
            raise UsageError(f"{where} is no object\n  give an object, which may be empty")
        return {name: _value(arguments[1], each, f"{where}.{name}") for name, each in value.items()}
    if kind in KINDS:
        return _single(kind, value, where)
    if issubclass(kind, tuple):
        return kind(*_row(tuple(get_type_hints(kind).values()), value, where))
    return record_of(kind, value, where)


def _row(kinds: Sequence[Any], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list) or len(value) != len(kinds):
        raise UsageError(f"{where} is no list of {len(kinds)}\n  give a list of {len(kinds)}")
    return tuple(_value(kind, each, f"{where}[{i}]") for i, (kind, each) in enumerate(zip(kinds, value, strict=True)))


def _single(kind: type, value: Any, where: str) -> Any:
    wanted, fitting = KINDS[kind]
    is_right = isinstance(value, fitting) and (kind is bool or not isinstance(value, bool))
    if not is_right or (isinstance(value, float) and not isfinite(value)):
        raise UsageError(f"{where} is not {wanted}\n  give {wanted}")
    return value
