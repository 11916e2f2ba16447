"""From statements to a `Grammar`: names are resolved, braces distributed, strengths put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal, InvalidOperation
from itertools import product
from typing import Any, Final, TypeVar, get_args, get_type_hints

from numbat.grammar import written as w
from numbat.grammar.features import Demand
from numbat.grammar.model import (
    LARGEST,
    UNIT,
    WILDCARD,
    Construction,
    Entry,
    FeatureRule,
    Grammar,
    GuessRule,
    Operand,
    Parameter,
    Property,
    Reading,
    Semantics,
    Strength,
    TokenRule,
)
from numbat.grammar.relations import (
    Agree,
    And,
    Clause,
    Expression,
    HasValue,
    Not,
    Or,
    Relation,
    SameValue,
    asked_of_all,
    asked_of_one,
    built_in,
    walk,
)
from numbat.source import Problem, Span, close_match

T = TypeVar("T")

NUMBERS: Final = ("fragment_cost", "node_cost", "unary_limit")
LISTS: Final = ("leaves", "roots", "authors", "include", "lexicon_file")


@dataclass
class _Scope:
    """The names that are declared, and the problems found so far."""

    root: str
    problems: list[Problem] = field(default_factory=list)
    features: dict[str, tuple[str, ...]] = field(default_factory=dict)
    categories: dict[str, None] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)

    def error(self, message: str, span: Span, hint: str = "", expected: str = "") -> None:
        self.problems.append(Problem(message, span, hint=hint, expected=expected))

    def relation(self, word: w.Word) -> Relation | None:
        relation = self.relations.get(word)
        if relation is None:
            self.error(f'"{word}" is not a relation', word.span, _or_listed(word, self.relations, "relations"))
        return relation

    def category(self, word: w.Word) -> str:
        if word not in self.categories:
            near = close_match(word, list(self.categories))
            declare = f'declare it with "leaves: {word}" or give it a form with "{word}:"'
            self.error(f'"{word}" is not a construction or a leaf', word.span, near or declare)
        return str(word)

    def feature(self, word: w.Word) -> str:
        if word not in self.features:
            near = close_match(word, list(self.features))
            declare = f'declare it under "features:", as in "{word}: value, value"'
            self.error(f'"{word}" is not a feature', word.span, near or declare)
        return str(word)

    def value(self, feature: str, word: w.Word) -> str:
        values = self.features.get(feature, ())
        if feature in self.features and word not in values:
            hint = _or_listed(word, values, f"values of {feature}")
            self.error(f'"{word}" is not a value of {feature}', word.span, hint)
        return str(word)

    def demand(self, demands: Sequence[w.WrittenDemand]) -> Demand:
        found: dict[str, tuple[str, ...]] = {}
        for demand in demands:
            if demand.feature is None:
                (word,) = demand.values
                feature = self._feature_of(word)
                values: tuple[str, ...] = (str(word),)
            else:
                word = demand.feature
                feature = self.feature(word)
                values = tuple(dict.fromkeys(self.value(feature, value) for value in demand.values))
            if feature in found:
                self.error(f'feature "{feature}" stands twice', word.span, "alternatives are written number=sg|pl")
            if feature:
                found[feature] = values
        return tuple(sorted(found.items()))

    def _feature_of(self, word: w.Word) -> str:
        """The feature of a bare value: `N[common]`."""
        having = [feature for feature, values in self.features.items() if word in values]
        if len(having) == 1:
            return having[0]
        if having:
            choices = " or ".join(f"{feature}={word}" for feature in having)
            self.error(f'"{word}" is a value of several features', word.span, f"write {choices}")
        elif word in self.features:
            values = "|".join(self.features[word])
            self.error(f'feature "{word}" stands without a value', word.span, f"write {word}={values}")
        else:
            every = [value for values in self.features.values() for value in values]
            self.error(f'"{word}" is not a value of any feature', word.span, close_match(word, every))
        return ""

    def operand(self, written: w.WrittenOperand) -> Operand:
        return Operand(self.category(written.category), self.demand(written.demands))

    def operands(self, written: Iterable[w.WrittenOperand]) -> tuple[Operand, ...]:
        return tuple(self.operand(operand) for operand in written)

    def units(self, word: w.Word | None, smallest: int = -LARGEST) -> int | None:
        """A number in fixed-point units; None for none or a wrong one."""
        if word is None:
            return None
        try:
            number = Decimal(word)
            if not number.is_finite() or not smallest <= number <= LARGEST:
                raise InvalidOperation
        except InvalidOperation:
            self.error(f'"{word}" is not a number between {smallest} and {LARGEST}', word.span)
            return None
        return int((number * UNIT).to_integral_value())

    def strength(self, written: w.WrittenStrength) -> Strength:
        return Strength(self.units(written.weight), self.units(written.cost, smallest=0), written.hard)

    def reading(self, written: w.WrittenReading) -> Reading:
        operand = self.operand(written.operand)
        weight = self.units(written.weight, smallest=0)
        if weight is not None and weight <= 0 and written.weight is not None:
            self.error(f'the weight of a reading must be above 0, found "{written.weight}"', written.weight.span)
        return Reading(operand.category, operand.features, weight / UNIT if weight else 1.0)


def _or_listed(word: str, choices: Iterable[str], what: str) -> str:
    choices = list(choices)
    return close_match(word, choices) or f"the {what} are: {', '.join(choices)}"


def build(statements: Sequence[w.Statement], root: str) -> tuple[Grammar, list[Problem]]:
    """The grammar that the statements of the file `root` and of what it includes describe, and all their mistakes."""
    scope = _Scope(root)
    _declare(scope, statements)
    settings = _settings(scope, statements)
    semantics = _semantics(scope, statements)
    own = _own_relations(scope, statements)
    for relation in (*built_in(semantics.switches), *own):
        for name in (relation.name, relation.symbol, *relation.aliases):
            if name:
                scope.relations[name] = relation
    strengths = _strengths(scope, [s for s in statements if isinstance(s, w.All) and s.everywhere])
    grammar = Grammar(
        name=_text(settings, "grammar"),
        language=_text(settings, "language"),
        version=_text(settings, "version"),
        source=_text(settings, "source"),
        authors=tuple(str(value.category) for value in settings.get("authors", ())),
        features=tuple(scope.features.items()),
        leaves=tuple(dict.fromkeys(str(value.category) for value in settings.get("leaves", ()))),
        roots=scope.operands(settings.get("roots", ())),
        semantics=semantics,
        strengths=tuple(strengths.items()),
        relations=tuple(own),
        constructions=_constructions(scope, statements, strengths),
        tokens=tuple(dict.fromkeys(s for s in statements if isinstance(s, TokenRule))),
        lexicon=_lexicon(scope, [s for s in statements if isinstance(s, w.WrittenEntry) and not s.guess]),
        guesses=tuple(
            GuessRule(str(s.form), tuple(map(scope.reading, s.readings)))
            for s in statements
            if isinstance(s, w.WrittenEntry) and s.guess
        ),
    )
    numbers: dict[str, Any] = _numbers(scope, settings)
    return replace(grammar, **numbers), scope.problems


def _declare(scope: _Scope, statements: Sequence[w.Statement]) -> None:
    """Collect the names of features and categories, so that what follows may use them in any order."""
    scope.categories[WILDCARD] = None
    opened: dict[str, w.Word] = {}
    for statement in statements:
        match statement:
            case w.FeatureDeclaration(name, values):
                known = scope.features.get(name)
                if known is not None and known != values:
                    scope.error(f'feature "{name}" is declared twice', name.span, "put all its values in one line")
                doubled = [value for i, value in enumerate(values) if value in values[:i]]
                for value in doubled:
                    scope.error(f'value "{value}" of feature "{name}" stands twice', value.span)
                scope.features.setdefault(str(name), tuple(map(str, values)))
            case w.OpenConstruction(name):
                first = opened.setdefault(name, name)
                if first is not name and first.span.path == name.span.path:
                    message = f'construction "{name}" is defined twice, first in line {first.span.line}'
                    scope.error(message, name.span, "put all its properties in one place")
                scope.categories[str(name)] = None
            case w.Setting(key, values) if key == "leaves":
                for leaf in values:
                    if leaf.demands:
                        scope.error(f'leaf "{leaf.category}" is declared with features', leaf.category.span)
                    scope.categories[str(leaf.category)] = None
    for statement in statements:
        if isinstance(statement, w.Setting) and statement.key == "leaves":
            for leaf in statement.values:
                if leaf.category in opened:
                    scope.error(
                        f'"{leaf.category}" is a leaf and has a form', leaf.category.span, "remove one of the two"
                    )


def _settings(scope: _Scope, statements: Sequence[w.Statement]) -> dict[str, tuple[w.WrittenOperand, ...]]:
    """The settings by key. Lists of included files are joined; for the rest the file that includes decides."""
    said: dict[str, tuple[w.WrittenOperand, ...]] = {}
    places: dict[tuple[str, str], int] = {}
    for statement in statements:
        if not isinstance(statement, w.Setting):
            continue
        key, path = statement.key, statement.key.span.path
        if key in LISTS:
            said[key] = (*said.get(key, ()), *statement.values)
            continue
        if (key, path) in places:
            first = places[key, path]
            scope.error(f'"{key}" is set twice, first in line {first}', key.span, "remove one of the two")
        elif len(statement.values) > 1:
            scope.error(
                f'"{key}" takes one value, found {len(statement.values)}', key.span, 'put a text with commas in "..."'
            )
        elif key not in said or path == scope.root:
            said[key] = statement.values
        places.setdefault((key, path), key.span.line)
    return said


def _text(settings: dict[str, tuple[w.WrittenOperand, ...]], key: str) -> str:
    return str(settings[key][0].category) if settings.get(key) else ""


def _numbers(scope: _Scope, settings: dict[str, tuple[w.WrittenOperand, ...]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for key in NUMBERS:
        for value in settings.get(key, ()):
            units = scope.units(value.category, smallest=0)
            if units is None:
                continue
            if key == "unary_limit" and (units % UNIT or units == 0):
                scope.error(f'"{value.category}" is not a whole number above 0', value.category.span)
            found[key] = units // UNIT if key == "unary_limit" else units
    return found


def _semantics(scope: _Scope, statements: Sequence[w.Statement]) -> Semantics:
    choices = {name: get_args(hint) for name, hint in get_type_hints(Semantics).items()}
    chosen: dict[str, str] = {}
    for statement in statements:
        if not isinstance(statement, w.Switch):
            continue
        name, value = statement.name, statement.value
        if name not in choices:
            scope.error(f'"{name}" is not a switch of the semantics', name.span, _or_listed(name, choices, "switches"))
        elif value not in choices[name]:
            hint = _or_listed(value, choices[name], "choices")
            scope.error(f'"{value}" is not a choice for {name}', value.span, hint)
        elif chosen.setdefault(str(name), str(value)) != value:
            scope.error(f'"{name}" is set twice', name.span, "remove one of the two")
    return Semantics(**chosen)  # type: ignore[arg-type]


def _own_relations(scope: _Scope, statements: Sequence[w.Statement]) -> list[Relation]:
    taken = {name for row in built_in({}) for name in (row.name, row.symbol, *row.aliases)}
    own: list[Relation] = []
    for statement in statements:
        if not isinstance(statement, w.WrittenRelation):
            continue
        if statement.name in taken:
            scope.error(f'there is a relation "{statement.name}" already', statement.name.span, "choose another name")
        taken.add(statement.name)
        own.append(_own_relation(scope, statement))
    return own


def _own_relation(scope: _Scope, written: w.WrittenRelation) -> Relation:
    parameters = tuple(map(str, written.parameters))
    for word in _repeated(written.parameters):
        scope.error(f'parameter "{word}" stands twice', word.span)
    for word in written.each:
        if word not in parameters:
            scope.error(f'"{word}" is not a parameter', word.span, _or_listed(word, parameters, "parameters"))
    for node in walk(written.holds):
        for name in (*asked_of_one(node), *asked_of_all(node)):
            span = name.span if isinstance(name, w.Word) else written.name.span
            if name not in parameters:
                scope.error(f'"{name}" is not a parameter', span, _or_listed(name, parameters, "parameters"))
            elif name in asked_of_one(node) and name not in written.each:
                scope.error(f'"{name}" must be matched by one daughter here', span, f'add it to "for each ..., {name}"')
        _check_values(scope, node)
    return Relation(
        str(written.name),
        parameters,
        (Clause(tuple(map(str, written.each))),),
        _plain(written.holds),
        monotonic=written.monotonic,
        symmetric=written.symmetric,
        shares_features=any(isinstance(node, Agree) for node in walk(written.holds)),
        says=written.says,
        but=written.but,
    )


def _check_values(scope: _Scope, node: Expression) -> None:
    match node:
        case HasValue(_, w.Word() as feature, w.Word() as value):
            scope.value(scope.feature(feature), value)
        case SameValue(_, w.Word() as left, _, w.Word() as right):
            scope.feature(left)
            scope.feature(right)


def _plain(expression: Expression) -> Expression:
    """The expression with plain strings in place of words with places."""
    match expression:
        case Not(operand):
            return Not(_plain(operand))
        case And(operands):
            return And(tuple(map(_plain, operands)))
        case Or(operands):
            return Or(tuple(map(_plain, operands)))
    texts: dict[str, Any] = {
        f.name: str(value) for f in fields(expression) if isinstance(value := getattr(expression, f.name), str)
    }
    return replace(expression, **texts)


def _repeated(words: Sequence[w.Word]) -> list[w.Word]:
    return [word for i, word in enumerate(words) if word in words[:i]]


def _strengths(scope: _Scope, written: Iterable[w.All]) -> dict[str, Strength]:
    found: dict[str, Strength] = {}
    for statement in written:
        relation = scope.relation(statement.relation)
        if relation is None:
            continue
        if relation.name in found:
            scope.error(f'"all {relation.name}" is set twice', statement.relation.span, "put its marks in one line")
        found[relation.name] = scope.strength(statement.strength)
    return found


def _constructions(
    scope: _Scope, statements: Sequence[w.Statement], everywhere: dict[str, Strength]
) -> tuple[Construction, ...]:
    parts: dict[str, list[w.Statement]] = {}
    opened: dict[str, w.OpenConstruction] = {}
    current: list[w.Statement] | None = None
    for statement in statements:
        if isinstance(statement, w.OpenConstruction):
            current = parts.setdefault(str(statement.name), [])
            opened.setdefault(str(statement.name), statement)
        elif current is not None:
            current.append(statement)
    return tuple(_construction(scope, opened[name], members, everywhere) for name, members in parts.items())


def _only(
    scope: _Scope, members: list[w.Statement], kind: type[T], keyword: str, place: Callable[[T], w.Word]
) -> T | None:
    """The one statement of a kind in a construction; a second one is an error."""
    found = [member for member in members if isinstance(member, kind)]
    for second in found[1:]:
        word = place(second)
        scope.error(f'"{keyword}" stands twice in one construction', word.span, "put all of it in one line")
    return found[0] if found else None


def _construction(
    scope: _Scope, opened: w.OpenConstruction, members: list[w.Statement], everywhere: dict[str, Strength]
) -> Construction:
    name = str(opened.name)
    strengths = _strengths(scope, [m for m in members if isinstance(m, w.All) and not m.everywhere])
    head = _only(scope, members, w.Head, "head", lambda member: member.operands[0].category)
    inherit = _only(scope, members, w.Inherit, "inherit", lambda member: member.features[0])
    const = _only(scope, members, w.Const, "const", lambda member: member.operands[0].category)
    inherited: tuple[str, ...] | None = None
    if inherit is not None:
        nothing = inherit.features == ("none",) and "none" not in scope.features
        inherited = () if nothing else tuple(scope.feature(word) for word in inherit.features)
    properties: dict[tuple[object, ...], Property] = {}
    for member in members:
        if isinstance(member, w.WrittenProperty):
            for prop in _properties(scope, name, member, strengths, everywhere):
                key = (prop.relation, prop.operands)
                first = properties.setdefault(key, prop)
                if first is not prop and first.span is not None:
                    there = f"{first.span.short}" if first.span.path != member.span.path else f"line {first.span.line}"
                    scope.error(f"this property stands already in {there}", member.span, "remove one of the two")
    return Construction(
        name,
        title=opened.title,
        head=scope.operands(head.operands) if head else (),
        inherit=inherited,
        feature_rules=tuple(_rule(scope, m) for m in members if isinstance(m, w.WrittenRule)),
        constituency=scope.operands(const.operands) if const else None,
        strengths=tuple(strengths.items()),
        properties=tuple(properties.values()),
        span=opened.name.span,
    )


def _rule(scope: _Scope, written: w.WrittenRule) -> FeatureRule:
    feature = scope.feature(written.feature)
    return FeatureRule(
        feature,
        value=None if written.value is None else scope.value(feature, written.value),
        sources=scope.operands(written.sources),
        condition=scope.operand(written.condition) if written.condition else None,
        absent=written.absent,
    )


def _properties(
    scope: _Scope, construction: str, written: w.WrittenProperty, *strengths: dict[str, Strength]
) -> Iterable[Property]:
    """The properties that one statement stands for, braces distributed (ruling 5)."""
    relation = scope.relation(written.relation)
    if relation is None or not _fits(scope, relation, written):
        return
    parameters = list(written.parameters)
    shared_words = written.shared
    if relation.shares_features and not shared_words:
        parameters[-1], shared_words = _shared_bracket(scope, parameters[-1])
    if shared_words and not relation.shares_features:
        word = shared_words[0].values[0]
        hint = "features to share belong to ~>; demands stand in one bracket: N[number=sg, person=3]"
        scope.error(f'"{relation.name}" shares no features', word.span, hint)
    shared = tuple(_shared(scope, demand) for demand in shared_words)
    stated = scope.strength(written.strength)
    settled = _settled(scope, written, [stated, *(level.get(relation.name, Strength()) for level in strengths)])
    for operands in _distributed(scope, relation, parameters):
        yield Property(construction, relation.name, operands, shared, *settled, stated=stated, span=written.span)


def _fits(scope: _Scope, relation: Relation, written: w.WrittenProperty) -> bool:
    """Whether number and shape of the operands are what the relation takes."""
    wanted, found = len(relation.parameters), len(written.parameters)
    if wanted != found:
        scope.error(f'"{relation.name}" takes {wanted} operands, found {found}', written.relation.span)
        return False
    for name, alternatives in zip(relation.parameters, written.parameters, strict=True):
        place = alternatives[-1][-1].operands[0].category.span
        if len(alternatives) > 1 and name in relation.matched:
            hint = "write two properties, or braces: {A, B}"
            scope.error(f'"{relation.name}" takes no alternatives "|" on this side', place, hint)
            return False
        if any(len(joint) > 1 for joint in alternatives) and name in relation.single:
            scope.error(
                f'"{relation.name}" takes no joint operand "&"', place, "write two properties, or braces: {A, B}"
            )
            return False
    return True


def _shared_bracket(scope: _Scope, alternatives: w.Alternatives) -> tuple[w.Alternatives, tuple[w.WrittenDemand, ...]]:
    """Take `[number, gender]` from behind the last operand where its words are features and no values."""
    group = alternatives[-1][-1]
    demands = group.operands[-1].demands
    if group.braces or not demands or any(d.feature is not None or d.values[0] not in scope.features for d in demands):
        return alternatives, ()
    bare = replace(group, operands=(*group.operands[:-1], w.WrittenOperand(group.operands[-1].category)))
    return (*alternatives[:-1], (*alternatives[-1][:-1], bare)), demands


def _shared(scope: _Scope, demand: w.WrittenDemand) -> str:
    if demand.feature is not None:
        scope.error("features to share stand without values", demand.feature.span, f"write [{demand.feature}]")
        return str(demand.feature)
    return scope.feature(demand.values[0])


def _settled(scope: _Scope, written: w.WrittenProperty, levels: list[Strength]) -> tuple[int, int, bool]:
    """Weight, cost and hard mark: the nearest level that says something; the cost is the weight where none does."""
    weight = next((level.weight for level in levels if level.weight is not None), UNIT)
    cost = next((level.cost for level in levels if level.cost is not None), weight)
    if cost < 0:
        place = (written.strength.weight or written.relation).span
        scope.error(
            "a cost must not be negative", place, 'a negative weight needs a cost of its own: "weight -1 cost 1"'
        )
    return weight, cost, any(level.hard for level in levels)


def _distributed(
    scope: _Scope, relation: Relation, parameters: Sequence[w.Alternatives]
) -> Iterable[tuple[Parameter, ...]]:
    """One tuple of parameters for each choice from the braces; where nothing is matched, braces mean any of them."""
    sides: list[list[Parameter]] = []
    for alternatives in parameters:
        expanded = [list(product(*(scope.operands(g.operands) for g in joint))) for joint in alternatives]
        if relation.matched:
            sides.append(list(product(*expanded)))
        else:
            sides.append([tuple(joint for choices in expanded for joint in choices)])
    return product(*sides)


def _lexicon(scope: _Scope, written: Sequence[w.WrittenEntry]) -> tuple[Entry, ...]:
    readings: dict[str, list[Reading]] = {}
    for entry in written:
        form = " ".join(entry.form.split())
        if not form:
            scope.error("an entry without a form", entry.form.span)
        kept = readings.setdefault(form, [])
        for reading in map(scope.reading, entry.readings):
            if any((reading.category, reading.features) == (other.category, other.features) for other in kept):
                scope.error(f'this reading of "{form}" stands twice', entry.form.span, "remove one of the two")
            kept.append(reading)
    return tuple(Entry(form, tuple(found)) for form, found in readings.items())
