"""Options that several verbs share, and what is made of them: a parser, a suite, weights."""

from __future__ import annotations

import gc
from collections.abc import Callable
from math import isfinite
from shlex import quote
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from numbat.cli.printing import Input, keep_read
from numbat.errors import UsageError
from numbat.parsing.limits import Limits

if TYPE_CHECKING:
    from numbat.gradience.models.counting import Weights
    from numbat.gradience.models.scores import Scorer
    from numbat.gradience.suites.experiment import Reader
    from numbat.gradience.suites.suite import Suite
    from numbat.grammar.model import Grammar
    from numbat.parsing.parser import Parser

Options = Any
"""The value of an option."""
F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[Any], Any]

TREEBANKS: Final = ("auto", "ptb", "sinica", "conllu")
"""The formats of treebanks, as `--from` takes them."""


def _only(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> str | None:
    """What an option is given that is given once; a second would silently take the place of the first."""
    if len(given) > 1:
        joined = f"cat {' '.join(map(quote, given))} | numbat {context.command.name} -i -"
        hint = f"give one file, or join them: {joined}"
        if option.name == "name":
            hint = 'give one grammar; one that includes others joins them: include: "first.pg", "second.pg"'
        raise UsageError(f"{option.opts[0]} is given {len(given)} times: {', '.join(given)}\n  {hint}")
    return given[0] if given else None


GRAMMAR_OPTION: Decorator = click.option(
    "-g",
    "--grammar",
    "name",
    type=Input(),
    metavar="GRAMMAR",
    default=("english",),
    show_default=True,
    multiple=True,
    callback=_only,
    help="A grammar file or a packaged name.",
)
PARSER_OPTIONS: tuple[Decorator, ...] = (
    click.option(
        "--profile",
        metavar="NAME",
        default="default",
        show_default=True,
        help="Heuristics: default, paper, strict, loose, discontinuous.",
    ),
    click.option(
        "--valuation", metavar="NAME", default="relaxation", show_default=True, help="What is best: relaxation, net."
    ),
    click.option(
        "--max-items",
        type=click.IntRange(min=1),
        default=Limits().items,
        show_default=True,
        help="Stop a sentence after so many items (exact engine).",
    ),
    click.option(
        "--max-states",
        type=click.IntRange(min=1),
        help="Approximate: keep only so many unfinished constituents over any span, the cheapest (exact engine).",
    ),
    click.option(
        "--max-seconds", type=click.FloatRange(min=0, min_open=True), help="Stop a sentence after so many seconds."
    ),
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
SUITE_OPTIONS: tuple[Decorator, ...] = (
    click.argument("suite", type=Input()),
    GRAMMAR_OPTION,
    click.option(
        "--columns", help="The names of the columns, for a file that does not give them: id,judgement,sentence."
    ),
    click.option("--pairs", is_flag=True, help="Every two lines are a minimal pair; unless signs say it, good first."),
    TAGGED_OPTION,
    TAGGER_OPTION,
    click.option("--tag-map", type=Input(), help="What the tagger's labels are in the grammar."),
    *PARSER_OPTIONS,
)


class Finite(click.FloatRange):
    """A range of numbers, of which `nan` and `inf` are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{number} is not a finite number.", param, ctx)
        return number


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


def parser_of(options: dict[str, Any]) -> Parser:
    """The parser that the options ask for."""
    return parser_for(grammar_of(options["name"]), options)


def parser_for(grammar: Grammar, options: dict[str, Any]) -> Parser:
    """The parser that the options ask for, with this grammar."""
    from numbat.parsing.parser import Parser

    limits = Limits(seconds=options["max_seconds"], items=options["max_items"], states=options["max_states"])
    return Parser(grammar, options["profile"], valuation=options["valuation"], limits=limits)


def grammar_of(name: str) -> Grammar:
    """Raises UsageError where the verb would write over a file of the grammar."""
    from numbat.grammar.loading import load_grammar

    grammar = load_grammar(name)
    keep_read(grammar.files)
    gc.freeze()
    gc.enable()
    return grammar


def suite_of(options: dict[str, Any]) -> Suite:
    """The suite of the argument `suite`. Raises UsageError where the verb would write over a file of it."""
    from numbat.gradience.suites.files import read_suite

    names = options["columns"].split(",") if options["columns"] else None
    suite = read_suite(options["suite"], names, options["pairs"])
    keep_read(dict.fromkeys(item.path for item in suite.items if item.path))
    return suite


def reader_of(options: dict[str, Any]) -> Reader:
    """How the sentences of a suite are read. Raises UsageError for options that would do nothing."""
    from numbat.gradience.suites.experiment import plain
    from numbat.words.lattice import Lattice
    from numbat.words.tagged import read_tagged

    if options["tagged"] and options["tagger"]:
        raise UsageError("--tagged and --tagger\n  words carry tags already: leave one of them out")
    if options["tag_map"] is not None and not options["tagger"]:
        raise UsageError("--tag-map needs tags\n  add --tagger MODEL")
    if options["tagged"]:
        return lambda sentence, parser: read_tagged(sentence, parser.words)
    if not options["tagger"]:
        return plain
    from numbat.commands.tagging import Guesser, guesser

    made: dict[int, Guesser] = {}

    def read(sentence: str, parser: Parser) -> Lattice:
        known = made.get(id(parser.words))
        if known is None:
            known = made[id(parser.words)] = guesser(options["tagger"], options["tag_map"], parser.words, False)
        return known.lattice(plain(sentence, parser))

    return read


def scorer_of(model: str, weights: str, grammar: Grammar) -> Scorer:
    """The scorer that `--model` and `--weights` name: a model of the literature, or a file of `numbat fit`.

    Raises UsageError for weights that a fitted model would not take.
    """
    from numbat.gradience.models.counting import GRAMMAR
    from numbat.gradience.models.scores import scorer

    if not _is_fitted(model):
        return scorer(model, weights_of(weights, grammar))
    if weights != GRAMMAR.name:
        raise UsageError(f"--weights and {model}\n  a fitted model has weights of its own: leave --weights out")
    from numbat.commands.fitting import read_model

    return read_model(model, grammar)


def _is_fitted(model: str) -> bool:
    from numbat.gradience.models.scores import MODELS

    return model not in MODELS and model.endswith(".tsv")


def scorers_of(models: tuple[str, ...], weights: str, grammar: Grammar) -> dict[str, Scorer]:
    """Several scorers by name; `all` stands for every model of the literature. Fitted ones keep their weights."""
    from numbat.gradience.models.counting import GRAMMAR
    from numbat.gradience.models.scores import MODELS

    names = [name for model in models for name in (MODELS if model == "all" else (model,))]
    return {name: scorer_of(name, GRAMMAR.name if _is_fitted(name) else weights, grammar) for name in names}


def weights_of(text: str, grammar: Grammar) -> Weights:
    """The weights that `--weights` names. Raises UsageError."""
    from numbat.gradience.models.counting import by_relation, weights_named

    if "=" not in text:
        return weights_named(text)
    found = {}
    for pair in text.split(","):
        relation, _, number = pair.partition("=")
        try:
            found[relation.strip()] = float(number)
        except ValueError:
            raise UsageError(f'"{pair}" is no weight of a relation\n  write --weights linearity=2') from None
    return by_relation(found, grammar)
