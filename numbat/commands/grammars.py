"""`numbat check`, `show` and `convert`: what a grammar file holds and what is wrong with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from numbat.errors import UsageError
from numbat.evaluation.lookup_table import build_table
from numbat.grammar.loading import YAML, find, load_grammar, packaged, read_grammar
from numbat.grammar.model import Grammar, Property, relations_of
from numbat.grammar.printing import (
    format_feature_rule,
    format_grammar,
    format_named,
    format_number,
    format_operands,
    format_property,
    header,
    stated_semantics,
)
from numbat.parsing.explanation.labels import aligned
from numbat.source import Problem, counted


@dataclass(frozen=True, slots=True)
class Checked:
    """A grammar as far as it could be read, its errors, and its warnings where there are no errors."""

    path: Path
    grammar: Grammar
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]

    @property
    def summary(self) -> str:
        """Sizes and numbers of mistakes, in one line."""
        grammar = self.grammar
        return (
            f"{self.path}: {counted(len(grammar.constructions), 'construction')}, "
            f"{counted(len(grammar.properties), 'property', 'properties')}, "
            f"{counted(len(grammar.leaves), 'leaf', 'leaves')}, {counted(len(grammar.lexicon), 'lexicon form')}; "
            f"{counted(len(self.errors), 'error')}, {counted(len(self.warnings), 'warning')}"
        )


def check_grammar(name: str) -> Checked:
    """Read a grammar and judge it. Raises MissingFileError."""
    from numbat.grammar.checks import check

    path = find(name)
    loaded = read_grammar(path)
    warnings = () if loaded.errors else loaded.with_source_lines(check(loaded.grammar, str(path)))
    return Checked(path, loaded.grammar, loaded.errors, warnings)


def table_lines(grammar: Grammar) -> Iterator[str]:
    """The lookup table: pertinence operands and the properties that they retrieve; then the index of absence."""
    table = build_table(grammar)
    for key, properties in sorted(table.by_operands.items()):
        yield f"({', '.join(key)})"
        yield from (f"    {_placed(prop)}" for prop in properties)
    if table.by_construction:
        yield "always, by construction"
        for _, properties in sorted(table.by_construction.items()):
            yield from (f"    {_placed(prop)}" for prop in properties)


def _placed(prop: Property) -> str:
    return f"{format_named(prop)}  {prop.place}".rstrip()


def packaged_lines() -> Iterator[str]:
    """The grammars that come with Numbat: name, language, sizes, and the first sentence of the file."""
    rows = [["grammar", "language", "constructions", "properties", "forms", ""]]
    for name in packaged():
        grammar, path = load_grammar(name), find(name)
        sizes = map(str, (len(grammar.constructions), len(grammar.properties), len(grammar.lexicon)))
        rows.append([name, grammar.language or "-", *sizes, _first_sentence(path)])
    return aligned(rows)


def _first_sentence(path: Path) -> str:
    """What the comment at the top of a grammar file says first."""
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#") or not line.strip("# "):
            break
        lines.append(line.strip("# "))
    text = re.sub(r"\s*\([^()]*\)", "", " ".join(lines))
    return re.split(r"(?<=[.;:])\s", text, maxsplit=1)[0].rstrip(".;:")


def show_lines(grammar: Grammar) -> Iterator[str]:
    """The grammar as tables: its header, then for each construction its properties by relation."""
    about = [
        ("grammar", grammar.name),
        *header(grammar),
        ("tree features", ", ".join(grammar.tree_features)),
        ("semantics", ", ".join(f"{name}: {value}" for name, value in stated_semantics(grammar.semantics))),
        ("fragment cost", format_number(grammar.fragment_cost)),
        ("node cost", format_number(grammar.node_cost)),
        ("unary limit", str(grammar.unary_limit)),
        ("lexicon", f"{counted(len(grammar.lexicon), 'form')}, {counted(len(grammar.guesses), 'guess rule')}"),
    ]
    yield from (f"{name:<14}{text}" for name, text in about if text)
    names = list(relations_of(grammar))
    rows = [["construction", *names, "all"]]
    for construction in grammar.constructions:
        counts = Counter(prop.relation for prop in construction.properties)
        rows.append([construction.name, *(str(counts[name] or "-") for name in names), str(counts.total())])
    total = Counter(prop.relation for prop in grammar.properties)
    rows.append(["all", *(str(total[name] or "-") for name in names), str(total.total())])
    yield ""
    yield from aligned(rows)
    for construction in grammar.constructions:
        yield ""
        yield construction.name + (f" ({construction.title})" if construction.title else "")
        if construction.head:
            yield f"    head: {format_operands(construction.head)}"
        if construction.inherit is not None:
            yield f"    inherits: {', '.join(construction.inherit) or 'nothing'}"
        yield from (f"    sets: {format_feature_rule(rule)}" for rule in construction.feature_rules)
        if construction.constituency is not None:
            yield f"    constituents: {format_operands(construction.constituency)}"
        yield from (
            f"    {line}"
            for line in aligned(
                [["relation", "property", "weight", "cost", "hard", "line"]]
                + [
                    [
                        prop.relation,
                        format_property(prop),
                        format_number(prop.weight),
                        format_number(prop.cost),
                        "hard" if prop.hard else "",
                        prop.place,
                    ]
                    for prop in construction.properties
                ]
            )
        )


def convert_grammar(grammar: Grammar, form: str) -> str:
    """The grammar as text, in the notation (`pg`) or as `yaml`."""
    if form == "pg":
        return format_grammar(grammar)
    from numbat.grammar.yaml import printing

    return printing.format_grammar(grammar)


def form_of(path: str, asked: str | None) -> str:
    """The form of a grammar in a file: the `asked` one, else that of its name. Raises UsageError where they differ."""
    suffix = Path(path).suffix
    named = "yaml" if suffix in YAML else "pg" if suffix == ".pg" else None
    if asked is not None and named not in (None, asked):
        raise UsageError(
            f'--to {asked} and the name "{path}"\n'
            f"  by its name the file would be read as {named}: end it with .{asked}, or leave --to out"
        )
    form = asked or named
    if form is None:
        raise UsageError(f'"{path}" says neither notation nor YAML\n  end its name with .pg or .yaml, or give --to')
    return form
