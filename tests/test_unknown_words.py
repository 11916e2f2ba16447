"""Words that the lexicon does not have: they do not decide judgements, and verbs on suites report them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from numbat import Parser, load_grammar
from numbat.acceptability.verdicts import faults_of_known_words, violated_by_known_words
from tests import command_line
from tests.command_line import Done, without_record

GRAMMAR = """\
grammar: klein
version: "1.0"
leaves: Det, N, V
roots: S
features: number: sg, pl
S:
    oblig V
    V => NP
    NP < V
    NP ~> V [number]
NP:
    oblig N
    uniq {Det, N}
    N => Det
    Det < N
lexicon:
    der: Det
    die: Det
    Mann: N[number=sg]
    Frau: N[number=sg]
    schläft: V[number=sg]
    schlafen: V[number=pl]
"""
SUITE = """\
id\tjudgement\tsentence\trelation
1\tok\tder Mann schläft\t
2\t*\tder Mnn schläft\t
3\tok\tdie Fru schläft\t
4\t*\tder Mann schlafen\tdependency
"""
NOTHING_KNOWN = "undecided, as all that is wrong may be due to words that the lexicon does not have"


def fits_nowhere(word: str) -> str:
    """Return the message for three fragments with an unknown word in the middle."""
    why = f'the unknown word "{word}" (1-2) fits nowhere: no construction is made of unknown words'
    return f"no construction spans the whole sentence: 3 fragments; {why}"


Numbat = Callable[..., Done]


@pytest.fixture
def numbat(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    monkeypatch.chdir(tmp_path)
    Path("k.pg").write_text(GRAMMAR, encoding="utf-8")
    Path("s.tsv").write_text(SUITE, encoding="utf-8")
    return command_line.Numbat(capsys, monkeypatch)


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Parser:
    path = tmp_path_factory.mktemp("words") / "k.pg"
    path.write_text(GRAMMAR, encoding="utf-8")
    return Parser(load_grammar(str(path)))


@pytest.mark.parametrize(
    ("sentence", "faults"),
    [
        ("der Mann schläft", ()),
        ("der Mnn schläft", ()),
        ("Mann schläft", ("requirement",)),
        ("der Mann schlafen Mnn", ("dependency",)),
        ("Mann der schläft Mnn", ("linearity",)),
        ("schläft Mnn", ()),  # the noun phrase that is missing may be the unknown word
        ("schläft", ("requirement",)),
        ("Xyz Mann schläft", ()),
        ("der die", ("fragments",)),
        ("Mnn der die", ()),
    ],
)
def test_what_is_wrong_with_words_of_the_lexicon_alone(parser: Parser, sentence: str, faults: tuple[str, ...]) -> None:
    assert faults_of_known_words(parser.parse(sentence)) == faults


def test_a_word_that_is_said_to_be_known_decides(parser: Parser) -> None:
    parse = parser.parse("der Mnn schläft")
    assert (violated_by_known_words(parse), parse.violated) == ((), ())
    assert faults_of_known_words(parse, {"Mnn"}) == ("fragments",)


def test_a_typing_error_is_no_bad_sentence_rightly_caught(numbat: Numbat) -> None:
    done = numbat("test", "s.tsv", "-g", "k.pg")
    assert replace(done, out=without_record(done.out)) == Done(
        "grammar klein 1.0: 4 sentences\n"
        "1 of 2 good sentences at cost 0 (50%)\n"
        "1 of 2 bad sentences that violate what they should (50%), 1 undecided\n"
        "equally good trees for a sentence: median 1, at most 1\n"
        "2 words unknown in 2 sentences: Mnn, Fru\n"
        "\n"
        f"2: *der Mnn schläft  {NOTHING_KNOWN}; 1 word unknown: Mnn\n"
        f"    {fits_nowhere('Mnn')}\n"
        "\n"
        "3: die Fru schläft  is not well formed; 1 word unknown: Fru\n"
        f"    {fits_nowhere('Fru')}\n",
        "",
        1,
    )


def test_an_undecided_sentence_is_no_success_unless_it_is_asked_for(numbat: Numbat) -> None:
    rows = SUITE.splitlines(keepends=True)
    Path("s.tsv").write_text("".join(rows[:3]), encoding="utf-8")
    assert numbat("test", "s.tsv", "-g", "k.pg").code == 1
    counted = numbat("test", "s.tsv", "-g", "k.pg", "--count-undecided")
    assert (counted.code, counted.out.splitlines()[2]) == (
        0,
        "1 of 1 bad sentences that violate what they should (100%)",
    )
    numbat("test", "s.tsv", "-g", "k.pg", "--accept")
    assert Path("s.expected.tsv").read_text(encoding="utf-8").splitlines()[2] == "2\tundecided\t30\tfragments"
    assert numbat("test", "s.tsv", "-g", "k.pg").code == 0


def test_the_test_as_json(numbat: Numbat) -> None:
    found = json.loads(numbat("test", "s.tsv", "-g", "k.pg", "-f", "json").out)
    assert {name: found[name] for name in ("schema", "grammar", "version", "pass", "fail", "undecided", "changes")} == {
        "schema": "numbat.test/1", "grammar": "klein", "version": "1.0",
        "pass": 2, "fail": 1, "undecided": 1, "changes": None,
    }  # fmt: skip
    assert found["items"][1] == {
        "id": "2",
        "sentence": "der Mnn schläft",
        "judgement": "*",
        "verdict": "undecided",
        "reason": f"{NOTHING_KNOWN}; 1 word unknown: Mnn",
        "property": None,
        "instead": [],
        "cost": 30,
        "violated": ["fragments"],
        "guessed": [],
        "unknown": ["Mnn"],
        "explained": [fits_nowhere("Mnn")],
    }


def test_a_bad_sentence_that_names_a_relation(numbat: Numbat) -> None:
    Path("s.tsv").write_text(
        "id\tjudgement\tsentence\trelation\n1\t*\tXyz Mann schläft\trequirement\n"
        "2\t*\tder Mann schlafen Xyz\tlinearity\n",
        encoding="utf-8",
    )
    assert [line for line in numbat("test", "s.tsv", "-g", "k.pg").out.splitlines() if line[:2] in ("1:", "2:")] == [
        f"1: *Xyz Mann schläft  {NOTHING_KNOWN}; 1 word unknown: Xyz",
        "2: *der Mann schlafen Xyz  does not violate linearity, but dependency; 1 word unknown: Xyz",
    ]


def test_words_that_both_of_a_pair_have_decide_nothing(numbat: Numbat) -> None:
    Path("p.tsv").write_text(
        "good\tbad\nder Mann schläft Xyz\tder Mann schlafen Xyz\nder Mann schläft\tder Mnn schläft\n", encoding="utf-8"
    )
    done = numbat("test", "p.tsv", "-g", "k.pg")
    assert (done.code, done.out.splitlines()[1]) == (
        1,
        "2 of 4 sentences of pairs on the right side (50%), 2 undecided",
    )
    assert "\n3-good: der Mann schläft  undecided, as its partner is\n" in done.out
    assert f"\n3-bad: *der Mnn schläft  {NOTHING_KNOWN}; 1 word unknown: Mnn\n" in f"\n{done.out}"


@pytest.mark.parametrize(
    ("rows", "verdicts"),
    [
        (["ok\tder Mann schläft", "?\tschläft der Mann", "*\tschlafen Mann der"], ["pass"] * 3),
        (["ok\tder Mann schläft", "?\tder Mann schläft"], ["pass", "fail"]),
        (["?\tschlafen Mann der", "*\tschläft der Mann"], ["fail", "pass"]),
        (["?\tschlafen Mann der", "??\tschläft der Mann"], ["fail", "fail"]),
        (["?\tder Mnn schläft", "ok\tder Mann schläft"], ["undecided", "pass"]),
    ],
)
def test_doubtful_sentences_rank_between_good_and_bad_ones(
    numbat: Numbat, rows: list[str], verdicts: list[str]
) -> None:
    Path("q.tsv").write_text("judgement\tsentence\n" + "\n".join(rows) + "\n", encoding="utf-8")
    found = json.loads(numbat("test", "q.tsv", "-g", "k.pg", "-f", "json").out)
    assert [each["verdict"] for each in found["items"]] == verdicts


def test_the_reason_of_a_doubtful_sentence_names_the_other_one(numbat: Numbat) -> None:
    Path("q.tsv").write_text("judgement\tsentence\n?\tschlafen Mann der\n*\tschläft der Mann\n", encoding="utf-8")
    assert numbat("test", "q.tsv", "-g", "k.pg").out.splitlines()[5] == (
        "2: ? schlafen Mann der  costs 3; 3, judged *, costs 1: less, though it is judged worse"
    )


def test_doubtful_sentences_rank_within_their_phenomenon(numbat: Numbat) -> None:
    Path("q.tsv").write_text(
        "judgement\tsentence\tphenomenon\n?\tschlafen Mann der\ta\n*\tschläft der Mann\tb\n", encoding="utf-8"
    )
    assert numbat("test", "q.tsv", "-g", "k.pg").code == 0


def test_another_grammar_than_was_meant_is_told_first(numbat: Numbat) -> None:
    Path("s.tsv").write_text("judgement\tsentence\nok\tthe cat sleeps\nok\tder cats sleep\n", encoding="utf-8")
    told = "! most words, 5 of 6, are not in the lexicon of the grammar klein: name the right grammar with -g\n"
    assert numbat("test", "s.tsv", "-g", "k.pg").out.startswith(f"{told}grammar klein 1.0: 2 sentences\n")
    report = numbat("report", "s.tsv", "-g", "k.pg", "--html", "r.html")
    assert report.out.startswith(f"{told}s.tsv: 2 sentences, judged\ngrammar klein 1.0, model cost, weights grammar\n")
    assert told[2:-1] in Path("r.html").read_text(encoding="utf-8")
    found = json.loads(numbat("report", "s.tsv", "-g", "k.pg", "-f", "json").out)
    assert (found["grammar"], found["notes"][0]) == ("klein 1.0", told[2:-1])
    for verb in (("coverage", "s.tsv", "-g", "k.pg"), ("compare", "k.pg", "k.pg", "s.tsv")):
        assert numbat(*verb).out.startswith(told)


def test_a_report_lists_the_words_and_the_undecided(numbat: Numbat) -> None:
    done = numbat("report", "s.tsv", "-g", "k.pg", "--csv", "tables")
    assert done.out.splitlines()[3:5] == [
        "! 2 words unknown in 2 sentences: Mnn, Fru",
        "! bad sentences undecided, as all that is wrong may be due to words not in the lexicon: 1 (2)",
    ]
    with Path("tables/sentences.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["unknown_words"], row["undecided"]) for row in rows] == [
        ("", "0"), ("Mnn", "1"), ("Fru", "0"), ("", "0"),
    ]  # fmt: skip
    item = json.loads(numbat("report", "s.tsv", "-g", "k.pg", "-f", "json").out)["items"][1]
    assert (item["guessed_words"], item["unknown_words"], item["undecided"]) == ([], ["Mnn"], True)


def test_a_bad_sentence_that_falls_for_an_unknown_word_is_not_judged_better(numbat: Numbat) -> None:
    Path("old.pg").write_text(GRAMMAR + "    Mnn: N[number=sg]\n    Fru: N[number=sg]\n", encoding="utf-8")
    assert without_record(numbat("compare", "old.pg", "k.pg", "s.tsv").out) == (
        "2 of 4 sentences changed\nwell formed 3 -> 1, full 4 -> 2\n"
        "0 towards the judgements, 1 away from them\n"
        "2 words unknown in 2 sentences: Mnn, Fru\n"
        "\n2: *der Mnn schläft  0 -> -30\n    undecided: 1 word unknown: Mnn\n    + violated: fragments\n"
        "\n3: die Fru schläft  0 -> -30 worse\n    + violated: fragments\n"
    )


def test_coverage_counts_what_unknown_words_violate_apart(numbat: Numbat) -> None:
    Path("s.tsv").write_text(
        "judgement\tsentence\n*\tXyz Mann schläft\nok\tder Mann schläft\n*\tder Mann schlafen\n", encoding="utf-8"
    )
    lines = without_record(numbat("coverage", "s.tsv", "-g", "k.pg").out).splitlines()
    assert lines[0] == "9 of 9 properties evaluated, 1 of them violated somewhere"
    assert lines[2].split() == ["construction", "property", "satisfied", "violated", "in", "good", "in", "bad",
                                "undecided", "line"]  # fmt: skip
    row = next(line for line in lines if "N => Det" in line)
    assert row.split()[-6:-1] == ["2", "0", "0", "0", "1"]
    assert lines[-1] == "1 word unknown in 1 sentence: Xyz"
    counted = numbat("coverage", "s.tsv", "-g", "k.pg", "--count-undecided").out
    row = next(line for line in counted.splitlines() if "N => Det" in line)
    assert row.split()[-5:-1] == ["2", "1", "0", "1"]


def test_ablation_leaves_undecided_sentences_out(numbat: Numbat) -> None:
    done = numbat("ablate", "s.tsv", "-g", "k.pg")
    assert done.out.splitlines()[-4:-2] == [
        "undecided bad sentences, left out of all figures: 1 (2); --count-undecided counts them",
        "1 word unknown in 1 sentence: Mnn",
    ]
    assert "undecided" not in numbat("ablate", "s.tsv", "-g", "k.pg", "--count-undecided").out
