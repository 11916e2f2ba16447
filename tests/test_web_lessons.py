"""Lessons and sharing on the page of the workbench. Skipped without a browser."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import Browser, browser
from tests.test_exercises import AGREEMENT, SOLVED
from tests.workbench import (
    EDITOR,
    ROW,
    STATUS,
    TEXT,
    TINY,
    caught,
    change,
    click,
    retype,
    rewrite,
    shows_text,
    text_of,
    workbench,
)

MARKS = "document.querySelector('#marks')?.textContent"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def page(opened: Browser, tmp_path: Path) -> Iterator[Browser]:
    with workbench(opened, tmp_path, base="https://example.org/numbat/"):
        yield opened


def put_in(page: Browser, name: str, text: str) -> None:
    """Opens a file on the page."""
    page.run(f"""(() => {{
      const files = new DataTransfer(), input = document.querySelector('#files');
      files.items.add(new File([{json.dumps(text)}], {json.dumps(name)}));
      input.files = files.files; input.dispatchEvent(new Event('change')); }})()""")


def test_a_student_solves_an_exercise_and_the_command_line_marks_the_same(page: Browser, tmp_path: Path) -> None:
    put_in(page, "agreement.exercise.yaml", AGREEMENT)
    page.wait(f"{MARKS} === '4 of 7 right; 11 of 18 in all'")
    shows_text(page, "#lesson h3", "Subject and verb")
    page.shows("document.querySelector('#sentences li:nth-child(5) textarea').value", "* the dog bark")
    shows_text(
        page,
        "#lesson .wrongly",
        "✗ * the dog barkviolates nothing✗ * the dogs barksviolates nothing✗ * the cats sleepsviolates nothing",
    )
    click(page, "A hint", "#lesson")
    shows_text(page, "#lesson .hints ol", "A word has a feature in brackets: dog: N[number=sg]")
    rewrite(page, SOLVED.replace("    NP ~> V [number]\n", ""))
    page.wait("document.querySelector('#lesson .hints ol').textContent.startsWith('The words differ in number')")
    rewrite(page, SOLVED)
    page.wait(f"{MARKS} === '7 of 7 right; 18 of 18 in all'")
    shows_text(page, "#lesson", lambda found: "All sentences of the exercise are judged right." in found)
    click(page, "✓ Step 3", "#lesson")
    page.wait("document.querySelector('#lesson h3').textContent === 'No singular noun alone'")
    page.wait(f"{STATUS}.slice(0, 5).map(each => each[0]).join('') === '✓✓✓✗✗'")
    page.go(page.run("location.href"))
    page.wait(f"{MARKS} === '5 of 5 right; 18 of 18 in all'")
    (tmp_path / "agreement.pg").write_text(page.run(TEXT), encoding="utf-8")
    (tmp_path / "agreement.exercise.yaml").write_text(AGREEMENT, encoding="utf-8")
    names = [str(tmp_path / f"agreement.{ending}") for ending in ("pg", "exercise.yaml")]
    # In a separate process: a closed pipe ends the command line, and a server runs in this process.
    command = [sys.executable, "-m", "numbat", "test", "-g", *names, "-f", "json"]
    graded = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    assert (graded["pass"], graded["fail"], graded["undecided"]) == (18, 0, 0)


def test_a_wrong_exercise_is_told_with_its_places(page: Browser) -> None:
    put_in(page, "mine.exercise.yaml", "exercise: Mine\ngrammar: englich\ntask: x\nsuit: |\n    a\n")
    page.wait("!document.querySelector('#wrong').hidden")
    shows_text(
        page,
        "#wrong",
        'mine.exercise.yaml:1: "suite" is missing here — a step has a task and judged sentences: task: ..., suite: | '
        "with one sentence per line"
        'mine.exercise.yaml:2: "englich" is not a packaged grammar — did you mean "english"?; write a text of several '
        "lines after |"
        'mine.exercise.yaml:4: "suit" is not a key here — did you mean "suite"?',
    )
    page.shows(TEXT, TINY)


def test_the_packaged_exercises_can_be_chosen(page: Browser) -> None:
    page.wait("document.querySelectorAll('#packaged optgroup[label=Exercises] option').length === 3")
    change(page, "#packaged", "exercise:verb-second")
    page.wait(f"{MARKS} === '4 of 7 right; 7 of 13 in all'")
    change(page, "#packaged", "")
    page.wait(f"document.querySelector('#lesson').hidden && {TEXT} === {json.dumps(TINY)}")


def shared(page: Browser) -> str:
    click(page, "Share…", "header")
    page.wait("document.querySelector('#sharing[open] input')?.value")
    link: str = page.run("document.querySelector('#sharing input').value")
    click(page, "Close", "#sharing")
    return link


def follow(page: Browser, here: str, link: str) -> None:
    """Opens the page of a test by a shared link."""
    page.go("about:blank")
    page.go(f"{here}#{link.partition('#')[2]}")


def test_a_link_carries_the_session_and_leaves_the_own_one_alone(page: Browser) -> None:
    here = page.run("location.href")
    rewrite(page, TINY.replace("uniq V", "oblig V"))
    retype(page, ROW.format(1), "? שלום <b>the</b> cats")
    slide = "document.querySelector('input[aria-label=\"Weight of dependency ~>\"]')"
    page.wait(slide)
    page.run(f"{slide}.value = 3; {slide}.dispatchEvent(new Event('input'))")
    change(page, "#model", "density")
    link = shared(page)
    assert link.startswith("https://example.org/numbat/#session=")
    rewrite(page, TINY)
    page.wait("Object.values(localStorage).some(each => !each.includes('oblig V'))")
    follow(page, here, link)
    page.wait(f"{STATUS}.length === 2 && {STATUS}[1]")
    page.shows(f"{TEXT}.trimEnd()", TINY.replace("uniq V", "oblig V").rstrip())
    page.shows(
        "[...document.querySelectorAll('#sentences textarea')].map(each => each.value)",
        [
            "? שלום <b>the</b> cats",
            "* the cats sleeps",
        ],
    )
    page.wait(f"{slide}?.value === '3' && document.querySelector('#model').value === 'density'")
    page.go(here)
    page.wait(f"{STATUS}.length === 2 && {STATUS}[1]")
    page.shows(f"{TEXT}.trimEnd()", TINY.rstrip())


def test_a_link_to_a_packaged_grammar_has_what_differs_and_not_the_grammar(page: Browser) -> None:
    here = page.run("location.href")
    change(page, "#packaged", "packaged:french-np-ftb")
    page.wait(f"{TEXT}.length > 2000")
    page.run(f"{EDITOR}.dispatch({{changes: {{from: 0, insert: '# mine\\n'}}, userEvent: 'input'}})")
    link = shared(page)
    assert len(link) < 500
    follow(page, here, link)
    page.wait(f"document.querySelector('.editor') && {TEXT}.startsWith('# mine')")
    page.wait(f"{STATUS}.length === 3 && {STATUS}.every(Boolean)")


def test_a_broken_link_is_told_and_the_own_session_is_there(page: Browser) -> None:
    link = shared(page)
    follow(page, page.run("location.href"), link[:-9])
    page.wait("document.querySelector('#wrong') && !document.querySelector('#wrong').hidden")
    shows_text(page, "#wrong", "this link is brokencopy the whole link: some programs cut long ones")
    page.shows(TEXT, TINY)


def test_a_link_that_is_too_long_is_told(page: Browser) -> None:
    noise = "".join(f"{(i * 2654435761) % 4294967296:x}" for i in range(12000))
    rewrite(page, f"{TINY}# {noise}\n")
    click(page, "Share…", "header")
    page.wait("document.querySelector('#link-told')")
    told = text_of(page, "#link-told")
    assert told.startswith("A link of ")
    assert told.endswith("characters is too long for browsers: save the session as a file and send the file.")
    page.shows("document.querySelector('#sharing input')", None)


def test_the_session_is_a_file_that_shows_all_and_can_be_opened_again(page: Browser, tmp_path: Path) -> None:
    retype(page, ROW.format(1), "cat the sleeps")
    page.wait(f"{STATUS}[0].includes('1 violation')")
    caught(page)
    click(page, "Share…", "header")
    click(page, "Save as one HTML file", "#sharing")
    page.wait("window.given['tiny.html']")
    made = page.run("window.given['tiny.html'].text")
    here, saved = page.run("location.href"), tmp_path / "saved.html"
    saved.write_text(made, encoding="utf-8")
    _, errors = page.told()
    page.go(saved.as_uri())
    page.shows("document.querySelectorAll('article svg').length", 2)
    shows_text(page, "article > ul li", lambda found: found.startswith('"the" should stand before "cat"'))
    shows_text(page, "pre", TINY)
    page.shows("getComputedStyle(document.querySelector('svg .violated rect')).strokeWidth", "1.6px")
    assert (page.told(), errors) == (([saved.as_uri()], []), [])
    page.go(here)
    page.wait("document.querySelectorAll('#packaged option').length > 9")
    change(page, "#packaged", "packaged:anbn")
    page.wait(f"{TEXT}.startsWith('# The language')")
    put_in(page, "tiny.html", made)
    page.wait(f"{TEXT} === {json.dumps(TINY)} && {STATUS}[0]?.includes('1 violation')")


def test_a_tree_is_saved_as_a_drawing_a_picture_and_latex(page: Browser) -> None:
    caught(page)
    for name, type, first in (
        ("tree.svg", "image/svg+xml", "<svg xmlns="),
        ("tree.tex", "text/plain", "% for the preamble"),
    ):
        click(page, {"tree.svg": "SVG", "tree.tex": "LaTeX"}[name], "#analysis")
        page.wait(f"window.given[{name!r}]")
        page.shows(f"window.given[{name!r}].type", type)
        page.wait(f"window.given[{name!r}].text.startsWith({json.dumps(first)})")
    click(page, "PNG", "#analysis")
    page.wait("window.given['tree.png']")
    page.shows("window.given['tree.png'].first", [0x89, *b"PNG"])


def test_sentences_and_trees_run_from_right_to_left(
    page: Browser,
) -> None:
    grammar = "leaves: Det, N, V\nroots: S\nS:\n    oblig V\n    uniq {NP, V}\n    NP < V\nNP:\n    uniq N\n"
    rewrite(page, f"{grammar}\nlexicon:\n    כלב: N\n    ישן: V\n")
    retype(page, ROW.format(1), "כלב ישן")
    page.wait(f"{STATUS}[0] === '✓ well-formed'")
    words = "[...document.querySelectorAll('#analysis svg .word text')]"
    places = f"{words}.map(each => [each.textContent, each.x.baseVal[0].value])"
    page.shows(places, lambda found: dict(found)["ישן"] < dict(found)["כלב"])
    page.shows(f"getComputedStyle(document.querySelector({ROW.format(1)!r})).direction", "rtl")
