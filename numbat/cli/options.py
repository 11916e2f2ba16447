"""Options that several verbs share, and how the options of a verb become one record of settings."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from functools import wraps
from math import isfinite
from shlex import quote
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_type_hints

import click

from numbat.cli.printing import Input, is_terminal, keep_read
from numbat.cli.suite_options import TABLE_OPTIONS
from numbat.cli.verbs import GRAMMAR, INPUT, LEARNING, MANY, OUTPUT, option
from numbat.commands.settings import SuiteSettings
from numbat.parsing.policies import EVERYWHERE, ParserSettings
from numbat.settings import option_name, settings_of

if TYPE_CHECKING:
    from numbat.gradience.suite import Suite
    from numbat.grammar.model import Grammar

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[Any], Any]

TREEBANKS: Final = ("auto", "ptb", "sinica", "conllu")
"""The formats of treebanks, as `--from` takes them."""
TAGGED_FILES: Final = (*TREEBANKS, "text", "columns")
"""These, and those of tagged sentences without trees."""


class Finite(click.FloatRange):
    """A range of numbers, of which `nan` and `inf` are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{number} is not a finite number.", param, ctx)
        return number


def _listed(values: Sequence[str], default: str | None) -> str:
    """The values of an option with a mark on its default."""
    return ", ".join(f"{each} (default)" if each == default else each for each in values)


def source_option(formats: Sequence[str], of: str, default: str | None = "auto", field: str = "source") -> Decorator:
    """`--from`, the format of the input: one vocabulary, of which every verb has what it reads."""
    return option(
        INPUT,
        "--from",
        field,
        metavar="FORMAT",
        type=click.Choice(formats),
        default=default,
        help=f"Format of {of}: {_listed(formats, default)}.",
    )


TREES_OPTION: Decorator = source_option(TREEBANKS, "the trees")


def _joined(context: click.Context, given: list[str]) -> str:
    """What to do instead of giving several files to an option that takes one."""
    return f"give one file, or join them: cat {' '.join(map(quote, given))} | {context.command_path} -i -"


GRAMMAR_OPTION: Decorator = option(
    GRAMMAR,
    "-g",
    "--grammar",
    type=Input("grammar"),
    metavar="GRAMMAR",
    default="english",
    show_default=True,
    remedy='give one grammar; one that includes others joins them: include: "first.pg", "second.pg"',
    help="Grammar, a file or packaged.",
)
NAMED_GRAMMAR_OPTION: Decorator = option(
    GRAMMAR,
    "-g",
    "--grammar",
    type=Input("grammar"),
    metavar="GRAMMAR",
    required=True,
    help="Grammar, a file or packaged.",
)


def options_of(record: Any, names: Iterable[str] | None = None) -> tuple[Decorator, ...]:
    """The options of a record of settings, of all or of those that are named, in that order."""
    settings = {each.name: each for each in settings_of(record)}
    return tuple(_option(settings[name]) for name in (settings if names is None else names))


def _option(setting: Field[Any]) -> Decorator:
    about, default = setting.metadata, setting.default
    given: dict[str, Any] = {"help": about["help"], "metavar": about.get("metavar")}
    if isinstance(default, bool):
        given["is_flag"] = True
    elif default == ():
        given["multiple"] = True
    elif default is not None:
        given |= {"default": default, "show_default": str(default) not in about["help"]}
    if about.get("file"):
        given["type"] = Input(setting.name)
    elif "above" in about:
        given["type"] = click.FloatRange(min=about["above"], min_open=True)
    elif "least" in about:
        given["type"] = (Finite if isinstance(default, float) else click.IntRange)(min=about["least"])
    given |= {name: about[name] for name in ("advanced", "formerly") if name in about}
    return option(about["heading"], about["option"], option_name(setting), **given)


PARSER_OPTIONS: Final = options_of(ParserSettings, EVERYWHERE)
"""The options of verbs that parse."""
QUIET_OPTION: Decorator = option(MANY, "-q", "--quiet", is_flag=True, help="Show no progress.")
RUN_OPTIONS: tuple[Decorator, ...] = (
    option(
        MANY,
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="Number of processes (default: all cores).",
    ),
    option(
        MANY,
        "--kill-after",
        type=Finite(min=0),
        default=600.0,
        show_default=True,
        advanced=True,
        help="With several processes: give a sentence up after so many seconds; 0: never.",
    ),
    option(
        MANY,
        "--max-memory",
        type=click.IntRange(min=1),
        metavar="MIB",
        advanced=True,
        help="With several processes: give a sentence up that needs more memory.",
    ),
    option(
        MANY,
        "--cluster",
        metavar="ADDRESS",
        advanced=True,
        help="Work on a cluster of dask.distributed: the address of its scheduler, or local to start one here.",
    ),
    QUIET_OPTION,
)
TAGGED_OPTION: Decorator = option(INPUT, "--tagged", is_flag=True, help="Words carry tags: word/TAG or word/TAG1|TAG2.")
MODEL_HELP = (
    "What scores a sentence: cost, net, density, violation-density, local, propagated, satisfaction, completeness, "
    "quality, precision, grammaticality-index, grammaticality, coherence, fitness; or a file of numbat learn costs."
)
WEIGHTS_OPTION: Decorator = option(
    GRAMMAR,
    "--weights",
    metavar="WEIGHTS",
    default="grammar",
    show_default=True,
    help="What a property counts in a score: grammar, equal, or by relation: linearity=2,uniqueness=0.5.",
)
MODEL_OPTIONS: tuple[Decorator, ...] = (
    option(
        GRAMMAR,
        "-m",
        "--model",
        type=Input("model"),
        metavar="MODEL",
        default="cost",
        show_default=True,
        help=MODEL_HELP,
    ),
    WEIGHTS_OPTION,
)
TAGGER_OPTION: Decorator = option(
    INPUT, "--tagger", type=Input("tagger"), metavar="MODEL", help="Tagger for words that the lexicon does not have."
)
TAG_MAP_OPTION: Decorator = option(
    INPUT,
    "--tag-map",
    type=Input(),
    advanced=True,
    help="The file that maps tags to categories (default: ptb.map, ftb.map, or the tags alone).",
)


def _reading_options(formats: Sequence[str]) -> tuple[Decorator, ...]:
    """How sentences are read; a file of them is `-i`. `formats` are those of `--from`."""
    return (
        TAGGED_OPTION,
        source_option(formats, "a treebank", default=None),
        TAG_MAP_OPTION,
        TAGGER_OPTION,
        option(
            INPUT,
            "--tagger-output",
            "tags",
            metavar="KIND",
            type=click.Choice(["lattice", "best"]),
            default="lattice",
            show_default=True,
            advanced=True,
            formerly={"--tags": None},
            help="What the tagger gives a word: every likely tag with its confidence (lattice), or the best one alone.",
        ),
        option(INPUT, "--words", is_flag=True, advanced=True, help="With --from: the words alone, not their tags."),
        option(
            INPUT,
            "--max-length",
            type=click.IntRange(min=1),
            advanced=True,
            help="With --from: leave out longer sentences.",
        ),
    )


READING_OPTIONS: tuple[Decorator, ...] = _reading_options(TREEBANKS)
"""How sentences are read."""
TAGGED_READING_OPTIONS: tuple[Decorator, ...] = _reading_options(TAGGED_FILES)
"""The same, of tagged sentences without trees too."""
SUITE_OPTIONS: tuple[Decorator, ...] = (
    click.argument("suite", type=Input()),
    GRAMMAR_OPTION,
    option(
        INPUT,
        "--columns",
        metavar="NAMES",
        help="Names of the columns, if the file has none: judgement,sentence; or its own: sentence=Satz.",
    ),
    option(INPUT, "--pairs", is_flag=True, help="Every two lines are a minimal pair; unless signs say it, good first."),
    option(
        INPUT,
        "--group-by-id",
        type=click.IntRange(min=1),
        advanced=True,
        help="Sentences are a group whose ids begin with the same N parts, as 32.1 of 32.1.a.01.",
    ),
    *TABLE_OPTIONS,
    TAGGED_OPTION,
    TAGGER_OPTION,
    TAG_MAP_OPTION,
    *PARSER_OPTIONS,
    *RUN_OPTIONS,
)


def _or_standard_input(context: click.Context, param: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """The sentences; where there are none and no file, and a pipe or file is behind standard input, that."""
    elsewhere = given or context.params.get("path") is not None or context.resilient_parsing
    return given if elsewhere or is_terminal(sys.stdin) else ("-",)


SENTENCES: Decorator = click.argument("sentences", nargs=-1, type=Input(), callback=_or_standard_input)


def input_option(help: str) -> Decorator:
    """`--input`, the one file that a verb reads."""
    return option(INPUT, "-i", "--input", "path", type=Input(), remedy=_joined, help=help)


def format_option(*formats: str, default: str | None = "text", field: str = "form", **settings: Any) -> Decorator:
    """`--format`, in which the result is printed."""
    return option(
        OUTPUT,
        "-f",
        "--format",
        field,
        metavar="FORMAT",
        default=default,
        type=click.Choice(formats),
        help=f"{_listed(formats, default)}.",
        **settings,
    )


def seed_option(of: str, under: str = LEARNING) -> Decorator:
    """`--seed`: the same numbers again for the same seed."""
    return option(
        under, "--seed", default=0, show_default=True, type=click.IntRange(min=0), help=f"Random seed of {of}."
    )


def with_options(options: tuple[Decorator, ...]) -> Callable[[F], F]:
    """Add options to a verb, in their order."""

    def decorate(function: F) -> F:
        for each in reversed(options):
            function = each(function)
        return function

    return decorate


Record = TypeVar("Record")


def takes(record: type[Record]) -> Callable[[Callable[[Record], None]], Callable[..., None]]:
    """Make a verb of a function of one `record`: every option of the verb is a field of it, or of a record in it."""

    def decorate(function: Callable[[Record], None]) -> Callable[..., None]:
        @wraps(function)
        def verb(**options: Any) -> None:
            asked = record_of(record, options)
            gc.enable()  # `main` switches it off for the start
            function(asked)

        verb.record = record  # type: ignore[attr-defined]
        return verb

    return decorate


def record_of(record: type[Record], options: Mapping[str, Any]) -> Record:
    """The record whose fields have the values of the options of their names; the others have their defaults."""
    types = get_type_hints(record)
    values = {}
    for field in fields(record):  # type: ignore[arg-type]
        if is_dataclass(types[field.name]):
            values[field.name] = record_of(types[field.name], options)
        elif (name := option_name(field)) in options:
            values[field.name] = options[name]
    return record(**values)


def grammar_of(name: str) -> Grammar:
    """The grammar of a verb. Raises UsageError where the verb would write over a file of it."""
    from numbat.grammar.loading import load_grammar

    gc.disable()  # nothing is garbage while it is read, and it stays
    try:
        grammar = load_grammar(name)
        gc.freeze()
    finally:
        gc.enable()
    keep_read(grammar.files)
    return grammar


def suite_of(settings: SuiteSettings) -> Suite:
    """The suite of a verb. Raises UsageError where the verb would write over a file of it."""
    from numbat.commands import parsing

    suite = parsing.suite_of(settings)
    keep_read(dict.fromkeys(item.path for item in suite.items if item.path))
    return suite
