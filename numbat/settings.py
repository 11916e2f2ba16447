"""Records of settings: each field has its default, range and command line option; conversion of records to JSON.

`cli.options.options_of` makes options from the fields; `workbench.session` accepts those marked `page` in requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields, is_dataclass
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Final, Literal, NamedTuple, TypedDict, TypeVar, Unpack, get_args, get_origin, get_type_hints

from numbat.errors import UsageError, close_match
from numbat.version import __version__

MOST_WHOLE: Final = 2_000_000_000
"""Maximum of whole numbers whose setting states no other: compiled loops and SQLite take them."""
MOST_NUMBER: Final = 1_000_000_000
"""Maximum size of other numbers, as of costs (`grammar.properties.MAX_WEIGHT`)."""
MOST_SECONDS: Final = 1_000_000
"""Maximum of a time limit: timers of all systems take it."""


class Range(NamedTuple):
    """A range of numbers: whole ones or all, with both ends, or without the lower one if it `is_open`."""

    least: float = -MOST_NUMBER
    most: float = MOST_NUMBER
    is_whole: bool = False
    is_open: bool = False

    def has(self, number: float) -> bool:
        """True if a number of the right type is in the range; infinities and NaN never are."""
        return self.least <= number <= self.most and not (self.is_open and number == self.least)

    def __str__(self) -> str:
        kind, from_ = "a whole number" if self.is_whole else "a number", "above" if self.is_open else "from"
        return f"{kind} {from_} {self.least:,.15g} to {self.most:,.15g}"


SECONDS: Final = Range(0, MOST_SECONDS, is_open=True)
"""The range of a time limit."""


class About(TypedDict, total=False):
    """Further facts about a setting and its option.

    `metavar` stands for the value in the help. The value is at least `least`, or more than `above`, and at most
    `most` (`range_of`); a number is an integer unless the type of the field is float. `choices` are the allowed
    values. `file`: the value names a file to read, or a packaged one by the name of the setting; `reads` says what
    kind: `file`, `text` or `grammar`. `writes`: it names a file, a folder, or either, to write. `parse` converts the
    typed value, and may raise ValueError. `short` is a second name of the option, `shown` False hides the default.
    `heading` is the heading of the option in the help; only `--help-all` lists an `advanced` option. `page`: requests
    of the page accept the setting.
    """

    metavar: str
    least: float
    above: float
    most: float
    choices: Sequence[str]
    file: bool
    reads: str
    writes: Literal["file", "folder", "either"]
    parse: Callable[[str | None], Any]
    short: str
    shown: bool
    heading: Literal["Input", "Grammar", "Search", "Learning", "Output", "Many sentences"]
    advanced: bool
    page: bool


def setting(default: Any, option: str, help: str, **about: Unpack[About]) -> Any:
    """Return a field of a settings record, with its command line option and help."""
    return field(default=default, metadata={"option": option, "help": help, "heading": "Search", **about})


def learning(default: Any, option: str, help: str, **about: Unpack[About]) -> Any:
    """Return a setting of a learner."""
    about["heading"] = "Learning"
    return setting(default, option, help, **about)


def in_range(default: Any, within: Range) -> Any:
    """Return a field of a record for a number in a range, without a command line option."""
    return field(default=default, metadata={"range": within})


def range_of(item: Field[Any]) -> Range | None:
    """Return the range of a field, to which options, requests and records in files keep; None if it has none."""
    about = item.metadata
    if "range" in about or not about.keys() & {"least", "above", "most"}:
        within: Range | None = about.get("range")
        return within
    is_whole = "float" not in str(item.type)
    least = about.get("above", about.get("least", -MOST_NUMBER))
    return Range(least, about.get("most", MOST_WHOLE if is_whole else MOST_NUMBER), is_whole, "above" in about)


def settings_of(record: Any) -> Iterator[Field[Any]]:
    """Yield the settings of a record, and those of other records that are the defaults of its fields."""
    for item in fields(record):
        if is_dataclass(item.default):
            yield from settings_of(item.default)
        elif "option" in item.metadata:
            yield item


def option_name(item: Field[Any]) -> str:
    """Return the parameter name of a field's option, such as `max_items`; the field's name if it has no option."""
    option: str = item.metadata.get("option", item.name)
    return option.lstrip("-").replace("-", "_")


class Typed(NamedTuple):
    """Options of a verb by field: which are `given`, and how each is `written`."""

    verb: str
    written: Mapping[str, str]
    given: frozenset[str]

    def first_of(self, names: Iterable[str]) -> str | None:
        """Return the first of these options that is given, as it is written."""
        return next((self.written[name] for name in names if name in self.given), None)


# Conversion of records to JSON and back, by the names and types of their fields.
#
# A record, a dataclass or a named tuple, becomes a JSON object by the names of its fields, without fields that have
# their defaults; so data written before a record got a new field with a default can still be read. Up to version 0.23.0
# a named tuple was a list of its values, which can still be read; missing values at its end are defaults. The fields of
# an `inlined` record, which the metadata name, stand in the outer object itself.

Record = TypeVar("Record")

KINDS: Final[dict[type, tuple[str, tuple[type, ...]]]] = {
    str: ("a text", (str,)),
    bool: ("true or false", (bool,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
}
"""Types of single values: their name in messages, and the types of JSON that they accept."""


class UnknownFieldError(UsageError):
    """A JSON object has a field that its record does not have."""


def why_unread(error: UsageError, version: object) -> str:
    """Return in one line why a record in a file cannot be read; for an unknown field, name the version that wrote it.

    `version` is None if the file does not give one.
    """
    why = str(error).partition("\n")[0]
    return f"{why}: {written_by(version)}" if isinstance(error, UnknownFieldError) else why


def written_by(version: object) -> str:
    """Return which version of Numbat wrote a file, and which one this is."""
    return f"{'another version' if version is None else f'version {version}'} of Numbat wrote it, not {__version__}"


def record_of(kind: type[Record], value: object, where: str) -> Record:
    """Build a record from a JSON object, called `where` in messages: the inverse of `mapping_of`.

    Raises UsageError, and UnknownFieldError for a field that the record does not have.
    """
    if isinstance(value, list) and issubclass(kind, tuple):
        value = _by_names(kind, value, where)
    if not isinstance(value, Mapping):
        raise UsageError(f"{where} is not an object\n  {_takes(kind)}")
    fields_of: type = kind  # a type that mypy knows to be hashable
    parts, known = _parts(fields_of), _names(fields_of)
    for name in value:
        if name not in known:
            hint = close_match(str(name), known) or _takes(kind)
            raise UnknownFieldError(f'{where} has no field "{name}"\n  {hint}')
    given = {}
    for name, part in parts.items():
        if part.inlined:
            inlined = {name: value[name] for name in part.inlined if name in value}
            given[name] = record_of(part.kind, inlined, where)
        elif name in value:
            given[name] = single = _value(part.kind, value[name], f"{where}.{name}")
            if part.within is not None and single is not None and not part.within.has(single):
                raise UsageError(f"{where}.{name} is not {part.within}\n  give {part.within}")
        elif part.default is None:
            raise UsageError(f'{where} lacks the field "{name}"\n  {_takes(kind)}')
    return kind(**given)


def mapping_of(record: Any) -> dict[str, Any]:
    """Return a record as a JSON object, without fields that have their defaults: the inverse of `record_of`.

    These defaults are part of the format and must not change.
    """
    values: dict[str, Any] = {}
    kind: type = type(record)
    for name, part in _parts(kind).items():
        value = getattr(record, name)
        if part.inlined:
            values |= mapping_of(value)
        elif part.default is None or value != part.default():
            values[name] = value if part.kind is Any else _as_json(value)
    return values


def _as_json(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {name: _as_json(item) for name, item in value.items()}
    if _is_record(value):
        return mapping_of(value)
    return [_as_json(item) for item in value]


def _is_record(value: Any) -> bool:
    return is_dataclass(value) or hasattr(value, "_fields")


class _Part(NamedTuple):
    """A field of a record: its type, maker of its default or None, names of the fields of an inlined record, range."""

    kind: Any
    default: Callable[[], Any] | None
    inlined: Sequence[str] = ()
    within: Range | None = None


@cache
def _parts(kind: Any) -> Mapping[str, _Part]:
    """Return the fields of a record by their names."""
    hints = get_type_hints(kind)
    if not is_dataclass(kind):
        return {name: _Part(hints[name], _maker(kind._field_defaults.get(name, MISSING))) for name in kind._fields}
    parts = {}
    for item in fields(kind):
        make = _maker(item.default) if item.default_factory is MISSING else item.default_factory
        parts[item.name] = _Part(hints[item.name], make, item.metadata.get("inlined", ()), range_of(item))
    return parts


def _maker(default: Any) -> Callable[[], Any] | None:
    return None if default is MISSING else lambda: default


@cache
def _names(kind: Any) -> tuple[str, ...]:
    """Return the names of the JSON object, including those of inlined records."""
    return tuple(key for name, part in _parts(kind).items() for key in part.inlined or (name,))


def _by_names(kind: type, values: list[Any], where: str) -> dict[str, Any]:
    """Return the values of a named tuple, a list in their order, by name."""
    names = _names(kind)
    if len(values) > len(names):
        raise UsageError(f"{where} is not a list of {len(names)} values\n  give a list of {len(names)} values")
    return dict(zip(names, values, strict=False))


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
        return _value(next(argument for argument in arguments if argument is not NoneType), value, where)
    if origin is tuple and arguments[-1] is not Ellipsis:
        return _row(arguments, value, where)
    if origin in (tuple, Sequence, Iterable):
        if not isinstance(value, list):
            raise UsageError(f"{where} is not a list\n  give a list, which may be empty")
        return tuple(_value(arguments[0], item, f"{where}[{i}]") for i, item in enumerate(value))
    if origin is not None:
        if not isinstance(value, Mapping):
            raise UsageError(f"{where} is not an object\n  give an object, which may be empty")
        return {name: _value(arguments[1], item, f"{where}.{name}") for name, item in value.items()}
    if kind in KINDS:
        return _single(kind, value, where)
    return record_of(kind, value, where)


def _row(kinds: Sequence[Any], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list) or len(value) != len(kinds):
        raise UsageError(f"{where} is not a list of {len(kinds)} values\n  give a list of {len(kinds)} values")
    return tuple(_value(kind, item, f"{where}[{i}]") for i, (kind, item) in enumerate(zip(kinds, value, strict=True)))


def _single(kind: type, value: Any, where: str) -> Any:
    wanted, fitting = KINDS[kind]
    is_right = isinstance(value, fitting) and (kind is bool or not isinstance(value, bool))
    if not is_right or (isinstance(value, float) and not isfinite(value)):
        raise UsageError(f"{where} is not {wanted}\n  give {wanted}")
    return value
