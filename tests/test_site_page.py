"""The one-file page, opened from the disk, as teachers and students use it offline.

Node.js builds it from the packages that `npm ci` in tools/browser_python fetches; without these, or without a browser,
the tests are skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from numbat.workbench.facade import Facade
from numbat.workbench.session import MAX_SECONDS
from numbat.workbench.site import pages
from numbat.workbench.site.pages import beginning_with, folder_pages, single_page
from tests.browser import Browser, browser
from tests.firefox import Firefox, firefox
from tests.site_page import GRAMMAR, built_parts, page_file
from tests.waiting import until
from tests.web_requests import CASES, TINY, read_case
from tests.workbench import EVIL, MARKED_UP, caught, shows_text

EDITOR = "document.querySelector('.editor').editorView"
TEXT = f"{EDITOR}.state.doc.toString()"
STATUS = "[...document.querySelectorAll('#sentences .status')].map(each => each.textContent)"
STARTED = "document.querySelector('.tree svg') && document.querySelectorAll('.status b').length === 2"
MAX_BYTES = 13_300_000
"""Maximal size of the one-file page, small enough for mail."""
SILENT = ("data:", "blob:", "about:")
"""Addresses that are part of a page."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return page_file(tmp_path_factory.mktemp("page")).as_uri()


@pytest.fixture(scope="module")
def opened(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The page, opened from its file, when the first sentences have their trees; it makes no requests."""
    with browser(tmp_path_factory.mktemp("profile")) as found:
        found.resize(1200)
        found.go(address)
        found.wait(STARTED)
        yield found
        requested, errors = found.told()
        assert [each for each in requested if not each.startswith(("file:", *SILENT))] == []
        assert errors == []


@pytest.fixture
def page(opened: Browser, address: str) -> Browser:
    """The page with the grammar `tiny.pg` and its first sentences."""
    if opened.run("location.href") != address:
        opened.go(address)
        opened.wait("document.querySelector('.tree svg')")
    if opened.run(TEXT) != TINY:
        rewrite(opened, TINY)
    retype(opened, 1, "the cat sleeps")
    retype(opened, 2, "* the cats sleeps")
    opened.wait(f"{STATUS}.join() === '✓ well-formed,✗ 1 violation, cost 1' && document.querySelector('#stale').hidden")
    return opened


def rewrite(page: Browser | Firefox, text: str) -> None:
    """Another text in the editor, as if it were typed."""
    change = f"{{from: 0, to: {EDITOR}.state.doc.length, insert: {json.dumps(text)}}}"
    page.run(f"{EDITOR}.dispatch({{changes: {change}, userEvent: 'input'}})")


def retype(page: Browser | Firefox, row: int, text: str) -> None:
    """Another sentence in a row, as if it were typed."""
    field = f"document.querySelector('#sentences li:nth-child({row}) textarea')"
    event = "new InputEvent('input', {bubbles: true})"
    page.run(f"({field}.focus(), {field}.value = {json.dumps(text)}, {field}.dispatchEvent({event}))")


def text_of(page: Browser | Firefox, where: str) -> Any:
    return page.run(f"document.querySelector({where!r}).textContent")


def test_the_file_can_be_sent_by_mail(tmp_path: Path) -> None:
    assert page_file(tmp_path, "english").stat().st_size <= MAX_BYTES


def test_sentences_are_judged_as_one_types(page: Browser) -> None:
    retype(page, 1, "cat the sleeps")
    page.wait(f"{STATUS}[0] === '≠ ✗ 1 violation, cost 1'")
    page.wait("document.querySelectorAll('.violations li').length === 1")
    shows_text(
        page,
        ".violations button",
        '"the" should stand before "cat"  [NP: Det < N, tiny.pg:12] — cost 1',
    )
    page.shows("document.querySelectorAll('#starting progress').length", 0)


def test_a_mistake_of_the_grammar_stands_at_its_place(page: Browser) -> None:
    rewrite(page, TINY.replace("Det < N", "Det < Noun"))
    page.wait("document.querySelector('#problems button.error')")
    shows_text(
        page,
        "#problems li",
        'tiny.pg:12: "Noun" is not a construction or a leaf'
        "declare it with 'leaves: Noun' or give it a form with 'Noun:'",
    )
    rewrite(page, TINY.replace("Det < N", "N < Det"))
    page.wait(f"{STATUS}[0] === '≠ ✗ 1 violation, cost 1'")


def test_what_is_typed_is_never_markup_nor_a_script(page: Browser) -> None:
    retype(page, 1, EVIL)
    page.wait(f"{STATUS}[0].includes('fragments')")
    rewrite(page, TINY + f'"{EVIL}":\n  <b class=typed>x</b>\n')
    page.wait("document.querySelector('#problems .error')")
    assert page.run(MARKED_UP) == ["Numbat workbench", 0]


def test_a_script_that_is_put_into_the_page_does_not_run(page: Browser) -> None:
    page.run("""new Promise((go) => {
      const script = document.createElement('script');
      script.textContent = 'document.title = 3';
      document.body.append(script);
      document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="document.title = 4">');
      document.body.lastElementChild.addEventListener('error', () => go(true));
    })""")
    page.met(2)
    assert page.run("document.title") == "Numbat workbench"
    page.run("document.querySelectorAll('body > script:last-of-type, body > img').forEach((each) => each.remove())")
    _, errors = page.told()
    assert len(errors) == 2
    assert all("Content Security Policy" in each for each in errors)


@pytest.fixture(scope="module")
def backend(opened: Browser) -> str:
    """Make a second back end in the page, with its own workers; return its name."""
    opened.run("""(async () => {
      const { PyodideBackend } = await import(numbatScripts["pyodide_backend.js"]);
      globalThis.backend = new PyodideBackend();
    })()""")
    return "backend"


def test_every_call_is_answered_as_outside_of_a_browser(page: Browser, backend: str) -> None:
    """The golden cases by the compiled search here, and by Python in the browser: the same, to the last sign."""
    requests = [read_case(path)[0] for path in CASES]
    answers = page.run(f"Promise.all({json.dumps(requests)}.map((request) => {backend}.answer(request)))")
    facade = Facade()
    wanted = [json.loads(facade.answer_text(json.dumps(request))) for request in requests]
    names = [path.stem for path in CASES]
    assert dict(zip(names, answers, strict=True)) == dict(zip(names, wanted, strict=True))


MANY = json.dumps({"sentences": [f"the old man sees {number} small dogs in the park" for number in range(1500)]})
"""For Python in a browser the work of a minute or more."""
TWO_CALLS = """(async () => {{
  const request = {{ call: "sentences", grammar: {{ main: "english" }} }};
  const ask = (given) => {backend}.answer({{ ...request, settings: {{ seconds: {seconds} }}, given }}, "slot");
  const long = ask({many});
  while (!{backend}.workers[0].call) await new Promise((go) => setTimeout(go, 10));
  await new Promise((go) => setTimeout(go, 100));
  const short = ask({{ sentences: ["the dog barks"] }});
  const at = {backend}.workers.map((each) => each?.call?.name ?? null);
  return [await long, (await short).answer.sentences[0].status, at];
}})()"""


def test_a_newer_call_ends_the_one_at_work(page: Browser, backend: str) -> None:
    """In the same worker, which else would be at work for longer than a test waits."""
    found = page.run(TWO_CALLS.format(backend=backend, many=MANY, seconds=MAX_SECONDS))
    assert found[:2] == [None, "well-formed"]
    page.shows(f"{backend}.workers[0].isSuspendable", True)


def test_doubts_are_put_off_while_others_wait(page: Browser, backend: str) -> None:
    order = page.run(f"""(async () => {{
      const order = [];
      const ask = async (call, given) => {{
        const answer = await {backend}.answer({{ call, grammar: {{ main: "english" }}, given }});
        order.push(call, "answer" in answer);
      }};
      const doubts = ask("check", {{}});
      while ({backend}.workers[0].call?.name !== "check") await new Promise((go) => setTimeout(go, 10));
      await Promise.all([doubts, ask("sentences", {{ sentences: ["the dogs bark"] }})]);
      return order;
    }})()""")
    assert order == ["sentences", True, "check", True]


def test_where_no_work_can_be_ended_a_second_worker_answers(page: Browser) -> None:
    """As in a browser that cannot suspend WebAssembly."""
    script = Path(pages.__file__).with_name("pyodide_worker.js").read_text(encoding="utf-8")
    text = f"delete WebAssembly.Suspending; delete WebAssembly.promising; {script}"
    page.run(f"""(async () => {{
      const address = URL.createObjectURL(new Blob([{json.dumps(text)}], {{ type: "text/javascript" }}));
      const before = numbatScripts["pyodide_worker.js"];
      numbatScripts["pyodide_worker.js"] = address;
      const {{ PyodideBackend }} = await import(numbatScripts["pyodide_backend.js"]);
      globalThis.unstoppable = new PyodideBackend();
      await unstoppable.answer({{ call: "check", grammar: {{ main: "anbn" }} }});
      unstoppable.worker(1);
      numbatScripts["pyodide_worker.js"] = before;
    }})()""")
    page.wait("unstoppable.workers[1].isReady")
    found = page.run(TWO_CALLS.format(backend="unstoppable", many=MANY, seconds=MAX_SECONDS))
    assert found == [None, "well-formed", ["sentences", "sentences"]]
    page.run("unstoppable.workers.forEach((each) => each.made.terminate())")


def test_a_worker_that_ends_is_told_and_another_one_starts(page: Browser, backend: str) -> None:
    """A request that is not a text ends it; pages do not send such requests."""
    told = page.run(f"""(async () => {{
      const ask = () => {backend}.answer({{ call: "check", grammar: {{ main: "anbn" }} }});
      await ask();
      {backend}.workers[0].made.postMessage({{ number: 0, request: 7 }});
      const told = await ask().catch((error) => [error.message, error.hint]);
      return [told, (await ask()).answer.title];
    }})()""")
    said = "Python has stopped: TypeError: the JSON object must be str, bytes or bytearray, not int"
    assert told == [[said, "it starts again; what you typed is kept in this browser"], "anbn 1"]


def test_the_page_saves_itself_with_the_session_in_it(page: Browser, address: str, tmp_path: Path) -> None:
    page.go("about:blank")
    page.go(address)
    page.wait(STARTED)
    retype(page, 1, "cat the </script> sleeps")
    caught(page)
    page.run("document.querySelector('#share').click()")
    save = "[...document.querySelectorAll('#sharing button')].find(each => each.textContent.startsWith('Save'))"
    page.wait(save)
    page.run(f"{save}.click()")
    page.wait("window.given['tiny.html']")
    size = page.run("window.given['tiny.html'].text.length")
    parts = (page.run(f"window.given['tiny.html'].text.slice({i}, {i + 1_000_000})") for i in range(0, size, 1_000_000))
    saved = tmp_path / "saved.html"
    saved.write_text("".join(parts), encoding="utf-8")
    page.go(saved.as_uri())
    page.wait("document.querySelectorAll('#sentences textarea').length === 2")
    page.shows("document.querySelector('#sentences textarea').value", "cat the </script> sleeps")
    requested, errors = page.told()
    assert [each for each in requested if each not in (address, saved.as_uri()) and not each.startswith(SILENT)] == []
    assert errors == []
    page.go("about:blank")
    page.go(address)
    page.wait(STARTED)
    retype(page, 1, "the cat sleeps")


def test_a_reload_brings_all_back(page: Browser, address: str) -> None:
    rewrite(page, TINY.replace("uniq V", "oblig V"))
    retype(page, 2, "? sleeps")
    page.wait("Object.values(localStorage).some(each => each.includes('oblig V') && each.includes('? sleeps'))")
    page.go("about:blank")
    page.go(address)
    page.wait(f"document.querySelector('.editor') && {TEXT}.includes('oblig V')")
    page.shows("document.querySelectorAll('#sentences textarea')[1].value", "? sleeps")


def test_the_page_is_saved_with_a_session_in_it(page: Browser, tmp_path: Path) -> None:
    """A teacher can prepare such a page, and it opens without anything else."""
    rewrite(page, f"# <!-- </script><b class=typed>\n{TINY}")
    retype(page, 1, "</script the cat sleeps")
    page.wait(f"{STATUS}[0].includes('unknown')")
    page.ask("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    page.run("document.querySelector('#share').click()")
    page.wait("document.querySelector('#sharing[open] button')")
    page.run("[...document.querySelectorAll('#sharing button')].find((each) => /^Save/.test(each.textContent)).click()")
    saved = tmp_path / "tiny.html"
    until(saved.exists)
    page.run("(localStorage.clear(), sessionStorage.clear())")
    page.go(saved.as_uri())
    page.wait("document.querySelector('.editor')")
    page.shows(TEXT, f"# <!-- </script><b class=typed>\n{TINY}")
    page.shows("document.querySelector('#sentences textarea').value", "</script the cat sleeps")
    assert page.run(MARKED_UP) == ["Numbat workbench", 0]
    assert saved.stat().st_size < MAX_BYTES


def test_a_damaged_page_says_so_and_keeps_the_text(opened: Browser, tmp_path: Path) -> None:
    file = tmp_path / "damaged.html"
    file.write_bytes(single_page({**built_parts(), "pyodide.mjs": b"no gzip"}, beginning_with(str(GRAMMAR))))
    opened.go(file.as_uri())
    opened.wait("!document.querySelector('#wrong').hidden")
    said = text_of(opened, "#wrong")
    assert said.startswith("Python did not start: ")
    assert said.endswith("use a Firefox or Chromium of this year; what you typed is kept in this browser")
    rewrite(opened, TINY.replace("uniq V", "uniq V  # kept"))
    opened.wait("Object.values(localStorage).some((each) => each.includes('uniq V  # kept'))")
    opened.told()


def test_a_folder_of_files_is_a_page_on_a_web_server(opened: Browser, tmp_path: Path) -> None:
    for name, content in folder_pages(built_parts(), beginning_with(str(GRAMMAR))).items():
        (tmp_path / name).write_bytes(content)
    opened.go((tmp_path / "index.html").as_uri())
    opened.wait("document.querySelector('#wrong').textContent.startsWith('This page needs a web server')")
    opened.told()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path)) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        place = f"http://127.0.0.1:{server.server_port}/"
        opened.go(f"{place}index.html")
        opened.wait(STARTED)
        opened.go("about:blank")
        server.shutdown()
    requested, errors = opened.told()
    assert [each for each in requested if not each.startswith((place, *SILENT))] == []
    assert errors == []


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder without logging."""

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


def test_firefox_opens_the_file(address: str, tmp_path: Path) -> None:
    with firefox(tmp_path) as page:
        page.go(address)
        page.wait(STARTED)
        retype(page, 1, "cat the sleeps")
        page.wait(f"{STATUS}[0] === '≠ ✗ 1 violation, cost 1'")
        rewrite(page, TINY.replace("Det < N", "Det < Noun"))
        page.wait("document.querySelector('#problems button.error')")
        assert [each for each in page.requests if each != address and not each.startswith(SILENT)] == []
        assert page.errors == []
