"""Median waiting times of a user on pages that `numbat site --single` wrote, in headless Chromium.

    python -m tests.bench.page english.html small.html [ROUNDS]

The pages begin with `english` and with `english-np`. The table has elapsed seconds, for which the machine should be
idle, and the CPU seconds of the browser.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Final

from psutil import Process

from tests.browser import Browser, browser

TREE: Final = "document.querySelector('.tree svg')"
FIELD: Final = "document.querySelector('#sentences li textarea')"
EDITOR: Final = "document.querySelector('.editor').editorView"
CHECKED: Final = "document.querySelector('#checked').textContent"
STATUS: Final = "[...document.querySelectorAll('#sentences .status')].map((each) => each.textContent)"
JUDGED: Final = f"{STATUS}.every((each) => each && !each.includes('waiting'))"
REMEMBER: Final = f"globalThis.before = {STATUS}; globalThis.tree = {TREE}"
CHANGED: Final = f"{STATUS}.every((each, i) => each && each !== before[i]) && {TREE} !== tree"
TIMED: Final = """(async () => {{
  const before = performance.now();
  {act};
  for (;;) {{
    await new Promise((go) => setTimeout(go, 1));
    if ({done}) return performance.now() - before;
    if (performance.now() - before > 120000) throw new Error("not in two minutes");
  }}
}})()"""
BEGINNINGS: Final = {
    "english": "the old man sees a small dog in the",
    "english-np": "the very old green trees in the very old",
}
"""Nine words, to which a tenth is added."""
COSTS: Final = {"english": ("all linearity cost ", "linearity <"), "english-np": ("fragment_cost: ", "fragment")}
"""A line of the grammar with a cost in every sentence that ends in an article, and its slider."""
LAST: Final = ("garden", "house", "park", "city", "river", "room", "street", "school", "town", "field")


Waited = tuple[float, float]
"""Seconds on the clock, and of processors."""


def used(page: Browser) -> float:
    """Seconds of processors that the browser has used."""
    browser_itself = Process(page.number)
    each = [process.cpu_times() for process in (browser_itself, *browser_itself.children(recursive=True))]
    return float(sum(times.user + times.system for times in each))


def timed(page: Browser, act: str, done: str) -> Waited:
    """Measure the time from an action on the page to the expected result."""
    before = used(page)
    clock = float(page.run(TIMED.format(act=act, done=done))) / 1000
    return clock, used(page) - before


def starts(address: str, rounds: int) -> Iterator[Waited]:
    """From opening the page, in a browser that never saw it, to the first tree."""
    for _ in range(rounds):
        with TemporaryDirectory(ignore_cleanup_errors=True) as profile, browser(Path(profile)) as page:
            before, used_before = monotonic(), used(page)
            page.ask("Page.navigate", url=address)
            page.wait(f"document.readyState === 'complete' && {TREE}")
            yield monotonic() - before, used(page) - used_before


def sentences(page: Browser, beginning: str) -> Iterator[Waited]:
    """From a key in a sentence of ten words to its tree."""
    for last in LAST:
        text = json.dumps(f"{beginning} {last}")
        act = f"{FIELD}.value = {text}; {FIELD}.dispatchEvent(new InputEvent('input', {{bubbles: true}}))"
        yield timed(page, act, f"[...document.querySelectorAll('.tree text')].some((e) => e.textContent === '{last}')")


def paste(page: Browser, texts: Iterable[str]) -> None:
    """Replace the first sentence by these, and wait until they are judged."""
    text = json.dumps("\n".join(texts))
    page.run(f"""(() => {{
      const data = new DataTransfer();
      data.setData("text", {text});
      {FIELD}.value = "";
      {FIELD}.dispatchEvent(new ClipboardEvent("paste", {{ clipboardData: data, bubbles: true }}));
    }})()""")
    page.run(TIMED.format(act="", done=JUDGED))


def edits(page: Browser, line: str) -> Iterator[Waited]:
    """From a key in the grammar to the marks, the tree and the new judgements of 20 sentences."""
    for cost in range(11, 20):
        text = json.dumps(f"{line}{cost}\n")
        act = f"""const view = {EDITOR};
          const old = /^{line}.*\\n/m.exec(view.state.doc.toString());
          const [from, to] = old ? [old.index, old.index + old[0].length] : [0, 0];
          {REMEMBER};
          view.dispatch({{ changes: {{ from, to, insert: {text} }}, userEvent: "input" }})"""
        yield timed(page, act, CHANGED)


def slides(page: Browser, name: str) -> Iterator[Waited]:
    """From another cost by a slider to the scores of all sentences."""
    page.run("document.querySelector('#what-if').open = true")
    slider = f"document.querySelector('input[type=range][aria-label=\"Cost of {name}\"]')"
    page.wait(slider)
    for value in (2, 5, 3, 6, 4):
        yield timed(page, f"{REMEMBER}; {slider}.value = {value}; {slider}.dispatchEvent(new Event('input'))", CHANGED)


def tell(name: str, what: str, found: Iterable[Waited]) -> None:
    """Print the medians of one thing that is waited for, and the seconds on the clock each time."""
    clock, processors = zip(*found, strict=True)
    each = ", ".join(f"{one:.2f}" for one in clock)
    print(
        f"{name}: {what}: median {median(clock):.3f} s, of processors {median(processors):.2f} s ({each})", flush=True
    )


def measure(name: str, file: str, rounds: int) -> None:
    """Print the medians of a page."""
    address, beginning = Path(file).absolute().as_uri(), BEGINNINGS[name]
    tell(name, "start to the first tree", starts(address, rounds))
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile, browser(Path(profile)) as page:
        page.go(address)
        page.wait(f"{TREE} && {CHECKED}")
        tell(name, "key in a sentence of ten words to its tree", sentences(page, beginning))
        line, slider = COSTS[name]
        paste(page, [f"{start} {last} the" for start in (beginning, "the") for last in LAST])
        tell(name, "key in the grammar to marks and 20 sentences", edits(page, line))
        words = beginning.split()
        cuts = [words[i:j] for i, j in ((0, 9), (0, 7), (1, 9), (2, 9), (3, 9), (4, 9), (5, 9), (6, 9), (7, 9), (8, 9))]
        more = [f"{start}{' '.join(cut)} {last} the" for start in ("", "the ") for cut in cuts for last in LAST]
        paste(page, sorted(set(more))[:180])
        number = page.run("document.querySelectorAll('#sentences li').length")
        tell(name, f"slider to {number} scores", slides(page, slider))


def main(english: str, small: str, rounds: str = "5") -> None:
    """Measure both pages."""
    measure("english", english, int(rounds))
    measure("english-np", small, int(rounds))


if __name__ == "__main__":
    main(*sys.argv[1:])
