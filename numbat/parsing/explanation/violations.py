"""Explain what is wrong with a parse: one plain sentence for each violated property instance.

The wording comes from the definitions of relations (`says` and `but`), so user-defined relations read like built-in
ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final
from unicodedata import bidirectional, category

from numbat.errors import columns, columns_of, counted, shortened, visible
from numbat.evaluation.constituents import Constituent, stretches
from numbat.evaluation.matching import DaughterRow, plan_of
from numbat.grammar.expressions import (
    Adjacent,
    Agree,
    Always,
    And,
    Count,
    Distance,
    Expression,
    HasValue,
    Last,
    Not,
    Or,
    Place,
    Precedes,
    Present,
    SameValue,
    walk,
)
from numbat.grammar.model import Construction, Grammar, relations_of
from numbat.grammar.properties import (
    Operand,
    Parameter,
    Property,
    format_bundle,
    format_named,
    format_number,
    format_parameter,
    format_property,
    value_of,
)
from numbat.grammar.relations import Relation
from numbat.parsing.analysis import Analysis, Evaluated
from numbat.words.lattice import Lattice

PLACEHOLDER: Final = re.compile(r"\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}")
"""Placeholder in a template: a name, or a name with two forms of a word, one for a single daughter, one for several."""


def explain_violation(analysis: Analysis) -> tuple[str, ...]:
    """Return one sentence per violated property instance, in the order of `violated`.

    A partial parse has one more sentence in front, unless the grammar has no roots: then no parse is full.
    """
    fragments = () if analysis.grammar.is_shallow else _explain_fragments(analysis)
    return (*fragments, *explain_violations(analysis.grammar, analysis.violated))


def explain_prices(analysis: Analysis) -> tuple[str, ...]:
    """Return one line for each price that the parse has, `rare: bare relative 0.6 ("he saw")` (ruling 48)."""
    lines = []
    for priced in analysis.priced:
        price = priced.property
        register = f" ({price.register})" if price.register else ""
        named = visible(price.title) or format_property(price)
        words = quoted(priced.elements or (priced.constituent,))
        lines.append(f"rare{register}: {named} {decimal(price.cost_units)} ({words})")
    return tuple(lines)


MOST_TOLD: Final = 3
"""Maximum number of other diagnoses that a text tells."""


def explain_diagnoses(analysis: Analysis) -> tuple[str, ...]:
    """Return one line for each other diagnosis, `or: ...`, with its cost if that is not the cost of the parse.

    Of a parse that violates nothing it is `or well-formed at 2.3: rare: bare relative 0.6 ("he saw")`.
    """
    lines = []
    for other in analysis.outcome.diagnoses[:MOST_TOLD]:
        if not other.reasons:
            lines.append(
                ": ".join((f"or well-formed at {decimal(other.cost)}", *filter(None, ["; ".join(other.rare)])))
            )
            continue
        cost = "" if other.cost == analysis.cost_units else f" (cost {decimal(other.cost)})"
        lines.append(f"or: {'; '.join(other.reasons)}{cost}")
    if (more := len(analysis.outcome.diagnoses) - MOST_TOLD) > 0:
        lines.append(f"or {counted(more, 'other diagnosis', 'other diagnoses')}")
    return tuple(lines)


def explain_violations(grammar: Grammar, violated: Iterable[Evaluated]) -> tuple[str, ...]:
    """Return one sentence per violated property instance; sentences that would be equal show token positions."""
    relations = relations_of(grammar)
    strict = grammar.semantics.missing == "clashes"
    constructions = {construction.name: construction for construction in grammar.constructions}

    def sentence(evaluated: Evaluated, placed: bool = False) -> str:
        relation = relations[evaluated.property.relation]
        if evaluated.property.title:
            return _glossed(evaluated, relation, constructions, placed)
        return _explain_violation(evaluated, relation, strict, placed)

    both = [(evaluated, sentence(evaluated)) for evaluated in violated]
    counts = Counter(text for _, text in both)
    return tuple([sentence(evaluated, placed=True) if counts[text] > 1 else text for evaluated, text in both])


def _glossed(violated: Evaluated, relation: Relation, constructions: Mapping[str, Construction], placed: bool) -> str:
    """Return the gloss of a violated property with the words that it is about, then the property in the notation.

    `{b}` in a gloss stands for the words of the first operand, `{c}` for those of the second; without them, the words
    follow. Of phrases that must agree, and of long ones, only the words that bear the features are named.
    """
    prop, constituent = violated.property, violated.constituent
    elements = tuple(
        bearer(one, constructions) if prop.features or one.cover.bit_count() > LONG else one
        for one in violated.elements
    )
    bearers = dict(zip(map(id, violated.elements), elements, strict=True))
    matched = _matched(violated, relation)
    words = {name.lower(): _listed([bearers[id(one)] for one in ones], placed) for name, ones in matched.items()}
    plural = frozenset(name.lower() for name, ones in matched.items() if len(ones) > 1)
    text = _filled(prop.title, words, plural)
    if text == prop.title:
        text += f": {_listed(elements or (constituent,), placed)}"
    place = f", {prop.place}" if prop.place else ""
    return visible(f"{text}  [{format_named(prop)}{place}]")


LONG: Final = 3
"""Maximum number of words of a phrase that a gloss names whole."""


def bearer(constituent: Constituent, constructions: Mapping[str, Construction]) -> Constituent:
    """Return the word from which a phrase has its features: the head of its head, and so on."""
    return [*spine(constituent, constructions)][-1]


def spine(constituent: Constituent, constructions: Mapping[str, Construction]) -> Iterator[Constituent]:
    """Yield a phrase, its head, the head of its head, and so on down to a word."""
    yield constituent
    while constituent.daughters:
        construction = constructions.get(constituent.construction)
        choices = (
            daughter
            for operand in (construction.heads if construction else ())
            for daughter in constituent.daughters
            if operand.matches(daughter.construction, daughter.features)
        )
        constituent = next(choices, constituent.daughters[0])
        yield constituent


def _explain_fragments(analysis: Analysis) -> list[str]:
    tops = analysis.constituents
    if len(tops) > 1:
        stopped = "the limit was met before a phrase over the whole sentence was found"
        missing = "no construction spans the whole sentence"
        if analysis.stopped_by or analysis.may_be_beaten:
            missing = stopped if analysis.stopped_by else "no round elected a phrase that spans the whole sentence"
        why = f"; {visible(analysis.outcome.why_partial)}" if analysis.outcome.why_partial else ""
        return [f"{missing}: {len(tops)} fragments{why}"]
    reasons = []
    for top in tops:
        if not analysis.grammar.is_root(top.construction, top.features):
            reasons.append(f"{top.construction} stands alone, but is not a root")
        if left := [visible(form) for at, form in enumerate(analysis.lattice.tokens) if not top.cover >> at & 1]:
            reasons.append(f"{top.construction} stands alone, but leaves out: {listed_words(left)}")
    return reasons


def _explain_violation(violated: Evaluated, relation: Relation, strict: bool, placed: bool = False) -> str:
    """Return the sentence about a violation; if `strict`, a feature that only one side has is a clash.

    `placed` adds the positions of the words and the features of all operands, which distinguish similar violations.
    """
    prop, constituent = violated.property, violated.constituent
    matched = _matched(violated, relation)
    if relation.says:
        parts = _placeholders(violated, relation, matched, strict, placed)
        plural = frozenset(name.lower() for name, daughters in matched.items() if len(daughters) > 1)
        text = _filled(relation.says, parts, plural)
        if relation.but:
            text += f", but {_near_misses(violated, relation, placed) or _filled(relation.but, parts, plural)}"
        elif violated.elements:
            text += f", which does not hold for {_listed(violated.elements, placed)}"
    else:
        names = dict(zip(relation.parameters, map(_worded, prop.operands), strict=True))
        shown = format_property(prop) if relation.is_anonymous else relation.name
        text = f"{shown} requires that {condition_in_words(relation.holds, names, prop.features)}, which does not hold"
        text += f" for {_listed(violated.elements, placed)}" if violated.elements else ""
    place = f", {prop.place}" if prop.place else ""
    where = f"{constituent.construction} {quoted([constituent])} ({span_of(constituent)})"
    return visible(f"{where}: {text}  [{prop.type}{place}]")


def _placeholders(
    violated: Evaluated, relation: Relation, matched: Mapping[str, Sequence[Constituent]], strict: bool, placed: bool
) -> dict[str, str]:
    """Return the values for placeholders in a template; `counts` is about the first parameter that is counted."""
    prop = violated.property
    parts = {"features": enumerated(prop.features)}
    if relation.violated_by:
        parts["between"] = _listed(violated.elements[-1:], placed)
    counted_parameter = next((node.parameter for node in walk(relation.holds) if isinstance(node, Count)), None)
    for name, parameter in reversed(list(zip(relation.parameters, prop.operands, strict=True))):
        operands = [daughter for daughter in violated.constituent.daughters if _is_operand(daughter, parameter)]
        daughters = matched.get(name) or operands
        if counted_parameter in (name, None):
            parts["counts"] = in_words(_count(violated, relation, name))
        parts[name.lower()] = _listed(daughters, placed) if daughters else "nothing"
        values = [_values(one, prop, violated.elements, strict) for one in daughters]
        parts[f"{name.lower()}_values"] = enumerated(values)
    named = prop.operands if placed or not _distinct_by_category(prop, relation) else _without_demands(prop.operands)
    parts |= {name: _worded(p) for name, p in zip(relation.parameters, named, strict=True)}
    return parts


def _distinct_by_category(prop: Property, relation: Relation) -> bool:
    """True if all operands that a property compares have different categories, so their features need not be named."""
    categories = [operand.category for operand in prop.all_operands()]
    return relation.compares and len(categories) == len(set(categories)) > 1


def _without_demands(operands: Iterable[Parameter]) -> list[Parameter]:
    return [tuple(tuple(replace(one, features=()) for one in joint) for joint in parameter) for parameter in operands]


def _near_misses(violated: Evaluated, relation: Relation, placed: bool) -> str:
    """Describe daughters that have the required category but other features; empty if there are none.

    Example: `"bought" is VP[form=ed]`, if VP[form=base] is required.
    """
    if not relation.lacking:
        return ""
    parameter = violated.property.operands[relation.parameters.index(relation.lacking)]
    required = [operand for joint in parameter for operand in joint if operand.features]
    misses: list[str] = []
    asking = violated.elements if len(violated.elements) == 1 else ()
    for daughter in violated.constituent.daughters:
        alike = [operand for operand in required if operand.category == daughter.construction]
        if alike and not _is_operand(daughter, (tuple(alike),)) and all(daughter is not one for one in asking):
            misses.append(f"{_listed([daughter], placed)} is {_lacking(daughter, alike)}")
    return enumerated(misses)


def _lacking(daughter: Constituent, operands: Sequence[Operand]) -> str:
    """Describe a daughter by the features that keep it from matching any operand: `VP[form=ed]`, `N without number`."""
    demanded = [pair for operand in operands for pair in operand.features]
    names = dict.fromkeys(name for name, values in demanded if value_of(daughter.features, name) not in values)
    has = tuple((name, value) for name, value in daughter.features if name in names)
    return daughter.construction + (format_bundle(has) or f" without {enumerated(list(names))}")


def _matched(violated: Evaluated, relation: Relation) -> dict[str, tuple[Constituent, ...]]:
    """Match the elements, in order, against each clause and its alternatives; the first match assigns parameters."""
    operands = dict(zip(relation.parameters, violated.property.operands, strict=True))
    for clause in relation.clauses:
        for joints in product(*(operands[name] for name in clause.matched)):
            wanted = [operand for joint in joints for operand in joint]
            elements = violated.elements[: len(wanted)] if relation.violated_by else violated.elements
            if len(wanted) == len(elements) and all(
                operand.matches(element.construction, element.features)
                for operand, element in zip(wanted, elements, strict=True)
            ):
                rest = iter(elements)
                return {
                    name: tuple(next(rest) for _ in joint) for name, joint in zip(clause.matched, joints, strict=True)
                }
    return {}


def _count(violated: Evaluated, relation: Relation, name: str) -> int:
    """Return how many daughters match a parameter or, for joint operands, how many sets of daughters do."""
    bits = {operand: 1 << i for i, operand in enumerate(dict.fromkeys(violated.property.all_operands()))}
    daughters = violated.constituent.daughters
    masks = [
        sum(bit for operand, bit in bits.items() if _is_operand(constituent, ((operand,),)))
        for constituent in daughters
    ]
    return DaughterRow(daughters, masks, plan_of(violated.property, relation, bits.__getitem__)).count(name)


def _is_operand(constituent: Constituent, parameter: Parameter) -> bool:
    """True if a daughter matches any operand of a parameter."""
    operands = (operand for joint in parameter for operand in joint)
    return any(operand.matches(constituent.construction, constituent.features) for operand in operands)


def _values(constituent: Constituent, prop: Property, elements: Sequence[Constituent], strict: bool) -> str:
    """Return the elements' values of the agreement features in which they differ, or of all if they differ in none.

    If `strict`, a feature that only some of the elements have is a difference, too.
    """
    by_name = {name: {value_of(element.features, name) for element in elements} for name in prop.features}
    differing = [name for name, values in by_name.items() if len(values if strict else values - {None}) > 1]
    values = ((name, value_of(constituent.features, name)) for name in differing or prop.features)
    return ", ".join(f"no {name}" if value is None else f"{name}={value}" for name, value in values)


def _filled(template: str, parts: Mapping[str, str], plural: Container[str]) -> str:
    """Return the template with its placeholders replaced; an unknown one stays as it is."""

    def chosen(match: re.Match[str]) -> str:
        if match[2] is None or match[1] not in parts:
            return parts.get(match[1], match[0])
        return match[3] if match[1] in plural else match[2]

    return PLACEHOLDER.sub(chosen, template)


def _worded(parameter: Parameter) -> str:
    """Describe a parameter in words: `N, PN or Pro`, `Det with Adj`."""
    return enumerated(
        [" with ".join(format_parameter(((operand,),)) for operand in joint) for joint in parameter], "or"
    )


def _listed(constituents: Iterable[Constituent], placed: bool) -> str:
    return enumerated([quoted([c]) + (f" ({span_of(c)})" if placed else "") for c in constituents])


# Conditions of relations in words, for user-defined relations that have no message.

COMPARED: Final = {
    "=": "exactly {}", "!=": "not {}", "<": "fewer than {}", "<=": "at most {}", ">": "more than {}",
    ">=": "at least {}",
}  # fmt: skip
PLACES: Final = {
    "=": "at place {}", "!=": "elsewhere than at place {}", "<": "before place {}", "<=": "at place {} or before it",
    ">": "after place {}", ">=": "at place {} or after it",
}  # fmt: skip


NEGATIVE: Final = {
    " stands ": " does not stand ",
    " comes ": " does not come ",
    " agrees ": " does not agree ",
    " is no ": " is a ",
    " are ": " are not ",
    " is ": " is not ",
}
"""Verbs of clauses about daughters, each with its negation."""
NEGATED: Final = re.compile("|".join(NEGATIVE))


def condition_in_words(expression: Expression, names: Mapping[str, str], features: Sequence[str]) -> str:
    """Return a condition as an English clause; `names` replace its parameters, `features` are those of agree()."""

    def clause(inner: Expression) -> str:
        text = condition_in_words(inner, names, features)
        return f"({text})" if isinstance(inner, And | Or) else text

    match expression:
        case Always(truth):
            return "anything is there" if truth else "nothing of the kind is there"
        case Precedes(left, right):
            return f"{names[left]} stands before {names[right]}"
        case Adjacent(left, right):
            return f"{names[left]} and {names[right]} are neighbours"
        case Place(parameter, "=", 1):
            return f"{names[parameter]} comes first"
        case Place(parameter, comparison, number):
            return f"{names[parameter]} stands {PLACES[comparison].format(number)}"
        case Last(parameter):
            return f"{names[parameter]} comes last"
        case Distance(left, right, comparison, number):
            places = f"{COMPARED[comparison].format(in_words(number))} {'place' if number == 1 else 'places'}"
            return f"{names[left]} is {places} from {names[right]}"
        case Count(parameter, comparison, number):
            if number == 0 and comparison in ("=", "<="):
                return f"there is no {names[parameter]}"
            are = "is" if number == 1 else "are"
            return f"there {are} {COMPARED[comparison].format(in_words(number))} {names[parameter]}"
        case Present(parameter):
            return f"{names[parameter]} is present"
        case Agree(left, right):
            return f"{names[left]} agrees with {names[right]} in {enumerated(features) or 'nothing'}"
        case SameValue(left, left_feature, right, right_feature):
            return f"{left_feature} of {names[left]} is {right_feature} of {names[right]}"
        case HasValue(parameter, feature, value):
            return f"{feature} of {names[parameter]} is {value}"
        case Not(Not(operand)):
            return clause(operand)
        case Not(And() | Or() | Always() as operand):
            return f"it is not the case that {clause(operand)}"
        case Not(operand):
            return NEGATED.sub(lambda verb: NEGATIVE[verb[0]], condition_in_words(operand, names, features), count=1)
        case And(operands):
            return enumerated(list(map(clause, operands)))
        case Or(operands):
            excused = [operand.operand for operand in operands if isinstance(operand, Not)]
            required = [operand for operand in operands if not isinstance(operand, Not)]
            if excused and required:  # `not A or B` reads as `if A, B`
                return f"if {enumerated(list(map(clause, excused)))}, {enumerated(list(map(clause, required)), 'or')}"
            return enumerated(list(map(clause, operands)), "or")


# Words, numbers and positions of a sentence in messages, drawings and tables.

NUMBERS: Final = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
LEFT_TO_RIGHT_MARK: Final = "\u200e"
"""Character after quoted words in right-to-left scripts: it keeps the digits that follow at their place."""
MAX_QUOTE: Final = 8
"""Maximum number of words that are all quoted; of more words, the first four and the last two are quoted."""


def as_typed(constituent: Constituent, lattice: Lattice) -> str:
    """Return the words of a constituent as typed; dots replace words between them that are not part of it."""
    return " … ".join(lattice.typed(start, end) for start, end in stretches(constituent.cover))


def on_one_line(text: str) -> str:
    """Make a text visible and replace each run of whitespace by one blank."""
    return visible(" ".join(text.split()))


def quoted(constituents: Iterable[Constituent]) -> str:
    """Quote the words of constituents in the order of the sentence; dots replace words left out."""
    words = sorted((word for constituent in constituents for word in constituent.words()), key=lambda word: word.start)
    shown = words if len(words) <= MAX_QUOTE else [*words[:4], *words[-2:]]
    parts: list[str] = []
    for i, word in enumerate(shown):
        if i and shown[i - 1].end < word.start:
            parts.append("…")
        parts.append(visible(word.form))
    text = " ".join(parts)
    mark = LEFT_TO_RIGHT_MARK if any(bidirectional(char) in ("R", "AL") for char in text) else ""
    return f'"{text}"{mark}'


def listed_words(words: Sequence[str]) -> str:
    """Join the first words of a list, shortening long ones."""
    return ", ".join(map(shortened, words[:MAX_QUOTE])) + (", …" if len(words) > MAX_QUOTE else "")


def span_of(constituent: Constituent) -> str:
    """Return the token positions of a constituent, ends exclusive: `0-2`, or `0-1, 3-5` if it has a hole."""
    return ", ".join(f"{start}-{end}" for start, end in stretches(constituent.cover))


def decimal(units: int) -> str:
    """Format fixed-point units with at most three decimals, or more if these would all be zeros."""
    return format_number(round(units, -3) or units)


def in_words(count: int) -> str:
    """Return a number up to ten as a word, a larger one in digits."""
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def enumerated(texts: Sequence[str], last: str = "and") -> str:
    """Join items as `a`, `a and b`, `a, b and c`."""
    return f" {last} ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


# Labels of constituents, and the widths of texts: columns in a terminal, estimates in a drawing.

MARK: Final = "✗"
"""Mark for a constituent with violated properties, followed by their number if there are several."""
NARROW: Final = frozenset("iljtfrI.,:;'’|!()[] ·")
BROAD: Final = frozenset("mwMW@%&…—✗")


def label(constituent: Constituent) -> str:
    """Return the name of the construction, marked if properties are violated: `NP`, `NP ✗`, `NP ✗2`."""
    number = len(constituent.characterization.violated)
    mark = f" {MARK}{number if number > 1 else ''}" if number else ""
    return visible(constituent.construction) + mark


def shown_features(grammar: Grammar, all_features: bool = False) -> frozenset[str] | None:
    """Return the names of the features that trees show, the grammar's `tree_features`; None: all."""
    return frozenset(grammar.tree_features) if grammar.tree_features and not all_features else None


def bundle(constituent: Constituent, shown: frozenset[str] | None) -> str:
    """Return the features of a constituent that are to be shown, as in `[case=nom]`, or an empty text."""
    return visible(format_bundle(tuple([p for p in constituent.features if shown is None or p[0] in shown])))


def shortened_to(text: str, room: int) -> str:
    """Cut a text to fit into `room` columns, with `…` at the end if it is cut."""
    if columns(text) <= room:
        return text
    used = 0
    for i, char in enumerate(text):
        used += columns_of(char)
        if used > room - 1:
            return text[:i] + "…"
    return text


def ems(text: str) -> float:
    """Estimate the width of a text in a sans-serif font, in units of the font size; rather too wide than too narrow."""
    return sum(_ems_of(char) for char in text)


def _ems_of(char: str) -> float:
    match columns_of(char):
        case 0:
            return 0.0
        case 2:
            return 1.3 if category(char) == "So" else 1.05
    if char in NARROW:
        return 0.4
    if char in BROAD:
        return 1.0
    return 0.74 if char.isupper() else 0.64
