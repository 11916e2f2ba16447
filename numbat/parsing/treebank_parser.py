"""`TreebankParser`, the public interface to parsing with a grammar and expansions counted on a treebank."""

from __future__ import annotations

from functools import partial
from typing import Final

from numbat.errors import UsageError
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.grammar.model import Grammar
from numbat.parsing.analysis import Outcome, Solution
from numbat.parsing.policies import Limits, Overdue
from numbat.parsing.result import Parse, Parses
from numbat.parsing.sentence_parser import PipedParser, SentenceReader, announce, check_count, checked_limits, share
from numbat.parsing.tree_model.scoring import TreeModel, TreeWeights, check_weights
from numbat.parsing.treebank_grammar.expansions import Expansions
from numbat.parsing.treebank_grammar.likeliest import MAX_LENGTH, LikeliestTrees, LikelyTree
from numbat.parsing.treebank_grammar.search import CoarseToFine
from numbat.words.lattice import Lattice

PRUNE: Final = 6.0
"""What the likeliest coarse tree is likelier than by this natural logarithm is left out by default."""
MAX_NUMBER: Final = 1_000_000
"""What `prune` and `properties` may be at most: costs have room for so much."""
DEFAULT_LIMITS: Final = Limits(items=3_000_000)
"""Sentences of 70 words build a million items, of some 60 bytes each; three million are half a minute at most."""


class TreebankParser(PipedParser):
    """Parser by a grammar and the expansions of the trees that it was induced from.

    The parse is the likeliest tree by the counts of the expansions, judged by the grammar's properties. Pruning drops
    what is less likely than the best by `prune` natural logarithms; with None nothing is pruned and the result is
    optimal. With `properties` above 0 the ten likeliest trees are ordered by their log likelihood plus `properties`
    times their net value (weights of satisfied instances less costs of violated ones). With `weights`, learned with
    the same expansions, the parse is the best tree by these.

    Of the `limits`, `items` bounds what the search builds for a sentence (3,000,000 where no limits are given) and
    `seconds` its time, reading included. If a limit is met, the parse names it (`stopped_by`) and consists of what was
    built so far. Input of more than 100 words is cut into sentences, unless `prune` is None: each is searched alone,
    and the parse, which says so too, has all their trees.

    Raises UsageError for numbers out of range, and for expansions that do not match the grammar or the weights.

    `Parser` parses by the properties of a grammar instead.
    """

    def __init__(
        self,
        grammar: Grammar,
        expansions: Expansions,
        prune: float | None = PRUNE,
        properties: float = 0.0,
        limits: Limits | None = None,
        weights: TreeWeights | None = None,
    ) -> None:
        self._reader = SentenceReader(grammar, "TreebankParser")
        if not isinstance(expansions, Expansions):
            raise UsageError(
                f"expansions are numbat.parsing.treebank_grammar.expansions.Expansions, not {expansions!r}\n"
                "  read_expansions, which is there too, reads those of a file"
            )
        _check_number("prune", 0.0 if prune is None else prune)
        _check_number("properties", properties)
        self.limits = checked_limits(limits, DEFAULT_LIMITS)
        self.grammar = grammar
        self.expansions = expansions
        self.prune = prune
        self.properties = properties
        self.words = self._reader.words
        """What the grammar's lexicon and its rules of tokens say of words."""
        self.evaluator = Evaluator(build_table(grammar))
        """The one evaluator of the grammar's properties."""
        self.weights = _checked_weights(weights, expansions)
        if weights is not None and properties:
            raise UsageError(
                "both weights and properties above 0\n  weights may have features of properties: leave properties at 0"
            )
        self._trees = LikeliestTrees(expansions, self.evaluator, prune, properties, self._choice)
        share(self)

    @property
    def _choice(self) -> partial[TreeModel] | None:
        return None if self.weights is None else partial(TreeModel, self.weights, self.evaluator)

    def with_grammar(self, grammar: Grammar, limits: Limits | None = None) -> TreebankParser:
        """Return a parser by the same expansions and weights that judges trees by another grammar.

        Both share the tables of the search: parsing goes on as fast as before, in one thread at a time. Raises
        UsageError where the expansions do not match the grammar.
        """
        made = object.__new__(TreebankParser)
        made.__dict__.update(self.__dict__)
        made.grammar, made._reader = grammar, self._reader.for_grammar(grammar)
        made.words, made.evaluator = made._reader.words, Evaluator(build_table(grammar))
        made.limits = checked_limits(limits, self.limits)
        sees_properties = self.weights is not None and "properties" in self.weights.groups
        made._trees = self._trees.under(made.evaluator, made._choice if sees_properties else None)
        return made

    def __repr__(self) -> str:
        pruned = "not pruned" if self.prune is None else f"pruned by {self.prune:g}"
        chosen = f"properties {self.properties:g}" if self.weights is None else "weights"
        return f"<TreebankParser {self.grammar.name or 'without name'}, {pruned}, {chosen}>"

    def __reduce__(self) -> tuple[type[TreebankParser], tuple[object, ...]]:
        # A parser is pickled as its arguments, without its caches.
        announce(type(self))
        return type(self), (self.grammar, self.expansions, self.prune, self.properties, self.limits, self.weights)

    @property
    def states(self) -> int:
        """Number of automaton states of the expansions."""
        return self._trees.states

    @property
    def passes(self) -> CoarseToFine:
        """Coarse-to-fine search over the expansions."""
        return self._trees.passes

    def parse(self, sentence: str | Lattice, overdue: Overdue | None = None) -> Parse:
        """Return the likeliest parse of a sentence; an analysis always comes back.

        `overdue` is a running clock, for parsing many sentences under one limit of seconds.
        """
        return self.n_best(sentence, 1, overdue)[0]

    def n_best(self, sentence: str | Lattice, n: int, overdue: Overdue | None = None) -> Parses:
        """Return up to n parses, likeliest first; trees that differ in refinements only count as one.

        They are up to 12 natural logarithms less likely than the first, and among those that pruning leaves. With
        weights the best by these is the first, and the slack of the weights bounds how much less likely trees are.
        """
        check_count(n)
        clock = overdue or self.limits.clock()
        lattice = self._reader.lattice(sentence)
        if not lattice.tokens:
            return Parses([self._parse(lattice, LikelyTree(Solution((), 0), self.prune, 0.0), 1)])
        trees = self._trees.solve(lattice, n, self.limits, clock)
        return Parses(self._parse(lattice, tree, rank) for rank, tree in enumerate(trees, start=1))

    def _election(self, pruned_by: float | None) -> str:
        chosen = "likeliest" if self.weights is None else "best by weights"
        return chosen if pruned_by is None else f"{chosen}, pruned by {pruned_by:g}"

    @property
    def _valuation(self) -> str:
        if self.weights is not None:
            return "likelihood + weights"
        return f"likelihood + {self.properties:g} net" if self.properties else "likelihood"

    def _stopped_by(self, found: LikelyTree) -> str | None:
        """Return the limit that was met, in words: a long row that was cut is one too."""
        if found.stopped_by is not None:
            return self.limits.describe(found.stopped_by)
        return f"words ({MAX_LENGTH}): it was parsed in {found.pieces} pieces" if found.pieces > 1 else None

    def _parse(self, lattice: Lattice, found: LikelyTree, rank: int) -> Parse:
        outcome = Outcome(
            found.solution.fragment_cost,
            count=1,
            rank=rank,
            rounds=1 if lattice.tokens else 0,
            engine="expansions",
            profile="none",
            election=self._election(found.pruned_by),
            valuation=self._valuation,
            stopped_by=self._stopped_by(found),
            log_likelihood=found.log_likelihood,
        )
        return Parse(self.grammar, lattice, found.solution.constituents, outcome)


def _checked_weights(weights: TreeWeights | None, expansions: Expansions) -> TreeWeights | None:
    if weights is None:
        return None
    if not isinstance(weights, TreeWeights):
        raise UsageError(
            f"weights are numbat.parsing.tree_model.scoring.TreeWeights, not {weights!r}\n"
            "  read_weights, which is there too, reads those of a file"
        )
    try:
        check_weights(weights)
    except (ValueError, TypeError) as error:
        raise UsageError(f"weights of no use: {error}\n  give weights as read_weights reads them") from None
    if weights.expansions not in (0, expansions.digest):
        raise UsageError(
            "the weights were learned with other expansions\n"
            "  give those they were learned with, or learn them again: numbat learn weights"
        )
    return weights


def _check_number(name: str, number: float) -> None:
    if not isinstance(number, int | float) or not 0 <= number <= MAX_NUMBER:
        raise UsageError(f"{name} is a number from 0 to {MAX_NUMBER:,}, not {number!r}\n  leave it out, or give one")
