"""Test sentences of two free checkers of French, LanguageTool and Grammalecte, by group of rules.

    python -m tests.bench.checkers DATA [-g french] [--every 1] [--closed] [--show GROUP]

DATA is a folder with `grammar.xml` of LanguageTool (LGPL: https://github.com/languagetool-org/languagetool, folder
`rules/fr`) or `rules.grx` of Grammalecte (GPL: https://grammalecte.net, folder `gc_lang/fr`), which are read and not
copied. Groups are categories of rules, of the kinds that a grammar is about: agreement, conjugation, words that sound
alike, elision. A third of the sentences, by digest, is closed: without `--closed` it is not parsed, and with it only
figures are printed. The table and `--show` are those of `tests.bench.books`.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from numbat import Parser, load_grammar
from tests.bench.books import Example, Judged, judged, print_groups

CATEGORIES: Final = {"CAT_GRAMMAIRE": "grammar", "CAT_ELISION": "elision", "CAT_HOMONYMES_PARONYMES": "sound alike"}
"""Groups by the categories of LanguageTool."""
GRAPHS: Final = {"g3": "agreement", "gv1": "verbs", "gv2": "subject and verb"}
"""Groups by the graphs of Grammalecte."""
GRAPH: Final = re.compile(r"@@@@GRAPH: \w+\|(\w+)")
TEST: Final = re.compile(r"TEST: (.*?)(?:\s+->>.*)?")
CLOSED_OF: Final = 3


def examples(data: Path) -> Iterator[Example]:
    """Yield the sentences of the checkers whose rules are in a folder, right ones and wrong ones."""
    if (data / "grammar.xml").exists():
        yield from of_language_tool(ElementTree.parse(data / "grammar.xml").getroot())
    if (data / "rules.grx").exists():
        yield from of_grammalecte((data / "rules.grx").read_text(encoding="utf-8").splitlines())


def of_language_tool(rules: ElementTree.Element) -> Iterator[Example]:
    for category in rules.iterfind("category"):
        if (group := CATEGORIES.get(category.get("id", ""))) is None:
            continue
        for each in category.iterfind(".//example"):
            is_good = "correction" not in each.attrib and each.get("type") != "incorrect"
            yield Example(" ".join("".join(each.itertext()).split()), is_good, (f"LanguageTool: {group}",))


def of_grammalecte(lines: list[str]) -> Iterator[Example]:
    """Yield the tests of the graphs; a wrong one has what is wrong in `{{ }}`. Those about an option are left out."""
    group = None
    for line in lines:
        if graph := GRAPH.match(line):
            group = GRAPHS.get(graph[1])
        elif group and (test := TEST.fullmatch(line.rstrip())) and not test[1].startswith("__"):
            plain = test[1].replace("{{", "").replace("}}", "").strip()
            yield Example(plain, "{{" not in test[1], (f"Grammalecte: {group}",))


def is_closed(sentence: str) -> bool:
    return hashlib.sha256(sentence.encode()).digest()[0] % CLOSED_OF == 0


def main() -> None:
    """Print the table of the open or of the closed part, or what the grammar gets wrong in a group."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("data", type=Path)
    options.add_argument("-g", "--grammar", default="french")
    options.add_argument("--every", type=int, default=1)
    options.add_argument("--closed", action="store_true")
    options.add_argument("--show")
    given = options.parse_args()
    part = [each for each in examples(given.data) if is_closed(each.sentence) is given.closed][:: given.every]
    if not part:
        options.error(f"{given.data} has neither grammar.xml of LanguageTool nor rules.grx of Grammalecte")
    groups: defaultdict[str, list[Judged]] = defaultdict(list)
    for each in judged(part, Parser(load_grammar(given.grammar)), 1):
        groups[each.example.groups[0]].append(each)
    print_groups(groups, ("right", "wrong"), None if given.closed else given.show)


if __name__ == "__main__":
    main()
