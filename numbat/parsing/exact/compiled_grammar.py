"""A grammar compiled for one profile: its automata behind numbers, without weights, shared between sentences.

Kinds (construction and features), constructions and states are numbers here: the search needs none of the records.
What moves cost under a vector of weights is in `weighted_grammar`; any number of those share one compiled grammar.
"""

from __future__ import annotations

from numbat.automata.construction_automaton import compile_constructions
from numbat.automata.daughter_classes import DaughterTypes
from numbat.automata.records import AwaitedCosts, Kinds, Licensing
from numbat.evaluation.evaluator import Evaluator, PhraseTemplates
from numbat.parsing.exact.lookahead import LookaheadNumbers
from numbat.parsing.policies import Profile
from numbat.parsing.search_lock import SearchLock

MOST_STATES = 20_000
"""States of Python's automata and kinds kept between sentences; when there are more of either, the compiled grammar
starts afresh."""

MOST_TEMPLATES = 6_000
"""The same of phrase templates, which are large and soon made again: some 10 megabytes."""

MOST_TABLE_STATES = 100_000
"""The same of the states of the compiled search, which are soon made again from what is known of daughters."""


class CompiledGrammar:
    """The automata of a grammar for one profile.

    A search holds the `lock` while it lasts: one sentence at a time adds states, whatever the threads. `epoch` counts
    how often lookahead numbers, or all numbers, were forgotten, so that what was computed from them can be, too.
    """

    def __init__(self, evaluator: Evaluator, profile: Profile) -> None:
        self.evaluator = evaluator
        self.grammar = evaluator.table.grammar
        self.constructions = tuple(evaluator.table.constructions.values())
        self.lock = SearchLock(self.forget_states)
        self.epoch = 0
        self._profile = profile
        named = {operand.category for operand in self.grammar.roots}
        self._may_be_root = named or {construction.name for construction in self.constructions}
        self._of_construction = {construction.name: i for i, construction in enumerate(self.constructions)}
        self.forget_states()

    def forget_states_if_full(self) -> None:
        """Forget all states where more than `MOST_STATES` are kept, or only those of the compiled search."""
        if len(self.templates) > MOST_TEMPLATES:
            self.templates.clear()
        if max(sum(map(len, self.automata)), len(self.kinds)) > MOST_STATES:
            self.forget_states()
        elif self.table_states > MOST_TABLE_STATES:
            self.forget_lookaheads()
            self.forget_tables()

    def forget_states(self) -> None:
        """Forget all states."""
        self.kinds = Kinds()
        self.evaluator.forget_kinds()
        profile, evaluator = self._profile, self.evaluator
        self._lookaheads = list[AwaitedCosts]()
        licensing = Licensing(not profile.has("H3"), profile.has("H4"))
        self.automata = compile_constructions(evaluator, self.kinds, licensing, profile.all_hard, self._lookaheads)
        self.templates = PhraseTemplates(evaluator)
        self._types: dict[int, tuple[tuple[int, int], ...]] = {}
        self._as_daughter = DaughterTypes(evaluator, [each.classes for each in self.automata])
        self._operands: dict[int, int] = {}
        self.forget_lookaheads()
        self.forget_tables()

    def forget_lookaheads(self) -> None:
        """Forget what the numbers of lookaheads stand for; there are new ones in most sentences."""
        self.epoch += 1
        self._lookaheads.clear()
        names = [construction.name for construction in self.constructions]
        classes = [automaton.classes for automaton in self.automata]
        for each in classes:
            each.forget_lookaheads()
        self.lookahead_numbers = LookaheadNumbers(names, classes, self.evaluator.operands, self._lookaheads)

    def forget_tables(self) -> None:
        """Forget what the compiled search keeps between sentences."""
        self.tables: object | None = None
        """The states of the compiled search."""
        self.table_states = 0
        """How many of them there are."""

    @property
    def states(self) -> int:
        """The number of automaton states built so far."""
        return self.table_states + sum(map(len, self.automata))

    def construction_of(self, kind: int) -> int:
        """The number of the construction of a kind, -1 for a leaf."""
        return self._of_construction.get(self.kinds[kind][0], -1)

    def is_root(self, kind: int) -> bool:
        """Whether a constituent of a kind is a root construction."""
        category, features = self.kinds[kind]
        return category in self._may_be_root and self.grammar.is_root(category, features)

    def daughter_types(self, kind: int) -> tuple[tuple[int, int], ...]:
        """The constructions that can have a daughter of a kind, each with the daughter type that it is there."""
        known = self._types.get(kind)
        if known is None:
            known = self._types[kind] = self._as_daughter.types(*self.kinds[kind])
        return known

    def operands_matched(self, kind: int) -> int:
        """The operands of the grammar that a constituent of a kind is, as a bit set of their places."""
        known = self._operands.get(kind)
        if known is None:
            known = self._operands[kind] = self.evaluator.operands_matched(*self.kinds[kind])
        return known
