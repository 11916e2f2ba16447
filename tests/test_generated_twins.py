"""What generated sentences and their twins differ in, and what a search that finds too few says."""

from __future__ import annotations

from random import Random

import pytest

from numbat import Parser, parse_grammar
from numbat.gradience.generate import SentenceShape, differing, generate, property_named
from numbat.gradience.random_phrases import PARSE_STEPS, Tried, reason

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
    """On random grammars: it violates nothing, the other the named property alone, and all else is equal."""
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
    """The search ends after so many steps, and after the same number each time."""
    monkeypatch.setattr("numbat.gradience.generate.STEPS", 1_000)
    parser, ended = Parser(parse_grammar(random_text(Random(1)))), []
    for _ in range(2):
        tried = Tried()
        found = [made.sentence for made in generate(parser, 1_000, 7, tried=tried)]
        ended.append((found, tried))
    assert ended[0] == ended[1]
    assert 0 < tried.kept < 1_000 <= tried.steps < 1_000 + 8 * 60 + PARSE_STEPS
    assert not tried.late


@pytest.mark.parametrize(
    ("violated", "shape", "why"),
    [
        ("X: B x C", SentenceShape(), "the lexicon has no word for C\n  add some, or give a file with --lexicon"),
        (
            "X: oblig A",
            SentenceShape(),
            'none of 460 phrases "X" violates the property\n'
            "  what would violate it may be no phrase at all: see what numbat check says of the property",
        ),
        (
            "X: A < B",
            SentenceShape(None, 6, 8),
            "156 sentences of 2 to 4 words were put together, none of the number that is asked for\n"
            "  try another --length",
        ),
    ],
)
def test_why_too_few_are_found(violated: str, shape: SentenceShape, why: str) -> None:
    grammar = parse_grammar(SMALL)
    tried, prop = Tried(), property_named(violated, grammar)
    assert list(generate(Parser(grammar), 50, 0, prop, 900, shape, tried=tried))[50:] == []
    assert reason(tried, prop, grammar, shape.most) == why
