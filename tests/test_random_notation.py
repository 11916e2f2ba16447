"""Random grammars in the notation: abbreviations compared with their expansions, and both engines with the oracle.

`written(seed)` makes a grammar twice: with abbreviations (types, shared values, `!=`, conditions, templates, `like`),
and spelled out. The expansions are implemented here separately from the code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from numbat import Grammar, Parser, parse_grammar
from numbat.evaluation.constituents import Constituent
from numbat.grammar.printing import format_grammar
from numbat.words.lexical_lookup import read_text
from tests.oracle import Switches, optimum
from tests.strategies import chance
from tests.test_oracle import compare, solvable

VALUES: Final = ("sg", "pl", "du")
LEAVES: Final = ("Det", "N", "V")
MEMBERS: Final = ("Det", "N")
TYPE: Final = "T"
HEAD: Final = """\
leaves: Det, N, V
features:
    number: sg, pl, du
    kind: a, b
"""
TYPES: Final = "types: T: Det, N\n"
TEMPLATES: Final = """\
template noun(x): N[number=$x]
template both(x): noun($x)[kind=a], V[number=$x]
"""
WORDS: Final = {  # with templates, and spelled out
    "nn": ("noun(sg)", "N[number=sg]"),
    "np": ("noun(pl)", "N[number=pl]"),
    "nv": ("both(du)", "N[kind=a, number=du], V[number=du]"),
    "nk": ("noun(sg)[kind=b]", "N[kind=b, number=sg]"),
    "n": ("N", "N"),
    "d": ("Det", "Det"),
    "ds": ("Det[number=sg]", "Det[number=sg]"),
    "dp": ("Det[number=pl, kind=a]", "Det[number=pl, kind=a]"),
    "v": ("V", "V"),
    "vs": ("V[sg]", "V[number=sg]"),
}
STRENGTHS: Final = ("", "", " cost 2", " weight 2 cost 0.5", " hard")
Line = tuple[str, tuple[str, ...]]
"""A statement, and equivalent statements without its abbreviation."""


def sharing(left: str, relation: str, right: str) -> Line:
    """Expand `A[number=$x] => B[number=$x]`: a property for each value, and one for daughters without the feature."""
    each = [f"{left}[number={v}] {relation} {right}[number={v}|?]" for v in VALUES]
    return f"{left}[number=$x] {relation} {right}[number=$x]", (*each, f"{left}[no number] {relation} {right}")


def other_values(value: str) -> str:
    return "|".join(each for each in VALUES if each != value)


def statement(rng: Random, form: str, a: str, b: str, c: str) -> Line:
    """Return a statement with an abbreviation over three categories, the first two of which differ."""
    value, sign = rng.choice(VALUES), rng.choice(("<", "+", "=>", "x"))
    lines: dict[str, Line] = {
        "plain": (f"{a} {sign} {b}", (f"{a} {sign} {b}",)),
        "agreement": (f"{a} ~> {b} [number]", (f"{a} ~> {b} [number]",)),
        "obligation": (f"oblig {a}", (f"oblig {a}",)),
        "alternatives": (f"oblig {{{a}, {b}}}", (f"oblig {a} | {b}",)),
        "uniq of several": (f"uniq {a} | {b}", (f"uniq {a} | {b}",)),
        "uniq of a type": (f"uniq {TYPE}", ("uniq Det | N",)),
        "uniq of a type and others": (f"uniq {{{TYPE}, {c}}}", ("uniq Det | N", f"uniq {c}")),
        "obligation of a type": (f"oblig {TYPE}", ("oblig Det | N",)),
        "a type on the left": (f"{TYPE} {sign} V", tuple(f"{each} {sign} V" for each in MEMBERS)),
        "a type that is sought": (f"{a} => {TYPE}", (f"{a} => Det | N",)),
        "another value": (f"{a}[number != {value}] {sign} {b}", (f"{a}[number={other_values(value)}] {sign} {b}",)),
        "no value": (f"{a}[no number] {sign} {b}", (f"{a}[number=?] {sign} {b}",)),
        "values alone": (f"{a}[sg|du] {sign} {b}", (f"{a}[number=sg|du] {sign} {b}",)),
        "a shared value": sharing(a, rng.choice(("<", "=>", "x")), b),
        "one of each value": (
            f"uniq {a}[number=$x]",
            (*(f"uniq {a}[number={v}]" for v in VALUES), f"uniq {a}[no number]"),
        ),
        "a condition": (f"{a} {sign} {b} if {c}", (f"{a} {sign} {b} if {c}",)),
        "a condition that is denied": (
            f"{a} {sign} {b} if not ({c} or no {a}[number={value}])",
            (f"{a} {sign} {b} if no {c} and {a}[number={value}]",),
        ),
        "a condition on a type": (f"{a} < {b} if {TYPE}", (f"{a} < {b} if Det or N",)),
        "a property that is a condition": (f"{a} < {b} or {b} < {c}", (f"({a} < {b}) or ({b} < {c})",)),
        "a comparison": (f"{a}.number != {b}.number", (f"not {a}.number = {b}.number",)),
        "agreement with the phrase": (f"{a} ~> mother [number]", (f"{a} ~> mother [number]",)),
        "a rule": (f"number = {value} if {a} or no {b}", (f"number = {value} if {a}", f"number = {value} if no {b}")),
        "a rule of a type": (f"number from {TYPE} if no {c}", (f"number from Det, N if no {c}",)),
    }
    return lines[form]


FORMS: Final = tuple(
    """plain, plain, agreement, obligation, alternatives, uniq of several, uniq of a type, uniq of a type and others,
    obligation of a type, a type on the left, a type that is sought, another value, no value, values alone,
    a shared value, one of each value, a condition, a condition that is denied, a condition on a type,
    a property that is a condition, a comparison, agreement with the phrase, a rule, a rule of a type""".replace(
        "\n    ", " "
    ).split(", ")
)


@dataclass
class Form:
    """The statements of a construction, each with its expansion."""

    lines: list[Line] = field(default_factory=list)

    @property
    def said(self) -> set[str]:
        return {properly(each) for _, flat in self.lines for each in flat}

    def add(self, line: Line, strength: str = "") -> None:
        """Add a statement, unless it repeats another one."""
        rich, flat = line
        if is_rule(rich):
            strength = ""
        if not {properly(each) for each in flat} & self.said:
            self.lines.append((stronger(rich, strength), tuple(stronger(each, strength) for each in flat)))


def stronger(line: str, strength: str) -> str:
    """Return the statement with its strength, which comes before a condition."""
    before, condition, behind = line.partition(" if ")
    return before + strength + condition + behind


def properly(line: str) -> str:
    """Return a statement in an order that is the same for `A x B` and `B x A`."""
    return re.sub(" (hard|weight 2 cost 0.5|cost [23])", "", line).replace("[number=?]", "[no number]")


def is_rule(line: str) -> bool:
    return line.startswith(("number = ", "number from "))


@dataclass(frozen=True)
class Written:
    """A grammar with abbreviations and spelled out, the kinds of abbreviations, its profile and a sentence."""

    rich: str
    flat: str
    forms: frozenset[str]
    switches: Switches
    sentence: str


def written(seed: int) -> Written:
    rng = Random(seed)
    forms: set[str] = set()
    phrases = {name: random_form(rng, (*LEAVES, *("NP",) * (name == "VP")), forms) for name in ("NP", "VP")}
    rich, flat = [HEAD + TYPES + TEMPLATES], [HEAD]
    by_operands = chance(rng, 0.25)
    h3, h4 = chance(rng, 0.8), chance(rng, 0.7)
    names = ", ".join(["H3"] * (not h3) + ["H4"] * (not h4))
    profile = f"profile own: without {names}\n" if names else "profile own like default: election per-construction\n"
    for text in (rich, flat):
        text.append(profile + "semantics: trigger: by-operands\n" * by_operands)
    forms |= {"trigger"} if by_operands else set()
    for name, phrase in phrases.items():
        rich.append(f"{name}:\n" + "".join(f"    {line}\n" for line, _ in phrase.lines))
        flat.append(f"{name}:\n" + "".join(f"    {line}\n" for _, lines in phrase.lines for line in lines))
    if chance(rng, 0.6):
        forms.add("like")
        heir, spelled = like(rng, phrases["NP"])
        rich.append(heir)
        flat.append(spelled)
    rich.append("lexicon:\n" + "".join(f"    {word}: {with_template}\n" for word, (with_template, _) in WORDS.items()))
    flat.append("lexicon:\n" + "".join(f"    {word}: {spelled_out}\n" for word, (_, spelled_out) in WORDS.items()))
    sentence = " ".join(rng.choice(tuple(WORDS)) for _ in range(rng.randint(1, 3)))
    return Written("".join(rich), "".join(flat), frozenset(forms), Switches(h3=h3, h4=h4), sentence)


def random_form(rng: Random, categories: Sequence[str], forms: set[str]) -> Form:
    phrase = Form()
    head = rng.choice(categories)
    phrase.add((f"head {head}", (f"head {head}",)))
    phrase.add((f"uniq {head}", (f"uniq {head}",)))
    for form in rng.sample(FORMS, rng.randint(2, 5)):
        a, b = rng.sample(categories, 2)
        if form == "agreement with the phrase" and a == head:
            a, b = b, a
        before = len(phrase.lines)
        phrase.add(statement(rng, form, a, b, rng.choice(categories)), rng.choice(STRENGTHS))
        forms |= {form} if len(phrase.lines) > before else set()
    return phrase


def like(rng: Random, parent: Form) -> tuple[str, str]:
    """An heir of NP that leaves out one of its properties and states another: by `like`, and spelled out."""
    own = Form()
    own.add(
        statement(rng, rng.choice(("plain", "uniq of a type", "a condition", "a rule")), "Det", "V", "N"), " cost 3"
    )
    every = [each for line, lines in parent.lines for each in lines]
    possible = [each for each in every if not is_rule(each) and not each.startswith("head") and "mother" not in each]
    left_out = properly(rng.choice(possible))
    says = {properly(each) for _, lines in own.lines for each in lines}
    gone = {left_out} - says
    kept = [
        each
        for each in every
        if properly(each) not in gone and not (is_rule(each) and any(is_rule(line) for line in says))
    ]
    spelled = [
        next((line for _, lines in own.lines for line in lines if properly(line) == properly(each)), each)
        for each in kept
    ]
    spelled += [line for _, lines in own.lines for line in lines if line not in spelled]
    heir = [line for line, _ in own.lines] + [f"without {each}" for each in gone]
    return (
        "XP like NP:\n" + "".join(f"    {line}\n" for line in heir),
        "XP:\n" + "".join(f"    {line}\n" for line in spelled),
    )


def in_any_order(grammar: Grammar) -> list[str]:
    """Return the statements of a grammar, ignoring the order of the properties of a construction."""
    return sorted(format_grammar(grammar).splitlines())


def compare_written(seed: int) -> Written:
    """Compare both ways of writing with each other, and both engines with the oracle."""
    given = written(seed)
    rich, flat = parse_grammar(given.rich, "rich.pg"), parse_grammar(given.flat, "flat.pg")
    assert in_any_order(rich) == in_any_order(flat)
    lattice = read_text(given.sentence, Parser(rich).words)
    short, forest = solvable(flat, lattice, given.switches, 600)
    compare(rich, short, "own", "relaxation", optimum(forest, "relaxation"), given.switches)
    parse = Parser(rich, "own").parse(short)
    for top in parse.constituents:
        for node in top.walk():
            check_agreement_with_the_phrase(node, given.rich.splitlines())
    return given


def check_agreement_with_the_phrase(node: Constituent, lines: Sequence[str]) -> None:
    """Check that exactly the daughters that should agree with their mother and differ from her violate something, if
    only one daughter may give the mother her value.
    """
    stated = [
        each for each in (*node.characterization.satisfied, *node.characterization.violated) if mother(each, lines)
    ]
    number = dict(node.features).get("number")
    for category in {line(each, lines).split()[0] for each in stated}:
        for place, daughter in enumerate(node.daughters):
            its = dict(daughter.features).get("number")
            if daughter.construction == category and None not in (number, its):
                blamed = [e for e in node.characterization.violated if mother(e, lines) and place in e.elements]
                alone = len({each.construction for each in node.daughters}) == len(node.daughters)
                assert bool(blamed) or its == number
                assert not (alone and blamed) or its != number


def line(instance: object, lines: Sequence[str]) -> str:
    span = instance.property.span  # type: ignore[attr-defined]
    return lines[span.line - 1].strip() if span is not None else ""


def mother(instance: object, lines: Sequence[str]) -> bool:
    return "~> mother" in line(instance, lines)


def test_what_forms_stand_for_and_what_engines_make_of_them() -> None:
    seen: set[str] = set()
    for seed in range(30):
        try:
            seen |= compare_written(seed).forms
        except AssertionError as error:
            raise AssertionError(f"written({seed}): {error}") from error
    assert seen >= {*FORMS, "like", "trigger"}
