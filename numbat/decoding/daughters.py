"""What counts as one daughter of the flat construction: a label, a run of equal labels, or a chunk of BIO labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

from numbat.automata.property_acceptors import Acceptor

Daughters = Literal["labels", "runs", "bio"]
"""How labels make daughters."""
DAUGHTERS: Final[tuple[str, ...]] = get_args(Daughters)


def continues_run(before: str, label: str) -> bool:
    """Whether a label goes on with the run of the one before."""
    return before == label


def continues_chunk(before: str, label: str) -> bool:
    """Whether a BIO label goes on with the chunk of the one before: `I-NP` after `B-NP` or `I-NP`, and O after O."""
    return (label.startswith("I-") and before[:1] in "BI" and before[1:] == label[1:]) or before == label == "O"


CONTINUES: Final[Mapping[str, Callable[[str, str], bool]]] = {"runs": continues_run, "bio": continues_chunk}
"""For each way but one label a daughter: whether a label belongs to the same daughter as the one before."""


def category_of(label: str, daughters: Daughters) -> str:
    """The label of the daughter that a label belongs to: `NP` for `B-NP` and `I-NP` in BIO, else the label."""
    return label[2:] if daughters == "bio" and label[:2] in ("B-", "I-") else label


def grouped(labels: Sequence[str], daughters: Daughters) -> list[tuple[int, int, str]]:
    """The daughters that labels make: of each the first label, one past the last, and its own label."""
    found: list[tuple[int, int, str]] = []
    joined = CONTINUES.get(daughters)
    for at, label in enumerate(labels):
        if at and joined is not None and joined(labels[at - 1], label):
            start, _, own = found[-1]
            found[-1] = start, at + 1, own
        else:
            found.append((at, at + 1, category_of(label, daughters)))
    return found


class AfterLabel(NamedTuple):
    """The state of the acceptor of daughters, and the label that was read last."""

    state: Hashable
    label: str = ""


class GroupedAcceptor:
    """An acceptor of daughters that reads labels: a label that goes on with a daughter is passed over."""

    def __init__(self, acceptor: Acceptor, daughters: Daughters) -> None:
        self._acceptor = acceptor
        self._daughters = daughters
        self._continues = CONTINUES[daughters]
        self.start = AfterLabel(acceptor.start)

    def step(self, state: AfterLabel, position: int, label: str, /) -> tuple[AfterLabel, float]:
        """The state after one more label, and what the daughter gains that begins with it."""
        if self._continues(state.label, label):
            return AfterLabel(state.state, label), 0.0
        after, gain = self._acceptor.step(state.state, position, category_of(label, self._daughters))
        return AfterLabel(after, label), gain

    def finish(self, state: AfterLabel, /) -> float:
        """What the end gains."""
        return self._acceptor.finish(state.state)


def over_labels(acceptor: Acceptor, daughters: Daughters) -> Any:
    """An acceptor of daughters as one of labels."""
    return acceptor if daughters == "labels" else GroupedAcceptor(acceptor, daughters)
