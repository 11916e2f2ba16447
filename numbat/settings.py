"""Fields of records of settings, each with its default, its range and the option that sets it on the command line.

`cli.options.options_of` makes options of them; requests of the page have those that are marked so (`web.requests`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import Field, field, fields, is_dataclass
from typing import Any, Literal, TypedDict, Unpack


class About(TypedDict, total=False):
    """What else may be said of a setting, and of the option that sets it.

    `metavar` stands for the value in the help. The value is at least `least`, or `above` a number; a number is whole
    unless its default is not. `file`: the value names a file that is read. `heading` is that of the option in the help,
    `advanced`: hardly anybody needs it. `formerly` has former names (see `cli.verbs.Option`). `page`: requests of the
    page have the setting too.
    """

    metavar: str
    least: int
    above: int
    file: bool
    heading: Literal["Input", "Grammar", "Search", "Output", "Many sentences"]
    advanced: bool
    formerly: Mapping[str, str | None]
    page: bool


def setting(default: Any, option: str, help: str, **about: Unpack[About]) -> Any:
    """A field of a record of settings, with the option that sets it on the command line and the help of that."""
    return field(default=default, metadata={"option": option, "help": help, "heading": "Search", **about})


def settings_of(record: Any) -> Iterator[Field[Any]]:
    """The settings of a record, with those of the records that its fields have by default."""
    for each in fields(record):
        if is_dataclass(each.default):
            yield from settings_of(each.default)
        elif "option" in each.metadata:
            yield each


def option_name(each: Field[Any]) -> str:
    """The name of a field's option as a parameter of a verb, `max_items`; that of the field where it has no option."""
    option: str = each.metadata.get("option", each.name)
    return option.removeprefix("--").replace("-", "_")
