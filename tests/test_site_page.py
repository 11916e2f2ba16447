"""The page that is one file, opened from the disk: what a teacher and a student see of it, offline.

It is built by Node.js of what `npm ci` in tools/browser_python fetches; without these, or without a browser, the tests
are skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from numbat.web.facade import Facade
from tests.browser import Browser, browser
from tests.firefox import Firefox, firefox
from tests.site_page import page_file

CASES = sorted((Path(__file__).parent / "web_cases").glob("*.json"))
TINY = (Path(__file__).parent / "web_cases" / "tiny.pg").read_text(encoding="utf-8")
EDITOR = "document.querySelector('.editor').editorView"
TEXT = f"{EDITOR}.state.doc.toString()"
STATUS = "[...document.querySelectorAll('#sentences .status')].map(each => each.textContent)"
STARTED = "document.querySelector('.tree svg') && document.querySelectorAll('.status b').length === 2"
SILENT = ("data:", "blob:", "about:")
"""Addresses that are part of a page."""


@pytest.fixture(scope="module")
def address() -> str:
    return page_file().as_uri()


@pytest.fixture(scope="module")
def opened(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The page from its file, when the first sentences have their trees. Nobody is asked for anything."""
    with browser(tmp_path_factory.mktemp("profile")) as found:
        found.resize(1200)
        found.go(address)
        found.wait(STARTED)
        yield found
        asked, errors = found.told()
        assert [each for each in asked if each != address and not each.startswith(SILENT)] == []
        assert errors == []


@pytest.fixture
def page(opened: Browser) -> Browser:
    """The page with the grammar `tiny.pg` and its first sentences."""
    if opened.run(TEXT) != TINY:
        rewrite(opened, TINY)
    retype(opened, 1, "the cat sleeps")
    retype(opened, 2, "* the cats sleeps")
    opened.wait(f"{STATUS}.join() === '✓ well-formed,✗ 1 violation, -1' && document.querySelector('#stale').hidden")
    return opened


def rewrite(page: Browser | Firefox, text: str) -> None:
    """Another text in the editor, as if it were typed."""
    change = f"{{from: 0, to: {EDITOR}.state.doc.length, insert: {json.dumps(text)}}}"
    page.run(f"{EDITOR}.dispatch({{changes: {change}, userEvent: 'input'}})")


def retype(page: Browser | Firefox, row: int, text: str) -> None:
    """Another sentence in a row, as if it were typed."""
    field = f"document.querySelector('#sentences li:nth-child({row}) input')"
    event = "new InputEvent('input', {bubbles: true})"
    page.run(f"({field}.focus(), {field}.value = {json.dumps(text)}, {field}.dispatchEvent({event}))")


def text_of(page: Browser | Firefox, where: str) -> Any:
    return page.run(f"document.querySelector({where!r}).textContent")


def test_sentences_are_judged_as_one_types(page: Browser) -> None:
    retype(page, 1, "cat the sleeps")
    page.wait(f"{STATUS}[0] === '≠ ✗ 1 violation, -1'")
    page.wait("document.querySelectorAll('.violations li').length === 1")
    assert text_of(page, ".violations button") == (
        'NP "cat the" (0-2): Det must come before N, but "the" follows "cat"  [linearity, tiny.pg:12] — cost 1'
    )
    assert page.run("document.querySelectorAll('#starting progress').length") == 0


def test_a_mistake_of_the_grammar_stands_at_its_place(page: Browser) -> None:
    rewrite(page, TINY.replace("Det < N", "Det < Noun"))
    page.wait("document.querySelector('#problems button.error')")
    assert text_of(page, "#problems li") == (
        'tiny.pg:12: "Noun" is not a construction or a leaf'
        "declare it with 'leaves: Noun' or give it a form with 'Noun:'"
    )
    rewrite(page, TINY.replace("Det < N", "N < Det"))
    page.wait(f"{STATUS}[0] === '≠ ✗ 1 violation, -1'")


def test_what_is_typed_is_never_markup_nor_a_script(page: Browser) -> None:
    evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
    retype(page, 1, evil)
    page.wait(f"{STATUS}[0].includes('fragments')")
    rewrite(page, TINY + f'"{evil}":\n  <b>x</b>\n')
    page.wait("document.querySelector('#problems .error')")
    assert page.run("[document.title, document.querySelectorAll('main img, main script').length]") == [
        "Numbat workbench",
        0,
    ]


def test_a_script_that_is_put_into_the_page_does_not_run(page: Browser) -> None:
    page.run("""(() => {
      const script = document.createElement('script');
      script.textContent = 'document.title = 3';
      document.body.append(script);
      document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="document.title = 4">');
    })()""")
    page.run("new Promise((go) => setTimeout(go, 100))")
    assert page.run("document.title") == "Numbat workbench"
    _, errors = page.told()
    assert len(errors) == 2
    assert all("Content Security Policy" in each for each in errors)


def test_every_call_is_answered_as_outside_of_a_browser(page: Browser) -> None:
    """The golden cases by the compiled search here, and by Python in the browser: the same, to the last sign."""
    requests = [json.loads(path.read_text(encoding="utf-8"))["request"] for path in CASES]
    for request in requests:
        if request.get("grammar", {}).get("main") == "tiny.pg":
            request["grammar"].setdefault("files", {"tiny.pg": TINY})
    answers = page.run(f"""(async () => {{
      const found = [];
      const {{ PyodideBackend }} = await import(numbatScripts["pyodide_backend.js"]);
      const backend = globalThis.another = new PyodideBackend();
      for (const request of {json.dumps(requests)}) found.push(await backend.answer(request));
      return found;
    }})()""")
    facade = Facade()
    wanted = [json.loads(facade.answer_text(json.dumps(request))) for request in requests]
    names = [path.stem for path in CASES]
    assert dict(zip(names, answers, strict=True)) == dict(zip(names, wanted, strict=True))


def test_a_reload_brings_all_back(page: Browser, address: str) -> None:
    rewrite(page, TINY.replace("uniq V", "oblig V"))
    retype(page, 2, "? sleeps")
    page.wait("Object.values(localStorage).some(each => each.includes('oblig V') && each.includes('? sleeps'))")
    page.go("about:blank")
    page.go(address)
    page.wait(f"document.querySelector('.editor') && {TEXT}.includes('oblig V')")
    assert page.run("document.querySelectorAll('#sentences input')[1].value") == "? sleeps"
    page.wait(STARTED)


def test_firefox_opens_the_file(address: str, tmp_path: Path) -> None:
    with firefox(tmp_path) as page:
        page.go(address)
        page.wait(STARTED)
        retype(page, 1, "cat the sleeps")
        page.wait(f"{STATUS}[0] === '≠ ✗ 1 violation, -1'")
        rewrite(page, TINY.replace("Det < N", "Det < Noun"))
        page.wait("document.querySelector('#problems button.error')")
        assert [each for each in page.requests if each != address and not each.startswith(SILENT)] == []
        assert page.errors == []
