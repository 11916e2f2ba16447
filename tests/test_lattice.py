"""Tokens and arcs of raw and of tagged sentences."""

from __future__ import annotations

from fnmatch import fnmatchcase
from math import log
from random import Random

import pytest

from numbat import DataError, parse_grammar
from numbat.grammar.model import GuessRule
from numbat.words.lattice import Arc, Lattice, decided, undecided
from numbat.words.lexical_lookup import PatternRules, Words, read_text, read_tokens, words_of
from numbat.words.tokens import spelled, tokenize
from numbat.words.typed import read_tagged
from tests.growth import growth
from tests.samples import enough

GRAMMAR = """\
leaves: Det, N, PN, V, Aux, Neg, Gen, Pro, Num, Adj, P, Punct, Sym
features: number: sg, pl; person: 1, 2, 3
NP: uniq N
tokens:
    suffix "n't", "'s", "'ll"
    prefix "l'", "qu’"
    rewrite "won't": "will", "n't"
    rewrite gonna: going, to
lexicon:
    the: Det
    The: PN
    can: Aux
    not: Neg
    "n't": Neg
    "'s": Gen
    "l'": Det
    homme: N[number=sg]
    "aujourd’hui": N
    été: N
    saw: V weight 3, N[number=sg]
    sheep: N[number=sg|pl]
    "New York": PN[number=sg]
    "in front of": P
    "rock 'n' roll": N
    "Mr.": N
    "?": Punct
    ":-)": Sym
    "😀": Sym
    "it's": Pro
    "我": Pro
guess:
    "[0-9]*": Num
    "*ing": V weight 2, N[number=sg]
    "*g": Adj
names:
    "*s": PN[number=pl] weight .5
    "S*": PN[number=sg] weight .5
"""


@pytest.fixture(scope="module")
def words() -> Words:
    return words_of(parse_grammar(GRAMMAR))


@pytest.mark.parametrize(
    ("text", "tokens", "skipped"),
    [
        ("The cat sleeps.", "The cat sleeps", "."),
        ("“The cat”, he said—loudly… ok!!", "The cat he said loudly ok", "“ ” , — … !!"),
        ("is it?", "is it ?", ""),
        ("(the [cat]) / dog; - --", "the cat dog", "( [ ]) / ; - --"),
        ("don't", "do n't", ""),
        ("don’t", "do n't", ""),
        ("DON'T", "DO N'T", ""),
        ("he'll he’ll", "he 'll he 'll", ""),
        ("the cat's", "the cat 's", ""),
        ("won't Won’t", "will n't will n't", ""),
        ("gonna", "going to", ""),
        ("it's", "it's", ""),
        ("l'homme L’homme", "l' homme L' homme", ""),
        ("qu'il qu’il", "qu' il qu' il", ""),
        ("l'homme's", "l' homme 's", ""),
        ("aujourd'hui aujourd’hui", "aujourd'hui aujourd'hui", ""),
        ("'s", "'s", ""),
        ("n't", "n't", ""),
        ("3.14 1,000,000 12:30 1/2 2024 3rd", "3.14 1,000,000 12:30 1/2 2024 3rd", ""),
        ("50% $5 x=3", "50 5 x 3", "% $ ="),
        ("a.lovelace@example.org www.example.org", "a.lovelace@example.org www.example.org", ""),
        ("well-known e-mail -the- AT&T and/or", "well-known e-mail the AT&T and or", "- - /"),
        ("well\u2011known e\u2010mail", "well-known e-mail", ""),
        ("U.S.A. Mr. Mr Smith.", "U.S.A. Mr. Mr Smith", "."),
        ("Mr., Mr.", "Mr. Mr.", ","),
        ("😀 👍🏽 ❤️ 👨‍👩‍👧 :-) ;-)", "😀 :-)", "👍 🏽 ❤️ 👨‍ 👩‍ 👧 ;-)"),
        ("😀!", "😀", "!"),
        ("我 爱你。", "我 爱你", "。"),
        ("été e\u0301te\u0301", "été été", ""),
        ("हिन्दी में", "हिन्दी में", ""),
        ("مَرْحَبًا", "مَرْحَبًا", ""),
        ("tab\tand\u00a0no-break\u3000blank", "tab and no-break blank", ""),
        ("_ __x__", "__x__", "_"),
        ("rock 'n' roll", "rock n roll", "' '"),
        ("", "", ""),
        (" \t ", "", ""),
        ("... !?", "?", "... !"),
    ],
)
def test_tokens(words: Words, text: str, tokens: str, skipped: str) -> None:
    lattice = read_text(text, words)
    assert " ".join(lattice.tokens) == tokens
    assert " ".join(lattice.skipped) == skipped.replace("])", "] )")
    assert lattice.text == text
    assert all(any(arc.start == i and arc.end == i + 1 for arc in lattice.arcs) for i in range(len(lattice.tokens)))


def arcs(text: str, words: Words) -> list[tuple[int, int, str, str, str]]:
    return [
        (arc.start, arc.end, arc.form, arc.category, ", ".join(map("=".join, arc.features)))
        for arc in read_text(text, words).arcs
    ]


def test_a_reading_is_an_arc_and_several_values_are_several(words: Words) -> None:
    assert read_text("saw sheep", words).arcs == (
        Arc(0, 1, "saw", "V", (), log(3)),
        Arc(0, 1, "saw", "N", (("number", "sg"),), 0.0),
        Arc(1, 2, "sheep", "N", (("number", "sg"),)),
        Arc(1, 2, "sheep", "N", (("number", "pl"),)),
    )


def test_the_form_is_looked_up_first_then_its_lower_case(words: Words) -> None:
    assert arcs("the The THE homme Homme", words) == [
        (0, 1, "the", "Det", ""),
        (1, 2, "The", "PN", ""),
        (2, 3, "THE", "Det", ""),
        (3, 4, "homme", "N", "number=sg"),
        (4, 5, "Homme", "N", "number=sg"),
    ]


def test_the_first_guess_rule_that_fits_decides_and_the_wildcard_where_none_does(words: Words) -> None:
    assert read_text("singing 42 big cat", words).arcs == (
        Arc(0, 1, "singing", "V", (), log(2), guessed=True),
        Arc(0, 1, "singing", "N", (("number", "sg"),), 0.0, guessed=True),
        Arc(1, 2, "42", "Num", guessed=True),
        Arc(2, 3, "big", "Adj", guessed=True),
        Arc(3, 4, "cat", "?", guessed=True),
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("the Sheep saw the Saw", "Sheep Saw"),
        ("Sheep saw", ""),
        ("the SHEEP, Sheep", "Sheep"),
        ("the sheep. Sheep saw: Sheep", ""),
        ("the “Sheep”", ""),
        ("the Homme, the Snark", ""),
    ],
)
def test_a_known_word_with_a_capital_inside_a_sentence_may_be_a_name(words: Words, text: str, named: str) -> None:
    names = [arc for arc in read_text(text, words).arcs if arc.category == "PN" and arc.features]
    assert [arc.form for arc in names] == named.split()
    for arc in names:
        assert (arc.features, arc.log_weight, arc.guessed) == ((("number", "sg"),), log(0.5), False)


def test_a_name_in_a_text_that_is_cut_into_words_already(words: Words) -> None:
    arcs = read_tokens(("Sheep", "Sheep"), words).arcs
    assert [arc.start for arc in arcs if arc.category == "PN"] == [1]


def test_words_in_capitals_are_looked_up_with_one_capital_too() -> None:
    words = words_of(
        parse_grammar(
            'leaves: Det, N\nNP: uniq N\nlexicon:\n    der: Det; Hund: N; US: N; us: Det; Jean-Paul: N; "New York": N\n'
        )
    )
    found = read_text("DER HUND JEAN-PAUL US NEW YORK", words)
    assert [(arc.form, arc.category, arc.guessed) for arc in found.arcs if arc.category != "?"] == [
        ("DER", "Det", False),
        ("HUND", "N", False),
        ("JEAN-PAUL", "N", False),
        ("US", "N", False),
        ("US", "Det", False),
        ("NEW YORK", "N", False),
    ]
    assert not words.has("hund")
    assert not words.has("hUND")


def test_given_words_may_be_a_multiword_form(words: Words) -> None:
    """Given words have the arcs of the same words in a text."""
    text = "They live in New York"
    assert set(read_tokens(text.split(), words).arcs) == set(read_text(text, words).arcs)
    assert any(arc.end - arc.start == 2 for arc in read_tokens(text.split(), words).arcs)


def test_a_multiword_form_is_an_arc_over_its_tokens(words: Words) -> None:
    assert (0, 2, "New York", "PN", "number=sg") in arcs("New York", words)
    assert (1, 4, "In Front Of", "P", "") in arcs("cats In Front Of", words)
    assert (0, 3, "rock n roll", "N", "") in arcs("rock 'n' roll", words)
    assert (0, 3, "rock n roll", "N", "") in arcs("rock ‘n’ roll", words)
    assert all(end - start == 1 for start, end, *_ in arcs("new york, in front and of New", words))


def test_a_form_of_one_word_and_a_sign_needs_the_sign() -> None:
    lexicon = 'well: A\n    "well ,": B\n    "( well )": C\n    cat: A\n'
    words = words_of(parse_grammar(f"leaves: A, B, C\nlexicon:\n    {lexicon}"))
    found = {text: [category for _, _, _, category, _ in arcs(text, words)] for text in (
        "well cat", "Well, cat", "cat , well", "(well) cat", "(well", "well; (cat, well,",
    )}  # fmt: skip
    assert found == {
        "well cat": ["A", "A"],
        "Well, cat": ["A", "A", "B"],
        "cat , well": ["A", "A"],
        "(well) cat": ["A", "A", "C"],
        "(well": ["A"],
        "well; (cat, well,": ["A", "A", "A", "B"],
    }


def test_a_word_that_the_lexicon_has_whole_and_a_rewrite_that_splits_it() -> None:
    words = words_of(parse_grammar("leaves: P, N, V\ntokens: rewrite don: do, not\nlexicon: don: N\n    do: V\n"))
    assert arcs("don", words) == [
        (0, 1, "do", "V", ""),
        (1, 2, "not", "?", ""),
        (0, 2, "don", "N", ""),
    ]


def test_letters_are_composed_apostrophes_and_blanks_plain() -> None:
    assert spelled("e\u0301 d’or ’n kʼa 10\u202f000") == "é d'or 'n kʼa 10 000"


def test_a_token_with_a_no_break_space_is_looked_up_as_the_lexicon_has_it() -> None:
    words = words_of(parse_grammar('leaves: Num\nlexicon:\n    "10\u202f000": Num\n'))
    for written in ("10 000", "10\u00a0000", "10\u202f000"):
        assert read_tokens((written,), words).arcs == (Arc(0, 1, "10 000", "Num"),)


def test_patterns_are_spelled_as_words_are() -> None:
    rules = 'guess:\n    "*’s": N\n    "*": V\nspelling:\n    "d’*": N[onset=v]\n'
    words = words_of(parse_grammar(f"leaves: N, V\nfeatures: onset: v\n{rules}"))
    assert [arcs(text, words) for text in ("d’or’s", "d'or's", "dors")] == [
        [(0, 1, "d'or's", "N", "onset=v")],
        [(0, 1, "d'or's", "N", "onset=v")],
        [(0, 1, "dors", "V", "")],
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the/Det cats/N", [("the", "Det", ""), ("cats", "N", "")]),
        ("sheep/N", [("sheep", "N", "number=sg"), ("sheep", "N", "number=pl")]),
        ("sheep/N[number=pl]", [("sheep", "N", "number=pl")]),
        ("sheep/N[number=pl, person=3]", [("sheep", "N", "number=pl, person=3")]),
        ("cats/N[number=sg|pl]|V", [("cats", "N", "number=sg"), ("cats", "N", "number=pl"), ("cats", "V", "")]),
        ("saw/N|V|N", [("saw", "N", "number=sg"), ("saw", "V", "")]),
        ("Homme/N", [("Homme", "N", "number=sg")]),
        ("l’/Det", [("l’", "Det", "")]),
        ("1/2/Num", [("1/2", "Num", "")]),
        ("it/NP [/Punct", [("it", "NP", ""), ("[", "Punct", "")]),
        ("zorp/?", [("zorp", "?", "")]),
        ("", []),
    ],
)
def test_tagged_words_bring_their_categories(words: Words, text: str, found: list[tuple[str, str, str]]) -> None:
    lattice = read_tagged(text, words)
    assert [(a.form, a.category, ", ".join(map("=".join, a.features))) for a in lattice.arcs] == found
    assert not any(arc.guessed for arc in lattice.arcs)
    assert lattice.text == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("the/Det cat", '"cat" has no tag\n  tagged words are written word/TAG or word/TAG1|TAG2'),
        ("the/", '"the/" has no tag\n  tagged words are written word/TAG or word/TAG1|TAG2'),
        ("/Det", '"/Det" has no tag\n  tagged words are written word/TAG or word/TAG1|TAG2'),
        ("the/Dte", '"Dte" in "the/Dte" is not a category of the grammar\n  did you mean "Det"?'),
        (
            "the/Xyzzy",
            '"Xyzzy" in "the/Xyzzy" is not a category of the grammar\n  the categories are: '
            "?, Det, N, PN, V, Aux, Neg, Gen, Pro, Num, Adj, P, Punct, Sym, NP",
        ),
        ("a/N|", '"" in "a/" is not a tag\n  a tag is a category, or one with features: N[number=pl]'),
        ("a/N[number=pl", '"N[number=pl" in "a/N[number=pl" is not a tag\n  a tag is a category, or one with features: '
         "N[number=pl]"),
        ("a/N[nmber=pl]", '"nmber=pl" in "a/N[nmber=pl]" is not a feature of the grammar with its value\n  '
         'did you mean "number"?'),
        ("a/N[pl]", '"pl" in "a/N[pl]" is not a feature of the grammar with its value\n  write features like '
         "a/N[number=pl]"),
        ("a/N[number=p]", '"p" in "a/N[number=p]" is not a value of number\n  did you mean "pl"?'),
        ("a/N[number=sg,number=pl]", 'feature "number" appears twice in "a/N[number=sg,number=pl]"\n'
         "  write alternatives as number=sg|pl"),
        ("a/N[number=dual]", '"dual" in "a/N[number=dual]" is not a value of number\n  the values are: sg, pl'),
    ],
)  # fmt: skip
def test_a_tag_that_is_wrong(words: Words, text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_tagged(text, words)
    assert str(caught.value) == message


def test_no_words_no_arcs(words: Words) -> None:
    assert read_text("", words) == Lattice((), (), (), "")


def test_a_word_with_thousands_of_affixes(words: Words) -> None:
    assert read_text("cat" + "'s" * 2_000, words).tokens == ("cat", *["'s"] * 2_000)


@pytest.mark.parametrize("word", ["ab", "in front", "b's' "])
def test_a_text_of_very_many_words(word: str) -> None:
    """Eight times the words take about eight times as long; trying affixes again at each word took 64 times as long."""
    rules = 'tokens: suffix "\'", "\'s"\nlexicon:\n    "in front of": P\n'
    words = words_of(parse_grammar(f"leaves: P\n{rules}"))

    def cut(size: int) -> None:
        assert len(tokenize(f"'{word} " + f"{word} " * size, words).tokens) > size

    assert growth(cut, 2_000) < 24


def test_the_first_rule_that_fits_is_that_of_the_first_pattern_that_fits() -> None:
    rng, fitting = Random(5), 0
    signs = "ab", "*?[]!-^$.(|)\\\nAé"
    for seed in range(enough(500)):
        written = ["".join(rng.choice(rng.choice(signs)) for _ in range(rng.randint(0, 5))) for _ in range(5)]
        rules = [GuessRule(pattern, ()) for pattern in written]
        together = PatternRules(rules)
        for _ in range(20):
            forms = ["".join(rng.choice("abA.-é\n") for _ in range(rng.randint(0, 3))) for _ in range(2)]
            expected = [rule for rule in rules if any(fnmatchcase(form, rule.pattern) for form in forms)]
            assert together.first(*forms) is (expected[0] if expected else None), (seed, written, forms)
            fitting += bool(expected)
    assert fitting > enough(2_000)
    assert PatternRules[GuessRule]([]).first("a") is None


def test_a_decided_word_is_read_as_by_a_grammar_that_knows_no_other_way() -> None:
    """Lattices with words whole or split, compared with those of grammars that have only the entry or only the rule."""
    rules = {"des": 'rewrite "des": "de", "les"', "its": 'rewrite "its": "it", "s"', "aux": 'rewrite "aux": "a", "les"'}
    known = {"des": "Det", "its": "Det", "aux": "P"}

    def words(cut: set[str], whole: set[str]) -> Words:
        entries = [f"    {form}: X" for form in ("de", "les", "it", "s", "a", "amis")]
        tokens = [f"    {rules[form]}" for form in sorted(cut)]
        lexicon = [f"    {form}: {known[form]}" for form in sorted(whole)]
        leaves = 'leaves: Det, P, X\nNP: uniq X\ntokens:\n    suffix "n\'t"\n'
        return words_of(parse_grammar(leaves + "\n".join([*tokens, "lexicon:", *entries, *lexicon, '    "de les": P'])))

    both = words(set(rules), set(rules))
    for seed in range(enough(200)):
        random = Random(seed)
        cut = {form for form in rules if random.random() < 0.5}
        alone = words(cut, set(rules) - cut)
        text = " ".join(random.choice(("des", "Des", "its", "aux", "amis", "de", "les", ",", "!")) for _ in range(8))
        read, expected = read_text(text, both), read_text(text, alone)
        spans = undecided(read)
        found = decided(read, {span: read.typed(*span).lower() not in cut for span in spans})
        assert (found.tokens, found.places, found.skipped, found.gaps) == (
            expected.tokens,
            expected.places,
            expected.skipped,
            expected.gaps,
        ), text
        assert set(found.arcs) == set(expected.arcs), text
        assert undecided(found) == []


def test_no_mark_of_a_text_is_lost() -> None:
    """Each character except blanks is part of a token or of a skipped mark, even if rows of marks are words."""
    marks = ["$", "$$", "??", ":-)", "...", "==", "'s"]
    lexicon = "\n".join(f'    "{mark}": X' for mark in marks)
    words = words_of(parse_grammar(f"leaves: X, N\nNP: uniq N\nlexicon:\n    a: N\n    b: N\n{lexicon}\n"))
    for seed in range(enough(400)):
        random = Random(seed)
        text = "".join(random.choice("$$$??=.:-)'sa ") for _ in range(random.randint(1, 14)))
        found = read_text(text, words)
        covered = {at for start, end in (*found.places, *found.skipped_places) for at in range(start, end)}
        assert covered >= {at for at, sign in enumerate(text) if not sign.isspace()}, text


TURKISH = """\
language: tr
leaves: N, A, V
S:
    oblig V
lexicon:
    iyi: A
    ırmak: N
    İzmir: N
    akar: V
"""


@pytest.mark.parametrize("text", ["İyi ırmak akar", "Irmak akar", "İYİ IRMAK AKAR", "İZMİR akar"])
def test_turkish_has_two_letters_i(text: str) -> None:
    lattice = read_text(text, words_of(parse_grammar(TURKISH)))
    assert not any(arc.guessed for arc in lattice.arcs)
    assert {arc.category for arc in lattice.arcs} <= {"N", "A", "V"}


@pytest.mark.parametrize(
    ("marks", "text", "tokens"),
    [
        ((";", ")"), "12;)", ("12", ";", ")")),
        ((":",), "12 :)", ("12", ":")),
        ((), "12 :)", ("12",)),
    ],
)
def test_an_emoticon_gives_way_to_words(marks: tuple[str, ...], text: str, tokens: tuple[str, ...]) -> None:
    words = "".join(f'    "{mark}": M\n' for mark in marks)
    grammar = parse_grammar(f"leaves: N, M\nS:\n    oblig N\n    uniq M\nlexicon:\n    12: N\n{words}")
    assert read_text(text, words_of(grammar)).tokens == tokens
