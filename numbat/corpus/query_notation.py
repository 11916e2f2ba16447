"""The query language of stores: from text to a tree of conditions, by Lark and with mistakes at their places.

    NP violates Det ~> N
    x: NP[number=pl] has PP and x before VP and not (x has Det)
    violates linearity and cost > 4 and meta.genre = "email"

Operands and properties are those of the notation of grammars. A query that is read is a tuple of `Alternative`s, what
stands between `or`, each a row of conditions that hold together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final

from lark import Lark, Token
from lark.exceptions import UnexpectedInput

from numbat import grammar as grammar_package
from numbat.errors import Problem, Span, close_match, counted, data_error
from numbat.grammar.declarations import Declarations
from numbat.grammar.names import NAME, WILDCARD
from numbat.grammar.notation import LogicalLine, StatementReader
from numbat.grammar.properties import Demand, Operand, format_bracket, format_operand
from numbat.grammar.relations import Relation
from numbat.grammar.statements import GroupSyntax, OperandSyntax, PlacedText, PropertyStatement
from numbat.grammar.syntax_errors import syntax_problem
from numbat.records import frozen

PLACE: Final = "<query>"
"""How messages name the query as a place."""
MAX_ALTERNATIVES: Final = 64
MAX_VARIABLES: Final = 12
"""So many constituents an alternative may speak of: each is another search."""
MAX_LENGTH: Final = 20_000
"""The longest query, in signs."""


@frozen
class QueryVariable:
    """A constituent that a query speaks of, by its name, with the operand that it has to be."""

    name: str
    operand: Operand
    is_named: bool


@frozen
class Relates:
    """Two constituents stand in a relation of `RELATIONS`."""

    left: str
    relation: str
    right: str


@frozen
class Characterizes:
    """A constituent, or some of the sentence where there is none, satisfies or violates one of these properties, by
    their ids in the store; None: any property.
    """

    subject: str | None
    satisfied: bool
    properties: tuple[int, ...] | None


@frozen
class Says:
    """Neighbouring words within a constituent, or in the sentence, match these patterns, each a whole word."""

    subject: str | None
    patterns: tuple[str, ...]


@frozen
class Measures:
    """A cost or a length, of a sentence or the length of a constituent, compares so with a number."""

    subject: str | None
    measure: str
    comparison: str
    number: float


@frozen
class Finds:
    """The text or the place of the sentence has a match of a pattern."""

    column: str
    pattern: str


@frozen
class Knows:
    """What is known of the sentence under a key is a value, is not, or has a match of a pattern."""

    key: str
    how: str
    value: str


@frozen
class Flagged:
    """The parse is full, or a limit stopped its search."""

    flag: str


@frozen
class Denied:
    """None of these alternatives holds; what they alone speak of may be any constituent."""

    alternatives: tuple[Alternative, ...]


Condition = Relates | Characterizes | Says | Measures | Finds | Knows | Flagged | Denied


@frozen
class Alternative:
    """What has to hold together: constituents, in the order in which they are named, and conditions on them."""

    variables: tuple[QueryVariable, ...]
    conditions: tuple[Condition, ...]


AFTER_OPERANDS: Final = ("has", "within", "begins", "ends", "before", "next to", "spans", "violates", "satisfies")
RELATIONS: Final = ("has", "within", "begins", "ends", "before", "next to", "spans")
"""`has`: is the mother of; `within`: stands below; `begins`, `ends`: stands below, at the first or last word; `before`:
ends before the other begins; `next to`: no word is between; `spans`: has all words of the other, whatever the tree
is."""


@frozen
class KnownNames:
    """What a query may name in a store: categories, features with their values, properties.

    `properties` are id, construction, relation and text of each; `relations` are those that the grammar adds.
    """

    categories: Sequence[str]
    features: Mapping[str, Sequence[str]]
    properties: Sequence[tuple[int, str, str, str]]
    relations: Mapping[str, Relation]


def read_query(text: str, known: KnownNames) -> tuple[Alternative, ...]:
    """Return a query as alternatives. Raises DataError with all mistakes, each at its place."""
    origin = Span(PLACE, 1, 1)
    if len(text) > MAX_LENGTH:
        raise data_error(Problem(f"a query of {len(text):,} signs", origin, hint=f"it may have {MAX_LENGTH:,}"))
    line = LogicalLine(text, origin, indented=False)
    try:
        tree = _lark().parse(text, start="query")
    except UnexpectedInput as error:
        problem = syntax_problem(error, text, origin, "query")
        near = close_match(problem.found.strip('"'), AFTER_OPERANDS) if '"has"' in problem.expected else ""
        raise data_error(replace(problem, source_line=_line(text, problem.span), hint=near or problem.hint)) from None
    except RecursionError:
        raise data_error(Problem("this is nested too deeply", origin)) from None
    reader = _QueryReader(line.span, known)
    found = reader.transform(tree)
    reader.check_names()
    if reader.problems:
        raise data_error(*(replace(each, source_line=_line(text, each.span)) for each in reader.problems))
    return _alternatives(found, reader)


def _line(text: str, span: Span) -> str:
    lines = text.split("\n")
    return lines[span.line - 1] if 0 < span.line <= len(lines) else ""


@cache
def _lark() -> Lark:
    folder = Path(grammar_package.__file__ or "").parent
    both = [
        file.read_text(encoding="utf-8") for file in (folder / "notation.lark", Path(__file__).with_name("query.lark"))
    ]
    return Lark("\n".join(both).replace("{NAME}", NAME), parser="lalr", start=["query"], propagate_positions=True)


# Lark's tree to conditions. A node is a function that says what it is in each alternative.

Node = tuple[str, Any]
"""`and`, `or`, `not` with nodes; `is` with a condition and its variables."""


class _QueryReader(StatementReader):
    """Lark transformer for `query.lark`; `problems` has the mistakes that are none of syntax."""

    def __init__(self, origin: Span, known: KnownNames) -> None:
        super().__init__(origin)
        self.known, self.problems = known, list[Problem]()
        self.declared: dict[str, QueryVariable] = {}
        self._uses: list[PlacedText] = []
        self._names: dict[str, int] = {}
        categories = dict.fromkeys((WILDCARD, *known.categories))
        self.declarations = Declarations(
            {}, features={name: tuple(values) for name, values in known.features.items()}, categories=categories
        )

    def error(self, message: str, span: Span, hint: str = "") -> None:
        """Note a mistake."""
        self.problems.append(Problem(message, span, hint=hint))

    # logic

    def either(self, children: list[Any]) -> Node:
        parts = [each for each in children if not isinstance(each, Token)]
        return ("or", parts) if len(parts) > 1 else parts[0]

    def both(self, children: list[Any]) -> Node:
        parts = [each for each in children if not isinstance(each, Token)]
        return ("and", parts) if len(parts) > 1 else parts[0]

    def denied(self, children: list[Any]) -> Node:
        return "not", children[-1]

    # constituents

    def subject(self, children: list[Any]) -> PlacedText:
        """Return the name of a variable; one without a name gets one by its category."""
        name, operand = children
        place = operand.category.span
        bare = str(operand.category)
        if name is None and not operand.demands and bare not in self.known.categories and bare != WILDCARD:
            self._uses.append(operand.category)
            return PlacedText(bare, place)
        made = QueryVariable("", self._operand(operand), name is not None)
        if name is None:
            number = self._names[bare] = self._names.get(bare, 0) + 1
            own = f"{bare} {number}"
        else:
            own, place = str(name), name.span
            if own in self.declared:
                self.error(f'"{own}" names two constituents', place, "take another name, or the name alone")
            if own in self.known.categories:
                self.error(
                    f'"{own}" is a category', place, f"take another name, as in x: {format_operand(made.operand)}"
                )
        self.declared[own] = replace(made, name=own)
        return PlacedText(own, place)

    def _operand(self, syntax: OperandSyntax) -> Operand:
        category = str(syntax.category)
        if category not in self.known.categories and category != WILDCARD:
            near = close_match(category, self.known.categories)
            self.error(f'no constituent of this store is "{category}"', syntax.category.span, near)
        return Operand(category, self._demand(syntax))

    def check_names(self) -> None:
        """Note names that stand for nothing."""
        for name in self._uses:
            if str(name) not in self.declared:
                near = close_match(str(name), (*self.known.categories, *self.declared))
                hint = near or "name it where it is first spoken of, as in x: NP"
                self.error(f'"{name}" is no category of this store, and names no constituent', name.span, hint)

    # claims

    def there_is(self, children: list[Any]) -> Node:
        (subject,) = children
        return "is", ((str(subject),), None)

    def related(self, children: list[Token]) -> str:
        return " ".join(map(str, children))

    def relates(self, children: list[Any]) -> Node:
        left, relation, right = children
        return "is", ((str(left), str(right)), Relates(str(left), relation, str(right)))

    def judged(self, children: list[Token]) -> bool:
        return children[0].type == "SATISFIES"

    def judges(self, children: list[Any]) -> Node:
        subject, satisfied, what = children
        of = self.declared.get(str(subject))
        properties = None if what is None else what(of.operand.category if of else None)
        return "is", ((str(subject),), Characterizes(str(subject), satisfied, properties))

    def judges_somewhere(self, children: list[Any]) -> Node:
        satisfied, what = children
        return "is", ((), Characterizes(None, satisfied, what(None)))

    def worded(self, children: list[Any]) -> Node:
        subject, _, pattern = children
        return "is", ((str(subject),), Says(str(subject), self._patterns(pattern)))

    def measure(self, children: list[Token]) -> PlacedText:
        return self._placed(children[0])

    searched = flag = measure

    def measures(self, children: list[Any]) -> Node:
        subject, measure, comparison, number = children
        if measure == "cost":
            self.error(
                "a constituent has no cost of its own here", measure.span, "ask for its length, or what it violates"
            )
        return "is", ((str(subject),), Measures(str(subject), str(measure), str(comparison), float(number)))

    def measures_sentence(self, children: list[Any]) -> Node:
        measure, comparison, number = children
        return "is", ((), Measures(None, str(measure), str(comparison), float(number)))

    def finds(self, children: list[Any]) -> Node:
        where, _, pattern = children
        if where == "words":
            return "is", ((), Says(None, self._patterns(pattern)))
        self._check_pattern(pattern, str(pattern))
        return "is", ((), Finds(str(where), str(pattern)))

    def knows(self, children: list[Any]) -> Node:
        _, key, _, value = children
        return "is", ((), Knows(str(key), "=", str(value)))

    def knows_not(self, children: list[Any]) -> Node:
        _, key, value = children
        return "is", ((), Knows(str(key), "!=", str(value)))

    def knows_like(self, children: list[Any]) -> Node:
        _, key, _, pattern = children
        self._check_pattern(pattern, str(pattern))
        return "is", ((), Knows(str(key), "~", str(pattern)))

    def flagged(self, children: list[Any]) -> Node:
        return "is", ((), Flagged(str(children[0])))

    def _patterns(self, text: PlacedText) -> tuple[str, ...]:
        pieces = tuple(str(text).split())
        if not pieces:
            self.error("no word stands here", text.span, 'write words or regular expressions: words ~ "in .* to"')
        for piece in pieces:
            self._check_pattern(text, piece)
        return pieces

    def _check_pattern(self, text: PlacedText, pattern: str) -> None:
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            hint = r"to find the sign itself write \\ before it"
            self.error(f'"{pattern}" is no regular expression: {error}', text.span, hint)

    # properties

    def called_so(self, children: list[Any]) -> Callable[[str | None], tuple[int, ...]]:
        """A relation, a construction, or in quotes a property as it is printed."""
        (name,) = children
        return lambda category: self._chosen(self._called(str(name)), category, str(name), name.span)

    def _called(self, name: str) -> list[tuple[int, str]]:
        known, relations = self.known.properties, self._relations()
        by_relation = relations[name].name if name in relations else name
        found = [(each, of) for each, of, relation, _ in known if relation in (name, by_relation)]
        found = found or [(each, of) for each, of, _, _ in known if of == name]
        return found or [(each, of) for each, of, _, text in known if name in (text, f"{of}: {text}")]

    def of_construction(self, children: list[Any]) -> Callable[[str | None], tuple[int, ...]]:
        construction, statement = children
        return lambda category: self._matching(statement, str(construction), category)

    def of_any(self, children: list[Any]) -> Callable[[str | None], tuple[int, ...]]:
        (statement,) = children
        return lambda category: self._matching(statement, None, category)

    def _matching(
        self, statement: PropertyStatement, construction: str | None, category: str | None
    ) -> tuple[int, ...]:
        before = len(self.problems)
        texts = set(self._texts(statement))
        if len(self.problems) > before:
            return ()
        whole = bool(statement.shared)

        def means(text: str) -> bool:
            return text in texts or (not whole and text.rpartition(" [")[0] in texts and text.endswith("]"))

        there = [
            (each, of, text)
            for each, of, _, text in self.known.properties
            if construction in (None, of) and category in (None, WILDCARD, of)
        ]
        found = [(each, of) for each, of, text in there if means(text)]
        found = found or [(each, of) for each, of, text in there if means(OF_OPERAND.sub("", text))]
        name = next(iter(sorted(texts)), "")
        return self._chosen(found, category, f"{construction}: {name}" if construction else name, statement.span)

    def _chosen(self, found: list[tuple[int, str]], category: str | None, name: str, span: Span) -> tuple[int, ...]:
        """Return the properties that a constituent of a category may have; report a name that means none of them."""
        fitting = [each for each, of in found if category in (None, WILDCARD, of)]
        if not fitting:
            within = "" if category in (None, WILDCARD) else f" of {category}"
            texts = [text for _, of, _, text in self.known.properties if category in (None, WILDCARD, of)]
            named = [f"{of}: {text}" for _, of, _, text in self.known.properties]
            near = close_match(name, (*texts, *self._relations(), *named)) if len(texts) < MAX_COMPARED else ""
            hint = near or "numbat show lists the properties of a grammar, numbat statistics those of a store"
            self.error(f'no property{within} is "{name}"', span, hint)
        return tuple(fitting)

    def _relations(self) -> dict[str, Relation]:
        found: dict[str, Relation] = {}
        for relation in self.known.relations.values():
            found |= dict.fromkeys(filter(None, (relation.name, relation.symbol, *relation.aliases)), relation)
        return found

    def _texts(self, statement: PropertyStatement) -> Iterator[str]:
        """Return the texts of the properties that a statement means, as they are printed."""
        relation = self._relations().get(str(statement.relation))
        statement = self._with_shared(statement, relation)
        sides = []
        for at, parameter in enumerate(statement.parameters):
            name = relation.parameters[at] if relation and at < len(relation.parameters) else ""
            each = relation is None or name in relation.matched or (not relation.matched and len(parameter) == 0)
            sides.append(list(self._sides(parameter, each)))
        features = ", ".join(sorted(str(value) for demand in statement.shared for value in demand.values))
        shared = [", ".join(str(value) for demand in statement.shared for value in demand.values), features]
        for operands in product(*sides):
            name = relation.name if relation else str(statement.relation)
            if relation is None or not relation.has_sign:
                text = f"{name}({', '.join(operands)})"
            elif len(operands) == 1:
                text = f"{relation.symbol} {operands[0]}"
            else:
                text = f"{operands[0]} {relation.symbol} {operands[1]}"
            for agreeing in dict.fromkeys(shared) if statement.shared else ():
                yield f"{text} [{agreeing}]"
            if not statement.shared:
                yield text

    @staticmethod
    def _with_shared(statement: PropertyStatement, relation: Relation | None) -> PropertyStatement:
        """Return a statement whose last bracket, where it has names of features alone, is of those that agree."""
        last = statement.parameters[-1][-1][-1]
        operand = last.operands[-1]
        is_bare = bool(operand.demands) and all(demand.feature is None for demand in operand.demands)
        if relation is None or not relation.shares_features or statement.shared or last.braces or not is_bare:
            return statement
        group = replace(last, operands=(replace(operand, demands=()),))
        *before, parameter = statement.parameters
        changed = (*parameter[:-1], (*parameter[-1][:-1], group))
        return replace(statement, parameters=(*before, changed), shared=operand.demands)

    def _sides(self, parameter: Sequence[Sequence[GroupSyntax]], is_each: bool) -> Iterator[str]:
        """Return one side of a property, printed: braces are each of their members, or any of them."""
        joints = [[[self._printed(operand) for operand in group.operands] for group in joint] for joint in parameter]
        if is_each:
            for chosen in product(*(list(product(*joint)) for joint in joints)):
                yield " | ".join(" & ".join(joint) for joint in chosen)
        else:
            yield " | ".join(" & ".join(each) for joint in joints for each in product(*joint))

    def _printed(self, syntax: OperandSyntax) -> str:
        return format_operand(Operand(str(syntax.category))) + format_bracket(self._demand(syntax))

    def _demand(self, syntax: OperandSyntax) -> Demand:
        """Return what an operand demands; a query declares no feature."""
        demand = self.declarations.demand(syntax.demands)
        for problem in self.declarations.problems:
            near, _, declares = problem.hint.partition("declare it")
            every = f"the features are {', '.join(self.known.features)}" if self.known.features else "there are none"
            hint = (near.removesuffix(" else ") or every) if declares else problem.hint
            self.problems.append(replace(problem, hint=hint))
        self.declarations.problems.clear()
        return demand


OF_OPERAND: Final = re.compile(r"(?<=\S)\[[^\]]*\]")
"""The features of an operand as a property is printed: without them in a query, they may be any where no property has
its operands bare."""
MAX_COMPARED: Final = 20_000
"""Among so many names a close one is looked for."""


# Alternatives: what stands between `or` at the top of a query, or of what `not` denies


def _alternatives(node: Node, reader: _QueryReader) -> tuple[Alternative, ...]:
    return _split(node, reader, frozenset())


def _split(node: Node, reader: _QueryReader, outer: frozenset[str]) -> tuple[Alternative, ...]:
    """Return the alternatives of a node; `outer` are the constituents that are spoken of around it."""
    rows = _rows(node)
    if len(rows) > MAX_ALTERNATIVES:
        place = Span(PLACE, 1)
        raise data_error(Problem(f"this query has {len(rows)} alternatives", place, hint="ask several queries"))
    return tuple(_alternative(row, reader, outer) for row in rows)


def _rows(node: Node) -> list[list[Node]]:
    """Return a node as alternatives of claims and denials."""
    kind, content = node
    if kind == "or":
        return [row for part in content for row in _rows(part)]
    if kind == "and":
        every = [_rows(part) for part in content]
        size = 1
        for each in every:
            size *= len(each)
        if size > MAX_ALTERNATIVES:
            return [[]] * size
        return [[claim for row in chosen for claim in row] for chosen in product(*every)]
    return [[node]]


def _alternative(row: Iterable[Node], reader: _QueryReader, outer: frozenset[str]) -> Alternative:
    names: dict[str, None] = {}
    claims = list(row)
    for kind, content in claims:
        if kind == "is":
            names |= dict.fromkeys(content[0])
    own = [name for name in names if name not in outer]
    if len(own) > MAX_VARIABLES:
        place = Span(PLACE, 1)
        told = counted(len(own), "constituent")
        raise data_error(Problem(f"this query speaks of {told}", place, hint=f"it may speak of {MAX_VARIABLES}"))
    conditions: list[Condition] = []
    for kind, content in claims:
        if kind == "not":
            conditions.append(Denied(_split(content, reader, outer | names.keys())))
        elif content[1] is not None:
            conditions.append(content[1])
    return Alternative(tuple(reader.declared[name] for name in own), tuple(conditions))


def unnamed_twice(alternatives: Iterable[Alternative]) -> Iterator[str]:
    """Return the operands that an alternative has twice without a name, so that they may be two constituents."""
    operands = set()
    for alternative in alternatives:
        seen: set[Operand] = set()
        for variable in alternative.variables:
            if not variable.is_named and variable.operand in seen and variable.operand not in operands:
                operands.add(variable.operand)
                yield format_operand(variable.operand)
            seen.add(variable.operand)
