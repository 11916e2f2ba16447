"""The three pages on a phone: no page is wider than a frame of 375 pixels, with everything opened."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from numbat import Parser, load_grammar
from numbat.acceptability.ablation import without_relation
from numbat.acceptability.comparison import compare, compare_page
from numbat.acceptability.models import scorer
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.suite_report import suite_page
from numbat.acceptability.verbs import compare_grammars
from numbat.authoring.report import ExampleTree, grammar_page
from numbat.cli.main import cli
from numbat.experiments.verbs import report_suite
from numbat.markup import read
from numbat.runs.sentences import plain
from numbat.treebanks.trees import Tree

MRG = str(Path(__file__).parents[1] / "corpora" / "trees.mrg")
STARTER = str(Path(__file__).parent / "starter" / "starter.pg")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
LONG = "The cats and the old dogs in the garden of my friend sleeps in the house near the river in the morning."
SUITE = Suite(
    "a_suite_with_a_name_that_is_too_long_for_the_screen_of_a_phone.tsv",
    (
        Item("a", "The cat sleeps.", 6.5, phenomenon="agreement"),
        Item("b", "The cats sleeps.", 2.0, phenomenon="agreement"),
        Item("long", LONG, 3.0, phenomenon="a phenomenon with a long name"),
    ),
)
LOOK = """
<script>
const found = {};
addEventListener("load", () => {
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument, root = page.documentElement;
    page.querySelectorAll(".body .row button").forEach(button => button.click());
    page.querySelectorAll("main details, body > details").forEach(details => details.open = true);
    const boxes = [...page.querySelectorAll(".wide")];
    const properties = [...page.querySelectorAll("td.text")].map(cell => cell.clientWidth);
    const cells = [...page.querySelectorAll(".row [role=cell]:first-child")];
    const blank = cells.filter(cell => !cell.checkVisibility({contentVisibilityAuto: true}));
    found[frame.id] = {
      wide: root.scrollWidth, view: root.clientWidth,
      boxes: boxes.filter(box => box.scrollWidth > box.clientWidth).length,
      hints: page.querySelectorAll(".further.on").length, blank: blank.length, property: Math.min(...properties),
      start: page.querySelector("h1:not(nav *), h2").getBoundingClientRect().top,
    };
  }
  document.title = JSON.stringify(found);
});
</script>
"""


def framed(pages: dict[str, str], folder: Path) -> Any:
    """Return the measurements of the browser in each page, in a frame as wide as a phone."""
    if CHROMIUM is None:
        pytest.skip("no chromium")
    frames = "".join(
        f'<iframe id="{name}" style="width:375px;height:800px;border:0" srcdoc="{escape(page)}"></iframe>'
        for name, page in pages.items()
    )
    path = folder / "frames.html"
    path.write_text(f"<!doctype html><meta charset=utf-8><title></title>{frames}{LOOK}", encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    options += ["--disable-component-update", "--disable-sync", f"--user-data-dir={folder / 'profile'}"]
    command = [CHROMIUM, *options, "--hide-scrollbars", "--virtual-time-budget=20000", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    title = re.search(r"<title>(\{.*?)</title>", done.stdout, re.DOTALL)
    assert title, done.stderr[-2000:]
    return json.loads(unescape(title[1]))


def induced(folder: Path) -> str:
    """Return the page of an induced grammar, whose tables have counts for each property."""
    grammar, page = folder / "t.pg", folder / "t.html"
    for arguments in (["induce", MRG, "-o", str(grammar)], ["show", str(grammar), "--html", str(page)]):
        assert CliRunner().invoke(cli, arguments).exit_code == 0
    return page.read_text(encoding="utf-8")


def test_no_page_is_wider_than_a_phone(tmp_path: Path) -> None:
    grammar, score = load_grammar(STARTER), scorer("cost")
    parser = Parser(grammar)
    edited = Parser(without_relation(grammar, "dependency"))
    compared = compare_grammars(SUITE, parser, edited, score, (plain, plain))
    assert [change.item.id for change in compared.changes] == ["b", "long"]
    current = "decodeURIComponent(location.hash.slice(1))"  # a frame without an address has no hash
    words = tuple(Tree("N", form=word) for word in LONG.split())
    pages = {
        "report": suite_page(report_suite(SUITE, parser, "cost", score)),
        "overview": grammar_page(grammar, {}, ()),
        "construction": grammar_page(grammar, {}, [ExampleTree("long", Tree("NP", words))]).replace(current, '"NP"'),
        "induced": induced(tmp_path).replace(current, '"NP"'),
        "compare": compare_page("an_old_grammar.pg → a_new_grammar.pg: " + SUITE.path, compared),
    }
    seen = framed(pages, tmp_path)
    assert {name: (each["wide"], each["view"]) for name, each in seen.items()} == dict.fromkeys(pages, (375, 375))
    assert all(each["boxes"] for each in seen.values())  # there was something too wide, and it scrolls in its box
    assert (seen["report"]["hints"], seen["construction"]["hints"]) == (1, 1)
    assert seen["report"]["blank"] == 0
    assert min(seen["construction"]["property"], seen["induced"]["property"]) > 100  # a property is read, not spelt
    assert all(each["start"] < 100 for each in seen.values())  # no list comes before the heading


def test_all_pages_share_one_style() -> None:
    style = read("page.css")
    grammar, score = load_grammar(STARTER), scorer("cost")
    suite = Suite("s.tsv", SUITE.items[:1])
    made = report_suite(suite, Parser(grammar), "cost", score)
    for page in (suite_page(made), grammar_page(grammar, {}, ()), compare_page("t", compare(made.items, made.items))):
        assert style in page
        assert "@STYLE@" not in page
        assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page
