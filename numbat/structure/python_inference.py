"""Inside-outside and best trees of the dependency model with valence, in logarithms: `_valence.c` in numpy.

The left and right halves of a head are built separately (Eisner 1997; Smith & Eisner 2006, section 2), so that time
grows with the cube of the sentence length. Arrays are (sentences, head, other word).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from numbat.structure.model import HAS_CHILD, LEFT, NO_CHILD, RIGHT, EventWeights

if TYPE_CHECKING:
    from numbat.structure.model import Numbers, Tags


@dataclass(slots=True)
class SpanSums:
    """Logarithms of sums over parts of trees.

    With b for the sentence: `half[side]` (b, h, e) is the head h with all its children on that side, up to the word e;
    `open[side]` the same, about to take another child; `link[side]` (b, h, d) a link from h to d with the halves of
    both that lie between them.
    """

    tags: Tags
    stop: Numbers
    go: Numbers
    weight: Numbers
    root: Numbers
    half: list[Numbers]
    open: list[Numbers]
    link: list[Numbers]


def chart_of(tags: Tags, logs: EventWeights, link: Numbers) -> SpanSums:
    """Return the filled chart of sentences of one length; `link` is the log weight of a link by distance."""
    import numpy as np

    sentences, n = tags.shape
    weight = np.full((sentences, n, n), -np.inf)
    for head in range(n):
        for child in range(n):
            if child != head:
                side = RIGHT if child > head else LEFT
                weight[:, head, child] = logs.child[tags[:, head], side, tags[:, child]] + link[abs(head - child)]
    nothing = [[np.full((sentences, n, n), -np.inf) for _ in (LEFT, RIGHT)] for _ in range(3)]
    chart = SpanSums(tags, logs.stop[tags], logs.go[tags], weight, logs.root[tags], *nothing)
    for side in (LEFT, RIGHT):
        for word in range(n):
            chart.half[side][:, word, word] = chart.stop[:, word, side, NO_CHILD]
            chart.open[side][:, word, word] = chart.go[:, word, side, NO_CHILD]
    for width in range(1, n):
        for first in range(n - width):
            _fill(chart, RIGHT, first, first + width)
            _fill(chart, LEFT, first + width, first)
    return chart


def links_of(chart: SpanSums, side: int, head: int, child: int) -> Numbers:
    """Return the log weights of the ways to link a head and a child, one for each place where their halves may meet."""
    of_head, of_child = _parts_of_link(chart.open, chart.half, side, head, child)
    return of_head + of_child


def children_of(chart: SpanSums, side: int, head: int, end: int) -> Numbers:
    """Return the log weights of the ways in which a head's half may end at a word, one for each last child."""
    links, rest = _parts_of_half(chart.link, chart.half, side, head, end)
    return links + rest


def _parts_of_link(
    open_: list[Numbers], half: list[Numbers], side: int, head: int, child: int
) -> tuple[Numbers, Numbers]:
    """Return the halves of head and child that a link joins, for each place where they may meet."""
    first, last = min(head, child), max(head, child)
    before, behind = slice(first, last), slice(first + 1, last + 1)
    if side == RIGHT:
        return open_[RIGHT][:, head, before], half[LEFT][:, child, behind]
    return open_[LEFT][:, head, behind], half[RIGHT][:, child, before]


def _parts_of_half(link: list[Numbers], half: list[Numbers], side: int, head: int, end: int) -> tuple[Numbers, Numbers]:
    """Return the links to the last child of a half and the parts beyond it, for each possible last child."""
    children = slice(head + 1, end + 1) if side == RIGHT else slice(end, head)
    return link[side][:, head, children], half[side][:, children, end]


def _fill(chart: SpanSums, side: int, head: int, end: int) -> None:
    ways = links_of(chart, side, head, end)
    chart.link[side][:, head, end] = log_sum(ways) + chart.weight[:, head, end]
    reached = log_sum(children_of(chart, side, head, end))
    chart.half[side][:, head, end] = reached + chart.stop[:, head, side, HAS_CHILD]
    chart.open[side][:, head, end] = reached + chart.go[:, head, side, HAS_CHILD]


def roots_of(chart: SpanSums, start: int, end: int) -> Numbers:
    """Return the log weights of the trees over the words from start to end, for each root."""
    words = slice(start, end + 1)
    return chart.root[:, words] + chart.half[LEFT][:, words, start] + chart.half[RIGHT][:, words, end]


def expected(
    tags: Tags, shares: Numbers, logs: EventWeights, link: Numbers, breaks: float | None, counts: EventWeights | None
) -> Numbers:
    """Return the log sum over all analyses of each sentence; add expected counts, times `shares`, to `counts`."""
    import numpy as np

    chart = chart_of(tags, logs, link)
    n = tags.shape[1]
    before = _before(chart, breaks)
    total = log_sum(roots_of(chart, 0, n - 1)) if before is None else before[:, n]
    if counts is None:
        return total
    # for each part of the chart, the share of the sentence's analyses that contain it
    in_half, in_open, in_link = ([np.zeros(chart.weight.shape) for _ in (LEFT, RIGHT)] for _ in range(3))
    in_root = _shares_of_roots(chart, before, breaks, total, shares, in_half)
    for width in range(n - 1, 0, -1):
        for first in range(n - width):
            for side, head, end in ((RIGHT, first, first + width), (LEFT, first + width, first)):
                _share_out(chart, side, head, end, in_half, in_open, in_link)
    _count(tags, counts, in_root, in_half, in_open, in_link)
    return total


def _before(chart: SpanSums, breaks: float | None) -> Numbers | None:
    """Return the log sum over sequences of trees before each position (sentences, n + 1); None for single trees."""
    import numpy as np

    if breaks is None:
        return None
    sentences, n = chart.tags.shape
    before = np.full((sentences, n + 1), -np.inf)
    before[:, 0] = 0.0
    for end in range(n):
        ways = [before[:, start] + log_sum(roots_of(chart, start, end)) + breaks for start in range(end + 1)]
        before[:, end + 1] = log_sum(np.stack(ways, axis=1))
    return before


def _shares_of_roots(
    chart: SpanSums,
    before: Numbers | None,
    breaks: float | None,
    total: Numbers,
    shares: Numbers,
    in_half: list[Numbers],
) -> Numbers:
    """Return the expected count of each word as a root, and add it to the two halves of that word."""
    import numpy as np

    sentences, n = chart.tags.shape
    in_root = np.zeros((sentences, n))
    after = np.full((sentences, n + 1), -np.inf)
    after[:, n] = 0.0
    for start in range(n - 1, -1, -1):
        if before is None and start:
            continue
        for end in range(n - 1 if before is None else start, n):
            ways = roots_of(chart, start, end)
            above = np.zeros(sentences)
            if before is not None and breaks is not None:
                above = before[:, start] + breaks + after[:, end + 1]
                through = log_sum(ways) + breaks + after[:, end + 1]
                after[:, start] = np.logaddexp(after[:, start], through)
            share = np.exp(_from(ways + (above - total)[:, None])) * shares[:, None]
            in_root[:, start : end + 1] += share
            in_half[LEFT][:, start : end + 1, start] += share
            in_half[RIGHT][:, start : end + 1, end] += share
    return in_root


def _share_out(
    chart: SpanSums,
    side: int,
    head: int,
    end: int,
    in_half: list[Numbers],
    in_open: list[Numbers],
    in_link: list[Numbers],
) -> None:
    """Distribute the shares of a half and of a link over their parts."""
    here = in_half[side][:, head, end] + in_open[side][:, head, end]
    share = _parted(children_of(chart, side, head, end), here)
    for part in _parts_of_half(in_link, in_half, side, head, end):
        part += share
    share = _parted(links_of(chart, side, head, end), in_link[side][:, head, end])
    for part in _parts_of_link(in_open, in_half, side, head, end):
        part += share


def _count(
    tags: Tags,
    counts: EventWeights,
    in_root: Numbers,
    in_half: list[Numbers],
    in_open: list[Numbers],
    in_link: list[Numbers],
) -> None:
    import numpy as np

    n = tags.shape[1]
    np.add.at(counts.root, tags, in_root)
    for head in range(n):
        for side in (LEFT, RIGHT):
            others = slice(head + 1, n) if side == RIGHT else slice(0, head)
            for to, within in ((counts.stop, in_half[side]), (counts.go, in_open[side])):
                np.add.at(to[:, side, NO_CHILD], tags[:, head], within[:, head, head])
                np.add.at(to[:, side, HAS_CHILD], tags[:, head], within[:, head, others].sum(axis=1))
            np.add.at(counts.child[:, side], (tags[:, head, None], tags[:, others]), in_link[side][:, head, others])


def best_trees(tags: Tags, logs: EventWeights) -> tuple[Numbers, Tags]:
    """Return the score and the heads of the best tree of each sentence, counted from 1, with 0 for the root.

    Ties go to the leftmost root, then to halves that meet at the leftmost place.
    """
    import numpy as np

    sentences, n = tags.shape
    scores, heads = np.zeros(sentences), np.zeros((sentences, n), dtype=np.int32)
    for number in range(sentences):
        scores[number] = _best_tree(tags[number].tolist(), logs, heads[number])
    return scores, heads


def _best_tree(tags: list[int], logs: EventWeights, heads: Any) -> float:
    n = len(tags)
    stop, go = logs.stop[tags].tolist(), logs.go[tags].tolist()
    half: list[dict[tuple[int, int], float]] = [{}, {}]
    open_: list[dict[tuple[int, int], float]] = [{}, {}]
    link: list[dict[tuple[int, int], float]] = [{}, {}]
    meets: list[dict[tuple[int, int], int]] = [{}, {}]
    last: list[dict[tuple[int, int], int]] = [{}, {}]
    for side in (LEFT, RIGHT):
        for word in range(n):
            half[side][word, word] = stop[word][side][NO_CHILD]
            open_[side][word, word] = go[word][side][NO_CHILD]

    def fill(side: int, head: int, end: int) -> None:
        first, final = min(head, end), max(head, end)
        from_left, from_right = (open_[RIGHT], half[LEFT]) if side == RIGHT else (half[RIGHT], open_[LEFT])
        ways = [from_left[first, k] + from_right[final, k + 1] for k in range(first, final)]
        meets[side][head, end] = first + _first_of_best(ways)
        link[side][head, end] = max(ways) + float(logs.child[tags[head], side, tags[end]])
        children = range(head + 1, end + 1) if side == RIGHT else range(end, head)
        whole = [link[side][head, child] + half[side][child, end] for child in children]
        # If nothing is possible, the compiled search keeps the only child that needs no other half.
        last[side][head, end] = children[_first_of_best(whole)] if max(whole) > -INFINITE else end
        half[side][head, end] = max(whole) + stop[head][side][HAS_CHILD]
        open_[side][head, end] = max(whole) + go[head][side][HAS_CHILD]

    for width in range(1, n):
        for start in range(n - width):
            fill(RIGHT, start, start + width)
            fill(LEFT, start + width, start)
    trees = [float(logs.root[tags[r]]) for r in range(n)]
    trees = [half[LEFT][r, 0] + half[RIGHT][r, n - 1] + of_root for r, of_root in enumerate(trees)]
    root = _first_of_best(trees)
    heads[:] = heads_below(
        root, n, lambda side, head, end: last[side][head, end], lambda side, head, child: meets[side][head, child]
    )
    return trees[root]


Chosen = Callable[[int, int, int], int]


def heads_below(root: int, words: int, last_child: Chosen, meeting: Chosen) -> list[int]:
    """Read the heads of a tree downwards from its root; heads count from 1, with 0 for the root.

    `last_child` (side, head, end) returns the last child in a head's half that ends at a word, `meeting` (side, head,
    child) the last word of the left one of the two halves that a link joins.
    """
    heads = [0] * words
    waiting = [(root, 0), (root, words - 1)]
    while waiting:
        head, end = waiting.pop()
        if head == end:
            continue
        side = RIGHT if end > head else LEFT
        child = last_child(side, head, end)
        split = meeting(side, head, child)
        heads[child] = head + 1
        inner, outer = (split + 1, split) if side == RIGHT else (split, split + 1)
        waiting += [(child, end), (child, inner), (head, outer)]
    return heads


INFINITE: Final = float("inf")


def _first_of_best(ways: list[float]) -> int:
    return ways.index(max(ways))


def log_sum(ways: Numbers) -> Numbers:
    """Return the log sum over the second axis, minus infinity if it is empty."""
    import numpy as np

    most = ways.max(axis=1, initial=-np.inf)
    safe = np.where(np.isfinite(most), most, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(ways - safe[:, None]).sum(axis=1)) + safe)


def _from(logs: Numbers) -> Numbers:
    import numpy as np

    return np.where(np.isnan(logs), -np.inf, logs)


def _parted(ways: Numbers, amount: Numbers) -> Numbers:
    """Return an amount divided in proportion to the weights of the ways."""
    import numpy as np

    total = log_sum(ways)
    with np.errstate(invalid="ignore"):
        share = np.exp(ways - total[:, None])
    return np.where(amount[:, None] > 0, share * amount[:, None], 0.0)
