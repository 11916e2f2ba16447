"""Costs by max margin: the ranking and its certificate, comparisons, neighbours, ties, rounds, the verb."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numbat import Parser, load_grammar
from numbat.acceptability.fitting import read_fitted
from numbat.acceptability.models import score
from numbat.acceptability.suite import Item
from numbat.acceptability.terms import group_of
from numbat.grammar.model import Grammar, PropertyWeights
from numbat.grammar.printing import format_grammar
from numbat.grammar.properties import UNIT, format_named
from numbat.learning.costs import SentenceCounts
from numbat.learning.margin import (
    Learned,
    Learner,
    RankedPair,
    RankingConstraint,
    Tying,
    comparisons_of,
    contrasts,
    cost_of,
    counts_of,
    merged,
    model_of,
    solve,
    tuned,
)
from numbat.parsing.policies import VALUATIONS
from numbat.runs.loop import in_this_process
from numbat.runs.sentences import plain
from numbat.treebanks.corruptions import neighbours
from tests import command_line
from tests.command_line import Done
from tests.samples import enough

GRAMMAR = """\
grammar: small
leaves: Det, N, V
roots: S
features: number: sg, pl
S:
    oblig V
    uniq {NP, V}
    NP < V
    NP ~> V [number]
NP:
    oblig N
    uniq {Det, N}
    Det < N
    Det ~> N [number] cost 0.5
lexicon:
    the: Det
    a: Det[number=sg]
    cat: N[number=sg]
    cats: N[number=pl]
    sleeps: V[number=sg]
    sleep: V[number=pl]
"""
Numbat = Callable[..., Done]


@pytest.fixture(scope="module")
def grammar(tmp_path_factory: pytest.TempPathFactory) -> Grammar:
    path = tmp_path_factory.mktemp("margin") / "g.pg"
    path.write_text(GRAMMAR, encoding="utf-8")
    return load_grammar(str(path))


@pytest.fixture(scope="module")
def parser(grammar: Grammar) -> Parser:
    return Parser(grammar)


@pytest.fixture
def numbat(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    monkeypatch.chdir(tmp_path)
    Path("g.pg").write_text(GRAMMAR, encoding="utf-8")
    command = command_line.Numbat(capsys, monkeypatch)
    return lambda *arguments: command(*arguments, "-g", "g.pg")


# The ranking

ALTERNATIVE = st.tuples(
    st.dictionaries(st.integers(0, 4), st.integers(-3, 3).map(float), max_size=4),
    st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0]),
)
PAIRS = st.lists(
    st.tuples(st.lists(ALTERNATIVE, min_size=1, max_size=3), st.sampled_from([0.1, 1.0, 5.0])), min_size=1, max_size=12
).map(merged)


@given(PAIRS, st.integers(0, 3))
@settings(max_examples=enough(40))
def test_the_dual_never_falls_and_the_gap_is_never_negative(pairs: list[RankingConstraint], seed: int) -> None:
    solved = solve(pairs, 5, gap=1e-9, passes=30, seed=seed)
    duals = [each.dual for each in solved.passes]
    assert all(after >= before - 1e-9 for before, after in pairwise(duals))
    assert all(each.gap >= -1e-9 for each in solved.passes)
    for shares, pair in zip(solved.duals, pairs, strict=True):
        assert min(shares) >= 0
        assert sum(shares) <= pair.cap + 1e-9
    assert solved == solve(pairs, 5, gap=1e-9, passes=30, seed=seed)


@pytest.mark.parametrize("several", [1, 3])
def test_the_dual_is_that_of_a_quadratic_program(several: int) -> None:
    """Solved by scipy in the primal, with one slack variable for each pair."""
    optimize = pytest.importorskip("scipy.optimize")
    np = pytest.importorskip("numpy")
    random = np.random.default_rng(5)
    matrix = random.integers(-2, 3, size=(10, several, 4)).astype(float)
    margins, caps = random.choice([0.5, 1.0], size=(10, several)), random.choice([0.2, 0.7, 3.0], size=10)
    pairs = [
        RankingConstraint(tuple((_sparse(line), float(m)) for line, m in zip(lines, own, strict=True)), float(cap))
        for lines, own, cap in zip(matrix, margins, caps, strict=True)
    ]
    solved = solve(pairs, 4, gap=1e-10)
    assert solved.converged
    # minimise 1/2 |w|^2 + caps . slack, where each alternative reaches its margin minus the slack of its pair
    owner = np.repeat(np.eye(10), several, axis=0)
    both = np.vstack([np.hstack([matrix.reshape(-1, 4), owner]), np.hstack([np.zeros((10, 4)), np.eye(10)])])
    right = np.concatenate([margins.reshape(-1), np.zeros(10)])
    program = optimize.minimize(
        lambda x: (x[:4] ** 2).sum() / 2 + caps @ x[4:],
        np.concatenate([np.zeros(4), margins.max(axis=1)]),
        jac=lambda x: np.concatenate([x[:4], caps]),
        constraints={"type": "ineq", "fun": lambda x: both @ x - right, "jac": lambda x: both},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert program.success
    assert solved.passes[-1].dual == pytest.approx(program.fun, abs=1e-6)
    assert solved.passes[-1].primal == pytest.approx(program.fun, abs=1e-6)
    assert solved.weights == pytest.approx(program.x[:4], abs=1e-3)


def _sparse(line: Iterable[float]) -> tuple[tuple[int, float], ...]:
    return tuple((j, float(value)) for j, value in enumerate(line) if value)


def test_pairs_that_agree_become_one() -> None:
    pairs = merged(
        [
            ([({1: 2.0, 0: 1.0}, 1.0)], 0.5),
            ([({0: 1.0, 1: 2.0, 2: 0.0}, 1.0)] * 2, 0.25),
            ([({}, 1.0)], 1.0),
        ]
    )
    assert pairs == [RankingConstraint(((((0, 1.0), (1, 2.0)), 1.0),), 0.75), RankingConstraint((((), 1.0),), 1.0)]
    assert solve(pairs[1:], 1).passes[-1].primal == 1.0


# Comparisons


def item(id: str, sentence: str, rating: float, group: str = "", pair: str = "") -> Item:
    return Item(id, sentence, rating, group=group, pair=pair)


def words(sentence: str) -> int:
    return len(sentence.split())


def test_items_are_compared_within_their_group_and_with_those_of_their_length() -> None:
    items = [
        item("1", "a b c", 1.0, "x"),
        item("2", "a b", 0.0, "x"),
        item("3", "a b c d e", 0.0, "x"),
        item("4", "b c d", 0.0, "y"),
        item("5", "b c e", 0.5, "y"),
    ]
    assert comparisons_of(items, 0, words) == [RankedPair("a b c", "a b", 1.0), RankedPair("b c e", "b c d", 0.5)]


def test_of_a_minimal_pair_the_two_are_compared_whatever_their_lengths() -> None:
    items = [item("1", "a", 1.0, pair="p"), item("2", "a b c d", 0.0, pair="p"), item("3", "c d e f", 1.0)]
    assert comparisons_of(items, 0, words) == [RankedPair("a", "a b c d")]


def test_partners_are_drawn_by_the_seed() -> None:
    items = [item("bad", "x y", 0.0), *(item(str(i), f"x {i}", 1.0) for i in range(50))]
    drawn = comparisons_of(items, 1, words)
    assert len(drawn) == 10
    assert drawn == comparisons_of(items, 1, words)
    assert drawn != comparisons_of(items, 2, words)


# Neighbours


def lower(form: str) -> bool:
    return form.islower()


def test_neighbours_keep_marks_and_capitals_in_their_places() -> None:
    assert list(neighbours('The cat "really" sleeps.', "drop", lower)) == [
        'Cat "really" sleeps.',
        'The "really" sleeps.',
        "The cat sleeps.",
        'The cat "really".',
    ]
    assert list(neighbours("The cat, too, sleeps.", "swap", lower)) == [
        "Cat the, too, sleeps.",
        "The too, cat, sleeps.",
        "The cat, sleeps, too.",
    ]
    assert list(neighbours("Kim has has it", "swap", lambda form: form in ("has", "it"))) == [
        "Has Kim has it",
        "Kim has it has",
    ]
    assert list(neighbours("Go away", "drop", lower)) == []


def test_neighbours_are_few_the_same_for_a_seed_and_none_is_good() -> None:
    sentence = "a b c d e f g h"
    drawn = contrasts([sentence], ("swap", "drop"), 0, lower)
    assert len(drawn) == 6
    assert drawn == contrasts([sentence], ("drop", "swap"), 0, lower)
    assert drawn == contrasts(["a", sentence], ("drop", "swap"), 0, lower)
    assert drawn != contrasts([sentence], ("drop", "swap"), 1, lower)
    assert len({each.worse for each in drawn}) == 6
    assert contrasts(["a b c", "b a c", "a c b"], ("swap",), 0, lower) == [
        RankedPair("b a c", "b c a"),
        RankedPair("a c b", "c a b"),
    ]


# Learning

AGREEMENT = [RankedPair("the cat sleeps", "the cats sleeps", 3.0), RankedPair("the cats sleep", "the cat sleep", 3.0)]


def learned_from(
    comparisons: list[RankedPair], parser: Parser, level: str = "construction", strength: float = 100.0, rounds: int = 4
) -> tuple[Learned, Tying]:
    tying = Tying(parser.grammar, level, not parser.valuation.lexicographic)
    return Learner(tying, strength, rounds).learn(comparisons, SentenceCounts(parser, plain, in_this_process)), tying


def changed(parser: Parser, weights: PropertyWeights) -> dict[str, float]:
    """Return the costs that differ from those of the grammar, by property."""
    both = zip(parser.grammar.properties, weights.costs, strict=True)
    return {format_named(prop): cost / UNIT for prop, cost in both if cost != prop.cost_units}


@pytest.mark.parametrize(
    ("level", "others"), [("relation", ["NP: Det ~> N [number]"]), ("construction", ["NP: Det ~> N [number]"])]
)
def test_pairs_that_differ_in_a_relation_move_its_costs_and_no_other(
    parser: Parser, level: str, others: list[str]
) -> None:
    learned, _ = learned_from(AGREEMENT, parser, level)
    found = changed(parser, learned.weights)
    assert set(found) == {"S: NP ~> V [number]", *others}
    assert found["S: NP ~> V [number]"] == pytest.approx(3.0, abs=0.01)
    assert learned.stable
    assert learned.right == 1.0


def test_back_off_goes_down_with_each_level(parser: Parser) -> None:
    """If a property has its own part, it moves most, and other properties of its relation less."""
    found = changed(parser, learned_from(AGREEMENT, parser, "property")[0].weights)
    assert found == pytest.approx({"S: NP ~> V [number]": 3.0, "NP: Det ~> N [number]": 1.167}, abs=0.01)


def test_no_cost_falls_below_0(parser: Parser) -> None:
    """If the better sentences have violations that the worse ones do not have."""
    turned = [RankedPair(each.worse, each.better, 3.0) for each in AGREEMENT]
    for level, cost in (("relation", 0.5), ("construction", 0.0), ("property", 0.0)):
        learned, _ = learned_from(turned, parser, level)
        assert min(learned.weights.costs) == 0  # by relation all fall alike, until the first is at 0
        assert changed(parser, learned.weights)["S: NP ~> V [number]"] == cost
        parser.with_weights(learned.weights)


def test_nothing_is_learned_where_held_out_comparisons_come_out_best_without(parser: Parser) -> None:
    """If the two folds contradict each other, learning from one makes the other worse."""
    one, same = RankedPair("a cat sleep", "a cats sleep", 3.0), RankedPair("the cat sleep", "A cats sleep", 3.0)
    turned = RankedPair(same.worse, same.better, 3.0)
    counts = SentenceCounts(parser, plain, in_this_process)
    learner = Learner(Tying(parser.grammar, "construction", True))
    strengths = []
    for comparisons in ([one, same], [one, turned]):
        texts = [text for each in comparisons for text in (each.better, each.worse)]
        known = {text: [parse] for text, parse in counts(parser.grammar.weights, texts).items()}
        folds = {each.better: fold for fold, each in enumerate(comparisons)}
        strengths.append(tuned(learner, comparisons, known, folds).strength)
    assert strengths == [0.3, 0.0]
    nothing = replace(learner, strength=0.0).learn(AGREEMENT, counts)
    assert (nothing.weights, nothing.rounds, nothing.stable) == (parser.grammar.weights, (), True)
    assert nothing.right == nothing.before


def test_hard_properties_keep_their_costs(grammar: Grammar, tmp_path: Path) -> None:
    path = tmp_path / "hard.pg"
    path.write_text(GRAMMAR.replace("cost 0.5", "hard"), encoding="utf-8")
    parser = Parser(load_grammar(str(path)))
    assert set(changed(parser, learned_from(AGREEMENT, parser)[0].weights)) == {"S: NP ~> V [number]"}


def test_under_net_weights_are_learned_too(grammar: Grammar) -> None:
    parser = Parser(grammar, valuation="net")
    learned, _ = learned_from(AGREEMENT, parser)
    assert learned.right == 1.0
    assert max(learned.weights.weights) > UNIT
    assert min(learned.weights.weights) >= 0


def test_parses_are_taken_anew_until_costs_agree_with_them(parser: Parser) -> None:
    learned, _ = learned_from(AGREEMENT, parser, rounds=1)
    assert len(learned.rounds) == 1
    assert not learned.stable
    learned, _ = learned_from(AGREEMENT, parser)
    assert [each.change for each in learned.rounds][-1] <= 0.01
    assert [each.objective for each in learned.rounds] == sorted((e.objective for e in learned.rounds), reverse=True)


def test_what_costs_nothing_is_not_parsed_again(parser: Parser) -> None:
    counts = SentenceCounts(parser, plain, in_this_process)
    own = parser.grammar.weights
    texts = ["the cat sleeps", "the cats sleeps"]
    before = counts(own, texts)
    assert [before[text].final for text in texts] == [True, False]
    other = PropertyWeights(own.weights, tuple(2 * cost for cost in own.costs))
    after = counts(other, texts)
    assert after["the cat sleeps"] is before["the cat sleeps"]
    assert [cost_of(after[text], other) for text in texts] == [0, 2 * UNIT]


def test_a_written_grammar_parses_as_a_parser_with_the_weights(parser: Parser, tmp_path: Path) -> None:
    learned, _ = learned_from(AGREEMENT, parser, "property")
    path = tmp_path / "new.pg"
    path.write_text(format_grammar(parser.grammar.with_weights(learned.weights)), encoding="utf-8")
    written = load_grammar(str(path))
    assert written.weights == learned.weights
    for text in ("the cats sleeps", "cat the sleep", "a cats sleeps the"):
        one, other = Parser(written).parse(text), parser.with_weights(learned.weights).parse(text)
        assert (one.to_brackets(), one.cost_units) == (other.to_brackets(), other.cost_units)


def test_the_model_scores_by_the_learned_costs(parser: Parser) -> None:
    learned, tying = learned_from(AGREEMENT, parser, "property")
    model = model_of(learned, tying, "fitted", ())
    for text in ("the cats sleeps", "a cats sleep", "cat the sleep", "sleeps the"):
        parse = parser.parse(text)
        cost = cost_of(counts_of(parse, VALUATIONS["relaxation"]), learned.weights) / UNIT
        assert model(parse).value == pytest.approx(-cost, abs=0.01)


def test_the_terms_of_the_model_are_grouped_by_their_relation(parser: Parser) -> None:
    """This is needed to report the importance of relations."""
    learned, tying = learned_from(AGREEMENT, parser, "property")
    features = model_of(learned, tying, "fitted", ()).features
    assert [each.name for each in features[2:]] == [
        "violated dependency of all",
        "violated S dependency of all",
        "violated S NP ~> V [number] dependency of all",
    ]
    assert {group_of(each.name).name for each in features[2:]} == {"dependency"}


# The verb

SUITE = "judgement\tsentence\tgroup\n" + "".join(
    f"{mark}\t{sentence}\t{group}\n"
    for group, (good, bad) in enumerate(
        [
            ("the cat sleeps", "the cats sleeps"),
            ("cats sleep", "cat sleep"),
            ("the cats sleep", "cats the sleep"),
            ("cat sleeps", "a cats sleep"),
            ("a cat sleeps", "sleeps a cat"),
            ("sleeps", "sleeps sleeps"),
        ]
    )
    for mark, sentence in (("ok", good), ("*", bad))
)


def test_the_verb_writes_a_grammar_and_a_model(numbat: Numbat, tmp_path: Path) -> None:
    Path("s.tsv").write_text(SUITE, encoding="utf-8")
    options = ("learn", "costs", "s.tsv", "--learner", "max-margin", "--strength", "30", "--folds", "3")
    done = numbat(*options, "--write-grammar", "new.pg", "-o", "m.tsv")
    assert done.code == 0, done.err
    assert done.err.endswith("numbat: wrote new.pg\nnumbat: wrote m.tsv\n")
    lines = done.out.splitlines()
    assert lines[1] == "grammar small, model margin, weights out of 3 folds"
    assert lines[3] == "! 6 groups only: too few for intervals"
    assert [line.split("  ")[0] for line in lines[6:12]] == [
        "margin", "margin, as 1/(1 + cost)", "cost", "cost, as 1/(1 + cost)", "length", "unknown words",
    ]  # fmt: skip
    assert "6 comparisons, strength 30: 100.00% right before learning, 100.00% after; 2 rounds, " in done.out
    assert "more than cost: AUC " in done.out
    written, old = load_grammar("new.pg"), load_grammar("g.pg")
    assert written.weights != old.weights
    parse = Parser(old).parse("a cats sleep")
    assert read_fitted("m.tsv", old)(parse).value == pytest.approx(score(Parser(written).parse("a cats sleep")).value)
    again = numbat(*options, "--write-grammar", "again.pg")
    assert again.out == done.out
    assert Path("again.pg").read_bytes() == Path("new.pg").read_bytes()


def test_good_sentences_alone_teach_by_their_neighbours(numbat: Numbat) -> None:
    good = ["the cat sleeps", "the cats sleep", "a cat sleeps"]
    Path("good.tsv").write_text("judgement\tsentence\n" + "".join(f"ok\t{each}\n" for each in good), encoding="utf-8")
    options = (
        "learn",
        "costs",
        "good.tsv",
        "--learner",
        "max-margin",
        "--neighbours",
        "swap,drop",
        "--folds",
        "3",
        "--write-grammar",
        "new.pg",
    )
    done = numbat(*options)
    assert done.code == 0, done.err
    told = "nothing is learned: the present costs rank the held-out comparisons best"
    assert done.err.startswith(f"15 comparisons, strength 0: {told}\n")
    assert f"after; 0 rounds, {told}\n" in done.out
    done = numbat(*options, "--strength", "30")
    assert done.code == 0, done.err
    assert done.err.startswith("round 1: objective ")
    assert "\nwithout fold 3: round 1: objective " in done.err
    assert "! all ratings are equal: there is nothing to distinguish" in done.out


MISTAKES = {
    "nothing is written": (
        (
            "--learner",
            "max-margin",
        ),
        "numbat: nothing would be written\n  add --write-grammar FILE, or -o MODEL.tsv\n",
    ),
    "no margin": (
        ("--neighbours", "drop", "-o", "m.tsv"),
        "numbat: --write-grammar, --by, --neighbours, --no-judgements, --strength and --rounds need max margin\n"
        "  add --learner max-margin, or leave them out\n",
    ),
    "nothing to write without margin": ((), "numbat: nothing would be written\n  add -o MODEL.tsv\n"),
    "two grammars": (
        ("--learner", "max-margin", "-o", "m.tsv", "--also-grammar", "english"),
        "numbat: --learner max-margin learns costs of one grammar\n"
        "  leave out --also-grammar, --also-expansions, --also-tagger and --conditions\n",
    ),
    "an unknown kind": (
        ("--learner", "max-margin", "-o", "m.tsv", "--neighbours", "drop,swp"),
        'numbat: unknown kind of neighbour: "swp"\n  did you mean "swap"?\n',
    ),
    "nothing to learn from": (
        ("--learner", "max-margin", "-o", "m.tsv", "--no-judgements"),
        "numbat: --no-judgements leaves nothing to learn from\n  add --neighbours drop,swap\n",
    ),
    "no pairs": (
        ("--learner", "max-margin", "-o", "m.tsv"),
        "numbat: equal.tsv: no pairs to learn from: sentences of one group and of about the same length have equal "
        "ratings\n  add sentences, or --neighbours drop,swap to compare good sentences with their neighbours\n",
    ),
    "no good sentence": (
        ("--learner", "max-margin", "-o", "m.tsv", "--neighbours", "drop"),
        "numbat: equal.tsv: no good sentence: there are no neighbours to learn from\n  judge some sentences ok\n",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told(numbat: Numbat, name: str) -> None:
    options, message = MISTAKES[name]
    rows = "".join(f"*\t{each}\n" for each in ("the cat sleeps", "cats sleep", "the cats"))
    Path("equal.tsv").write_text("judgement\tsentence\n" + rows, encoding="utf-8")
    assert numbat("learn", "costs", "equal.tsv", *options).err == message


def test_too_few_groups_for_the_folds(numbat: Numbat) -> None:
    Path("few.tsv").write_text("good\tbad\nthe cat sleeps\tthe cats sleeps\n", encoding="utf-8")
    assert numbat("learn", "costs", "few.tsv", "--learner", "max-margin", "-o", "m.tsv", "-q").err == (
        "numbat: few.tsv: 2 judged sentences in 1 group: too few for 5 folds\n"
        "  a group stays in one fold: use fewer --folds, or add other sentences\n"
    )
