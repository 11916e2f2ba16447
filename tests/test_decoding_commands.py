"""`numbat decode`, `numbat learn penalties` and `numbat tag run -g`: output, messages, exit codes."""

from __future__ import annotations

import io
import json
import sys
from math import log
from pathlib import Path

import pytest

import numbat
from numbat.errors import DataError, UsageError
from numbat.labels.constraints import Constraints
from numbat.labels.penalties import log_odds, perceptron, read_table, table_text
from numbat.labels.sequence_files import LabelSequence, read_sequence
from numbat.words.chunk_labels import SCHEMES
from tests.command_line import Numbat, json_lines

GRAMMAR = """
grammar: roles
leaves: A0, A1, O
roots: Roles
Roles:
    const {A0, A1, O}
    uniq A0 cost 3
    uniq A1 hard
    oblig {A0, A1} cost 2
"""
ROWS = (
    {
        "id": "two",
        "tokens": ["Kim", "saw", "Ann"],
        "labels": [{"A0": -0.1, "O": -2}, {"O": 0}, {"A0": -0.5, "A1": -0.75}],
        "gold": ["A0", "O", "A1"],
    },
    {"id": "none", "tokens": ["It", "rains"], "labels": [{"O": -0.25, "A0": -4}, {"O": 0}], "gold": ["O", "O"]},
    {"id": "span", "tokens": ["a", "b"], "labels": [{"A1": 0, "O": -1}, {"A0": 0, "A1": -0.5}], "spans": [[0, 2]]},
)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("roles.pg").write_text(GRAMMAR)
    Path("s.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    return tmp_path


def test_decode_as_text(run: Numbat, folder: Path) -> None:
    done = run("decode", "s.jsonl", "-g", "roles.pg", "--daughters", "runs")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "two  score -0.85\n"
        "  Kim/A0 saw Ann/A1\n"
        "  enforced: Roles: uniq A0\n"
        "none  score -2.25, including -2 for violations\n"
        "  It rains\n"
        "  violated: Roles: oblig A0 | A1  cost 2\n"
        '    the Roles "It rains" has no A0 or A1 [Roles: oblig A0 | A1, roles.pg:9]\n'
        "span  score -0.5\n"
        "  [A1 a b]\n"
        "  enforced: spans\n"
    )


def test_decode_as_columns_json_and_automata(run: Numbat, folder: Path) -> None:
    options = ("decode", "s.jsonl", "-g", "roles.pg", "--daughters", "runs", "-f")
    assert run(*options, "columns").out == "Kim\tB-A0\nsaw\tO\nAnn\tB-A1\n\nIt\tO\nrains\tO\n\na\tB-A1\nb\tI-A1\n\n"
    assert run(*options, "att").out.startswith("0\t1\tA0\t0.1\n1\t2\tO\t0\n2\t3\tA1\t0.75\n3\n\n0\t1\tO\t0.25\n")
    rows = json_lines(run(*options, "jsonl").out)
    assert rows[1] == {
        "schema": "numbat.decode/1",
        "id": "none",
        "labels": ["O", "O"],
        "segments": [[0, 2, "O"]],
        "score": -2.25,
        "violated": [{"constraint": "Roles: oblig A0 | A1", "times": 1, "cost": 2.0}],
        "explanations": ['the Roles "It rains" has no A0 or A1  [Roles: oblig A0 | A1, roles.pg:9]'],
        "enforced": [],
        "intersections": 1,
        "branches": 1,
    }


def test_what_cannot_be_labelled_is_told_and_the_others_go_on(run: Numbat, folder: Path) -> None:
    row = {"id": "no", "labels": [{"A1": 0}, {"A1": 0}]}
    Path("s.jsonl").write_text(json.dumps(row) + "\n" + json.dumps({"labels": 1}) + "\n" + json.dumps(ROWS[0]) + "\n")
    done = run("decode", "s.jsonl", "-g", "roles.pg", "--hard")
    assert done.code == 75
    assert done.out.splitlines()[0] == "two  score -0.85"
    assert done.err == (
        "numbat: no: no labelling satisfies Roles: uniq A1\n  give it a cost, or allow more labels\n"
        'numbat: s.jsonl:2: "labels" should be a list of mappings from labels to scores\n  found: 1\n'
    )
    Path("s.jsonl").write_text(json.dumps(row) + "\n")
    assert run("decode", "s.jsonl", "-g", "roles.pg").code == 65


def test_names_that_are_no_labels_are_told(run: Numbat, folder: Path) -> None:
    Path("roles.pg").write_text(GRAMMAR.replace("A1", "Agent1"))
    done = run("decode", "s.jsonl", "-g", "roles.pg", "--soft")
    assert 'numbat: Roles mentions "Agent1", which is not a label of any lattice\n' in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--construction", "Role"), 'the grammar has no construction "Role"\n  did you mean "Roles"?'),
        (
            ("--penalties", "p.tsv"),
            'p.tsv:2:1: "Roles: uniq A0" has no cost\n  a line is: name of the constraint, TAB, its cost',
        ),
        (
            ("--penalties", "q.tsv"),
            'q.tsv: the grammar has no property "Roles: uniq A9"\n  did you mean "Roles: uniq A1"?',
        ),
        (("--penalties", "r.tsv", "--counting", "instance"), "Roles: uniq A0 has the cost -1\n"),
    ],
)
def test_wrong_usage(run: Numbat, folder: Path, arguments: tuple[str, ...], message: str) -> None:
    Path("p.tsv").write_text("constraint\tcost\tviolated\tsequences\nRoles: uniq A0\n")
    Path("q.tsv").write_text("Roles: uniq A9\t2\n")
    Path("r.tsv").write_text("Roles: uniq A0\t-1\n")
    done = run("decode", "s.jsonl", "-g", "roles.pg", *arguments)
    assert done.code in (2, 65)
    assert done.err.removeprefix("numbat: ").startswith(message)


def test_stats(run: Numbat, folder: Path) -> None:
    done = run("decode", "s.jsonl", "-g", "roles.pg", "--daughters", "runs", "--stats")
    assert done.err == (
        "3 sequences; 1.000 intersections and 0.667 branches per sequence\n"
        "right labels: 80.00 % without constraints, 100.00 % with them\n"
        "\n"
        "violated by           best without constraints  share  solutions  share  of 2 right ones  share\n"
        "Roles: oblig A0 | A1  1                         0.333  1          0.333  1                0.500\n"
        "Roles: uniq A0        1                         0.333  0          0.000  0                0.000\n"
        "spans                 1                         0.333  0          0.000  0                0.000\n"
        "\n"
        "violations  sequences  share  cumulative\n"
        "1           3          1.000  1.000\n"
        "\n"
        "products  sequences  mean number of arcs: in the lattice, then searched in each product\n"
        "1         3          4 4\n"
    )


def sequences() -> list[LabelSequence]:
    return [read_sequence(json.dumps(row), "s") for row in ROWS]


def test_log_odds_of_violation() -> None:
    constraints = Constraints(numbat.parse_grammar(GRAMMAR), daughters="runs")
    learned = {each.name: each for each in log_odds(sequences(), constraints)}
    assert list(learned) == ["Roles: uniq A0", "Roles: uniq A1", "Roles: oblig A0 | A1"]
    assert learned["Roles: uniq A0"].cost == pytest.approx(log(2.5 / 0.5))
    assert learned["Roles: oblig A0 | A1"].cost == 0.0
    assert (learned["Roles: oblig A0 | A1"].violated, learned["Roles: oblig A0 | A1"].sequences) == (1, 2)
    with pytest.raises(DataError, match="no sequence has gold labels"):
        log_odds(sequences()[2:], constraints)


def test_a_perceptron_learns_what_the_right_labels_need() -> None:
    """In one of four sequences the right labels violate `uniq A1`, because satisfying it costs more than .5."""
    row = {"labels": [{"A1": 0, "O": -2.0}, {"A1": 0, "O": -0.5}], "gold": ["A1", "A1"]}
    once = {"labels": [{"A1": 0, "O": -2.0}, {"A1": 0, "O": -0.1}], "gold": ["A1", "O"]}
    given = [read_sequence(json.dumps(each), "s") for each in [row, once, once, once]]
    constraints = Constraints(numbat.parse_grammar(GRAMMAR))
    odds = {each.name: each.cost for each in log_odds(given, constraints)}
    learned = {each.name: each.cost for each in perceptron(given, constraints, rounds=200, rate=0.02)}
    assert odds["Roles: uniq A1"] > 0.8
    assert learned["Roles: uniq A1"] == pytest.approx(0.5, abs=0.02)
    assert perceptron(given, constraints, 5, seed=3) == perceptron(given, constraints, 5, seed=3)


def test_a_table_of_penalties_comes_back(run: Numbat, folder: Path) -> None:
    done = run("learn", "penalties", "s.jsonl", "-g", "roles.pg", "--daughters", "runs", "-o", "p.tsv", "--epochs", "2")
    assert done.err.splitlines()[0].startswith("round 1: ")
    lines = Path("p.tsv").read_text().splitlines()
    assert lines[0] == "constraint\tcost\tviolated\tsequences"
    assert set(read_table(lines, "p.tsv")) == {"Roles: uniq A0", "Roles: uniq A1", "Roles: oblig A0 | A1"}
    learned = log_odds(sequences(), Constraints(numbat_grammar(), daughters="runs"))
    assert read_table(table_text(learned).splitlines(), "p") == pytest.approx(
        {each.name: each.cost for each in learned}, rel=1e-5
    )
    assert run("decode", "s.jsonl", "-g", "roles.pg", "--daughters", "runs", "--penalties", "p.tsv").code == 0


def numbat_grammar() -> numbat.Grammar:
    return numbat.parse_grammar(GRAMMAR)


def test_penalties_from_standard_input_are_for_all_constraints(
    run: Numbat, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table is read once for the constraints of the grammar and for those of single sequences."""
    table = b"Roles: oblig A0 | A1\t1.5\nspans\t0.25\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(table)))
    done = run("decode", "s.jsonl", "-g", "roles.pg", "--daughters", "runs", "--penalties", "-", "-f", "jsonl")
    violated = [line["violated"] for line in json_lines(done.out)]
    assert violated[1] == [{"constraint": "Roles: oblig A0 | A1", "times": 1, "cost": 1.5}]
    assert violated[2] == [{"constraint": "spans", "times": 1, "cost": 0.25}]


def test_the_grammar_with_learned_costs(run: Numbat, folder: Path) -> None:
    options = ("learn", "penalties", "s.jsonl", "-g", "roles.pg", "--daughters", "runs")
    done = run(*options, "--write-grammar", "new.pg", "-q")
    assert (done.out, done.err, done.code) == ("", "", 0)
    assert "uniq {A0, A1} cost 1.609438" in Path("new.pg").read_text()
    both = [run("decode", "s.jsonl", "-g", "new.pg", "--daughters", "runs").out.splitlines()[0]]
    assert both == ["two  score -0.85"]


TAGGED = "the/Det dog/N sees/V\na/Det cat/N sleeps/V\nthe/Det cat/N sees/V a/Det dog/N\n"
ONE_VERB = "leaves: Det, N, V\nroots: S\nS:\n    uniq V hard\n    oblig V hard\n    Det => V hard\n"


def test_a_tagger_under_properties(run: Numbat, folder: Path) -> None:
    pytest.importorskip("numpy")
    Path("t.txt").write_text(TAGGED * 5)
    Path("one.pg").write_text(ONE_VERB)
    Path("in.txt").write_text("the dog sees\nthe dog sees the cat sleeps\nthe dog\n")
    assert run("tag", "train", "t.txt", "--from", "text", "-o", "m.model", "-q").code == 0
    options = ("tag", "run", "m.model", "in.txt", "--from", "text")
    plain, done = run(*options).out.splitlines(), run(*options, "-g", "one.pg")
    assert (done.code, done.err) == (0, "")
    found = done.out.splitlines()
    assert found[0] == plain[0] == "the/Det dog/N sees/V"
    assert plain[1].count("/V") == 2
    assert [line.count("/V") for line in found] == [1, 1, 1]
    assert run(*options, "-g", "one.pg", "-j", "2").out == done.out
    Path("none.pg").write_text(ONE_VERB + "    N x V hard\n    oblig N hard\n    const {Det, N, V}\n")
    done = run(*options, "-g", "none.pg")
    assert done.code == 75
    assert done.out.splitlines() == ["the/_ dog/_ sees/_", "the/_ dog/_ sees/_ the/_ cat/_ sleeps/_", "the/_ dog/_"]
    said = done.err.splitlines()
    assert said[0] == "numbat: in.txt:1: no labelling satisfies all of these: S: oblig V; S: N x V; S: oblig N"
    assert said[-1] == "numbat: 3 sentences lost; their labels are written as _"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--hard",), "the options about constraints need a grammar that has them\n  name it: -g roles.pg\n"),
        (
            ("-g", "roles.pg", "--inference", "vote"),
            "--inference vote and -g exclude each other\n  constraints go with --inference csi\n",
        ),
    ],
)
def test_what_does_not_go_together(run: Numbat, folder: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run("tag", "run", "penn", "s.jsonl", *arguments)
    assert (done.code, done.err) == (2, f"numbat: {message}")


def test_constraints_of_a_grammar_with_several_constructions() -> None:
    grammar = numbat.parse_grammar("leaves: A\nroots: S\nS:\n    uniq A\nT:\n    oblig A\n    uniq S\n")
    with pytest.raises(UsageError) as caught:
        Constraints(grammar)
    assert str(caught.value) == (
        "the grammar has 2 constructions, but constraints are the properties of one\n  name one: S, T"
    )
    with pytest.raises(UsageError) as caught:
        Constraints(grammar, "S", daughters="words")
    assert str(caught.value) == (
        '"words" is not a kind of daughters\n  choose one of: labels, runs, iob2, iob1, iobes, bilou, bmes, ioe2, ioe1'
    )


PER = "leaves: PER, O\nroots: R\nR:\n    uniq PER cost 5\n"
PEOPLE = {
    "iob2": ("B-PER", "I-PER", "B-PER"),
    "iob1": ("I-PER", "I-PER", "I-PER"),
    "iobes": ("B-PER", "E-PER", "S-PER"),
    "bilou": ("B-PER", "L-PER", "U-PER"),
    "bmes": ("B-PER", "M-PER", "E-PER", "S-PER"),
    "ioe2": ("I-PER", "E-PER", "E-PER"),
}


def people(*labels: str) -> dict[str, object]:
    *first, second = labels
    rows = [*({label: -0.1} for label in first), {"O": -0.1}, {second: -0.2, "O": -1}]
    return {"id": "1", "tokens": [*["Ann", "Mary", "Lee"][: len(first)], "met", "Bob"], "labels": rows}


@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize("scheme", PEOPLE)
def test_labels_of_every_scheme_are_constrained(run: Numbat, folder: Path, scheme: str, behind: bool) -> None:
    labels = [f"{label[2:]}-{label[0]}" if behind else label for label in PEOPLE[scheme]]
    Path("per.pg").write_text(PER)
    Path("s.jsonl").write_text(json.dumps(people(*labels)) + "\n")
    done = run("decode", "s.jsonl", "-g", "per.pg", "--daughters", "chunks")
    words = " ".join(["Ann", "Mary", "Lee"][: len(labels) - 1])
    score = f"{-1 - 0.1 * len(labels):.1f}"
    assert done.out == f"1  score {score}\n  [PER {words}] met Bob\n  enforced: R: uniq PER\n"
    told = ", written TYPE-SIGN" if behind else ""
    assert done.err == (
        f"numbat: the labels are read as chunks of the scheme {scheme}{told}\n  use --scheme for another one\n"
    )
    named = run("decode", "s.jsonl", "-g", "per.pg", "--daughters", "chunks", "--scheme", scheme)
    assert (named.out, named.err, named.code) == (done.out, "", 0)
    (row,) = json_lines(run("decode", "s.jsonl", "-g", "per.pg", "--daughters", "chunks", "-f", "jsonl").out)
    assert row["segments"] == [[0, len(labels) - 1, "PER"], [len(labels) - 1, len(labels) + 1, "O"]]


def test_a_scheme_has_to_be_kept_to(run: Numbat, folder: Path) -> None:
    Path("per.pg").write_text(PER)
    rows = [{"O": 0.0, "B-PER": -3.0}, {"I-PER": 0.0, "O": -1.0}]
    Path("s.jsonl").write_text(json.dumps({"id": "1", "tokens": ["a", "b"], "labels": rows}) + "\n")
    done = run("decode", "s.jsonl", "-g", "per.pg", "--daughters", "chunks", "--scheme", "iob2")
    assert done.out == "1  score -1\n  a b\n  enforced: scheme iob2\n"
    options = ("decode", "s.jsonl", "-g", "per.pg", "--daughters", "chunks", "--scheme")
    assert run(*options, "iob1").out == "1  score 0\n  a b/PER\n"
    assert run(*options, "bilou", "-f", "columns").out == "a\tO\nb\tO\n\n"


NO_SCHEMES = [
    (
        [{"labels": [{"B-PER": 0}, {"L-PER": 0}]}, {"labels": [{"S-PER": 0}]}],
        's.jsonl:2: no scheme of chunks has the label "S-PER" beside B-PER\n'
        "  correct it; --daughters labels and --daughters runs take any labels\n",
    ),
    (
        [{"labels": [{"B-PER": 0, "O": 0}, {"I-PER": 0}]}, {"labels": [{"O": 0}, {"I-PER": 0}]},
         {"labels": [{"B-PER": 0}]}],
        "s.jsonl:2: iob2 allows no labelling of this sequence\n  correct it, or read the labels by it: --scheme iob2\n",
    ),
    (
        [{"labels": [{"B-PER": 0, "O": 0}, {"I-PER": 0, "O": 0}], "gold": ["O", "I-PER"]},
         {"labels": [{"O": 0, "B-PER": 0}], "gold": ["B-PER"]}],
        's.jsonl:1: "gold": iob2 does not allow I-PER after O\n  correct it, or read the labels by it: --scheme iob2\n',
    ),
    (
        [{"labels": [{"PER": 0}]}],
        's.jsonl:1: no scheme of chunks has the label "PER"\n'
        "  correct it; --daughters labels and --daughters runs take any labels\n",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "message"), NO_SCHEMES)
def test_labels_of_no_scheme(run: Numbat, folder: Path, rows: list[dict[str, object]], message: str) -> None:
    Path("per.pg").write_text(PER)
    Path("s.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = run("decode", "s.jsonl", "-g", "per.pg", "--daughters", "chunks")
    assert (done.code, done.out, done.err) == (65, "", f"numbat: {message}")


def test_runs_as_segments_and_in_columns_of_a_scheme(run: Numbat, folder: Path) -> None:
    Path("s.jsonl").write_text(json.dumps({"labels": [{"A0": 0}, {"A0": 0}, {"O": 0}, {"A1": 0}]}) + "\n")
    options = ("decode", "s.jsonl", "-g", "roles.pg", "--daughters", "runs")
    (row,) = json_lines(run(*options, "-f", "jsonl").out)
    assert row["segments"] == [[0, 2, "A0"], [2, 3, "O"], [3, 4, "A1"]]
    assert run(*options, "-f", "columns", "--scheme", "iobes").out == "0\tB-A0\n1\tE-A0\n2\tO\n3\tS-A1\n\n"
    done = run(*options, "--scheme", "iobes")
    assert (done.code, done.err) == (
        2,
        "numbat: --scheme is for labels of chunks\n  add --daughters chunks, or leave it out\n",
    )


CHUNKED = "Ann B-PER\nLee L-PER\nmet O\nBob U-PER\n\nBob U-PER\nmet O\nAnn B-PER\nMary I-PER\nLee L-PER\n\n" * 3


def test_a_tagger_of_chunks(run: Numbat, folder: Path) -> None:
    pytest.importorskip("numpy")
    Path("t.txt").write_text(CHUNKED)
    Path("per.pg").write_text(PER)
    done = run("tag", "train", "t.txt", "-o", "m.model")
    assert "the labels are read as chunks of the scheme bilou\n  use --scheme for another one\n" in done.err
    scores = run("tag", "score", "m.model", "t.txt")
    assert scores.err == ""
    assert scores.out.splitlines()[3] == "csi\t100.00\t-\t100.00\t100.00\t100.00\t100.00"
    assert run("tag", "score", "m.model", "t.txt", "--whole-chunks").out == scores.out
    Path("in.txt").write_text("Ann\nLee\nmet\nBob\n")
    assert run("tag", "run", "m.model", "in.txt").out == "Ann B-PER\nLee L-PER\nmet O\nBob U-PER\n\n"
    done = run("tag", "run", "m.model", "in.txt", "-g", "per.pg", "--daughters", "chunks", "--hard")
    found = SCHEMES["bilou"].chunks([line.split()[1] for line in done.out.splitlines() if line])
    assert (done.err, len(found)) == ("", 1)
    Path("wrong.txt").write_text("Ann B-PER\nLee B-PER\n")
    assert run("tag", "score", "m.model", "wrong.txt").err == (
        "wrong.txt:2:1: bilou does not allow B-PER after B-PER\n"
        "  bilou is the scheme of the model: correct it, or read the labels by it: --scheme bilou\n"
    )
    assert run("tag", "score", "m.model", "wrong.txt", "--scheme", "bilou").code == 0
    assert run("tag", "run", "m.model", "in.txt", "--scheme", "iob2").err == (
        'numbat: the scheme iob2 lacks "L-PER", a label of the model\n  all labels of the model are labels of: bilou\n'
    )


def test_labels_that_a_named_scheme_allows(run: Numbat, folder: Path) -> None:
    """The perceptron saw `c` only inside chunks, so it labels it that way also after `O`, unless iob2 is required."""
    pytest.importorskip("numpy")
    Path("t.txt").write_text("a B-X\nc I-X\nb O\n\nb O\nb O\na B-X\nc I-X\n\n" * 4)
    Path("in.txt").write_text("b\nc\nb\n")
    assert run("tag", "train", "t.txt", "-o", "m.model", "-q").code == 0
    assert run("tag", "run", "m.model", "in.txt").out == "b O\nc I-X\nb O\n\n"
    done = run("tag", "run", "m.model", "in.txt", "--scheme", "iob2")
    labels = [line.split()[1] for line in done.out.splitlines() if line]
    assert (done.code, done.err) == (0, "")
    assert labels in (["O", "B-X", "O"], ["O", "O", "O"], ["B-X", "I-X", "O"])
