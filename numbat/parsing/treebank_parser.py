"""`TreebankParser`, the public interface to parsing with expansions: rules counted in the trees of a treebank."""

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
"""Default pruning threshold: difference in log likelihood from the likeliest coarse tree."""
MAX_NUMBER: Final = 1_000_000
"""Maximum of `prune` and `properties`, so that costs fit into their range."""
DEFAULT_LIMITS: Final = Limits(items=3_000_000)
"""Default limits: 70 words need a million items of 60 bytes each; 3 million items take half a minute at most."""


class TreebankParser(PipedParser):
    """Parser that uses a grammar and the expansions of the trees from which it was induced.

    The parse is the likeliest tree by the counts of the expansions, with the grammar's properties evaluated in it;
    `Parser` parses by properties. Pruning drops items whose log likelihood is lower than the best one by more than
    `prune`; if it is None, nothing is pruned and the result is optimal. With `properties` above 0, the ten likeliest
    trees are ordered by their log likelihood plus `properties` times their net value (weights of satisfied instances
    minus costs of violated ones). With `weights`, which must have been learned with the same expansions, the parse is
    the best tree by these weights.

    Two of the `limits` apply: `items` (default 3,000,000) bounds the search for the parse of a sentence, `seconds` its
    time, including lookup. If a search met a limit, the parse consists of what was built so far and names the limit
    (`stopped_by`). Unless `prune` is None, input of more than 100 words is cut into sentences, which are searched
    separately; the parse has all their trees, and reports the cut in `stopped_by`.

    Raises UsageError for numbers out of range, and for expansions that do not match the grammar or the weights.
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
                f"expansions must be numbat.parsing.treebank_grammar.expansions.Expansions, not {expansions!r}\n"
                "  read_expansions in that module reads them from a file"
            )
        _check_number("prune", 0.0 if prune is None else prune)
        _check_number("properties", properties)
        self.limits = checked_limits(limits, DEFAULT_LIMITS)
        self.grammar = grammar
        self.expansions = expansions
        self.prune = prune
        self.properties = properties
        self.words = self._reader.words
        """Lexicon and token rules of the grammar."""
        self.evaluator = Evaluator(build_table(grammar))
        """Evaluator of the grammar's properties."""
        self.weights = _checked_weights(weights, expansions)
        if weights is not None and properties:
            raise UsageError(
                "weights cannot be combined with properties above 0\n"
                "  leave properties at 0: weights may include features of properties"
            )
        self._trees = LikeliestTrees(expansions, self.evaluator, prune, properties, self._choice)
        share(self)

    @property
    def _choice(self) -> partial[TreeModel] | None:
        return None if self.weights is None else partial(TreeModel, self.weights, self.evaluator)

    def with_grammar(self, grammar: Grammar, limits: Limits | None = None) -> TreebankParser:
        """Return a parser with the same expansions and weights that evaluates the properties of another grammar.

        Both parsers share the tables of the search, so only one thread can use them at a time. Raises UsageError if the
        expansions do not match the grammar.
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
        """Number of automaton states in the Markov grammar that is estimated from the expansions."""
        return self._trees.states

    @property
    def passes(self) -> CoarseToFine:
        """Coarse-to-fine search over the expansions."""
        return self._trees.passes

    def parse(self, sentence: str | Lattice, overdue: Overdue | None = None) -> Parse:
        """Return the likeliest parse of a sentence; there is always one.

        `overdue` is a running clock, for parsing many sentences under one limit of seconds.
        """
        return self.n_best(sentence, 1, overdue)[0]

    def n_best(self, sentence: str | Lattice, n: int, overdue: Overdue | None = None) -> Parses:
        """Return up to n parses, likeliest first; trees that differ only in refinements count as one.

        The log likelihood of each is at most 12 lower than that of the first; pruning may lose some parses. With
        weights, the first parse is the best one by these, and the slack in the weights bounds the difference.
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

    def _stopped_by(self, tree: LikelyTree) -> str | None:
        """Describe the limit that was met, None if none was; cutting long input counts as a limit."""
        if tree.stopped_by is not None:
            return self.limits.describe(tree.stopped_by)
        return f"words ({MAX_LENGTH}): it was parsed in {tree.pieces} pieces" if tree.pieces > 1 else None

    def _parse(self, lattice: Lattice, tree: LikelyTree, rank: int) -> Parse:
        outcome = Outcome(
            tree.solution.fragment_cost,
            count=1,
            rank=rank,
            rounds=1 if lattice.tokens else 0,
            engine="expansions",
            profile="none",
            election=self._election(tree.pruned_by),
            valuation=self._valuation,
            stopped_by=self._stopped_by(tree),
            log_likelihood=tree.log_likelihood,
        )
        return Parse(self.grammar, lattice, tree.solution.constituents, outcome)


def _checked_weights(weights: TreeWeights | None, expansions: Expansions) -> TreeWeights | None:
    if weights is None:
        return None
    if not isinstance(weights, TreeWeights):
        raise UsageError(
            f"weights must be numbat.parsing.tree_model.scoring.TreeWeights, not {weights!r}\n"
            "  read_weights in that module reads them from a file"
        )
    try:
        check_weights(weights)
    except (ValueError, TypeError) as error:
        raise UsageError(f"invalid weights: {error}\n  give weights as read_weights reads them") from None
    if weights.expansions not in (0, expansions.digest):
        raise UsageError(
            "the weights were learned with other expansions\n"
            "  use the expansions that they were learned with, or learn them again: numbat learn weights"
        )
    return weights


def _check_number(name: str, number: float) -> None:
    if not isinstance(number, int | float) or not 0 <= number <= MAX_NUMBER:
        raise UsageError(f"{name} must be a number from 0 to {MAX_NUMBER:,}, not {number!r}\n  correct or omit it")
