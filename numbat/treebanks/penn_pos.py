"""Tagged words of the Penn Treebank, files `.pos`: noun phrases in brackets, lines of `=` between paragraphs.

    ======================================

    [ The/DT cat/NN ]
    sleeps/VBZ ./.

A sentence ends at an empty line or a line of `=`. Its words have tags in XPOS and no heads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from numbat.errors import Problem, Span, quotable
from numbat.files import numbered
from numbat.treebanks.conllu import DependencyTree, DependencyWord
from numbat.treebanks.notes import CHUNKS, Notes

RULE: Final = re.compile(r"\s*={5,}\s*")
TOKEN: Final = re.compile(r"\S+")


def read_pos(lines: Iterable[str], path: str, notes: Notes | None = None) -> Iterator[DependencyTree | Problem]:
    """Yield each sentence or, for a bad one, its first mistake; that the noun phrases are not kept is noted."""
    words: list[DependencyWord] = []
    wrong: Problem | None = None
    sentence, first, has_chunks = 0, 0, False
    for number, line in numbered(chain(lines, ("",))):
        text = line.rstrip("\r\n")
        if not text.strip() or RULE.fullmatch(text):
            if words or wrong:
                yield wrong or DependencyTree(tuple(words), line=first)
            words, wrong = [], None
            continue
        if not (words or wrong):
            sentence, first = sentence + 1, number
        for match in TOKEN.finditer(text):
            form, slash, tag = match[0].rpartition("/")
            if match[0] in "[]":
                has_chunks = True
            elif slash and form and tag:
                words.append(DependencyWord(form, xpos=tag))
            else:
                span = Span(path, number, match.start() + 1, match.end() + 1)
                message = f"sentence {sentence}: a word without tag"
                source = quotable(text)
                wrong = wrong or Problem(message, span, "error", "word/TAG, [ or ]", match[0], source_line=source)
    if has_chunks and notes is not None:
        notes.add(CHUNKS, path)
