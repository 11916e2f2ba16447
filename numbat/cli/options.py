"""Options that several verbs share, and how the options of a verb become one record of settings."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from functools import wraps
from math import isfinite
from shlex import quote
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_type_hints

import click

from numbat.cli.printing import Input, keep_read
from numbat.cli.suite_options import TABLE_OPTIONS
from numbat.commands.settings import SuiteSettings
from numbat.errors import UsageError
from numbat.parsing.policies import EVERYWHERE, ParserSettings
from numbat.settings import option_name, settings_of

if TYPE_CHECKING:
    from numbat.gradience.suites.suite import Suite
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


TREES_OPTION: Decorator = click.option(
    "--from",
    "source",
    type=click.Choice(TREEBANKS),
    default="auto",
    show_default=True,
    help="Format of the trees: brackets (ptb), Sinica's, CoNLL-U; auto looks at the first line.",
)


def _only(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> str | None:
    """What an option is given that is given once; a second would silently take the place of the first."""
    if len(given) > 1:
        joined = f"cat {' '.join(map(quote, given))} | numbat {context.command.name} -i -"
        hint = f"give one file, or join them: {joined}"
        if option.name == "grammar":
            hint = 'give one grammar; one that includes others joins them: include: "first.pg", "second.pg"'
        raise UsageError(f"{option.opts[0]} is given {len(given)} times: {', '.join(given)}\n  {hint}")
    return given[0] if given else None


GRAMMAR_OPTION: Decorator = click.option(
    "-g",
    "--grammar",
    type=Input(),
    metavar="GRAMMAR",
    default=("english",),
    show_default=True,
    multiple=True,
    callback=_only,
    help="A grammar file or a packaged name.",
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
        given |= {"default": default, "show_default": True}
    if about.get("file"):
        given["type"] = Input()
    elif "above" in about:
        given["type"] = click.FloatRange(min=about["above"], min_open=True)
    elif "least" in about:
        given["type"] = (Finite if isinstance(default, float) else click.IntRange)(min=about["least"])
    return click.option(about["option"], option_name(setting), **given)


PARSER_OPTIONS: Final = options_of(ParserSettings, EVERYWHERE)
"""The options of verbs that parse."""
QUIET_OPTION: Decorator = click.option("-q", "--quiet", is_flag=True, help="Do not tell how far the work is.")
RUN_OPTIONS: tuple[Decorator, ...] = (
    click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="Work in so many processes (default: all cores where there are many sentences).",
    ),
    click.option(
        "--kill-after",
        type=Finite(min=0),
        default=600.0,
        show_default=True,
        help="With more processes than one: give a sentence up after so many seconds; 0: never.",
    ),
    click.option(
        "--max-memory",
        type=click.IntRange(min=1),
        metavar="MIB",
        help="With more processes than one: give a sentence up that needs more memory.",
    ),
    click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Work on a cluster of dask.distributed: the address of its scheduler, or local to start one here.",
    ),
    QUIET_OPTION,
)
TAGGED_OPTION: Decorator = click.option(
    "--tagged", is_flag=True, help="Words carry categories: word/TAG or word/TAG1|TAG2."
)
MODEL_HELP = (
    "A gradience model: cost, net, density, violation-density, local, propagated, satisfaction, completeness, quality, "
    "precision, grammaticality-index, grammaticality, coherence, fitness; or a .tsv file of numbat fit."
)
MODEL_OPTIONS: tuple[Decorator, ...] = (
    click.option("-m", "--model", type=Input(), metavar="MODEL", default="cost", show_default=True, help=MODEL_HELP),
    click.option(
        "--weights",
        default="grammar",
        show_default=True,
        help="What a property counts: grammar, equal, or relations: linearity=2,uniqueness=0.5.",
    ),
)
TAGGER_OPTION: Decorator = click.option(
    "--tagger", type=Input(), metavar="MODEL", help="A tagger for the words that the lexicon does not have."
)


def _reading_options(formats: Sequence[str], also: str = "") -> tuple[Decorator, ...]:
    """How sentences are read; a file of them is `-i`. `formats` are those of `--from`, whose help says `also`."""
    return (
        TAGGED_OPTION,
        click.option(
            "--from",
            "source",
            type=click.Choice(formats),
            help=f"Input is a treebank: take its tagged words; auto looks at the first line of the file.{also}",
        ),
        click.option(
            "--tag-map",
            type=Input(),
            help="The file that maps tags to categories (default: ptb.map, ftb.map, or the tags alone).",
        ),
        TAGGER_OPTION,
        click.option(
            "--tags",
            type=click.Choice(["lattice", "best"]),
            default="lattice",
            show_default=True,
            help="With --tagger: every likely tag of a word with its confidence, or the best one alone.",
        ),
        click.option("--words", is_flag=True, help="With --from: the words alone, not their tags."),
        click.option("--max-length", type=click.IntRange(min=1), help="With --from: leave out longer sentences."),
    )


READING_OPTIONS: tuple[Decorator, ...] = _reading_options(TREEBANKS)
"""How sentences are read."""
TAGGED_READING_OPTIONS: tuple[Decorator, ...] = _reading_options(
    TAGGED_FILES, " With --structure also lines of tagged words (text), or what numbat tag run writes (columns)."
)
"""The same, of tagged sentences without trees too."""
SUITE_OPTIONS: tuple[Decorator, ...] = (
    click.argument("suite", type=Input()),
    GRAMMAR_OPTION,
    click.option(
        "--columns",
        help="The names of the columns, for a file without: judgement,sentence; what it calls them: sentence=Satz.",
    ),
    click.option("--pairs", is_flag=True, help="Every two lines are a minimal pair; unless signs say it, good first."),
    click.option(
        "--group-by-id",
        type=click.IntRange(min=1),
        metavar="N",
        help="Sentences are a group whose ids begin with the same N parts, as 32.1 of 32.1.a.01.",
    ),
    *TABLE_OPTIONS,
    TAGGED_OPTION,
    TAGGER_OPTION,
    click.option("--tag-map", type=Input(), help="What the tagger's labels are in the grammar."),
    *PARSER_OPTIONS,
    *RUN_OPTIONS,
)


def input_option(help: str) -> Decorator:
    """`--input`, the one file that a verb reads."""
    return click.option("-i", "--input", "path", type=Input(), multiple=True, callback=_only, help=help)


def format_option(what: str, *further: str) -> Decorator:
    """`--format`, of what is printed as text or as JSON, or in `further` formats."""
    return click.option(
        "-f",
        "--format",
        "form",
        default="text",
        show_default=True,
        type=click.Choice(["text", "json", *further]),
        help=f"How the {what} is printed.",
    )


def seed_option(of: str) -> Decorator:
    """`--seed`: the same numbers again for the same seed."""
    return click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help=f"The seed of {of}.")


def with_options(options: tuple[Decorator, ...]) -> Callable[[F], F]:
    """Add options to a verb, in their order."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


Record = TypeVar("Record")


def takes(record: type[Record]) -> Callable[[Callable[[Record], None]], Callable[..., None]]:
    """Makes a verb of a function of one record: every option of the verb is a field of it, or of a record in it."""

    def decorate(function: Callable[[Record], None]) -> Callable[..., None]:
        @wraps(function)
        def verb(**options: Any) -> None:
            asked = record_of(record, options)
            gc.enable()  # `main` switches it off for the start
            function(asked)

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
    from numbat.commands import preparing

    suite = preparing.suite_of(settings)
    keep_read(dict.fromkeys(item.path for item in suite.items if item.path))
    return suite
