"""Drawings of a parse: a tree over its words in SVG and HTML, a nested list, and LaTeX for the package forest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import accumulate
from typing import Final
from unicodedata import bidirectional

from numbat.errors import UsageError, counted, visible
from numbat.evaluation.constituents import Constituent, Instance
from numbat.grammar.model import Grammar
from numbat.grammar.properties import format_bundle, format_property
from numbat.markup import MOST, Display, others_left, paragraph, safe, stand_alone
from numbat.parsing.analysis import Analysis
from numbat.parsing.explanation.json_format import constituent_numbers
from numbat.parsing.explanation.text import brackets, lexical_status, summary
from numbat.parsing.explanation.violations import (
    MARK,
    bundle,
    ems,
    explain_diagnoses,
    explain_prices,
    explain_violation,
    label,
    quoted,
    shown_features,
    span_of,
)
from numbat.records import frozen

# Layout: the words are on the bottom line in the order of the sentence (from right to left in scripts that run so),
# with the token positions between them; fragments are as low as possible. Each word has a column, and the label of a
# phrase is within the columns of its words (of their longest unbroken run if it has a hole), so labels never overlap
# and only edges of discontinuous constituents cross anything.

SIZE: Final = 16
"""Font size; all lengths are in pixels."""
MARGIN: Final = 20.0
GAP: Final = 14.0
"""Space between two words or two labels."""
ROW: Final = 60.0
"""Vertical distance from a constituent to its daughters."""
BOX: Final = 26.0
"""Height of the box around a label."""
SPELT_OUT: Final = 3
"""Maximum number of words up to which a folded phrase shows all of them."""
SMALL: Final = 11
"""Font size of features, which are written below the box."""


Shown = frozenset[str] | None
"""Names of the features to draw; None: all."""


PIECE: Final = """
<div class="numbat-parse">{style}
<div {box}>{drawing}</div>
<p>{summary}</p>
<ul{list}>{items}</ul>
</div>
""".strip()


@frozen
class Look:
    """Settings of a drawing: which features it shows, and which phrases it folds into a triangle over their words.

    `features` is `some` (the `tree_features` of the grammar), `all` or `none`. Phrases of the categories in `folded`
    are folded; for the constituents in `flipped`, given by their numbers in the JSON of the parse, it is the other way
    round.
    """

    features: str = "some"
    folded: tuple[str, ...] = ()
    flipped: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Raises UsageError for another choice of features."""
        if self.features not in FEATURES:
            raise UsageError(f'unknown choice of features: "{self.features}"\n  choose from: {", ".join(FEATURES)}')

    def shown(self, grammar: Grammar) -> Shown:
        """Return the names of the features to draw; None: all."""
        return frozenset() if self.features == "none" else shown_features(grammar, self.features == "all")

    def folds(self, node: Constituent, numbers: Mapping[int, int]) -> bool:
        """True if a constituent is a phrase to be folded; `numbers` has the number of each constituent by its `id`."""
        is_of_category = node.construction in self.folded
        return not node.is_word and is_of_category != (numbers[id(node)] in self.flipped)


FEATURES: Final = ("some", "all", "none")


PLAIN: Final = Look()


ENTIRE: Final = Look(features="all")


@frozen
class Drawn:
    """The tree to draw: `tops`, and by the `id` of each constituent, its number and the constituent in the parse.

    A folded phrase has no daughters, but a form: its words, or only the first and the last if there are many.
    """

    tops: tuple[Constituent, ...]
    known: Mapping[int, tuple[int, Constituent]]

    def words(self) -> list[Constituent]:
        """Return the words and folded phrases, which are on the bottom line, in the order of the sentence."""
        return sorted((word for top in self.tops for word in top.words()), key=lambda word: word.start)


def folded_tree(parse: Analysis, look: Look) -> Drawn:
    """Return the tree of a parse, with phrases folded as `look` says."""
    numbers = constituent_numbers(parse)
    made: dict[int, Constituent] = {}
    for node in reversed(list(parse.walk())):
        daughters = tuple([made[id(daughter)] for daughter in node.daughters])
        if look.folds(node, numbers):
            made[id(node)] = node._replace(daughters=(), form=_gist(node))
        elif any(one is not other for one, other in zip(daughters, node.daughters, strict=True)):
            made[id(node)] = node._replace(daughters=daughters)
        else:
            made[id(node)] = node
    known = {id(made[id(node)]): (numbers[id(node)], node) for node in parse.walk()}
    return Drawn(tuple(made[id(top)] for top in parse.constituents), known)


def is_folded(node: Constituent) -> bool:
    """True if a constituent of a drawn tree is a folded phrase."""
    return node.is_word and node.depth > 0


def _gist(node: Constituent) -> str:
    words = [word.form for word in sorted(node.words(), key=lambda word: word.start)]
    return " ".join(words) if len(words) <= SPELT_OUT else f"{words[0]} … {words[-1]}"


@frozen
class Placed:
    """A constituent with its position in the drawing: the middle of its label, and its row from the top."""

    constituent: Constituent
    x: float
    row: int
    daughters: tuple[Placed, ...] = ()
    features: str = ""

    @property
    def y(self) -> float:
        return MARGIN + BOX / 2 + self.row * ROW

    @property
    def below(self) -> float:
        """Return the height at which edges to the daughters begin."""
        return self.y + BOX / 2 + (SMALL + 3 if self.features else 0)


def svg(parse: Analysis, look: Look = PLAIN, styled: bool = True) -> str:
    """Return the drawing as an SVG document; unless `styled`, the page that shows it must set the colours.

    Its elements have the classes `constituent`, `features`, `word`, `edge`, `position`; some also `violated`, `guessed`
    or `folded`. The `data-number` of a label, and of its word, is the number of the constituent in the JSON of the
    parse.
    """
    shown, drawn = look.shown(parse.grammar), folded_tree(parse, look)
    words = drawn.words()
    is_turned = is_right_to_left(parse.sentence)
    words = words[::-1] if is_turned else words
    column = {word.start: number for number, word in enumerate(words)}
    edges_of_columns = _columns(drawn.tops, words, column, shown)
    tops = _placed(drawn.tops, column, edges_of_columns, shown)
    placed = [below for top in tops for below in _walk(top)]
    rows = max((node.row for node in placed), default=-1) + 1
    line = MARGIN + BOX / 2 + rows * ROW
    width, height = edges_of_columns[-1] + MARGIN, line + BOX / 2 + MARGIN + 6
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="numbat" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{_escaped(parse.sentence)}">',
        *([f"<style>\n{stand_alone('drawing.css')}\n</style>"] if styled else []),
        f'<rect class="paper" width="{width:.0f}" height="{height:.0f}" rx="8"/>',
        *(_edge(node, daughter) for node in placed for daughter in node.daughters),
        *(_stem(node, line) for node in placed if node.constituent.is_word),
        *(_labelled(node, drawn) for node in placed),
        *(_word(node, line, drawn) for node in placed if node.constituent.is_word),
        *_positions(words, edges_of_columns, line + BOX / 2 + 6, is_turned),
        "</svg>",
    ]
    return "\n".join(parts)


def is_right_to_left(text: str) -> bool:
    """True if most letters of a text belong to a script that runs from right to left."""
    directions = [bidirectional(char) for char in text]
    return sum(direction in ("R", "AL") for direction in directions) > directions.count("L")


def html(parse: Analysis, look: Look = PLAIN) -> str:
    """Return the drawing, the summary and the explanations as HTML for a notebook, light or dark."""
    style = f"\n<style>\n{stand_alone('display.css')}\n</style>"
    return _piece(parse, svg(parse, look), 'style="overflow-x: auto"', style=style)


def drawn(parse: Analysis, look: Look = PLAIN) -> str:
    """Return the drawing for a page, with a switch between full size and page width, and an outline to be opened."""
    choice = '<label class="screen fit"><input type="checkbox"/> as wide as the page</label>'
    drawing = svg(parse, look, styled=False)
    piece = _piece(parse, drawing, 'class="wide whole" tabindex="0"', ' class="violations"')
    listed = f"<details><summary>Outline</summary>{outline(parse, look)}</details>"
    return f'<div class="drawn">{choice}\n{piece}\n{listed}</div>'


def outline(parse: Analysis, look: Look = PLAIN) -> str:
    """Return the tree as nested HTML lists that open and close without a script; folded phrases begin closed."""
    shown, numbers = look.shown(parse.grammar), constituent_numbers(parse)
    parts: list[str] = []
    waiting: list[Constituent | str] = [*reversed(parse.constituents)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            parts.append(node)
        elif node.is_word:
            form = f'<span class="form">{_escaped(node.form)}</span>'
            parts.append(f"<li {_heading(node, numbers, shown)} {form}</li>")
        else:
            opened = "" if look.folds(node, numbers) else ' open="open"'
            gist = f'<span class="gist">{_escaped(_gist(node))}</span>'
            parts.append(f"<li><details{opened}><summary {_heading(node, numbers, shown)} {gist}</summary><ul>")
            waiting.append("</ul></details></li>")
            waiting += reversed(node.daughters)
    direction = ' dir="rtl"' if is_right_to_left(parse.sentence) else ""
    return f'<ul xmlns="http://www.w3.org/1999/xhtml" class="outline"{direction}>{"".join(parts)}</ul>'


def _heading(node: Constituent, numbers: Mapping[int, int], shown: Shown) -> str:
    """Return the end of the opening tag for a constituent in an outline, followed by its name and features."""
    names = "constituent" + " violated" * bool(node.characterization.violated) + " guessed" * node.guessed
    small = f" <small>{_escaped(text)}</small>" if (text := bundle(node, shown)) else ""
    name = f'<span class="name">{_escaped(label(node))}</span>'
    return f'class="{names}" data-number="{numbers[id(node)]}">{name}{small}'


def _piece(parse: Analysis, drawing: str, box: str, list: str = "", style: str = "") -> str:
    sentences = (*explain_violation(parse), *explain_diagnoses(parse), *explain_prices(parse))
    items = "".join(f"<li>{_escaped(sentence)}</li>" for sentence in sentences)
    return PIECE.format(style=style, drawing=drawing, box=box, list=list, summary=_escaped(summary(parse)), items=items)


def _columns(
    tops: tuple[Constituent, ...], words: Sequence[Constituent], column: Mapping[int, int], shown: Shown
) -> list[float]:
    """Return where the column of each word begins, then where the last one ends, so that words and labels fit in."""
    widths = [ems(visible(word.form)) * SIZE + GAP for word in words]
    for node in reversed([below for top in tops for below in top.walk()]):
        first, end = _home(node, column)
        lacking = max(_label_width(node), _small_width(node, shown)) + GAP - sum(widths[first:end])
        for i in range(first, end):
            widths[i] += max(0.0, lacking) / (end - first)
    return list(accumulate(widths, initial=MARGIN))


def _home(node: Constituent, column: Mapping[int, int]) -> tuple[int, int]:
    """Return the first and last column over which a label is centred: the longest unbroken run of its words."""
    runs: list[tuple[int, int]] = []
    for i in sorted(column[word.start] for word in node.words()):
        if runs and runs[-1][1] == i:
            runs[-1] = runs[-1][0], i + 1
        else:
            runs.append((i, i + 1))
    return max(runs, key=lambda run: run[1] - run[0])


def _placed(
    tops: tuple[Constituent, ...], column: Mapping[int, int], begins: list[float], shown: Shown
) -> list[Placed]:
    """Return the positions of the constituents, with their daughters, from the top; all words are on one line."""
    heights = [_height(top) for top in tops]
    lowest = max(heights, default=0)
    return [_place(top, lowest - height, column, begins, shown) for top, height in zip(tops, heights, strict=True)]


def _place(top: Constituent, row: int, column: Mapping[int, int], begins: list[float], shown: Shown) -> Placed:
    built: list[Placed] = []
    for node, below in reversed(_rows(top)):
        count = len(node.daughters)
        daughters = tuple(built[: -count - 1 : -1])
        del built[len(built) - count :]
        first, end = _home(node, column)
        half = (max(_label_width(node), _small_width(node, shown)) + GAP) / 2
        middle = (daughters[0].x + daughters[-1].x) / 2 if daughters else (begins[first] + begins[end]) / 2
        x = min(max(middle, begins[first] + half), begins[end] - half)
        built.append(Placed(node, x, row + below, daughters, bundle(node, shown)))
    return built[0]


def _height(top: Constituent) -> int:
    return max(below for _, below in _rows(top))


def _rows(top: Constituent) -> list[tuple[Constituent, int]]:
    """Return each constituent with its distance in rows from the top, in pre-order."""
    rows: list[tuple[Constituent, int]] = []
    waiting = [(top, 0)]
    while waiting:
        node, row = waiting.pop()
        rows.append((node, row))
        waiting += [(daughter, row + 1) for daughter in reversed(node.daughters)]
    return rows


def _walk(top: Placed) -> Iterator[Placed]:
    waiting = [top]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.daughters)


def _label_width(node: Constituent) -> float:
    return ems(label(node)) * SIZE + 14


def _small_width(node: Constituent, shown: Shown) -> float:
    return ems(bundle(node, shown)) * SMALL


def _edge(mother: Placed, daughter: Placed) -> str:
    start, end = mother.below, daughter.y - BOX / 2
    return f'<path class="edge" d="M{mother.x:.1f} {start:.1f}L{daughter.x:.1f} {end:.1f}"/>'


def _stem(node: Placed, line: float) -> str:
    """Return the dotted edge from a part of speech to its word, or the triangle over the words of a folded phrase."""
    start, end = node.below + 3, line - BOX / 2 + 2
    if is_folded(node.constituent):
        half = ems(visible(node.constituent.form)) * SIZE / 2
        corners = f"L{node.x - half:.1f} {end:.1f}H{node.x + half:.1f}"
        return f'<path class="edge roof" d="M{node.x:.1f} {node.below:.1f}{corners}Z"/>'
    return f'<path class="edge stem" d="M{node.x:.1f} {start:.1f}V{end:.1f}"/>'


def _labelled(node: Placed, tree: Drawn) -> str:
    constituent = node.constituent
    number, origin = tree.known[id(constituent)]
    names = "constituent" + " violated" * bool(constituent.characterization.violated)
    names += " folded" * is_folded(constituent)
    width = _label_width(constituent)
    left, top = node.x - width / 2, node.y - BOX / 2
    box = f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{BOX:.0f}" rx="6"/>'
    text = f'<text x="{node.x:.1f}" y="{node.y:.1f}">{_escaped(label(constituent))}</text>'
    group = f'<g class="{names}" data-number="{number}">'
    return f"{group}<title>{_escaped(_tooltip(origin))}</title>{box}{text}</g>{_features(node)}"


def _features(node: Placed) -> str:
    """Return the features, in small letters below the box."""
    if not node.features:
        return ""
    y = node.y + BOX / 2 + SMALL / 2 + 2
    return f'<text class="features" x="{node.x:.1f}" y="{y:.1f}">{_escaped(node.features)}</text>'


def _word(node: Placed, line: float, tree: Drawn) -> str:
    number, origin = tree.known[id(node.constituent)]
    names = "word guessed" if node.constituent.guessed else "word"
    text = f'<text x="{node.x:.1f}" y="{line:.1f}">{_escaped(node.constituent.form)}</text>'
    group = f'<g class="{names}" data-number="{number}">'
    return f"{group}<title>{_escaped(_tooltip(origin))}</title>{text}</g>"


def _positions(words: Sequence[Constituent], begins: list[float], y: float, is_turned: bool) -> list[str]:
    """Return the token positions, which explanations refer to; they are drawn between the words."""
    if is_turned:
        numbers = [word.end for word in words] + [word.start for word in words[-1:]]
    else:
        numbers = [word.start for word in words] + [word.end for word in words[-1:]]
    return [
        f'<text class="position" x="{x:.1f}" y="{y:.1f}">{number}</text>'
        for number, x in zip(numbers, begins, strict=False)
    ]


def _tooltip(constituent: Constituent) -> str:
    """Return the text of a tooltip: name, words, positions and features, then the violated and satisfied properties."""
    guessed = f" ({lexical_status(constituent)})" if constituent.guessed else ""
    features = f" {format_bundle(constituent.features)}" if constituent.features else ""
    title = f"{constituent.construction} {quoted([constituent])} ({span_of(constituent)}){features}{guessed}"
    both = constituent.characterization
    violated = (f"{MARK} {_evaluated(instance, constituent)}" for instance in both.violated)
    satisfied = (f"✓ {_evaluated(instance, constituent)}" for instance in both.satisfied)
    return "\n".join((title, *violated, *satisfied))


def _evaluated(instance: Instance, constituent: Constituent) -> str:
    elements = (constituent.daughters[i] for i in instance.elements)
    words = ", ".join(quoted([element]) for element in elements)
    return format_property(instance.property) + (f"  {words}" if words else "")


def _escaped(text: str) -> str:
    return "\n".join(escape(visible(line)) for line in text.split("\n"))


# Trees for the LaTeX package `forest`; `FOR_TREES` lists the packages that a document with such trees needs.

ESCAPES: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}


FOR_TREES: Final = "% for the preamble: \\usepackage[T1]{fontenc} \\usepackage{xcolor} \\usepackage{forest}"


def escaped(text: str) -> str:
    """Escape the special characters of LaTeX."""
    return "".join(ESCAPES.get(char, char) for char in visible(text))


def forest(parse: Analysis, look: Look = PLAIN) -> str:
    """Return a `forest` environment for each top-level constituent, with violated properties in red below the name."""
    shown = look.shown(parse.grammar)
    drawn = []
    for top in folded_tree(parse, look).tops:
        body = "\n".join(_node(top, 1, shown))
        drawn.append(f"\\begin{{forest}}\n{body}\n\\end{{forest}}")
    return "\n".join(drawn) + "\n"


def _node(constituent: Constituent, depth: int, shown: frozenset[str] | None) -> Iterator[str]:
    """Yield a line for each node; labels are in braces, because forest interprets commas and brackets."""
    waiting: list[Constituent | str] = [constituent]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            depth -= 1
            yield "  " * depth + node
        elif node.is_word:
            roof = ", roof" * is_folded(node)
            yield "  " * depth + f"[{_label(node, shown)} [{{{escaped(node.form)}}}{roof}, tier=word]]"
        else:
            yield "  " * depth + f"[{_label(node, shown)}"
            depth += 1
            waiting.append("]")
            waiting += reversed(node.daughters)


def _label(node: Constituent, shown: frozenset[str] | None) -> str:
    violated = list(dict.fromkeys(format_property(i.property) for i in node.characterization.violated))
    features = bundle(node, shown)
    below = [f"\\scriptsize {escaped(features)}"] if features else []
    below += [f"\\scriptsize $\\times$ {escaped(text)}" for text in violated]
    text = "\\\\".join((escaped(node.construction), *below))
    return f"{{{text}}}" + ", text=red" * bool(violated) + ", align=center" * bool(below)


def _parses(parses: Sequence[Analysis]) -> Iterator[str]:
    """Yield the HTML of the parses as a list of drawings that readers can open and close; the first one is open."""
    yield paragraph(counted(len(parses), "parse"))
    for number, parse in enumerate(parses[:MOST]):
        opened = ' open="open"' * (number == 0)
        yield f"<details{opened}><summary>{safe(f'{parse.rank}. {brackets(parse)}')}</summary>"
        yield drawn(parse)
        yield "</details>"
    yield from (paragraph(others, "faint") for others in others_left(len(parses), "parse"))


def _parses_lines(parses: Sequence[Analysis]) -> Iterator[str]:
    yield counted(len(parses), "parse")
    yield from (f"{parse.rank}. {brackets(parse)}  {summary(parse)}" for parse in parses[:MOST])
    yield from others_left(len(parses), "parse")


DISPLAYS: Final[dict[type, Display]] = {list: Display(_parses, _parses_lines)}
"""Display of a list of parses in a notebook."""
