"""Drawings of dependencies as arcs over the words of a sentence, as SVG documents or parts of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import accumulate, pairwise
from typing import Final

from numbat.errors import first_of, visible
from numbat.grammar.model import Grammar
from numbat.markup import safe, stand_alone
from numbat.parsing.explanation.drawing import GAP, MARGIN, SIZE, SMALL, is_right_to_left
from numbat.parsing.explanation.violations import ems
from numbat.reports.pages import opening
from numbat.treebanks.conllu import DependencyTree, DependencyWord
from numbat.treebanks.ud_maps import UdMap

LEVEL: Final = 30.0
"""Distance between levels of arcs."""
BELOW: Final = 22.0
"""Distance from the baseline of a word to that of its tag below it."""
SPREAD: Final = 9.0
"""Distance between two arcs that end at one word."""
BEND: Final = 8.0
"""Radius of the corners of an arc."""

Link = tuple[int, int, int, str]
"""An arc: its first and last column, the number of its dependent, its relation."""


def arcs(tree: DependencyTree, styled: bool = True) -> str:
    """Return the drawing as an SVG document: an arrow from each head to each dependent, with the relation on it.

    An arc lies above all arcs that it spans; crossing arcs have different heights. The main CSS classes are `link`,
    `word`, `tag` and `root`. If `styled`, the drawing sets its colours, otherwise the page around it has to.
    """
    words, numbers = tree.words, list(range(1, len(tree.words) + 1))
    text = tree.comment("text") or " ".join(word.form for word in words)
    is_turned = is_right_to_left(text)
    order = numbers[::-1] if is_turned else numbers
    column = {number: place for place, number in enumerate(order)}
    links: list[Link] = []
    for number, word in enumerate(words, start=1):
        if word.head:
            first, last = sorted((column[number], column[word.head]))
            links.append((first, last, number, word.deprel))
    heights = _heights(links)
    begins = _columns([words[number - 1] for number in order], links)
    top = MARGIN + SIZE + LEVEL * (max(heights, default=0) + 1)
    line = top + SIZE
    width, height = begins[-1] + MARGIN, line + BELOW + MARGIN
    ends = _ends(links, heights, [(a + b - GAP) / 2 for a, b in pairwise(begins)])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="numbat" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{_safe(text)}">',
        *([f"<style>\n{stand_alone('drawing.css')}\n</style>"] if styled else []),
        f'<rect class="paper" width="{width:.0f}" height="{height:.0f}" rx="8"/>',
    ]
    for (first, _, dependent, relation), level, (left, right) in zip(links, heights, ends, strict=True):
        points_left = column[dependent] == first
        parts.append(_arc(left, right, top, top - LEVEL * (level + 0.6), points_left, relation))
    for number, word in enumerate(words, start=1):
        x = (begins[column[number]] + begins[column[number] + 1] - GAP) / 2
        parts += _word(word, x, line)
    return "\n".join([*parts, "</svg>"])


def page_opening() -> str:
    """Return the beginning of a page, up to its drawings."""
    return f"{opening('Numbat: dependencies', 'drawing.css', 'parses.css')}<h1>Dependencies</h1>\n"


def section(tree: DependencyTree, id: str) -> str:
    """Return a part of a page: the sentence as a heading, at which its drawing can be folded away, and its id."""
    text = tree.comment("text") or " ".join(word.form for word in tree.words)
    heading = f"<summary><h2>{safe(text)}</h2></summary>"
    box = f'<div class="wide whole" tabindex="0">{arcs(tree, styled=False)}</div>'
    return f"<details>{heading}\n{box}\n<p>{safe(id)}</p>\n</details>\n"


def map_notes(ud: UdMap, grammar: Grammar) -> Iterator[str]:
    """Yield notes on word categories that become X, as the map lacks them, and on constructions without a head."""
    lacking, named = ud.lacks(grammar.leaves), grammar.title
    if not ud.words and lacking:
        note = f"numbat: the grammar {named} has no map to Universal Dependencies: UPOS is X and DEPREL dep"
        yield f"{note}\n  give one with --ud-map FILE"
    elif lacking:
        yield f"numbat: UPOS is X for {first_of(lacking, SHOWN)}\n  add rows below words: in the map {ud.path}"
    if ud.headless:
        which = first_of(ud.headless, SHOWN)
        yield (
            f"numbat: {which} has no head in the map: the first daughter is used\n"
            "  name its head with head in the map, or with oblig in the grammar"
        )


SHOWN: Final = 3
"""Maximum number of names in a note."""


def _heights(links: Sequence[Link]) -> list[int]:
    """Return the level of each arc: above all arcs that it spans, and the lowest at which it overlaps no other arc."""
    heights = [0] * len(links)
    placed: list[int] = []
    for index in sorted(range(len(links)), key=lambda i: (links[i][1] - links[i][0], links[i][0])):
        first, last, _, _ = links[index]
        taken = {heights[other] for other in placed if links[other][0] < last and first < links[other][1]}
        spanned = [heights[other] for other in placed if first <= links[other][0] and links[other][1] <= last]
        level = max(spanned, default=-1) + 1
        while level in taken:
            level += 1
        heights[index] = level
        placed.append(index)
    return heights


def _columns(words: Sequence[DependencyWord], links: Sequence[Link]) -> list[float]:
    """Return where the column of each word starts and where the last one ends; there is room for all relations."""
    widths = [max(ems(visible(word.form)) * SIZE, ems(word.upos) * SMALL) + GAP for word in words]
    for first, last, _, relation in sorted(links, key=lambda link: link[1] - link[0]):
        inner = sum(widths[first:last]) + (widths[last] - widths[first]) / 2
        lacking = ems(relation) * SMALL + 5 * SPREAD - inner
        for place in range(first, last + 1):
            widths[place] += max(0.0, lacking) / (last - first)
    return list(accumulate(widths, initial=MARGIN))


def _ends(links: Sequence[Link], heights: Sequence[int], middles: Sequence[float]) -> list[tuple[float, float]]:
    """Return the left and right end of each arc; ends at one word are side by side, those of high arcs inside."""
    at_word: dict[int, list[tuple[int, int, int]]] = {}
    for index, (first, last, _, _) in enumerate(links):
        at_word.setdefault(last, []).append((0, heights[index], index))
        at_word.setdefault(first, []).append((1, -heights[index], index))
    places: dict[tuple[int, int], float] = {}
    for word, ends in at_word.items():
        ends.sort()
        for rank, (side, _, index) in enumerate(ends):
            places[index, side] = middles[word] + SPREAD * (rank - (len(ends) - 1) / 2)
    return [(places[index, 1], places[index, 0]) for index in range(len(links))]


def _arc(left: float, right: float, bottom: float, top: float, points_left: bool, relation: str) -> str:
    bend = min(BEND, (right - left) / 2)
    path = (
        f"M{left:.1f} {bottom:.1f}V{top + bend:.1f}Q{left:.1f} {top:.1f} {left + bend:.1f} {top:.1f}"
        f"H{right - bend:.1f}Q{right:.1f} {top:.1f} {right:.1f} {top + bend:.1f}V{bottom:.1f}"
    )
    tip = left if points_left else right
    arrow = f"M{tip - 4:.1f} {bottom - 7:.1f}L{tip:.1f} {bottom:.1f}L{tip + 4:.1f} {bottom - 7:.1f}"
    x, y = (left + right) / 2, top - SMALL / 2 - 2
    label = f'<text class="features" x="{x:.1f}" y="{y:.1f}">{_safe(relation)}</text>'
    return f'<g class="link"><path class="edge" d="{path}"/><path class="edge" d="{arrow}"/>{label}</g>'


def _word(word: DependencyWord, x: float, line: float) -> list[str]:
    names = "word root" if word.head == 0 else "word guessed" if "Guessed=Yes" in word.misc.split("|") else "word"
    title = "\n".join(filter(None, (word.xpos.strip("_"), *word.misc.strip("_").split("|"))))
    return [
        f'<g class="{names}"><title>{_safe(title)}</title>'
        f'<text x="{x:.1f}" y="{line:.1f}">{_safe(word.form)}</text></g>',
        f'<text class="features tag" x="{x:.1f}" y="{line + BELOW:.1f}">{_safe(word.upos)}</text>',
    ]


def _safe(text: str) -> str:
    return "\n".join(escape(visible(line)) for line in text.split("\n"))
