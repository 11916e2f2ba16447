"""Limits, and inputs at the edge: an analysis always comes back."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from itertools import combinations
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

from numbat import (
    Arc,
    DataError,
    Grammar,
    Lattice,
    Limits,
    Parse,
    Parser,
    Tagger,
    TreebankParser,
    UsageError,
    load_grammar,
    parse_grammar,
)
from numbat.acceptability.edits import EditableParse, slots_of
from numbat.grammar.profiles import ELECTIONS, HEURISTICS, PROFILES
from numbat.grammar.properties import UNIT
from numbat.parses.formats import TreeStyle
from numbat.parses.job import ParseJob
from numbat.parses.verbs import PrintJob
from numbat.parsing.treebank_grammar.expansions import Expansions
from numbat.runs.sentences import InputSentence, NamedText, SentenceReading
from numbat.words.typed import read_tagged
from tests.phases.making import NP, grammar

STARTER = Path(__file__).parent / "starter" / "starter.pg"

SENTENCE = "the old cat sees the dog"
LONG = " ".join(["the cat sees the dog in the old house"] * 4).split()[:30]


@pytest.fixture(scope="module")
def english() -> Grammar:
    return load_grammar(STARTER)


def covers_the_input(parse: Parse) -> bool:
    """H5: the constituents span exactly the input, each word once."""
    tokens = len(parse.lattice.tokens)
    return sum(top.cover for top in parse.constituents) == (1 << tokens) - 1


def positions(parse: Parse) -> list[int]:
    return [word.start for top in parse.constituents for word in top.words()]


# Each limit

STOPPED = [
    (Limits(rounds=1), "rounds (1)"),
    (Limits(rounds=3), "rounds (3)"),
    (Limits(assignments=1), "assignments (1)"),
    (Limits(assignments=10), "assignments (10)"),
    (Limits(constituents=1), "constituents (1)"),
    (Limits(constituents=12), "constituents (12)"),
    (Limits(seconds=1e-9), "seconds (1e-09)"),
]


@pytest.mark.parametrize(("limits", "stopped_by"), STOPPED, ids=[stopped_by for _, stopped_by in STOPPED])
@pytest.mark.parametrize("election", ELECTIONS)
def test_a_limit_that_is_met_is_named_and_the_result_spans_the_input(
    english: Grammar, limits: Limits, stopped_by: str, election: str
) -> None:
    parse = Parser(english, election=election, limits=limits, engine="phases").parse(SENTENCE)
    if election == "best-combination" and parse.stopped_by is None:
        assert parse.outcome.rounds <= 4  # it is done before the limit
    else:
        assert parse.stopped_by == stopped_by
        assert parse.summary().endswith(f"; stopped by the limit on {stopped_by}")
    assert covers_the_input(parse)
    assert sorted(positions(parse)) == list(range(6))


def test_at_a_limit_of_one_assignment_the_parts_of_speech_come_back(english: Grammar) -> None:
    parse = Parser(english, limits=Limits(assignments=1), engine="phases").parse("cat the")
    assert [top.construction for top in parse.constituents] == ["N", "Det"]
    assert parse.cost_units == parse.fragment_cost_units == 20 * UNIT


def test_a_limit_that_is_not_met_is_not_named(english: Grammar) -> None:
    generous = Limits(rounds=1_000, assignments=10_000, constituents=10_000, seconds=600)
    parse = Parser(english, limits=generous, engine="phases").parse("the cat sleeps")
    assert parse.stopped_by is None
    assert "stopped" not in parse.summary()
    assert parse.to_brackets() == Parser(english, engine="phases").parse("the cat sleeps").to_brackets()


def test_what_was_built_before_the_limit_is_used() -> None:
    """In the first round the noun phrase is built, in the second the verb phrase over it."""
    text = NP.replace("leaves:", "roots: VP\nleaves:") + "lexicon:\n    the: Det\n    cat: N\n    sees: V\n"
    found = [
        Parser(grammar(text), limits=Limits(rounds=rounds), engine="phases", election="all").parse("sees the cat")
        for rounds in (1, 2, 3)
    ]
    assert [parse.to_brackets() for parse in found] == [
        "(V sees) (NP (Det the) (N cat))",
        "(VP (V sees) (NP (Det the) (N cat)))",
        "(VP (V sees) (NP (Det the) (N cat)))",
    ]
    assert [parse.stopped_by for parse in found] == ["rounds (1)", "rounds (2)", None]


def test_candidates_that_wait_at_the_limit_are_used() -> None:
    """[Det, N] is smaller than [Det, Adj, N]: after one round only the first is elected, the other waits."""
    text = NP + "lexicon:\n    the: Det\n    old: Adj\n    cat: N\n"
    parse = Parser(grammar(text), limits=Limits(rounds=1), engine="phases").parse("the old cat")
    assert parse.to_brackets() == "(NP (Det the) (Adj old) (N cat))"
    assert parse.stopped_by == "rounds (1)"


@pytest.mark.parametrize("engine", ["exact", "phases"])
def test_a_clock_that_was_started_before(english: Grammar, engine: str) -> None:
    parser = Parser(english, engine=engine)
    assert parser.parse("The cats sleeps.", overdue=lambda: False).stopped_by is None
    late = parser.parse("The cats sleeps.", overdue=lambda: True)
    assert late.stopped_by == "seconds"
    assert covers_the_input(late)


class LateAfter:
    """A clock that is overdue after some calls: once, or from then on."""

    def __init__(self, early: int, stays_late: bool) -> None:
        self.early, self.stays_late = early, stays_late

    def __call__(self) -> bool:
        self.early -= 1
        return self.early < 0 if self.stays_late else self.early == -1


@pytest.mark.parametrize("valuation", ["relaxation", "net"])
@pytest.mark.parametrize("profile", PROFILES)
def test_what_the_rounds_elected_is_taken_at_once_when_the_seconds_are_over(
    english: Grammar, profile: str, valuation: str
) -> None:
    parser = Parser(english, engine="phases", profile=profile, valuation=valuation)
    for early in range(0, 12, 2):
        late, best = (
            parser.parse("the cat sees the old", overdue=LateAfter(early, stays_late)) for stays_late in (True, False)
        )
        assert late.stopped_by == best.stopped_by
        assert late.outcome.rounds == best.outcome.rounds
        assert covers_the_input(late)
        (one, other) = (value_of(parser, parse) for parse in (late, best))
        assert one >= other if profile == "discontinuous" else one == other


def value_of(parser: Parser, parse: Parse) -> int:
    return parser.valuation.value(parse.cost_units, sum(top.gain_units for top in parse.constituents))


@pytest.mark.parametrize("name", ["rounds", "assignments", "constituents", "seconds", "width"])
@pytest.mark.parametrize("number", [0, -1])
def test_a_limit_below_one_makes_no_sense(name: str, number: int) -> None:
    with pytest.raises(UsageError) as caught:
        Limits(**{name: number})
    assert str(caught.value) == f"the limit of {name} must be above 0, found {number}\n  None is no limit"


# Long input


@pytest.mark.parametrize("profile", PROFILES)
def test_thirty_words_come_back_soon_after_the_limit_on_seconds(english: Grammar, profile: str) -> None:
    """After the time is up, the clock is hardly called any more."""
    asked = 0

    def overdue() -> bool:
        nonlocal asked
        asked += 1
        return asked > 300

    parse = Parser(english, profile=profile, engine="phases").parse(" ".join(LONG), overdue=overdue)
    assert asked < 310
    assert parse.stopped_by in ("seconds", None)
    assert covers_the_input(parse)
    assert len(positions(parse)) == 30


@pytest.mark.parametrize("election", ELECTIONS)
def test_thirty_words_come_back_soon_after_the_limit_on_assignments(english: Grammar, election: str) -> None:
    parse = Parser(english, election=election, limits=Limits(assignments=500), engine="phases").parse(" ".join(LONG))
    assert parse.stopped_by in ("assignments (500)", None)
    assert covers_the_input(parse)


@pytest.mark.parametrize("profile", ["default", "paper", "discontinuous"])
def test_two_thousand_words_need_no_deep_recursion(profile: str) -> None:
    text = "leaves: a, b\nX:\n    uniq b\nlexicon:\n    a: a\n    b: b\n"
    parse = Parser(grammar(text), profile=profile, limits=Limits(assignments=5_000)).parse("a " * 2_000 + "b")
    assert covers_the_input(parse)


def test_two_thousand_words_need_no_deep_recursion_in_the_phases_engine() -> None:
    text = "leaves: a, b\nX:\n    uniq b\nlexicon:\n    a: a\n    b: b\n"
    parse = Parser(grammar(text), engine="phases").parse("a " * 2_000 + "b")
    assert covers_the_input(parse)


DEEP = "leaves: W\nroots: X0\nunary_limit: 1200\n" + "".join(
    f"X{i}:\n    oblig {below}\n    uniq {below}\n"
    for i in range(1_200)
    for below in ["W" if i == 1_199 else f"X{i + 1}"]
)
"""Phrases with one daughter each, deeper than the stack of Python."""


@pytest.mark.parametrize("engine", ["exact", "phases"])
def test_deep_trees_need_no_deep_recursion(engine: str) -> None:
    parser = Parser(grammar(DEEP), engine=engine)
    parse = parser.parse(read_tagged("word/W", parser.words))
    assert parse.nodes == 1_200
    assert parse.is_well_formed
    blocks = EditableParse(parse, slots_of(parse.lattice, parser.words)).blocks
    assert blocks == {(0, 1): None}


# Little input


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("text", ["", "  ", "...", "?!"])
def test_empty_input(english: Grammar, profile: str, text: str) -> None:
    parse = Parser(english, profile=profile).parse(text)
    assert parse.constituents == ()
    assert (parse.cost_units, parse.weight_units, parse.count, parse.stopped_by) == (0, 0, 1, None)
    assert not parse.is_full
    assert parse.to_brackets() == ""
    assert parse.explain() == ()


@pytest.mark.parametrize("profile", PROFILES)
def test_one_word(english: Grammar, profile: str) -> None:
    parse = Parser(english, profile=profile).parse("sleep")
    assert positions(parse) == [0]
    assert parse.is_full
    assert parse.to_brackets() == "(S (VP (V sleep)))"


@pytest.mark.parametrize("profile", PROFILES)
def test_unknown_words_only(profile: str) -> None:
    parse = Parser(grammar(NP), profile=profile).parse("zog zig zag")
    assert parse.to_brackets() == "(? zog) (? zig) (? zag)"
    assert parse.fragment_cost_units == 30 * UNIT
    assert parse.outcome.rounds >= 1


@pytest.mark.parametrize("profile", PROFILES)
def test_a_grammar_that_says_nothing(profile: str) -> None:
    parse = Parser(Grammar(), profile=profile).parse("the cat")
    assert parse.to_brackets() == "(? the) (? cat)"


@pytest.mark.parametrize(
    ("arc", "message"),
    [
        (
            Arc(0, 0, "a", "Det"),
            'the arc "a/Det" goes from 0 to 0\n  an arc must begin before it ends, within the tokens, here from 0 to 1',
        ),
        (
            Arc(0, 5, "a", "Det"),
            'the arc "a/Det" goes from 0 to 5\n  an arc must begin before it ends, within the tokens, here from 0 to 1',
        ),
        (
            Arc(0, 1, "a", "Det", log_weight=float("nan")),
            'the arc "a/Det" has the log weight nan\n  it must be a finite number',
        ),
    ],
)
def test_an_arc_that_is_none_is_an_error(arc: Arc, message: str) -> None:
    with pytest.raises(DataError) as caught:
        Parser(grammar(NP)).parse(Lattice(("a",), (Arc(0, 1, "a", "Det"), arc)))
    assert str(caught.value) == message


NOTHING = Expansions((), ())

WRONG: dict[str, tuple[Callable[[Any], object], str]] = {
    "parse": (
        lambda parser: parser.parse(["the", "cat"]),
        'a sentence is a text or a Lattice, not list\n  words that are cut already become one with " ".join(words)',
    ),
    "n_best": (lambda parser: parser.n_best("the cat", 0), "0 parses cannot be requested\n  request 1 or more"),
    "n_best of no number": (
        lambda parser: parser.n_best("the cat", "2"),
        "2 parses cannot be requested\n  request 1 or more",
    ),
    "Parser": (
        lambda parser: type(parser)("english"),
        "a parser takes a grammar, not 'english'\n  load one: numbat.Parser(numbat.load_grammar(...))",
    ),
    "TreebankParser": (
        lambda parser: TreebankParser("english", NOTHING),  # type: ignore[arg-type]
        "a parser takes a grammar, not 'english'\n  load one: numbat.TreebankParser(numbat.load_grammar(...))",
    ),
    "profile": (
        lambda parser: type(parser)(parser.grammar, 3),
        'unknown profile: "3"\n  choose from: default, paper, strict, loose, discontinuous',
    ),
    "engine": (
        lambda parser: type(parser)(parser.grammar, engine=None),
        'unknown engine: "None"\n  choose from: auto, exact, phases',
    ),
    "limits": (
        lambda parser: type(parser)(parser.grammar, limits=10),
        "limits are numbat.Limits, not 10\n  as in limits=numbat.Limits(seconds=10)",
    ),
    "without": (
        lambda parser: type(parser)(parser.grammar, without="H4"),
        "without takes a list of heuristics, not 'H4'\n  as in without=[\"H4\"]",
    ),
    "expansions": (
        lambda parser: TreebankParser(parser.grammar, "ewt"),  # type: ignore[arg-type]
        "expansions must be numbat.parsing.treebank_grammar.expansions.Expansions, not 'ewt'\n"
        "  read_expansions in that module reads them from a file",
    ),
    "prune that is no number": (
        lambda parser: TreebankParser(parser.grammar, NOTHING, prune=nan),
        "prune must be a number from 0 to 1,000,000, not nan\n  correct or omit it",
    ),
    "prune without end": (
        lambda parser: TreebankParser(parser.grammar, NOTHING, prune=inf),
        "prune must be a number from 0 to 1,000,000, not inf\n  correct or omit it",
    ),
    "prune that is a text": (
        lambda parser: TreebankParser(parser.grammar, NOTHING, prune="6"),  # type: ignore[arg-type]
        "prune must be a number from 0 to 1,000,000, not '6'\n  correct or omit it",
    ),
    "properties": (
        lambda parser: TreebankParser(parser.grammar, NOTHING, properties=-1),
        "properties must be a number from 0 to 1,000,000, not -1\n  correct or omit it",
    ),
    "Limits": (
        lambda parser: Limits(items=1.5),  # type: ignore[arg-type]
        "the limit of items must be a whole number, found 1.5\n  None is no limit",
    ),
    "Limits of seconds": (
        lambda parser: Limits(seconds="10"),  # type: ignore[arg-type]
        "the limit of seconds must be a number, found '10'\n  None is no limit",
    ),
    "parse_grammar of no text": (
        lambda parser: parse_grammar(STARTER),  # type: ignore[arg-type]
        "a grammar is parsed from a text, not from a value of type PosixPath\n  load_grammar takes a file or a name",
    ),
    "parse_grammar of nothing": (
        lambda parser: parse_grammar(None),  # type: ignore[arg-type]
        "a grammar is parsed from a text, not from a value of type NoneType\n  load_grammar takes a file or a name",
    ),
    "parse_grammar at no path": (
        lambda parser: parse_grammar("leaves: N\n", 3),  # type: ignore[arg-type]
        "the path of a grammar is a text, not a value of type int\n  leave it out, or give the name of a file",
    ),
    "load_grammar of no name": (
        lambda parser: load_grammar(b"english"),  # type: ignore[arg-type]
        "a grammar is loaded by its name, not by a value of type bytes\n"
        "  give a file or the name of a packaged grammar; in Python, parse_grammar takes the text itself",
    ),
    "load_grammar of a text": (
        lambda parser: load_grammar("leaves: N\nNP: uniq N\n"),
        "a grammar is loaded by its name, not by a text of several lines\n"
        "  give a file or the name of a packaged grammar; in Python, parse_grammar takes the text itself",
    ),
    "Tagger.load": (
        lambda parser: Tagger.load(3),  # type: ignore[arg-type]
        "3 is not the name of a model\n  give the path of a file from numbat tag train",
    ),
    "Lattice of no tokens": (
        lambda parser: parser.parse(Lattice(3, ())),  # type: ignore[arg-type]
        "this lattice has a part of the wrong type: object of type 'int' has no len()\n"
        '  as in numbat.Lattice(("cats",), (numbat.Arc(0, 1, "cats", "N", (("number", "pl"),)),))',
    ),
    "Lattice with features in a dict": (
        lambda parser: parser.parse(Lattice(("cat",), (Arc(0, 1, "cat", "N", {"number": "sg"}),))),  # type: ignore[arg-type]
        "this lattice has a part of the wrong type: unhashable type: 'dict'\n"
        '  as in numbat.Lattice(("cats",), (numbat.Arc(0, 1, "cats", "N", (("number", "pl"),)),))',
    ),
    "Lattice of no arcs": (
        lambda parser: parser.parse(Lattice(("cat",), ("cat",))),  # type: ignore[arg-type]
        "this lattice has a part of the wrong type: 'str' object has no attribute 'start'\n"
        '  as in numbat.Lattice(("cats",), (numbat.Arc(0, 1, "cats", "N", (("number", "pl"),)),))',
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_arguments_of_a_wrong_type(case: str) -> None:
    call, message = WRONG[case]
    with pytest.raises(UsageError) as caught:
        call(Parser(grammar(NP)))
    assert str(caught.value) == message


def test_a_parser_is_sent_to_other_processes() -> None:
    parser = Parser(grammar(NP), valuation="net", limits=Limits(items=77), without=iter(["H4"]))
    for twin in (pickle.loads(pickle.dumps(parser)), deepcopy(parser)):
        assert twin.parse("the cat") == parser.parse("the cat")
        assert (twin.valuation, twin.limits, twin.profile) == (parser.valuation, parser.limits, parser.profile)


def test_what_a_limit_left_unknown_is_not_claimed() -> None:
    parse = Parser(grammar(NP), limits=Limits(items=1)).parse("the cat")
    assert parse.stopped_by == "items (1)"
    assert parse.explain() == ("the limit was met before a phrase over the whole sentence was found: 2 fragments",)


def test_a_token_without_a_reading_is_an_error() -> None:
    with pytest.raises(DataError) as caught:
        Parser(grammar(NP)).parse(Lattice(("the", "cat"), (Arc(0, 1, "the", "Det"),)))
    assert str(caught.value) == 'token 2, "cat", has no reading by itself\n  give it at least one arc'


@pytest.mark.parametrize(
    ("arc", "message"),
    [
        (Arc(0, 1, "a", "n"), '"n" in the arc "a/n" is not a category of the grammar\n  did you mean "N"?'),
        (
            Arc(0, 1, "a", "N", (("nmber", "sg"),)),
            '"nmber" in the arc "a/N" is not a feature of the grammar\n  did you mean "number"?',
        ),
        (
            Arc(0, 1, "a", "N", (("number", "dual"),)),
            '"dual" in the arc "a/N" is not a value of number of the grammar\n  the grammar has: sg, pl',
        ),
    ],
)
def test_names_in_arcs_are_those_of_the_grammar(arc: Arc, message: str) -> None:
    parser = Parser(grammar("features: number: sg, pl\n" + NP))
    with pytest.raises(DataError) as caught:
        parser.parse(Lattice(("a",), (arc,)))
    assert str(caught.value) == message


# Without heuristics

HOME = NP + "lexicon:\n    the: Det\n    old: Adj\n    cat: N\n    sees: V\n    runs: V, N\n"


@pytest.mark.parametrize("without", [off for size in (1, 2, 5) for off in combinations(HEURISTICS, size)])
@pytest.mark.parametrize("sentence", ["", "cat", "cat the", "the old cat runs", "zog"])
def test_an_analysis_comes_back_without_any_heuristic(without: tuple[str, ...], sentence: str) -> None:
    limits = Limits(assignments=300)
    parse = Parser(grammar(HOME), without=without, limits=limits).parse(sentence)
    tokens = len(sentence.split())
    if "H5" not in without:
        assert covers_the_input(parse)
    elif tokens:
        assert len(parse.constituents) == 1
    assert parse.outcome.rounds > 0 or not tokens


def test_without_h1_nothing_changes_while_contiguity_implies_it() -> None:
    both = [Parser(grammar(HOME), without=without).parse("the old cat runs") for without in ((), ("H1",))]
    assert both[0].to_brackets() == both[1].to_brackets()


def test_without_h2_a_constituent_may_be_discontinuous() -> None:
    text = "leaves: A, B\nX:\n    A + A\n    uniq A\n    oblig A\nlexicon:\n    a: A\n    b: B\n"
    contiguous, free = (Parser(grammar(text), without=without).parse("a b a") for without in ((), ("H2",)))
    assert contiguous.to_brackets() == "(X (A a)) (B b) (X (A a))"
    assert free.constituents[0].cover == 0b101
    assert covers_the_input(free)


@pytest.mark.parametrize("engine", ["exact", "phases"])
def test_reading_a_sentence_counts_towards_its_seconds(
    english: Grammar, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("numbat.parsing.policies.monotonic", lambda: now[0])
    parser = Parser(english, engine=engine, limits=Limits(seconds=5))

    def read(given: NamedText | InputSentence, seconds: float) -> InputSentence:
        now[0] += seconds
        return SentenceReading(parser)(given)

    def remark(seconds: float) -> bool:
        job = PrintJob(partial(read, seconds=seconds), ParseJob(parser), "bracket", TreeStyle(False, 80, False))
        facts = job(NamedText("1", "The cats sleeps.")).noted.facts
        assert facts is not None
        return facts.is_limited

    assert (remark(4.0), remark(6.0)) == (False, True)


def test_without_h3_an_element_may_be_uncovered() -> None:
    strict, free = (Parser(grammar(HOME), without=without).parse("the cat zog") for without in ((), ("H3",)))
    assert strict.to_brackets() == "(NP (Det the) (N cat)) (? zog)"
    assert free.to_brackets() == "(NP (Det the) (N cat) (? zog))"


def test_without_h4_a_constituent_may_satisfy_nothing() -> None:
    text = "leaves: Det, N\nNP:\n    N => Det\nlexicon:\n    cat: N\n"
    strict, free = (Parser(grammar(text), without=without).parse("cat") for without in ((), ("H4",)))
    assert strict.to_brackets() == "(N cat)"
    assert free.to_brackets() == "(NP (N cat))"
    assert free.violation_cost_units == UNIT


def test_without_h5_the_largest_constituent_comes_back_alone() -> None:
    spanning, free = (Parser(grammar(HOME), without=without).parse("zog the old cat zig") for without in ((), ("H5",)))
    assert spanning.to_brackets() == "(? zog) (NP (Det the) (Adj old) (N cat)) (? zig)"
    assert free.to_brackets() == "(NP (Det the) (Adj old) (N cat))"
    assert free.explain() == ("NP stands alone, but leaves out: zog, zig",)
    assert (free.is_full, free.is_well_formed, free.fragment_cost_units) == (False, False, 10 * UNIT)
    whole = Parser(grammar(HOME), without=["H5"]).parse("the old cat")
    assert (whole.is_full, whole.is_well_formed, whole.fragment_cost_units) == (True, True, 0)


@pytest.mark.parametrize("weight", [1e308, -1e308, 1e12, -1_000_001.0])
def test_a_log_weight_that_no_cost_can_hold_is_told(weight: float) -> None:
    lattice = Lattice(("x",), (Arc(0, 1, "x", "a"), Arc(0, 1, "x", "b", (), weight)), text="x")
    with pytest.raises(DataError) as caught:
        Parser(load_grammar("anbn")).parse(lattice)
    assert str(caught.value) == (
        f'the arc "x/b" has the log weight {weight:g}\n'
        "  it must lie between -1,000,000 and 1,000,000, so that costs fit into 64 bits"
    )


def test_the_n_best_are_read_off_until_the_time_is_up() -> None:
    """In a sentence of thousands of words each parse takes a tenth of a second, and a hundred equal ones are sorted."""
    parser = Parser(parse_grammar("leaves: A\nroots: S\nS:\n    oblig A\n    uniq A\nlexicon:\n    a: A\n"))
    sentence, asked = "a a a a a a a", 0

    def clock() -> bool:
        nonlocal asked
        asked += 1
        return asked > up_after

    up_after = 1_000_000
    every = parser.n_best(sentence, 60, overdue=clock)
    assert len(every) == 60
    assert every[0].stopped_by is None
    up_after, asked = asked - 40, 0
    some = parser.n_best(sentence, 60, overdue=clock)
    assert some[0].stopped_by == "seconds"
    assert 0 < len(some) < 60
    assert some[0].to_brackets() == every[0].to_brackets()
