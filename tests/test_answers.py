"""Answers as JSON: the output of each verb is valid by the schema that it names, which has a version."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import numbat as package
from numbat import load_grammar
from numbat.acceptability.exercises import exercise_of
from numbat.authoring.report import packaged
from numbat.experiments.rerun import Rerun, rerun_report
from numbat.parsing.explanation import json_format
from numbat.reports.answers import SCHEMA_FILE, Answer
from numbat.structure.report import proposals_report
from tests.command_line import Numbat, json_lines
from tests.test_proposals import proposed

FOLDER = Path(__file__).parent / "starter"
STARTER = str(FOLDER / "starter.pg")
EXERCISE = str(FOLDER.parents[1] / "exercises" / "agreement.exercise.yaml")
ON_STARTER = ("-g", STARTER)

SCHEMAS: Final[dict[str, Any]] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
PARSE: Final = json.loads(json_format.SCHEMA_FILE.read_text(encoding="utf-8"))
REGISTRY: Final[Any] = Registry().with_resources(
    [("parse.schema.json", Resource.from_contents(PARSE)), ("answers.schema.json", Resource.from_contents(SCHEMAS))]
)
NAMED: Final = {name for name in SCHEMAS["$defs"] if name.startswith("numbat.")}
ELSEWHERE: Final = {
    "numbat.parse/2",
    "numbat.trace/1",
    "numbat.web/1",
    "numbat.journal/3",
    "numbat.language/1",
    "numbat.judgement/2",
    "numbat.links/2",
    "numbat.shard/2",
    "numbat.experiment/1",
    "numbat.links/1",
    "numbat.judgement/1",
}
"""Schemas in other files, and names of files and messages that only Numbat reads."""


def check(value: Any) -> str:
    """Check that a value is valid by the schema that it names, and return the name."""
    name: str = value["schema"]
    pointer = name.replace("/", "~1")
    Draft202012Validator({"$ref": f"answers.schema.json#/$defs/{pointer}"}, registry=REGISTRY).validate(value)
    return name


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    """`numbat` in a folder with a file of each kind."""
    monkeypatch.chdir(tmp_path)
    Path("some.tsv").write_text(
        "id\tsentence\tjudgement\trating\tphenomenon\n"
        "1\tThe cat sleeps.\tok\t6\tverbs\n2\tThe cat sleep.\t*\t2\tverbs\n3\tCat the sleeps.\t*\t1\torder\n"
        "4\tThe old cats sleep.\tok\t6.5\torder\n5\tThe zyzzy sleeps.\tok\t5\torder\n"
        "6\tThe the cat sleeps.\t*\t2\torder\n",
        encoding="utf-8",
    )
    Path("pairs.tsv").write_text(
        "good\tbad\tproperty\nThe cat sleeps.\tCat the sleeps.\tNP: Det < N\nThe cat sleeps.\tThe cat sleep.\t\n",
        encoding="utf-8",
    )
    Path("items.csv").write_text(ITEMS, encoding="utf-8")
    Path("pilot.tsv").write_text(PILOT, encoding="utf-8")
    Path("rated.tsv").write_text(RATED, encoding="utf-8")
    source = Path(STARTER).read_text(encoding="utf-8")
    line = next(each for each in source.splitlines() if each.strip().startswith("uniq"))
    lexicon = str(FOLDER / "lexicon.tsv")
    weaker = source.replace(line, "", 1).replace('"lexicon.tsv"', f'"{lexicon}"')
    weaker = weaker.replace("roots: S\n", "roots: S\nprofile shallow: without H4, election all\n")
    Path("weaker.pg").write_text(weaker, encoding="utf-8")
    Path("bad.pg").write_text(weaker.replace("roots: S", "roots: Zyzzy"), encoding="utf-8")
    Path("gold.mrg").write_text("(S (NP (Det the) (N cat)) (VP (V sleeps)))\n", encoding="utf-8")
    Path("words.conllu").write_text(WORDS, encoding="utf-8")
    Path("crossing.discbracket").write_text("(S (VP (V 0=is) (V 2=seen)) (NP 1=it))\n", encoding="utf-8")
    Path("lemmas.mrg").write_text("(S (N cats cat) (V sleep sleep))\n", encoding="utf-8")
    Path("costs.tsv").write_text(COSTS, encoding="utf-8")
    Path("roles.pg").write_text(ROLES, encoding="utf-8")
    Path("roles.jsonl").write_text(LABELS, encoding="utf-8")
    Path("students").mkdir()
    text = Path(EXERCISE).read_text(encoding="utf-8")
    Path("students", Path(EXERCISE).name).write_text(text, encoding="utf-8")
    Path("students", "anna.pg").write_text(exercise_of(text, EXERCISE).grammar, encoding="utf-8")
    Path("students", "ben.pg").write_text("leaves: N, M!\n", encoding="utf-8")
    numbat = Numbat(capsys, monkeypatch)
    numbat("parse", "the cat sleeps", "cat the sleep", "-f", "store", "-o", "some.db", *ON_STARTER)
    return numbat


WORDS: Final = """\
# text = it sleeps
1\tit\tit\tPRON\tPRP\tNumber=Sing\t2\tnsubj\t_\t_
2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t_\t_

"""
COSTS: Final = """\
# fitted model for the grammar starter
feature\tweight\tmean\tscale\titems
intercept\t2\t0\t1\t0
violated linearity\t-0.9\t0.1\t0.3\t9
log words\t0.2\t0.1\t0.3\t9
"""
ROLES: Final = """
grammar: roles
leaves: A0, O
roots: Roles
Roles:
    const {A0, O}
    uniq A0 cost 3
"""
LABELS: Final = """\
{"id": "two", "tokens": ["Kim", "saw", "Ann"], "labels": [{"A0": 0, "O": -9}, {"O": 0}, {"A0": 0, "O": -9}]}
"""
ITEMS: Final = "item,order,number,sentence,note\n" + "".join(
    f"{item},{order},{number},{text},x\n"
    for item, noun in enumerate(("cat", "dog"), start=1)
    for order, number, text in (
        ("good", "sg", f"The {noun} sleeps."),
        ("good", "pl", f"The {noun}s sleep."),
        ("bad", "sg", f"{noun} the sleeps."),
        ("bad", "pl", f"{noun}s the sleep."),
    )
)
PILOT: Final = "participant\titem\tcondition\trating\n" + "".join(
    f"p{who}\t{item}\t{'ab'[(who + item) % 2]}\t{(who * 7 + item * 3) % 5 + (who + item) % 2}\n"
    for who in range(4)
    for item in range(6)
)
RATED: Final = "sentence\trating\tgroup\tphenomenon\n" + "".join(
    f"{text}\t{rating + place % 3 / 4}\t{place}\tc{place % 4}\n"
    for place, (text, rating) in enumerate(
        (("The cat sleeps.", 6), ("The cat sleep.", 3), ("Cat the sleeps.", 2), ("The dog sleeps.", 6)) * 4
    )
)
TREE: Final = "(S (NP (Det the) (N cats)) (VP (V sleeps)))"


def whole(text: str) -> list[Any]:
    value = json.loads(text)
    return value if isinstance(value, list) else [value]


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


COMMANDS: Final = (
    ("numbat.ablate/1", "ablate", "some.tsv", *ON_STARTER),
    ("numbat.check/1", "check", STARTER, "--table", "--headless", "--suite", "some.tsv"),
    ("numbat.check/1", "check", "bad.pg"),
    ("numbat.check/1", "check", EXERCISE),
    ("numbat.compare/1", "compare", "weaker.pg", STARTER, "some.tsv"),
    ("numbat.contrast/1", "contrast", "The cat sleeps", "Cat the sleeps", *ON_STARTER),
    ("numbat.contrasts/1", "contrast", "-i", "pairs.tsv", *ON_STARTER),
    ("numbat.design/1", "design", "items.csv", "--factors", "order,number", "--apart", "0", *ON_STARTER),
    ("numbat.counts/1", "query", "some.db", "NP", "--by", "word"),
    ("numbat.coverage/1", "coverage", "some.tsv", *ON_STARTER),
    ("numbat.doctor/1", "doctor"),
    ("numbat.difference/1", "show", "weaker.pg", "--against", STARTER),
    ("numbat.explain/1", "explain", "Cat the sleep", *ON_STARTER),
    ("numbat.explain/1", "explain", "the the", *ON_STARTER),
    ("numbat.grammar/1", "show", "weaker.pg"),
    ("numbat.importance/2", "importance", "costs.tsv", "--on", "some.tsv", *ON_STARTER),
    ("numbat.judge/1", "judge", TREE, *ON_STARTER),
    ("numbat.judge-summary/1", "judge", "--summary", "gold.mrg", *ON_STARTER),
    ("numbat.paradigm/1", "show", "english", "--paradigm", "goose"),
    ("numbat.word/1", "show", "english", "--word", "suggest"),
    ("numbat.power/1", "power", "pilot.tsv", "--people", "4", "--items", "4", "--simulations", "10"),
    ("numbat.repair/1", "repair", "Cat the sleeps", *ON_STARTER),
    ("numbat.report/3", "report", "some.tsv", *ON_STARTER),
    ("numbat.score/1", "score", "gold.mrg", "gold.mrg", "--resamples", "10"),
    ("numbat.score/1", "score", "words.conllu", "words.conllu", "--resamples", "10"),
    ("numbat.statistics/1", "statistics", "some.db"),
    ("numbat.template/1", "show", str(FOLDER.parent / "cases" / "templates" / "grammar.pg"), "--template", "labile"),
    ("numbat.theories/1", "theories", "rated.tsv", "--folds", "3", *ON_STARTER),
    ("numbat.class/1", "test", "students", "--class"),
    ("numbat.test/1", "test", "some.tsv", *ON_STARTER),
    ("numbat.why-not/1", "why-not", "0-2:NP", "the cat sleeps", *ON_STARTER),
    ("numbat.why-not/1", "why-not", "0-2:VP", "the cat sleeps", *ON_STARTER),
)
LINES: Final = (
    ("numbat.decode/1", "decode", "roles.jsonl", "-g", "roles.pg"),
    ("numbat.judge/1", "judge", TREE, *ON_STARTER),
    ("numbat.judge-summary/1", "judge", "--summary", "gold.mrg", *ON_STARTER),
    ("numbat.tree/1", "trees", "gold.mrg"),
    ("numbat.tree/1", "trees", "words.conllu"),
    ("numbat.tree/1", "trees", "crossing.discbracket", "--from", "discbracket"),
    ("numbat.tree/1", "trees", "lemmas.mrg"),
)


MADE_HERE: Final = ("numbat.proposals/1", "numbat.grammars/1", "numbat.rerun/1")


@pytest.mark.parametrize(("schema", "command"), [(each[0], each[1:]) for each in COMMANDS])
def test_an_answer_is_valid_by_the_schema_that_it_names(numbat: Numbat, schema: str, command: tuple[str, ...]) -> None:
    done = numbat(*command, "-f", "json")
    (value,) = whole(done.out)
    assert (check(value), value["run"]["verb"]) == (schema, command[0]), done.err


@pytest.mark.parametrize(("schema", "command"), [(each[0], each[1:]) for each in LINES])
def test_lines_of_json_name_their_schema(numbat: Numbat, schema: str, command: tuple[str, ...]) -> None:
    done = numbat(*command, "-f", "jsonl")
    *values, record = lines(done.out)
    assert {check(value) for value in values} == {schema}, done.err
    assert (check(record), record["run"]["verb"]) == ("numbat.run/1", command[0])


def test_parsed_lines_end_with_the_record_of_the_run(numbat: Numbat) -> None:
    (first,) = json_lines(numbat("parse", "-f", "jsonl", "the cat sleeps", *ON_STARTER).out)
    assert first["schema"] == "numbat.parse/2"


def test_what_takes_long_is_valid_by_its_schema_too() -> None:
    found = [
        Answer(proposals_report(proposed(), 10)),
        Answer(packaged([("starter", load_grammar(STARTER), "small")])),
        Answer(rerun_report(Rerun(("--seed: 0, now 1",), ("report.txt: differs",), 3))),
    ]
    assert [check(json.loads(each.json())) for each in found] == [*MADE_HERE]


def test_every_schema_in_the_code_is_described_and_tried() -> None:
    sources = [path.read_text(encoding="utf-8") for path in Path(package.__file__).parent.rglob("*.py")]
    named = {name for source in sources for name in re.findall(r'"(numbat\.[a-z-]+/[0-9]+)"', source)}
    assert named - ELSEWHERE == NAMED
    assert {each[0] for each in (*COMMANDS, *LINES)} | {"numbat.run/1", *MADE_HERE} == NAMED


def test_the_file_is_a_json_schema() -> None:
    for schema in SCHEMAS["$defs"].values():
        Draft202012Validator.check_schema(schema)
