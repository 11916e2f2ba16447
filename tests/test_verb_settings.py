"""Every option of a verb is a parameter of its function or a field of a record of settings that this takes."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import click
import pytest

from numbat.acceptability.scorers import parser_of, scorer_of
from numbat.acceptability.settings import ModelSettings, SuiteSettings
from numbat.acceptability.verbs import judge_suite
from numbat.cli.main import cli
from numbat.cli.options import arguments_of, verb
from numbat.experiments.suites import suite_of
from numbat.experiments.verbs import report_suite
from numbat.grammar.loading import load_grammar
from numbat.labels.settings import DecodeSettings
from numbat.learning.settings import WeightSettings
from numbat.parses.sentences import sentences_of
from numbat.parses.verbs import parse_sentences
from numbat.parsing.policies import EVERYWHERE, OF_PARSE, Limits, ParserSettings
from numbat.runs.loop import Success
from numbat.runs.settings import SentenceSettings
from numbat.settings import option_name, settings_of
from numbat.structure.settings import StructureSettings


def every_verb(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from every_verb(command, f"{name} ")
        else:
            yield before + name, command


def function_of(command: click.Command) -> Any:
    """The function of a verb, as its module has it."""
    assert command.callback is not None
    return inspect.unwrap(command.callback)


FUNCTIONS = {name: function_of(command) for name, command in every_verb(cli)}
STARTER = str(Path(__file__).parent / "starter" / "starter.pg")


def leaves_of(taker: Any) -> Iterator[str]:
    """Return the parameters of a function, or the fields of a record; records are replaced by their fields."""
    names = {field.name: option_name(field) for field in fields(taker)} if is_dataclass(taker) else {}
    for name, kind in get_type_hints(taker).items():
        if is_dataclass(kind):
            yield from leaves_of(kind)
        elif name != "return":
            yield names.get(name, name)


def records_of(taker: Any) -> Iterator[type]:
    """The records that a function takes, and those in them."""
    for kind in get_type_hints(taker).values():
        if hasattr(kind, "__dataclass_fields__"):
            yield kind
            yield from records_of(kind)


def values_of(settings: Any) -> Iterator[tuple[str, Any]]:
    """The values of settings by the names of their options."""
    for field in fields(settings):
        value = getattr(settings, field.name)
        if is_dataclass(value):
            yield from values_of(value)
        else:
            yield option_name(field), value


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_option_is_taken(name: str) -> None:
    """So no option is silently without effect."""
    command = dict(every_verb(cli))[name]
    options = [param.name for param in command.params]
    found = list(leaves_of(FUNCTIONS[name]))
    assert len(set(found)) == len(found)
    assert set(options) <= set(found)


def test_every_setting_of_a_parser_is_an_option_of_parse() -> None:
    settings = {option_name(each): each.name for each in settings_of(ParserSettings)}
    assert {*settings} <= {param.name for param in cli.commands["parse"].params}
    assert sorted((*EVERYWHERE, *OF_PARSE, "check")) == sorted(settings.values())


@dataclass(frozen=True)
class Inner:
    seed: int = 3
    model: str = "cost"


@dataclass(frozen=True)
class Outer:
    path: str
    inner: Inner
    shown: int = 10


def test_a_record_takes_its_fields_from_the_options_of_their_names() -> None:
    def verb(form: str, outer: Outer) -> None:
        """Accept any arguments."""

    given = {"path": "a", "seed": 5, "form": "json"}
    assert arguments_of(verb, given) == {"form": "json", "outer": Outer("a", Inner(seed=5))}


def test_a_verb_collects_garbage_which_the_start_does_not() -> None:
    found = []

    @verb("outer")
    def outer(options: Outer) -> None:
        found.append((options.path, gc.isenabled()))

    gc.disable()
    assert outer.callback is not None
    outer.callback(path="a")
    assert found == [("a", True)]


def test_the_settings_of_the_command_line_are_those_of_python() -> None:
    """The default of an option is the default of its field."""
    checked = 0
    for name, command in every_verb(cli):
        with click.Context(command) as context:
            for settings in (
                ParserSettings(),
                SentenceSettings(),
                SuiteSettings("-"),
                ModelSettings(),
                DecodeSettings(),
                WeightSettings(),
                StructureSettings(),
            ):
                owners = type(settings) in records_of(FUNCTIONS[name])
                values = dict(values_of(settings))
                for param in command.params if owners else ():
                    if param.name != "suite" and param.name in values:
                        default = param.get_default(context)
                        default = (
                            default if isinstance(default, str | int | float) else None
                        )  # click has a sign for none
                        assert (name, param.name, default or None) == (
                            name,
                            param.name,
                            values[param.name] or None,
                        )
                        checked += 1
    assert checked > 60


def test_what_the_command_line_does_can_be_done_from_python() -> None:
    parser = parser_of(load_grammar(STARTER), ParserSettings(valuation="net", limits=Limits(seconds=60)))
    (record,) = parse_sentences(parser, sentences_of(parser, ["The cat sleeps."]), n=2)
    assert isinstance(record, Success)
    assert record.value.parses[0].is_well_formed
    suite = suite_of(SuiteSettings(str(Path(STARTER).with_name("sentences.tsv"))))
    tested = judge_suite(suite, parser)
    assert len(tested) == len(suite.items)
    score = scorer_of(ModelSettings("coherence", "linearity=2"), parser.grammar)
    report = report_suite(suite, parser, "coherence", score)
    assert report.main in {name for line in report.lines for name in line.statistics}
