"""Small edits that improve a score: exact for one edit, a beam for two, the smallest change first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, combinations, count, repeat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numbat import Limits, Parser, UsageError, load_grammar, parse_grammar
from numbat.acceptability.edits import KINDS, MOVE, NEAR, SWAP, TURN, EditableParse, choices, slots_of
from numbat.acceptability.generate import generate, property_named
from numbat.acceptability.models import scorer
from numbat.acceptability.reasons import repair
from numbat.acceptability.remedies import remedies_of
from numbat.acceptability.repair import Repair, doubts_of, repair_sentence, repairs
from numbat.parsing.result import Parse
from numbat.words.example_words import ExampleWords, difference, example_words, shared_beginning
from numbat.words.lexical_lookup import detokenize, read_text
from tests.samples import enough

STARTER = str(Path(__file__).parent / "starter" / "starter.pg")
COST = scorer("cost")

SMALL = (
    "leaves: Det, N, V, Pro\nroots: S\nfeatures:\n    number: sg, pl\n    case: nom, acc\n"
    "S:\n    oblig V\n    uniq {V, NP} cost 2\n    NP < V\n    NP ~> V [number]\n    V => NP\n"
    "NP:\n    oblig {N, Pro}\n    uniq {Det, N, Pro}\n    Det < N\n    Det ~> N [number]\n    Pro x Det cost 3\n"
    "lexicon:\n    the: Det\n    a: Det[number=sg]\n    cat: N[number=sg]\n    cats: N[number=pl]\n"
    "    sleeps: V[number=sg]\n    sleep: V[number=pl]\n    they: Pro[number=pl]\n"
)


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(load_grammar(STARTER))


@pytest.fixture(scope="module")
def small() -> Parser:
    return Parser(parse_grammar(SMALL))


def told(found: list[Repair]) -> list[tuple[float, str, str]]:
    return [(each.gain_per_edit, ", then ".join(e.says for e in each.edits), each.sentence) for each in found]


# Whole answers


def test_forms_change_before_words_go(parser: Parser) -> None:
    assert told(repairs(parser.parse("The cats sleeps"), parser, COST, most=2)) == [
        (1.0, 'change "cats" to "cat" (N [kind=count, number=sg])', "The cat sleeps"),
        (1.0, 'change "sleeps" to "sleep" (V [form=plain, number=pl, valence=intr])', "The cats sleep"),
    ]


def test_words_change_places(parser: Parser) -> None:
    best = repairs(parser.parse("Cats the sleep"), parser, COST)[0]
    assert told([best]) == [(1.0, 'swap "Cats" and "the"', "The Cats sleep")]


def test_a_doubled_word_goes(parser: Parser) -> None:
    best = repairs(parser.parse("The the cat sleeps"), parser, COST)[0]
    assert told([best]) == [(2.0, 'delete "the"', "The cat sleeps")]
    assert best.parse.is_well_formed


def test_phrases_change_places() -> None:
    text = (
        "leaves: V, Det, N, P\nroots: VP\nVP:\n    oblig V\n    uniq {V, NP, PP}\n    V < {NP, PP}\n    NP < PP\n"
        "NP:\n    oblig N\n    uniq {Det, N}\n    Det < N\n    N => Det\n"
        "PP:\n    oblig P\n    uniq {P, NP}\n    P < NP\n    P => NP\n"
        "lexicon:\n    give: V\n    to: P\n    a: Det\n    the: Det\n    book: N\n    man: N\n"
    )
    parser = Parser(parse_grammar(text))
    best = repairs(parser.parse("give to the man a book"), parser, COST)[0]
    assert told([best]) == [(1.0, 'swap "to the man" and "a book"', "give a book to the man")]


def test_moves_count_the_pairs_of_words_that_they_turn_round(english: Parser) -> None:
    parse = english.parse("near the old house cat that she likes sleeps in a garden")
    slots = slots_of(parse.lattice, english.words)
    seen: dict[str, int] = {}
    kinds = ("swap", "move", "rearrange")
    sizes = {"swap": SWAP, "move": MOVE, "rearrange": MOVE}
    for choice in choices(kinds, EditableParse(parse, slots), ExampleWords(english.words), english.words):
        for edit in choice.edits:
            order = [slots.index(slot) for slot in edit.slots]
            turned = [pair for pair in combinations(order, 2) if pair[0] > pair[1]]
            near = edit.rank[1] / 10 - sizes[edit.kind] - TURN * (len(turned) - 1)
            assert near in (0, NEAR, 2 * NEAR)
            moved = min(len({one for one, _ in turned}), len({other for _, other in turned}))
            assert edit.kind == "swap" or (moved > 2) == (edit.kind == "rearrange")
            seen[edit.kind] = seen.get(edit.kind, 0) + 1
    assert set(seen) == set(kinds)


@pytest.mark.parametrize(
    ("text", "says", "makes"),
    [
        ("him car is red", 'change "him" to "his" (Det [use=pre])', "his car is red"),
        ("I saw he", 'change "he" to "him" (Pro [case=acc, gender=m])', "I saw him"),
        ("This is me book", 'change "me" to "my" (Det [use=pre])', "This is my book"),
    ],
)
def test_a_form_of_the_same_word_may_have_another_category(english: Parser, text: str, says: str, makes: str) -> None:
    best = repairs(english.parse(text), english, COST, most=1)
    assert [(each.edits[0].says, each.sentence) for each in best] == [(says, makes)]


def test_a_form_may_have_several_lemmas_of_a_category(english: Parser) -> None:
    """The past of lie, or to lay."""
    found = told(repairs(english.parse("She lay the book"), english, COST))
    lays = "V [form=fin, motion=yes, number=sg, object=two, onset=c, particle=yes, person=3, topic=no, wh_clause=rare]"
    assert found[0] == (2.0, f'change "lay" to "lays" ({lays})', "She lays the book")


def test_what_is_missing_is_inserted(small: Parser) -> None:
    found = repairs(small.parse("sleep"), small, COST)
    assert told(found) == [
        (1.0, 'insert "they" before "sleep" (Pro [number=pl])', "they sleep"),
        (1.0, 'insert "cats" before "sleep" (N [number=pl])', "cats sleep"),
    ]


def test_two_edits_go_on_from_the_best_single_ones(small: Parser) -> None:
    parse = small.parse("cat a sleep")
    one, two = (repairs(parse, small, COST, edits=edits, most=1)[0] for edits in (1, 2))
    assert told([one]) == [(1.0, 'change "sleep" to "sleeps" (V [number=sg])', "cat a sleeps")]
    assert told([two]) == [(1.0, 'change "sleep" to "sleeps" (V [number=sg]), then swap "cat" and "a"', "a cat sleeps")]
    assert (two.gain, two.parse.is_well_formed) == (2.0, True)


def test_nothing_to_repair(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    """No edit is tried."""
    parses = [parser.parse(text) for text in ("The cat sleeps", "...")]
    monkeypatch.setattr(Parser, "parse", lambda *_: pytest.fail("a sentence was parsed"))
    assert [repairs(parse, parser, scorer(model)) for parse in parses for model in ("cost", "density")] == [[]] * 4


def test_sentences_are_written_as_they_are_typed() -> None:
    text = (
        "leaves: P, Det, N, Neg, V\nroots: S\nS:\n    oblig V\n    uniq {V, N}\n    V < {Neg, Det}\n"
        "    V + Neg\n    Det < N\n"
        'tokens:\n    suffix "n\'t"\n    prefix "l\'"\n    rewrite "du": "de", "=le"\n'
        '    rewrite "cannot": "can", "not"\n'
        'lexicon:\n    do: V\n    can: V\n    "n\'t": Neg\n    not: Neg\n    "l\'": Det\n    ami: N\n'
        '    de: P\n    "=le": Det\n'
    )
    words = Parser(parse_grammar(text)).words
    assert detokenize(["do", "n't", "l'", "ami", "de", "=le", "ami"], words) == "don't l'ami du ami"
    assert detokenize(["can", "not"], words) == "can not"
    assert detokenize(["can", "not"], words, "Cannot we?") == "cannot"
    assert detokenize(["n't", "=le"], words) == "n't =le"
    best = repairs(Parser(parse_grammar(text)).parse("n't do l'ami"), Parser(parse_grammar(text)), COST)[0]
    assert best.sentence == "don't l'ami"


# Laws

WORDS = ("the", "a", "cat", "cats", "sleeps", "sleep", "they")
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)


def one_edit_away(words: list[str], parse: Parse) -> Iterator[list[str]]:
    """By brute force: every word deleted, inserted or changed, words and phrases of the parse moved anywhere."""
    size = len(words)
    spans = {(i, i + 1) for i in range(size)}
    spans |= {(each.start, each.end) for top in parse.constituents for each in top.walk()}
    for i in range(size + 1):
        yield from ([*words[:i], new, *words[i:]] for new in WORDS)
    for i in range(size):
        yield words[:i] + words[i + 1 :]
        own = {arc.category for arc in parse.lattice.arcs if arc.start == i}
        others = {"Det": ("the", "a"), "N": ("cat", "cats"), "V": ("sleeps", "sleep")}
        yield from ([*words[:i], new, *words[i + 1 :]] for name in own for new in others.get(name, ()))
    for start, end in spans:
        rest = words[:start] + words[end:]
        yield from ([*rest[:i], *words[start:end], *rest[i:]] for i in range(len(rest) + 1))


@settings(max_examples=enough(40))
@given(words=SENTENCES)
def test_one_edit_is_exact(small: Parser, words: list[str]) -> None:
    """Edits reach the least cost of all sentences one edit away, and the best repair has the least cost and price."""
    parse = small.parse(" ".join(words))
    prices: dict[str, int] = {}
    for aim in (remedies_of(parse), None):
        tree = EditableParse(parse, slots_of(parse.lattice, small.words), aim)
        for edit in chain.from_iterable(c.edits for c in choices(KINDS, tree, example_words(small.words), small.words)):
            sentence = " ".join(slot.form for slot in edit.slots).lower()
            prices[sentence] = min(edit.price, prices.get(sentence, edit.price))
    costs = {sentence: small.parse(sentence).cost_units for sentence in prices}
    least = min(small.parse(" ".join(other)).cost_units for other in one_edit_away(words, parse) if other)
    assert least >= parse.cost_units or min(costs.values()) == least
    better = [cost + prices[sentence] for sentence, cost in costs.items() if cost < parse.cost_units]
    found = [each.parse.cost_units + prices[each.sentence.lower()] for each in repairs(parse, small, COST)]
    assert min(found, default=None) == min(better, default=None)


@settings(max_examples=enough(25))
@given(words=SENTENCES)
def test_each_score_is_that_of_the_new_sentence(small: Parser, words: list[str]) -> None:
    parse = small.parse(" ".join(words))
    found = repairs(parse, small, COST, edits=2)
    for each in found:
        assert each.gain == COST(small.parse(each.sentence)).value - COST(parse).value > 0
    assert len({each.sentence for each in found}) == len(found)
    assert [each.order for each in found] == sorted(each.order for each in found)


@settings(max_examples=enough(40))
@given(words=SENTENCES)
def test_ceilings_lose_nothing(small: Parser, words: list[str]) -> None:
    """A search with ceilings finds the same as one without, which parses each sentence."""
    parse = small.parse(" ".join(words))
    bounded = repairs(parse, small, COST)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Parser, "searches_by_cost", False)
        unbounded = repairs(parse, small, COST)
    assert told(bounded) == told(unbounded)


@settings(max_examples=enough(40))
@given(words=SENTENCES, most=st.integers(1, 4))
def test_the_first_few_are_the_best(small: Parser, words: list[str], most: int) -> None:
    parse = small.parse(" ".join(words))
    assert told(repairs(parse, small, COST, most=most)) == told(repairs(parse, small, COST))[:most]


@settings(max_examples=enough(25))
@given(words=SENTENCES)
def test_two_edits_are_never_worse_than_one(small: Parser, words: list[str]) -> None:
    parse = small.parse(" ".join(words))
    one, two = (max((x.gain for x in repairs(parse, small, COST, edits=e)), default=0) for e in (1, 2))
    assert two >= one


@pytest.mark.parametrize("model", ["density", "precision", "net"])
def test_other_models_rank_by_their_own_score(small: Parser, model: str) -> None:
    parse = small.parse("cat a sleep")
    found = repairs(parse, small, scorer(model))
    gains = [each.gain for each in found]
    assert gains == sorted(gains, reverse=True)
    assert [gain > 0 for gain in gains] == [True] * len(found) != []


@pytest.mark.parametrize("model", ["cost", "density"])
def test_one_clock_for_all_edits(small: Parser, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """When time is up, the results so far are returned, with a message."""
    parse, limits = small.parse("cat a sleep"), Limits(seconds=60)
    timed, every = Parser(small.grammar, limits=limits), repairs(parse, small, scorer(model))
    assert every.stopped_by is None
    seen = set()
    for patience in (*range(40), 1_000_000):
        ticks = count()
        monkeypatch.setattr(
            Limits, "clock", lambda limits, ticks=ticks, patience=patience: lambda: next(ticks) >= patience
        )
        found = repairs(parse, timed, scorer(model))
        assert found.stopped_by == ("seconds (60)" if patience < 40 else None)
        assert all(each.gain > 0 for each in found)
        seen.add(len(found))
    assert found == every
    assert {0, len(every)} <= seen


@pytest.mark.parametrize("model", ["cost", "density"])
def test_no_parse_of_an_edit_has_a_clock_of_its_own(small: Parser, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exception: a tenth of the limit, if the time is up before the first repair is parsed."""
    began: list[float | None] = []

    def clock(limits: Limits) -> Callable[[], bool]:
        began.append(limits.seconds)
        return lambda: False

    monkeypatch.setattr(Limits, "clock", clock)
    parse, timed = small.parse("cat a sleep"), Parser(small.grammar, limits=Limits(seconds=60))
    began.clear()
    assert repairs(parse, timed, scorer(model))
    assert began == [60]
    late = set()
    for patience in range(150):
        began.clear()
        ticks = chain([False] * patience, repeat(True))
        repairs(parse, timed, scorer(model), overdue=ticks.__next__)
        late.add(tuple(began))
    assert late == {(), (6.0,)}


def test_a_clock_that_was_started_before_the_parse(small: Parser) -> None:
    found = repairs(
        small.parse("cat a sleep"), Parser(small.grammar, limits=Limits(seconds=60)), COST, overdue=lambda: True
    )
    assert (found, found.stopped_by) == ([], "seconds (60)")


def test_given_tags_stay(parser: Parser) -> None:
    """Words that carry categories are not looked up again."""
    from numbat.words.typed import read_tagged

    lattice = read_tagged("blick/N[number=sg,kind=count] the/Det sleeps/V", parser.words)
    best = repairs(parser.parse(lattice), parser, COST)[0]
    assert told([best]) == [(1.0, 'swap "blick" and "the"', "the blick sleeps")]


# Words


def test_plain_words_come_first() -> None:
    text = (
        "leaves: N\nroots: X\nX:\n    uniq N\nlexicon:\n    Aaron: N\n    abbot: N\n    saw: N weight .5\n    dog: N\n"
    )
    examples = ExampleWords(Parser(parse_grammar(text)).words, {"Dog": 2, "saw": 1, "unknown": 5})
    assert examples.by_bundle("N") == {(): ["dog", "saw", "abbot", "Aaron"]}
    assert examples.categories == ["N"]


@pytest.fixture(scope="module")
def english() -> Parser:
    return Parser(load_grammar("english"))


def test_packaged_grammars_have_frequent_words(english: Parser) -> None:
    examples = ExampleWords(english.words)
    assert next(iter(examples.by_bundle("Det").values()))[0] == "the"
    nouns = [forms[0] for forms in examples.by_bundle("N").values()]
    assert all(examples.counts[form] for form in nouns[:10])


def test_how_much_forms_and_features_differ() -> None:
    assert (shared_beginning("Sleeps", "sleep"), shared_beginning("", "sleep")) == (5, 0)
    assert difference((("number", "sg"), ("person", "3")), (("number", "pl"),)) == 2


# Generation after patterns


def test_patterns_make_sentences_of_plain_words(english: Parser) -> None:
    found = list(generate(english, 5))
    counts = ExampleWords(english.words).counts
    assert len({each.sentence for each in found}) == 5
    for each in found:
        assert each.parse.is_well_formed
        assert each.parse.constituents[0].construction == "S"
        assert 3 <= len(each.parse.lattice.tokens) <= 8
        plain = [word for word in each.sentence.split() if "'" not in word]  # "they've" is two words
        assert all(counts[word] or counts[word.lower()] or word.isdigit() for word in plain)  # part 5


def test_a_disturbed_pattern_violates_the_property_and_no_other(english: Parser) -> None:
    wanted = property_named("NP: Det < N", english.grammar)
    made = list(generate(english, 3, violated=wanted))
    assert len(made) == 3
    for each in made:
        assert {violated.property for violated in each.parse.violated} == {wanted}
        assert each.twin is not None
        assert each.twin.is_well_formed
        assert sorted(each.twin.lattice.tokens) == sorted(each.parse.lattice.tokens)


def test_a_grammar_without_constructions_makes_no_sentences() -> None:
    with pytest.raises(UsageError) as error:
        generate(Parser(parse_grammar("leaves: N")), 1)
    assert str(error.value).startswith("the grammar has no construction, so no sentence can be made")


def test_a_root_that_is_a_leaf_makes_no_sentences() -> None:
    text = "leaves: N, Intj\nroots: Intj, NP\nNP:\n    uniq N\nlexicon:\n    cat: N\n    oh: Intj\n"
    (made,) = generate(Parser(parse_grammar(text)), 1)
    assert made.sentence == "cat"
    with pytest.raises(UsageError) as error:
        generate(Parser(parse_grammar(text.replace("Intj, NP", "Intj"))), 1)
    assert (
        str(error.value) == "no root is a construction, so no sentence can be made\n  add a construction to the roots"
    )


def test_what_speaks_against_a_parse(english: Parser) -> None:
    text = "leaves: Det, N, V\nroots: S\nS:\n    oblig V\n    uniq {V, N}\n    N < V\n"
    text += 'guess:\n    "*": V\nlexicon:\n    cat: N\n    can: V weight .2, N\n'
    parser = Parser(parse_grammar(text))
    assert doubts_of(parser.parse("cat can")) == ['"can" is read as V, but is more likely N']
    assert doubts_of(parser.parse("cat zogs")) == ["1 word guessed: zogs"]
    assert doubts_of(english.parse("The cat arrived.")) == []
    lattice = read_text("blicked cat the arrived", english.words)
    assert list(repair(repair_sentence(lattice, english, COST, most=1)).lines()) == [
        "cost -4: blicked cat the arrived",
        "1 word guessed: blicked",
        '      4 an edit: move "the" before "blicked"',
        "         the blicked cat arrived  (well formed)",
        "         1 word guessed: blicked",
    ]
