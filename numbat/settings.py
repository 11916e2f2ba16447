"""Records of settings: each field has its default, range and command line option; records as JSON and back.

`cli.options.options_of` makes options of them; requests of a page (`workbench.session`) have those that are marked so.
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


class About(TypedDict, total=False):
    """Further facts about a setting and its option.

    `metavar` stands for the value in the help. The value is at least `least`, or `above` a number, and at most `most`;
    a number is whole unless the type of the field says float. `choices` are the values that there are. `file`: the
    value names a file that is read, or what is packaged under the name of the setting; `reads` says which: `file`,
    `text` or `grammar`. `writes`: it names a file, a folder, or either, that is written. `parse` makes the value of
    what is typed; it raises ValueError. `short` is a second name of the option, `shown` False hides the default.
    `heading` is that of the option in the help; an `advanced` option stands in `--help-all` alone. `page`:
    requests of the page have the setting too.
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
    return option.lstrip("-").replace("-", "_")


class Typed(NamedTuple):
    """The options of a verb as they were typed: which are `given`, how each is `written`, by the names of fields."""

    verb: str
    written: Mapping[str, str]
    given: frozenset[str]

    def first_of(self, names: Iterable[str]) -> str | None:
        """Return the first of these options that is given, as it is written."""
        return next((self.written[name] for name in names if name in self.given), None)


# Records as JSON and back, by the names and types of their fields.
#
# A record, a dataclass or a named tuple, is an object of JSON by the names of its fields, without those that have their
# defaults. So what was written before a record got a further field with a default is read as before. Up to version
# 0.23.0 a named tuple was a list of its values, which is still read; the fields that it is too short for have their
# defaults. Where the metadata of a field say that a record is `inlined`, those of its fields that they name stand in
# the object itself.

Record = TypeVar("Record")

KINDS: Final[dict[type, tuple[str, tuple[type, ...]]]] = {
    str: ("a text", (str,)),
    bool: ("true or false", (bool,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
}
"""The types of single values: what they are called, and what of JSON they are."""


class UnknownFieldError(UsageError):
    """A JSON object has a field that its record does not have."""


def why_unread(error: UsageError, version: object) -> str:
    """Return in one line why a record of a file cannot be read; of an unknown field also which version of Numbat wrote
    the file (None if it does not say so), for that may be a later one.
    """
    why = str(error).partition("\n")[0]
    return f"{why}: {written_by(version)}" if isinstance(error, UnknownFieldError) else why


def written_by(version: object) -> str:
    """Return which version of Numbat wrote a file, and which one this is."""
    return f"{'another version' if version is None else f'version {version}'} of Numbat wrote it, this is {__version__}"


def record_of(kind: type[Record], value: object, where: str) -> Record:
    """Build a record from a JSON object, called `where` in messages: the inverse of `mapping_of`.

    Raises UsageError, and UnknownFieldError for a field that the record does not have.
    """
    if isinstance(value, list) and issubclass(kind, tuple):
        value = _by_names(kind, value, where)
    if not isinstance(value, Mapping):
        raise UsageError(f"{where} is no object\n  {_takes(kind)}")
    fields_of: type = kind  # for mypy does not know that it is hashable
    parts, known = _parts(fields_of), _names(fields_of)
    for name in value:
        if name not in known:
            meant = close_match(str(name), known) or _takes(kind)
            raise UnknownFieldError(f'{where} has no field "{name}"\n  {meant}')
    given = {}
    for name, part in parts.items():
        if part.inlined:
            own = {name: value[name] for name in part.inlined if name in value}
            given[name] = record_of(part.kind, own, where)
        elif name in value:
            given[name] = _value(part.kind, value[name], f"{where}.{name}")
        elif part.default is None:
            raise UsageError(f'{where} lacks the field "{name}"\n  {_takes(kind)}')
    return kind(**given)


def mapping_of(record: Any) -> dict[str, Any]:
    """Return a record as a JSON object, without the fields that have their defaults: the inverse of `record_of`.

    The default of a field that is written so is part of the format: it stays what it is.
    """
    found: dict[str, Any] = {}
    kind: type = type(record)
    for name, part in _parts(kind).items():
        value = getattr(record, name)
        if part.inlined:
            found |= mapping_of(value)
        elif part.default is None or value != part.default():
            found[name] = value if part.kind is Any else _as_json(value)
    return found


def _as_json(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {name: _as_json(each) for name, each in value.items()}
    if _is_record(value):
        return mapping_of(value)
    return [_as_json(each) for each in value]


def _is_record(value: Any) -> bool:
    return is_dataclass(value) or hasattr(value, "_fields")


class _Part(NamedTuple):
    """A field of a record: the type of its value, what makes its default, None where it has none, and the names of the
    fields of an inlined record.
    """

    kind: Any
    default: Callable[[], Any] | None
    inlined: Sequence[str] = ()


@cache
def _parts(kind: Any) -> Mapping[str, _Part]:
    """Return the fields of a record by their names."""
    hints = get_type_hints(kind)
    if not is_dataclass(kind):
        return {each: _Part(hints[each], _maker(kind._field_defaults.get(each, MISSING))) for each in kind._fields}
    found = {}
    for each in fields(kind):
        make = _maker(each.default) if each.default_factory is MISSING else each.default_factory
        found[each.name] = _Part(hints[each.name], make, each.metadata.get("inlined", ()))
    return found


def _maker(default: Any) -> Callable[[], Any] | None:
    return None if default is MISSING else lambda: default


@cache
def _names(kind: Any) -> tuple[str, ...]:
    """Return the names of the JSON object, including those of inlined records."""
    return tuple(each for name, part in _parts(kind).items() for each in part.inlined or (name,))


def _by_names(kind: type, values: list[Any], where: str) -> dict[str, Any]:
    """Return the values of a named tuple, which stand in their order, by their names."""
    names = _names(kind)
    if len(values) > len(names):
        raise UsageError(f"{where} is no list of {len(names)}\n  give a list of {len(names)}")
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
            raise UsageError(f"{where} is no list\n  give a list, which may be empty")
        return tuple(_value(arguments[0], each, f"{where}[{i}]") for i, each in enumerate(value))
    if origin is not None:
        if not isinstance(value, Mapping):
            raise UsageError(f"{where} is no object\n  give an object, which may be empty")
        return {name: _value(arguments[1], each, f"{where}.{name}") for name, each in value.items()}
    if kind in KINDS:
        return _single(kind, value, where)
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
