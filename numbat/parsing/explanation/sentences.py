"""What is wrong with a parse, in plain sentences, and a parse in one line.

The words come from the rows of the relations (`says` and `but`), so a grammar writer's own relation speaks like the
built-in ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Final
from unicodedata import bidirectional, category

from numbat.evaluation.constituents import Constituent
from numbat.grammar.expressions import Count, walk
from numbat.grammar.features import format_bundle, value_of
from numbat.grammar.model import WILDCARD, Operand, Parameter, Property, relations_of
from numbat.grammar.printing import format_number, format_parameter, format_property
from numbat.grammar.relations import Relation
from numbat.source import counted, shortened

if TYPE_CHECKING:
    from numbat.parsing.result import Evaluated, Parse

NUMBERS: Final = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
LEFT_TO_RIGHT_MARK: Final = "\u200e"
"""Follows quoted words of Hebrew, Arabic and the like, so that the digits after them stay where they are."""
UNSHOWN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Control characters, signs that turn the direction of what follows, halves of a character."""
PLACEHOLDER: Final = re.compile(r"\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}")
"""A name, or one with two forms of a word: for one daughter and for several."""
LONGEST_QUOTE: Final = 8
"""More words than that are quoted by the first four and the last two."""


def explain(parse: Parse) -> tuple[str, ...]:
    """One sentence if the parse is partial, then one for each violated property instance in the order of `violated`."""
    relations = relations_of(parse.grammar)
    strict = parse.grammar.semantics.missing == "clashes"
    each = [(violated, relations[violated.property.relation], strict) for violated in parse.violated]
    plain = [_explain_violation(*one) for one in each]
    often = Counter(plain)
    found = [
        _explain_violation(*one, placed=True) if often[text] > 1 else text
        for one, text in zip(each, plain, strict=True)
    ]
    return (*_explain_fragments(parse), *found)


def summary(parse: Parse) -> str:
    """The parse in one line.

    Full or partial, cost by kind, weight, number of equally good trees, P+ and P-, words that are guessed or unknown,
    signs that were left out, limit.
    """
    if not parse.constituents:
        return "no words"
    kind = "full parse" if parse.is_full else f"partial parse of {counted(len(parse.constituents), 'fragment')}"
    trees = "1 tree" if parse.count == 1 else f"{parse.count} equally good trees"
    parts = [f"cost {_cost_by_kind(parse)}", f"weight {decimal(parse.weight)}", trees]
    parts.append(f"{len(parse.satisfied)} satisfied, {len(parse.violated)} violated")
    parts += said_of_guesses(parse)
    if signs := [sign for sign in parse.lattice.skipped if not all(map(is_punctuation, sign))]:
        parts.append(f"left out: {listed_words(list(map(visible, signs)))}")
    if parse.rank > 1:
        parts.append(f"rank {parse.rank}")
    if parse.stopped_by is not None:
        parts.append(f"stopped by the limit on {parse.stopped_by}")
    return f"{kind}: {'; '.join(parts)}"


def standing(word: Constituent) -> str:
    """`guessed` for a word that the lexicon does not have, `unknown` where no rule guesses it either; else nothing."""
    return ("unknown" if word.construction == WILDCARD else "guessed") if word.guessed else ""


def by_standing(words: Iterable[Constituent]) -> dict[str, list[str]]:
    """Which of these words are guessed, and which unknown, in their order."""
    found: dict[str, list[str]] = {}
    for word in sorted(words, key=standing):
        found.setdefault(standing(word), []).append(visible(word.form))
    return found


def said_of_guesses(parse: Parse) -> list[str]:
    """How many words are guessed and how many unknown, and which."""
    found = by_standing(parse.guessed)
    return [f"{counted(len(words), 'word')} {how}: {listed_words(words)}" for how, words in found.items()]


def is_punctuation(sign: str) -> bool:
    """Whether a character only divides: what is read out, such as % or a picture, is more than that."""
    return category(sign)[0] in "PZC" and sign not in "%&#@"


def listed_words(words: Sequence[str]) -> str:
    """The first words of a list, each as far as a person may want to read it."""
    return ", ".join(map(shortened, words[:LONGEST_QUOTE])) + (", …" if len(words) > LONGEST_QUOTE else "")


def decimal(units: int) -> str:
    """Fixed-point units for people: at most three decimals, unless nothing but zeros would be left of them."""
    return format_number(round(units, -3) or units)


def span_of(constituent: Constituent) -> str:
    """The token positions of a constituent, ends exclusive: `0-2`, with a hole `0-1, 3-5`."""
    return ", ".join(f"{start}-{end}" for start, end in stretches(constituent.cover))


def stretches(cover: int) -> list[tuple[int, int]]:
    """The unbroken runs of token positions in a cover, as pairs (start, end), ends exclusive."""
    found = []
    position = 0
    while cover >> position:
        rest = cover >> position
        start = position + (rest & -rest).bit_length() - 1
        run = cover >> start
        position = start + (~run & (run + 1)).bit_length() - 1
        found.append((start, position))
    return found


def quoted(constituents: Iterable[Constituent]) -> str:
    """The words of constituents, in quotes and in the order of the sentence; dots stand for words left out."""
    words = sorted((word for constituent in constituents for word in constituent.words()), key=lambda word: word.start)
    shown = words if len(words) <= LONGEST_QUOTE else [*words[:4], *words[-2:]]
    parts: list[str] = []
    for i, word in enumerate(shown):
        if i and shown[i - 1].end < word.start:
            parts.append("…")
        parts.append(visible(word.form))
    text = " ".join(parts)
    mark = LEFT_TO_RIGHT_MARK if any(bidirectional(char) in ("R", "AL") for char in text) else ""
    return f'"{text}"{mark}'


def visible(text: str) -> str:
    """The text without characters that no terminal should obey and no XML file may hold."""
    return UNSHOWN.sub("\ufffd", text)


def on_one_line(text: str) -> str:
    """The visible text with one blank for each stretch of blanks and ends of lines."""
    return visible(" ".join(text.split()))


def _cost_by_kind(parse: Parse) -> str:
    kinds = (
        ("violations", parse.violation_cost),
        ("fragments", parse.fragment_cost),
        ("lexical", parse.lexical_cost),
    )
    shown = ", ".join(f"{name} {decimal(cost)}" for name, cost in kinds if cost)
    return decimal(parse.cost) + (f" ({shown})" if shown else "")


def _explain_fragments(parse: Parse) -> list[str]:
    tops = parse.constituents
    if len(tops) > 1:
        stopped = "nothing that spans the whole sentence was found before the limit was met"
        missing = stopped if parse.stopped_by else "no construction spans the whole sentence"
        return [f"{missing}: {len(tops)} fragments"]
    said = []
    for top in tops:
        if not parse.grammar.is_root(top.construction, top.features):
            said.append(f"{top.construction} stands alone, but is not a root")
        if left := [visible(form) for at, form in enumerate(parse.lattice.tokens) if not top.cover >> at & 1]:
            said.append(f"{top.construction} stands alone, but leaves out: {listed_words(left)}")
    return said


def _explain_violation(violated: Evaluated, relation: Relation, strict: bool, placed: bool = False) -> str:
    """The sentence about a violation; `placed` gives the positions of the words and what all operands demand, where
    that alone tells two apart.

    `strict`: a feature that one side lacks clashes.
    """
    prop, constituent = violated.property, violated.constituent
    matched = _matched(violated, relation)
    if relation.says:
        parts = _placeholders(violated, relation, matched, strict, placed)
        plural = _plural(violated, relation, matched)
        text = _filled(relation.says, parts, plural)
        if relation.but:
            text += f", but {_nearly(violated, relation, placed) or _filled(relation.but, parts, plural)}"
        elif violated.elements:
            text += f", which does not hold for {_listed(violated.elements, placed)}"
    else:
        text = f"{format_property(prop)} does not hold"
        text += f" for {_listed(violated.elements, placed)}" if violated.elements else ""
    place = f", {prop.place}" if prop.place else ""
    where = f"{constituent.construction} {quoted([constituent])} ({span_of(constituent)})"
    return visible(f"{where}: {text}  [{prop.relation}{place}]")


def _placeholders(
    violated: Evaluated, relation: Relation, matched: Mapping[str, Sequence[Constituent]], strict: bool, placed: bool
) -> dict[str, str]:
    """What the placeholders of a template stand for; a parameter's own name wins over its lower-case form.

    What is counted is the parameter that the relation counts first.
    """
    prop = violated.property
    parts = {"features": _joined(prop.features)}
    asked = next((node.parameter for node in walk(relation.holds) if isinstance(node, Count)), None)
    for name, parameter in reversed(list(zip(relation.parameters, prop.operands, strict=True))):
        operands = [daughter for daughter in violated.constituent.daughters if _is_operand(daughter, parameter)]
        speaks_of = matched.get(name) or operands
        if asked in (name, None):
            parts["counts"] = _number(len(operands))
        parts[name.lower()] = _listed(speaks_of, placed) if speaks_of else "nothing"
        values = [_values(one, prop, violated.elements, strict) for one in speaks_of]
        parts[f"{name.lower()}_values"] = _joined(values)
    named = prop.operands if placed or not _told_by_category(prop, relation) else _without_demands(prop.operands)
    parts |= {name: _worded(p) for name, p in zip(relation.parameters, named, strict=True)}
    return parts


def _told_by_category(prop: Property, relation: Relation) -> bool:
    """Whether categories alone name the operands: daughters of different categories are compared, and the words that
    are quoted say which."""
    categories = [operand.category for operand in prop.all_operands()]
    return relation.compares and len(categories) == len(set(categories)) > 1


def _without_demands(operands: Iterable[Parameter]) -> list[Parameter]:
    return [tuple(tuple(replace(one, features=()) for one in joint) for joint in parameter) for parameter in operands]


def _plural(violated: Evaluated, relation: Relation, matched: Mapping[str, Sequence[Constituent]]) -> frozenset[str]:
    """The placeholders that stand for several: words, and a parameter whose last alternative is joint."""
    words = (name.lower() for name, found in matched.items() if len(found) > 1)
    operands = zip(relation.parameters, violated.property.operands, strict=True)
    return frozenset((*words, *(name for name, parameter in operands if len(parameter[-1]) > 1)))


def _nearly(violated: Evaluated, relation: Relation, placed: bool) -> str:
    """Which daughters are of the category that is asked for, and what they are instead; empty where there is none.

    `"bought" is VP[form=ed]`, where VP[form=base] is required.
    """
    if not relation.lacking:
        return ""
    parameter = violated.property.operands[relation.parameters.index(relation.lacking)]
    wanted = [operand for joint in parameter for operand in joint if operand.features]
    found: list[str] = []
    asking = violated.elements if len(violated.elements) == 1 else ()
    for daughter in violated.constituent.daughters:
        asked = [operand for operand in wanted if operand.category == daughter.construction]
        if asked and not _is_operand(daughter, (tuple(asked),)) and all(daughter is not one for one in asking):
            found.append(f"{_listed([daughter], placed)} is {_lacking(daughter, asked)}")
    return _joined(found)


def _lacking(daughter: Constituent, asked: Sequence[Operand]) -> str:
    """A daughter with the features for which it is none of the operands: `VP[form=ed]`, `N without number`."""
    demanded = [pair for operand in asked for pair in operand.features]
    names = dict.fromkeys(name for name, values in demanded if value_of(daughter.features, name) not in values)
    has = tuple((name, value) for name, value in daughter.features if name in names)
    return daughter.construction + (format_bundle(has) or f" without {_joined(list(names))}")


def _matched(violated: Evaluated, relation: Relation) -> dict[str, tuple[Constituent, ...]]:
    """Which of the elements stand for which parameter: the first clause and alternatives that fit them in order."""
    operands = dict(zip(relation.parameters, violated.property.operands, strict=True))
    for clause in relation.clauses:
        for joints in product(*(operands[name] for name in clause.matched)):
            wanted = [operand for joint in joints for operand in joint]
            if len(wanted) == len(violated.elements) and all(
                operand.matches(element.construction, element.features)
                for operand, element in zip(wanted, violated.elements, strict=True)
            ):
                rest = iter(violated.elements)
                return {
                    name: tuple(next(rest) for _ in joint) for name, joint in zip(clause.matched, joints, strict=True)
                }
    return {}


def _is_operand(constituent: Constituent, parameter: Parameter) -> bool:
    """Whether a daughter is an operand of any alternative."""
    operands = (operand for joint in parameter for operand in joint)
    return any(operand.matches(constituent.construction, constituent.features) for operand in operands)


def _values(constituent: Constituent, prop: Property, elements: Sequence[Constituent], strict: bool) -> str:
    """The values of the shared features on which the elements differ, of all of them where they differ on none; if
    `strict`, they also differ on one that some lack."""
    found = {name: {value_of(element.features, name) for element in elements} for name in prop.features}
    differing = [name for name, values in found.items() if len(values if strict else values - {None}) > 1]
    values = ((name, value_of(constituent.features, name)) for name in differing or prop.features)
    return ", ".join(f"no {name}" if value is None else f"{name}={value}" for name, value in values)


def _filled(template: str, parts: Mapping[str, str], plural: Container[str]) -> str:
    """The template with its placeholders replaced; an unknown one stays as it is."""

    def chosen(match: re.Match[str]) -> str:
        if match[2] is None or match[1] not in parts:
            return parts.get(match[1], match[0])
        return match[3] if match[1] in plural else match[2]

    return PLACEHOLDER.sub(chosen, template)


def _worded(parameter: Parameter) -> str:
    """A parameter in words: `N, PN or Pro`, `Det and Adj`."""
    return _joined([_joined([format_parameter(((operand,),)) for operand in joint]) for joint in parameter], "or")


def _listed(constituents: Iterable[Constituent], placed: bool) -> str:
    return _joined([quoted([c]) + (f" ({span_of(c)})" if placed else "") for c in constituents])


def _joined(texts: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    return f" {last} ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def _number(count: int) -> str:
    return NUMBERS[count] if count < len(NUMBERS) else str(count)
