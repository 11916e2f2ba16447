"""Results in notebooks and terminals: self-contained HTML, light and dark, and text."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from numbat import Grammar, Parser, Parses, load_grammar, parse_grammar
from numbat.acceptability.comparison import GrammarComparison
from numbat.acceptability.coverage import Coverage
from numbat.acceptability.models import scorer
from numbat.acceptability.repair import RepairedSentence, Repairs
from numbat.acceptability.sentences import repair
from numbat.acceptability.suite import Suite
from numbat.acceptability.suite_files import read_suite
from numbat.acceptability.summary import Experiment
from numbat.acceptability.verbs import compare_grammars, cover
from numbat.acceptability.verdicts import LostItem
from numbat.experiments.verbs import report_suite
from numbat.markup import DARK, MOST, Displayed

FOLDER = Path(__file__).parent / "starter"
STARTER = str(FOLDER / "starter.pg")
COST = scorer("cost")


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return load_grammar(STARTER)


@pytest.fixture(scope="module")
def parser(grammar: Grammar) -> Parser:
    return Parser(grammar)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return replace(read_suite(str(FOLDER / "sentences.tsv")), path="sentences.tsv")


@pytest.fixture(scope="module")
def report(suite: Suite, parser: Parser) -> Experiment:
    return report_suite(suite, parser, "cost", COST)


@pytest.fixture(scope="module")
def coverage(suite: Suite, parser: Parser) -> Coverage:
    return cover(suite, parser)


@pytest.fixture(scope="module")
def comparison(suite: Suite, parser: Parser) -> GrammarComparison:
    source = Path(STARTER).read_text(encoding="utf-8")
    uniq = next(line for line in source.splitlines() if line.strip().startswith("uniq"))
    weaker = Parser(parse_grammar(source.replace(uniq, "", 1), path=STARTER))
    return compare_grammars(suite, weaker, parser, COST)


@pytest.fixture(scope="module")
def repaired(parser: Parser) -> RepairedSentence:
    return repair(parser, "cat the sleeps", COST)


def test_each_kind_of_result_has_a_display() -> None:
    def below(kind: type[Displayed]) -> set[type[Displayed]]:
        found: list[type[Displayed]] = kind.__subclasses__()
        return {each for one in found for each in (one, *below(one))}

    kinds = {each for each in below(Displayed) if each.__module__.startswith("numbat.")}
    assert kinds >= {Grammar, Parses, Experiment, GrammarComparison, Coverage, RepairedSentence, Repairs}
    for kind in kinds:
        shown_by = kind.SHOWN_BY
        assert shown_by.split(".")[1] == kind.__module__.split(".")[1], "a package shows its own results"
        assert any(issubclass(kind, each) for each in import_module(shown_by).DISPLAYS)


def shown(result: Any) -> ElementTree.Element:
    """Return the HTML of a result; check that it is well-formed, has light and dark colours, and loads nothing."""
    text = result._repr_html_()
    assert text.count(DARK) == text.count("<style>") * (2 if isinstance(result, Displayed) else 1)
    assert "var(" not in text
    assert not re.search(r"<script|<link|src=|href=|url\(", text)
    return ElementTree.fromstring(text)


def words_of(element: ElementTree.Element) -> str:
    return " ".join("".join(each for each in element.itertext()).split())


def test_a_grammar(grammar: Grammar) -> None:
    html = shown(grammar)
    assert [each.text for each in html.findall("details/summary")] == [
        f"{each.name}{f' ({each.title})' if each.title else ''}: {len(each.properties)} "
        f"propert{'y' if len(each.properties) == 1 else 'ies'}"
        for each in grammar.constructions
    ]
    assert len(html.findall("details/table/tr")) == len(grammar.properties) + len(grammar.constructions)
    assert str(grammar).splitlines()[0].split() == ["grammar", grammar.name]
    assert repr(grammar).startswith("<Grammar ")


def test_several_parses(parser: Parser) -> None:
    parses = parser.n_best("the cat sleeps", 3)
    html = shown(parses)
    assert len(html.findall("details")) == len(parses)
    assert [each.get("open") for each in html.findall("details")] == ["open", *[None] * (len(parses) - 1)]
    assert str(parses).splitlines()[1].startswith(f"1. {parses[0].to_brackets()}  full parse")
    many = Parses([parses[0]] * (MOST + 2))
    assert words_of(shown(many)).endswith("and 2 other parses")
    assert str(many).endswith("and 2 other parses")


def test_no_parses() -> None:
    assert words_of(shown(Parses())).endswith("0 parses")
    assert str(Parses()) == "0 parses"


def test_a_report(report: Experiment) -> None:
    phenomenon = replace(report.phenomena[0], number=2)
    html = shown(replace(report, phenomena=(phenomenon, *report.phenomena[1:])))
    heads = [[cell.text for cell in table.findall("tr/th")] for table in html.findall("table")]
    assert heads == [
        [None, *report.lines[0].statistics],
        ["phenomenon", "items", "mean rating", "mean score", report.main],
    ]
    assert [row[0].text for row in html.findall("table")[1].findall("tr")] == ["phenomenon", phenomenon.name]
    own = html.findall("table")[0].findall("tr")[1]
    assert [cell.text for cell in own][1:] == [str(each) for each in report.lines[0].statistics.values()]
    assert "40 full parses, 20 of them well formed" in words_of(html)
    assert str(report).startswith("sentences.tsv: 40 sentences")


def test_a_report_tells_its_cautions(report: Experiment) -> None:
    warned = replace(report, notes=("the <suite> is small",))
    assert [each.text for each in shown(warned).findall("p[@class='note']")] == ["the <suite> is small"]


def test_a_comparison(comparison: GrammarComparison) -> None:
    html = shown(comparison)
    assert comparison.changes
    assert len(html.findall("details")) == min(len(comparison.changes), MOST)
    first = html.find("details")
    assert first is not None
    assert len(first.findall("div")) == 2
    assert comparison.changes[0].gained[0] in words_of(first)
    lost = LostItem(comparison.before[0].item, "too long")
    for told in (words_of(shown(replace(comparison, lost=(lost,)))), str(replace(comparison, lost=(lost,)))):
        assert f"{len(comparison.changes)} of 40 sentences changed" in told
        assert str(lost) in told


def test_coverage(coverage: Coverage) -> None:
    tested = [each for each in coverage.properties if each.satisfied + each.violated + each.undecided]
    html = shown(coverage)
    assert len(html.findall("table/tr")) == len(tested) + 1
    assert len(tested) < len(coverage.properties)
    assert len(html.findall("details/table/tr")) == len(coverage.properties) - len(tested) + 1
    assert str(coverage).startswith(f"{len(tested)} of {len(coverage.properties)} properties evaluated")


def test_repairs(repaired: RepairedSentence) -> None:
    html = shown(repaired)
    best = repaired.repairs[0]
    assert best.sentence in words_of(html)
    assert "cat the sleeps" in str(repaired)
    assert len(shown(repaired.repairs).findall("table/tr")) == len(repaired.repairs) + 1
    assert best.sentence in str(repaired.repairs)
    assert "no edit improves the score" in words_of(shown(Repairs()))
    stopped = Repairs(repaired.repairs, "seconds (1)")
    for told in (words_of(shown(stopped)), str(stopped)):
        assert "stopped by the limit on seconds (1): other edits may gain more" in told
    early = Repairs((), "seconds (1)")
    for told in (words_of(shown(early)), str(early)):
        assert "no edit was found that improves the score before the limit on seconds (1)" in told


def test_a_single_parse_has_colours_of_its_own(parser: Parser) -> None:
    html = shown(parser.parse("the cat sleeps"))
    assert html.find("style") is not None


def test_what_ipython_asks_for(report: Experiment) -> None:
    told: list[str] = []
    report._repr_pretty_(SimpleNamespace(text=told.append), False)
    assert told == [str(report)]


def test_a_notebook_runs_and_has_the_displays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat, nbconvert = pytest.importorskip("nbformat"), pytest.importorskip("nbconvert")
    preprocessors = pytest.importorskip("nbconvert.preprocessors")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    )
    v4 = nbformat.v4
    setting = f"import numbat\ngrammar = numbat.load_grammar({STARTER!r})\nparser = numbat.Parser(grammar)\ngrammar"
    cells = [v4.new_code_cell(code) for code in (setting, "parser.n_best('the cat sleeps', 2)", "_[0]")]
    notebook = v4.new_notebook(cells=cells)
    preprocessors.ExecutePreprocessor(kernel_name="python3").preprocess(notebook, {"metadata": {"path": str(tmp_path)}})
    page, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    assert page.count('<div class="numbat-result">') == 2
