"""The narration of a run: every round and phase, counts, drops by heuristic, stores, candidates, the elected."""

from __future__ import annotations

from numbat import Parser, load_grammar
from numbat.evaluation.constituents import Constituent
from numbat.parsing.phases.trace import Narrator, listed, named
from tests.phases.making import grammar, phrase, word, words

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
"""

NARRATION = """\
round 1
  1 Building Site: 3 new (Det[number=pl] "these" 0-1, N[number=sg] "cat" 1-2, V "sleeps" 2-3), 0 from before
  2 Assignation: 7 (all combinations)
  3 Checkpoint Alpha: 7 entered, 6 left; dropped: H2 1
  4 Appropriation: 6 entered, 6 left
  5 Checkpoint Bravo: 6 entered, 1 left; dropped: H3 5
      [Det, N] 0-2 store: NP: Det < N; NP: Det ~> N [number]
  6 Satisfaction: 1 entered, 1 left
      [Det, N] 0-2 as NP: ✓ Det < N (grammar.pg:10); ✗ Det ~> N [number] (grammar.pg:11)
  7 Formation: 1 entered, 1 left
      NP[number=sg] 0-2 over [Det, N] 0-2: cost 1, gain 1
  8 Polling Booth: 1 entered, 1 left
      NP[number=sg] 0-2 over [Det, N] 0-2: cost 1, gain 1
    elected: NP[number=sg] 0-2
round 2
  1 Building Site: 1 new (NP[number=sg] 0-2), 3 from before
  2 Assignation: 8 (all combinations)
  3 Checkpoint Alpha: 8 entered, 2 left; dropped: H1 6
  4 Appropriation: 2 entered, 2 left
  5 Checkpoint Bravo: 2 entered, 2 left
      [NP] 0-2 store: S: uniq NP
      [NP, V] 0-3 store: S: uniq NP; S: NP < V
  6 Satisfaction: 2 entered, 2 left
      [NP] 0-2 as S: ✓ uniq NP (grammar.pg:6)
      [NP, V] 0-3 as S: ✓ uniq NP (grammar.pg:6); ✓ NP < V (grammar.pg:7)
  7 Formation: 2 entered, 2 left
      S 0-2 over [NP] 0-2: cost 1, gain 1
      S 0-3 over [NP, V] 0-3: cost 1, gain 2
  8 Polling Booth: 2 entered, 2 left
      S 0-2 over [NP] 0-2: cost 1, gain 1
      S 0-3 over [NP, V] 0-3: cost 1, gain 2
    elected: S 0-2
round 3
  1 Building Site: 1 new (S 0-2), 4 from before
  2 Assignation: 16 (all combinations)
  3 Checkpoint Alpha: 16 entered, 2 left; dropped: H1 14
  4 Appropriation: 2 entered, 2 left
  5 Checkpoint Bravo: 2 entered, 0 left; dropped: H3 2
  6 Satisfaction: 0 entered, 0 left
  7 Formation: 0 entered, 0 left
  8 Polling Booth: 0 entered, 0 left
    elected: S 0-3
round 4
  1 Building Site: 1 new (S 0-3), 5 from before
  2 Assignation: 32 (all combinations)
  3 Checkpoint Alpha: 32 entered, 1 left; dropped: H1 31
  4 Appropriation: 1 entered, 1 left
  5 Checkpoint Bravo: 1 entered, 0 left; dropped: H3 1
  6 Satisfaction: 0 entered, 0 left
  7 Formation: 0 entered, 0 left
  8 Polling Booth: 0 entered, 0 left
    elected: none"""


def narrated(sentence: str, text: str = GRAMMAR, most: int = 20, **options: object) -> list[str]:
    lines: list[str] = []
    Parser(grammar(text), **options).parse(sentence, Narrator(lines.append, most))  # type: ignore[arg-type]
    return lines


def test_the_narration_of_a_sentence_of_three_words() -> None:
    assert "\n".join(narrated("these cat sleeps")) == NARRATION


def test_drops_are_told_by_heuristic() -> None:
    """[cat cat] violates nothing; [cat these cat] violates the hard adjacency; [cat] satisfies nothing (H4)."""
    lines = narrated("cat these cat", GRAMMAR.replace("    oblig N\n", "    N => Det\n"))
    booth = next(line for line in lines if "Polling Booth" in line)
    assert booth == "  8 Polling Booth: 5 entered, 2 left; dropped: H4 2, hard property 1"


def test_without_the_narrow_neighbourhood_checkpoint_alpha_has_something_to_drop() -> None:
    lines = narrated("these cat sleeps", without=("H2", "H3"))
    assert lines[2:4] == ["  2 Assignation: 7 (all combinations)", "  3 Checkpoint Alpha: 7 entered, 7 left"]
    assert "  5 Checkpoint Bravo: 7 entered, 2 left; dropped: no property 5" in lines


def test_details_are_cut_where_there_are_many() -> None:
    lines = narrated("these cat sleeps", most=1, election="all")
    at = lines.index("  5 Checkpoint Bravo: 2 entered, 2 left")
    assert lines[at + 1 : at + 4] == [
        "      [NP] 0-2 store: S: uniq NP",
        "      ...",
        "  6 Satisfaction: 2 entered, 2 left",
    ]


def test_the_line_of_a_packaged_grammar_is_named() -> None:
    lines: list[str] = []
    Parser(load_grammar("numbat-h3")).parse("the cat", Narrator(lines.append))
    assert any("✓ Det < N (numbat-h3.pg:18)" in line for line in lines)


def test_how_constituents_and_assignments_are_named() -> None:
    noun: Constituent = word("N[number=sg]", 1)
    around = phrase("X", word("A", 0), word("A", 3))
    assert named(noun) == 'N[number=sg] "w1" 1-2'
    assert named(around) == "X 0-4"
    assert listed((around, noun)) == "[X, N] 0-4"
    assert listed(words("Det N")) == "[Det, N] 0-2"
