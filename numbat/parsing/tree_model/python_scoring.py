"""Linear model over trees in Python: the reference for `_tree_model.c`, with equal results."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Final

from numbat.parsing.tree_model.heads import NO_LINK, Link, Split, split_by_heads
from numbat.parsing.tree_model.templates import (
    ALONE,
    BUCKETS,
    LINKS,
    MARGIN,
    PLACES_IN_CODE,
    SPANS,
    SPECIAL,
    STEPS,
    WITH_LABEL,
    WITH_SYMBOL,
    HashedGroup,
    Task,
    Templates,
)
from numbat.parsing.treebank_grammar.items import WHOLE, EdgeKind

NO_SYMBOL, FIRST, LAST = 5, 6, 9
"""Keys used where a state, symbol or neighbour is missing."""
STEPPING: Final = (EdgeKind.START, EdgeKind.COMBINE, *WHOLE)
"""Kinds of edges that have features."""


def mix(hashed: int, key: int) -> int:
    """Return a 32-bit hash that combines a hash and a key."""
    hashed = (hashed ^ key) * 0x9E3779B1 & 0xFFFFFFFF
    hashed ^= hashed >> 15
    hashed = hashed * 0x85EBCA77 & 0xFFFFFFFF
    return hashed ^ hashed >> 13


def best(task: Task) -> tuple[float, array[int]]:
    """Find the best tree; see `scoring.best`."""
    forest, origins, added = task.forest, None, scores(task)
    if task.groups & HashedGroup.HEADS:
        made, added = split(task)
        forest, origins = made.forest(forest), made.origins
    value: list[float] = [0.0] * len(forest.starts)
    chosen = [-1] * len(forest.starts)
    for edge, score in enumerate(added):
        head = forest.heads[edge]
        for part in (forest.lefts[edge], forest.rights[edge]):
            score += value[part] if part >= 0 else 0.0
        if chosen[head] < 0 or score > value[head]:
            value[head], chosen[head] = score, edge
    edges = array("i")
    waiting = [len(value) - 1] if chosen and chosen[-1] >= 0 else []
    while waiting:
        edge = chosen[waiting.pop()]
        edges.append(edge if origins is None else origins[edge])
        waiting += [part for part in (forest.rights[edge], forest.lefts[edge]) if part >= 0]
    return value[-1] if edges else 0.0, edges


def split(task: Task) -> tuple[Split, array[float]]:
    """Split a forest by heads; see `scoring.split`."""
    made, of_edges, features = split_by_heads(task.forest, task.tokens), scores(task), _Features(task)
    of_links = {link: features.score(features.of_link(link)) for link in dict.fromkeys(made.links) if link != NO_LINK}
    of_links[NO_LINK] = 0.0
    added = [of_edges[edge] + of_links[link] for edge, link in zip(made.origins, made.links, strict=True)]
    return made, array("d", added)


def scores(task: Task) -> array[float]:
    """Score the edges; see `scoring.scores`."""
    forest, features = task.forest, _Features(task)
    contributions = array("d")
    of_node, head = 0.0, -1
    for edge, at in enumerate(forest.heads):
        if at != head:
            head, of_node = at, 0.0
            if forest.kinds[edge] in WHOLE:
                of_node = features.score(features.of_node(head))
                of_node += 0.0 if task.losses is None else task.losses[head]
        contributions.append(features.edge_score(edge) + of_node)
    return contributions


def features(task: Task, edges: Sequence[int], links: Sequence[Link] = ()) -> array[int]:
    """Return the hashed features of the edges and links in a tree; see `scoring.features`."""
    places, of_task = array("I"), _Features(task)
    for edge in edges:
        if task.forest.kinds[edge] in WHOLE:
            places.extend(of_task.of_node(task.forest.heads[edge]))
        if task.forest.kinds[edge] in STEPPING:
            places.extend(of_task.of_edge(edge))
    for link in links:
        places.extend(of_task.of_link(link))
    return places


class _Features:
    """Features of the nodes and edges in a forest, as indexes into the table of weights."""

    def __init__(self, task: Task) -> None:
        self.task, self.forest, self.keys = task, task.forest, task.keys
        self.mask, self.named = (1 << task.table.bits) - 1, task.table.named
        self.has_words = bool(task.groups & HashedGroup.WORDS)
        self.has_expansions = bool(task.groups & HashedGroup.EXPANSIONS)
        self.contexts: dict[tuple[bool, int, int, int], list[int]] = {}
        self.rows: list[int] = []
        for before, last in zip(self.forest.befores, self.forest.lasts, strict=True):
            self.rows.append(mix(29 if before < 0 else self.rows[before], self.keys.category[last]))

    def score(self, places: Iterator[int]) -> float:
        weights, score = self.task.table.weights, 0.0
        for place in places:  # as in C; sum() is more precise in later versions of Python
            score += weights[place]
        return score

    def edge_score(self, edge: int) -> float:
        task = self.task
        score = self.score(self.of_edge(edge)) if self.forest.kinds[edge] in STEPPING else 0.0
        score -= task.likelihood * self.forest.costs[edge]
        if task.extra is not None:
            for k in range(task.extra.at[edge], task.extra.at[edge + 1]):
                score += task.extra.values[k] * task.table.weights[task.extra.ids[k]]
        return score

    def of_node(self, node: int) -> Iterator[int]:
        return (self.named + (hashed & self.mask) for hashed in self._node_hashes(node))

    def of_edge(self, edge: int) -> Iterator[int]:
        return (self.named + (hashed & self.mask) for hashed in self._edge_hashes(edge))

    def of_link(self, link: Link) -> Iterator[int]:
        return (self.named + (hashed & self.mask) for hashed in self._link_hashes(*link))

    def _link_hashes(self, head: int, dependent: int) -> Iterator[int]:
        places = head - 1, head, head + 1, dependent - 1, dependent, dependent + 1
        side = int(dependent < head)
        far = 16 * side + _bucket(abs(head - dependent))
        observed = _observed(LINKS, self.task.attributes, self.task.tokens, places, ())
        for hashed, levels in zip(observed, LINKS.levels, strict=True):
            if levels & ALONE:
                yield mix(hashed, side)
            if levels & WITH_LABEL:
                yield mix(hashed, 32 + far)

    def _node_hashes(self, node: int) -> Iterator[int]:
        symbol, start = self.forest.symbols[node], self.forest.starts[node]
        label, plain = self.keys.label[symbol], self.keys.plain[symbol]
        if self.has_words:
            observed = self._contexts(SPANS, start, start, self.forest.ends[node])
            for hashed, levels in zip(observed, SPANS.levels, strict=True):
                if levels & ALONE:
                    yield hashed
                if levels & WITH_LABEL:
                    yield mix(hashed, label)
                if levels & WITH_SYMBOL:
                    yield mix(hashed, plain)
        if self.has_expansions:
            yield mix(3, self.keys.full[symbol])
        marks = self.task.marks
        if self.task.groups & HashedGroup.AUXILIARY and marks is not None:
            end = self.forest.ends[node]
            mark = mix(37, marks[start * (self.task.tokens + 1) + end])
            yield mark
            yield mix(mark, _bucket(end - start))
            yield mix(mark, label)
            yield mix(mark, plain)

    def _edge_hashes(self, edge: int) -> Iterator[int]:
        forest, keys = self.forest, self.keys
        kind, state, daughter = forest.kinds[edge], forest.states[edge], forest.daughters[edge]
        is_unary, is_accept = kind == EdgeKind.UNARY, kind == EdgeKind.ACCEPT
        label = (keys.label if is_unary else keys.state_label)[state] + kind & 0xFFFFFFFF
        added = LAST if is_accept else keys.label[daughter]
        if self.has_words:
            yield from self._step_hashes(edge, label, added)
        if not self.has_expansions:
            return
        plain = (keys.plain if is_unary else keys.state_plain)[state]
        full = (keys.full if is_unary else keys.state_full)[state]
        history = NO_SYMBOL if is_unary or kind == EdgeKind.START else keys.state_history[state]
        whole = LAST if is_accept else keys.full[daughter]
        yield mix(mix(mix(17, label), history), added)
        yield mix(mix(mix(17, plain), history), added)
        yield mix(mix(17, full), whole)
        yield mix(mix(17, plain), whole)
        if forest.sequences[edge] >= 0:
            row = self.rows[forest.sequences[edge]]
            yield mix(row, label)
            yield mix(row, plain)
            yield mix(row, keys.full[daughter] if is_accept else full)

    def _step_hashes(self, edge: int, label: int, added: int) -> Iterator[int]:
        forest, keys = self.forest, self.keys
        kind, state, head = forest.kinds[edge], forest.states[edge], forest.heads[edge]
        if kind == EdgeKind.START:
            last = FIRST
        elif kind == EdgeKind.UNARY:
            last = NO_SYMBOL
        else:
            last = (keys.state_history if kind == EdgeKind.ACCEPT else keys.state_last)[state]
        start = forest.starts[head]
        middle = forest.ends[forest.lefts[edge]] if kind == EdgeKind.COMBINE else start
        observed = self._contexts(STEPS, start, middle, forest.ends[head])
        for context, levels in zip(observed, STEPS.levels, strict=True):
            hashed = mix(context, label)
            both = mix(hashed, added)
            if levels & ALONE:
                yield hashed
            if levels & WITH_LABEL:
                yield both
            if levels & WITH_SYMBOL:
                yield mix(both, last)

    def _contexts(self, templates: Templates, start: int, middle: int, end: int) -> list[int]:
        """Return one feature per template for a span, or a step that divides it at `middle`; cached."""
        key = templates is SPANS, start, middle, end
        known = self.contexts.get(key)
        if known is None:
            known = self.contexts[key] = []
            attributes, tokens = self.task.attributes, self.task.tokens
            known += contexts(templates, attributes, tokens, start, middle, end)
        return known


def contexts(
    templates: Templates, attributes: Sequence[int], tokens: int, start: int, middle: int, end: int
) -> Iterator[int]:
    """Return one feature per template: the words around a span, or around a step that divides it at `middle`."""
    places = start - 2, start - 1, start, start + 1, end - 2, end - 1, end, end + 1, middle - 1, middle
    lengths = 100 + _bucket(end - start), 200 + _bucket(middle - start), 300 + _bucket(end - middle)
    return _observed(templates, attributes, tokens, places, lengths)


def _observed(
    templates: Templates, attributes: Sequence[int], tokens: int, places: Sequence[int], lengths: Sequence[int]
) -> Iterator[int]:
    """Yield, for each template, a hash of what it observes: attributes of the words at its places, and lengths."""
    for template in range(len(templates.levels)):
        hashed = (template + 1) * templates.seed & 0xFFFFFFFF
        for code in templates.codes[templates.at[template] : templates.at[template + 1]]:
            attribute, place = divmod(code, PLACES_IN_CODE)
            is_length = code >= SPECIAL["L"]
            at = attribute * (tokens + 2 * MARGIN) + MARGIN
            hashed = mix(hashed, lengths[code - SPECIAL["L"]] if is_length else attributes[at + places[place]])
        yield hashed


def spans(attributes: Sequence[int], tokens: int, bits: int, weights: Sequence[float] | None) -> array[int]:
    """Classify each span of two or more words as a phrase (1) or not (0); without weights, return the feature indexes.

    Spans are in the order of their starts, then of their ends.
    """
    classified, mask = array("I"), (1 << bits) - 1
    for start in range(tokens):
        for end in range(start + 2, tokens + 1):
            places = [context & mask for context in contexts(SPANS, attributes, tokens, start, start, end)]
            if weights is None:
                classified.extend(places)
            else:
                score = 0.0
                for place in places:
                    score += weights[place]
                classified.append(score > 0)
    return classified


def _bucket(length: int) -> int:
    return BUCKETS[length] if length < len(BUCKETS) else 10
