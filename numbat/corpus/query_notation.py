"""The query language of stores: turns the text of a query into conditions, by Lark, and reports where mistakes are.

    NP violates Det ~> N
    x: NP[number=pl] has PP and x before VP and not (x has Det)
    violates linearity and cost > 4 and meta.genre = "email"

Operands and properties are written as in grammars. A query becomes a tuple of `Alternative`s, the parts between `or`;
all conditions of one must hold together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, count, islice, product
from pathlib import Path
from typing import Any, Final

from lark import Lark, Token
from lark.exceptions import UnexpectedInput, VisitError

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
from numbat.settings import Range

PLACE: Final = "<query>"
"""The query is called so in messages, which name a file otherwise."""
MAX_ALTERNATIVES: Final = 64
MAX_VARIABLES: Final = 12
"""Maximum number of constituents that an alternative mentions; each is another join in SQL."""
MAX_LENGTH: Final = 20_000
"""Maximum length of a query in characters."""
MEASURED: Final = Range()
"""The range of numbers that a query compares with a cost or a length."""


@frozen
class QueryVariable:
    """A constituent that a query mentions: its name, and the operand that it must match.

    `is_named` if the query gives it a name, as in `x: NP`; otherwise, the name is category and number, as in `NP 1`.
    """

    name: str
    operand: Operand
    is_named: bool


@frozen
class Relates:
    """Condition that one of `RELATIONS` holds between two constituents, given by their names."""

    left: str
    relation: str
    right: str


@frozen
class Characterizes:
    """Condition that the constituent `subject` satisfies or violates one of these properties, given by their ids.

    None for `properties` means any property, None for `subject` any constituent of the sentence.
    """

    subject: str | None
    satisfied: bool
    properties: tuple[int, ...] | None


@frozen
class Says:
    """Condition that words in a row match these patterns, one each, in `subject` or, for None, in the sentence.

    `names` has a name for each word of the sentence, such as `words 1`, so that each occurrence is a match.
    """

    subject: str | None
    patterns: tuple[str, ...]
    names: tuple[str, ...] = ()


@frozen
class Measures:
    """Condition that compares the length of `subject` or, for None, cost or length of the sentence with a number."""

    subject: str | None
    measure: str
    comparison: str
    number: float


@frozen
class Finds:
    """Condition that a pattern matches somewhere in the sentence's text or in its place, according to `column`."""

    column: str
    pattern: str


@frozen
class Knows:
    """Condition that a metadata value of the sentence equals a text, differs from it, or has a match of a pattern."""

    key: str
    how: str
    value: str


@frozen
class Flagged:
    """Condition that the parse is full, or that a limit stopped its search, according to `flag`."""

    flag: str


@frozen
class Denied:
    """Condition that none of these alternatives holds, for any choice of the constituents mentioned only in them."""

    alternatives: tuple[Alternative, ...]


Condition = Relates | Characterizes | Says | Measures | Finds | Knows | Flagged | Denied


@frozen
class Alternative:
    """Constituents, in the order in which the query mentions them, and conditions that must all hold of them."""

    variables: tuple[QueryVariable, ...]
    conditions: tuple[Condition, ...]

    @property
    def shown(self) -> tuple[str, ...]:
        """The constituents that distinguish matches: those that the query names or, without any, all and all words.

        Of the others it only matters that there are some.
        """
        named = tuple(variable.name for variable in self.variables if variable.is_named)
        words = (condition.names for condition in self.conditions if isinstance(condition, Says))
        return named or (*(variable.name for variable in self.variables), *chain.from_iterable(words))


AFTER_OPERANDS: Final = ("has", "within", "begins", "ends", "before", "next to", "spans", "violates", "satisfies")
RELATIONS: Final = ("has", "within", "begins", "ends", "before", "next to", "spans")
"""Relations from one constituent to another. `has`: is its mother; `within`: is below it; `begins`, `ends`: is below it
and has its first or last word; `before`: ends before it begins; `next to`: no word is between them; `spans`: covers all
its words, without having to be above it in the tree."""


@frozen
class KnownNames:
    """The names in a store that a query may use: categories, features with their values, properties.

    `properties` are rows of id, construction, relation and text; `relations` are those that the grammar itself defines;
    `metadata` returns the keys of metadata, which takes a while in a large store.
    """

    categories: Sequence[str]
    features: Mapping[str, Sequence[str]]
    properties: Sequence[tuple[int, str, str, str]]
    relations: Mapping[str, Relation]
    metadata: Callable[[], Sequence[str]]


def read_query(text: str, known: KnownNames) -> tuple[Alternative, ...]:
    """Return the alternatives of a query. Raises DataError with all mistakes and where they are."""
    origin = Span(PLACE, 1, 1)
    if len(text) > MAX_LENGTH:
        long = f"this query has {len(text):,} characters"
        raise data_error(Problem(long, origin, hint=f"at most {MAX_LENGTH:,} are allowed: ask several queries"))
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
    try:
        node = reader.transform(tree)
    except VisitError as error:  # what `known` reads may be damaged
        raise error.orig_exc from None
    reader.check_names()
    if reader.problems:
        raise data_error(*(replace(problem, source_line=_line(text, problem.span)) for problem in reader.problems))
    return _alternatives(node, reader)


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


# From Lark's tree to conditions

Node = tuple[str, Any]
"""Pair of `and`, `or` or `not` and nodes, or of `is` and variables with a condition on them."""


class _QueryReader(StatementReader):
    """Lark transformer for `query.lark`; `problems` collects mistakes other than those of syntax."""

    def __init__(self, origin: Span, known: KnownNames) -> None:
        super().__init__(origin)
        self.known, self.problems = known, list[Problem]()
        self.declared: dict[str, QueryVariable] = {}
        self._uses: list[PlacedText] = []
        self._names: dict[str, int] = {}
        self._words = count(1)
        categories = dict.fromkeys((WILDCARD, *known.categories))
        self.declarations = Declarations(
            {}, features={name: tuple(values) for name, values in known.features.items()}, categories=categories
        )

    def error(self, message: str, span: Span, hint: str = "") -> None:
        self.problems.append(Problem(message, span, hint=hint))

    # logic

    def either(self, children: list[Any]) -> Node:
        parts = [child for child in children if not isinstance(child, Token)]
        return ("or", parts) if len(parts) > 1 else parts[0]

    def both(self, children: list[Any]) -> Node:
        parts = [child for child in children if not isinstance(child, Token)]
        return ("and", parts) if len(parts) > 1 else parts[0]

    def denied(self, children: list[Any]) -> Node:
        return "not", children[-1]

    # constituents

    def subject(self, children: list[Any]) -> PlacedText:
        """Return the name of the constituent that a condition is about, made from its category if it has none."""
        name, operand = children
        place = operand.category.span
        bare = str(operand.category)
        if name is None and not operand.demands and bare not in self.known.categories and bare != WILDCARD:
            self._uses.append(operand.category)
            return PlacedText(bare, place)
        made = QueryVariable("", self._operand(operand), name is not None)
        if name is None:
            number = self._names[bare] = self._names.get(bare, 0) + 1
            given = f"{bare} {number}"
        else:
            given, place = str(name), name.span
            if given in self.declared:
                hint = f"take another name for the second one, or write only {given} for the first one"
                self.error(f'"{given}" names two constituents', place, hint)
            if given in self.known.categories:
                hint = f"take another name, as in x: {format_operand(made.operand)}"
                self.error(f'"{given}" is a category', place, hint)
        self.declared[given] = replace(made, name=given)
        return PlacedText(given, place)

    def _operand(self, syntax: OperandSyntax) -> Operand:
        category = str(syntax.category)
        if category not in self.known.categories and category != WILDCARD:
            near = close_match(category, self.known.categories)
            self.error(f'no constituent of this store is "{category}"', syntax.category.span, near)
        return Operand(category, self._demand(syntax))

    def check_names(self) -> None:
        """Report names that the query uses without saying which constituents they name."""
        for name in self._uses:
            if str(name) not in self.declared:
                near = close_match(str(name), (*self.known.categories, *self.declared))
                hint = near or "name it where it is first mentioned, as in x: NP"
                self.error(f'"{name}" is neither a category of this store nor a constituent', name.span, hint)

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
                "the store has no costs of constituents", measure.span, "ask for its length, or what it violates"
            )
        return "is", ((str(subject),), Measures(str(subject), str(measure), str(comparison), self._number(number)))

    def measures_sentence(self, children: list[Any]) -> Node:
        measure, comparison, number = children
        return "is", ((), Measures(None, str(measure), str(comparison), self._number(number)))

    def _number(self, written: PlacedText) -> float:
        """Return a number that is compared with a measure; one out of its range is a mistake, 0 here."""
        number = float(written)
        if MEASURED.has(number):
            return number
        self.error(f'"{written}" is not {MEASURED}', written.span, "no measure is beyond this range")
        return 0.0

    def finds(self, children: list[Any]) -> Node:
        where, _, pattern = children
        if where == "words":
            patterns = self._patterns(pattern)
            names = tuple(f"words {number}" for number in islice(self._words, len(patterns)))
            return "is", ((), Says(None, patterns, names))
        self._check_pattern(pattern, str(pattern))
        return "is", ((), Finds(str(where), str(pattern)))

    def knows(self, children: list[Any]) -> Node:
        _, key, _, value = children
        return "is", ((), Knows(self._key(key), "=", str(value)))

    def knows_not(self, children: list[Any]) -> Node:
        _, key, value = children
        return "is", ((), Knows(self._key(key), "!=", str(value)))

    def knows_like(self, children: list[Any]) -> Node:
        _, key, _, pattern = children
        self._check_pattern(pattern, str(pattern))
        return "is", ((), Knows(self._key(key), "~", str(pattern)))

    def _key(self, key: PlacedText) -> str:
        keys = self.known.metadata()
        if str(key) not in keys:
            near = close_match(str(key), keys) or (f"the keys are: {', '.join(keys)}" if keys else "there is none")
            self.error(f'no sentence of this store has metadata under "{key}"', key.span, near)
        return str(key)

    def flagged(self, children: list[Any]) -> Node:
        return "is", ((), Flagged(str(children[0])))

    def _patterns(self, text: PlacedText) -> tuple[str, ...]:
        pieces = tuple(str(text).split())
        if not pieces:
            self.error("this has no word", text.span, 'write words or regular expressions: words ~ "in .* to"')
        for piece in pieces:
            self._check_pattern(text, piece)
        return pieces

    def _check_pattern(self, text: PlacedText, pattern: str) -> None:
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            hint = r"to find the character itself write \\ before it"
            self.error(f'"{pattern}" is not a regular expression: {error}', text.span, hint)

    # properties

    def called_so(self, children: list[Any]) -> Callable[[str | None], tuple[int, ...]]:
        """Return a function that finds properties by the name of a relation or construction, or by a text in quotes."""
        (name,) = children
        return lambda category: self._chosen(self._called(str(name)), category, str(name), name.span)

    def _called(self, name: str) -> list[tuple[int, str]]:
        known, relations = self.known.properties, self._relations()
        by_relation = relations[name].name if name in relations else name
        called = [(number, of) for number, of, relation, _ in known if relation in (name, by_relation)]
        called = called or [(number, of) for number, of, _, _ in known if of == name]
        return called or [(number, of) for number, of, _, text in known if name in (text, f"{of}: {text}")]

    def of_construction(self, children: list[Any]) -> Callable[[str | None], tuple[int, ...]]:
        construction, statement = children
        return lambda category: self._matching(statement, str(construction), category)

    def of_any(self, children: list[Any]) -> Callable[[str | None], tuple[int, ...]]:
        (statement,) = children
        return lambda category: self._matching(statement, None, category)

    def _matching(
        self, statement: PropertyStatement, construction: str | None, category: str | None
    ) -> tuple[int, ...]:
        problems_before = len(self.problems)
        texts = set(self._texts(statement))
        if len(self.problems) > problems_before:
            return ()
        whole = bool(statement.shared)

        def means(text: str) -> bool:
            return text in texts or (not whole and text.rpartition(" [")[0] in texts and text.endswith("]"))

        candidates = [
            (number, of, text)
            for number, of, _, text in self.known.properties
            if construction in (None, of) and category in (None, WILDCARD, of)
        ]
        matching = [(number, of) for number, of, text in candidates if means(text)]
        matching = matching or [(number, of) for number, of, text in candidates if means(OF_OPERAND.sub("", text))]
        name = next(iter(sorted(texts)), "")
        return self._chosen(matching, category, f"{construction}: {name}" if construction else name, statement.span)

    def _chosen(self, pairs: list[tuple[int, str]], category: str | None, name: str, span: Span) -> tuple[int, ...]:
        """Return the ids of those properties that a constituent of a category may have; report a name that has none."""
        fitting = [number for number, of in pairs if category in (None, WILDCARD, of)]
        if not fitting:
            within = "" if category in (None, WILDCARD) else f" of {category}"
            texts = [text for _, of, _, text in self.known.properties if category in (None, WILDCARD, of)]
            named = [f"{of}: {text}" for _, of, _, text in self.known.properties]
            near = close_match(name, (*texts, *self._relations(), *named)) if len(texts) < MAX_COMPARED else ""
            hint = near or "numbat show lists the properties of a grammar, numbat statistics those of a store"
            self.error(f'no property{within} is "{name}"', span, hint)
        return tuple(fitting)

    def _relations(self) -> dict[str, Relation]:
        relations: dict[str, Relation] = {}
        for relation in self.known.relations.values():
            relations |= dict.fromkeys(filter(None, (relation.name, relation.symbol, *relation.aliases)), relation)
        return relations

    def _texts(self, statement: PropertyStatement) -> Iterator[str]:
        """Yield the texts, as printed, of all properties that a statement in a query may mean."""
        relation = self._relations().get(str(statement.relation))
        statement = self._with_shared(statement, relation)
        sides = []
        for at, parameter in enumerate(statement.parameters):
            name = relation.parameters[at] if relation and at < len(relation.parameters) else ""
            is_each = relation is None or name in relation.matched or (not relation.matched and len(parameter) == 0)
            sides.append(list(self._sides(parameter, is_each)))
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
        """Return the statement with its last bracket read as features that agree, if it only has names of features."""
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
        """Yield the texts, as printed, that one side may have: braces mean each member in turn, or any of them."""
        joints = [[[self._printed(operand) for operand in group.operands] for group in joint] for joint in parameter]
        if is_each:
            for chosen in product(*(list(product(*joint)) for joint in joints)):
                yield " | ".join(" & ".join(joint) for joint in chosen)
        else:
            yield " | ".join(" & ".join(operands) for joint in joints for operands in product(*joint))

    def _printed(self, syntax: OperandSyntax) -> str:
        return format_operand(Operand(str(syntax.category))) + format_bracket(self._demand(syntax))

    def _demand(self, syntax: OperandSyntax) -> Demand:
        """Return the features that an operand demands; hints list those of the store, as a query cannot declare any."""
        demand = self.declarations.demand(syntax.demands)
        for problem in self.declarations.problems:
            near, _, declares = problem.hint.partition("declare it")
            every = f"the features are {', '.join(self.known.features)}" if self.known.features else "there are none"
            hint = (near.removesuffix(" else ") or every) if declares else problem.hint
            self.problems.append(replace(problem, hint=hint))
        self.declarations.problems.clear()
        return demand


OF_OPERAND: Final = re.compile(r"(?<=\S)\[[^\]]*\]")
"""Pattern for features of an operand in a printed property; a query may omit them unless a property has none there."""
MAX_COMPARED: Final = 20_000
"""Maximum number of names that are searched for one to suggest."""


# Alternatives: the parts between `or` at the top of a query, or below `not`


def _alternatives(node: Node, reader: _QueryReader) -> tuple[Alternative, ...]:
    return _split(node, reader, frozenset())


def _split(node: Node, reader: _QueryReader, outer: frozenset[str]) -> tuple[Alternative, ...]:
    """Return the alternatives of a node; `outer` has the names that the query mentions outside this node."""
    rows = _rows(node)
    if len(rows) > MAX_ALTERNATIVES:
        place = Span(PLACE, 1)
        many = f"this query has {len(rows)} alternatives"
        raise data_error(Problem(many, place, hint=f"at most {MAX_ALTERNATIVES} are allowed: ask several queries"))
    return tuple(_alternative(row, reader, outer) for row in rows)


def _rows(node: Node) -> list[list[Node]]:
    """Return a node in disjunctive normal form: a list of alternatives, each a list of `is` and `not` nodes."""
    kind, content = node
    if kind == "or":
        return [row for part in content for row in _rows(part)]
    if kind == "and":
        every = [_rows(part) for part in content]
        size = 1
        for part in every:
            size *= len(part)
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
    new = [name for name in names if name not in outer]
    if len(new) > MAX_VARIABLES:
        place = Span(PLACE, 1)
        number = counted(len(new), "constituent")
        raise data_error(Problem(f"this query mentions {number}", place, hint=f"at most {MAX_VARIABLES} are allowed"))
    conditions: list[Condition] = []
    for kind, content in claims:
        if kind == "not":
            conditions.append(Denied(_split(content, reader, outer | names.keys())))
        elif content[1] is not None:
            conditions.append(content[1])
    return Alternative(tuple(reader.declared[name] for name in new), tuple(conditions))


def unnamed_twice(alternatives: Iterable[Alternative]) -> Iterator[str]:
    """Yield operands that occur twice in an alternative without a name, so that each may match another constituent."""
    operands = set()
    for alternative in alternatives:
        seen: set[Operand] = set()
        for variable in alternative.variables:
            if not variable.is_named and variable.operand in seen and variable.operand not in operands:
                operands.add(variable.operand)
                yield format_operand(variable.operand)
            seen.add(variable.operand)
