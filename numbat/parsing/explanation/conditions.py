"""The condition of a relation in words, for a grammar writer's own relation that does not say what it asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from numbat.grammar.expressions import (
    Adjacent,
    Agree,
    Always,
    And,
    Count,
    Distance,
    Expression,
    HasValue,
    Last,
    Not,
    Or,
    Place,
    Precedes,
    Present,
    SameValue,
)
from numbat.parsing.explanation.wording import enumerated, in_words

COMPARED: Final = {
    "=": "{}", "!=": "not {}", "<": "fewer than {}", "<=": "at most {}", ">": "more than {}", ">=": "at least {}",
}  # fmt: skip
PLACES: Final = {
    "=": "at place {}", "!=": "elsewhere than at place {}", "<": "before place {}", "<=": "at place {} or before it",
    ">": "behind place {}", ">=": "at place {} or behind it",
}  # fmt: skip


def condition_in_words(expression: Expression, names: Mapping[str, str], features: Sequence[str]) -> str:
    """A condition as an English clause; `names` are what stands for its parameters, `features` those of agree()."""

    def said(inner: Expression) -> str:
        text = condition_in_words(inner, names, features)
        return f"({text})" if isinstance(inner, And | Or) else text

    match expression:
        case Always(truth):
            return "anything is there" if truth else "nothing of the kind is there"
        case Precedes(left, right):
            return f"{names[left]} stands before {names[right]}"
        case Adjacent(left, right):
            return f"{names[left]} and {names[right]} are neighbours"
        case Place(parameter, "=", 1):
            return f"{names[parameter]} comes first"
        case Place(parameter, comparison, number):
            return f"{names[parameter]} stands {PLACES[comparison].format(number)}"
        case Last(parameter):
            return f"{names[parameter]} comes last"
        case Distance(left, right, comparison, number):
            places = f"{COMPARED[comparison].format(in_words(number))} {'place' if number == 1 else 'places'}"
            return f"{names[left]} is {places} from {names[right]}"
        case Count(parameter, comparison, number):
            return f"the number of {names[parameter]} is {COMPARED[comparison].format(in_words(number))}"
        case Present(parameter):
            return f"{names[parameter]} is there"
        case Agree(left, right):
            return f"{names[left]} agrees with {names[right]} in {enumerated(features) or 'nothing'}"
        case SameValue(left, left_feature, right, right_feature):
            return f"{left_feature} of {names[left]} is {right_feature} of {names[right]}"
        case HasValue(parameter, feature, value):
            return f"{feature} of {names[parameter]} is {value}"
        case Not(operand):
            return f"it is not so that {said(operand)}"
        case And(operands):
            return enumerated(list(map(said, operands)))
        case Or(operands):
            return enumerated(list(map(said, operands)), "or")
