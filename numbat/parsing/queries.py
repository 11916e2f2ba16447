"""Queries beyond the best parse: parse with a given constituent or say why none has it, judge a tree, bound a cost.

Parsing with a given constituent uses a second forest over the forest of the search, with each node twice: required to
contain the constituent, or not. The requirement is passed down to the one part whose span includes the span of the
given constituent, until a constituent with its category and span meets the requirement. A bound on the cost ends a
search early:

>>> import numbat
>>> from numbat.grammar.properties import UNIT
>>> from numbat.words.lexical_lookup import read_text
>>> parser = numbat.Parser(numbat.load_grammar("english"))
>>> lattice = read_text("The cats sleeps.", parser.words)
>>> cost_within(parser, lattice, 1 * UNIT), cost_within(parser, lattice, 5 * UNIT)
(None, 2000000)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod
from typing import Final, Protocol

from numbat.derivations import Derivation, Derivations, Derived, Hyperedge, build_bottom_up
from numbat.errors import DataError, UsageError, close_match, shortened, visible, whole_of
from numbat.evaluation.constituents import NOTHING, Assignment, Constituent, lexical_costs, word
from numbat.evaluation.evaluator import PhraseTemplate, evaluated_phrase, instantiate
from numbat.grammar.model import Construction, Grammar, Reading
from numbat.grammar.names import WILDCARD, WRAPPERS
from numbat.grammar.properties import UNIT, Bundle, Demand, format_demand, subsumes, value_of
from numbat.parsing.analysis import Solution, fragment_cost_of
from numbat.parsing.exact.chart import GOAL, Chart, Label, Node
from numbat.parsing.explanation.obstacles import Obstacle, made_of, obstacle, obstacle_clause
from numbat.parsing.explanation.violations import decimal
from numbat.parsing.explanation.wording import enumerated
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Overdue, never
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import check_lattice
from numbat.records import frozen
from numbat.words.lattice import Arc, Lattice
from numbat.words.lexical_lookup import Words, arcs_of
from numbat.words.tokens import spelled

RequiringNode = tuple[Node, bool]
"""A node of the search, and whether it must contain the constituent."""


@frozen
class GivenConstituent:
    """Constituent that a parse must have: a category with `features` over tokens from `start` to `end` (exclusive)."""

    start: int
    end: int
    category: str
    features: Demand = ()

    def __str__(self) -> str:
        return f"{self.start}-{self.end}:{self.category}{format_demand(self.features)}"

    def matches(self, start: int, end: int, category: str, features: Bundle) -> bool:
        """True if a constituent over this span is the required one."""
        return (start, end, category) == (self.start, self.end, self.category) and subsumes(self.features, features)


@frozen
class ConstrainedParse:
    """The best parse overall (`best`), and the best one with the given constituent (`parse`), None if none was found.

    `stopped_by` names a limit that the search for `parse` met. If no analysis has the constituent and no limit was met,
    `within` has all words and phrases (without their daughters) that can be built over the constituent's words.
    """

    best: Parse
    parse: Parse | None
    stopped_by: str | None = None
    within: tuple[Constituent, ...] = ()


def parse_with(parser: Parser, lattice: Lattice, given: GivenConstituent) -> ConstrainedParse:
    """Return the best parse of a lattice, and the best one with the given constituent.

    Both searches share the limit of seconds. Raises UsageError for an engine other than `exact`, and for a span outside
    the sentence.
    """
    if parser.engine != "exact":
        raise UsageError("only the exact engine can parse with a given constituent\n  use the profile default or loose")
    if not 0 <= given.start < given.end <= len(lattice.tokens):
        raise UsageError(
            f"{given.start}-{given.end} is not a span of this sentence\n"
            f"  its token positions are 0 to {len(lattice.tokens)}, the end is exclusive"
        )
    overdue = parser.limits.clock()
    best = parser.parse(lattice)
    ceiling = best.cost_units if parser.valuation.lexicographic else None
    with parser.lock:
        while True:
            chart = parser.chart(lattice, keep_all_edges=True, ceiling=ceiling, overdue=overdue)
            forest = _ForestWith(chart, given, parser)
            derivation = forest.best()
            within = derivation is not None and (ceiling is None or parser.valuation.level(derivation.value) <= ceiling)
            if within or chart.stopped_by or ceiling is None or not chart.items.pruned:
                parse = None if derivation is None else forest.parse(lattice, derivation)
                lacking = parse is None and not chart.stopped_by
                return ConstrainedParse(best, parse, chart.stopped_by, forest.within() if lacking else ())
            ceiling += max(ceiling, parser.scaled_grammar.fragment_cost_units, UNIT)


class _ForestWith:
    """Forest of a search with each node twice: required to contain the given constituent, or not."""

    def __init__(self, chart: Chart, given: GivenConstituent, parser: Parser) -> None:
        self._chart = chart
        self._given = given
        self._parser = parser
        self._kinds = parser.weighted.kinds
        self._derivations: Derivations[RequiringNode, Label] = Derivations(lambda node: tuple(self._hyperedges(node)))

    def best(self) -> Derivation | None:
        """Return the best derivation with the given constituent, or None."""
        return self._derivations.derivation((GOAL, True), 0)

    def parse(self, lattice: Lattice, derivation: Derivation) -> Parse:
        """Convert a derivation to a parse, whose phrases the evaluator characterizes."""
        costs, tops = self._derivations.right_spine((GOAL, True), derivation)
        fragment_cost = sum(cost for cost in costs if isinstance(cost, int))
        trees = tuple(build_bottom_up(top, self._expand, self._constituent) for top in tops)
        solution = Solution(trees, fragment_cost)
        count = self._derivations.count((GOAL, True))
        (parse,) = self._parser.parses_of(lattice, [solution], count, 1, "exact", self._chart.stopped_by)
        return parse

    def within(self) -> tuple[Constituent, ...]:
        """Return all words and phrases that the search built over words of the given constituent, without daughters."""
        items, given = self._chart.items, self._given
        by_key = {}
        for node in (node for start in range(given.start, given.end) for node in items.starting[start]):
            if items.ends[node] <= given.end:
                start, end = items.starts[node], items.ends[node]
                category, features = self._kinds[items.kinds[node]]
                depth, cover = self._chart.depth(node), (1 << end) - (1 << start)
                by_key[start, end, category, features, depth] = Constituent(category, cover, features, depth)
        return tuple(by_key[key] for key in sorted(by_key))

    def _hyperedges(self, requiring: RequiringNode) -> Iterator[Hyperedge[RequiringNode, Label]]:
        node, is_required = requiring
        is_required = is_required and not self._is_given(node)
        for edge in self._chart.made_of(node):
            place = next((i for i, part in enumerate(edge.parts) if is_required and self._includes(part)), None)
            if is_required and place is None:
                continue
            parts = tuple((part, i == place) for i, part in enumerate(edge.parts))
            yield Hyperedge(parts, edge.value, edge.label)

    def _is_given(self, node: Node) -> bool:
        """True if a node is the given constituent."""
        items, given = self._chart.items, self._given
        return (
            node >= 0
            and items.kinds[node] >= 0
            and given.matches(items.starts[node], items.ends[node], *self._kinds[items.kinds[node]])
        )

    def _includes(self, node: Node) -> bool:
        """True if a node's span includes the given constituent's; negative nodes stand for the rest of the input."""
        if node < 0:
            return -1 - node <= self._given.start
        items = self._chart.items
        return items.starts[node] <= self._given.start and self._given.end <= items.ends[node]

    def _expand(self, node: Derived[RequiringNode]) -> tuple[Label, list[Derived[RequiringNode]]]:
        """Return the label of a node and the nodes that are its daughters."""
        label, parts = self._derivations.expand(*node)
        if isinstance(label, Constituent):
            return label, []
        return label, self._derivations.left_spine(*parts[0], lambda part: self._chart.items.kinds[part[0]] >= 0)

    def _constituent(self, label: Label, daughters: tuple[Constituent, ...]) -> Constituent:
        if isinstance(label, Constituent):
            return label
        assert isinstance(label, Construction)
        return evaluated_phrase(label, daughters, self._parser.evaluator)


# Notation of a constituent with its position: `0-3:NP`, `the cat:NP` or `0-3:NP[case=nom]`.

PLACE: Final = re.compile(r"(\d+)-(\d+)")
WRITTEN: Final = re.compile(r"(?P<place>.+?):(?P<category>[^\[]+)(?:\[(?P<features>[^\]]*)\])?")
"""Pattern of a constituent in the notation of the command line."""


def constituent_named(text: str, grammar: Grammar, lattice: Lattice) -> GivenConstituent:
    """Parse the notation for a constituent in a sentence: `0-3:NP` or `the cat:NP`, with optional features.

    Raises UsageError for an invalid constituent; the message also covers a sentence and constituent in the wrong order.
    """
    match = WRITTEN.fullmatch(text)
    if match is None:
        sentence = lattice.text
        if sentence and re.match(r"\d+-\d+:", sentence):
            hint = f'the constituent comes first: {sentence} "{text}"'
            raise UsageError(f'"{text}" is not a constituent, but "{sentence}" is\n  {hint}')
        raise UsageError(
            f'"{shortened(text)}" is not a constituent\n'
            "  write it as 0-3:NP (token positions, the end exclusive, category), or with its words, as the cat:NP"
        )
    category, names = match["category"], grammar.categories
    if category not in names:
        hint = close_match(category, names) or f"the categories are: {', '.join(names)}"
        raise UsageError(f'"{visible(category)}" is not a category of the grammar\n  {hint}')
    start, end = _place(match["place"], category, lattice)
    return GivenConstituent(start, end, category, _demand(match["features"] or "", grammar))


def _place(text: str, category: str, lattice: Lattice) -> tuple[int, int]:
    """Return the span (start, end) that is given as positions, or as words that occur once in the sentence."""
    positions = PLACE.fullmatch(text)
    if positions is not None:
        return whole_of(positions[1]), whole_of(positions[2])
    words = text.split()
    spans = list(_places(words, lattice.tokens)) or list(
        _places([word.casefold() for word in words], [token.casefold() for token in lattice.tokens])
    )
    if len(spans) == 1:
        return spans[0]
    if not spans:
        raise UsageError(f'"{text}" is not in the sentence\n  its words are: {" ".join(lattice.tokens)}')
    places = " and ".join(f"{start}-{end}" for start, end in spans)
    start, end = spans[0]
    raise UsageError(f'"{text}" is in the sentence at {places}\n  choose one, as in {start}-{end}:{category}')


def _places(words: list[str], tokens: tuple[str, ...] | list[str]) -> Iterator[tuple[int, int]]:
    for start in range(len(tokens) - len(words) + 1):
        if list(tokens[start : start + len(words)]) == words:
            yield start, start + len(words)


def _demand(text: str, grammar: Grammar) -> Demand:
    """Parse features such as `case=nom, number=sg|pl`; a value alone suffices if only one feature can have it."""
    declared = dict(grammar.features)
    demand: dict[str, tuple[str, ...]] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        feature, equals, values = (side.strip() for side in part.partition("="))
        if not equals:
            having = [name for name in declared if part in declared[name]]
            feature, values = (having[0], part) if len(having) == 1 else (part, "")
        if feature not in declared:
            hint = close_match(feature, declared) or f"the features are: {', '.join(declared)}"
            raise UsageError(f'"{feature}" is not a feature of the grammar\n  {hint}')
        for value in values.split("|"):
            if value not in declared[feature]:
                listed = ", ".join(declared[feature])
                raise UsageError(f'"{value}" is not a value of {feature}\n  the values of {feature} are: {listed}')
        demand[feature] = tuple(values.split("|"))
    return tuple(sorted(demand.items()))


# Comparison of the best parse with the best one that has a given constituent.

MAX_DIVISIONS: Final = 5_000
"""Maximum number of divisions of a constituent's words that are examined for a reason."""


@frozen
class WhyNot:
    """The best parse, the best one with the given constituent (None if none was found), and the answer in words."""

    best: Parse
    constrained: Parse | None
    says: str


def why_not(parser: Parser, lattice: Lattice, given: GivenConstituent) -> WhyNot:
    """Compare the best parse with the best one that has the constituent, or explain why no parse has it.

    Raises UsageError as `parse_with` does.
    """
    parse = parse_with(parser, lattice, given)
    place = (
        f'{given.category}{format_demand(given.features)} over "{" ".join(lattice.tokens[given.start : given.end])}"'
    )
    limits, best = _met(parse), parse.best
    if parse.parse is None and limits:
        return WhyNot(best, None, f"no analysis that has {place} was found before the limit on {limits}")
    if parse.parse is None:
        reason = missing_because(parser, given, parse.within)
        return WhyNot(best, None, f"no analysis has {place}: {_worded(reason, parser, given, lattice)}")
    if limits:
        cost = decimal(parse.parse.cost_units)
        unknown = f"its difference from the best is unknown, as the limit on {limits} was met"
        return WhyNot(best, parse.parse, f"{place} is in a parse that costs {cost}; {unknown}")
    return WhyNot(best, parse.parse, f"{place} {_extra_cost(best, parse.parse)}")


def _met(parse: ConstrainedParse) -> str:
    """Name the limits that the two searches met."""
    return ", ".join(dict.fromkeys(limit for limit in (parse.best.stopped_by, parse.stopped_by) if limit))


def _extra_cost(best: Parse, constrained: Parse) -> str:
    """Say how much more the parse with the constituent costs than the best one."""
    more = constrained.cost_units - best.cost_units
    less = _gain(best) - _gain(constrained)
    if best.outcome.valuation == "net" and more + less:
        return f"is worth {decimal(more + less)} less than the best parse"
    if more:
        return f"costs {decimal(more)} more than the best parse ({decimal(best.cost_units)})"
    return f"costs no more, but satisfies {decimal(less)} less" if less else "is in a best parse"


def _gain(parse: Parse) -> int:
    """Return the weight of a parse minus its node costs, in fixed-point units."""
    return parse.weight_units - parse.nodes * parse.grammar.node_cost_units


@frozen
class Missing:
    """Reasons why a search did not build a given constituent.

    `others` are constituents that differ from it only in features. If there are none, but the words can be divided into
    possible daughters in one or more ways (`divisions` of them), `nearest` is the obstacle in the division that comes
    nearest to a phrase. If the words cannot be divided so, `unplaced` are the positions of those that are in no
    possible daughter, and `alone` is what keeps the first of these from being a daughter by itself, if known.
    """

    others: tuple[Constituent, ...] = ()
    nearest: Obstacle | None = None
    divisions: int = 0
    unplaced: tuple[int, ...] = ()
    alone: Obstacle | None = None


NEARNESS: Final = ("hard", "nothing holds", "not spoken of", "unary limit", "own daughter")
"""Kinds of obstacles, from those nearest to a complete phrase to the furthest."""


def missing_because(parser: Parser, given: GivenConstituent, within: Sequence[Constituent]) -> Missing:
    """Find why a given constituent was not built; `within` is all that the search built over its words."""
    whole = (1 << given.end) - (1 << given.start)
    others = tuple(c for c in within if c.cover == whole and c.construction == given.category)
    construction = parser.evaluator.table.constructions.get(given.category)
    if others or construction is None:
        return Missing(others)
    table, has_h3 = parser.evaluator.table, parser.profile.has("H3")
    usable = [e for e in within if not has_h3 or table.covers(construction, e.construction, e.features)]
    divisions = islice(_divisions(usable, given.start, given.end), MAX_DIVISIONS)
    tried = (obstacle(parser.evaluator, parser.profile, construction, daughters) for daughters in divisions)
    obstacles = [reason for reason in tried if reason is not None]
    if obstacles:
        nearest = min(obstacles, key=lambda reason: (NEARNESS.index(reason.kind), len(reason.daughters)))
        return Missing(nearest=nearest, divisions=len(obstacles))
    reached = {position for constituent in usable for position in range(constituent.start, constituent.end)}
    unplaced = tuple(i for i in range(given.start, given.end) if i not in reached)
    words = [c for c in within if unplaced and (c.start, c.end, c.depth) == (*_one(unplaced[0]), 0)]
    return Missing(unplaced=unplaced, alone=_alone(parser, construction, words))


def _one(position: int) -> tuple[int, int]:
    return position, position + 1


def _alone(parser: Parser, construction: Construction, words: Sequence[Constituent]) -> Obstacle | None:
    """Return the obstacle that keeps a single word from forming a phrase that may be a daughter of the construction."""
    table = parser.evaluator.table
    for name in dict.fromkeys(operand.category for operand in construction.daughters):
        phrase = table.constructions.get(name)
        for leaf in words if phrase is not None else ():
            assert phrase is not None
            reason = obstacle(parser.evaluator, parser.profile, phrase, (leaf,))
            if reason is not None and reason.kind != "uncovered":
                return reason
    return None


def _divisions(usable: Sequence[Constituent], start: int, end: int) -> Iterator[Assignment]:
    """Yield the divisions of the words from `start` to `end` into constituents."""
    starting: dict[int, list[Constituent]] = {}
    for constituent in usable:
        starting.setdefault(constituent.start, []).append(constituent)
    waiting: list[Assignment] = [()]
    while waiting:
        before = waiting.pop()
        position = before[-1].end if before else start
        if position == end:
            yield before
        else:
            waiting += [(*before, daughter) for daughter in reversed(starting.get(position, []))]


def _worded(reason: Missing, parser: Parser, given: GivenConstituent, lattice: Lattice) -> str:
    construction = parser.evaluator.table.constructions.get(given.category)
    if reason.others:
        return f"there {given.category} has {enumerated(_values(reason.others, given), 'or')}"
    if construction is None:
        return f"it is a part of speech, and no word from {given.start} to {given.end} is one"
    if reason.nearest is not None:
        more = f"; {reason.divisions} ways to divide these words fail" if reason.divisions > 1 else ""
        return obstacle_clause(reason.nearest, construction, parser.grammar.unary_limit) + more
    alone = reason.alone
    also = ""
    if alone is not None:
        phrase = parser.evaluator.table.constructions[alone.construction]
        also = f", because {obstacle_clause(alone, phrase, parser.grammar.unary_limit)}"
    return f"{made_of(construction)}, and {_unfilled(reason, lattice)}{also}"


def _values(others: Sequence[Constituent], given: GivenConstituent) -> list[str]:
    """Describe the feature values that these constituents have instead of the required ones."""
    values: dict[str, None] = {}
    for constituent in others:
        has = [(feature, value_of(constituent.features, feature)) for feature, _ in given.features]
        values[" and ".join(f"{name}={value}" if value else f"no {name}" for name, value in has)] = None
    return list(values)


def _unfilled(reason: Missing, lattice: Lattice) -> str:
    """Say which words cannot be part of any daughter of the construction."""
    if not reason.unplaced:
        return "these words cannot be divided into such constituents"
    words = enumerated([f'"{lattice.tokens[i]}"' for i in reason.unplaced])
    return f"{words} can be in none of these" if len(reason.unplaced) > 1 else f"{words} can be none of these"


# Judgement of a given tree by a grammar; the tree is fixed, only the readings of its words are chosen.

MAX_CHOICES: Final = 4_096
"""Maximum number of combinations of daughters compared per phrase; beyond, the worst daughters are left out."""


class DrawnTree(Protocol):
    """Protocol of trees to be judged: a node has a label, and either daughters or the form of a word."""

    @property
    def label(self) -> str: ...
    @property
    def daughters(self) -> Sequence[DrawnTree]: ...
    @property
    def form(self) -> str | None: ...


def judge_tree(
    tree: DrawnTree, parser: Parser, lattice: Lattice | None = None, positions: Sequence[int] | None = None
) -> Parse:
    """Return the tree as a parse, with every property instance that its constituents satisfy or violate.

    `lattice` has the readings of the words, one token per leaf; without it, the label of a leaf is its category, and
    the lexicon gives its features. If branches cross, `positions` has the token position of each leaf, from left to
    right in the tree. Of several feature bundles for a word, the best by the parser's valuation is chosen. Labels that
    the grammar lacks have no properties (`unknown_labels`); H3 and H4 drop nothing here (`uncovered`). Raises DataError
    if the numbers of tokens and leaves differ, for an invalid lattice, and for an empty phrase.
    """
    leaves = [node for node in _postorder(tree) if node.form is not None]
    if lattice is None:
        order = range(len(leaves)) if positions is None else sorted(range(len(leaves)), key=positions.__getitem__)
        lattice = _lattice([leaves[i] for i in order], parser.words)
    if len(lattice.tokens) != len(leaves):
        raise DataError(f"{len(leaves)} leaves but {len(lattice.tokens)} tokens\n  give a token for each leaf")
    check_lattice(lattice)
    tree = _inside(tree, parser.grammar)
    words: list[list[Constituent]] = [[] for _ in leaves]
    for arc, cost in lexical_costs(lattice):
        if arc.end == arc.start + 1:
            words[arc.start].append(word(arc, cost))
    builder = _PhraseBuilder(parser)
    waiting: list[list[Constituent]] = []
    at = iter(range(len(leaves)) if positions is None else positions)
    for node in _postorder(tree):
        if node.form is not None:
            waiting.append(words[next(at)])
        elif node is not tree or not _wraps(tree, parser.grammar):
            if not node.daughters:
                raise DataError(f'"{node.label}" has neither daughters nor a form\n  give it one of the two')
            below = [waiting.pop() for _ in node.daughters][::-1]
            waiting.append(builder.phrase(node.label, below))
    tops = tuple(min(alternatives, key=builder.value) for alternatives in waiting)
    return _parse(parser, lattice, tops)


def unknown_labels(tree: DrawnTree, grammar: Grammar) -> tuple[str, ...]:
    """Return the labels in a tree that are not categories of the grammar, in the order of the nodes."""
    tree = _inside(tree, grammar)
    known = {*grammar.categories, WILDCARD}
    labels = [node.label for node in _postorder(tree) if node is not tree or not _wraps(tree, grammar)]
    return tuple(dict.fromkeys(label for label in labels if label not in known))


def category_meant(label: str, grammar: Grammar) -> str:
    """Return a hint for a label that the grammar lacks: a similar category, or all of them."""
    return close_match(label, grammar.categories) or f"the categories are: {', '.join(grammar.categories)}"


def uncovered(parse: Parse, parser: Parser) -> tuple[tuple[Constituent, Constituent], ...]:
    """Return pairs of a phrase and a daughter that its construction does not cover (heuristic H3)."""
    table = parser.evaluator.table
    return tuple(
        (phrase, daughter)
        for top in parse.constituents
        for phrase in top.walk()
        if (construction := table.constructions.get(phrase.construction)) is not None
        for daughter in phrase.daughters
        if not table.covers(construction, daughter.construction, daughter.features)
    )


def _inside(tree: DrawnTree, grammar: Grammar) -> DrawnTree:
    """Return the tree without repeated wrappers around it (`WRAPPERS`): of nested ones, only the innermost stays."""
    while _wraps(tree, grammar) and len(tree.daughters) == 1 and _wraps(tree.daughters[0], grammar):
        (tree,) = tree.daughters
    return tree


def _wraps(tree: DrawnTree, grammar: Grammar) -> bool:
    named = any(construction.name == tree.label for construction in grammar.constructions)
    return tree.label in WRAPPERS and not named and tree.form is None


def _postorder(tree: DrawnTree) -> Iterator[DrawnTree]:
    """Yield the nodes in post-order; without recursion, as trees may be deep."""
    waiting: list[tuple[DrawnTree, bool]] = [(tree, False)]
    while waiting:
        node, ready = waiting.pop()
        if ready or not node.daughters:
            yield node
        else:
            waiting.append((node, True))
            waiting += ((daughter, False) for daughter in reversed(node.daughters))


def _lattice(leaves: Sequence[DrawnTree], words: Words) -> Lattice:
    """Return a lattice with a token per leaf: with the lexicon's readings under the leaf's label, or the bare label."""
    forms = tuple(str(leaf.form) for leaf in leaves)
    arcs: list[Arc] = []
    for position, (leaf, form) in enumerate(zip(leaves, forms, strict=True)):
        known = words.known_as(spelled(form), leaf.label)
        arcs += arcs_of(position, position + 1, form, known or [Reading(leaf.label)], guessed=not known)
    return Lattice(forms, tuple(arcs), (), " ".join(forms))


class _PhraseBuilder:
    """Builds constituents for given phrases, with the evaluator of a parser."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.evaluator = parser.evaluator

    def value(self, constituent: Constituent) -> tuple[int, tuple[tuple[str, str], ...]]:
        return self.parser.valuation.value(constituent.cost_units, constituent.gain_units), constituent.features

    def phrase(self, label: str, daughters: Sequence[Sequence[Constituent]]) -> list[Constituent]:
        """Return the best constituent for each feature bundle that results, given the alternatives of each daughter."""
        best: dict[object, Constituent] = {}
        for assignment in product(*self._fewer(daughters)):
            constituent = self._constituent(label, assignment)
            rival = best.setdefault(constituent.features, constituent)
            if self.value(constituent) < self.value(rival):
                best[constituent.features] = constituent
        return list(best.values())

    def _fewer(self, daughters: Sequence[Sequence[Constituent]]) -> list[list[Constituent]]:
        """Return the alternatives of each daughter, without the worst if there are too many combinations."""
        kept = [sorted(alternatives, key=self.value) for alternatives in daughters]
        while prod(map(len, kept)) > MAX_CHOICES:
            max(kept, key=len).pop()
        return kept

    def _constituent(self, label: str, assignment: Assignment) -> Constituent:
        table = self.evaluator.table
        construction = table.constructions.get(label)
        if construction is None:
            return instantiate(label, assignment, PhraseTemplate((), NOTHING, 0, -table.grammar.node_cost_units))
        return evaluated_phrase(construction, assignment, self.evaluator)


def _parse(parser: Parser, lattice: Lattice, tops: tuple[Constituent, ...]) -> Parse:
    fragment_cost = fragment_cost_of(tops, len(lattice.tokens), parser.scaled_grammar)
    return Parse(parser.grammar, lattice, tops, parser.outcome(fragment_cost, 1, 1, 0, "judge"))


def cost_within(parser: Parser, lattice: Lattice, ceiling: int, overdue: Overdue = never) -> int | None:
    """Return the cost of the best parse of a lattice in fixed-point units, None if it is above the ceiling.

    A low ceiling saves most of the search. If a limit of the parser is met, the cost is that of the best parse found.
    The parser's limit of seconds does not apply: `overdue` is the clock, which may run over many lattices.
    """
    with parser.lock:
        cost = parser.chart(lattice, ceiling=ceiling, overdue=overdue).level
    return cost if cost <= ceiling else None
