"""Steps of paradigms, applied to lemmas: prefixes, endings, changes of the stem; paradigms of real verbs and nouns;
laws; limits.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbat.errors import Problem, Span
from numbat.grammar import inflection, lexicon
from numbat.grammar.inflection import MAX_CHANGE, Prefix, Rewriting, Step, Suffix, is_change, steps_of
from numbat.grammar.loading import read_grammar
from numbat.grammar.statements import PlacedText

HERE = Span("w.tsv", 3, 10, 20)


def steps(written: str) -> tuple[Step, ...]:
    found = steps_of(PlacedText(written, HERE))
    assert not isinstance(found, Problem), found
    return found


def changed(written: str, lemma: str) -> str | None:
    """Return the result of steps on a lemma, None if one does not fit."""
    word: str | None = lemma
    for step in steps(written):
        word = None if word is None else step.changed(word)
    return word


def forms(text: str) -> dict[str, str]:
    """The forms of each lemma of a lexicon file, with blanks between."""
    entries, problems = lexicon.read(text, "w.tsv")
    assert problems == []
    found: dict[str, list[str]] = {}
    for entry in entries:
        (reading,) = entry.readings
        assert reading.lemma is not None
        found.setdefault(reading.lemma, []).append(entry.form)
    return {lemma: " ".join(several) for lemma, several in found.items()}


# Steps


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("+", (Suffix("", ""),)),
        ("+s", (Suffix("", "s"),)),
        ("-y+ies", (Suffix("y", "ies"),)),
        ("-en+", (Suffix("en", ""),)),
        ("-en", (Suffix("en", ""),)),
        ("+-s", (Suffix("", "-s"),)),
        ("-x-y+z+", (Suffix("x-y", "z+"),)),
        ("ge+", (Prefix("", "ge"),)),
        ("be-", (Prefix("be", ""),)),
        ("auf-aufge+", (Prefix("auf", "aufge"),)),
        ("a>ä", (Rewriting((("a", "ä"),)),)),
        ("e>", (Rewriting((("e", ""),)),)),
        ("a>ä@last", (Rewriting((("a", "ä"),)),)),
        ("a>ä|au>äu@first", (Rewriting((("a", "ä"), ("au", "äu")), "first"),)),
        (
            "ge+  -en\u00a0o>u@all +t",
            (Prefix("", "ge"), Suffix("en", ""), Rewriting((("o", "u"),), "all"), Suffix("", "t")),
        ),
        ("+_up", (Suffix("", " up"),)),
        ("to_+", (Prefix("", "to "),)),
        ("_>s_", (Rewriting(((" ", "s "),)),)),
    ],
)
def test_steps_are_read(written: str, expected: tuple[Step, ...]) -> None:
    assert steps(written) == expected
    assert is_change(written)


STEPS = (
    "write + for the lemma itself, +s to append, -y+ies to remove and append, ge+ to prepend, "
    "a>ä to change the last a; spaces separate steps"
)


@pytest.mark.parametrize(
    ("written", "column", "message", "hint"),
    [
        ("es", 10, '"es" is not a step', STEPS),
        ("+s es", 13, '"es" is not a step', STEPS),
        ("-", 10, '"-" is not a step', STEPS),
        (">a", 10, '">a" is not a step', STEPS),
        ("a>b>c", 10, '"a>b>c" is not a step', STEPS),
        ("a>b+s", 10, '"a>b+s" is not a step', STEPS),
        ("a>ä|o", 10, '"a>ä|o" is not a step', STEPS),
        ("ge+t", 10, '"ge+t" is not a step', STEPS),
        ("ge-en", 10, '"ge-en" is not a step', STEPS),
        ("+t a>ä@lst", 13, '"@lst" is not a place', 'did you mean "@last"?'),
        ("a>ä@2", 10, '"@2" is not a place', "the places are: @first, @last, @all"),
        ("a>ä|a>e", 10, '"a" appears twice in "a>ä|a>e"', "remove one of the two"),
        (
            "+" + "s" * MAX_CHANGE,
            10,
            "the steps of this row have 201 characters; at most 200 are allowed",
            "write long forms out, as slot=form after the lemma",
        ),
    ],
)
def test_what_is_no_step_is_told(written: str, column: int, message: str, hint: str) -> None:
    problem = steps_of(PlacedText(written, HERE))
    assert isinstance(problem, Problem)
    assert (problem.span.column, problem.message, problem.hint) == (column, message, hint)


@pytest.mark.parametrize(
    ("written", "lemma", "form"),
    [
        ("i>a", "sing", "sang"),
        ("oo>ee", "foot", "feet"),
        ("a>ä", "Vaterland", "Vaterländ"),
        ("a>ä@first", "Vaterland", "Väterland"),
        ("a>ä@all", "Vaterland", "Väterländ"),
        ("a>ä|o>ö|u>ü|au>äu +er", "Haus", "Häuser"),
        ("a>ä|o>ö|u>ü|au>äu +e", "Hauptbahnhof", "Hauptbahnhöfe"),
        ("aa>a@first", "aaa", "aa"),
        ("aa>a@last", "aaaa", "aaa"),
        ("e>", "handeln", "handln"),
        ("ge+ -en+t", "machen", "gemacht"),
        ("auf-aufge+ -en+t", "aufmachen", "aufgemacht"),
        ("ver- ge+", "verlauf", "gelauf"),
        ("kk>k +n", "tukka", "tukan"),
        ("ya+ +u", "ktub", "yaktubu"),
        ("_>s_", "look up", "looks up"),
        ("-en e>ie +t", "machen", None),
        ("un-", "machen", None),
        ("-er", "machen", None),
    ],
)
def test_steps_change_a_lemma_one_after_the_other(written: str, lemma: str, form: str | None) -> None:
    assert changed(written, lemma) == form


# Laws

WORDS = st.text("aeioustr", min_size=1, max_size=8)
AFFIXES = st.text("aeioustr", min_size=1, max_size=3)


@given(WORDS, AFFIXES, AFFIXES)
def test_what_is_put_on_can_be_taken_away(lemma: str, front: str, end: str) -> None:
    there = changed(f"{front}+ +{end}", lemma)
    assert there == front + lemma + end
    assert changed(f"{front}- -{end}", there) == lemma
    assert changed(f"-{end} {front}-", there) == lemma


@given(WORDS, st.lists(AFFIXES, min_size=1, max_size=3, unique=True), st.sampled_from(("@first", "@last", "@all", "")))
def test_letters_that_are_replaced_can_be_restored(lemma: str, olds: list[str], where: str) -> None:
    """If no lemma has the new letters, these show where the old ones were."""
    signs = dict(zip(olds, "XYZ", strict=False))
    form = changed("|".join(f"{old}>{sign}" for old, sign in signs.items()) + where, lemma)
    assert (form is None) == (not any(old in lemma for old in olds))
    if form is not None:
        assert changed("|".join(f"{sign}>{old}" for old, sign in signs.items()) + "@all", form) == lemma
        number = len(re.findall("[XYZ]", form))
        assert number >= 1 if where == "@all" else number == 1


@given(WORDS, st.lists(AFFIXES, min_size=1, max_size=3, unique=True))
def test_first_and_last_are_the_outermost_of_all(lemma: str, olds: list[str]) -> None:
    pairs = "|".join(f"{old}>{sign}" for old, sign in zip(olds, "XYZ", strict=False))
    every, first, last = (changed(pairs + where, lemma) for where in ("@all", "@first", "@last"))
    if every is None or first is None or last is None:
        assert every is first is last is None
        return
    (begin,), (end,) = (re.finditer("[XYZ]", form) for form in (first, last))
    assert every.startswith(first[: begin.end()])
    assert every.endswith(last[end.start() :])


# German

GERMAN_NOUNS = """\
%noun\tsg\tN\tnumber=sg\t+
%er\t%noun
%er\tpl\tN\tnumber=pl\ta>ä|o>ö|u>ü|au>äu +er
%er\tpl\tN\tnumber=pl\t+er
%e\t%noun
%e\tpl\tN\tnumber=pl\ta>ä|o>ö|u>ü|au>äu +e
%umlaut\t%noun
%umlaut\tpl\tN\tnumber=pl\ta>ä|o>ö|u>ü|au>äu|A>Ä
"""


@pytest.mark.parametrize(
    ("paradigm", "expected"),
    [
        ("%er", "Haus Häuser, Hochhaus Hochhäuser, Buch Bücher, Mann Männer, Dorf Dörfer, Kind Kinder, Bild Bilder"),
        ("%e", "Hand Hände, Stuhl Stühle, Baum Bäume, Nacht Nächte, Bahnhof Bahnhöfe, Wolf Wölfe, Zug Züge"),
        ("%umlaut", "Vater Väter, Mutter Mütter, Apfel Äpfel, Garten Gärten, Vogel Vögel, Großvater Großväter"),
    ],
)
def test_german_nouns(paradigm: str, expected: str) -> None:
    lemmas = [both.split()[0] for both in expected.split(", ")]
    found = forms(GERMAN_NOUNS + "".join(f"{lemma}\t{paradigm}\n" for lemma in lemmas))
    assert ", ".join(found.values()) == expected


GERMAN_VERBS = """\
%weak\t1sg\tV\tperson=1\t-en+e
%weak\t2sg\tV\tperson=2\t-en+st
%weak\t3sg\tV\tperson=3\t-en+t
%weak\tpast\tV\ttense=past\t-en+te
%weak\tpart\tV\tform=part\tauf-aufge+ -en+t\tauf*
%weak\tpart\tV\tform=part\t-en+t\tver*
%weak\tpart\tV\tform=part\tge+ -en+t
%i-a-u\t%weak
%i-a-u\tpast\tV\ttense=past\t-en i>a
%i-a-u\tpart\tV\tform=part\tge+ -en i>u +en
%ei-ie-ie\t%weak
%ei-ie-ie\tpast\tV\ttense=past\t-en ei>ie
%ei-ie-ie\tpart\tV\tform=part\tge+ -en ei>ie +en
%e-a-o\t%weak
%e-a-o\t2sg\tV\tperson=2\t-en e>i +st
%e-a-o\t3sg\tV\tperson=3\t-en e>i +t
%e-a-o\tpast\tV\ttense=past\t-en e>a
%e-a-o\tpart\tV\tform=part\tge+ -en e>o +en
%a-u-a\t%weak
%a-u-a\t2sg\tV\tperson=2\t-en a>ä +st
%a-u-a\t3sg\tV\tperson=3\t-en a>ä +t
%a-u-a\tpast\tV\ttense=past\t-en a>u
%a-u-a\tpart\tV\tform=part\tge+
%au-ie-au\t%a-u-a
%au-ie-au\t2sg\tV\tperson=2\t-en au>äu +st
%au-ie-au\t3sg\tV\tperson=3\t-en au>äu +t
%au-ie-au\tpast\tV\ttense=past\t-en au>ie
machen\t%weak
aufmachen\t%weak
verkaufen\t%weak
singen\t%i-a-u
trinken\t%i-a-u
springen\t%i-a-u
bleiben\t%ei-ie-ie
schreiben\t%ei-ie-ie
helfen\t%e-a-o
sprechen\t%e-a-o
werfen\t%e-a-o
nehmen\t%e-a-o\t\t\t2sg=nimmst 3sg=nimmt past=nahm part=genommen
fahren\t%a-u-a
tragen\t%a-u-a
waschen\t%a-u-a
laufen\t%au-ie-au
"""


def test_german_verbs() -> None:
    assert forms(GERMAN_VERBS) == {
        "machen": "mache machst macht machte gemacht",
        "aufmachen": "aufmache aufmachst aufmacht aufmachte aufgemacht",
        "verkaufen": "verkaufe verkaufst verkauft verkaufte verkauft",
        "singen": "singe singst singt sang gesungen",
        "trinken": "trinke trinkst trinkt trank getrunken",
        "springen": "springe springst springt sprang gesprungen",
        "bleiben": "bleibe bleibst bleibt blieb geblieben",
        "schreiben": "schreibe schreibst schreibt schrieb geschrieben",
        "helfen": "helfe hilfst hilft half geholfen",
        "sprechen": "spreche sprichst spricht sprach gesprochen",
        "werfen": "werfe wirfst wirft warf geworfen",
        "nehmen": "nehme nimmst nimmt nahm genommen",
        "fahren": "fahre fährst fährt fuhr gefahren",
        "tragen": "trage trägst trägt trug getragen",
        "waschen": "wasche wäschst wäscht wusch gewaschen",
        "laufen": "laufe läufst läuft lief gelaufen",
    }


# Spanish

ENDINGS = {"ar": "o as a amos áis an", "er": "o es e emos éis en", "ir": "o es e imos ís en"}
SLOTS = ("1sg", "2sg", "3sg", "1pl", "2pl", "3pl")


def spanish(ending: str, change: str) -> str:
    """Return the rows of a regular paradigm, and those of one whose stressed stem changes."""
    rows = [
        f"%{ending}\t{slot}\tV\t\t-{ending}+{end}" for slot, end in zip(SLOTS, ENDINGS[ending].split(), strict=True)
    ]
    rows.append(f"%changed\t%{ending}")
    for slot, end in zip(SLOTS, ENDINGS[ending].split(), strict=True):
        if slot not in ("1pl", "2pl"):
            rows.append(f"%changed\t{slot}\tV\t\t-{ending} {change} +{end}")
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("ending", "change", "lemma", "expected"),
    [
        ("ar", "e>ie", "pensar", "pienso piensas piensa pensamos pensáis piensan"),
        ("ar", "e>ie", "empezar", "empiezo empiezas empieza empezamos empezáis empiezan"),
        ("ar", "e>ie", "despertar", "despierto despiertas despierta despertamos despertáis despiertan"),
        ("ar", "o>ue|u>ue", "contar", "cuento cuentas cuenta contamos contáis cuentan"),
        ("ar", "o>ue|u>ue", "jugar", "juego juegas juega jugamos jugáis juegan"),
        ("ar", "o>ue|u>ue", "encontrar", "encuentro encuentras encuentra encontramos encontráis encuentran"),
        ("er", "e>ie", "entender", "entiendo entiendes entiende entendemos entendéis entienden"),
        ("er", "e>ie", "perder", "pierdo pierdes pierde perdemos perdéis pierden"),
        ("er", "o>ue", "volver", "vuelvo vuelves vuelve volvemos volvéis vuelven"),
        ("ir", "e>ie", "preferir", "prefiero prefieres prefiere preferimos preferís prefieren"),
        ("ir", "o>ue", "dormir", "duermo duermes duerme dormimos dormís duermen"),
        ("ir", "e>i", "pedir", "pido pides pide pedimos pedís piden"),
        ("ir", "e>i", "repetir", "repito repites repite repetimos repetís repiten"),
    ],
)
def test_spanish_verbs(ending: str, change: str, lemma: str, expected: str) -> None:
    assert forms(f"{spanish(ending, change)}{lemma}\t%changed\n") == {lemma: expected}


def test_a_row_with_the_ending_first_or_last_is_the_same() -> None:
    assert changed("o>ue -ar+o", "contar") == changed("-ar o>ue +o", "contar") == "cuento"


# Paradigms from others


def test_slots_stay_where_the_first_paradigm_has_them_and_each_has_the_rows_of_one_paradigm() -> None:
    rows = "%a\tone\tN\t\t+1\n%a\ttwo\tN\t\t+2\n%b\t%a\n%b\tthree\tN\t\t+3\n%c\t%b\n%c\tone\tN\t\tx>y +4\n"
    assert forms(rows + "x\t%a\nx'\t%b\nxx\t%c\n") == {"x": "x1 x2", "x'": "x'1 x'2 x'3", "xx": "xy4 xx2 xx3"}
    _, (problem,) = lexicon.read(rows + "z\t%c\n", "w.tsv")
    assert (str(problem.span), problem.message, problem.hint) == (
        "w.tsv:7:1",
        'no row of %c gives the one of "z"',
        'line 6: "z" has no "x"; add a row, or write the form as one=..., or one=- where there is none',
    )


def test_paradigms_take_slots_in_any_order_of_lines_and_without_rows_of_their_own() -> None:
    assert forms("x\t%c\n%c\t%b\n%b\t%a\n%a\tone\tN\t\t+1\n") == {"x": "x1"}


def test_a_long_chain_of_paradigms_is_followed() -> None:
    chain = "".join(f"%p{i + 1}\t%p{i}\n" for i in range(5_000))
    assert forms("%p0\tone\tN\t\t+1\n" + chain + "x\t%p5000\n") == {"x": "x1"}


# Limits


def test_rows_times_lemmas_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inflection, "FREE_FORMS", 5)
    monkeypatch.setattr(inflection, "FORMS_A_BYTE", 0)
    rows = "%n\tsg\tN\t\t+\n%n\tpl\tN\t\t-y+ies\t*y\n%n\tpl\tN\t\t+s\n"
    entries, (problem,) = lexicon.read(rows + "cat\t%n\ndog\t%n\nbird\t%n\n", "w.tsv")
    assert entries == [], "no form is made before all are counted"
    assert (str(problem.span), problem.message, problem.hint) == (
        "w.tsv:5:1",
        "paradigms make 6 forms here; lexicon files of this length may have 5",
        "leave out slots and words that you do not need",
    )


def test_a_thousand_rows_times_a_thousand_lemmas_are_refused_before_a_form_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lexicon, "inflect", pytest.fail)
    rows = "".join(f"%n\tx{i}\tA\t\t+s{i}\n" for i in range(1_000))
    entries, (problem,) = lexicon.read(rows + "".join(f"w{i}\t%n\n" for i in range(1_000)), "w.tsv")
    assert entries == []
    most = 10 * len(rows + "".join(f"w{i}\t%n\n" for i in range(1_000)))
    assert (problem.span.line, problem.message) == (
        1_000 + most // 1_000 + 1,
        f"paradigms make {most // 1_000 + 1},000 forms here; lexicon files of this length may have {most:,}",
    )
    assert inflection.most_forms(10**7) == inflection.MAX_INFLECTED


def test_forms_of_several_lexicon_files_are_counted_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inflection, "FREE_FORMS", 5)
    monkeypatch.setattr(inflection, "FORMS_A_BYTE", 0)
    for name in "ab":
        (tmp_path / f"{name}.tsv").write_text(f"%n\tx\tN\t\t+\n%n\ty\tN\t\t+s\n%n\tz\tN\t\t+t\n{name}\t%n\n")
    grammar = tmp_path / "g.pg"
    grammar.write_text('grammar: g\nleaves: N\nlexicon_file: "a.tsv", "b.tsv"\nS:\n    oblig N\n    uniq N\n')
    (problem,) = read_grammar(grammar).errors
    assert str(problem).splitlines() == [
        f"{grammar}:3:24: paradigms make 6 forms here; lexicon files of this length may have 5",
        '    lexicon_file: "a.tsv", "b.tsv"',
        "                           ^^^^^^^",
        "  leave out slots and words that you do not need",
    ]


def test_a_form_has_a_limit() -> None:
    rows = f"%n\tsg\tN\t\t{' '.join(['a>aaaaaaaaa@all'] * 12)}\n"
    _, (problem,) = lexicon.read(rows + "cat\t%n\n", "w.tsv")
    change = " ".join(["a>aaaaaaaaa@all"] * 12)
    assert problem.hint == (
        f'line 1: {change} makes more than 1,000 letters of "cat"; '
        "add a row, or write the form as sg=..., or sg=- where there is none"
    )
    assert inflection.MAX_LETTERS == 1_000


def test_a_form_has_letters() -> None:
    _, (problem,) = lexicon.read("%n\tsg\tN\t\t-cat\ncat\t%n\n", "w.tsv")
    assert problem.hint == (
        'line 1: -cat leaves nothing of "cat"; add a row, or write the form as sg=..., or sg=- where there is none'
    )
