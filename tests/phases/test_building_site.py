"""Phase 1, Building Site: one constituent per part of speech of each word."""

from __future__ import annotations

from math import log

from numbat.grammar.names import WILDCARD
from numbat.grammar.properties import UNIT
from numbat.parsing.phases.phases import building_site
from numbat.words.lattice import Arc, Lattice
from numbat.words.lexical_lookup import read_text, words_of
from tests.phases.making import bundle, grammar, over


def lattice(*arcs: Arc) -> Lattice:
    tokens = tuple(f"w{position}" for position in range(max(arc.end for arc in arcs)))
    return Lattice(tokens, arcs)


def test_one_constituent_for_each_part_of_speech_of_each_word() -> None:
    site = building_site(lattice(Arc(0, 1, "the", "Det"), Arc(1, 2, "saw", "N"), Arc(1, 2, "saw", "V")))
    assert [(c.construction, c.start, c.end, c.form) for c in site.new] == [
        ("Det", 0, 1, "the"),
        ("N", 1, 2, "saw"),
        ("V", 1, 2, "saw"),
    ]
    assert site.old == ()


def test_they_are_words_without_daughters_or_properties() -> None:
    (word,) = building_site(lattice(Arc(0, 1, "the", "Det"))).new
    assert word.is_word
    assert word.depth == word.gain_units == word.cost_units == 0
    assert word.characterization.satisfied == word.characterization.violated == ()


def test_no_words_no_constituents() -> None:
    site = building_site(Lattice((), ()))
    assert site.new == site.old == ()


def test_several_values_of_a_feature_are_several_constituents() -> None:
    text = "leaves: N\nfeatures:\n    number: sg, pl\nNP:\n    uniq N\nlexicon:\n    sheep: N[number=sg|pl]\n"
    site = building_site(read_text("sheep", words_of(grammar(text))))
    assert [c.features for c in site.new] == [bundle("number=sg"), bundle("number=pl")]


def test_the_best_reading_costs_nothing_and_the_others_what_they_are_less_likely() -> None:
    site = building_site(lattice(Arc(0, 1, "saw", "V", (), log(3)), Arc(0, 1, "saw", "N", (), log(1))))
    verb, noun = site.new
    assert (verb.cost_units, verb.lexical_cost_units) == (0, 0)
    assert noun.cost_units == noun.lexical_cost_units == round(log(3) * UNIT)


def test_readings_are_compared_within_the_same_tokens_only() -> None:
    """An unlikely multiword form costs nothing if it has no rival over the same tokens."""
    arcs = Arc(0, 1, "New", "Adj", (), -1.0), Arc(1, 2, "York", "N", (), -1.0), Arc(0, 2, "New York", "PN", (), -9.0)
    site = building_site(lattice(*arcs))
    assert [(c.construction, c.cover, c.cost_units) for c in site.new] == [
        ("Adj", over(0), 0),
        ("N", over(1), 0),
        ("PN", over(0, 1), 0),
    ]


def test_of_two_equal_readings_the_likelier_stays() -> None:
    site = building_site(lattice(Arc(0, 1, "w", "N", (), -2.0), Arc(0, 1, "w", "V"), Arc(0, 1, "w", "N", (), -1.0)))
    assert [(c.construction, c.cost_units) for c in site.new] == [("N", UNIT), ("V", 0)]


def test_a_guessed_word_is_marked_and_an_unknown_one_is_a_wildcard() -> None:
    known = words_of(grammar('leaves: N\nNP:\n    uniq N\nlexicon:\n    cat: N\nguess:\n    "*s": N\n'))
    site = building_site(read_text("cat zogs zog", known))
    assert [(c.construction, c.guessed) for c in site.new] == [("N", False), ("N", True), (WILDCARD, True)]
