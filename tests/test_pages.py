"""All pages and drawings that Numbat writes, in a browser: width, colours, keys, and requests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from numbat.acceptability.ablation import without_relation
from numbat.authoring.verbs import convert_grammar
from numbat.cli.main import cli
from numbat.grammar.loading import load_grammar
from numbat.structure.model import packed_model
from tests.browser import Browser, browser, worst_contrast
from tests.structure_model import SENTENCES, small_model

pytest.importorskip("numpy")
ROOT: Final = Path(__file__).parents[1]
STARTER: Final = str(ROOT / "tests" / "starter" / "starter.pg")
MRG: Final = str(ROOT / "corpora" / "trees.mrg")
WIDTHS: Final = (320, 375, 600, 900, 925, 950, 1280, 1600)
LONG: Final = "The cats and the old dogs in the garden of my friend sleeps in the house near the river in the morning."
HOSTILE: Final = "The <b>cat</b> <script>document.title='taken'</script> sleeps"
NAME: Final = "a_suite_with_a_name_that_is_too_long_for_the_screen_of_a_phone.tsv"
SUITE: Final = f"""id\tsentence\trating\tphenomenon
a\tThe cat sleeps.\t6.5\tagreement
b\tThe cats sleeps.\t2.0\tagreement
long\t{LONG}\t3.0\ta phenomenon with a long name
hostile\t{HOSTILE}\t1.0\tmarkup
"""
MODEL: Final = """# fitted model for the grammar starter
feature\tweight\tmean\tscale\titems
intercept\t2\t0\t1\t0
violated linearity\t-0.9\t0.1\t0.3\t9
violated S dependency\t-0.4\t0.1\t0.3\t9
log words\t0.2\t0.1\t0.3\t9
"""
OPEN: Final = """
document.querySelectorAll(".body .row button").forEach(button => button.click());
document.querySelectorAll("details").forEach(each => each.open = true);
"""
WORN: Final = "document.documentElement.scrollWidth"
WRITTEN: Final = (
    ("report", f"folder/{NAME}", "-g", STARTER, "--html", "report.html"),
    ("compare", STARTER, "edited.pg", f"folder/{NAME}", "--html", "compare.html"),
    ("importance", "m.tsv", "--on", f"folder/{NAME}", "-g", STARTER, "--html", "importance.html"),
    ("parse", "-g", STARTER, "-f", "html", "-o", "parses.html", LONG, "The cat sleeps.", HOSTILE),
    ("parse", "-g", STARTER, "-f", "svg", "-o", "parse.svg", "The cats sleeps."),
    ("show", STARTER, "--html", "grammar.html"),
    ("induce", MRG, "-o", "t.pg"),
    ("show", "t.pg", "--html", "induced.html", "--trees", MRG),
    ("induce", "t.txt", "--structure", "small.model", "--support", "3", "--min-count", "3", "--html", "proposals.html"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all pages, from one with a suite, a fitted model, an edited grammar and a model of structure."""
    path = tmp_path_factory.mktemp("pages")
    (path / "folder").mkdir()
    (path / "folder" / NAME).write_text(SUITE, encoding="utf-8")
    (path / "m.tsv").write_text(MODEL, encoding="utf-8")
    edited = without_relation(load_grammar(STARTER), "dependency")
    (path / "edited.pg").write_text(convert_grammar(edited, "pg"), encoding="utf-8")
    (path / "small.model").write_bytes(packed_model(small_model()))
    (path / "t.txt").write_text(SENTENCES, encoding="utf-8")
    with pytest.MonkeyPatch.context() as here:
        here.chdir(path)
        for arguments in WRITTEN:
            done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
            assert done.exit_code == 0, done.output
    return path


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


def pages(folder: Path) -> dict[str, str]:
    """The addresses of all that was written, by names."""
    found = {path.name: path.as_uri() for path in sorted(folder.iterdir()) if path.suffix in (".html", ".svg")}
    return found | {f"{name} NP": f"{found[name]}#NP" for name in ("grammar.html", "induced.html")}


def test_no_page_is_too_wide_or_too_pale_or_asks_for_anything(folder: Path, opened: Browser) -> None:
    """In all widths and both modes, with everything opened; and no page treats a grammar or a sentence as markup."""
    found = pages(folder)
    assert len(found) == 10
    for name, address in found.items():
        opened.told()
        opened.go(address)
        opened.run(OPEN)
        wide = {width: width_of(opened, width) for width in WIDTHS} if ".html" in name else {}
        assert wide == {width: width for width in wide}, name
        for scheme in ("light", "dark"):
            opened.prefer(scheme)
            assert worst_contrast(opened) >= 4.5, (name, scheme)
            assert is_dark(opened, name) == (scheme == "dark"), (name, scheme)
        assert opened.run("document.title") != "taken"
        assert opened.run("document.querySelectorAll('b, body script:not([id]) ~ *, img').length") == 0
        requested, errors = opened.told()
        assert (set(requested) - {address.partition("#")[0], address}, errors) == (set(), []), name


def width_of(page: Browser, width: int) -> int:
    """Return the width of a page in a window of some width."""
    page.resize(width)
    found = page.run(WORN)
    assert isinstance(found, int)
    return found


def is_dark(page: Browser, name: str) -> bool:
    """True if the background is dark."""
    paper = "getComputedStyle(document.querySelector('.paper')).fill"
    colour = page.run(paper if name.endswith(".svg") else "getComputedStyle(document.body).backgroundColor")
    red, green, blue = (int(part) for part in colour[4:-1].split(","))
    return max(red, green, blue) < 60


def test_titles_have_no_folders_and_pages_end_with_the_record_of_their_run(folder: Path, opened: Browser) -> None:
    for name, address in pages(folder).items():
        if ".svg" in name:
            continue
        opened.go(address)
        title, record = opened.run("[document.title, document.querySelector('footer summary').textContent]")
        assert title
        assert "/" not in title
        assert record.startswith("Run: numbat ")
        assert record.endswith("; 2026-01-01T00:00:00Z")
        whole = opened.run("JSON.parse(document.querySelector('footer pre').textContent)")
        assert whole["verb"] == record.split()[3].rstrip(";")
        assert str(folder) not in str(whole)


def test_the_row_of_a_sentence_opens_by_click_and_by_key(folder: Path, opened: Browser) -> None:
    """A click works anywhere in the row, Enter and Space on its button, which shows if the row is open."""
    opened.resize(1280)
    opened.go((folder / "report.html").as_uri())
    button = "document.querySelector('.row button[aria-expanded]')"
    state = f"[{button}.ariaExpanded, document.querySelectorAll('.detail').length]"
    closed, opens = ["false", 0], ["true", 1]
    opened.shows(state, closed)
    click(opened, ".row [data-name=score]")
    opened.shows(state, opens)
    opened.run(f"{button}.focus()")
    opened.press("Enter", 13)
    opened.shows(state, closed)
    space(opened)
    opened.shows(state, opens)
    opened.press("Tab", 9)
    opened.shows("document.activeElement.className", "wide")  # the tree can be scrolled by key
    opened.run("getSelection().selectAllChildren(document.querySelector('.row [data-name=score]'))")
    opened.run("document.querySelector('.row [data-name=score]').click()")
    opened.shows(state, opens)  # selecting text does not open or close anything


@pytest.mark.parametrize("name", ["compare.html", "parses.html"])
def test_what_is_folded_opens_by_key(folder: Path, opened: Browser, name: str) -> None:
    opened.go((folder / name).as_uri())
    first = "document.querySelector('details').open"
    before = opened.run(first)
    opened.run("document.querySelector('summary').focus()")
    opened.press("Enter", 13)
    opened.shows(first, lambda found: found is not before)
    space(opened)
    opened.shows(first, before)


def click(page: Browser, where: str) -> None:
    page.run(f"document.querySelector({where!r}).scrollIntoView({{block: 'center'}})")
    x, y = page.run(f"(r => [r.x + 3, r.y + 3])(document.querySelector({where!r}).getBoundingClientRect())")
    for kind in ("mousePressed", "mouseReleased"):
        page.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


def space(page: Browser) -> None:
    for kind in ("keyDown", "keyUp"):
        page.ask("Input.dispatchKeyEvent", type=kind, key=" ", code="Space", windowsVirtualKeyCode=32, text=" ")
