"""The registry of verbs, options with headings, and options that several verbs share."""

from __future__ import annotations

import codecs
import gc
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import MISSING, Field, is_dataclass
from functools import cache, wraps
from importlib import import_module
from shlex import quote
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, get_type_hints

import click
from click.core import ParameterSource

from numbat.acceptability.settings import SuiteSettings
from numbat.cli.printing import (
    ENCODING,
    MAX_SECONDS,
    UNLIMITED,
    WHEN_COLORED,
    Finite,
    Input,
    Output,
    Text,
    Whole,
    is_terminal,
    keep_inputs,
    set_talk,
    write_out,
)
from numbat.errors import UsageError, counted
from numbat.parsing.policies import EVERYWHERE, ParserSettings
from numbat.runs.settings import LATTICES, TREEBANKS, RunSettings, SentenceSettings
from numbat.settings import MOST_SECONDS, Typed, option_name, range_of, settings_of

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class VerbEntry(NamedTuple):
    """Module that declares a verb, and the verb's line in `numbat -h`."""

    module: str
    help: str


VERBS: Final = {
    "ablate": VerbEntry("numbat.cli.suites", "Switch heuristics and relations off one by one."),
    "check": VerbEntry("numbat.cli.grammars", "Find mistakes in a grammar."),
    "compare": VerbEntry("numbat.cli.suites", "Compare two grammars on a suite."),
    "completion": VerbEntry("numbat.cli.main", "Print a shell completion script."),
    "contrast": VerbEntry("numbat.cli.reasons", "Explain the difference between two sentences."),
    "convert": VerbEntry("numbat.cli.grammars", "Print a grammar in the notation or as YAML."),
    "coverage": VerbEntry("numbat.cli.suites", "Show which properties of a grammar a suite tests."),
    "decode": VerbEntry("numbat.cli.sequences", "Label sequences under the properties of a grammar."),
    "design": VerbEntry("numbat.cli.design", "Make lists for an experiment and check its items."),
    "doctor": VerbEntry("numbat.cli.installation", "Show what is installed, compiled or missing."),
    "expansions": VerbEntry("numbat.cli.treebanks", "Count refined expansions in a treebank."),
    "explain": VerbEntry("numbat.cli.reasons", "Explain the score of a sentence."),
    "export": VerbEntry("numbat.cli.corpora", "Export a parsed corpus as Parquet."),
    "generate": VerbEntry("numbat.cli.grammars", "Generate sentences, good or with one violation."),
    "importance": VerbEntry("numbat.cli.models", "Show how much each relation matters in a model."),
    "induce": VerbEntry("numbat.cli.treebanks", "Make a grammar from a treebank."),
    "join": VerbEntry("numbat.cli.corpora", "Join outputs of parse."),
    "judge": VerbEntry("numbat.cli.reasons", "Show what trees satisfy and violate."),
    "learn costs": VerbEntry("numbat.cli.models", "Learn costs of violations from rated sentences."),
    "learn penalties": VerbEntry("numbat.cli.sequences", "Learn costs of constraints from labelled sequences."),
    "learn preferences": VerbEntry("numbat.cli.learn", "Learn which of equally cheap parses is meant."),
    "learn structure": VerbEntry("numbat.cli.learn", "Learn dependency structure from tagged sentences."),
    "learn weights": VerbEntry("numbat.cli.learn", "Learn weights of trees from a treebank."),
    "lsp": VerbEntry("numbat.cli.workbench", "Run the language server for editors."),
    "man": VerbEntry("numbat.cli.installation", "Print the manual page."),
    "new": VerbEntry("numbat.cli.grammars", "Start a project: grammar, words, suite."),
    "parse": VerbEntry("numbat.cli.parse", "Parse sentences, well-formed or not."),
    "power": VerbEntry("numbat.cli.design", "Estimate the statistical power of a design."),
    "query": VerbEntry("numbat.cli.corpora", "Find constructions and violations in a parsed corpus."),
    "ratings": VerbEntry("numbat.cli.ratings", "Make a clean table from experiment results."),
    "repair": VerbEntry("numbat.cli.reasons", "Find the smallest changes that improve a sentence."),
    "report": VerbEntry("numbat.cli.suites", "Compare scores with the judgements of a suite."),
    "rerun": VerbEntry("numbat.cli.suites", "Repeat a published report and show differences."),
    "score": VerbEntry("numbat.cli.treebanks", "Score parsed trees against gold trees."),
    "serve": VerbEntry("numbat.cli.workbench", "Start the workbench in the browser."),
    "show": VerbEntry("numbat.cli.grammars", "List packaged grammars, or show one."),
    "site": VerbEntry("numbat.cli.workbench", "Make the workbench a page without a server."),
    "statistics": VerbEntry("numbat.cli.corpora", "Show how often a corpus violates each property."),
    "tag run": VerbEntry("numbat.cli.sequences", "Label sentences with a model."),
    "tag score": VerbEntry("numbat.cli.sequences", "Score a model on labelled sentences."),
    "tag train": VerbEntry("numbat.cli.sequences", "Train a tagger on labelled sentences."),
    "test": VerbEntry("numbat.cli.suites", "Check whether a grammar judges a suite as expected."),
    "theories": VerbEntry("numbat.cli.design", "Compare theories of gradience on a suite."),
    "trees": VerbEntry("numbat.cli.treebanks", "Convert a treebank."),
    "why-not": VerbEntry("numbat.cli.reasons", "Show what another analysis would cost."),
}
"""All verbs; each line of help fits a terminal of 80 columns."""
GROUPS: Final = {"learn": "Learn costs, penalties, weights or structure.", "tag": "Train, run and score a tagger."}
"""First words of the verbs that have two."""
SECTIONS: Final = {
    "Daily work": "parse new check show test explain repair report induce query serve doctor",
    "Grammars": "convert generate coverage compare lsp",
    "Reasons": "contrast judge why-not",
    "Experiments": "design power ratings ablate theories importance rerun",
    "Treebanks and corpora": "trees score expansions join statistics export",
    "Tagging and learning": "tag decode learn",
    "The program": "site man completion",
}
"""Headings of `numbat -h`, each with its verbs."""
REMOVED: Final = {
    "bench": "time numbat parse -i FILE, or count with --stats",
    "check-trees": "run numbat judge --summary",
    "fit": "run numbat learn costs",
    "granularity": "run numbat parse --granularity X --stats for each X; add --gold for a treebank",
}
"""Verbs that former versions had, and what to do instead."""
INPUT, GRAMMAR, SEARCH, LEARNING = "Input", "Grammar", "Search", "Learning"
OUTPUT, MANY = "Output", "Many sentences"
HEADINGS: Final = (INPUT, GRAMMAR, SEARCH, LEARNING, OUTPUT, MANY)
"""Headings of options, in the order of the help."""
ALL_OPTIONS: Final = "numbat.all_options"
"""Key in a context's `meta`: true if the help lists all options."""


class Option(click.Option):
    """An option under a heading; help shows its default, and lists it only with `--help-all` if it is `advanced`.

    An option may be given once unless it is `multiple`; `remedy` says what to do instead of giving it twice.
    """

    def __init__(
        self,
        *names: Any,
        under: str,
        advanced: bool = False,
        remedy: Callable[[click.Context, list[str]], str] | str = "give one of them",
        **settings: Any,
    ) -> None:
        if isinstance(settings.get("type"), click.FloatRange | click.IntRange):
            settings.setdefault("metavar", "X" if isinstance(settings["type"], click.FloatRange) else "N")
        default = settings.get("default")
        settings.setdefault("show_default", default not in (None, "") and not isinstance(default, bool))
        super().__init__(*names, **settings)
        self.under, self.advanced, self.remedy = under, advanced, remedy

    @property
    def is_given_once(self) -> bool:
        """True if a second value would replace the first."""
        return not self.multiple and (not self.is_flag or bool(self.secondary_opts))

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Add the option; if it may be given only once, collect all its values, to detect a second."""
        if not self.is_given_once:
            super().add_to_parser(parser, ctx)
        elif self.is_flag:
            for names, is_on in ((self.opts, True), (self.secondary_opts, False)):
                parser.add_option(obj=self, opts=names, dest=self.name, action="append_const", const=is_on)
        else:
            parser.add_option(obj=self, opts=self.opts, dest=self.name, action="append", nargs=self.nargs)

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Raise UsageError for a second value."""
        name = str(self.name)
        if self.is_given_once and name in opts:
            values = opts[name]
            if len(values) > 1 and not ctx.resilient_parsing:
                self._refuse(ctx, values)
            opts = {**opts, name: values[0]}
        return super().handle_parse_result(ctx, opts, args)

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Return the default for the help, without the range, which only the message about a wrong value shows."""
        return {key: value for key, value in super().get_help_extra(ctx).items() if key != "range"}

    def _refuse(self, ctx: click.Context, values: list[Any]) -> None:
        if self.is_flag:
            raise UsageError(f"{self.opts[0]} and {self.secondary_opts[0]} exclude each other\n  leave one of them out")
        remedy = self.remedy if isinstance(self.remedy, str) else self.remedy(ctx, values)
        raise UsageError(f"{self.opts[0]} is given {len(values)} times: {', '.join(values)}\n  {remedy}")


def option(under: str, *names: str, **settings: Any) -> Callable[[Any], Any]:
    """Return `click.option` for an option under a heading; see `Option` for the other settings."""
    return click.option(*names, cls=Option, under=under, **settings)


def _show_all(context: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        context.meta[ALL_OPTIONS] = True
        write_out(context.get_help())
        context.exit()


def _encoding(context: click.Context, param: click.Parameter, given: str | None) -> str | None:
    """Return the name of the codec. Raises BadParameter if Python does not know it."""
    try:
        "".encode(given or "utf-8")  # some codecs are not about text
        return given and codecs.lookup(given).name
    except LookupError:
        raise click.BadParameter(
            f'"{given}" is not an encoding: write latin-1, cp1252, utf-16', context, param
        ) from None


ENCODING_OPTION: Final = Option(
    ["--encoding", ENCODING],
    under=INPUT,
    advanced=True,
    metavar="NAME",
    callback=_encoding,
    help="Encoding of text files, for example latin-1, cp1252, utf-16 (default: UTF-8).",
)
MAX_SECONDS_OPTION: Final = Option(
    ["--max-seconds", MAX_SECONDS],
    under=MANY,
    advanced=True,
    type=Finite(0, MOST_SECONDS, is_open=True),
    metavar="X",
    help="Stop after X seconds, reading included.",
)
TALK_OPTIONS: Final = tuple(
    Option(
        [f"-{name[0]}", f"--{name}"],
        under=OUTPUT,
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=set_talk,
        advanced=name == "verbose",
        help=help,
    )
    for name, help in (
        ("quiet", "Print only results and errors."),
        ("verbose", "Print all places of notes and errors, the files read, and times."),
    )
)
"""Options of every verb that set how much it says; they are not in the record of a run."""
HELP_ALL: Final = click.Option(
    ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_all, help="List all options."
)


def is_given(name: str) -> bool:
    """True if an option of the running verb, named by its field, is on the command line."""
    return click.get_current_context().get_parameter_source(name) not in (ParameterSource.DEFAULT, None)


def written(name: str) -> str:
    """Return an option of the running verb as it is typed."""
    params = click.get_current_context().command.params
    return max(next(param.opts for param in params if param.name == name), key=len)


def typed() -> Typed:
    """Return the options of the running verb as they were typed."""
    command = click.get_current_context().command
    written = {param.name or "": max(param.opts, key=len) for param in command.params}
    return Typed(command.name or "", written, frozenset(filter(is_given, written)))


class Verb(click.Command):
    """A verb with a paragraph of help, examples, and options under headings."""

    def __init__(self, *arguments: Any, examples: tuple[str, ...] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.examples = examples

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters and the options about help, which are not in the record of a run."""
        *params, help = super().get_params(ctx)
        return [*params, *self._of_all(), HELP_ALL, help]

    def _of_all(self) -> list[click.Parameter]:
        """Return `--encoding` if the verb reads texts, `--max-seconds` if it has none itself, -q and -v."""
        reads_texts = any(isinstance(param.type, Text) for param in self.params)
        has_own = self.name in UNLIMITED or any("--max-seconds" in param.opts for param in self.params)
        return [*[ENCODING_OPTION][:reads_texts], *[MAX_SECONDS_OPTION][has_own:], *TALK_OPTIONS]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, the options by heading, and the number of options not listed."""
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"{'':{formatter.current_indent}}{example}\n")
        options = [param for param in (*self.params, *self._of_all()) if isinstance(param, Option)]
        listed = [param for param in options if ctx.meta.get(ALL_OPTIONS) or not param.advanced]
        rows = [(param.under, param.get_help_record(ctx) or ("", "")) for param in listed]
        width = max((len(names) for _, (names, _) in rows), default=0)
        for heading in HEADINGS:
            if section := [(f"{names:{width}}", help) for under, (names, help) in rows if under == heading]:
                with formatter.section(heading):
                    formatter.write_dl(section)
        if hidden := len(options) - len(listed):
            formatter.write_paragraph()
            formatter.write_text(f"{ctx.command_path} --help-all lists {counted(hidden, 'more option')}.")


def verb(name: str, *examples: str) -> Callable[[Callable[..., None]], Verb]:
    """Return a decorator that makes a function a verb; each parameter gets the value of the option with its name.

    A parameter that is a record of settings gets the options for its fields. `name` is the name in the registry,
    `examples` are command lines for the help.
    """

    def decorate(function: Callable[..., None]) -> Verb:
        @wraps(function)
        def called(**options: Any) -> None:
            arguments = arguments_of(function, options)
            gc.enable()  # `main` disables it for a faster start
            function(**arguments)

        return click.command(name, cls=Verb, examples=examples)(called)

    return decorate


def arguments_of(taker: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments for a function or a record, by parameter, taken from the options."""
    arguments: dict[str, Any] = {}
    hints: dict[str, Any] = get_type_hints(taker)
    for name, kind in hints.items():
        if hasattr(kind, "__dataclass_fields__"):
            arguments[name] = kind(**arguments_of(kind, options))
        elif (option := _option_of(taker, name)) in options:
            arguments[name] = options[option]
    return arguments


def _option_of(taker: Any, name: str) -> str:
    """Return the name of the option for a parameter or a field; the metadata of a field may state another name."""
    return option_name(taker.__dataclass_fields__[name]) if is_dataclass(taker) else name


class Verbs(MutableMapping[str, click.Command]):
    """Commands by name, for click, loaded on first use: the verbs whose first word is `first`, without that word."""

    def __init__(self, first: str = "") -> None:
        self._first = first
        names = [name.removeprefix(first).split()[0] for name in VERBS if name.startswith(first)]
        self._names = sorted(dict.fromkeys(names))
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._loaded:
            self[name] = group(name) if name in GROUPS and not self._first else _load(self._first + name)
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        self._names.remove(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@cache
def _load(name: str) -> Verb:
    """Import a verb of the registry. Cached, because `keep_inputs` wraps the verb in place."""
    module = import_module(VERBS[name].module)
    (command,) = (var for var in vars(module).values() if isinstance(var, Verb) and var.name == name)
    keep_inputs(command)
    return command


class VerbGroup(click.Group):
    """A list of verbs, loaded one by one; a verb that was removed says what to do instead."""

    def __init__(self, *arguments: Any, first: str = "", **settings: Any) -> None:
        super().__init__(*arguments, **settings | {"commands": Verbs(first)})
        self._first = first

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the verb. Raises UsageError for a sentence instead of a verb, with the command to write."""
        name = arguments[0]
        if " " in name and not context.resilient_parsing:
            raise UsageError(f'"{name}" is not a command\n  write numbat parse "{name}"')
        if not self._first and name in REMOVED and not context.resilient_parsing:
            raise UsageError(f"numbat {name} was removed in version 0.25\n  {REMOVED[name]}")
        return super().resolve_command(context, arguments)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the verbs with this beginning, from the registry, and the options."""
        from click.shell_completion import CompletionItem

        verbs = [CompletionItem(name, help=self._line(name)) for name in self.commands if name.startswith(incomplete)]
        return [*verbs, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs."""
        sections = {"Commands": " ".join(self.commands)} if self._first else SECTIONS
        width = max(map(len, self.commands))
        for heading, names in sections.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:{width}}", self._line(name)) for name in names.split()])

    def _line(self, name: str) -> str:
        return GROUPS[name] if name in GROUPS and not self._first else VERBS[self._first + name].help


def group(name: str) -> VerbGroup:
    """Return the group of verbs that begin with a word."""
    return VerbGroup(name, first=f"{name} ", help=GROUPS[name])


# Options for tables: how suites are read and cells are written

COLOR_OPTION: Final[Callable[[Any], Any]] = option(
    OUTPUT,
    "--color",
    metavar="WHEN",
    type=click.Choice(WHEN_COLORED),
    default="auto",
    show_default=False,
    help="auto (in a terminal), always or never.",
)
STRICT_OPTION: Final[Callable[[Any], Any]] = option(
    OUTPUT,
    "--strict",
    "must_hold",
    is_flag=True,
    advanced=True,
    help="Exit with code 1 if a sentence is not well-formed or, in a suite, not judged as marked, even if accepted.",
)
SPREADSHEETS_OPTION: Final[Callable[[Any], Any]] = option(
    OUTPUT,
    "--for-spreadsheets",
    is_flag=True,
    advanced=True,
    help="In tables, put an apostrophe before cells that a spreadsheet would read as formulas. Numbat ignores it.",
)


# Shared options, and how options become a record of settings

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[Any], Any]


THRESHOLD_OPTION: Final[Callable[[Any], Any]] = option(
    OUTPUT,
    "--threshold",
    metavar="COST",
    type=Finite(0),
    advanced=True,
    help="With --strict: accept sentences whose violations and fragments cost at most COST.",
)


def _listed(values: Sequence[str], default: str | None) -> str:
    """Return the values of an option as a list that marks the default."""
    return ", ".join(f"{value} (default)" if value == default else value for value in values)


def source_option(formats: Sequence[str], of: str, default: str | None = "auto", field: str = "source") -> Decorator:
    """Return `--from`, the format of the input, which the help calls `of`; `formats` are those that the verb reads."""
    return option(
        INPUT,
        "--from",
        field,
        metavar="FORMAT",
        type=click.Choice(formats),
        default=default,
        show_default=False,
        help=f"Format of {of}: {_listed(formats, default)}.",
    )


TREES_OPTION: Decorator = source_option(TREEBANKS, "the trees")


def _joined(context: click.Context, given: list[str]) -> str:
    """Suggest how to give several files to an option that takes one."""
    return f"give one file, or join them: cat {' '.join(map(quote, given))} | {context.command_path} -i -"


GRAMMAR_OPTION: Decorator = option(
    GRAMMAR,
    "-g",
    "--grammar",
    type=Input("grammar"),
    metavar="GRAMMAR",
    default="english",
    remedy='give one grammar; a grammar can include others: include: "first.pg", "second.pg"',
    help="Grammar file or packaged grammar.",
)
NAMED_GRAMMAR_OPTION: Decorator = option(
    GRAMMAR,
    "-g",
    "--grammar",
    type=Input("grammar"),
    metavar="GRAMMAR",
    required=True,
    help="Grammar file or packaged grammar.",
)


def options_of(record: Any, names: Iterable[str] | None = None) -> tuple[Decorator, ...]:
    """Return options for the fields of a record of settings: all fields, or those named, in that order."""
    settings = {field.name: field for field in settings_of(record)}
    return tuple(_option(settings[name]) for name in (settings if names is None else names))


def _option(setting: Field[Any]) -> Decorator:
    about, default = setting.metadata, setting.default
    given: dict[str, Any] = {"help": about["help"], "type": _type_of(setting)}
    if "parse" in about:
        given["callback"] = _parsing(about["parse"])
    if isinstance(default, bool):
        given["is_flag"] = True
    elif default == ():
        given["multiple"] = "parse" not in about
    elif default is not None and default is not MISSING:
        is_shown = default != "default" and "(default)" not in about["help"]
        given |= {"default": default, "show_default": about.get("shown", is_shown)}
    given |= {name: about[name] for name in ("advanced", "metavar") if about.get(name)}
    names = [about[name] for name in ("short", "option") if name in about]
    return option(about["heading"], *names, option_name(setting), **given)


def _type_of(setting: Field[Any]) -> Any:
    about = setting.metadata
    if about.get("file"):
        return Input(setting.name)
    if "reads" in about:
        return Text() if about["reads"] == "text" else Input(about["reads"].removeprefix("file"))
    if "writes" in about:
        return Output(folder=about["writes"] == "folder", or_folder=about["writes"] == "either")
    if "choices" in about:
        return click.Choice(about["choices"])
    within = range_of(setting)
    if within is None:
        return None
    if within.is_whole:
        return Whole(int(within.least), int(within.most))
    return Finite(within.least, within.most, within.is_open)


def _parsing(parse: Callable[[str | None], Any]) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    def parsed(context: click.Context, param: click.Parameter, typed: str | None) -> Any:
        try:
            return parse(typed)
        except ValueError as error:
            raise click.BadParameter(str(error), context, param) from None

    return parsed


PARSER_OPTIONS: Final = options_of(ParserSettings, EVERYWHERE)
"""Options of verbs that parse."""
META_OPTION: Decorator = option(
    OUTPUT,
    "--meta",
    multiple=True,
    metavar="KEY=VALUE",
    advanced=True,
    help="For a store: metadata for all sentences; KEY=~REGEX takes the value from their names. May be repeated.",
)
RUN_OPTIONS: Final = options_of(RunSettings)
TAGGED_OPTION, SEPARATOR_OPTION, TAGGER_OPTION, TAG_MAP_OPTION = options_of(
    SentenceSettings, ("tagged", "separator", "tagger", "tag_map")
)
COLUMNS_OPTION, PAIRS_OPTION, HASH_LINES_OPTION, SCALE_OPTION, Z_SCORES_OPTION = options_of(
    SuiteSettings, ("columns", "pairs", "hash_lines", "scale", "z_scores")
)
MODEL_HELP = (
    "Model that scores sentences: cost, net, density, violation-density, local, propagated, satisfaction, "
    "completeness, quality, precision, grammaticality-index, applicable-index, grammaticality, coherence, fitness; "
    "or a file of numbat learn costs."
)
WEIGHTS_OPTION: Decorator = option(
    GRAMMAR,
    "--weights",
    metavar="WEIGHTS",
    default="grammar",
    help="Weights of properties in a score: grammar, equal, or by relation: linearity=2,uniqueness=0.5.",
)
MODEL_OPTIONS: tuple[Decorator, ...] = (
    option(GRAMMAR, "-m", "--model", type=Input("model"), metavar="MODEL", default="cost", help=MODEL_HELP),
    WEIGHTS_OPTION,
)


def _reading_options(formats: Sequence[str]) -> tuple[Decorator, ...]:
    """Return the options for reading sentences; `formats` are the values of `--from`. `-i` is not one of them."""
    return (
        TAGGED_OPTION,
        SEPARATOR_OPTION,
        source_option(formats, "-i", default=None),
        TAG_MAP_OPTION,
        TAGGER_OPTION,
        *options_of(SentenceSettings, ("tags", "words", "max_length")),
    )


READING_OPTIONS: tuple[Decorator, ...] = _reading_options(TREEBANKS)
"""Options for reading sentences."""
TAGGED_READING_OPTIONS: tuple[Decorator, ...] = _reading_options(LATTICES)
"""Options for reading sentences, for verbs that also read tagged sentences without trees."""


def results_options(advanced: bool) -> tuple[Decorator, ...]:
    """Return the options that select results of an experiment."""
    return (
        option(INPUT, "--element", multiple=True, advanced=advanced, metavar="NAME", help=ELEMENT_HELP),
        option(INPUT, "--participant", advanced=advanced, metavar="COLUMN", help=PARTICIPANT_HELP),
        option(INPUT, "--only", multiple=True, advanced=advanced, metavar="LABEL", help=ONLY_HELP),
    )


ELEMENT_HELP: Final = "Results of experiments: name of the element with the ratings. May be repeated."
PARTICIPANT_HELP: Final = "Results of experiments: column that identifies the participant."
ONLY_HELP: Final = "Results of experiments: label of the trials to use; all count in z-scores. May be repeated."
SUITE_OPTIONS: tuple[Decorator, ...] = (
    click.argument("suite", type=Text()),
    GRAMMAR_OPTION,
    COLUMNS_OPTION,
    PAIRS_OPTION,
    *options_of(SuiteSettings, ("group_by_id", "hash_lines", "scale", "z_scores")),
    *results_options(advanced=True),
    TAGGED_OPTION,
    TAGGER_OPTION,
    TAG_MAP_OPTION,
    *PARSER_OPTIONS,
    *RUN_OPTIONS,
)


def _or_standard_input(context: click.Context, param: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the sentences; without any and without a file, those of a piped standard input."""
    elsewhere = given or context.params.get("path") is not None or context.resilient_parsing
    return given if elsewhere or is_terminal(sys.stdin) else ("-",)


SENTENCES: Decorator = click.argument("sentences", nargs=-1, type=Text(), callback=_or_standard_input)


def input_option(help: str) -> Decorator:
    """Return `--input`, the one file that a verb reads."""
    return option(INPUT, "-i", "--input", "path", type=Text(), remedy=_joined, help=help)


def format_option(*formats: str, default: str | None = "text", field: str = "form", **settings: Any) -> Decorator:
    """Return `--format`, the format of the result."""
    return option(
        OUTPUT,
        "-f",
        "--format",
        field,
        metavar="FORMAT",
        default=default,
        show_default=False,
        type=click.Choice(formats),
        help=f"{_listed(formats, default)}.",
        **settings,
    )


def seed_option(of: str, under: str = LEARNING) -> Decorator:
    """Return `--seed`, an integer that makes random results reproducible; `of` says what is random, for the help."""
    return option(under, "--seed", default=0, type=Whole(0), help=f"Random seed for {of}.")


def with_options(options: tuple[Decorator, ...]) -> Callable[[F], F]:
    """Add options to a verb, in this order."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate
