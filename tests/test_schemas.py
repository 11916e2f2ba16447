"""The JSON Schemas of grammars and exercises in YAML agree with the readers of these files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from jsonschema import Draft202012Validator

from numbat.acceptability import exercises
from numbat.authoring.verbs import convert_grammar
from numbat.grammar import yaml_format
from numbat.grammar.loading import load_grammar, packaged

ROOT: Final = Path(__file__).parents[1]


def schema(name: str) -> Any:
    return json.loads((ROOT / "numbat/editor" / f"{name}.schema.json").read_text(encoding="utf-8"))


def wrong(name: str, text: str, loader: Any = yaml.BaseLoader) -> list[str]:
    """Return the errors of a YAML file by a schema; `loader` decides which values are texts."""
    validator = Draft202012Validator(schema(name))
    return [each.message for each in validator.iter_errors(yaml.load(text, loader))]


@pytest.mark.parametrize("name", ["grammar", "exercise"])
def test_the_schemas_are_schemas(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))


def test_the_keys_are_those_that_are_read() -> None:
    grammar, of = schema("grammar"), schema("grammar")["$defs"]
    assert set(grammar["properties"]) == set(yaml_format.KEYS)
    assert set(of["construction"]["properties"]) == set(yaml_format.CONSTRUCTION_KEYS)
    assert set(of["relation"]["properties"]) == set(yaml_format.RELATION_KEYS)
    assert set(of["profile"]["properties"]) == set(yaml_format.PROFILE_KEYS)
    assert set(of["property"]["properties"]) == set(yaml_format.PROPERTY_KEYS)
    exercise = schema("exercise")
    assert set(exercise["properties"]) == set(exercises.KEYS)
    assert set(exercise["properties"]["steps"]["items"]["properties"]) == set(exercises.OF_STEPS)


@pytest.mark.parametrize("name", [each for each in packaged() if each not in ("english", "ewt", "french")])
def test_packaged_grammars_are_as_the_schema_says(name: str) -> None:
    assert wrong("grammar", convert_grammar(load_grammar(name), "yaml")) == []


@pytest.mark.parametrize("path", sorted((ROOT / "grammars").glob("*.yaml")), ids=lambda path: path.name)
def test_grammars_in_yaml_are_as_the_schema_says(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert wrong("grammar", text) == []
    assert wrong("grammar", text, yaml.SafeLoader) == []


@pytest.mark.parametrize("path", sorted((ROOT / "exercises").glob("*.yaml")), ids=lambda path: path.name)
def test_exercises_are_as_the_schema_says(path: Path) -> None:
    assert wrong("exercise", path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("grammar", "leave: [N]\n"),
        ("grammar", "constructions:\n  NP:\n    property: [oblig N]\n"),
        ("grammar", "constructions: [NP]\n"),
        ("grammar", "relations:\n  near: {parameters: [A, B]}\n"),
        ("grammar", "fragment_cost: dear\n"),
        ("exercise", "exercise: A\nsteps: []\n"),
        ("exercise", "exercise: A\ngrammar: english\nsteps: [{task: x, suits: y}]\n"),
    ],
)
def test_what_the_readers_refuse_the_schema_refuses(name: str, text: str) -> None:
    assert wrong(name, text)
    read = yaml_format.read if name == "grammar" else exercises.read_exercise
    assert "dear" in text or read(text, "x.yaml")[1]  # a wrong number is reported only when the grammar is built
