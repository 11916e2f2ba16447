"""Differences between generated sentences and their twins, and messages if a search finds too few."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from numbat import Parser, parse_grammar
from numbat.acceptability.generate import SHARE, SentenceShape, differing, generate, property_named
from numbat.acceptability.random_phrases import PARSE_STEPS, SearchCounts, reason
from numbat.grammar.properties import Property, format_named

PROPERTIES = {
    "S": ["oblig V", "uniq {V, NP}", "NP < V", "NP ~> V [number]", "V => NP", "Adv < V", "NP + V"],
    "NP": ["oblig {N, Pro}", "uniq {Det, N, Pro}", "Det < N", "Det ~> N [number]", "Pro x Det", "N => Det", "A < N"],
}
LEXICON = {
    "Det": ["the", "a [number=sg]"],
    "N": ["cat [number=sg]", "cats [number=pl]", "sleep [number=sg]"],
    "V": ["sleeps [number=sg]", "sleep [number=pl]"],
    "Pro": ["they [number=pl]"],
    "A": ["old"],
    "Adv": ["now"],
}
SMALL = "leaves: A, B, C\nroots: X\nX:\n    oblig A\n    A < B\n    A x C\n    B x C\nlexicon:\n    a: A\n    b: B\n"


CHAINED = (
    "leaves: A, B\nroots: X\nX:\n    oblig A\n    uniq {A, B}\n    A < B\n    A + B\nlexicon:\n    a: A\n    b: B\n"
)
NO_ROOT = "leaves: A, B\nroots: Y\nX:\n    oblig A\n    A < B\nY:\n    oblig B\nlexicon:\n    a: A\n    b: B\n"
TWO_READINGS = "leaves: A, B\nroots: X\nX:\n    oblig A\n    uniq A\n    A < B\nlexicon:\n    a: A, B\n"
CLITICS = """leaves: N, Cl, V, Neg, Aux, Adj
roots: S
features:
    case: dat, acc
    number: sg, pl
    val: intr, trans
    cop: ser, estar
    pred: ind, stage
S:
    oblig VP
    uniq {NP, VP}
    NP < VP
    NP ~> VP [number]
NP:
    oblig N
    uniq N
AP:
    oblig Adj
    uniq Adj
VP:
    head V, Aux
    oblig {V, Aux}
    uniq {V, Aux, Neg, AP, NP}
    uniq {Cl[case=dat], Cl[case=acc]}
    V x Aux
    Neg < {Cl, V, Aux}
    Cl < V
    V < NP
    Aux < AP
    Neg + Cl
    Cl[case=dat] < Cl[case=acc]
    V[val=trans] => NP | Cl[case=acc]
    V[val=intr] x {NP, Cl}
    Aux => AP
    AP => Aux
    Aux[cop=ser] x AP[pred=stage]
    Aux[cop=estar] x AP[pred=ind]
lexicon:
    Juan: N[number=sg]
    padres: N[number=pl]
    me: Cl[case=dat]
    lo: Cl[case=acc]
    la: Cl[case=acc]
    duerme: V[val=intr, number=sg]
    duermen: V[val=intr, number=pl]
    lee: V[val=trans, number=sg]
    leen: V[val=trans, number=pl]
    no: Neg
    es: Aux[cop=ser, number=sg]
    "está": Aux[cop=estar, number=sg]
    alto: Adj[pred=ind]
    cansado: Adj[pred=stage]
"""
NOT_ALONE = {
    "S: oblig VP": "an S without a VP costs as much as one with a VP that has no V",
    "NP: oblig N": "no property of an NP speaks of anything but nouns",
    "AP: oblig Adj": "no property of an AP speaks of anything but adjectives",
}


def random_text(rng: Random) -> str:
    """A grammar that has some of the properties of its two constructions."""
    blocks = ["leaves: Det, N, V, Pro, A, Adv\nroots: S\nfeatures:\n    number: sg, pl\n"]
    for name, every in PROPERTIES.items():
        chosen = [each for each in every if each.startswith("oblig") or rng.random() < 0.6]
        blocks.append(f"{name}:\n" + "".join(f"    {each}\n" for each in chosen))
    entries = [(form.partition(" "), leaf) for leaf, forms in LEXICON.items() for form in forms]
    lines = dict.fromkeys(form for (form, _, _), _ in entries)
    for form in lines:
        readings = [leaf + features for (other, _, features), leaf in entries if other == form]
        blocks.append("lexicon:\n" * (form == "the") + f"    {form}: {', '.join(readings)}\n")
    return "".join(blocks)


def test_a_twin_differs_from_its_violation_in_nothing_else() -> None:
    """On random grammars: the twin violates nothing, the other only the named property, and all else is equal."""
    seen = 0
    for seed in range(8):
        grammar = parse_grammar(random_text(Random(seed)))
        parser = Parser(grammar)
        for violated in Random(seed).sample(grammar.properties, 2):
            for made in generate(parser, 2, seed, violated, 600):
                bad = parser.parse(made.sentence)
                assert {each.property for each in bad.violated} == {violated}
                if made.twin is None:
                    continue
                seen += 1
                good = parser.parse(made.twin.lattice.text)
                assert good.is_well_formed
                changes = made.edit.startswith(("change", "replace"))
                assert differing(bad, good) <= (0 if made.edit.startswith(("swap", "move")) else 1 + changes)
    assert seen >= 8


def test_a_seed_decides_what_is_found_and_not_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search ends after the same number of steps each time."""
    monkeypatch.setattr("numbat.acceptability.generate.STEPS", 1_000)
    parser, ended = Parser(parse_grammar(random_text(Random(1)))), []
    for _ in range(2):
        tried = SearchCounts()
        found = [made.sentence for made in generate(parser, 1_000, 7, tried=tried)]
        ended.append((found, tried))
    assert ended[0] == ended[1]
    assert 0 < tried.kept < 1_000 <= tried.steps < 1_000 + 8 * 60 + PARSE_STEPS
    assert not tried.late


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_twin_is_found_for_each_property_whatever_the_seed(seed: int) -> None:
    """For properties of all relations, with features of words and of phrases: the search starts from these."""
    grammar = parse_grammar(CLITICS)
    parser, missing = Parser(grammar), []
    for violated in grammar.properties:
        if format_named(violated) in NOT_ALONE:
            continue
        tried = SearchCounts()
        made = next(generate(parser, 1, seed, violated, tried=tried), None)
        if made is None or made.twin is None or tried.steps > 100_000 // SHARE:
            missing.append(format_named(violated))
            continue
        assert {each.property for each in made.parse.violated} == {violated}
        assert made.twin.is_well_formed
        assert made.twin.is_full
        assert made.edit
    assert missing == []


WHY_TOO_FEW = [
    (SMALL, "X: B x C", SentenceShape(), "the lexicon has no word for C\n  add some, or give a file with --lexicon"),
    (
        SMALL,
        "X: oblig A",
        SentenceShape(),
        'none of 962 phrases "X" that were tried violates the property\n'
        "  try another --seed or more --steps; what would violate it may not even be a phrase: see what numbat check"
        " says of the property",
    ),
    (
        CHAINED,
        "X: A < B",
        SentenceShape(None, 6, 8),
        "54 sentences of 2 words were built, none of the wanted length\n  try another --length",
    ),
    (
        CHAINED,
        "X: A + B",
        SentenceShape(),
        'of 611 phrases "X" that were tried, 216 violate the property, but none of them alone: 134 of them violate'
        ' "X: uniq B" too\n  try another --seed or more --steps, or violate that one instead',
    ),
    (
        NO_ROOT,
        "X: A < B",
        SentenceShape(),
        'of 587 phrases "X" that were tried, 304 violate the property alone, but no root was built around any of them\n'
        "  try another --seed or more --steps; numbat show says which constructions may hold it",
    ),
    (
        TWO_READINGS,
        "X: A < B",
        SentenceShape(),
        "7 sentences were built, but all of them have a better parse, which is well formed\n"
        "  see it with numbat parse, or try another --seed or more --steps",
    ),
]


@pytest.mark.parametrize(("text", "violated", "shape", "why"), WHY_TOO_FEW)
def test_why_too_few_are_found(text: str, violated: str, shape: SentenceShape, why: str) -> None:
    grammar = parse_grammar(text)
    tried, prop = SearchCounts(), property_named(violated, grammar)
    assert list(generate(Parser(grammar), 50, 0, prop, 900, shape, tried=tried)) == []
    assert reason(tried, prop, grammar, shape.most) == why


def test_what_is_said_of_phrases_is_said_of_those_that_were_tried() -> None:
    """The messages for one phrase and for several differ."""
    grammar = parse_grammar(SMALL)
    violated = property_named("X: A < B", grammar)

    def said(prop: Property | None, **counts: object) -> str:
        tried = SearchCounts()
        for name, value in counts.items():
            setattr(tried, name, value)
        return reason(tried, prop, grammar, 8)

    more = "try another --seed or more --steps"
    assert said(violated, phrases=1, violating=1, together=Counter({"X: A x B": 1})) == (
        'of 1 phrase "X" that was tried, 1 violates the property, but not alone: it violates "X: A x B" too\n'
        f"  {more}, or violate that one instead"
    )
    assert said(violated, phrases=1200, violating=3, together=Counter({"X: A x B": 1})) == (
        'of 1,200 phrases "X" that were tried, 3 violate the property, but none of them alone: 1 of them violates'
        f' "X: A x B" too\n  {more}, or violate that one instead'
    )
    assert said(violated, phrases=1, violating=1, alone=1) == (
        'of 1 phrase "X" that was tried, 1 violates the property alone, but no root was built around it\n'
        f"  {more}; numbat show says which constructions may hold it"
    )
    better = {"phrases": 9, "violating": 9, "alone": 9, "roots": 9, "instead": Counter({"is well formed": 1})}
    assert said(violated, **better, fitting=1) == (
        f"1 sentence was built, but it has a better parse, which is well formed\n  see it with numbat parse, or {more}"
    )
    assert said(violated, **better, fitting=2) == (
        "2 sentences were built, but 1 of them has a better parse, which is well formed\n"
        f"  see it with numbat parse, or {more}"
    )
    assert said(None, phrases=2) == (
        f"none of 2 phrases that were tried as a root is without a violation\n  {more}, and see what numbat check says"
    )
    assert said(None, phrases=2, violating=1) == f"no root was built of the phrases that were tried\n  {more}"
