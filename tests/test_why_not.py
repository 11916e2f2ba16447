"""The reasons of `numbat why-not`, and of partial parses: true by the oracle on random grammars, and their words."""

from __future__ import annotations

import pytest

from numbat import Parser, parse_grammar
from numbat.errors import UsageError
from numbat.evaluation.constituents import Constituent
from numbat.grammar.model import Construction, Grammar
from numbat.parsing.explanation.obstacles import Obstacle
from numbat.parsing.queries import GivenConstituent, constituent_named, missing_because, parse_with, why_not
from numbat.words.lexical_lookup import read_text
from tests.oracle import (
    PROFILES,
    Forest,
    TooManyTreesError,
    build,
    covers_all,
    enumerate_trees,
    is_retrieved,
    truths_of,
)
from tests.strategies import random_pair

SWITCHES = PROFILES["default"]
GERMAN = """
leaves: Det, N, V, Adv
features:
    case: nom, acc
S: NP < VP
NP: Det < N; case from Det
VP: V < NP
lexicon:
    der: Det[case=nom]
    den: Det[case=acc]
    Mann: N
    schläft: V
    dort: Adv
"""


def is_true(found: Obstacle, construction: Construction, grammar: Grammar) -> bool:
    """True if the oracle confirms an obstacle."""
    daughters = [(each.construction, each.features) for each in found.daughters]
    if build(grammar, construction, daughters, SWITCHES) is not None:
        return found.kind in ("own daughter", "unary limit") and len(daughters) == 1
    retrieved = [what for what in construction.properties if is_retrieved(grammar, what, daughters)]
    truths = [truths_of(grammar, what, daughters) for what in retrieved]
    match found.kind:
        case "own daughter":
            return daughters[0][0] == construction.name
        case "unary limit":
            return found.daughters[0].depth >= grammar.unary_limit
        case "not spoken of":
            return not retrieved
        case "nothing holds":
            return bool(retrieved) and not any(True in each for each in truths)
        case "hard":
            every = [(what, truths_of(grammar, what, daughters)) for what in construction.properties]
            return bool(found.properties) and set(found.properties) == {w for w, t in every if w.hard and False in t}
    return False


def covered(within: list[Constituent], construction: Construction) -> list[Constituent]:
    return [each for each in within if covers_all(construction, [(each.construction, each.features)])]


def of_oracle(forest: Forest, start: int, end: int) -> set[tuple[object, ...]]:
    return {
        (tree.start, tree.end, tree.construction, tree.features, tree.depth)
        for (begin, stop), trees in forest.trees.items()
        for tree in trees
        if start <= begin and stop <= end
    }


def check_reasons(grammar: Grammar, forest: Forest, parser: Parser, given: GivenConstituent, lattice: object) -> str:
    """Compare one answer with the oracle; return the kind of the reason, empty if the constituent is in the parse."""
    found = parse_with(parser, lattice, given)  # type: ignore[arg-type]
    there = any(tree.construction == given.category for tree in forest.trees[given.start, given.end])
    assert (found.parse is not None) == there
    if there:
        return ""
    within = list(found.within)
    seen = {(each.start, each.end, each.construction, each.features, each.depth) for each in within}
    assert seen == of_oracle(forest, given.start, given.end)
    construction = next(each for each in grammar.constructions if each.name == given.category)
    reason = missing_because(parser, given, within)
    assert not reason.others
    if reason.nearest is not None:
        assert (reason.nearest.daughters[0].start, reason.nearest.daughters[-1].end) == (given.start, given.end)
        assert {(d.start, d.end, d.construction, d.features, d.depth) for d in reason.nearest.daughters} <= seen
        assert is_true(reason.nearest, construction, grammar)
        return reason.nearest.kind
    reached = {i for each in covered(within, construction) for i in range(each.start, each.end)}
    assert reason.unplaced == tuple(i for i in range(given.start, given.end) if i not in reached)
    if reason.alone is not None:
        phrase = next(each for each in grammar.constructions if each.name == reason.alone.construction)
        assert is_true(reason.alone, phrase, grammar)
    return "unplaced" if reason.unplaced else "undivided"


def test_reasons_are_those_of_the_oracle() -> None:
    kinds: dict[str, int] = {}
    for seed in range(60):
        grammar, lattice = random_pair(seed, longest=4)
        try:
            forest = enumerate_trees(grammar, lattice, budget=3_000)
        except TooManyTreesError:
            continue
        parser = Parser(grammar)
        for start, end in forest.trees:
            for construction in grammar.constructions:
                given = GivenConstituent(start, end, construction.name)
                kind = check_reasons(grammar, forest, parser, given, lattice)
                kinds[kind] = kinds.get(kind, 0) + 1
    assert {"", "unplaced", "hard", "nothing holds", "not spoken of"} <= set(kinds), kinds


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ("2-3:VP", 'no analysis has VP over "schläft": no property of VP is about V alone'),
        (
            "0-3:S",
            'no analysis has S over "der Mann schläft": S is made of NP and VP, and "schläft" can be none of these, '
            "because no property of VP is about V alone",
        ),
        ("Mann:N", 'N over "Mann" is in a best parse'),
        ("der mann:NP[nom]", 'NP[case=nom] over "der Mann" is in a best parse'),
        ("0-2:NP[case=acc]", 'no analysis has NP[case=acc] over "der Mann": there NP has case=nom'),
        ("0-3:VP", 'no analysis has VP over "der Mann schläft": every property of VP that applies to NP and V '
         "together is violated: V < NP"),
    ],
)  # fmt: skip
def test_what_is_said(wanted: str, says: str) -> None:
    parser = Parser(parse_grammar(GERMAN))
    lattice = read_text("der Mann schläft", parser.words)
    assert why_not(parser, lattice, constituent_named(wanted, parser.grammar, lattice)).says == says


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("Hund:N", '"Hund" is not in the sentence\n  its words are: der Mann der Mann'),
        ("der Mann:NP", '"der Mann" is in the sentence at 0-2 and 2-4\n  choose one, as in 0-2:NP'),
        ("0-2:NP[cas=nom]", '"cas" is not a feature of the grammar\n  did you mean "case"?'),
        ("0-2:NP[case=dat]", '"dat" is not a value of case\n  the values of case are: nom, acc'),
    ],
)
def test_what_cannot_be_asked(wanted: str, message: str) -> None:
    parser = Parser(parse_grammar(GERMAN))
    with pytest.raises(UsageError) as error:
        constituent_named(wanted, parser.grammar, read_text("der Mann der Mann", parser.words))
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        ("der Mann schläft", '2 fragments; V "schläft" (2-3) fits nowhere: S is made of NP and VP, and no property '
         "of VP is about V alone"),
        ("der Mann dort", '2 fragments; Adv "dort" (2-3) fits nowhere: no construction is made of Adv'),
        ("schläft Karl der Mann", '3 fragments; the unknown word "Karl" (1-2) and 1 more fit nowhere: no construction '
         "is made of unknown words"),
    ],
)  # fmt: skip
def test_a_partial_parse_says_what_fits_nowhere(sentence: str, says: str) -> None:
    (said,) = Parser(parse_grammar(GERMAN)).parse(sentence).explain()
    assert said == f"no construction spans the whole sentence: {says}"
