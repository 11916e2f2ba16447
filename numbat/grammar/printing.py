"""Prints grammars in the notation, and single rules, readings and properties for `yaml_format`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Final

from numbat.errors import counted
from numbat.grammar.model import (
    Construction,
    FeatureRule,
    Grammar,
    Reading,
    Semantics,
    TokenRule,
    property_types_of,
    titles_of,
)
from numbat.grammar.names import EVERY, format_atom, format_name, quoted
from numbat.grammar.profiles import HEURISTICS, Profile
from numbat.grammar.properties import (
    UNIT,
    Operand,
    Parameter,
    Property,
    format_named,
    format_number,
    format_operand,
    format_operands,
    format_parameter,
    format_property,
    format_statement,
    format_strength,
)
from numbat.grammar.relations import BUILT_IN_BY_NAME, Relation
from numbat.markup import Display, aligned, html_table, safe

__all__ = [
    "format_feature_rule",
    "format_grammar",
    "format_named",
    "format_number",
    "format_operand",
    "format_operands",
    "format_parameter",
    "format_profile",
    "format_property",
    "format_reading",
    "format_readings",
    "format_statements",
    "format_strength",
    "format_token_rule",
    "header",
    "profile_parts",
    "stated_semantics",
    "wrapped",
]

WIDTH: Final = 100
"""The line length above which lines are broken."""
_DEFAULTS: Final = Grammar()


def _without_matches(prop: Property) -> bool:
    relation = BUILT_IN_BY_NAME.get(prop.relation)
    return relation is not None and not relation.matched


def format_statements(properties: Iterable[Property]) -> Iterator[str]:
    """Format properties as statements; successive ones that differ only in a simple last operand share braces."""

    def alike(prop: Property) -> tuple[object, ...]:
        return prop.relation, prop.operands[:-1], prop.features, prop.stated, prop.title, prop.examples

    for _, neighbours in groupby(properties, key=alike):
        group = list(neighbours)
        first = group[0]
        operands = [format_parameter(parameter) for parameter in first.operands]
        if _without_matches(first) and len(first.operands) == 1:
            for prop in group:
                simple = all(len(joint) == 1 for joint in prop.operands[0])
                several = len(prop.operands[0]) > 1 and simple
                inside = ", ".join(format_operand(joint[0]) for joint in prop.operands[0])
                last = f"{{{inside}}}" if several else format_parameter(prop.operands[0])
                yield format_statement(prop, [last], strength=True)
        elif (
            len(group) > 1
            and first.relation in BUILT_IN_BY_NAME
            and all(_is_simple(prop.operands[-1]) for prop in group)
        ):
            operands[-1] = "{" + ", ".join(format_parameter(prop.operands[-1]) for prop in group) + "}"
            yield format_statement(first, operands, strength=True)
        else:
            yield from (format_property(prop, strength=True) for prop in group)


def _is_simple(parameter: Parameter) -> bool:
    return len(parameter) == 1 and len(parameter[0]) == 1


def format_feature_rule(rule: FeatureRule) -> str:
    """Format a feature rule: `gap = np if N & no NP`, `number from Det, N`."""
    source = f"from {format_operands(rule.sources)}" if rule.value is None else f"= {format_atom(rule.value)}"
    met = " & ".join(
        ("no " if occurrence.absent else "") + format_operand(occurrence.operand) for occurrence in rule.conditions
    )
    return f"{format_atom(rule.feature)} {source}" + (f" if {met}" if met else "")


def format_reading(reading: Reading) -> str:
    """Format a reading: `N[number=sg] weight 2 lemma cat`."""
    weight = "" if reading.weight == 1 else f" weight {format_number(round(reading.weight * UNIT))}"
    lemma = f" lemma {format_atom(reading.lemma)}" if reading.lemma else ""
    return format_operand(Operand(reading.category, reading.features)) + weight + lemma


def format_readings(readings: Iterable[Reading]) -> str:
    """Format a list of readings."""
    return ", ".join(map(format_reading, readings))


def format_token_rule(rule: TokenRule) -> str:
    """Format a token rule: `rewrite "won't": "will", "n't"`."""
    if rule.beside:
        side = "after" if rule.kind == "suffix" else "before"
        return f"{rule.kind} {quoted(rule.forms[0])} {side} {{{format_operands(rule.beside)}}}"
    first, *rest = (rule.kind, *map(quoted, rule.forms))
    return " ".join((first, *rest[:1])) + (f": {', '.join(rest[1:])}" if rest[1:] else "")


def profile_parts(profile: Profile, semantics: Semantics) -> dict[str, str]:
    """Return, by keyword, the parts of a profile that differ from the defaults."""
    off = ", ".join(heuristic for heuristic in HEURISTICS if heuristic not in profile.heuristics)
    usual = Profile(profile.name, termination=semantics.termination)
    parts = {"without": off, EVERY: "hard" if profile.all_hard else ""}
    for word in ("election", "termination"):
        value = getattr(profile, word)
        parts[word] = "" if value == getattr(usual, word) else value
    return {word: value for word, value in parts.items() if value}


def format_profile(profile: Profile, semantics: Semantics) -> str:
    """Format a profile: `shallow: without H4, election all`."""
    parts = profile_parts(profile, semantics).items()
    return f"{profile.name}: {', '.join(f'{word} {value}' for word, value in parts)}".rstrip()


def stated_semantics(semantics: Semantics) -> list[tuple[str, str]]:
    """Return the switches whose choice is not the default, with that choice."""
    defaults = Semantics().switches
    return [(name, value) for name, value in semantics.switches.items() if value != defaults[name]]


def header(grammar: Grammar) -> list[tuple[str, str]]:
    """Return the header of the grammar as pairs: language, authors, roots ...; values may be empty."""
    return [
        ("language", grammar.language),
        ("version", grammar.version),
        ("authors", ", ".join(grammar.authors)),
        ("source", grammar.source),
        ("roots", format_operands(grammar.roots) or "every construction"),
        ("leaves", ", ".join(grammar.leaves)),
        ("features", "; ".join(f"{name}: {' '.join(values)}" for name, values in grammar.stated_features)),
        ("marks", "; ".join(f"{name}: {' '.join(signs)}" for name, signs in grammar.marks)),
    ]


def format_grammar(grammar: Grammar) -> str:
    """Format the grammar in the notation, without comments; reading it gives an equal grammar."""
    blocks = ["\n".join(_settings(grammar))]
    sections = {
        "features": [
            f"{format_atom(n)}: {', '.join(_titled(grammar, n, v, format_atom))}" for n, v in grammar.stated_features
        ],
        "marks": [f"{format_atom(name)}: {', '.join(map(quoted, signs))}" for name, signs in grammar.marks],
        "semantics": [f"{name}: {value}" for name, value in stated_semantics(grammar.semantics)],
    }
    blocks += [_block(f"{name}:", lines) for name, lines in sections.items() if lines]
    blocks += [_relation(relation) for relation in grammar.relations if not relation.is_anonymous]
    blocks += [_construction(construction) for construction in grammar.constructions]
    sections = {
        "tokens": [format_token_rule(rule) for rule in grammar.tokens],
        "lexicon": [f"{format_atom(e.form)}: {format_readings(e.readings)}" for e in grammar.lexicon],
        "guess": [f"{quoted(rule.pattern)}: {format_readings(rule.readings)}" for rule in grammar.guesses],
        "names": [f"{quoted(rule.pattern)}: {format_readings(rule.readings)}" for rule in grammar.names],
        "spelling": [f"{quoted(rule.pattern)}: {format_operands(rule.operands)}" for rule in grammar.spelling],
    }
    blocks += [_block(f"{name}:", lines) for name, lines in sections.items() if lines]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _block(opening: str, lines: Iterable[str]) -> str:
    return "\n".join([opening, *(f"    {wrapped(line)}" for line in lines)])


def wrapped(line: str) -> str:
    """Break a statement that is too long for one line; the breaks are after commas within brackets."""
    if len(line) <= WIDTH:
        return line
    pieces, depth, begin = [], 0, 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[({\])}]|, ', line):
        depth += (match[0] in "[({") - (match[0] in "])}")
        if match[0] == ", " and depth > 0:
            pieces.append(line[begin : match.end()])
            begin = match.end()
    lines = [""]
    for piece in (*pieces, line[begin:]):
        if len(lines[-1]) + len(piece) > WIDTH and lines[-1]:
            lines.append("        ")
        lines[-1] += piece
    return "\n".join(text.rstrip() for text in lines)


def _listed(key: str, items: Iterable[str]) -> Iterator[str]:
    """Format a list setting, `leaves: A, B`, on several lines if it is long."""
    line = ""
    for item in items:
        if line and len(line) + len(item) > WIDTH:
            yield f"{key}: {line}"
            line = ""
        line += f", {item}" if line else item
    if line:
        yield f"{key}: {line}"


def _titled(grammar: Grammar, feature: str, names: Iterable[str], name: Callable[[str], str]) -> list[str]:
    """Return leaves, whose `feature` is empty, or the values of a feature, each with its title: `Det "determiner"`."""
    titles = titles_of(grammar)
    return [name(one) + (f" {quoted(title)}" if (title := titles.get((feature, one))) else "") for one in names]


def _settings(grammar: Grammar) -> Iterator[str]:
    for key, text in (("grammar", grammar.name), ("language", grammar.language), ("version", grammar.version)):
        if text:
            yield f"{key}: {format_name(text)}"
    yield from _listed("authors", map(quoted, grammar.authors))
    if grammar.source:
        yield f"source: {quoted(grammar.source)}"
    yield from _listed("leaves", _titled(grammar, "", grammar.leaves, format_name))
    yield from _listed("roots", map(format_operand, grammar.roots))
    yield from _listed("tree_features", map(format_name, grammar.tree_features))
    for key in ("fragment_cost", "node_cost"):
        if (units := getattr(grammar, f"{key}_units")) != getattr(_DEFAULTS, f"{key}_units"):
            yield f"{key}: {format_number(units)}"
    if grammar.unary_limit != _DEFAULTS.unary_limit:
        yield f"unary_limit: {grammar.unary_limit}"
    for relation, strength in grammar.strengths:
        yield f"all {relation}{format_strength(strength)}"
    yield from (f"profile {format_profile(profile, grammar.semantics)}" for profile in grammar.profiles)


def _relation(relation: Relation) -> str:
    (clause,) = relation.clauses
    matched = f" for each {', '.join(clause.matched)}" if clause.matched else ""
    lines = ["monotonic yes"] if relation.monotonic else []
    lines += ["symmetric yes"] if relation.symmetric else []
    lines += [f"says {quoted(relation.says)}"] if relation.says else []
    lines += [f"but {quoted(relation.but)}"] if relation.but else []
    return _block(f"relation {relation.name}({', '.join(relation.parameters)}){matched}: {relation.holds}", lines)


def _construction(construction: Construction) -> str:
    title = f" {quoted(construction.title)}" if construction.title else ""
    return _block(f"{format_name(construction.name)}{title}:", _members(construction))


def _members(construction: Construction) -> Iterator[str]:
    if construction.head:
        yield f"head {format_operands(construction.head)}"
    if construction.inherit is not None:
        yield f"inherit {', '.join(map(format_atom, construction.inherit)) or 'none'}"
    yield from map(format_feature_rule, construction.feature_rules)
    if construction.constituency is not None:
        yield f"const {{{format_operands(construction.constituency)}}}"
    for relation, strength in construction.strengths:
        yield f"all {relation}{format_strength(strength)}"
    yield from format_statements(construction.properties)
    yield from (format_property(price, strength=True) for price in construction.prices)


def summary_lines(grammar: Grammar) -> Iterator[str]:
    """Yield the header of a grammar, then a table with the number of properties for each construction and relation."""
    about = [
        ("grammar", grammar.name),
        *header(grammar),
        ("tree features", ", ".join(grammar.tree_features)),
        ("semantics", ", ".join(f"{name}: {value}" for name, value in stated_semantics(grammar.semantics))),
        ("profiles", "; ".join(format_profile(profile, grammar.semantics) for profile in grammar.profiles)),
        ("fragment cost", format_number(grammar.fragment_cost_units)),
        ("node cost", format_number(grammar.node_cost_units)),
        ("unary limit", str(grammar.unary_limit)),
        ("lexicon", f"{counted(len(grammar.lexicon), 'form')}, {counted(len(grammar.guesses), 'guess rule')}"),
    ]
    yield from (f"{name:<14}{text}" for name, text in about if text)
    names = property_types_of(grammar)
    rows = [["construction", *names, "all"]]
    for construction in grammar.constructions:
        counts = Counter(prop.type for prop in construction.properties)
        rows.append([construction.name, *(str(counts[name] or "-") for name in names), str(counts.total())])
    total = Counter(prop.type for prop in grammar.properties)
    rows.append(["all", *(str(total[name] or "-") for name in names), str(total.total())])
    yield ""
    yield from aligned(rows)


def _grammar(grammar: Grammar) -> Iterator[str]:
    """Yield HTML: the header, then each construction, which opens to show its properties."""
    yield f"<h4>{safe(grammar.title)}</h4>"
    sizes = [("constructions", f"{len(grammar.constructions):,}"), ("properties", f"{len(grammar.properties):,}")]
    sizes += [("forms", f"{len(grammar.lexicon):,}"), ("fragment cost", format_number(grammar.fragment_cost_units))]
    yield from html_table([("", ""), *(pair for pair in header(grammar) if pair[1]), *sizes])
    for construction in grammar.constructions:
        name = construction.name + (f" ({construction.title})" if construction.title else "")
        number = counted(len(construction.properties), "property", "properties")
        yield f"<details><summary>{safe(name)}: {number}</summary>"
        rows = [("relation", "property", "line", "weight", "cost")]
        rows += [
            (
                prop.type + (", hard" if prop.hard else ""),
                format_property(prop),
                prop.place,
                format_number(prop.weight_units),
                format_number(prop.cost_units),
            )
            for prop in construction.properties
        ]
        yield from html_table(rows, 2)
        yield "</details>"


DISPLAYS: Final[dict[type, Display]] = {Grammar: Display(_grammar, summary_lines)}
"""The display of a grammar."""
