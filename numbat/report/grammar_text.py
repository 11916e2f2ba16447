"""A grammar as text: what is wrong with it, its tables, its lookup table; and the list of the packaged ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from numbat.errors import counted
from numbat.evaluation.matching import build_table
from numbat.gradience.exercises import Exercise
from numbat.grammar.model import Construction, Grammar, relations_of
from numbat.grammar.printing import format_feature_rule, header, stated_semantics
from numbat.grammar.properties import Property, format_named, format_number, format_operands, format_property
from numbat.parsing.explanation.violations import aligned


def checked_line(path: Path, grammar: Grammar, errors: int, warnings: int) -> str:
    """Sizes of a grammar and numbers of mistakes in one line."""
    return (
        f"{path}: {counted(len(grammar.constructions), 'construction')}, "
        f"{counted(len(grammar.properties), 'property', 'properties')}, "
        f"{counted(len(grammar.leaves), 'leaf', 'leaves')}, {counted(len(grammar.lexicon), 'lexicon form')}; "
        f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
    )


def checked_exercise_line(path: str, exercise: Exercise | None, errors: int, warnings: int) -> str:
    """Sizes of an exercise, where it could be read, and numbers of mistakes in one line."""
    number = 0 if exercise is None else sum(len(step.sentences) for step in exercise.steps)
    sizes = [] if exercise is None else [counted(len(exercise.steps), "step"), counted(number, "sentence")]
    told = f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
    return f"{path}: {'; '.join([*([', '.join(sizes)] if sizes else []), told])}"


def packaged_lines(found: Iterable[tuple[str, Grammar, str]]) -> Iterator[str]:
    """Grammars by name, with their language, their sizes and what they say of themselves."""
    rows = [["grammar", "language", "constructions", "properties", "forms", ""]]
    for name, grammar, about in found:
        sizes = map(str, (len(grammar.constructions), len(grammar.properties), len(grammar.lexicon)))
        rows.append([name, grammar.language or "-", *sizes, about])
    return aligned(rows)


def lookup_table_lines(grammar: Grammar) -> Iterator[str]:
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


def grammar_lines(grammar: Grammar) -> Iterator[str]:
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
        yield from _construction_lines(construction)


def _construction_lines(construction: Construction) -> Iterator[str]:
    yield construction.name + (f" ({construction.title})" if construction.title else "")
    if construction.head:
        yield f"    head: {format_operands(construction.head)}"
    if construction.inherit is not None:
        yield f"    inherits: {', '.join(construction.inherit) or 'nothing'}"
    yield from (f"    sets: {format_feature_rule(rule)}" for rule in construction.feature_rules)
    if construction.constituency is not None:
        yield f"    constituents: {format_operands(construction.constituency)}"
    rows = [["relation", "property", "weight", "cost", "hard", "line"]]
    for prop in construction.properties:
        weight, cost = format_number(prop.weight), format_number(prop.cost)
        rows.append([prop.relation, format_property(prop), weight, cost, "hard" if prop.hard else "", prop.place])
    yield from (f"    {line}" for line in aligned(rows))
