"""Writes the site of the docs: `python -m tools.docs.build OUT [--pyodide FOLDER]`; needs the extra `docs`.

The pages of `docs/` are what one reads on a code host too. For the site they are copied, their links are turned to
pages of it, trees are drawn, what can be tried has a link, and reference pages are made of the program. Sphinx makes
HTML of them; then every link and the size of every page is checked.
"""

from __future__ import annotations

import argparse
import json
import os
import posixpath
import re
import shutil
import sys
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote

import numbat
from numbat.acceptability.classes import text_sum
from numbat.acceptability.generate import generate_sentences
from numbat.errors import NumbatError
from numbat.grammar.loading import packaged
from numbat.parsing.explanation.drawing import svg
from numbat.workbench.session import packaged_texts
from tools.docs import reference

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
MOST_BYTES = 400_000
"""Of a page."""
PROJECT = {
    "README.md": "project/readme.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "SECURITY.md": "project/security.md",
    "CODE_OF_CONDUCT.md": "project/conduct.md",
    "grammars/README.md": "project/grammars.md",
    "models/README.md": "project/models.md",
    "corpora/README.md": "project/corpora.md",
}
NAMES = {"search.md": "best.md"}
"""Pages whose names Sphinx needs itself."""
TITLES = {"grammars/README.md": "Packaged grammars"}
SHELVES = {
    "Tutorials": ("tutorial", "gallery/*"),
    "How to": (
        "acceptability",
        "experiments",
        "treebanks",
        "corpora",
        "learning",
        "tagging",
        "decoding",
        "workbench",
        "editors",
        "pipelines",
        "programs",
    ),
    "Reference": ("notation", "commands", "python", "best", "reference/*"),
    "Background": ("measured", "architecture", "decisions", "safety", "project/*"),
}
"""The four shelves of the site: each page stands on one."""
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s]+)\)")
PICTURE = re.compile(r"^<!-- tree: (.+) -->$", re.MULTILINE)
SAVED = re.compile(r"Save\s+this\s+as\s+`([^`]+)`")
PARSED = re.compile(r'\$ numbat parse(?: -g ([\w-]+))?((?: "[^"]+")+)')
"""A command that parses sentences and does nothing else."""
ON_ENGLISH = re.compile(r"^include: .*\benglish\b", re.MULTILINE)
WORKBENCH = "workbench/index.html"
"""Where the page of `numbat site` lies; without Pyodide there is none, and nothing to try."""


# The sources of the site


def page_of() -> dict[str, str]:
    """Return the path of each page in the site by that of its file in the project."""
    own = sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))
    return {**{f"docs/{name}": NAMES.get(name, name) for name in own}, **PROJECT}


def assembled(has_workbench: bool) -> dict[str, bytes]:
    """Return all sources of the site by their paths in it."""
    found: dict[str, bytes] = {}
    for file, page in page_of().items():
        text = (ROOT / file).read_text(encoding="utf-8")
        text = f"# {TITLES[file]}\n\n{text}" if file in TITLES else text
        for name, picture in pictures(text, page):
            found[name] = picture
        text = PICTURE.sub(lambda match, page=page: _image(match[1], page), text)
        found[page] = linked(tried(text, page) if has_workbench else text, file, page).encode()
    found |= {name: text.encode() for name, text in reference.pages().items()}
    for path in (ROOT / "docs").iterdir():
        if path.suffix in (".png", ".svg"):
            found[path.name] = path.read_bytes()
    found["index.md"] += shelved(sorted(name for name in found if name.endswith(".md"))).encode()
    return found


def shelved(pages: list[str]) -> str:
    """Return the tables of contents of the four shelves. Raises ValueError for a page that stands on none."""
    parts, placed = [], {"index.md"} | {page for page in pages if page.startswith("reference/verbs/")}
    for caption, wanted in SHELVES.items():
        names: list[str] = []
        for each in wanted:
            names += (
                [page for page in pages if page.startswith(each[:-1]) and page not in placed]
                if each.endswith("*")
                else [f"{each}.md"]
            )
        placed |= set(names)
        entries = "\n".join(name.removesuffix(".md") for name in names)
        parts.append(f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{entries}\n```\n")
    if left := sorted(set(pages) - placed):
        raise ValueError(f"on no shelf: {', '.join(left)}")
    return "".join(parts)


def linked(text: str, file: str, page: str) -> str:
    """Return a text whose links lead to pages of the site; a file that is not in it is named without a link."""
    pages = page_of()
    fences = [match.span() for match in FENCE.finditer(text)]

    def turned(match: re.Match[str]) -> str:
        mark, said, target = match.groups()
        name, _, anchor = target.partition("#")
        if "://" in target or not name or any(start <= match.start() < end for start, end in fences):
            return match[0]
        meant = posixpath.normpath(posixpath.join(posixpath.dirname(file), name))
        if meant in pages:
            to = posixpath.relpath(pages[meant], posixpath.dirname(page) or ".")
        elif meant.startswith("docs/") and meant.endswith((".png", ".svg")):
            to = posixpath.relpath(meant.removeprefix("docs/"), posixpath.dirname(page) or ".")
        else:
            return said
        return f"{mark}[{said}]({to}{'#' + anchor if anchor else ''})"

    return LINK.sub(turned, text)


# Trees, drawn when the site is built: `<!-- tree: a sentence -->` below the grammar of a page


def pictures(text: str, page: str) -> Iterator[tuple[str, bytes]]:
    """Return the drawings of a page by their paths."""
    for match in PICTURE.finditer(text):
        before = [fence for fence in FENCE.finditer(text) if fence[1] == "pg" and fence.end() < match.start()]
        grammar = numbat.parse_grammar(before[-1][2]) if before else numbat.load_grammar("english")
        yield _picture(match[1], page), svg(numbat.Parser(grammar).parse(match[1])).encode()


def _picture(sentence: str, page: str) -> str:
    words = re.sub(r"\W+", "-", sentence).strip("-").lower()
    return posixpath.join(posixpath.dirname(page), f"{Path(page).stem}-{words}.svg")


def _image(sentence: str, page: str) -> str:
    name = posixpath.basename(_picture(sentence, page))
    return f'```{{figure}} {name}\n:alt: The tree of "{sentence}"\n:figclass: tree-picture\n\n*{sentence}*\n```'


# "Try this": a link that opens the page of `numbat site` with a grammar and sentences, as `link.js` writes one


def tried(text: str, page: str) -> str:
    """Return a text with a link below each grammar that stands alone, to the workbench with sentences for it."""
    here = posixpath.relpath(WORKBENCH, posixpath.dirname(page) or ".")
    parts, done = [], 0
    for fence in FENCE.finditer(text):
        link = _of_grammar(fence, page, text) if fence[1] == "pg" else _of_commands(fence[2])
        if link:
            told = f'<p class="try"><a href="{here}{link}">Try this in the workbench</a></p>'
            parts += [text[done : fence.end()], f"\n\n{told}\n"]
            done = fence.end()
    return "".join([*parts, text[done:]])


def _of_grammar(fence: re.Match[str], page: str, text: str) -> str:
    said = SAVED.search(text[: fence.start()].rstrip("\n").rpartition("\n\n")[2])
    name = said[1] if said else f"{Path(page).stem}.pg"
    sentences = sentences_for(fence[2], name, page, text)
    return session_link(name, {name: fence[2]}, sentences) if sentences else ""


def _of_commands(text: str) -> str:
    """Return the session of commands that do nothing but parse sentences by a packaged grammar; else nothing."""
    found = [PARSED.fullmatch(line) for line in text.splitlines() if line.startswith("$ ")]
    names = {match[1] or "english" for match in found if match}
    if not found or not all(found) or len(names) != 1 or not names <= {*packaged()}:
        return ""
    sentences = [each for match in found if match for each in re.findall(r'"([^"]+)"', match[2])]
    texts = packaged_texts(next(iter(names)))
    files = {name: {"sum": text_sum(text), "edits": []} for name, text in texts.files.items()}
    return session_link(texts.main, files, sentences, next(iter(names)))


def sentences_for(grammar: str, name: str, page: str, text: str) -> list[str]:
    """Return sentences to try a grammar with: those of the page's suite or commands, else such as it makes itself."""
    if page.startswith("gallery/"):
        return sentences_of(suite_of_page(text)[1])
    if ON_ENGLISH.search(grammar):
        return ["The cat sleeps.", "* The cats sleeps."]
    try:
        parser = numbat.Parser(numbat.parse_grammar(grammar))
    except NumbatError:
        return []
    found = re.findall(rf'^\$ numbat parse .*-g {re.escape(name)} .*?"([^"]+)"', text, re.MULTILINE)
    if found or not parser.grammar.lexicon:
        return found
    return [each.sentence for each in generate_sentences(parser, 3, 1, None)]


def suite_of_page(text: str) -> tuple[str, str]:
    """Return the name and the text of the suite of a page of the gallery, empty where it has none."""
    for fence in FENCE.finditer(text):
        said = SAVED.search(text[: fence.start()].rstrip("\n").rpartition("\n\n")[2])
        if fence[1] in ("text", "tsv") and said:
            return said[1], fence[2]
    return "", ""


def sentences_of(suite: str) -> list[str]:
    """Return the sentences of a suite as one types them: lines with marks, or a table of good and bad ones."""
    lines = [line for line in suite.splitlines() if line.strip()]
    if lines[:1] == ["good\tbad"]:
        return [f"{mark}{cell}" for line in lines[1:] for mark, cell in zip(("", "* "), line.split("\t"), strict=True)]
    return lines


def session_link(name: str, files: Mapping[str, object], sentences: list[str], packaged: str = "") -> str:
    """Return the fragment by which the page opens a session; `files` have texts, or what differs of packaged ones."""
    state = {
        "schema": "numbat.session/1", "main": name, "shown": name, "suite": "", "model": "cost", "packaged": packaged,
        "sentences": sentences, "without": [], "chosen": 0, "fragmentCost": None, "strengths": {}, "lesson": None,
        "files": files,
    }  # fmt: skip
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(json.dumps(state, ensure_ascii=False).encode()) + packer.flush()
    return f"#session={urlsafe_b64encode(packed).decode().rstrip('=')}"


# What the theme leaves out for who works by keys or by ear

SPOKEN = (
    ('role="heading"', 'role="heading" aria-level="2"'),
    ('<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="All pages">'),
    ('<aside class="toc-drawer', '<aside aria-label="On this page" class="toc-drawer'),
    ('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'),
    ("<pre>", '<pre tabindex="0">'),
    ('<th class="head"><p></p></th>', '<td class="head"></td>'),
    ('<th class="head stub"><p></p></th>', '<td class="head"></td>'),
)


def spoken(folder: Path) -> None:
    """Names the landmarks of all pages, and lets keys reach what scrolls."""
    for path in folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for old, new in SPOKEN:
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")


# What is wrong with the pages that were made


class Links(HTMLParser):
    """The links of a page, and the ids to which others may lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keeps what leads elsewhere and what is led to."""
        given = dict(attrs)
        self.ids |= {str(given[name]) for name in ("id", "name") if given.get(name)}
        self.links += [str(given[name]) for name in ("href", "src") if given.get(name)]


def wrong_with(folder: Path) -> list[str]:
    """Return broken links, links to other hosts of scripts and styles, and pages that are too large."""
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        name = path.relative_to(folder).as_posix()
        if name.startswith("workbench/"):
            continue
        if path.stat().st_size > MOST_BYTES:
            found.append(f"{name}: {path.stat().st_size:,} bytes")
        for link in page.links:
            target, _, anchor = link.partition("#")
            if ":" in target.split("/")[0] or target.startswith("//"):
                continue
            meant = Path(os.path.normpath(path.parent / unquote(target.partition("?")[0]))) if target else path
            if meant.is_dir():
                meant /= "index.html"
            if not meant.exists():
                found.append(f"{name}: {link}: no such page")
            elif (
                anchor
                and meant in pages
                and not anchor.startswith("session=")
                and unquote(anchor) not in pages[meant].ids
            ):
                found.append(f"{name}: {link}: no such place")
    return found


def main(arguments: list[str] | None = None) -> int:
    """Build the site; the exit code is 1 where something is wrong with it."""
    parser = argparse.ArgumentParser(description="Write the site of the docs.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--pyodide", type=Path, help="the folder of Pyodide, for what can be tried")
    given = parser.parse_args(arguments)
    from sphinx.cmd.build import build_main

    with TemporaryDirectory() as place:
        source = Path(place)
        for name, content in assembled(given.pyodide is not None).items():
            path = source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        shutil.copy(HERE / "conf.py", source)
        (source / "_static").mkdir()
        shutil.copy(HERE / "numbat.css", source / "_static")
        code = build_main(["-q", "-W", "--keep-going", "-E", "-b", "html", str(source), str(given.out)])
    spoken(given.out)
    if given.pyodide is not None:
        from numbat.workbench.site.pages import beginning_with, folder_pages, parts_of

        (given.out / "workbench").mkdir(exist_ok=True)
        for name, part in folder_pages(parts_of(given.pyodide), beginning_with("english")).items():
            (given.out / "workbench" / name).write_bytes(part)
    problems = wrong_with(given.out)
    print("\n".join(problems), file=sys.stderr)
    pages = [path.stat().st_size for path in given.out.rglob("*.html")]
    print(f"{len(pages)} pages, the largest of {max(pages):,} bytes; {len(problems)} problems")
    return 1 if problems or code else 0


if __name__ == "__main__":
    sys.exit(main())
