"""Lists of an experiment: Latin squares, orders under constraints, checks of items by a grammar, PCIbex."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import zipfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numbat import DataError, UsageError
from numbat.acceptability.covariates import read_frequencies
from numbat.acceptability.models import scorer
from numbat.acceptability.runs import run_suite
from numbat.experiments.contrasts import check_design
from numbat.experiments.materials import (
    Materials,
    OrderConstraints,
    Stimulus,
    TrialList,
    factors_of,
    latin_square,
    pseudo_random,
    read_materials,
    trial_lists,
)
from numbat.experiments.pcibex import as_csv, list_rows, pcibex_zip
from numbat.grammar.loading import parse_grammar
from numbat.parsing.parser import Parser
from tests.command_line import Numbat
from tests.samples import enough

GRAMMAR = """
leaves: D, N, V, A
roots: S
features:
    number: sg, pl
S:
    oblig V
    uniq N
    N < V
    D < N
    N => D
    N ~> V [number]
    A < V
lexicon:
    the: D
    cat: N[sg]
    cats: N[pl]
    dog: N[sg]
    dogs: N[pl]
    sleeps: V[sg]
    sleep: V[pl]
    now: A
"""


def materials(items: int, conditions: int, fillers: int = 0, sets: int = 1) -> Materials:
    targets = tuple(
        Stimulus("target", (f"s{of}", str(item)), (f"c{place}",), f"s{of} i{item} c{place}")
        for of in range(sets)
        for item in range(items)
        for place in range(conditions)
    )
    others = tuple(Stimulus("filler", (str(i),), (), f"f{i}") for i in range(fillers))
    return Materials("made", ("condition",), ("set",), targets, others)


@given(st.integers(1, 12), st.integers(1, 5), st.integers(1, 3))
@settings(max_examples=enough(20))
def test_laws_of_a_latin_square(items: int, conditions: int, sets: int) -> None:
    """A list has each item once, and the conditions of a set equally often, give or take one; over all lists each item
    occurs in each condition once."""
    lists = latin_square(materials(items, conditions, sets=sets))
    assert len(lists) == conditions
    for chosen in lists:
        assert len({each.item for each in chosen}) == len(chosen) == items * sets
        for of in range(sets):
            often = Counter(each.condition for each in chosen if each.item[0] == f"s{of}")
            assert max(often.values()) - min(often.get((f"c{i}",), 0) for i in range(conditions)) <= 1
            assert items % conditions or len(set(often.values())) == 1
    shown = Counter((each.item, each.condition) for chosen in lists for each in chosen)
    assert set(shown.values()) == {1}
    assert len(shown) == items * conditions * sets


def test_lists_are_a_multiple_of_the_conditions() -> None:
    assert len(latin_square(materials(4, 4), 8)) == 8
    with pytest.raises(UsageError) as error:
        latin_square(materials(4, 4), 6)
    assert str(error.value) == (
        "6 lists for 4 conditions\n"
        "  every item should be in each condition equally often: use 4 lists, or a multiple of that"
    )


def kept(order: tuple[Stimulus, ...], apart: int, between: int, first: int) -> bool:
    """True if an order keeps the constraints, by comparing all pairs."""
    targets = [(place, each) for place, each in enumerate(order) if each.kind == "target"]
    gaps = [b - a - 1 for (a, _), (b, _) in pairwise(targets)]
    alike = [
        b - a - 1
        for a, one in targets
        for b, other in targets
        if a < b and (one.item[:-1], one.condition) == (other.item[:-1], other.condition)
    ]
    return all(g >= between for g in gaps) and all(g >= apart for g in alike) and targets[0][0] >= first


@given(st.integers(0, 3), st.integers(0, 1), st.integers(0, 3), st.integers(0, 10_000))
@settings(max_examples=enough(20))
def test_orders_keep_their_constraints(apart: int, between: int, first: int, seed: int) -> None:
    made = materials(8, 4, fillers=14)
    for each in trial_lists(made, constraints=OrderConstraints(apart, between, first), seed=seed):
        assert kept(each.trials, apart, between, first)
        assert not OrderConstraints(apart, between, first).broken(each.trials)
        assert Counter(each.trials) == Counter([*latin_square(made)[each.number - 1], *made.fillers])


def test_an_order_is_found_where_only_few_are_there() -> None:
    """Four of one condition and three fillers, one between each two: targets have their places."""
    made = materials(4, 1, fillers=3)
    (only,) = trial_lists(made, constraints=OrderConstraints(1, 1, 0))
    assert [each.kind for each in only.trials] == ["target", "filler"] * 3 + ["target"]
    with pytest.raises(UsageError) as error:
        trial_lists(materials(4, 1, fillers=2), constraints=OrderConstraints(1, 0, 0))
    assert str(error.value) == (
        "6 sentences are too few for 1 between any two of 4 of one condition: this needs 7\n"
        "  add fillers, or lower --apart"
    )


def test_broken_constraints_are_named() -> None:
    one, other = materials(2, 1).targets
    assert OrderConstraints(1, 0, 0).broken([one, other]) == '"s0 i0 c0" and "s0 i1 c0" are too close'
    assert OrderConstraints(0, 0, 1).broken([one, other]) == '"s0 i0 c0" is too early'


def test_orders_are_about_equally_likely() -> None:
    """Of two conditions with two sentences each, without two of one in a row, there are eight orders."""
    from random import Random

    made, random = materials(2, 2).targets, Random(1)
    drawn = Counter(tuple(pseudo_random(made, OrderConstraints(1, 0, 0), random)) for _ in range(400))
    assert len(drawn) == 8
    assert min(drawn.values()) > 30


def test_the_same_seed_makes_the_same_lists() -> None:
    made = materials(8, 4, fillers=8)
    assert trial_lists(made, seed=3, orders=2) == trial_lists(made, seed=3, orders=2)
    assert trial_lists(made, seed=3) != trial_lists(made, seed=4)
    one, other = trial_lists(made, seed=3, orders=2)[:2]
    assert one.trials != other.trials


ITEMS = """item,agreement,order,sentence,source
1,good,short,the cat sleeps,x
1,good,long,the cat now sleeps,x
1,bad,short,the cats sleeps,x
1,bad,long,the cats now sleeps,x
2,good,short,the dog sleeps,y
2,good,long,the dog now sleeps,y
2,bad,short,the dogs sleeps,y
2,bad,long,the dogs now sleeps,y
3,good,short,the cat sleeps,z
3,good,long,the cat now sleeps,z
3,bad,short,cat sleeps,z
3,bad,long,the cats now sleeps,z
NA,NA,,the dog sleeps now,w
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.csv").write_text(ITEMS, encoding="utf-8")
    (tmp_path / "small.pg").write_text(GRAMMAR, encoding="utf-8")
    (tmp_path / "fillers.txt").write_text("the dogs sleep\n\nthe cats sleep\n# no sentence\n", encoding="utf-8")
    (tmp_path / "practice.tsv").write_text("sentence\tid\nthe cat, sleeps\tp1\n", encoding="utf-8")
    return tmp_path


def test_items_are_read(folder: Path) -> None:
    made = read_materials("items.csv", factors_of("agreement=bad/good,order"), (), "fillers.txt", "practice.tsv")
    assert made.levels == (("bad", "good"), ("short", "long"))
    assert made.conditions[0] == ("bad", "short")
    assert [len(own) for own in made.items.values()] == [4, 4, 4]
    assert [each.sentence for each in made.fillers] == ["the dog sleeps now", "the dogs sleep", "the cats sleep"]
    assert [(each.name, each.sentence) for each in made.practice] == [("p1", "the cat, sleeps")]
    assert made.targets[0].extra == (("source", "x"),)


def test_rows_of_several_people_count_once(folder: Path) -> None:
    rows = ITEMS.splitlines()[1:-1]
    table = ["participant,rating," + ITEMS.splitlines()[0]]
    table += [f"p{who},{who},{row}" for who in (1, 2) for row in rows]
    (folder / "rated.csv").write_text("\n".join(table) + "\n", encoding="utf-8")
    made = read_materials("rated.csv", factors_of("agreement,order"))
    assert len(made.targets) == 12
    assert made.notes == ("24 rows for 12 targets: each counts once",)
    assert made.targets[0].extra == (
        ("source", "x"),
    )  # a value that differs between people does not belong to the item


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("2,bad,long,the dogs now sleeps,y\n", ""),
            "items.csv:6:1: item 2 lacks bad, long\n"
            "  every item has every condition; --designs COLUMN separates experiments with other conditions",
        ),
        (
            ("2,bad,long,the dogs", "1,good,short,the dogs"),
            "items.csv:9:1: item 1 has two sentences for good, short\n"
            '  in line 2 it is "the cat sleeps"; an item has one for each condition',
        ),
        (("1,bad,long,", "1,bad,,"), "items.csv:5:1: a level of another factor, but none of order\n"),
        (("1,bad,long,the cats now sleeps", "1,bad,long,"), "items.csv:5:1: no sentence\n"),
        (
            ("item,agreement,order", "item,agrement,order"),
            "items.csv: no column \"agreement\" for a factor among 'item', 'agrement', 'order', 'sentence', 'source'\n"
            '  did you mean "agrement"?',
        ),
        (("item,", "number,"), "items.csv: no column item among"),
    ],
)
def test_items_that_are_not_whole(folder: Path, change: tuple[str, str], message: str) -> None:
    (folder / "items.csv").write_text(ITEMS.replace(*change), encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_materials("items.csv", factors_of("agreement,order"))
    assert str(error.value).startswith(message)


def test_levels_in_an_order(folder: Path) -> None:
    """Rows of levels that are not named are skipped with a message; a level that no row has is a mistake."""
    (folder / "more.csv").write_text(ITEMS + "1,so-so,short,the cat sleeps sleeps,x\n", encoding="utf-8")
    made = read_materials("more.csv", factors_of("agreement=bad/good,order"))
    assert (made.levels[0], len(made.targets)) == (("bad", "good"), 12)
    assert made.notes == ("rows left out because --factors does not name their level: 1 (so-so)",)
    with pytest.raises(UsageError) as error:
        read_materials("items.csv", factors_of("agreement=goood/bad,order"))
    assert str(error.value) == 'items.csv: the level "goood" of agreement is in no row\n  did you mean "good"?'


@pytest.mark.parametrize("text", ["", "=a/b", "x=a", "x=a/a"])
def test_what_is_no_factor(text: str) -> None:
    if not text:
        assert factors_of(text) == ()
        return
    with pytest.raises(UsageError, match="is not a factor"):
        factors_of(text)


def test_conditions_differ_in_what_they_should_and_in_nothing_else(folder: Path) -> None:
    """Item 3 lacks a determiner where the others lack agreement."""
    made = read_materials("items.csv", factors_of("agreement,order"))
    parser, score = Parser(parse_grammar(GRAMMAR)), scorer("cost")
    (folder / "words.txt").write_text("word\tcount\nthe\t900\ncat\t99\n", encoding="utf-8")
    checks = check_design(
        made, list(run_suite(made.suite(), parser, score)), parser.grammar, score, read_frequencies("words.txt")
    )
    agreement = "S: N ~> V [number]"
    found = {each.group.name: each.group for each in checks.comparisons}
    assert list(found) == [
        "good, short - bad, short",
        "good, long - bad, long",
        "good, short - good, long",
        "bad, short - bad, long",
    ]
    bad = found["good, short - bad, short"]
    assert (bad.usual, bad.number) == (frozenset({(agreement, False)}), 2)
    assert [each.verdict for each in bad.contrasts] == ["expected", "expected", "other"]
    assert [tuple(each) for each in bad.contrasts[2].differences] == [("S: N => D", -1)]
    assert [each.verdict for each in found["good, short - good, long"].contrasts] == ["expected"] * 3
    (interaction,) = checks.interactions
    assert [tuple(map(tuple, own)) for own in interaction.items.values()] == [
        (),
        (),
        (("S: N => D", -1), (agreement, 1)),
    ]
    first = checks.summaries[0]
    assert (first.condition, first.items, first.words, first.well_formed) == (("good", "short"), 3, 3.0, 3)
    assert first.farthest == pytest.approx(-0.25, abs=0.3)
    assert first.zipf is not None


def test_a_property_that_the_file_names(folder: Path) -> None:
    """Conditions must differ in the property that one of them names; without a name they must not differ."""
    lines = ITEMS.splitlines()[:-1]
    table = [f"{lines[0]},property"]
    table += [f"{line},{'S: N ~> V [number]' if ',bad,' in line else '-'}" for line in lines[1:]]
    (folder / "named.csv").write_text("\n".join(table).replace("[number]", "[number]") + "\n", encoding="utf-8")
    made = read_materials("named.csv", factors_of("agreement,order"))
    parser, score = Parser(parse_grammar(GRAMMAR)), scorer("cost")
    checks = check_design(made, list(run_suite(made.suite(), parser, score)), parser.grammar, score)
    verdicts = {each.group.name: [c.verdict for c in each.group.contrasts] for each in checks.comparisons}
    assert verdicts["good, short - bad, short"] == ["expected", "expected", "other"]
    assert verdicts["bad, short - bad, long"] == ["expected", "expected", "other"]


def test_zipf_is_the_logarithm_in_a_thousand_million(folder: Path) -> None:
    (folder / "words.txt").write_text("the 999999\nrare 0\n", encoding="utf-8")
    found = read_frequencies("words.txt")
    assert found.zipf("The") == pytest.approx(9, abs=1e-5)
    assert found.zipf("unseen") == pytest.approx(3, abs=1e-5)
    (folder / "words.txt").write_text("the 3\nno count here\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"words\.txt:2:1: not a word with its count"):
        read_frequencies("words.txt")


def lists_of(folder: Path) -> tuple[Materials, list[TrialList]]:
    made = read_materials("items.csv", factors_of("agreement,order"), (), "fillers.txt", "practice.tsv")
    return made, trial_lists(made, constraints=OrderConstraints(0))


def test_lists_are_a_table(folder: Path) -> None:
    made, lists = lists_of(folder)
    rows = list(csv.DictReader(io.StringIO(as_csv(list_rows(made, lists)))))
    assert list(rows[0]) == [
        *("group", "list", "position", "kind", "agreement", "order", "item", "condition", "sentence", "source")
    ]
    for number in ("1", "2", "3", "4"):
        own = [row for row in rows if row["group"] == number]
        assert [row["position"] for row in own] == [str(place) for place in range(1, len(own) + 1)]
        assert own[0]["kind"] == "practice"
        targets = [row for row in own if row["kind"] == "target"]
        assert sorted(row["item"] for row in targets) == ["1", "2", "3"]
        assert all(row["condition"] == f"{row['agreement']}, {row['order']}" for row in targets)


def test_a_factor_may_not_be_called_as_a_column_of_the_lists(folder: Path) -> None:
    (folder / "items.csv").write_text(ITEMS.replace("agreement", "group"), encoding="utf-8")
    made = read_materials("items.csv", factors_of("group,order"))
    with pytest.raises(UsageError) as error:
        list_rows(made, trial_lists(made, constraints=OrderConstraints(0)))
    assert str(error.value).startswith('"group" cannot be the name of a factor or set\n  rename your column; lists ')


def test_the_experiment_for_pcibex(folder: Path) -> None:
    (folder / "items.csv").write_text(ITEMS, encoding="utf-8")
    made = read_materials("items.csv", factors_of("agreement,order"), (), "fillers.txt", "practice.tsv")
    lists = trial_lists(made, constraints=OrderConstraints(0), orders=2)
    packed = pcibex_zip(made, lists, (1, 5))
    assert packed == pcibex_zip(made, lists, (1, 5))
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        names = archive.namelist()
        archive.extractall(folder / "study")
    assert names == [
        "README.txt",
        "chunk_includes/instructions.html",
        "chunk_includes/trials.csv",
        "data_includes/main.js",
    ]
    rows = list(csv.DictReader((folder / "study/chunk_includes/trials.csv").open(encoding="utf-8")))
    assert sorted({row["group"] for row in rows}) == [f"{a}.{b}" for a in range(1, 5) for b in (1, 2)]
    ran = run_pcibex(folder / "study", "3.2")
    own = [row for row in rows if row["group"] == "3.2"]
    assert [trial["label"] for trial in ran["trials"]] == ["practice"] + ["trial"] * (len(own) - 1)
    assert [trial["logged"]["sentence"] for trial in ran["trials"]] == [row["sentence"] for row in own]
    assert ran["sequence"] == ["counter", "instructions", "practice", "begin", "trial", "SendResults", "end"]
    assert ran["scale"] == ["1", "2", "3", "4", "5"]


PCIBEX = """
const fs = require("fs"), vm = require("vm");
const [script, table, group] = process.argv.slice(2);
const [names, ...rows] = JSON.parse(table);
const known = %s;
const made = { sequence: [], trials: [], labels: [], scale: [] };
const element = (type, args) => new Proxy({}, { get: (_, command) => (...more) => {
    if (!known[type].includes(command)) throw new Error(`no command ${type}.${command}`);
    return element(type, args);
} });
const trial = (label) => { const own = { label, logged: {} }; const self = {
    log: (name, value) => { own.logged[name] = value; return self; }, setOption: () => self, own }; return self; };
const context = {
    PennController: { ResetPrefix: () => 0 }, Sequence: (...labels) => { made.sequence = labels; }, SendResults: () =>
    "SendResults", SetCounter: (label, how, by) => { if (label !== "counter" || how !== "inc" || by !== 1) throw new
    Error("counter"); }, newTrial: (label) => { made.labels.push(label); return trial(label); }, newText: (...args) =>
    element("Text", args), newButton: (...args) => element("Button", args), newHtml: (...args) => element("Html", args),
    newScale: (name, ...points) => { made.scale = points; return element("Scale", points); }, GetTable: () => ({
    setGroupColumn: (column) => column }), Template: (column, make) => rows.forEach((cells) => {
        const row = Object.fromEntries(names.map((name, i) => [name, cells[i]]));
        if (row[column] === group) made.trials.push(make(row).own);
    }),
};
vm.runInNewContext(fs.readFileSync(script, "utf-8"), context);
process.stdout.write(JSON.stringify(made));
"""
COMMANDS = {
    "Text": ["css", "center", "print"],
    "Button": ["center", "print", "wait"],
    "Html": ["center", "print"],
    "Scale": ["before", "after", "labelsPosition", "keys", "log", "center", "print", "wait"],
}
"""The commands of PennController 2 that the script may use, by the type of element."""


def run_pcibex(folder: Path, group: str) -> dict[str, Any]:
    """Run the script with stand-ins for the functions of PennController, for one group."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not there")
    (folder / "stand_in.js").write_text(PCIBEX % json.dumps(COMMANDS), encoding="utf-8")
    table = json.dumps(list(csv.reader((folder / "chunk_includes/trials.csv").open(encoding="utf-8"))))
    command = [node, "stand_in.js", "data_includes/main.js", table, group]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


def test_the_verb(folder: Path, numbat: Numbat) -> None:
    (folder / "items.csv").write_text(ITEMS, encoding="utf-8")
    asked = ("design", "items.csv", "-g", "small.pg", "--factors", "agreement,order", "--apart", "0")
    done = numbat(*asked, "--fillers", "fillers.txt", "-o", "lists.csv", "--pcibex", "study.zip")
    assert done.code == 0
    assert done.err.splitlines() == ["numbat: wrote lists.csv", "numbat: wrote study.zip"]
    lines = done.out.splitlines()
    assert lines[0] == "3 items, agreement (good, bad) × order (short, long): 12 sentences"
    assert lines[1] == "4 lists: 3 targets, 3 fillers; orders keep nothing"
    assert "! conditions are not equally frequent within a list: the items: 3 items for 4 conditions" in lines
    assert "  other    3: - S: N => D" in lines
    assert len(list(csv.DictReader((folder / "lists.csv").open(encoding="utf-8")))) == 4 * 6
    found = json.loads(numbat(*asked, "-f", "json").out)
    assert found["schema"] == "numbat.design/1"
    (odd,) = (item for item in found["comparisons"][0]["items"] if item["verdict"] == "other")
    assert odd["differences"] == [{"property": "S: N => D", "A_minus_B": -1}]
    assert (odd["only_in_A"], odd["only_in_B"]) == (["the"], [])
    assert numbat(*asked, "--points", "1-100", "--pcibex", "study.zip").err == (
        'numbat: "1-100" is not a scale of at most 20 whole numbers\n  write --points 1-7\n'
    )
