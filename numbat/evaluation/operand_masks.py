"""Which operands of a grammar a constituent is, as a bit set: one look at each feature that any of them asks for."""

from __future__ import annotations

from collections.abc import Sequence

from numbat.grammar.properties import Bundle, Operand

OtherMask = tuple[int, dict[str, int]]
"""The operands that a constituent can be which lacks a feature or has a value that none names; and by values named."""


class OperandMasks:
    """The operands of one category, each with its bit."""

    __slots__ = ("_every", "_of_feature")

    def __init__(self, operands: Sequence[tuple[Operand, int]]) -> None:
        self._every = sum(bit for _, bit in operands)
        asked = {feature for operand, _ in operands for feature, _ in operand.features}
        self._of_feature = {feature: _masks(feature, operands) for feature in sorted(asked)}

    def matched(self, features: Bundle) -> int:
        """The operands that a constituent of the category with these features is: those whose demands subsume them."""
        bits, values = self._every, dict(features)
        for feature, (others, of_value) in self._of_feature.items():
            bits &= of_value.get(values.get(feature, ""), others)
        return bits


def _masks(feature: str, operands: Sequence[tuple[Operand, int]]) -> OtherMask:
    """The operands that each value of a feature leaves: those that accept it, and those that do not ask."""
    others, accepting = 0, dict[str, int]()
    for operand, bit in operands:
        asked = [values for name, values in operand.features if name == feature]
        if not asked:
            others |= bit
        for value in dict.fromkeys(asked[0] if asked else ()):
            if all(value in values for values in asked[1:]):
                accepting[value] = accepting.get(value, 0) | bit
    return others, {value: bits | others for value, bits in accepting.items()}
