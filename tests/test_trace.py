"""The trace of a run: rounds and phases, reasons for drops, stores, candidates, elections, the solution."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from numbat import DataError, Limits, Parser, load_grammar
from numbat.acceptability.models import valuation_function
from numbat.cli.main import cli
from numbat.evaluation.constituents import Constituent
from numbat.parsing.phases.neighbourhoods import Anywhere, combination_counts
from numbat.parsing.phases.phases import Site, assignation, checkpoint_alpha
from numbat.parsing.phases.trace import SCHEMA_FILE, Recorder, listed, named, narrator, trace_to_json
from numbat.parsing.policies import profile_named
from tests.phases.making import grammar, phrase, word, words
from tests.strategies import random_pair

STARTER = Path(__file__).parent / "starter" / "starter.pg"
SCHEMA = Draft202012Validator(json.loads(SCHEMA_FILE.read_text(encoding="utf-8")))

GRAMMAR = """\
leaves: Det, N, V
features:
    number: sg, pl
roots: S
S:
    uniq NP
    NP < V
NP:
    oblig N
    Det < N
    Det ~> N [number]
    N + N hard
lexicon:
    these: Det[number=pl]
    cat: N[number=sg]
    sleeps: V
semantics:
    trigger: by-operands
"""

NARRATION = """\
trace of these cat sleeps
  profile default: H1 H2 H3 H4 H5; election per-construction; best by relaxation; termination exhausted
  not in the paper: candidates above 1, the cost of the exact engine's solution, are dropped
round 1
  1 Building Site: 3 new (Det[number=pl] "these" 0-1, N[number=sg] "cat" 1-2, V "sleeps" 2-3), 0 from before
  2 Assignation: 7 (all combinations)
  3 Checkpoint Alpha: 7 entered, 6 left; dropped: H2 1
      H2 drops [Det, V] 0-1+2-3: V "sleeps" 2-3 does not begin where Det[number=pl] "these" 0-1 ends
  4 Appropriation: 6 entered, 6 left
  5 Checkpoint Bravo: 6 entered, 1 left; dropped: no property 4, H3 1
      [Det, N] 0-2 store: NP: Det < N; NP: Det ~> N [number]
      dropped (no property) [Det] 0-1: no property is about its elements
      dropped (no property) [N] 1-2: no property is about its elements
      dropped (no property) [N, V] 1-3: no property is about its elements
      dropped (no property) [V] 2-3: no property is about its elements
      H3 drops [Det, N, V] 0-3: NP leaves V uncovered; S leaves Det and N uncovered
  6 Satisfaction: 1 entered, 1 left
      [Det, N] 0-2 as NP: ✓ Det < N (grammar.pg:10) on Det 0-1, N 1-2; ✗ Det ~> N [number] (grammar.pg:11) on Det 0-1, N 1-2
  7 Formation: 1 entered, 1 left
      NP[number=sg] 0-2 over [Det, N] 0-2: cost 1, gain 1; judged here: ✓ oblig N (grammar.pg:9)
  8 Polling Booth: 1 entered, 1 left
      NP[number=sg] 0-2 over [Det, N] 0-2: cost 1, gain 1
    elected: NP[number=sg] 0-2
round 2
  1 Building Site: 1 new (NP[number=sg] 0-2), 3 from before (Det 0-1, N 1-2, V 2-3)
  2 Assignation: 8 (all combinations)
  3 Checkpoint Alpha: 8 entered, 2 left; dropped: H1 6
      H1 drops [NP, N] 0-2: NP[number=sg] 0-2 and N[number=sg] "cat" 1-2 share "cat"
      H1 drops [Det, NP] 0-2: Det[number=pl] "these" 0-1 and NP[number=sg] 0-2 share "these"
      H1 drops [NP, N, V] 0-3: NP[number=sg] 0-2 and N[number=sg] "cat" 1-2 share "cat"
      H1 drops [Det, NP, N] 0-2: Det[number=pl] "these" 0-1 and NP[number=sg] 0-2 share "these"
      H1 drops 2 more
  4 Appropriation: 2 entered, 2 left
  5 Checkpoint Bravo: 2 entered, 2 left
      [NP] 0-2 store: S: uniq NP
      [NP, V] 0-3 store: S: uniq NP; S: NP < V
  6 Satisfaction: 2 entered, 2 left
      [NP] 0-2 as S: ✓ uniq NP (grammar.pg:6) on NP 0-2
      [NP, V] 0-3 as S: ✓ uniq NP (grammar.pg:6) on NP 0-2; ✓ NP < V (grammar.pg:7) on NP 0-2, V 2-3
  7 Formation: 2 entered, 2 left
      S 0-2 over [NP] 0-2: cost 1, gain 1
      S 0-3 over [NP, V] 0-3: cost 1, gain 2
  8 Polling Booth: 2 entered, 2 left
      S 0-2 over [NP] 0-2: cost 1, gain 1
      S 0-3 over [NP, V] 0-3: cost 1, gain 2
    elected: S 0-2
    waiting until all smaller ones are elected: S 0-3
round 3
  1 Building Site: 1 new (S 0-2), 4 from before (Det 0-1, N 1-2, V 2-3, NP 0-2)
  2 Assignation: 16 (all combinations)
  3 Checkpoint Alpha: 16 entered, 2 left; dropped: H1 14
      H1 drops [S, N] 0-2: S 0-2 and N[number=sg] "cat" 1-2 share "cat"
      H1 drops [Det, S] 0-2: Det[number=pl] "these" 0-1 and S 0-2 share "these"
      H1 drops [NP, S] 0-2: NP[number=sg] 0-2 and S 0-2 share "these cat"
      H1 drops [S, N, V] 0-3: S 0-2 and N[number=sg] "cat" 1-2 share "cat"
      H1 drops 10 more
  4 Appropriation: 2 entered, 2 left
  5 Checkpoint Bravo: 2 entered, 0 left; dropped: no property 2
      dropped (no property) [S] 0-2: no property is about its elements
      dropped (no property) [S, V] 0-3: no property is about its elements
  6 Satisfaction: 0 entered, 0 left
  7 Formation: 0 entered, 0 left
  8 Polling Booth: 0 entered, 0 left
    elected: S 0-3 (built in round 2)
round 4
  1 Building Site: 1 new (S 0-3), 5 from before (Det 0-1, N 1-2, V 2-3, NP 0-2, S 0-2)
  2 Assignation: 32 (all combinations)
  3 Checkpoint Alpha: 32 entered, 1 left; dropped: H1 31
      H1 drops [S, N] 0-3: S 0-3 and N[number=sg] "cat" 1-2 share "cat"
      H1 drops [S, V] 0-3: S 0-3 and V "sleeps" 2-3 share "sleeps"
      H1 drops [Det, S] 0-3: Det[number=pl] "these" 0-1 and S 0-3 share "these"
      H1 drops [NP, S] 0-3: NP[number=sg] 0-2 and S 0-3 share "these cat"
      H1 drops 27 more
  4 Appropriation: 1 entered, 1 left
  5 Checkpoint Bravo: 1 entered, 0 left; dropped: no property 1
      dropped (no property) [S] 0-3: no property is about its elements
  6 Satisfaction: 0 entered, 0 left
  7 Formation: 0 entered, 0 left
  8 Polling Booth: 0 entered, 0 left
    elected: none
solution (H5: constituents that span exactly the input)
  1. S 0-3: cost 1, gain 2
  2. NP[number=sg] 0-2, V "sleeps" 2-3: cost 21 (fragments 20), gain 1
  3. S 0-2, V "sleeps" 2-3: cost 21 (fragments 20), gain 1"""  # noqa: E501  (lines as they are told)


def narrated(sentence: str, text: str = GRAMMAR, **options: object) -> list[str]:
    lines: list[str] = []
    Parser(grammar(text), **options).parse(sentence, narrator(lines.append))  # type: ignore[arg-type]
    return lines


def test_the_trace_of_a_sentence_of_three_words() -> None:
    assert "\n".join(narrated("these cat sleeps")) == NARRATION


# Drops and their reasons


def test_the_assignment_of_the_paper_is_seen_to_be_dropped_with_what_is_uncovered() -> None:
    lines: list[str] = []
    Parser(load_grammar("numbat-h3")).parse("le chat voit", narrator(lines.append))
    assert "      H3 drops [Det, N, V] 0-3: NP leaves V uncovered; VP leaves Det and N uncovered" in lines


def test_what_shares_a_word_and_what_leaves_a_gap_is_told() -> None:
    lines: list[str] = []
    Parser(load_grammar("numbat-h3")).parse("le chat voit", narrator(lines.append))
    assert '      H1 drops [N, NP] 1-2: N "chat" 1-2 and NP 1-2 share "chat"' in lines
    assert '      H2 drops [Det, V] 0-1+2-3: V "voit" 2-3 does not begin where Det "le" 0-1 ends' in lines


def test_what_no_property_speaks_of_is_not_dropped_by_h3() -> None:
    lines = narrated("these cat sleeps")
    assert "      dropped (no property) [Det] 0-1: no property is about its elements" in lines


def test_candidates_are_dropped_by_h4_and_by_hard_properties() -> None:
    """[cat cat] violates nothing; [cat these cat] violates the hard adjacency; [cat] satisfies nothing (H4)."""
    text = GRAMMAR.replace("    oblig N\n", "    N => Det\n")
    lines = narrated("cat these cat", text, engine="phases")
    at = lines.index("  8 Polling Booth: 5 entered, 2 left; dropped: H4 2, hard property 1")
    assert lines[at + 3 : at + 6] == [
        "      H4 drops NP over [N] 0-1: no property holds for its daughters: ✗ N => Det (grammar.pg:9) on N 0-1",
        "      H4 drops NP over [N] 2-3: no property holds for its daughters: ✗ N => Det (grammar.pg:9) on N 2-3",
        "      dropped (hard property) NP over [N, Det, N] 0-3: ✗ N + N (grammar.pg:12) on N 0-1, N 2-3",
    ]


def test_a_bound_that_is_not_in_the_paper_is_named_as_such() -> None:
    text = GRAMMAR.replace("sleeps: V", "sleeps: V\n    a: N[number=sg], Det[number=sg], V")
    lines, free = narrated("a a a", text), narrated("a a a", text, engine="phases")
    assert lines[2] == "  not in the paper: candidates above 0, the cost of the exact engine's solution, are dropped"
    assert [line for line in lines if "bound" in line][:2] == [
        "  8 Polling Booth: 13 entered, 6 left; dropped: bound (not in the paper) 5, hard property 2",
        "      bound (not in the paper) drops NP over [N, Det] 0-2: it costs 1, the bound is 0",
    ]
    assert not any("bound" in line or "not in the paper" in line for line in free)


def test_a_large_round_says_that_the_bound_leaves_combinations_out() -> None:
    text = GRAMMAR.replace("sleeps: V", "sleeps: V\n    a: N[number=sg], Det[number=sg], V")
    bounded, free = (narrated(" ".join("aaaaa"), text, engine=engine) for engine in ("auto", "phases"))
    made = "  2 Assignation: 129 of 32,767 combinations; not made, as they would be dropped: H1 31,744, H2 486, "
    assert bounded[5] == made + "H3 or bound (not in the paper) 408"
    assert free[4] == made + "H3 408"


def test_the_head_says_what_is_on() -> None:
    assert narrated("cat", profile="paper")[:2] == [
        "trace of cat",
        "  profile paper: H1 H2 H3 H4 H5; election best-combination; best by relaxation; termination exhausted",
    ]
    by_model = narrated("cat", profile="strict", election="best-combination", elect_by=valuation_function("fitness"))
    assert by_model[1] == (
        "  profile strict: H1 H2 H3 H4 H5, every property hard; election best-combination; best by fitness; "
        "termination exhausted"
    )
    ended = narrated("cat", without=["H1", "H2", "H3"], valuation="net", termination="first-solution")
    assert ended[1:3] == [
        "  profile default: H4 H5; election per-construction; best by net; termination first-solution",
        "round 1",
    ]


def test_a_tick_names_the_constituents_it_is_for() -> None:
    """Of two pairs of daughters one keeps the order, and the constituents of an assignment may have holes."""
    text = "leaves: a, b\nX:\n    a < b\nlexicon:\n    v: a\n    w: b\n"
    lines = narrated("w v w", text)
    assert (
        "      [b, a, b] 0-3 as X: ✓ a < b (grammar.pg:3) on a 1-2, b 2-3; ✗ a < b (grammar.pg:3) on a 1-2, b 0-1"
        in lines
    )
    holes = narrated("v w v w", text, without=["H2"])
    assert "      [a, b] 0-1+3-4 as X: ✓ a < b (grammar.pg:3) on a 0-1, b 3-4" in holes


def test_combinations_are_left_out_by_the_heuristics_that_are_on() -> None:
    many, few = " ".join(["these cat"] * 7), Limits(assignments=9)

    def told(*without: str, engine: str = "phases") -> str:
        lines = narrated(many, without=without, limits=few, engine=engine)
        return next(line for line in lines if line.startswith("  2 Assignation"))

    assert told("H2") == "  2 Assignation: 9 (those allowed by H1 and H3)"
    assert told("H2", engine="auto") == "  2 Assignation: 9 (those allowed by H1, H3 and bound (not in the paper))"
    assert told("H2", "H3") == "  2 Assignation: 9 (those allowed by H1)"
    assert told("H1", "H2", "H3") == "  2 Assignation: 9"
    assert (
        told("H1", "H3") == "  2 Assignation: 9 of 16,383 combinations; not made, as they would be dropped: H2 16,278"
    )


def test_the_properties_of_a_construction_that_covers_not_all_are_taken_from_the_store() -> None:
    text = "leaves: a, b, c\nX:\n    uniq a\n    a < b\nY:\n    uniq a\n    uniq c\nlexicon:\n    a: a\n    b: b\n"
    lines = narrated("a b", text)
    assert "      [a, b] 0-2 store: X: uniq a; X: a < b; H3 drops the properties of Y" in lines


def test_without_the_narrow_neighbourhood_checkpoint_alpha_has_something_to_drop() -> None:
    lines = narrated("these cat sleeps", without=("H2", "H3"))
    assert lines[5:7] == ["  2 Assignation: 7 (all combinations)", "  3 Checkpoint Alpha: 7 entered, 7 left"]
    assert "  5 Checkpoint Bravo: 7 entered, 2 left; dropped: no property 5" in lines


# Evaluated, built and elected constituents


def test_the_obligation_is_judged_in_formation() -> None:
    lines = narrated("these", GRAMMAR.replace("    oblig N\n", "    oblig N\n    uniq Det\n"))
    assert "      NP 0-1 over [Det] 0-1: cost 1, gain 0; judged here: ✗ oblig N (grammar.pg:9)" in lines


def test_candidates_of_earlier_rounds_are_named_as_such() -> None:
    lines = narrated("these cat sleeps")
    assert "    waiting until all smaller ones are elected: S 0-3" in lines
    assert "    elected: S 0-3 (built in round 2)" in lines


def test_a_candidate_that_beats_others_says_so() -> None:
    text = "leaves: a\nroots: X\nX:\n    uniq a\n    a => Y cost .5\nY:\n    uniq a\nlexicon:\n    a: a\n"
    lines = narrated("a a", text.replace("    uniq a\n    a =>", "    uniq {a, Y}\n    a =>"), engine="phases")
    assert (
        "    elected: X 0-2 (built in round 2, better than 1 candidate for the same: over [a, Y] 0-2, cost 0, gain 2)"
        in lines
    )


# The solution


def test_the_solution_is_told_with_the_next_best_ones() -> None:
    assert narrated("these cat sleeps")[-4:] == [
        "solution (H5: constituents that span exactly the input)",
        "  1. S 0-3: cost 1, gain 2",
        '  2. NP[number=sg] 0-2, V "sleeps" 2-3: cost 21 (fragments 20), gain 1',
        '  3. S 0-2, V "sleeps" 2-3: cost 21 (fragments 20), gain 1',
    ]


def test_without_h5_the_largest_constituent_leaves_words_out() -> None:
    lines = narrated("sleeps these cat", GRAMMAR.replace("    NP < V\n", ""), without=["H5"])
    assert lines[-3:] == [
        "solution (without H5: one of the largest constituents; 2 equally good)",
        "  1. NP[number=sg] 1-3: cost 11 (fragments 10), gain 1; leaves out the words at 0",
        "  2. S 1-3: cost 11 (fragments 10), gain 1; leaves out the words at 0",
    ]


MAX_MADE = 6_000
"""Assignments of a trace of ten words: the sentences below have 2,100 to 4,400, without a bound 8,700 to 11,900."""


@pytest.mark.parametrize(
    "sentence",
    [
        "the old man saw the dog in the small park yesterday",
        "the old man see the dog in small the park yesterday",
        "dog the old saw man in the park small with the",
    ],
)
def test_ten_words_of_a_grammar_of_a_hundred_properties_end_in_the_tree_that_parse_shows(sentence: str) -> None:
    parser, recorder = Parser(load_grammar(STARTER)), Recorder()
    plain = parser.parse(sentence)
    shown = parser.parse(sentence, recorder)
    made = sum(phase.left for each in recorder.rounds for phase in each.phases if phase.name == "Assignation")
    assert made < MAX_MADE, made
    assert shown == plain
    assert recorder.choice is not None
    assert recorder.choice.ended_by is None
    assert recorder.choice.count == plain.count
    assert _written(recorder) == plain.to_brackets()


def _written(recorder: Recorder) -> str:
    """The brackets of the best solution that a recorder saw."""

    def bracketed(constituent: Constituent) -> str:
        inner = constituent.form if constituent.is_word else " ".join(map(bracketed, constituent.daughters))
        return f"({constituent.construction} {inner})"

    assert recorder.choice is not None
    return " ".join(map(bracketed, recorder.choice.solutions[0].constituents))


@pytest.mark.parametrize("seed", range(60))
def test_what_the_bound_drops_is_in_none_of_the_best_solutions(seed: int) -> None:
    given, lattice = random_pair(seed)
    parser, recorder = Parser(given), Recorder()
    best = parser.parse(lattice, recorder)
    assert recorder.choice is not None
    first = recorder.choice.solutions[0]
    cost = sum(top.cost_units for top in first.constituents) + first.fragment_cost
    assert (cost, recorder.choice.count) == (best.cost_units, best.count)
    assert SCHEMA.is_valid(trace_to_json(recorder))


# Counts of assignments that are not made


@pytest.mark.parametrize(
    "site",
    [
        Site(words("A B C")),
        Site(words("A B C")[1:], words("A B C")[:1]),
        Site((phrase("X", *words("A B")), phrase("Y", *words("A B C")[1:])), words("A B C D")),
    ],
)
def test_combinations_are_counted_without_being_made(site: Site) -> None:
    counted = combination_counts(site)
    made = list(assignation(site, Anywhere(site)))
    assert counted.every == len(made)
    assert counted.distinct == len(list(checkpoint_alpha(made, profile_named("default", without=["H2"]))))
    assert counted.contiguous == len(list(checkpoint_alpha(made, profile_named("default"))))


def test_a_large_round_says_what_was_not_made() -> None:
    lines = narrated(" ".join(["these cat"] * 7))
    assert lines[5] == "  2 Assignation: 105 of 16,383 combinations; not made, as they would be dropped: H2 16,278"


def test_details_are_cut_where_there_are_many_and_all_are_there_on_demand() -> None:
    sentence = " ".join(["these cat"] * 5)
    cut: list[str] = []
    whole: list[str] = []
    parser = Parser(grammar(GRAMMAR))
    parser.parse(sentence, narrator(cut.append))
    assert any("H2 drops" in line and line.endswith(" more") for line in cut)
    Parser(grammar(GRAMMAR)).parse("these cat sleeps", narrator(whole.append, everything=True))
    assert not any(line.endswith(" more") for line in whole)


# JSON


def traced(sentence: str, *options: str) -> dict[str, Any]:
    done = CliRunner().invoke(cli, ["parse", "-g", "numbat-h3", "--trace", "-f", "json", *options, sentence])
    assert done.exit_code == 0, done.output
    (parse,) = json.loads(done.stdout)
    assert done.stderr == ""
    trace: dict[str, Any] = parse["trace"]
    return trace


def test_the_json_of_a_trace_keeps_its_schema_and_names_what_is_uncovered() -> None:
    trace = traced("le chat voit")
    SCHEMA.validate(trace)
    kinds = {each["id"]: each["construction"] for each in trace["constituents"]}
    bravo = trace["rounds"][0]["phases"][3]
    (dropped,) = [each for each in bravo["dropped"] if len(each["assignment"]) == 3]
    uncovered = {each["construction"]: [kinds[i] for i in each["elements"]] for each in dropped["uncovered"]}
    assert (bravo["name"], dropped["heuristic"], uncovered) == (
        "Checkpoint Bravo",
        "H3",
        {"NP": ["V"], "VP": ["Det", "N"]},
    )
    top, word = trace["solution"]["best"][0]["constituents"]
    assert (kinds[top], kinds[word]) == ("NP", "V")
    assert top in trace["rounds"][2]["new"]


def test_a_recorder_without_a_run_has_no_json() -> None:
    with pytest.raises(DataError) as caught:
        trace_to_json(Recorder())
    assert str(caught.value) == "this recorder has not seen a complete run\n  pass it to Parser.parse as the observer"


def test_the_compact_form_has_no_trace() -> None:
    done = CliRunner().invoke(cli, ["parse", "-g", "numbat-h3", "--trace", "-f", "json", "--compact", "le chat"])
    assert (
        str(done.exception)
        == "--compact and --trace exclude each other\n  a trace has one form, with names: leave one of them out"
    )


# Names


def test_the_line_of_a_packaged_grammar_is_named() -> None:
    lines: list[str] = []
    Parser(load_grammar("numbat-h3")).parse("le chat", narrator(lines.append))
    assert any("✓ Det < N (numbat-h3.pg:24)" in line for line in lines)


def test_how_constituents_and_assignments_are_named() -> None:
    noun: Constituent = word("N[number=sg]", 1)
    around = phrase("X", word("A", 0), word("A", 3))
    assert named(noun) == 'N[number=sg] "w1" 1-2'
    assert named(around) == "X 0-1+3-4"
    assert listed((around, noun)) == "[X, N] 0-2+3-4"
    assert listed(words("Det N")) == "[Det, N] 0-2"
