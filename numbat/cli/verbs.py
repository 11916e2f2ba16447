"""The verbs: one registry, in which each has a line; what a verb and an option of it are; names that were changed.

The module of a verb is loaded when the verb is asked for: a run of one verb starts without the others, and
`numbat -h` without any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click
from click.core import ParameterSource

from numbat.cli.printing import keep_inputs, say, write_out
from numbat.errors import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Entry(NamedTuple):
    """The module in which a verb is declared, and its line in the list of `numbat -h`."""

    module: str
    help: str


VERBS: Final = {
    "ablate": Entry("numbat.cli.suites", "Switch heuristics and relations off, one by one."),
    "bench": Entry("numbat.cli.grammars", "Time of a parse by the words of the sentence."),
    "check": Entry("numbat.cli.grammars", "Mistakes and doubts in a grammar."),
    "compare": Entry("numbat.cli.suites", "What one grammar gains and loses against another."),
    "completion": Entry("numbat.cli.completion", "The script by which a shell completes commands."),
    "contrast": Entry("numbat.cli.reasons", "What makes the difference between two sentences."),
    "convert": Entry("numbat.cli.grammars", "Print a grammar in the notation or as YAML."),
    "coverage": Entry("numbat.cli.suites", "Which properties of a grammar a suite tests."),
    "decode": Entry("numbat.cli.decoding", "Label sequences under the properties of a grammar."),
    "expansions": Entry("numbat.cli.treebanks", "Count refined expansions in a treebank."),
    "explain": Entry("numbat.cli.reasons", "Why a sentence has its score."),
    "generate": Entry("numbat.cli.grammars", "Sentences from a grammar, good or bad in one way."),
    "granularity": Entry("numbat.cli.grammars", "From chunks to one deep tree: what fragments cost."),
    "importance": Entry("numbat.cli.learning", "What each relation matters in a learned model."),
    "induce": Entry("numbat.cli.induction", "Make a grammar from a treebank."),
    "join": Entry("numbat.cli.joining", "Join the outputs of the parts of a file."),
    "judge": Entry("numbat.cli.reasons", "What trees satisfy and violate."),
    "learn costs": Entry("numbat.cli.fitting", "Learn costs of violations from rated sentences."),
    "learn penalties": Entry("numbat.cli.decoding", "Learn costs of constraints from labelled sequences."),
    "learn structure": Entry("numbat.cli.learn.structure", "Learn dependency structure from tagged sentences."),
    "learn weights": Entry("numbat.cli.learn.weights", "Learn weights of trees from a treebank."),
    "parse": Entry("numbat.cli.parsing", "Parse sentences, well-formed or not."),
    "repair": Entry("numbat.cli.reasons", "The smallest changes that better a sentence."),
    "report": Entry("numbat.cli.suites", "Compare scores with the judgements of a suite."),
    "score": Entry("numbat.cli.treebanks", "Score parsed trees against gold trees."),
    "serve": Entry("numbat.cli.web.serving", "The workbench: a page in the browser."),
    "show": Entry("numbat.cli.grammars", "The packaged grammars; one as tables or as a page."),
    "site": Entry("numbat.cli.web.writing", "The workbench as a page that needs no server."),
    "tag run": Entry("numbat.cli.tagging", "Label sentences with a model."),
    "tag score": Entry("numbat.cli.tagging", "Score a model on labelled sentences."),
    "tag train": Entry("numbat.cli.tagging", "Train a tagger on labelled sentences."),
    "test": Entry("numbat.cli.suites", "Whether a grammar judges a suite as expected."),
    "trees": Entry("numbat.cli.treebanks", "Convert a treebank."),
    "why-not": Entry("numbat.cli.reasons", "What another analysis of a sentence would cost."),
}
"""Every verb; the line of help is short enough for a terminal of 80 columns."""
GROUPS: Final = {
    "learn": "Learn costs, penalties, weights or structure.",
    "tag": "Train, run and score a tagger.",
}
"""The first words of verbs that have two."""
RENAMED: Final = {"check-trees": ("judge", "--summary"), "fit": ("learn", "costs")}
"""Former names of verbs, which work for one version more, and how the same is said now."""
INPUT, GRAMMAR, SEARCH, LEARNING = "Input", "Grammar", "Search", "Learning"
OUTPUT, MANY = "Output", "Many sentences"
HEADINGS: Final = (INPUT, GRAMMAR, SEARCH, LEARNING, OUTPUT, MANY)
"""The headings of options, in the order in which the help has them."""
ALL_OPTIONS: Final = "numbat.all_options"
"""Where a context keeps that the help is to list all options."""


class Option(click.Option):
    """An option, listed `under` a heading; an `advanced` one only by `--help-all`.

    `formerly` has former names, which work for one version more: each with the value that it stood for alone, or None
    where it takes a value like the new name; it adds to the default of an option that is `multiple`. One that is not is
    given once, for the last value would silently win; `remedy` says what to do instead.
    """

    def __init__(
        self,
        *names: Any,
        under: str,
        advanced: bool = False,
        formerly: Mapping[str, str | None] | None = None,
        remedy: Callable[[click.Context, list[str]], str] | str = "give one of them",
        **settings: Any,
    ) -> None:
        if isinstance(settings.get("type"), click.FloatRange | click.IntRange):
            settings.setdefault("metavar", "X" if isinstance(settings["type"], click.FloatRange) else "N")
        super().__init__(*names, **settings)
        self.under, self.advanced, self.formerly, self.remedy = under, advanced, dict(formerly or {}), remedy

    @property
    def is_given_once(self) -> bool:
        """Whether a second value would take the place of the first."""
        return not self.multiple and (not self.is_flag or bool(self.secondary_opts))

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Collect all values of an option that is given once, so that a second is noticed; take former names."""
        if not self.is_given_once:
            super().add_to_parser(parser, ctx)
        elif self.is_flag:
            for names, is_on in ((self.opts, True), (self.secondary_opts, False)):
                parser.add_option(obj=self, opts=names, dest=self.name, action="append_const", const=is_on)
        else:
            parser.add_option(obj=self, opts=self.opts, dest=self.name, action="append", nargs=self.nargs)
        for old, const in self.formerly.items():
            action = "append" if const is None else "append_const"
            parser.add_option(obj=self, opts=[old], dest=old, action=action, const=const)

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Raises UsageError for a second value."""
        renamed = [(old, value) for old in self.formerly for value in opts.get(old, ())]
        for old, value in renamed if not ctx.resilient_parsing else ():
            now = max(self.opts, key=len) + (f" {value}" if self.formerly[old] is not None else "")
            say(f"numbat: {old} is now {now}\n  the old name goes with the next version")
        name = str(self.name)
        if (renamed or name in opts) and (self.is_given_once or renamed):
            own = opts.get(name, () if self.is_given_once else self.default or ())
            values = [*own, *(value for _, value in renamed)]
            if self.is_given_once and len(values) > 1 and not ctx.resilient_parsing:
                self._refuse(ctx, values)
            opts = {**opts, name: values[0] if self.is_given_once else values}
        return super().handle_parse_result(ctx, opts, args)

    def get_help_extra(self, ctx: click.Context) -> Any:
        """The default; the range is told of a value outside."""
        return {key: value for key, value in super().get_help_extra(ctx).items() if key != "range"}

    def _refuse(self, ctx: click.Context, values: list[Any]) -> None:
        if self.is_flag:
            raise UsageError(f"{self.opts[0]} and {self.secondary_opts[0]}\n  leave one of them out")
        remedy = self.remedy if isinstance(self.remedy, str) else self.remedy(ctx, values)
        raise UsageError(f"{self.opts[0]} is given {len(values)} times: {', '.join(values)}\n  {remedy}")


def option(under: str, *names: str, **settings: Any) -> Callable[[Any], Any]:
    """`click.option`, under a heading; what else it may be given is said by `Option`."""
    return click.option(*names, cls=Option, under=under, **settings)


def _show_all(context: click.Context, param: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        context.meta[ALL_OPTIONS] = True
        write_out(context.get_help())
        context.exit()


HELP_ALL: Final = click.Option(
    ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_all, help="List all options."
)


def is_given(name: str) -> bool:
    """Whether an option of the running verb is on the command line, by the name of its field."""
    return click.get_current_context().get_parameter_source(name) not in (ParameterSource.DEFAULT, None)


def written(name: str) -> str:
    """An option of the running verb as it is typed."""
    params = click.get_current_context().command.params
    return max(next(each.opts for each in params if each.name == name), key=len)


class Verb(click.Command):
    """A verb: a paragraph of help, examples that run, options under headings."""

    def __init__(self, *arguments: Any, examples: tuple[str, ...] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.examples = examples

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters, and the options on help, which are in no record of a run."""
        *own, help = super().get_params(ctx)
        return [*own, HELP_ALL, help]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, the options by heading, and how many others there are."""
        with formatter.section("Examples"):
            for each in self.examples:
                formatter.write(f"{'':{formatter.current_indent}}{each}\n")
        options = [param for param in self.params if isinstance(param, Option)]
        listed = options if ctx.meta.get(ALL_OPTIONS) else [each for each in options if not each.advanced]
        rows = [(each.under, each.get_help_record(ctx) or ("", "")) for each in listed]
        width = max((len(names) for _, (names, _) in rows), default=0)
        for heading in HEADINGS:
            if own := [(f"{names:{width}}", help) for under, (names, help) in rows if under == heading]:
                with formatter.section(heading):
                    formatter.write_dl(own)
        if hidden := len(options) - len(listed):
            formatter.write_paragraph()
            formatter.write_text(f"{ctx.command_path} --help-all lists {hidden} more options.")


def verb(name: str, *examples: str) -> Callable[[Callable[..., None]], Verb]:
    """Make a verb of a function. `name` is that of the registry, `examples` are command lines for its help."""
    return click.command(name, cls=Verb, examples=examples)


class Verbs(MutableMapping[str, click.Command]):
    """The commands by name, as click keeps them: those whose names begin with `first`, without it.

    A command is loaded when it is asked for.
    """

    def __init__(self, first: str = "") -> None:
        self._first = first
        own = [name.removeprefix(first).split()[0] for name in VERBS if name.startswith(first)]
        self._names = sorted(dict.fromkeys(own))
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


def _load(name: str) -> Verb:
    """The verb of the registry, from its module."""
    module = import_module(VERBS[name].module)
    (found,) = (each for each in vars(module).values() if isinstance(each, Verb) and each.name == name)
    keep_inputs(found)
    return found


class Group(click.Group):
    """Verbs in a list, which needs none of them; a verb by a former name says the new one."""

    def __init__(self, *arguments: Any, first: str = "", **settings: Any) -> None:
        super().__init__(*arguments, **settings | {"commands": Verbs(first)})
        self._first = first

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Raises UsageError for a sentence in the place of a verb, saying where it belongs."""
        name = arguments[0]
        if " " in name and not context.resilient_parsing:
            raise UsageError(f'"{name}" is no command\n  write numbat parse "{name}"')
        if not self._first and name in RENAMED:
            if not context.resilient_parsing:
                say(f"numbat: {name} is now {' '.join(RENAMED[name])}\n  the old name goes with the next version")
            arguments = [*RENAMED[name], *arguments[1:]]
        return super().resolve_command(context, arguments)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The verbs that begin so, from the registry, and the options."""
        from click.shell_completion import CompletionItem

        verbs = [CompletionItem(name, help=self._line(name)) for name in self.commands if name.startswith(incomplete)]
        return [*verbs, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs from the registry."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._line(name)) for name in self.commands])

    def _line(self, name: str) -> str:
        return GROUPS[name] if name in GROUPS and not self._first else VERBS[self._first + name].help


def group(name: str) -> Group:
    """The verbs that begin with a word."""
    return Group(name, first=f"{name} ", help=GROUPS[name])
