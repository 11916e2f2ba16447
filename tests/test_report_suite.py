"""The report of a suite: text, JSON, tidy tables, LaTeX, and the page, which is tested in a real browser."""

from __future__ import annotations

import ast
import csv
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from numbat import Parser, load_grammar
from numbat.acceptability.models import scorer
from numbat.acceptability.runs import run_suite
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.suite_files import read_suite
from numbat.acceptability.suite_report import suite_latex, suite_page, suite_report
from numbat.acceptability.summary import Experiment, summarize
from numbat.errors import DataError, UnwritableError
from numbat.experiments.tidy_tables import write_tables
from numbat.experiments.verbs import report_suite
from numbat.parsing.explanation.drawing import escaped, forest
from numbat.reports.pages import inert, scripted_page
from tests.browser import browser
from tests.growth import ROUNDS

FOLDER = Path(__file__).parent / "starter"
STARTER = str(FOLDER / "starter.pg")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(load_grammar(STARTER))


@pytest.fixture(scope="module")
def starter(parser: Parser) -> Experiment:
    suite = read_suite(str(FOLDER / "sentences.tsv"))
    return report_suite(replace(suite, path="sentences.tsv"), parser, "cost", scorer("cost"))


Made = Callable[..., Experiment]


@pytest.fixture
def made(parser: Parser) -> Made:
    def make(*items: Item, model: str = "cost") -> Experiment:
        return report_suite(Suite("suite.tsv", items), parser, model, scorer(model))

    return make


def item(id: str, sentence: str, rating: float | None = None, judgement: str | None = None, **rest: Any) -> Item:
    return Item(id, sentence, rating, judgement, **rest)


# Contents of the report


def test_figures_of_the_starter_corpus(starter: Experiment) -> None:
    """Good sentences cost 0 and bad ones 1 or 2, so the order is perfect except for ties among the bad ones."""
    assert (starter.full, starter.well_formed, starter.main, starter.notes) == (40, 20, "AUC", ())
    own, bounded, length, unknown = starter.lines
    assert (bounded.predictor, bounded.statistics["spearman"]) == ("cost, as 1/(1 + cost)", own.statistics["spearman"])
    assert own.statistics["AUC"].value == 1.0
    assert length.statistics["AUC"].value == pytest.approx(0.2625)
    assert unknown.statistics["AUC"].value == 0.5
    assert unknown.statistics["pearson"].value is None
    assert starter.curve == ((0.0, 0.0), (0.0, 1.0), (0.8, 1.0), (1.0, 1.0))
    assert {(t.construction, t.relation): t.violated for t in starter.tallies}["VP", "exclusion"] == 1


def test_the_text(starter: Experiment) -> None:
    assert suite_report(starter).text().splitlines()[:6] == [
        "sentences.tsv: 40 sentences, judged",
        "grammar starter 1.0, model cost, weights grammar",
        "40 full parses, 20 of them well formed",
        "",
        "                       pearson                  spearman                 kendall                  AUC",
        "cost                   0.905 [0.841, 0.944]     0.962 [0.875, 0.989]     0.928 [0.819, 0.973]     "
        "1.000 [0.832, 1.000]",
    ]
    assert suite_report(starter).text().splitlines()[-1] == (
        "95 % intervals for other sentences of these kinds, over 40 sentences (jackknife, t)"
    )


def test_the_json(starter: Experiment) -> None:
    found = suite_report(starter).value()
    assert found["schema"] == "numbat.report/3"
    of_20_pairs = 0.025 ** (1 / 20)
    assert found["statistics"]["cost"]["AUC"] == {
        "value": 1.0, "low": pytest.approx(of_20_pairs), "high": 1.0, "items": 40, "units": 40
    }  # fmt: skip
    assert found["statistics"]["unknown words"]["pearson"]["value"] is None
    bad = next(each for each in found["items"] if each["id"] == "b14")
    assert (bad["score"], bad["cost"], bad["full"], bad["well_formed"]) == (-1.0, 1, True, False)
    assert bad["tree"] == "(S (NP (Det The) (N cats)) (VP (V sleeps)))"


def test_pairs_are_compared_as_pairs(made: Made) -> None:
    good, bad = "The cat sleeps.", "The cats sleeps."
    report = made(
        item("1g", good, 1.0, "ok", pair="1", phenomenon="agreement"),
        item("1b", bad, 0.0, "*", pair="1", phenomenon="agreement"),
        item("2g", bad, 1.0, "ok", pair="2", phenomenon="wrong way round"),
        item("2b", good, 0.0, "*", pair="2", phenomenon="wrong way round"),
        item("3g", good, 1.0, "ok", pair="3", phenomenon="tie"),
        item("3b", good, 0.0, "*", pair="3", phenomenon="tie"),
    )
    assert report.main == "pair accuracy"
    assert report.lines[0].statistics["pair accuracy"].value == 0.5
    assert {p.name: p.estimate.value for p in report.phenomena} == {
        "agreement": 1.0,
        "wrong way round": 0.0,
        "tie": 0.5,
    }


def test_residuals_are_what_people_say_less_what_the_model_says_and_come_worst_first(made: Made) -> None:
    """The dog that barks is flawless by the grammar and bad by the rating: below 0."""
    report = made(
        item("a", "The cat sleeps.", 7.0),
        item("b", "The cats sleeps.", 6.0),
        item("c", "The dog barks.", 1.0),
        item("d", "Sleeps the the cat.", 2.0),
    )
    assert [(each.scored.item.id, each.value) for each in report.residuals] == [
        ("c", -0.625), ("b", 0.25), ("d", 0.25), ("a", 0.125),
    ]  # fmt: skip


# Bad input says so and gives no figure that pretends


def test_unrated_items(made: Made) -> None:
    report = made(item("a", "The cat sleeps."), item("b", "Cat the."))
    assert report.notes == ("no item is judged or rated: there are scores, but nothing to compare them with",)
    assert {e.value for line in report.lines for e in line.statistics.values()} == {None}
    assert "pearson" not in suite_report(report).text()
    assert report.items[1].value == -2.0


def test_columns_that_are_not_understood(parser: Parser, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("sentence,Rating (1-7),,who\nThe cat sleeps.,6,,a\n", encoding="utf-8")
    assert report_suite(read_suite(str(path)), parser, "cost", scorer("cost")).notes == (
        "no item is judged or rated: there are scores, but nothing to compare them with; "
        'columns not understood: Rating (1-7), who; name one "rating", or use --columns',
    )
    path.write_text('{"sentence": "The cat sleeps.", "stars": 5}\n', encoding="utf-8")
    assert read_suite(str(path)).unread == ("stars",)
    assert read_suite(str(tmp_path)).unread == ("stars",)


def test_some_unrated_items(made: Made) -> None:
    report = made(item("a", "The cat sleeps.", 5.0), item("b", "Cat the.", 1.0), item("c", "The dog."))
    assert report.notes[0] == "without a rating, and left out of the statistics: 1"
    assert report.lines[0].statistics["pearson"].number == 2


def test_signs_are_not_compared_with_numbers(tmp_path: Path, parser: Parser) -> None:
    """Without their own numbers good sentences would be rated 1, below the bad one."""
    table = "sentence\tjudgement\trating\nThe cat sleeps.\tok\t6.5\nThe dog sleeps.\tok\t\nCat the.\t*\t1.5\n"
    (tmp_path / "a.tsv").write_text(table, encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"good": "The dog sleeps.", "bad": "Dog the sleeps."}\n', encoding="utf-8")
    report = report_suite(read_suite(str(tmp_path)), parser, "cost", scorer("cost"))
    assert report.notes[0] == "with a sign instead of a number, and left out of correlations and AUC: 3"
    assert {name: (e.value, e.number) for name, e in report.lines[0].statistics.items()} == {
        "pearson": (1.0, 2),
        "spearman": (1.0, 2),
        "kendall": (1.0, 2),
        "AUC": (1.0, 2),
        "pair accuracy": (1.0, 1),
    }


def test_one_item(made: Made) -> None:
    report = made(item("a", "The cat sleeps.", 5.0))
    assert report.notes == ("one item only: no statistic has a value",)
    assert {e.value for line in report.lines for e in line.statistics.values()} == {None}


def test_raw_ratings_of_several_people(made: Made) -> None:
    """An item is a sentence: if each rating were an item, a bootstrap over items would draw too many."""
    ratings = [(sentence, rating) for sentence in ("The cat sleeps.", "Cat the sleeps.") for rating in range(6)]
    found = made(*(item(str(i), sentence, rating) for i, (sentence, rating) in enumerate(ratings)))
    assert found.notes == (
        "only 2 sentences in 12 items: number the sentences in a column id, so that ratings are averaged; "
        "otherwise the intervals are too narrow",
    )


def test_ties_only(made: Made) -> None:
    report = made(
        item("a", "The cat sleeps.", 5.0), item("b", "The dog sleeps.", 5.0), item("c", "The man sleeps.", 5.0)
    )
    assert report.notes == (
        "all scores are equal: the model distinguishes nothing here",
        "all ratings are equal: there is nothing to distinguish",
        "3 items only: too few for intervals",
    )
    assert {e.value for line in report.lines for e in line.statistics.values()} == {None}


def test_a_suite_that_does_not_parse(made: Made) -> None:
    report = made(item("a", "of and", 1.0), item("b", "and of", 2.0))
    assert report.notes[0] == "no sentence has a full parse: the grammar does not fit this suite, and scores say little"


def test_sentences_without_words(made: Made) -> None:
    report = made(item("a", "...", 1.0), item("b", "The cat sleeps.", 2.0), item("c", "The dog sleeps.", 3.0))
    assert report.notes[0] == "without words, and without a score: 1"
    assert report.items[0].value is None
    assert report.lines[0].statistics["pearson"].number == 2


def test_no_items_are_a_failure(parser: Parser) -> None:
    with pytest.raises(DataError) as error:
        summarize(Suite("suite.tsv", ()), [], "starter", "cost", "grammar")
    assert str(error.value) == "suite.tsv: no items\n  a report needs at least one sentence"


# Tables


def test_the_tables_are_tidy(starter: Experiment, tmp_path: Path) -> None:
    paths = [Path(path) for path in write_tables(starter, str(tmp_path / "new" / "folder"))]
    read = {path.name: list(csv.DictReader(path.open(encoding="utf-8"))) for path in paths}
    assert list(read) == [
        "sentences.csv",
        "properties.csv",
        "summary.csv",
        "dictionary.csv",
        "analysis.R",
        "analysis.py",
    ]
    assert len(read["sentences.csv"]) == 40
    assert len(read["properties.csv"]) == sum(len(each.parse.evaluated) for each in starter.items)
    described = {(row["file"], row["column"]) for row in read["dictionary.csv"]}
    assert described == {(name, column) for name in list(read)[:3] for column in read[name][0]}
    assert all(row["meaning"] for row in read["dictionary.csv"])
    violated: dict[str, int] = {}
    for row in read["properties.csv"]:
        violated[row["id"]] = violated.get(row["id"], 0) + (row["satisfied"] == "0")
    assert {row["id"]: int(row["violated"]) for row in read["sentences.csv"]} == violated
    none = [row for row in read["summary.csv"] if row["predictor"] == "unknown words" and row["statistic"] == "pearson"]
    assert [(row["value"], row["items"]) for row in none] == [("", "40")]


def runs_a_script(command: list[str], folder: Path) -> str:
    """Return the output of a script beside the tables, after checking that it drew both plots."""
    done = subprocess.run(command, cwd=folder.parent, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("scores.pdf", "statistics.pdf"):
        assert (folder / name).read_bytes().startswith(b"%PDF"), name
        (folder / name).unlink()
    return done.stdout


@pytest.fixture
def beside_tables(starter: Experiment, tmp_path: Path) -> tuple[Path, str]:
    """A folder of tables, one of whose ids only looks like a number, and the output of scripts about it."""
    folder = tmp_path / "tables"
    list(write_tables(starter, str(folder)))
    table = folder / "sentences.csv"
    header, first, rest = table.read_text(encoding="utf-8").split("\n", 2)
    table.write_text(f"{header}\n005,{first.partition(',')[2]}\n{rest}", encoding="utf-8")
    instances, summary = (
        (folder / name).read_text("utf-8").count("\n") - 1 for name in ("properties.csv", "summary.csv")
    )
    return folder, f"40 sentences, {instances} property instances, {summary} statistics\n"


def test_the_script_for_r_reads_the_tables_and_draws(beside_tables: tuple[Path, str]) -> None:
    folder, sizes = beside_tables
    if shutil.which("Rscript") is None:
        pytest.skip("R is not there")
    with (folder / "analysis.R").open("a", encoding="utf-8") as script:
        script.write("cat(sentences$id[1], sapply(properties, class)[c('id', 'start', 'cost')], fill = TRUE)\n")
    assert runs_a_script(["Rscript", str(folder / "analysis.R")], folder) == f"{sizes}005 character integer numeric\n"


def test_the_script_for_python_reads_the_tables_and_draws(beside_tables: tuple[Path, str]) -> None:
    folder, sizes = beside_tables
    pytest.importorskip("pandas", reason="pandas is not there")
    pytest.importorskip("matplotlib", reason="matplotlib is not there")
    with (folder / "analysis.py").open("a", encoding="utf-8") as script:
        script.write("print(sentences.id[0], *map(str, properties.dtypes[['id', 'start', 'cost']]))\n")
    assert runs_a_script([sys.executable, str(folder / "analysis.py")], folder) == f"{sizes}005 string Int64 Float64\n"


def test_the_script_for_python_is_python(starter: Experiment, tmp_path: Path) -> None:
    """Its syntax is checked even if it cannot be run; it contains the columns of each table."""
    list(write_tables(starter, str(tmp_path)))
    script = (tmp_path / "analysis.py").read_text(encoding="utf-8")
    read = [node for node in ast.walk(ast.parse(script)) if isinstance(node, ast.Dict) and len(node.keys) > 6]
    named = [[ast.literal_eval(key) for key in each.keys if key is not None] for each in read]
    tables = ("sentences.csv", "properties.csv", "summary.csv")
    assert named == [(tmp_path / name).read_text("utf-8").split("\n")[0].split(",") for name in tables]


def test_a_folder_that_cannot_be(starter: Experiment, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UnwritableError) as error:
        list(write_tables(starter, str(tmp_path / "file")))
    assert str(error.value) == (
        f"{tmp_path / 'file'}: cannot be written: File exists\n  give another place with write permission and space"
    )


# LaTeX


def test_examples_are_numbered_and_starred(made: Made) -> None:
    report = made(
        item("g 1", "50% of {it} sleeps_", 1.0, "ok"), item("b1", "Cat the.", 0.0, "*"), item("q", "Hm", 0.6, "?")
    )
    assert suite_latex(report).startswith(
        "% for the preamble: \\usepackage[T1]{fontenc} \\usepackage{xcolor} \\usepackage{forest}; for examples, last: "
        "\\usepackage{gb4e}\n"
        "\\begin{exe}\n"
        "  \\ex[]{50\\% of \\{it\\} sleeps\\_}\\label{ex:g-1}\n"
        "  \\ex[*]{Cat the.}\\label{ex:b1}\n"
        "  \\ex[?]{Hm}\\label{ex:q}\n"
        "\\end{exe}\n"
    )


def test_a_forest(parser: Parser) -> None:
    assert forest(parser.parse("The cats sleeps.")) == (
        "\\begin{forest}\n"
        "  [{S\\\\\\scriptsize $\\times$ NP \\textasciitilde{}\\textgreater{} VP [number, person]}, "
        "text=red, align=center\n"
        "    [{NP\\\\\\scriptsize [number=pl, person=3]}, align=center\n"
        "      [{Det} [{The}, tier=word]]\n"
        "      [{N\\\\\\scriptsize [number=pl]}, align=center [{cats}, tier=word]]\n"
        "    ]\n"
        "    [{VP\\\\\\scriptsize [form=fin, number=sg, person=3]}, align=center\n"
        "      [{V\\\\\\scriptsize [form=fin, number=sg, person=3, valence=intr]}, "
        "align=center [{sleeps}, tier=word]]\n"
        "    ]\n"
        "  ]\n"
        "\\end{forest}\n"
    )


def test_forests_are_balanced(starter: Experiment) -> None:
    for each in starter.items:
        text = forest(each.parse).replace("\\{", "").replace("\\}", "")
        labels = re.sub(r"\{[^{}]*(\{\}[^{}]*)*\}", "", text.replace("{forest}", ""))
        assert labels.count("[") == labels.count("]"), each.item.id


def test_no_sign_of_latex_is_left() -> None:
    assert escaped('\\{}$&#%_~^<>|"') == (
        r"\textbackslash{}\{\}\$\&\#\%\_\textasciitilde{}\textasciicircum{}\textless{}\textgreater{}\textbar{}\textquotedbl{}"
    )


# The page


def test_a_tree_that_is_deeper_than_a_page_can_draw() -> None:
    parser = Parser(load_grammar("anbn"))
    suite = Suite("suite.tsv", (item("1", "a " * 300 + "b " * 300, 1.0), item("2", "b a", 0.0)))
    two = report_suite(suite, parser, "cost", scorer("cost"))
    (content,) = re.findall(r'<script id="data"[^>]*>(.*?)</script>', suite_page(two), re.S)
    assert content.count('["S",') >= 201
    assert f'["…","{" ".join(["a"] * 100 + ["b"] * 100)}",200,0]' in content


def test_data_cannot_end_the_script() -> None:
    given = {"x": "</script><script>alert(1)\u2028"}
    assert inert(given) == '{"x":"\\u003c/script>\\u003cscript>alert(1)\\u2028"}'
    assert json.loads(inert(given)) == given
    page = scripted_page("a<b", "proposals", given)
    assert "<title>a&lt;b</title>" in page
    assert f'<script id="data" type="application/json">{inert(given)}</script>' in page


def test_the_page_names_nothing_outside_itself(starter: Experiment) -> None:
    page = suite_page(starter)
    assert re.findall(r"""(?:\bsrc=|href=|url\(|@import|https?:|fetch\(|XMLHttp)[^\s>]*""", page) == []
    assert "default-src 'none'" in page


PROBE = """
<script>
const began = performance.now();
const say = {rows: rows.length, opened: Math.round(performance.now())};
const times = [];
for (let c = 0; c < HEADS.length; c++) {
  const start = performance.now();
  head.children[c].firstChild.click();
  document.body.offsetHeight;
  times.push(Math.round(performance.now() - start));
}
say.sorts = times;
say.heads = HEADS.map(([name]) => name);
head.children[0].firstChild.click();
head.children[0].firstChild.click();
say.first = body.children[0].children[0].textContent;
head.children[3].firstChild.click();
say.worst = body.children[0].children[3].textContent;
say.aria = head.children[3].getAttribute("aria-sort");
const bad = rows.find(row => D.items[row.dataset.i][ID].endsWith("b14"));
bad.querySelector("button").click();
say.tree = [...bad.nextSibling.querySelectorAll(".tree text")].map(t => t.textContent);
say.marked = bad.nextSibling.querySelectorAll(".tree .v").length;
say.said = [...bad.nextSibling.querySelectorAll("li")].map(t => t.textContent);
bad.querySelector("button").click();
say.closed = body.querySelectorAll(".detail").length;
$("filter").value = "two verbs"; refill();
say.filtered = $("shown").textContent;
const texts = where => [...document.querySelectorAll(where)].map(node => node.textContent);
say.figures = texts("#statistics td").filter(text => text !== "–");
say.ratings = texts("#plots svg:first-of-type text[text-anchor=end]");
say.dots = document.querySelectorAll(".dot").length;
say.resources = performance.getEntriesByType("resource").length;
document.title = JSON.stringify(say);
</script>
"""


def looked_at(page: str, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the results of the probe in the page, and every address that the browser requested besides the page."""
    if CHROMIUM is None:
        pytest.skip("no chromium")
    path, log = folder / "page.html", folder / "net.json"
    path.write_text(page + PROBE, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    options += ["--disable-component-update", "--disable-sync", f"--user-data-dir={folder / 'profile'}"]
    command = [CHROMIUM, *options, f"--log-net-log={log}", "--virtual-time-budget=60000", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert title, done.stderr[-2000:]
    assert title[1].startswith("{"), title[1]
    asked = set(re.findall(r'"url":"(\w+://[^"]*)"', log.read_text(encoding="utf-8", errors="replace")))
    own = re.compile(r"https?://([a-z0-9-]+\.)*(google|googleapis|gstatic|gvt1)\.com/")  # the browser's housekeeping
    return json.loads(unescape(title[1])), sorted(url for url in asked if not own.match(url) and url != path.as_uri())


def test_the_page_in_a_browser(starter: Experiment, tmp_path: Path) -> None:
    found, requested = looked_at(suite_page(starter), tmp_path)
    assert requested == []
    assert found["resources"] == 0
    assert (found["rows"], found["dots"], found["first"]) == (40, 40, "g20")
    assert all(figure.replace("−", "-") in suite_report(starter).text() for figure in found["figures"])
    assert found["ratings"][:2] == ["ok", "*"]
    assert (found["worst"], found["aria"]) == ("−2", "ascending")
    assert found["tree"] == ["Det", "The", "N", "cats", "NP", "V", "sleeps", "VP", "S ✗"]
    assert found["marked"] == 1
    assert found["said"][0].startswith('"cats" has number pl, but "sleeps" has number sg  [S')
    assert (found["closed"], found["filtered"]) == (0, "1 of 40 sentences")


@pytest.mark.slow
def test_a_page_of_5000_sentences_opens_and_sorts_in_time_that_grows_with_their_number(
    starter: Experiment, tmp_path: Path
) -> None:
    """Eight times the sentences take some eight times as long: of the fastest looks, as in `growth`."""

    def look(copies: int) -> tuple[int, int]:
        items = tuple(
            replace(each, item=replace(each.item, id=f"{i}-{each.item.id}"))
            for i in range(copies)
            for each in starter.items
        )
        suite = replace(starter.suite, items=tuple(each.item for each in items))
        found, requested = looked_at(suite_page(replace(starter, items=items, suite=suite)), tmp_path)
        assert requested == []
        assert found["rows"] == 40 * copies
        return found["opened"], sorted(found["sorts"])[4]

    def fastest(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
        return min(one[0], other[0]), min(one[1], other[1])

    few, many = look(16), look(125)
    for _ in range(ROUNDS):
        if is_good := all(after < 24 * max(before, 20) for before, after in zip(few, many, strict=True)):
            break
        few, many = fastest(few, look(16)), fastest(many, look(125))
    assert is_good, f"opened and sorted in {many} ms, an eighth of the sentences in {few} ms"


def test_a_long_page_folds_all_but_its_first_sentences(starter: Experiment, tmp_path: Path) -> None:
    items = tuple(
        replace(each, item=replace(each.item, id=f"{i}-{each.item.id}")) for i in range(2) for each in starter.items
    )
    suite = replace(starter.suite, items=tuple(each.item for each in items))
    path = tmp_path / "long.html"
    path.write_text(suite_page(replace(starter, items=items, suite=suite)), encoding="utf-8")
    with browser(tmp_path / "profile") as page:
        page.resize(375)
        page.go(path.as_uri())
        rows = "[...document.querySelectorAll('#items .body')].map(each => each.querySelectorAll('.row').length)"
        assert page.run(rows) == [50, 30]
        told = "document.querySelector('#rest summary').textContent"
        assert page.run(f"[{told}, rest.checkVisibility({{contentVisibilityAuto: true}})]") == ["30 more", False]
        folded = page.run("document.documentElement.scrollHeight")
        page.run("document.querySelector('#rest').open = true")
        assert page.run("document.documentElement.scrollHeight") > 1.3 * folded
        page.run("document.querySelector('#rest .row button').click()")
        assert page.run("document.querySelectorAll('#rest .detail .tree').length") == 1
        page.run("document.querySelector('#filter').value = '0-'; refill()")
        assert page.run(f"{rows}[0] === 40 && document.querySelector('#rest').hidden")
        assert page.told()[1] == []


def test_costs_and_scores_are_one_column_unless_they_differ(made: Made, tmp_path: Path) -> None:
    given = item("1-b14", "Cat the sleeps.", 0.0), item("2", "The cat sleeps.", 1.0)
    for model, expected in (("cost", False), ("coherence", True)):
        found, _ = looked_at(suite_page(made(*given, model=model)), tmp_path)
        assert ("cost" in found["heads"], "score" in found["heads"]) == (expected, True)


def test_the_page_of_unrated_fragments(made: Made, tmp_path: Path) -> None:
    """No plot, no table of statistics, and trees all the same."""
    page = suite_page(made(item("1-b14", "of and <&>", None), item("2", "...", None)))
    found, _ = looked_at(page, tmp_path)
    assert (found["rows"], found["dots"], found["marked"]) == (2, 0, 0)
    assert found["tree"] == ["P", "of", "Conj", "and"]
    assert found["said"][0].startswith("no construction spans the whole sentence")


def test_reading_twice_gives_the_same_page(starter: Experiment, parser: Parser) -> None:
    again = summarize(
        starter.suite, list(run_suite(starter.suite, parser, scorer("cost"))), "starter 1.0", "cost", "grammar"
    )
    assert suite_page(again) == suite_page(starter)
