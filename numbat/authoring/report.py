"""Reports on grammars: tables, differences, the list of packaged grammars, an HTML page, the graph of constructions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from numbat.authoring.checking import sizes_of
from numbat.errors import counted, first_of
from numbat.grammar.inflection import NONE, LemmaForms, SlotForms
from numbat.grammar.layout import Remarks
from numbat.grammar.model import Construction, Grammar, Reading, property_types_of
from numbat.grammar.printing import format_feature_rule, header, summary_lines
from numbat.grammar.profiles import Profile
from numbat.grammar.properties import (
    Operand,
    Property,
    format_named,
    format_number,
    format_operand,
    format_operands,
    format_property,
)
from numbat.grammar.statements import ReadingSyntax
from numbat.grammar.templates import TemplateWords
from numbat.markup import aligned
from numbat.records import frozen
from numbat.reports.answers import PROPERTY, property_json
from numbat.reports.pages import scripted_page
from numbat.reports.report import Column, Items, Line, Lines, Member, Members, Part, Table, report
from numbat.runs.record import RunRecord
from numbat.treebanks.induced import FileCounts
from numbat.treebanks.trees import Tree

if TYPE_CHECKING:
    from networkx import DiGraph

    from numbat.authoring.known_words import FrameCounts, KnownWord


@report("numbat.grammars/1")
def packaged(grammars: Sequence[tuple[str, Grammar, str]]) -> Iterator[Part]:
    """Return the packaged grammars by name, with their languages, sizes and descriptions."""
    columns: Sequence[Column[tuple[str, Grammar, str]]] = (
        Column("grammar", "", "name", itemgetter(0)),
        Column("language", lambda row: row[1].language or "-", "language", lambda row: row[1].language),
        Column(key="version", value=lambda row: row[1].version),
        Column("constructions", "", value=lambda row: len(row[1].constructions)),
        Column("properties", "", value=lambda row: len(row[1].properties)),
        Column("forms", "", value=lambda row: len(row[1].lexicon)),
        Column(key="sizes", value=lambda row: sizes_of(row[1])),
        Column("", "", "about", itemgetter(2)),
    )
    yield Table(columns, grammars, "grammars")


@report("numbat.grammar/1")
def grammar_report(grammar: Grammar) -> Iterator[Part]:
    """Return a grammar as tables: its summary, then the properties of each construction by relation."""
    yield Lines(list(summary_lines(grammar)))
    yield Members({name: getattr(grammar, name) for name in ("name", "language", "version")})
    yield Members({"authors": list(grammar.authors), "source": grammar.source, "sizes": sizes_of(grammar)})
    yield Members({"roots": list(map(str, grammar.roots)), "leaves": list(grammar.leaves)})
    yield Member("features", {name: list(values) for name, values in grammar.features})
    yield Member("semantics", dict(grammar.semantics.switches))
    yield Member("profiles", Table(PROFILE, grammar.profiles).objects())
    yield Members({"fragment_cost": grammar.fragment_cost, "node_cost": grammar.node_cost})
    yield Member("unary_limit", grammar.unary_limit)
    yield Items("constructions", [tuple(_construction_parts(construction)) for construction in grammar.constructions])


PROFILE: Final[Sequence[Column[Profile]]] = (
    Column(key="name"),
    Column(key="heuristics", value=lambda profile: list(profile.heuristics)),
    Column(key="election"),
    Column(key="all_hard"),
    Column(key="termination"),
)


def _construction_parts(form: Construction) -> Iterator[Part]:
    yield Line()
    yield Member("name", form.name, f"{form.name} ({form.title})" if form.title else form.name)
    yield Member("title", form.title)
    yield Member("head", list(map(str, form.head)), [f"    head: {format_operands(form.head)}"] if form.head else ())
    inherits = None if form.inherit is None else list(form.inherit)
    yield Member("inherits", inherits, () if inherits is None else f"    inherits: {', '.join(inherits) or 'nothing'}")
    rules = list(map(format_feature_rule, form.feature_rules))
    yield Member("sets", rules, [f"    sets: {rule}" for rule in rules])
    if form.constituency is None:
        yield Member("constituents", None)
    else:
        line = f"    constituents: {format_operands(form.constituency)}"
        yield Member("constituents", list(map(str, form.constituency)), line)
    yield Table(PROPERTY, form.properties, "properties", indent="    ")
    if form.prices:
        yield Table(PRICE, form.prices, "prices", indent="    ")


PRICE: Final[Sequence[Column[Property]]] = (
    Column("price of", format_property, "price", format_property),
    Column("cost", lambda price: format_number(price.cost_units), "cost", lambda price: price.cost),
    Column("title", "", value=lambda price: price.title),
    Column("register", "", value=lambda price: price.register),
    Column("line", "", value=lambda price: price.place),
)
"""The columns of the prices of a construction (ruling 48)."""


# Forms of a lemma


@report("numbat.paradigm/1")
def paradigms(lemmas: Sequence[LemmaForms]) -> Iterator[Part]:
    """Return for each paradigm of a lemma a table: slot, forms, their reading, and the row that makes them."""
    yield Items("lemmas", [[Lines([""] * (number > 0)), *_lemma(forms)] for number, forms in enumerate(lemmas)])


def _lemma(forms: LemmaForms) -> Iterator[Part]:
    lemma = forms.lemma
    templates = f" + {lemma.templates}" if lemma.templates else ""
    yield Member("lemma", str(lemma.form), f"{lemma.form}  {lemma.paradigm}{templates}  {lemma.form.span.short}")
    yield Members({"paradigm": str(lemma.paradigm), "templates": lemma.templates and str(lemma.templates)})
    yield Member("place", lemma.form.span.short)

    def place(slot: SlotForms) -> str:
        return (lemma.form if slot.is_irregular else slot.row.paradigm).span.short

    columns: Sequence[Column[SlotForms]] = (
        Column("slot", "", "slot", lambda slot: str(slot.slot)),
        Column("form", lambda slot: ", ".join(slot.forms) or NONE, "forms", lambda slot: list(map(str, slot.forms))),
        Column("reading", lambda slot: str(slot.operand), "reading"),
        Column(key="irregular", value=attrgetter("is_irregular")),
        Column(
            "steps",
            lambda slot: "irregular" if slot.is_irregular else slot.row.change,
            "steps",
            lambda slot: None if slot.is_irregular else str(slot.row.change),
        ),
        Column("paradigm", lambda slot: "" if slot.is_irregular else slot.row.paradigm),
        Column("line", place, "place"),
    )
    yield Table(columns, forms.slots, "slots")


# What is known of a word


@report("numbat.word/1")
def word_report(known: KnownWord) -> Iterator[Part]:
    """Return the readings of a word, each with prices that ask for its features, then the counts behind its frames."""
    yield Member("word", known.word)
    yield Items("readings", [tuple(_known_reading(*reading)) for reading in known.readings])
    yield Items("evidence", [tuple(_counts(counts)) for counts in known.evidence])


def _known_reading(reading: Reading, prices: Sequence[Property]) -> Iterator[Part]:
    operand = format_operand(Operand(reading.category, reading.features))
    yield Member("reading", operand, operand + (f" weight {reading.weight:g}" if reading.weight != 1 else ""))
    yield Members({"weight": reading.weight, "lemma": reading.lemma})
    columns = (
        Column[Property]("", lambda price: f"price {format_number(price.cost_units)}", "cost", attrgetter("cost")),
        Column[Property]("", "", "title", attrgetter("title")),
        Column[Property]("", "", "place", attrgetter("place")),
    )
    yield Table(columns, prices, "prices", indent="    ")


def _counts(evidence: FrameCounts) -> Iterator[Part]:
    yield Member("lemma", evidence.lemma, f"{evidence.lemma}: {evidence.counts or 'no frame'} of {evidence.uses} uses")
    yield Member("uses", int(evidence.uses))
    yield Member("counts", evidence.counts)
    yield Member("sources", evidence.sources, [f"    {source}" for source in evidence.sources.split("; ") if source])
    yield Member("added", evidence.features.split(), f"    added: {evidence.features}" if evidence.features else [])


# Templates


@report("numbat.template/1")
def template_report(use: TemplateWords) -> Iterator[Part]:
    """Return the readings of a template, then the words that use it, grouped by arguments; text lists a few of each."""
    template, place = use.template, use.template.name.span.short
    parameters = f"({', '.join(template.parameters)})" if template.parameters else ""
    yield Member("template", str(template.name), f"{template.name}{parameters}  {place}")
    yield Members({"parameters": list(map(str, template.parameters)), "place": place})
    yield Items("readings", [tuple(_reading(syntax)) for syntax in template.readings])
    words = use.words.items()
    lines = [f"{call}  {counted(len(forms), 'word')}: {first_of(forms, MAX_WORDS)}" for call, forms in words]
    yield Member("words", {call: list(forms) for call, forms in words}, lines or "no words use it")


def _reading(syntax: ReadingSyntax) -> Iterator[Part]:
    operand, weight = str(syntax.operand), syntax.weight
    yield Member("reading", operand, f"    {operand}" + (f" weight {weight}" if weight else ""))
    yield Member("weight", None if weight is None else float(weight))


# Differences between grammars

MAX_WORDS = 10
"""Maximum number of words listed for each use of a template, or for each kind of change."""


@report("numbat.difference/1")
def difference(grammar: Grammar, base: Grammar) -> Iterator[Part]:
    """Return the differences between a grammar and a base: properties by construction, words, and all other parts.

    If only the strength of a property differs, `was` is the property as it is in the base.
    """
    yield Line(f"{grammar.name or 'this grammar'} against {base.name or 'the other one'}")
    yield Members({"grammar": grammar.name, "against": base.name})
    properties = _property_changes(grammar, base)
    values = [
        {"change": CHANGES[sign], **property_json(prop), "was": property_json(before) if before else None}
        for sign, prop, before in properties
    ]
    yield Member("properties", values, list(_change_lines(properties)))
    words = dict(_word_changes(grammar, base))
    lines = [
        f"{sign} {counted(len(forms), 'word')}: {', '.join(forms[:MAX_WORDS])}{', …' * (len(forms) > MAX_WORDS)}"
        for sign, forms in words.items()
    ]
    yield Member("words", {CHANGES[sign]: forms for sign, forms in words.items()}, lines)
    others = list(_other_changes(grammar, base))
    values = [{"change": CHANGES[sign], "part": part, "name": name} for sign, part, name in others]
    yield Member("others", values, [f"{sign} {part}: {name}" for sign, part, name in others])


def _change_lines(changes: Iterable[tuple[str, Property, Property | None]]) -> Iterator[str]:
    together: Counter[str] = Counter()
    for sign, prop, before in changes:
        was = f", was {_strength(before)}" if before else ""
        if before and prop.place == before.place:  # changed by an `all` line, not by an override of this property
            together[f"{prop.type}  ({_strength(prop)}{was})"] += 1
        else:
            yield f"{sign} {format_named(prop)}  ({_strength(prop)}{was})  {prop.place}".rstrip()
    for change, number in sorted(together.items()):
        yield f"~ {counted(number, 'property', 'properties')} by a line for the relation: {change}"


CHANGES: Final = {"-": "removed", "+": "added", "~": "changed"}


def _property_changes(grammar: Grammar, base: Grammar) -> list[tuple[str, Property, Property | None]]:
    """Return sign, property and, if only the strength differs, the property in the base; ordered by construction."""
    ours, theirs = _keyed(grammar), _keyed(base)
    changes: list[tuple[str, Property, Property | None]] = []
    changes += [("-", theirs[key], None) for key in theirs if key not in ours]
    changes += [("+", ours[key], None) for key in ours if key not in theirs]
    both = (key for key in ours if key in theirs)
    changes += [("~", ours[key], theirs[key]) for key in both if _strength(ours[key]) != _strength(theirs[key])]
    return sorted(changes, key=lambda change: (change[1].construction, change[0], str(change[1])))


def _keyed(grammar: Grammar) -> dict[tuple[object, ...], Property]:
    return {(prop.construction, prop.relation, prop.operands, prop.features): prop for prop in grammar.properties}


def _strength(prop: Property) -> str:
    weight, cost = format_number(prop.weight_units), format_number(prop.cost_units)
    return f"weight {weight} cost {cost}{' hard' if prop.hard else ''}"


def _word_changes(grammar: Grammar, base: Grammar) -> Iterator[tuple[str, list[str]]]:
    """Yield, with their signs, the forms that are removed, added or have other readings; nothing if there are none."""
    ours, theirs = ({entry.form: entry.readings for entry in of.lexicon} for of in (grammar, base))
    for sign, forms in (
        ("-", [form for form in theirs if form not in ours]),
        ("+", [form for form in ours if form not in theirs]),
        ("~", [form for form in ours if form in theirs and ours[form] != theirs[form]]),
    ):
        if forms:
            yield sign, forms


def _other_changes(grammar: Grammar, base: Grammar) -> Iterator[tuple[str, str, str]]:
    """Yield the leaves, roots, constructions and features that only one grammar has, and how constructions differ."""
    ours, theirs = _parts(grammar), _parts(base)
    forms, earlier = (
        {construction.name: _form_lines(construction) for construction in of.constructions} for of in (grammar, base)
    )
    for name in (form for form in forms if form in earlier):
        ours |= {f"{word} of {name}": said for word, said in forms[name].items()}
        theirs |= {f"{word} of {name}": said for word, said in earlier[name].items()}
    for part, names in ours.items():
        earlier_names = theirs[part]
        yield from (("-", part, name) for name in earlier_names if name not in names)
        yield from (("+", part, name) for name in names if name not in earlier_names)


def _parts(grammar: Grammar) -> dict[str, list[str]]:
    return {
        "leaves": list(grammar.leaves),
        "roots": list(map(str, grammar.roots)),
        "constructions": [construction.name for construction in grammar.constructions],
        "features": [f"{name}: {', '.join(values)}" for name, values in grammar.features],
    }


def _form_lines(construction: Construction) -> dict[str, list[str]]:
    return {
        "head": [*map(str, construction.head)],
        "inherit": [*(construction.inherit or ())],
        "rule": [*map(format_feature_rule, construction.feature_rules)],
        "const": [*map(str, construction.constituency or ())],
    }


# The page of a grammar, which contains data that `assets/browse.js` draws

MAX_EXAMPLES = 3
MAX_EXAMPLE = 14
"""Maximum number of words in an example tree; if all trees are longer, the shortest is shown."""


@frozen
class ExampleTree:
    """A tree from a treebank, with its identifier and an explanation of each violation in it."""

    id: str
    tree: Tree
    violated: tuple[str, ...] = ()


def grammar_page(
    grammar: Grammar,
    counted: Mapping[str, FileCounts],
    examples: Sequence[ExampleTree],
    record: RunRecord | None = None,
    remarks: Mapping[str, Remarks] = MappingProxyType({}),
) -> str:
    """Return the HTML page that shows a grammar, with the record of the run.

    `counted` has, for each file of an induced grammar, the counts in its comments, and `remarks` the comments in files
    of other grammars. If the grammar has several files, each is a chapter of the page.
    """
    title = f"Numbat: {grammar.name or 'a grammar'}"
    return scripted_page(title, "browse", _content(grammar, counted, examples, remarks), record)


def _content(
    grammar: Grammar,
    counted: Mapping[str, FileCounts],
    examples: Sequence[ExampleTree],
    remarks: Mapping[str, Remarks],
) -> dict[str, Any]:
    shown = {construction.name: _examples_of(construction.name, examples) for construction in grammar.constructions}
    used = sorted({number for numbers in shown.values() for number in numbers})
    place = {number: i for i, number in enumerate(used)}
    lexicon = f"{len(grammar.lexicon):,} forms, {len(grammar.guesses)} guess rules"
    files = list(dict.fromkeys(form.span.path for form in grammar.constructions if form.span is not None))
    chapters = {path: number for number, path in enumerate(files)} if len(files) > 1 else {}
    return {
        "name": grammar.name,
        "about": [*(pair for pair in header(grammar) if pair[1]), ("lexicon", lexicon)],
        "relations": property_types_of(grammar),
        "constructions": [
            _construction(form, counted, remarks)
            | {"examples": [place[number] for number in shown[form.name]]}
            | {"chapter": chapters.get(form.span.path) if form.span is not None else None}
            for form in grammar.constructions
        ],
        "chapters": [_chapter(path, remarks) for path in chapters],
        "examples": [
            {"id": examples[number].id, "tree": _node(examples[number].tree), "violated": examples[number].violated}
            for number in used
        ],
    }


def _chapter(path: str, remarks: Mapping[str, Remarks]) -> dict[str, Any]:
    """Return the comment at the head of a file as a title and paragraphs."""
    head = groupby(remarks[path].head if path in remarks else (), bool)
    paragraphs = [" ".join(lines) for filled, lines in head if filled]
    below = [part for paragraph in paragraphs[1:] for part in _LABELLED.split(paragraph) if part]
    title = paragraphs[0] if paragraphs and len(paragraphs[0]) <= MAX_TITLE else Path(path).stem
    return {"title": title.removesuffix("."), "text": below if paragraphs[:1] == [title] else paragraphs}


_LABELLED: Final = re.compile(r"(?<=\.) (?=[A-Z][a-z]+: )")  # before `Literature: ...`
MAX_TITLE: Final = 90  # characters: a longer first paragraph is not a title


def _construction(
    construction: Construction, counted: Mapping[str, FileCounts], remarks: Mapping[str, Remarks]
) -> dict[str, Any]:
    file = counted.get(construction.span.path) if construction.span else None
    rules = file.rules.get(construction.name, ()) if file else ()
    lines = [f"head {format_operands(construction.head)}"] if construction.head else []
    if construction.inherit is not None:
        lines.append(f"inherit {', '.join(construction.inherit) or 'none'}")
    return {
        "name": construction.name,
        "title": construction.title,
        "occurrences": file.occurrences.get(construction.name) if file else None,
        "uses": file.about.get(construction.name, "") if file else "",
        "features": [*lines, *map(format_feature_rule, construction.feature_rules)],
        "constituents": [str(operand) for operand in construction.constituency or ()],
        "rules": [list(rule) for rule in rules],
        "properties": _with_remarks(
            [_property(prop, counted) for prop in construction.properties], construction, remarks
        ),
    }


def _with_remarks(
    shown: list[dict[str, Any]], construction: Construction, remarks: Mapping[str, Remarks]
) -> list[dict[str, Any]]:
    """Return the shown properties with the comments of their lines, each at the first property of its line."""
    done: set[tuple[str, int]] = set()
    for record, prop in zip(shown, construction.properties, strict=True):
        place = (prop.span.path, prop.span.line) if prop.span is not None else None
        if place is not None and place not in done and place[0] in remarks:
            done.add(place)
            if remark := remarks[place[0]].behind.get(place[1]):
                record["remark"] = remark
    return shown


def _property(prop: Property, counted: Mapping[str, FileCounts]) -> dict[str, Any]:
    file = counted.get(prop.span.path) if prop.span else None
    support = file.supports.get(prop.span.line) if file and prop.span else None
    counts = None
    if support is not None:
        counts = [support.valid, support.violating, round(support.w0, 4), round(support.w1, 4), list(support.sentences)]
    return {
        "relation": prop.type,
        "text": format_property(prop),
        "weight": prop.weight,
        "cost": prop.cost,
        "hard": prop.hard,
        "line": prop.place,
        "counts": counts,
        **_evidence(prop, file),
    }


def _evidence(prop: Property, file: FileCounts | None) -> dict[str, Any]:
    """Return the gain of an induced property and the number of phrases that have it, if its file states these."""
    if file is None or prop.span is None:
        return {}
    evidence: dict[str, Any] = {}
    if prop.span.line in file.gains:
        evidence["gain"] = file.gains[prop.span.line]
    if prop.span.line in file.phrases:
        evidence["phrases"] = list(file.phrases[prop.span.line])
    return evidence


def _examples_of(name: str, examples: Sequence[ExampleTree]) -> list[int]:
    """Return the numbers of the first short trees with the construction; if all are long, of the shortest."""
    having = [
        (number, sum(1 for _ in example.tree.words()))
        for number, example in enumerate(examples)
        if any(node.label == name and node.form is None for node in example.tree.walk())
    ]
    short = [number for number, words in having if words <= MAX_EXAMPLE]
    return short[:MAX_EXAMPLES] or [number for number, _ in sorted(having, key=lambda pair: pair[1])[:1]]


def _node(tree: Tree) -> list[Any]:
    """Return `[label, form]` for a word, `[label, [daughters]]` for a phrase."""
    top: list[Any] = []
    waiting = [(tree, top)]
    while waiting:
        node, record = waiting.pop()
        if node.form is not None:
            record += (node.label, node.form)
            continue
        below: list[list[Any]] = [[] for _ in node.daughters]
        record += (node.label, below)
        waiting += zip(node.daughters, below, strict=True)
    return top


# The graph of constructions: their daughters, cycles, effects of a change


def construction_graph(grammar: Grammar) -> DiGraph[str]:
    """Return a networkx graph with an edge from each construction to each of its possible daughters.

    The attribute `properties` of an edge has the numbers of the properties that name the daughter. The attribute `kind`
    of a node is `construction` or `leaf`.
    """
    from networkx import DiGraph

    graph: DiGraph[str] = DiGraph(grammar=grammar.name)
    graph.add_nodes_from(grammar.leaves, kind="leaf")
    graph.add_nodes_from((form.name for form in grammar.constructions), kind="construction")
    number = 0
    for construction in grammar.constructions:
        for operand in construction.daughters:
            if operand.category in graph:
                graph.add_edge(construction.name, operand.category, properties=[])
        for prop in construction.properties:
            for category in dict.fromkeys(operand.category for operand in prop.all_operands()):
                if graph.has_edge(construction.name, category):
                    graph.edges[construction.name, category]["properties"].append(number)
            number += 1
    return graph


def graph_lines(grammar: Grammar) -> Iterator[str]:
    """Yield a report: daughters of constructions, what a change of one affects, unreachable categories, cycles."""
    import networkx

    graph = construction_graph(grammar)
    names = [construction.name for construction in grammar.constructions]
    edges = counted(graph.number_of_edges(), "edge")
    yield f"{grammar.title}: {counted(len(names), 'construction')}, {edges} to daughters"
    rows = [["construction", "made of", "a change reaches"]]
    for name in names:
        reached = [other for other in names if other in networkx.ancestors(graph, name) and other != name]
        rows.append([name, ", ".join(graph.successors(name)) or "-", ", ".join(reached) or "nothing else"])
    yield from aligned(rows)
    categories = {root.category for root in grammar.roots}
    roots = [name for name in names if name in categories] or names
    below = set(roots).union(*(networkx.descendants(graph, root) for root in roots))
    unreached = [name for name in graph if name not in below]
    if unreached:
        yield f"in no tree under a root ({', '.join(roots)}): {', '.join(unreached)}"
    circles = sorted(_circles(graph, names), key=lambda circle: (len(circle), circle))
    yield "circles: " + ("; ".join(" > ".join((*circle, circle[0])) for circle in circles) or "none")


def _circles(graph: DiGraph[str], names: Sequence[str]) -> Iterator[list[str]]:
    """Yield a shortest cycle through each construction that can contain itself, each cycle once."""
    import networkx

    seen: set[frozenset[str]] = set()
    for name in names:
        ways = [
            [name] if daughter == name else [name, *networkx.shortest_path(graph, daughter, name)[:-1]]
            for daughter in graph.successors(name)
            if daughter == name or networkx.has_path(graph, daughter, name)
        ]
        if ways:
            circle = min(ways, key=len)
            if frozenset(circle) not in seen:
                seen.add(frozenset(circle))
                yield circle
