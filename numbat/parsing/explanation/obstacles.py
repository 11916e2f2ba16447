"""Explain in words why words or phrases do not form a phrase: the fragments of a parse (`pieces`), or any daughters."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, Literal, NamedTuple

from numbat.evaluation.constituents import Assignment, Constituent, Instance
from numbat.evaluation.evaluator import Evaluator
from numbat.grammar.model import Construction
from numbat.grammar.names import WILDCARD
from numbat.grammar.profiles import Profile
from numbat.grammar.properties import Bundle, Property, format_property
from numbat.parsing.explanation.violations import quoted, span_of
from numbat.parsing.explanation.wording import enumerated
from numbat.records import cached_property, frozen

MAX_KNOWN: Final = 20_000
"""Maximum number of kinds of fragments whose relation to a root is cached; beyond, the cache is cleared."""
MAX_NAMED: Final = 8
"""Maximum number of possible daughters of a construction that a message names."""


def made_of(construction: Construction) -> str:
    """Return a clause such as `NP is made of Det and N`."""
    names = list(dict.fromkeys(operand.category for operand in construction.daughters))
    named = enumerated(names) if len(names) <= MAX_NAMED else ", ".join((*names[:MAX_NAMED], "…"))
    return f"{construction.name} is made of {named}"


def obstacle_clause(reason: Obstacle, construction: Construction, unary_limit: int) -> str:
    """Describe an obstacle as a clause in lower case."""
    name, which = reason.construction, together(reason.daughters)
    violated = enumerated([format_property(prop) for prop in reason.properties[:MAX_NAMED]])
    match reason.kind:
        case "uncovered":
            daughters = enumerated([daughter.construction for daughter in reason.daughters])
            return f"{made_of(construction)}, not of {daughters}"
        case "own daughter":
            return f"{name} is not built over {name} alone"
        case "unary limit":
            return f"{unary_limit} phrases already stand over the same words, the maximum by unary_limit"
        case "not spoken of":
            return f"no property of {name} is about {which}"
        case "nothing holds":
            return f"every property of {name} that applies to {which} is violated: {violated}"
        case "hard":
            are = "which is hard" if len(reason.properties) == 1 else "which are hard"
            return f"{name} of {which} would violate {violated}, {are}"


def together(daughters: Assignment) -> str:
    """Return a phrase such as `V alone` or `NP and V together`."""
    names = [constituent.construction for constituent in daughters]
    return f"{names[0]} alone" if len(names) == 1 else f"{enumerated(names)} together"


@frozen
class _Placed:
    """A fragment with what it contributes to a root (itself, its daughters, or a phrase over it), or an obstacle."""

    piece: Constituent
    daughters: Assignment = ()
    obstacle: Obstacle | None = None


class PieceReasons:
    """Explains why the fragments of a partial parse do not form a root; results are cached per kind of fragment."""

    def __init__(self, evaluator: Evaluator, profile: Profile) -> None:
        self.evaluator, self.profile = evaluator, profile
        self._over: dict[tuple[str, str, Bundle, int], Constituent | Obstacle | None] = {}

    def why_partial(self, pieces: Sequence[Constituent]) -> str:
        """Say which fragment fits nowhere and why; empty if only other readings of the words could explain it."""
        if not self._roots:
            return ""
        tried = [(root, [self._placed(root, piece) for piece in pieces]) for root in self._roots]
        root, placed = min(tried, key=lambda pair: sum(_length(p.piece) for p in pair[1] if not p.daughters))
        misfits = [p for p in placed if not p.daughters]
        if misfits:
            return self._reason(root, misfits)
        reason = self._obstacle(root, tuple(daughter for p in placed for daughter in p.daughters))
        return self._worded(reason) if reason else ""

    @cached_property
    def _roots(self) -> list[Construction]:
        """Return the constructions expected over a whole sentence: the declared roots, else the outermost ones."""
        constructions = self.evaluator.table.constructions
        named = dict.fromkeys(root.category for root in self.evaluator.table.grammar.roots)
        if named:
            return [constructions[name] for name in named if name in constructions]
        inner = {
            operand.category
            for outer in constructions.values()
            for operand in outer.daughters
            if operand.category != outer.name
        }
        return [construction for construction in constructions.values() if construction.name not in inner] or list(
            constructions.values()
        )

    def _placed(self, root: Construction, piece: Constituent) -> _Placed:
        table = self.evaluator.table
        if table.covers(root, piece.construction, piece.features):
            return _Placed(piece, (piece,))
        if piece.construction == root.name:
            return _Placed(piece, piece.daughters)
        key = root.name, piece.construction, piece.features, piece.depth
        if key not in self._over:
            if len(self._over) >= MAX_KNOWN:
                self._over.clear()
            kind = Constituent(piece.construction, piece.cover, piece.features, piece.depth)  # without its tree
            self._over[key] = self._phrase_over(root, kind)
        outcome = self._over[key]
        if isinstance(outcome, Constituent):
            return _Placed(piece, (outcome._replace(cover=piece.cover),))
        return _Placed(piece, obstacle=outcome)

    def _phrase_over(self, root: Construction, piece: Constituent) -> Constituent | Obstacle | None:
        """Return a phrase over a fragment that can be a daughter of the root, else the first obstacle to it, if any."""
        table = self.evaluator.table
        first: Obstacle | None = None
        for name in dict.fromkeys(operand.category for operand in root.daughters):
            phrase = table.constructions.get(name)
            if phrase is not None and table.covers(phrase, piece.construction, piece.features):
                reason = self._obstacle(phrase, (piece,))
                if reason is None:
                    features = self.evaluator.features(name, (piece,))
                    return Constituent(name, piece.cover, features, piece.depth + 1)
                first = first or reason
        return first

    def _obstacle(self, construction: Construction, daughters: Assignment) -> Obstacle | None:
        return obstacle(self.evaluator, self.profile, construction, daughters)

    def _reason(self, root: Construction, misfits: Sequence[_Placed]) -> str:
        """Describe the fragments that fit nowhere, preferably beginning with one that is no construction's daughter."""
        constructions = self.evaluator.table.constructions.values()
        nowhere = [
            placed
            for placed in misfits
            if not any(
                self.evaluator.table.covers(c, placed.piece.construction, placed.piece.features) for c in constructions
            )
        ]
        (first, *others) = [*nowhere, *(misfit for misfit in misfits if misfit not in nowhere)]
        piece = first.piece
        more = f" and {len(others)} more fit" if others else " fits"
        word = "the unknown word" if piece.construction == WILDCARD else piece.construction
        subject = f"{word} {quoted([piece])} ({span_of(piece)}){more} nowhere"
        if first in nowhere:
            kind = "unknown words" if piece.construction == WILDCARD else piece.construction
            return f"{subject}: no construction is made of {kind}"
        also = f", and {self._worded(first.obstacle)}" if first.obstacle else ""
        return f"{subject}: {made_of(root)}{also}"

    def _worded(self, reason: Obstacle) -> str:
        table = self.evaluator.table
        return obstacle_clause(reason, table.constructions[reason.construction], table.grammar.unary_limit)


def _length(piece: Constituent) -> int:
    return piece.cover.bit_count()


Kind = Literal["uncovered", "own daughter", "unary limit", "not spoken of", "nothing holds", "hard"]
"""Names of the rules that keep daughters from forming a phrase of a construction.

In this order: H3; a phrase over a single phrase of the same construction, and too many phrases over the same words
(ruling 4); no property is retrieved (ruling 8); H4; a hard property is violated (ruling 9).
"""


class Obstacle(NamedTuple):
    """Why a phrase of a construction is not built: the rule, the `daughters` concerned, the violated `properties`."""

    kind: Kind
    construction: str
    daughters: Assignment
    properties: tuple[Property, ...] = ()


def obstacle(
    evaluator: Evaluator, profile: Profile, construction: Construction, daughters: Assignment
) -> Obstacle | None:
    """Return the first rule that keeps contiguous daughters from forming a phrase, or None if they do form one."""
    name, table = construction.name, evaluator.table
    uncovered = [
        constituent
        for constituent in daughters
        if not table.covers(construction, constituent.construction, constituent.features)
    ]
    if uncovered and profile.has("H3"):
        return Obstacle("uncovered", name, tuple(uncovered))
    if len(daughters) == 1 and daughters[0].construction == name:
        return Obstacle("own daughter", name, daughters)
    if len(daughters) == 1 and daughters[0].depth >= table.grammar.unary_limit:
        return Obstacle("unary limit", name, daughters)
    retrieved = evaluator.retrieve(daughters, name)
    if not retrieved:
        return Obstacle("not spoken of", name, daughters)
    both = evaluator.completed(name, evaluator.evaluate(name, retrieved, daughters), daughters)
    if profile.has("H4") and not evaluator.counts_for_h4(both.satisfied):
        return Obstacle("nothing holds", name, daughters, _properties(both.violated, about_absence=False))
    hard = [instance for instance in both.violated if profile.all_hard or instance.property.hard]
    return Obstacle("hard", name, daughters, _properties(hard)) if hard else None


def _properties(instances: Collection[Instance], about_absence: bool = True) -> tuple[Property, ...]:
    """Return the properties of instances, each once; those of instances without elements only if `about_absence`."""
    properties = {
        id(instance.property): instance.property for instance in instances if instance.elements or about_absence
    }
    return tuple(properties.values())
