"""Filtering profiles that a grammar declares, the wildcard property type, and strengths of all relations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from numbat import Grammar, Parser, UsageError, load_grammar, parse_grammar
from numbat.authoring.report import grammar_report
from numbat.errors import GrammarError
from numbat.grammar import yaml_format
from numbat.grammar.cache import decode, encode
from numbat.grammar.digest import digest, excerpt, structure
from numbat.grammar.model import PropertyWeights
from numbat.grammar.printing import format_grammar
from numbat.grammar.profiles import PROFILES, Profile
from numbat.grammar.properties import UNIT
from tests.samples import enough
from tests.strategies import random_lattice, random_pair

OWN = """
leaves: Det, N, V
roots: S
profile shallow: without H4, H3, election all
profile fast like paper: election per-construction
profile careful like shallow: with H3, * hard, termination first-solution
semantics:
    profile: shallow
S: oblig VP; NP < VP
NP: oblig N; Det < N
VP: uniq V
lexicon:
    the: Det
    cat: N
    sleeps: V
"""
PROFILES_OF_OWN = (
    Profile("shallow", ("H1", "H2", "H5"), "all"),
    Profile("fast"),
    Profile("careful", ("H1", "H2", "H3", "H5"), "all", all_hard=True, termination="first-solution"),
)


def parse_yaml(text: str) -> Grammar:
    return parse_grammar(text, "g.yaml")


def without_profile(text: str) -> str:
    return text.replace("semantics:\n    profile: shallow\n", "")


def test_a_grammar_has_the_profiles_that_it_declares_with_all_that_they_are_like() -> None:
    assert parse_grammar(OWN).profiles == PROFILES_OF_OWN


def test_profiles_are_printed_and_read_again_in_both_forms() -> None:
    given = parse_grammar(OWN)
    written, as_yaml = format_grammar(given), yaml_format.format_grammar(given)
    assert "\nprofile careful: without H4, * hard, election all, termination first-solution\n" in written
    careful = ("careful:", "  without: [H4]", "  election: all", "  termination: first-solution", "  hard: true")
    assert "".join(f"  {line}\n" for line in careful) in as_yaml
    assert parse_grammar(written) == parse_yaml(as_yaml) == given


def test_yaml_has_the_keys_of_the_notation() -> None:
    text = """
leaves: [Det, N]
profiles:
  shallow: {without: [H4, H3], election: all}
  fast: {like: paper, election: per-construction}
  careful: {like: shallow, with: H3, hard: yes, termination: first-solution}
constructions:
  NP: {properties: [oblig N]}
"""
    assert parse_yaml(text).profiles == PROFILES_OF_OWN


def test_a_profile_of_the_grammar_is_chosen_by_its_name() -> None:
    given = parse_grammar(without_profile(OWN))
    assert Parser(given).profile == PROFILES["default"]
    assert Parser(given, "fast").profile == PROFILES_OF_OWN[1]
    assert Parser(given, "careful", "beam", without=["H2"], termination="exhausted").profile == Profile(
        "careful", ("H1", "H3", "H5"), "beam", all_hard=True
    )
    with pytest.raises(UsageError) as caught:
        Parser(given, "shalow")
    assert str(caught.value) == 'unknown profile: "shalow"\n  did you mean "shallow"?'


def test_a_grammar_chooses_the_profile_of_runs_that_name_none() -> None:
    given = parse_grammar(OWN)
    assert Parser(given).profile == PROFILES_OF_OWN[0]
    assert Parser(given).parse("the cat").outcome.profile == "shallow"
    assert Parser(given, "default").profile == PROFILES["default"]


def test_rounds_end_as_the_grammar_says_where_a_profile_does_not() -> None:
    given = parse_grammar(OWN.replace("profile: shallow", "termination: first-solution"))
    assert [each.termination for each in given.profiles] == ["first-solution"] * 3
    assert Parser(given, "paper").profile.termination == Parser(given, "fast").profile.termination == "first-solution"
    assert parse_grammar(format_grammar(given)) == given


def test_profiles_are_part_of_what_a_grammar_is() -> None:
    given = parse_grammar(without_profile(OWN))
    other = replace(given, profiles=given.profiles[:2])
    assert digest(given) != digest(other)
    assert structure(given) != structure(other)
    assert decode(encode(given)) == given
    assert excerpt(given, ["NP"], []).profiles == given.profiles
    assert Parser(given, "fast").with_grammar(other) is None


def test_a_file_counts_before_the_files_that_it_includes(tmp_path: Path) -> None:
    (tmp_path / "base.pg").write_text("profile a: without H4\nprofile b like a: election beam\n", encoding="utf-8")
    main = 'include: "base.pg"\nleaves: N\nprofile a: without H3\nNP: oblig N\n'
    (tmp_path / "main.pg").write_text(main, encoding="utf-8")
    heuristics = ("H1", "H2", "H4", "H5")
    assert load_grammar(tmp_path / "main.pg").profiles == (Profile("a", heuristics), Profile("b", heuristics, "beam"))


def test_profiles_are_shown() -> None:
    assert (
        "profiles      shallow: without H3, H4, election all; fast:; "
        "careful: without H4, * hard, election all, termination first-solution"
    ) in list(grammar_report(parse_grammar(OWN)).lines())


def test_a_greedy_profile_of_the_grammar_is_told_by_its_name() -> None:
    text = without_profile(OWN).replace("profile fast like paper: election per-construction", "profile old like paper:")
    assert 'greedy profile "old"' in Parser(parse_grammar(text), "old").parse("the cat").summary()


MISTAKES = [
    (
        "profile a: without H7",
        'g.pg:2:20: "H7" is not a valid heuristic\n'
        "    profile a: without H7\n"
        "                       ^^\n"
        "  the heuristics are: H1, H2, H3, H4, H5",
    ),
    (
        "profile a: election bean",
        'g.pg:2:21: "bean" is not a valid election\n'
        "    profile a: election bean\n"
        "                        ^^^^\n"
        '  did you mean "beam"?',
    ),
    (
        "profile a like b:\nprofile b like a:",
        "g.pg:3:16: profiles inherit from each other in a circle: a like b like a\n"
        "    profile b like a:\n"
        "                   ^\n"
        '  remove "like" from one of them',
    ),
    (
        "profile paper: without H4",
        'g.pg:2:9: every grammar has a profile "paper"\n'
        "    profile paper: without H4\n"
        "            ^^^^^\n"
        '  choose another name, as in "profile my-paper like paper: without H4"',
    ),
    (
        "profile a like papr: without H4",
        'g.pg:2:16: "papr" is not a profile\n'
        "    profile a like papr: without H4\n"
        "                   ^^^^\n"
        '  did you mean "paper"?',
    ),
    (
        "profile a: election all, H4",
        'g.pg:2:26: "H4" does not fit here\n'
        "    profile a: election all, H4\n"
        "                             ^^\n"
        '  name heuristics after "without" or "with": without H3, H4',
    ),
    (
        "profile a: election all, election beam",
        'g.pg:2:35: "beam" is a second election; a profile has one\n'
        "    profile a: election all, election beam\n"
        "                                      ^^^^\n"
        "  remove one of the two",
    ),
    (
        "profile a: without H5, termination first-solution",
        "g.pg:2:9: termination first-solution needs H5\n"
        "    profile a: without H5, termination first-solution\n"
        "            ^\n"
        '  H5 defines what a solution is: write "termination exhausted" here, or leave H5 on',
    ),
    (
        "profile a:\nprofile a: without H4",
        'g.pg:3:9: profile "a" is declared twice, first in line 2\n'
        "    profile a: without H4\n"
        "            ^\n"
        "  remove one of the two",
    ),
    (
        "semantics:\n    profile: dflt",
        'g.pg:3:14: "dflt" is not a choice for profile\n'
        "        profile: dflt\n"
        "                 ^^^^\n"
        '  did you mean "default"?',
    ),
    (
        "* cost 2\nall * cost 3",
        'g.pg:3:5: "all *" is set twice, first in line 2\n    all * cost 3\n        ^\n  put them in one line',
    ),
]


@pytest.mark.parametrize(("line", "message"), MISTAKES, ids=[line for line, _ in MISTAKES])
def test_a_mistake_is_told_with_its_place_and_cure(line: str, message: str) -> None:
    with pytest.raises(GrammarError) as caught:
        parse_grammar(f"leaves: N\n{line}\nNP: oblig N\n", "g.pg")
    assert str(caught.value) == message


def test_a_name_of_several_words_is_no_profile_in_yaml() -> None:
    with pytest.raises(GrammarError) as caught:
        parse_yaml("leaves: [N]\nprofiles:\n  my own: {without: [H4]}\nconstructions: {NP: {properties: [oblig N]}}\n")
    assert '"my own" cannot be the name of a profile' in str(caught.value)


@pytest.mark.parametrize("seed", range(12))
def test_a_profile_of_the_grammar_finds_what_its_settings_find(seed: int) -> None:
    given, lattice = random_pair(seed, longest=3)
    own = replace(given, profiles=(Profile("own", ("H1", "H2", "H3", "H5")),))
    for engine in ("exact", "phases"):
        one, other = Parser(own, "own", engine=engine), Parser(given, without=["H4"], engine=engine)
        assert one.parse(lattice).to_brackets() == other.parse(lattice).to_brackets()


# The strength of all relations

STRONG = """
leaves: Det, N
* cost 2 weight 3
all linearity cost 5
NP:
    oblig N
    Det < N
    Det + N cost 7
AP:
    all * cost 4
    all uniqueness hard
    oblig N
    Det < N
    uniq N
    Det < N if Det or N
"""


def numbers(given: Grammar) -> list[tuple[str, float, float, bool]]:
    return [(p.relation, p.weight, p.cost, p.hard) for p in given.properties]


def test_a_star_speaks_of_all_relations_of_which_no_nearer_line_speaks() -> None:
    assert numbers(parse_grammar(STRONG)) == [
        ("obligation", 3, 2, False),
        ("linearity", 3, 5, False),
        ("adjacency", 3, 7, False),
        ("obligation", 3, 4, False),
        ("linearity", 3, 4, False),
        ("uniqueness", 3, 4, True),
        ("B < C if D or E", 3, 4, False),
    ]


def test_the_strength_of_all_relations_is_printed_and_read_again() -> None:
    given = parse_grammar(STRONG)
    assert "\nall * weight 3 cost 2\n" in format_grammar(given)
    assert parse_grammar(format_grammar(given)) == parse_yaml(yaml_format.format_grammar(given)) == given


def test_learned_numbers_state_what_differs_from_the_strength_of_all() -> None:
    given = parse_grammar(STRONG)
    weights = PropertyWeights(tuple(3 * UNIT for _ in given.properties), tuple(4 * UNIT for _ in given.properties))
    learned = given.with_weights(weights)
    assert [each.stated.cost for each in learned.properties] == [4 * UNIT, 4 * UNIT, 4 * UNIT, None, None, None, None]
    assert [each.stated.weight for each in learned.properties] == [None] * 7
    assert parse_grammar(format_grammar(learned)) == learned


def test_a_construction_takes_over_the_strength_of_all_relations() -> None:
    given = parse_grammar("leaves: N, V\nA:\n    * cost 4\n    oblig N\nB like A:\n    uniq V\n")
    assert [each.cost_units // UNIT for each in given.properties] == [4, 4, 4]


def test_every_property_is_hard_under_a_star_that_says_so() -> None:
    given = parse_grammar("leaves: Det, N\n* hard\nNP:\n    uniq Det\n    Det => N\nlexicon:\n    the: Det\n")
    assert Parser(given).parse("the").to_brackets() == "(Det the)"


# The wildcard property type

UNKNOWN = "leaves: Det, N\nNP:\n    uniq Det\n    Det => N\n    wildcard(?) weight 2\nlexicon:\n    the: Det\n"


@pytest.mark.parametrize("engine", ["exact", "phases"])
def test_the_wildcard_property_covers_and_builds_and_never_costs(engine: str) -> None:
    parser = Parser(parse_grammar(UNKNOWN), engine=engine)
    assert [parser.parse(text).summary() for text in ("the wug", "wug")] == [
        "full parse: cost 1 (violations 1); weight 3; 1 tree; 2 satisfied, 1 violated; 1 word unknown: wug",
        "full parse: cost 0; weight 2; 1 tree; 1 satisfied, 0 violated; 1 word unknown: wug",
    ]
    assert parser.parse("the wug").to_brackets() == "(NP (Det the) (? wug))"


def test_without_it_an_unknown_word_stays_outside() -> None:
    given = parse_grammar(UNKNOWN.replace("    wildcard(?) weight 2\n", ""))
    assert Parser(given).parse("the wug").to_brackets() == "(Det the) (? wug)"


def test_it_is_printed_as_it_is_written() -> None:
    given = parse_grammar(UNKNOWN)
    assert "\n    wildcard(?) weight 2\n" in format_grammar(given)
    assert parse_grammar(format_grammar(given)) == parse_yaml(yaml_format.format_grammar(given)) == given


@pytest.mark.parametrize("seed", range(enough(25)))
def test_both_engines_agree_where_each_construction_has_one(seed: int) -> None:
    rng = Random(seed)
    given, _ = random_pair(seed, longest=4)
    (form,) = parse_grammar("leaves: N\nX: wildcard(?)\n").properties
    constructions = [
        replace(each, properties=(*each.properties, replace(form, construction=each.name)))
        for each in given.constructions
    ]
    leaves = tuple(each for each in given.leaves if each != "?")
    given = replace(given, leaves=leaves, constructions=tuple(constructions))
    lattice = random_lattice(rng, replace(given, leaves=(*leaves, "?")), 4)
    exact, phases = (Parser(given, engine=engine).parse(lattice) for engine in ("exact", "phases"))
    assert (exact.cost_units, exact.weight_units, exact.count) == (phases.cost_units, phases.weight_units, phases.count)
