"""Caches of the exact engine: they do not change searches, and an interrupt leaves them intact."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from numbat import Lattice, Limits, Parser, load_grammar, parse_grammar
from numbat.automata.property_automaton import PropertyAutomata
from numbat.evaluation.constituents import lexical_costs
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.grammar.profiles import PROFILES
from numbat.parsing.exact import compiled_grammar, python_search
from numbat.parsing.exact.compiled_grammar import WeightedGrammar
from numbat.parsing.exact.items import SearchItems
from tests.samples import enough
from tests.strategies import random_pair


def without_first_token(lattice: Lattice) -> Lattice:
    arcs = tuple(arc._replace(start=arc.start - 1, end=arc.end - 1) for arc in lattice.arcs if arc.start > 0)
    return Lattice(lattice.tokens[1:], arcs, (), "")


def backwards(lattice: Lattice) -> Lattice:
    end = len(lattice.tokens)
    arcs = tuple(arc._replace(start=end - arc.end, end=end - arc.start) for arc in lattice.arcs)
    return Lattice(lattice.tokens[::-1], arcs, (), "")


def search(lattice: Lattice, weighted: WeightedGrammar) -> SearchItems:
    words = [
        (arc.start, arc.end, weighted.kinds.number((arc.category, arc.features)), cost)
        for arc, cost in lexical_costs(lattice)
    ]
    return python_search.search(len(lattice.tokens), words, weighted, None, False, Limits())


def what(items: SearchItems) -> tuple[object, ...]:
    """Return everything except the numbers of kinds, which depend on the order of their first use."""
    return items.built, items.settled, items.starts, items.ends, items.edges, items.counts, items.roots, items.covers


def test_few_characterizations_of_phrases_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    grammar = load_grammar("english")
    texts = "The cats sleeps.", "She sees the old dogs.", "Dogs the sees of."
    fresh = [Parser(grammar).parse(text).to_json() for text in texts]
    for module in (compiled_grammar, compiled_grammar):
        monkeypatch.setattr(module, "MAX_TEMPLATES", 3)
    parser = Parser(grammar)
    other = parser.with_weights(grammar.weights)
    for text, expected in zip(texts * 2, fresh * 2, strict=True):
        assert parser.parse(text).to_json() == other.parse(text).to_json() == expected
        assert 0 < len(parser.weighted.compiled.characterizations) < 20


@pytest.mark.parametrize("forgets", [False, True])
@pytest.mark.parametrize("valuation", ["relaxation", "net"])
def test_what_is_kept_or_forgotten_changes_no_search(valuation: str, forgets: bool) -> None:
    searched = 0
    for seed in range(enough(60)):
        grammar, lattice = random_pair(seed, negative=False, longest=5)
        kept = Parser(grammar, valuation=valuation).weighted
        for each in (lattice, backwards(lattice), without_first_token(lattice), lattice):
            if not each.tokens or {arc.start for arc in each.arcs} != set(range(len(each.tokens))):
                continue
            if forgets:
                kept.compiled.forget_lookaheads()
                kept.prepare(4)
            fresh = Parser(grammar, valuation=valuation).weighted
            found, expected = search(each, kept), search(each, fresh)
            said = f"random_pair({seed}, False, 5): {each.tokens}"
            assert what(found) == what(expected), said
            searched += 1
    assert searched > enough(150)


def test_ends_of_sentences_with_the_same_operands_have_one_number() -> None:
    grammar, lattice = next(
        pair
        for pair in (random_pair(seed, negative=False, longest=5) for seed in range(enough(99)))
        if len(pair[1].tokens) > 3
    )
    weighted = Parser(grammar).weighted
    search(lattice, weighted)
    numbers = len(weighted.compiled.lookahead_numbers.lookaheads)
    assert numbers
    search(lattice, weighted)
    search(without_first_token(lattice), weighted)
    assert len(weighted.compiled.lookahead_numbers.lookaheads) == numbers


NUMBERING = {
    *("__missing__", "step", "_number", "number", "symbol", "_observe", "types", "_types_in", "_asking", "type_told"),
    *("_class_of", "_new_class", "contribution_of", "_computed", "_least_costs", "_least_cost"),
}
"""Functions that number kinds at their first use."""


def reached(work: Callable[[], object], stop_at: tuple[str, int] | None = None) -> list[tuple[str, int]]:
    """The lines of those functions that some work comes to; at `stop_at` it is interrupted."""
    lines: dict[tuple[str, int], None] = {}

    def at(frame: FrameType, event: str, argument: object) -> Any:
        place = frame.f_code.co_filename, frame.f_lineno
        lines[place] = None
        if place == stop_at:
            raise KeyboardInterrupt
        return at

    def called(frame: FrameType, event: str, argument: object) -> Any:
        return at if frame.f_code.co_name in NUMBERING and "numbat" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        work()
    finally:
        sys.settrace(before)
    return list(lines)


def test_properties_that_differ_only_in_operands_or_weights_have_one_automaton() -> None:
    properties = "A < B", "B < C", "A < C weight 2", "A < A", "C < D hard", "A => B | C", "C => A | B", "B => D"
    grammar = parse_grammar("leaves: A, B, C, D\nroots: X\nX:\n    " + "\n    ".join(properties) + "\n")
    evaluator = Evaluator(build_table(grammar))
    automata = PropertyAutomata(evaluator, PROFILES["default"].all_hard)
    first, like, heavier, of_itself, hard, choice, like_choice, plain = (
        id(automata.bind(prop).automaton) for prop in grammar.properties
    )
    assert first == like == heavier
    assert choice == like_choice
    assert len({first, of_itself, hard, choice, plain}) == 5


def test_an_interrupt_leaves_nothing_half_known() -> None:
    stopped: set[str] = set()
    for seed in range(4):
        grammar, lattice = random_pair(seed, negative=False, longest=4)
        whole = Parser(grammar).weighted
        places = reached(partial(search, lattice, whole))
        expected = search(lattice, whole)
        for place in places:
            weighted = Parser(grammar).weighted
            with pytest.raises(KeyboardInterrupt):
                reached(partial(search, lattice, weighted), place)
            assert what(search(lattice, weighted)) == what(expected), place
            stopped.add(Path(place[0]).stem)
    assert stopped == {
        "compiled_grammar",
        "construction_automaton",
        "daughter_classes",
        "property_automaton",
        "records",
    }
