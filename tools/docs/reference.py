"""The reference pages of the site, made of the program: verbs with their options, JSON schemas, Python."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

import numbat
from numbat.cli.main import EXIT_CODES
from numbat.cli.options import HEADINGS, VERBS, Verb, _load
from numbat.workbench.calls import CALLS

ROOT = Path(__file__).parents[2]
SCHEMAS = (
    ROOT / "numbat" / "reports" / "answers.schema.json",
    ROOT / "numbat" / "parsing" / "explanation" / "parse.schema.json",
    ROOT / "numbat" / "editor" / "exercise.schema.json",
    ROOT / "numbat" / "editor" / "grammar.schema.json",
)


def pages() -> dict[str, str]:
    """Return all reference pages in Markdown, by their paths in the site."""
    found = {"reference/verbs.md": verbs()}
    found |= {f"reference/verbs/{slug(name)}.md": of_verb(name, command_of(name)) for name in VERBS}
    found |= {f"reference/{file.stem.replace('.', '-')}.md": schemas(file) for file in SCHEMAS}
    return {**found, "reference/api.md": python(), "reference/requests.md": requests()}


def command_of(name: str) -> Verb:
    """Return a verb of the program."""
    return _load(name)


def slug(name: str) -> str:
    """Return the name of a verb as that of a page."""
    return name.replace(" ", "-")


def cell(text: str) -> str:
    """Return a text as the cell of a table."""
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;").replace("[", "\\[").strip()


def verbs() -> str:
    """Return the list of verbs, and the exit codes."""
    rows = [f"| [numbat {name}](verbs/{slug(name)}.md) | {cell(entry.help)} |" for name, entry in VERBS.items()]
    codes = re.findall(r"^ {2}(\d+) +(.*(?:\n {6}.*)*)", EXIT_CODES, re.MULTILINE)
    table = [f"| {code} | {cell(text)} |" for code, text in codes]
    return "\n".join(
        [
            "# Verbs",
            "",
            "| verb | what it does |",
            "|---|---|",
            *rows,
            "",
            "## Exit codes",
            "",
            "| code | when |",
            "|---|---|",
            *table,
            "",
            "```{toctree}",
            ":hidden:",
            "",
            *(f"verbs/{slug(name)}" for name in VERBS),
            "```",
            "",
        ]
    )


def of_verb(name: str, command: Verb) -> str:
    """Return the page of a verb: what it does, its arguments, examples, and all its options."""
    arguments = " ".join(
        each.make_metavar(click.Context(command)) for each in command.params if isinstance(each, click.Argument)
    )
    examples = "\n".join(f"$ {each}" for each in command.examples)
    lines = [
        f"# numbat {name}",
        "",
        inspect.cleandoc(command.help or ""),
        "",
        "```text",
        f"numbat {name} [OPTIONS] {arguments}".rstrip(),
        "```",
    ]
    if examples:
        lines += ["", "```console", examples, "```"]
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    for heading in HEADINGS:
        its = [each for each in options if getattr(each, "under", "") == heading]
        if its:
            lines += ["", f"## {heading}", "", "| option | meaning | default |", "|---|---|---|", *map(_option, its)]
    return "\n".join([*lines, ""])


def _option(option: click.Option) -> str:
    context = click.Context(click.Command("numbat"))
    names = ", ".join(f"`{each}`" for each in (*option.opts, *option.secondary_opts))
    value = "" if option.is_flag else f" {cell(option.make_metavar(context))}"
    default = (
        "" if option.is_flag or option.default in (None, "", ()) or callable(option.default) else f"`{option.default}`"
    )
    if str(default).startswith("`Sentinel"):
        default = ""
    return f"| {names}{value} | {cell(option.help or '')} | {cell(default)} |"


def schemas(file: Path) -> str:
    """Return the page of a file of JSON schemas: a table of fields for each that has a name."""
    whole = json.loads(file.read_text(encoding="utf-8"))
    named = {name: each for name, each in whole.get("$defs", {}).items() if name.startswith("numbat.")}
    title = cell(whole.get("title") or file.name)
    told = f"{cell(whole.get('description', ''))} The schema is the file `{file.relative_to(ROOT).as_posix()}`."
    lines = [f"# {title}", "", told.strip()]
    for name, schema in sorted((named or {title: whole}).items()):
        lines += [
            "",
            f"## {name}",
            "",
            cell(schema.get("description", "")),
            "",
            "| field | value | meaning |",
            "|---|---|---|",
        ]
        lines += [f"| `{path}` | {cell(kind)} | {cell(text)} |" for path, kind, text in _fields(schema, whole, "", 0)]
    return "\n".join([*lines, ""])


def _fields(
    schema: Mapping[str, Any], whole: Mapping[str, Any], above: str, depth: int
) -> Iterator[tuple[str, str, str]]:
    """Return each field with its path, what values it has and what it means, down to three levels."""
    for key, field in _properties(schema, whole).items():
        meant = _meant(field, whole)
        path = f"{above}{key}"
        yield path, _kind(field, whole), str(field.get("description") or meant.get("description") or "")
        items = _meant(meant.get("items", {}), whole) if isinstance(meant.get("items", {}), dict) else {}
        inner, mark = (items, "[].") if items.get("properties") else (meant, ".")
        if depth < 3 and inner.get("properties"):
            yield from _fields(inner, whole, path + mark, depth + 1)


def _properties(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(schema.get("properties", {}))
    for part in (*schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())):
        found = {**_properties(_meant(part, whole), whole), **found}
    return {key: each if isinstance(each, dict) else {} for key, each in found.items()}


def _meant(field: Any, whole: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a reference refers to, within the same file."""
    target = field.get("$ref", "") if isinstance(field, dict) else ""
    if not target.startswith("#/"):
        return field if isinstance(field, dict) else {}
    found: Any = whole
    for part in target[2:].split("/"):
        found = found[part.replace("~1", "/")]
    return found if isinstance(found, dict) else {}


def _kind(field: Mapping[str, Any], whole: Mapping[str, Any]) -> str:
    meant = _meant(field, whole)
    if "const" in meant:
        return json.dumps(meant["const"])
    if "enum" in meant:
        return ", ".join(json.dumps(each) for each in meant["enum"])
    kind = meant.get("type", "")
    told = " or ".join(kind) if isinstance(kind, list) else str(kind)
    if "array" in told and isinstance(meant.get("items"), dict):
        return f"{told} of {_kind(meant['items'], whole)}".strip()
    return told


def python() -> str:
    """Return the page of the public names, with their signatures and docstrings."""
    lines = ["# Python: all public names", "", "The guide is [Python](../python.md)."]
    for name in numbat.__all__:
        value = getattr(numbat, name)
        if not callable(value):
            continue
        lines += ["", f"## {name}", "", "```python", f"{_signature(name, value)}", "```", "", _doc(value)]
        if inspect.isclass(value):
            for each, member in _members(value):
                head = f"{name}.{each}" if isinstance(member, property) else _signature(f"{name}.{each}", member)
                lines += ["", f"`{head}`", "", _doc(member)]
    return "\n".join([*lines, ""])


def _signature(name: str, value: Any) -> str:
    try:
        told = str(inspect.signature(value))
    except (TypeError, ValueError):
        told = "(...)"
    told = re.sub(r"<function .*? at 0x[0-9a-f]+>", "...", told)
    told = re.sub(r"<(?:built-in function|class) '?([\w.]+)'?>", r"\1", told)
    told = re.sub(r"ForwardRef\('([^']*)'\)", r"\1", told)
    told = re.sub(r"'([A-Za-z][^'=]*)'(?=[,)\]]| =|$)", r"\1", told)
    told = re.sub(r"\b(?:numbat|collections|typing|pathlib)(?:\.\w+)*\.(\w+)", r"\1", told)
    return name + told if len(name + told) < 90 else name + re.sub(r", (?=\**\w+(?::|=| =))", ",\n    ", told)


def _members(value: type) -> Iterator[tuple[str, Any]]:
    for name, member in sorted(inspect.getmembers(value)):
        is_own = any(name in vars(each) for each in value.__mro__ if each.__module__.startswith("numbat"))
        if (
            is_own
            and not name.startswith("_")
            and (callable(member) or isinstance(member, property))
            and inspect.getdoc(member)
        ):
            yield name, member


def _doc(value: Any) -> str:
    """Return a docstring as Markdown: what is indented in it is a block."""
    text = inspect.getdoc(value) or ""
    return (
        re.sub(r"(?<!\n)\n(?=>>> )", "\n\n", text).replace("<", "&lt;")
        if ">>>" not in text
        else f"```text\n{text}\n```"
    )


def requests() -> str:
    """Return the page of the requests that a page or a program sends."""
    rows = [f"| `{name}` | {cell(call.about)} | {_takes(call.takes)} |" for name, call in CALLS.items()]
    told = "How they are sent is told in [the workbench](../workbench.md#requests)."
    return "\n".join(["# Requests", "", told, "", "| call | what it answers | `given` |", "|---|---|---|", *rows, ""])


def _takes(record: type) -> str:
    return ", ".join(f"`{name}`" for name in getattr(record, "__dataclass_fields__", {}))
