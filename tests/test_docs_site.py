"""The documentation site: its sources are complete, the judgements of its gallery are right, and its links work."""

from __future__ import annotations

import json
import re
import shutil
import zlib
from base64 import urlsafe_b64decode
from pathlib import Path

import pytest

import numbat
from numbat.acceptability.settings import SuiteSettings
from numbat.acceptability.verbs import judge_suite
from numbat.cli.options import VERBS
from numbat.experiments.suites import suite_of
from numbat.grammar.checks import check
from numbat.workbench.calls import CALLS
from tools.docs import build, reference

GALLERY = sorted((build.ROOT / "docs" / "gallery").glob("*.md"))


@pytest.mark.parametrize("page", GALLERY, ids=lambda path: path.stem)
def test_a_page_of_the_gallery_judges_its_sentences_as_it_says(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    (grammar_text,) = (fence[2] for fence in build.FENCE.finditer(text) if fence[1] == "pg")
    grammar = numbat.parse_grammar(grammar_text, page.name)
    assert check(grammar, page.name) == []
    name, suite_text = build.suite_of_page(text)
    suite = suite_of(SuiteSettings(name), suite_text)
    tested = judge_suite(suite, numbat.Parser(grammar))
    assert [(each.scored.item.sentence, each.reason) for each in tested if each.outcome.verdict != "pass"] == []
    assert {each.scored.item.is_good for each in tested} >= {True, False}
    assert len(build.PICTURE.findall(text)) == 1


def test_the_front_door_leads_to_the_whole_gallery() -> None:
    door = (build.ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\(gallery/([\w-]+)\.md\)", door)) == [path.stem for path in GALLERY]
    readers = door.partition("## Who are you?")[2].partition("\n## ")[0]
    assert [each.count("](") for each in re.split(r"^- ", readers, flags=re.MULTILINE)[1:]] == [3] * 5


def test_every_page_stands_on_a_shelf_and_every_link_leads_to_a_page() -> None:
    """Links of the sources, before Sphinx: to pages, pictures and the workbench alone."""
    found = build.assembled(has_workbench=True)
    pages = {name: content.decode() for name, content in found.items() if name.endswith(".md")}
    assert {f"reference/verbs/{reference.slug(name)}.md" for name in VERBS} < pages.keys()
    for name, text in pages.items():
        for _, _, target in build.LINK.findall(build.FENCE.sub("", text)):
            path = target.partition("#")[0]
            if path and ":" not in path:
                assert (Path("/", name).parent / path).resolve().as_posix()[1:] in found, (name, target)
    assert pages["index.md"].count(":caption:") == 4
    assert sum(name.endswith(".svg") and name.startswith("gallery/") for name in found) == len(GALLERY)
    links = [
        link
        for text in pages.values()
        for link in re.findall(r'href="[./]*workbench/index.html#session=([^"]+)"', text)
    ]
    assert len(links) > len(GALLERY) + 10
    for link in links:
        state = json.loads(zlib.decompress(urlsafe_b64decode(link + "=" * (-len(link) % 4)), -15))
        assert state["schema"] == "numbat.session/1"
        assert state["main"] in state["files"]
        assert not state["packaged"] or all(each["edits"] == [] for each in state["files"].values())
        assert all(state["sentences"])


def test_the_reference_has_every_verb_option_schema_name_and_request() -> None:
    pages = reference.pages()
    for name in VERBS:
        page = pages[f"reference/verbs/{reference.slug(name)}.md"]
        for param in reference.command_of(name).params:
            assert all(f"`{each}`" in page for each in param.opts if each.startswith("-")), (name, param.opts)
    schemas = json.loads(reference.SCHEMAS[0].read_text(encoding="utf-8"))["$defs"]
    assert all(f"## {name}\n" in pages["reference/answers-schema.md"] for name in schemas if name.startswith("numbat."))
    assert all(f"## {name}\n" in pages["reference/api.md"] for name in numbat.__all__ if not name.startswith("__"))
    assert all(f"| `{name}` |" in pages["reference/requests.md"] for name in CALLS)
    assert "0x" not in pages["reference/api.md"]


WRONG = """<a href="b.html#here">b</a> <a href="b.html#there">b</a> <a href="c.html">c</a>
<a href="https://example.org/">x</a> <img src="d.png"> <p id="top"><a href="#top">t</a> <a href="#end">e</a>"""


def test_what_is_wrong_with_a_site_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.html").write_text(WRONG, encoding="utf-8")
    (tmp_path / "b.html").write_text('<h1 id="here">' + "x" * 200, encoding="utf-8")
    monkeypatch.setattr(build, "MOST_BYTES", 210)
    assert build.wrong_with(tmp_path) == [
        "a.html: b.html#there: no such place",
        "a.html: c.html: no such page",
        "a.html: d.png: no such page",
        "a.html: #end: no such place",
        "b.html: 214 bytes",
    ]


@pytest.mark.slow
def test_sphinx_makes_the_site_without_a_warning(tmp_path: Path) -> None:
    for library in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(library, reason="the site needs the extra docs")
    assert build.main([str(tmp_path)]) == 0
    shutil.rmtree(tmp_path)
