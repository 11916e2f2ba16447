"""What the rest of a sentence can still give to an unfinished constituent, position by position.

From each position on only some words are left. So an operand that a construction awaits (a verb, a noun) either costs
something or cannot come at all, and an unfinished constituent that needs it costs at least as much more. The bounds
never overestimate, and rise no more along a step than the step costs, so that a search in their order stays exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from numbat.parsing.automata import Automaton
from numbat.parsing.evaluation import Evaluator
from numbat.parsing.states import INFINITE, Kind, Levels

MOST_ROUNDS = 4
"""How often the least costs of phrases are improved by those of their parts; each round alone is a valid bound."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """What is left from a position on: the least cost of each kind of word, and for each construction the number of
    its view of that, its levels."""

    words: tuple[tuple[Kind, int], ...] = ()
    views: tuple[int, ...] = ()


class Prospects:
    """The prospects of sentences, shared between them."""

    def __init__(self, evaluator: Evaluator, automata: Sequence[Automaton]) -> None:
        self._evaluator = evaluator
        self._automata = automata
        self._names = tuple(evaluator.table.constructions)
        self._operands = [
            tuple((bit, operand.category) for operand, bit in evaluator.operands.items() if bit & automaton.awaited)
            for automaton in automata
        ]
        self._categories = [{category for _, category in operands} for operands in self._operands]
        self._views: dict[Levels, int] = {}
        self._levels: list[Levels] = []
        self._ahead: dict[tuple[int, int, int], int] = {}
        self._known: dict[tuple[tuple[tuple[Kind, int], ...], tuple[tuple[Kind, int], ...]], Prospect] = {}
        self._empty = self._prospect(())

    def __len__(self) -> int:
        """The number of prospects kept."""
        return len(self._known)

    def of(self, words: Sequence[Sequence[tuple[Kind, int]]]) -> list[int]:
        """The view of each construction at each position, one position after the other, that of the end last.

        `words` are the kinds of the words that begin at each position, with their costs.
        """
        after, backwards = self._empty, [self._empty]
        for here in reversed(words):
            key = tuple(here), after.words
            found = self._known.get(key)
            if found is None:
                found = self._known[key] = self._before(key[0], after)
            after = found
            backwards.append(after)
        return [view for prospect in reversed(backwards) for view in prospect.views]

    def ahead(self, construction: int, state: int, view: int) -> int:
        """At least how much more a constituent in that state costs where it has that view (`Automaton.ahead`)."""
        key = construction, state, view
        if key not in self._ahead:
            self._ahead[key] = self._automata[construction].ahead(state, view, self._levels[view])
        return self._ahead[key]

    def _before(self, here: Sequence[tuple[Kind, int]], after: Prospect) -> Prospect:
        least = dict(after.words)
        for kind, cost in here:
            least[kind] = min(cost, least.get(kind, cost))
        words = tuple(sorted(least.items()))
        return after if words == after.words else self._prospect(words)

    def _prospect(self, words: tuple[tuple[Kind, int], ...]) -> Prospect:
        """Bounds for phrases start at 0 and rise with those of their parts."""
        of_words: dict[int, int] = {}
        for kind, cost in words:
            bits = self._evaluator.operands_matched(*kind)
            while bits:
                bit = bits & -bits
                of_words[bit] = min(cost, of_words.get(bit, cost))
                bits ^= bit
        phrases = dict.fromkeys(self._names, 0)
        views = [0] * len(self._names)
        concerned: Iterable[int] = range(len(self._names))
        for _ in range(MOST_ROUNDS):
            for i in concerned:
                views[i] = self._view(self._operands[i], of_words, phrases)
            least = {self._names[i]: self.ahead(i, 0, views[i]) for i in concerned}
            risen = {name: bound for name, bound in least.items() if bound != phrases[name]}
            if not risen:
                break
            phrases |= risen
            concerned = [i for i, categories in enumerate(self._categories) if not categories.isdisjoint(risen)]
        return Prospect(words, tuple(views))

    def _view(self, operands: tuple[tuple[int, str], ...], of_words: dict[int, int], phrases: dict[str, int]) -> int:
        levels = tuple(
            [(bit, min(of_words.get(bit, INFINITE), phrases.get(category, INFINITE))) for bit, category in operands]
        )
        number = self._views.setdefault(levels, len(self._levels))
        if number == len(self._levels):
            self._levels.append(levels)
        return number
