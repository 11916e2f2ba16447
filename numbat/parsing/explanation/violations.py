"""Messages about what is wrong with a parse: one plain sentence for each violated property instance.

A message is the gloss of the property or, without one, what the definition of its relation says, with the words. So
user-defined relations read like built-in ones.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import product
from operator import or_
from typing import Final
from unicodedata import bidirectional, category

from numbat.errors import columns, columns_of, counted, shortened, visible
from numbat.evaluation.constituents import Constituent, stretches
from numbat.evaluation.matching import DaughterRow, plan_of
from numbat.grammar.expressions import Count, walk
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import (
    ABSENT,
    Bundle,
    Operand,
    Parameter,
    format_bundle,
    format_named,
    format_number,
    format_property,
    value_of,
)
from numbat.grammar.relations import Relation
from numbat.parsing.analysis import Analysis, Evaluated
from numbat.parsing.explanation.wording import Wording, condition_in_words, enumerated, in_words, wording_of
from numbat.records import frozen
from numbat.words.lattice import Lattice

PLACEHOLDER: Final = re.compile(r"\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}")
"""Placeholder in a template: a name, or a name with two forms of a word, one for a single daughter, one for several."""


def explain_violation(analysis: Analysis) -> tuple[str, ...]:
    """Return the distinct sentences about the violations of a parse, in the order of `violated`.

    A partial parse has one more sentence in front, unless the grammar has no roots: then no parse is full.
    """
    sentences = explain_violations(analysis.grammar, analysis.violated, analysis.lattice)
    return tuple(dict.fromkeys((*explain_fragments(analysis), *sentences)))


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
        if other.reasons:
            cost = "" if other.cost == analysis.cost_units else f" (cost {decimal(other.cost)})"
            lines.append(f"or: {'; '.join(other.reasons)}{cost}")
        else:
            rare = f": {'; '.join(other.rare)}" if other.rare else ""
            lines.append(f"or well-formed at {decimal(other.cost)}{rare}")
    if (more := len(analysis.outcome.diagnoses) - MOST_TOLD) > 0:
        lines.append(f"or {counted(more, 'other diagnosis', 'other diagnoses')}")
    return tuple(lines)


def explain_violations(
    grammar: Grammar, violated: Iterable[Evaluated], lattice: Lattice | None = None
) -> tuple[str, ...]:
    """Return one sentence per violated property instance: its message with the property in the notation."""
    return tuple(map(str, messages_of(grammar, violated, lattice)))


# Messages


@frozen
class Message:
    """Plain sentence about a violation, with the property, its place, and the words that are wrong."""

    plain: str
    formal: str
    words: tuple[Constituent, ...]

    @property
    def cover(self) -> int:
        """The positions of the wrong words, as a bit set."""
        return reduce(or_, (word.cover for word in self.words))

    def __str__(self) -> str:
        return f"{self.plain}  [{self.formal}]"


def messages_of(grammar: Grammar, violated: Iterable[Evaluated], lattice: Lattice | None = None) -> tuple[Message, ...]:
    """Return one message per violated property instance; equal ones about different words show token positions.

    With the lattice of the sentence, words are quoted as typed.
    """
    wording = wording_of(grammar)
    both = [(evaluated, _message(_Words(evaluated, wording, lattice))) for evaluated in violated]
    covers: dict[str, set[int]] = {}
    for _, message in both:
        covers.setdefault(message.plain, set()).add(message.cover)
    return tuple(
        [
            _message(_Words(evaluated, wording, lattice, placed=True)) if len(covers[message.plain]) > 1 else message
            for evaluated, message in both
        ]
    )


def _message(words: _Words) -> Message:
    """Return the message about a violation: the gloss of the property, else what the relation says.

    Words follow if the text names none.
    """
    violated, wording = words.violated, words.wording
    prop, constituent = violated.property, violated.constituent
    relation = wording.relations[prop.relation]
    matched = _matched(violated, relation)
    near = _near_misses(words, relation)
    parts = _placeholders(words, relation, matched, near)
    plural = frozenset(name.lower() for name, daughters in matched.items() if len(daughters) > 1)
    plural |= {"others"} if len(near) > 1 else set()
    vague = _vague(violated, relation, near, wording)
    template = prop.title or wording.say(vague or relation.says)
    if prop.title or vague:
        tail = ""
    elif relation.says:
        template += wording.say(", but {}").format(wording.say(relation.but)) if relation.but else ""
        said = enumerated([text for _, text in near if text], wording.say("and"))
        tail = wording.say("; {}").format(said) if said else ""
    else:
        tail = _condition(words, relation, matched)
    text = filled(template, parts, plural) + tail
    wrong = _counted(violated, relation, template) or violated.elements or (constituent,)
    if template and not any('"' in parts.get(match[1], "") for match in PLACEHOLDER.finditer(template)):
        is_told = relation.shares_features and not vague
        said = filled(wording.say(relation.says), parts, plural) if is_told else words.listed(wrong)
        text = wording.say("{}: {}").format(text, said)
    place = f", {prop.place}" if prop.place else ""
    also = [daughter for daughter, _ in near]
    return Message(visible(text), visible(f"{format_named(prop)}{place}"), words.bearers([*wrong, *also]))


def _counted(violated: Evaluated, relation: Relation, template: str) -> list[Constituent]:
    """Return the daughters that a template names by `{bs}`: all that match an operand."""
    return [
        daughter
        for name, parameter in zip(relation.parameters, violated.property.operands, strict=True)
        for daughter in violated.constituent.daughters
        if f"{{{name.lower()}s}}" in template and is_operand(daughter, parameter)
    ]


TOGETHER: Final = "{b} do not go together here"
"""Template for daughters that together require another kind of one of them, if titles do not tell the kind."""


def _vague(violated: Evaluated, relation: Relation, near: _Near, wording: Wording) -> str:
    """Return what a relation says if titles do not tell the features that decide; empty if they do."""
    if relation.shares_features:
        tells = all(_differences(element, violated, wording) for element in violated.elements)
        return "" if tells else relation.vague
    if not near or any(text for _, text in near):
        return ""
    are_elements = all(any(daughter is element for element in violated.elements) for daughter, _ in near)
    return TOGETHER if are_elements else relation.vague


def _condition(words: _Words, relation: Relation, matched: Mapping[str, Sequence[Constituent]]) -> str:
    """Return the condition that is not met; relations that have no text need it."""
    violated, wording = words.violated, words.wording
    names = {
        name: words.listed(matched[name]) if name in matched else wording.parameter(operands)
        for name, operands in zip(relation.parameters, violated.property.operands, strict=True)
    }
    say = wording.say if wording.translations else str
    clause = condition_in_words(relation.holds, names, violated.property.features, say)
    return wording.say("this should hold: {}").format(clause)


_Near = list[tuple[Constituent, str]]
"""Daughters of the required category with other features, each with what these say: `"bought" is finite`."""


@frozen
class _Words:
    """Quotes the words of a violation; of phrases that must agree, and of long ones, those that bear the features.

    With the `lattice` of the sentence, words are quoted as typed. `placed` adds their positions.
    """

    violated: Evaluated
    wording: Wording
    lattice: Lattice | None
    placed: bool = False

    def quoted(self, constituent: Constituent) -> str:
        """Return the words of a constituent in quotes."""
        place = f" ({span_of(constituent)})" if self.placed else ""
        if self.lattice is None or constituent.cover.bit_count() > MAX_QUOTE:
            return quoted([constituent]) + place
        return in_quotes(on_one_line(as_typed(constituent, self.lattice))) + place

    def listed(self, constituents: Iterable[Constituent]) -> str:
        """Return the words of constituents in quotes."""
        return enumerated(list(map(self.quoted, self.bearers(constituents))), self.wording.say("and"))

    def bearers(self, constituents: Iterable[Constituent]) -> tuple[Constituent, ...]:
        """Return for each constituent the phrase or word that is named."""
        return tuple(map(self._bearer, constituents))

    def _bearer(self, constituent: Constituent) -> Constituent:
        """Return the word from which a phrase has the features that matter, the head of its head; else the phrase.

        Of a long phrase whose features do not matter, it is also the word.
        """
        names = self._decisive(constituent)
        if not names and constituent.cover.bit_count() <= LONG:
            return constituent
        head = bearer(constituent, self.wording.constructions)
        is_long = constituent.cover.bit_count() > LONG
        values = [(value_of(head.features, name), value_of(constituent.features, name)) for name in names]
        fits = all(of_word == of_phrase or (is_long and of_word is None) for of_word, of_phrase in values)
        return head if fits else constituent

    def _decisive(self, constituent: Constituent) -> list[str]:
        """Return the features for which a constituent violates: those that clash or, without, that operands ask for."""
        prop, elements = self.violated.property, self.violated.elements
        if prop.features:
            return [name for name in prop.features if len({value_of(one.features, name) for one in elements}) > 1]
        operands = [one for one in prop.all_operands() if one.category == constituent.construction]
        return [*dict.fromkeys(name for operand in operands for name, _ in operand.features)]


LONG: Final = 3
"""Maximum number of words of a phrase that a message names whole."""


def bearer(constituent: Constituent, constructions: Mapping[str, Construction]) -> Constituent:
    """Return the word from which a phrase has its features: the head of its head, and so on."""
    return [*spine(constituent, constructions)][-1]


def spine(constituent: Constituent, constructions: Mapping[str, Construction]) -> Iterator[Constituent]:
    """Yield a phrase, its head, the head of its head, and so on down to a word."""
    yield constituent
    while constituent.daughters:
        construction, daughters = constructions.get(constituent.construction), constituent.daughters
        kinds = [(daughter.construction, daughter.features) for daughter in daughters]
        constituent = daughters[head_of(construction.heads if construction else (), kinds)]
        yield constituent


def head_of(heads: Iterable[Operand], daughters: Sequence[tuple[str, Bundle]]) -> int:
    """Return the number of the daughter that is the head: the first one that matches the first possible head."""
    choices = (number for operand in heads for number, kind in enumerate(daughters) if operand.matches(*kind))
    return next(choices, 0)


def _placeholders(
    words: _Words, relation: Relation, matched: Mapping[str, Sequence[Constituent]], near: _Near
) -> dict[str, str]:
    """Return the values for placeholders in a template; `counts` is about the first parameter that is counted."""
    violated, wording = words.violated, words.wording
    prop, constituent = violated.property, violated.constituent
    parts = {
        "features": enumerated(prop.features, wording.say("and")),
        "mother": wording.category(constituent.construction),
        "mother_words": words.quoted(constituent),
        "all": words.listed(violated.elements),
        "others": words.listed([daughter for daughter, _ in near]),
        "because": _because(words, relation, matched),
    }
    if relation.violated_by:
        parts["between"] = words.listed(violated.elements[-1:])
    counted_parameter = next((node.parameter for node in walk(relation.holds) if isinstance(node, Count)), None)
    for name, parameter in reversed(list(zip(relation.parameters, prop.operands, strict=True))):
        operands = [daughter for daughter in constituent.daughters if is_operand(daughter, parameter)]
        daughters = matched.get(name) or operands
        if counted_parameter in (name, None):
            parts["counts"] = wording.say(in_words(_count(violated, relation, name)))
        parts[name.lower()] = words.listed(daughters) or wording.say("nothing")
        parts[f"{name.lower()}s"] = words.listed(operands) or wording.say("nothing")
        parts[f"{name.lower()}_is"] = enumerated(
            [_differences(one, violated, wording) for one in daughters], wording.say("and")
        )
        parts[name] = wording.parameter(parameter)
        parts[f"a_{name}"] = wording.parameter(_alike(parameter, near, wording) or parameter, article=True)
    return parts


def _alike(parameter: Parameter, near: _Near, wording: Wording) -> Parameter:
    """Return the alternatives that only the features of daughters keep from being there, if titles tell these."""
    categories = {daughter.construction for daughter, text in near if text}
    return tuple(
        joint
        for joint in parameter
        if any(one.category in categories and any(wording.tells(*pair) for pair in one.features) for one in joint)
    )


def _because(words: _Words, relation: Relation, matched: Mapping[str, Sequence[Constituent]]) -> str:
    """Return what the features say that operands ask for, as far as titles tell it: `: "I" is nominative`."""
    wording, reasons = words.wording, []
    for name, parameter in zip(relation.parameters, words.violated.property.operands, strict=True):
        operands = [operand for joint in parameter for operand in joint]
        for daughter in matched.get(name, ()):
            asking = [operand for operand in operands if operand.matches(daughter.construction, daughter.features)]
            asked = {feature for one in asking for feature, values in one.features if wording.tells(feature, values)}
            if said := wording.predicate([pair for pair in daughter.features if pair[0] in asked]):
                reasons.append(f"{words.listed([daughter])} {said}")
    return wording.say(": {}").format(enumerated(reasons, wording.say("and"))) if reasons else ""


def _near_misses(words: _Words, relation: Relation) -> _Near:
    """Return daughters that have the required category but other features, each with what these say.

    Example: `"bought" is finite`, if a verb phrase in its base form is required. A daughter that alone requires another
    one is not meant; one of several that do is, if there is no other.
    """
    violated = words.violated
    if not relation.lacking:
        return []
    parameter = violated.property.operands[relation.parameters.index(relation.lacking)]
    required = [operand for joint in parameter for operand in joint if operand.features]
    misses: _Near = []
    asking = violated.elements if len(violated.elements) == 1 else ()
    for daughter in violated.constituent.daughters:
        alike = [operand for operand in required if operand.category == daughter.construction]
        if alike and not is_operand(daughter, (tuple(alike),)) and all(daughter is not one for one in asking):
            said = _lacking(daughter, alike, words.wording)
            misses.append((daughter, f"{words.listed([daughter])} {said}" if said else ""))
    others = [(one, text) for one, text in misses if all(one is not element for element in violated.elements)]
    return others or misses


def _lacking(daughter: Constituent, operands: Sequence[Operand], wording: Wording) -> str:
    """Return what the features say that keep a daughter from matching the nearest operand, as far as titles tell it."""
    has = dict(daughter.features)
    wrong = [
        {name: values for name, values in operand.features if has.get(name, ABSENT) not in values}
        for operand in operands
    ]
    nearest = min(wrong, key=len)
    return wording.predicate([(name, has.get(name)) for name in nearest], nearest)


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
        sum(bit for operand, bit in bits.items() if is_operand(constituent, ((operand,),))) for constituent in daughters
    ]
    return DaughterRow(daughters, masks, plan_of(violated.property, relation, bits.__getitem__)).count(name)


def is_operand(constituent: Constituent, parameter: Parameter) -> bool:
    """True if a daughter matches any operand of a parameter."""
    operands = (operand for joint in parameter for operand in joint)
    return any(operand.matches(constituent.construction, constituent.features) for operand in operands)


def _differences(constituent: Constituent, violated: Evaluated, wording: Wording) -> str:
    """Return what the values of a constituent say of the agreement features in which the elements differ.

    If they differ in none, all features are said. If the grammar is strict, a feature that only some elements have is a
    difference, too.
    """
    prop, elements = violated.property, violated.elements
    by_name = {name: {value_of(element.features, name) for element in elements} for name in prop.features}
    differing = [name for name, values in by_name.items() if len(values if wording.is_strict else values - {None}) > 1]
    return wording.predicate([(name, value_of(constituent.features, name)) for name in differing or prop.features])


def filled(template: str, parts: Mapping[str, str], plural: Container[str]) -> str:
    """Return the template with its placeholders replaced; an unknown one stays as it is."""

    def chosen(match: re.Match[str]) -> str:
        if match[2] is None or match[1] not in parts:
            return parts.get(match[1], match[0])
        return match[3] if match[1] in plural else match[2]

    return PLACEHOLDER.sub(chosen, template)


def explain_fragments(analysis: Analysis) -> list[str]:
    """Return why a partial parse is partial; nothing for a full parse, and for a grammar without roots."""
    if analysis.grammar.is_shallow:
        return []
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


# Words and positions of a sentence in messages, drawings and tables.

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
    return in_quotes(" ".join(parts))


def in_quotes(text: str) -> str:
    """Put words into quotes, with a mark behind them in right-to-left scripts."""
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
