"""The dependency model with valence: the probabilities of a head to take children, and which (Klein & Manning 2004)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from numbat.errors import UsageError
from numbat.parsing.dependency_model.records import LONGEST, Weights

if TYPE_CHECKING:
    from numbat.parsing.dependency_model.records import Numbers

Column = Literal["upos", "xpos", "tags"]
MOST_TAGS = 1_000
"""Tags of the largest model: it has a probability for each two of them and side."""


@dataclass(frozen=True, eq=False)
class DependencyModel:
    """A model of dependency trees over tags (Smith & Eisner 2006, equation 1).

    `tags` are sorted; arrays go by their numbers (T of them). `stop` (T, 2, 2): the probability that a head has no more
    child, by side (left, right) and by whether it has one there. `child` (T, 2, T): that it is of a tag; `root` (T):
    that the root of a sentence is. `column` says which tags they are, `about` how the model was learned.
    """

    tags: tuple[str, ...]
    stop: Numbers = field(repr=False)
    child: Numbers = field(repr=False)
    root: Numbers = field(repr=False)
    column: Column = "tags"
    about: str = ""

    @cached_property
    def index(self) -> dict[str, int]:
        """The numbers of the tags."""
        return {tag: number for number, tag in enumerate(self.tags)}

    @cached_property
    def weights(self) -> Weights:
        """The probabilities as inference takes them."""
        return Weights(self.stop, 1.0 - self.stop, self.child, self.root)

    def numbers(self, tags: Sequence[str]) -> list[int]:
        """The numbers of a sentence's tags. Raises UsageError for a tag that is not known, or too many of them."""
        if len(tags) > LONGEST:
            raise UsageError(f"a sentence of {len(tags)} words\n  cut it: trees are found for up to {LONGEST}")
        for tag in tags:
            if tag not in self.index:
                raise UsageError(f'the model has no tag "{tag}"\n  it knows {", ".join(self.tags)}')
        return [self.index[tag] for tag in tags]
