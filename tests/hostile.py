"""Texts that have been used to break out of HTML, SVG, scripts, LaTeX and tables, and checks of output with them.

Output with these texts is compared with output with harmless ones: it must have the same elements and attributes, the
same commands, the same cells. `python -m tests.hostile 10000` tries 10000 texts in a browser and in the formats.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import random
import re
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Final

from numbat import Arc, Lattice, Parse, Parser, parse_grammar
from numbat.cli.main import cli
from numbat.parses.formats import FORMATS, TreeStyle
from numbat.parses.job import ParsedSentence
from numbat.runs.sentences import InputSentence
from numbat.workbench.serving import Server
from tests.browser import Browser, browser

SCRIPTS: Final = tuple(
    re.findall(
        r"\S+",
        r"""
    <script>hit=1</script> <img/src=x/onerror=hit=1> "><svg/onload=hit=1> 'onmouseover='hit=1
    </script><script>hit=1</script> </style><script>hit=1</script> </title><script>hit=1</script>
    </textarea><img/src=x/onerror=hit=1> <!--<script>hit=1//--> ]]><script>hit=1</script> <![CDATA[<b>]]>
    javascript:hit=1 &lt;script&gt;hit=1&lt;/script&gt; &#60;script&#62; <iframe/srcdoc='<script>hit=1</script>'>
    <a/href=javascript:hit=1> <base/href=//evil.example> <meta/http-equiv=refresh/content=0;url=//evil.example>
    <link/rel=stylesheet/href=//evil.example> <form/action=//evil.example> <object/data=//evil.example>
    <use/href=data:image/svg+xml,x#y> <foreignObject><body/onload=hit=1> <set/attributeName=onload/to=hit=1>
    <math><mtext></form><form><mglyph><style></math><img/src/onerror=hit=1> ${hit=1}
    {{constructor.constructor('hit=1')()}} `-hit=1-` \u003cscript>hit=1 </svg><script>hit=1</script> --><b> <b &
    &&amp; < > " ' </dialog> <details/open/ontoggle=hit=1> __proto__ constructor <xmp> <plaintext>
    <noscript><p/title='</noscript>'>
""",
    )
)
LATEX: Final = tuple(
    re.findall(
        r"\S+",
        r"""
    \input{/etc/passwd} \write18{ls} $x$ $$ % \end{document} { } \ ^^5cinput _ ^ ~ #1 & \catcode`\@=0 \verb|x|
    \csnameinput\endcsname \def\x{y} -- `` [ ] ; : , \\
""",
    )
)
TABLES: Final = tuple(
    re.findall(
        r"\S+",
        r"""
    =1+1 =HYPERLINK("//evil.example") +1 -1 @SUM(A1) =cmd|'/Ccalc'!A0 " "" a"b , ; '' '=1
""",
    )
)
SIGNS: Final = "<>&\"'`=/\\{}[]()$%#^_~;:,.|!?@*+-é漢\u202e\u200d\ufeff\u2028\x85\xa0\U0001f600\ufffe"
HARMLESS: Final = "word"


def texts(number: int, seed: int = 0) -> list[str]:
    """Return hostile words: those above, then parts of several, joined and changed."""
    draw, every = random.Random(seed), (*SCRIPTS, *LATEX, *TABLES)
    found = list(every[:number])
    while len(found) < number:
        word = "".join(draw.choices(every, k=draw.randint(1, 3)))
        for _ in range(draw.randint(0, 3)):
            at = draw.randint(0, len(word))
            word = word[:at] + draw.choice(SIGNS) + word[at + draw.randint(0, 2) :]
        found.append("".join(word.split()) or "<")
    return found


def parse_of(words: Sequence[str]) -> Parse:
    """A parse whose words, and a feature of each, are such texts."""
    grammar = parse_grammar("grammar: g\nleaves: A\nroots: S\nS:\n    uniq A\n    oblig A\n")
    arcs = [Arc(i, i + 1, word, "A") for i, word in enumerate(words)]
    return Parser(grammar).parse(Lattice(tuple(words), tuple(arcs), text=" ".join(words)))


def shown(form: str, words: Sequence[str]) -> str:
    """Return a parse of such words in a format."""
    parse = parse_of(words)
    sentence = InputSentence("id", parse.lattice)
    pieces, _ = FORMATS[form].pieces_of(ParsedSentence(sentence, (parse,), 0.0), TreeStyle(False, 80, True))
    return "".join(pieces)


# Checks

NAMED_SIGNS: Final = ["backslash", "asciitilde", "asciicircum", "less", "greater", "bar", "quotedbl"]
COMMAND: Final = re.compile(r"\\(?:[A-Za-z@]+|.)|[{}$%&#^_~]", re.DOTALL)


PRINTED: Final = frozenset(f"\\text{name}{{}}" for name in NAMED_SIGNS)


def commands_of(latex: str) -> list[str]:
    """Return the commands and special characters of a TeX text, without escaped characters and comments."""
    lines = [line for line in latex.split("\n") if not line.startswith("%")]
    found = re.sub(r"\\text[a-z]+\{\}", lambda each: "" if each[0] in PRINTED else each[0], "\n".join(lines))
    return [each for each in COMMAND.findall(found) if not re.fullmatch(r"\\[{}$%&#_]", each)]


def check_formats(words: Sequence[str]) -> None:
    """Check that a parse of such words has the same shape in text formats as one of harmless words."""
    harmless = [HARMLESS] * len(words)
    assert commands_of(shown("latex", words)) == commands_of(shown("latex", harmless)), words
    rows, plain = (
        list(csv.reader(io.StringIO(shown("tsv", each)), delimiter="\t", quoting=csv.QUOTE_NONE))
        for each in (words, harmless)
    )
    assert [len(row) for row in rows] == [len(row) for row in plain], words


SKELETON: Final = """(() => [...document.querySelectorAll('*')].map(each => each.localName + ' ' +
    [...each.attributes].map(own => own.name).sort().join(' ')).sort().join('\\n'))()"""


def check_page(page: Browser, address: str) -> str:
    """Check that a page of hostile texts runs and requests nothing; return its elements and attributes."""
    page.told()
    page.go(address)
    assert page.run("typeof hit") == "undefined", address
    asked, errors = page.told()
    assert not errors, errors
    assert all(each.partition("#")[0].startswith((address.rpartition("/")[0], "data:", "blob:")) for each in asked), (
        asked
    )
    skeleton: str = page.run(SKELETON)
    return skeleton


def check_drawings(page: Browser, folder: Path, words: Sequence[str]) -> None:
    """Drawings and pages of parses have the elements and attributes that harmless words make."""
    for form in ("svg", "html"):
        found = []
        for name, each in (("hostile", list(words)), ("harmless", [HARMLESS] * len(words))):
            path = folder / f"{name}.{form}"
            path.write_text(shown(form, each), encoding="utf-8")
            found.append(check_page(page, path.as_uri()))
        assert found[0] == found[1], words


def check_report(page: Browser, folder: Path, words: Sequence[str]) -> None:
    """Check that the page of a suite of such sentences runs nothing and shows all rows."""
    (folder / "g.pg").write_text(
        'grammar: g\nleaves: A\nS:\n    uniq A\n    oblig A\nguess:\n    "*": A\n', encoding="utf-8"
    )
    found = []
    for name, each in (("hostile", list(words)), ("harmless", [HARMLESS] * len(words))):
        lines = [json.dumps({"id": f"{i}", "sentence": f"w{word}", "judgement": "good"}) for i, word in enumerate(each)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        made = folder / f"{name}-report.html"
        arguments = ["report", str(folder / f"{name}.jsonl"), "-g", str(folder / "g.pg"), "--html", str(made), "-q"]
        cli(arguments, prog_name="numbat", standalone_mode=False)
        check_page(page, made.as_uri())
        found.append(page.run("document.querySelectorAll('script, style, tr').length"))
    assert found[0] == found[1]


def check_workbench(page: Browser, words: Sequence[str]) -> None:
    """Check that the workbench, opened by a link with such sentences and names, runs nothing under its policy."""
    title = json.dumps(words[0])
    grammar = f'grammar: g\nleaves: A\nS {title}:\n    uniq A\n    oblig A\nguess:\n    "*": A\n'
    state: dict[str, Any] = {
        "schema": "numbat.session/1", "main": "g.pg", "shown": "g.pg", "suite": "", "model": "cost", "packaged": "",
        "sentences": list(words), "without": [], "chosen": 0, "fragmentCost": None, "strengths": {}, "lesson": None,
        "files": {"g.pg": grammar, f"{words[0].replace('/', '')}.pg": words[0]},
    }  # fmt: skip
    squeezed = zlib.compress(json.dumps(state).encode(), 9)[2:-4]
    fragment = base64.urlsafe_b64encode(squeezed).decode().rstrip("=")
    running = Server(None, "english")
    thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        page.told()
        page.go(f"{running.link}#session={fragment}")
        page.wait("document.body.innerText.includes('A')")
        page.wait(f"document.querySelectorAll('#shown option').length === {len(state['files'])}")
        assert page.run("typeof hit") == "undefined"
        asked, errors = page.told()
        assert not errors, errors
        assert all(each.startswith((running.link, "data:", "blob:")) for each in asked), asked
        page.go("about:blank")  # no more is asked for
        page.told()
    finally:
        running.shutdown()
        running.server_close()
        thread.join()


def main() -> int:
    """Try texts, some at a time; return how many were tried."""
    number, at_once = int(sys.argv[1]), 50
    every = texts(number)
    with TemporaryDirectory() as name, browser(Path(name) / "profile") as page:
        folder = Path(name)
        for start in range(0, number, at_once):
            words = every[start : start + at_once]
            check_formats(words)
            check_drawings(page, folder, words)
            if start % (10 * at_once) == 0:
                check_report(page, folder, every[start : start + 10 * at_once])
                check_workbench(page, words)
            print(f"{start + len(words):,} texts", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
