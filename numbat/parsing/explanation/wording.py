"""Wording of messages: titles for categories and values, articles, conditions as clauses, in the grammar's language.

Templates are English; the grammar's `language` chooses a table of translations, if there is one. What a grammar says
itself, in titles, glosses and relations, is in its language anyway.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
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
from numbat.grammar.model import Construction, Grammar, relations_of, remembered, titles_of
from numbat.grammar.properties import ABSENT, Operand, Parameter
from numbat.grammar.relations import Relation
from numbat.records import frozen

Values = Sequence[tuple[str, str | None]]
"""Features with their values, None for a feature that is missing."""


@frozen
class Wording:
    """Names of categories and values in the messages of a grammar, and the templates of their sentences.

    A value has its title. A feature none of whose values has a title is named as in the notation if trees show it, else
    not at all. `is_strict` is true if a feature that only one side has is a clash.
    """

    relations: Mapping[str, Relation]
    constructions: Mapping[str, Construction]
    titles: Mapping[tuple[str, str], str]
    bare: frozenset[str]
    translations: Mapping[str, str]
    is_strict: bool

    def say(self, template: str) -> str:
        """Return a template in the language of the grammar."""
        return self.translations.get(template, template)

    def category(self, name: str) -> str:
        """Return the title of a category, its name if it has none."""
        return self.titles.get(("", name), name)

    def parameter(self, parameter: Parameter, article: bool = False) -> str:
        """Describe a parameter in words: `noun that is plural or name`; each alternative has its article if wanted."""
        joints = [[self.operand(operand, article) for operand in joint] for joint in parameter]
        return enumerated(list(dict.fromkeys(map(self.say(" together with ").join, joints))), self.say("or"))

    def tells(self, feature: str, values: Iterable[str]) -> bool:
        """True if a demand for these values says something that has a title."""
        return any(self._told([(feature, value) for value in values]))

    def operand(self, operand: Operand, article: bool = False) -> str:
        """Describe an operand in words, as far as titles tell its features: `noun that is plural`."""
        named = self.category(operand.category)
        said, bare = self._told([(name, value) for name, values in operand.features for value in values])
        if said:
            named = self.say("{} that is {}").format(named, enumerated(said, self.say("or")))
        if bare:
            named = self.say("{} with {}").format(named, enumerated(bare, self.say("or")))
        if article and self.titles.get(("", operand.category), "*")[0].isalpha():
            named = self.say("an {}" if named[0] in "aeiou" else "a {}").format(named)
        return named

    def predicate(self, values: Values, demanded: Mapping[str, Sequence[str]] | None = None) -> str:
        """Return what values say of a word, as far as titles tell it: `is plural`; `is not plural` if demanded."""
        said, bare = self._told([(name, value) for name, value in values if value is not None])
        missing = [name for name, value in values if value is None]
        asked = [(name, value) for name in missing for value in (demanded or {}).get(name, ())]
        lacking, _ = self._told(asked)
        clauses = [
            self.say("is {}").format(enumerated(said, self.say("and"))) if said else "",
            self.say("has {}").format(enumerated(bare, self.say("and"))) if bare else "",
            self.say("is not {}").format(enumerated(lacking, self.say("or"))) if lacking else "",
            *(self.say("has no {}").format(name) for name in missing if name in self.bare or not demanded),
        ]
        return enumerated(list(filter(None, clauses)), self.say("and"))

    def _told(self, values: Iterable[tuple[str, str]]) -> tuple[list[str], list[str]]:
        """Return the titles of values, and the values of features without titles as `number sg`.

        All values with a title of a feature say nothing.
        """
        pairs = [(name, value) for name, value in values if value != ABSENT]
        named = {name: {pair for pair in self.titles if pair[0] == name} for name, _ in pairs}
        vain = {name for name, every in named.items() if len(every) > 1 and every <= set(pairs)}
        said = dict.fromkeys(self.titles[pair] for pair in pairs if pair in self.titles and pair[0] not in vain)
        return [*said], [f"{name} {value}" for name, value in pairs if name in self.bare]


@remembered
def wording_of(grammar: Grammar) -> Wording:
    """Return the wording of the messages of a grammar."""
    titles = titles_of(grammar)
    shown = grammar.tree_features or [name for name, _ in grammar.features]
    return Wording(
        relations_of(grammar),
        {construction.name: construction for construction in grammar.constructions},
        titles,
        frozenset(shown) - {feature for feature, _ in titles},
        TRANSLATIONS.get(grammar.language.partition("-")[0], {}),
        grammar.semantics.missing == "clashes",
    )


# Conditions of relations in words, for user-defined relations that have no message.

COMPARED: Final = {
    "=": "exactly {}", "!=": "not {}", "<": "fewer than {}", "<=": "at most {}", ">": "more than {}",
    ">=": "at least {}",
}  # fmt: skip
PLACES: Final = {
    "=": "at place {}", "!=": "elsewhere than at place {}", "<": "before place {}", "<=": "at place {} or before it",
    ">": "after place {}", ">=": "at place {} or after it",
}  # fmt: skip


NEGATIVE: Final = {
    " stands ": " does not stand ",
    " comes ": " does not come ",
    " agrees ": " does not agree ",
    " is no ": " is a ",
    " are ": " are not ",
    " is ": " is not ",
}
"""Verbs of clauses about daughters, each with its negation."""
NEGATED: Final = re.compile("|".join(NEGATIVE))


def condition_in_words(
    expression: Expression, names: Mapping[str, str], features: Sequence[str], say: Callable[[str], str] = str
) -> str:
    """Return a condition as a clause, in English unless `say` translates its templates.

    `names` replace its parameters, `features` are those of agree().
    """

    def clause(inner: Expression) -> str:
        text = condition_in_words(inner, names, features, say)
        return f"({text})" if isinstance(inner, And | Or) else text

    def joined(operands: Sequence[Expression], last: str) -> str:
        return enumerated(list(map(clause, operands)), say(last))

    match expression:
        case Always(truth):
            return say("anything is there" if truth else "nothing of the kind is there")
        case Precedes(left, right):
            return say("{} stands before {}").format(names[left], names[right])
        case Adjacent(left, right):
            return say("{} and {} are neighbours").format(names[left], names[right])
        case Place(parameter, "=", 1):
            return say("{} comes first").format(names[parameter])
        case Place(parameter, comparison, number):
            return say(f"{{}} stands {PLACES[comparison]}").format(names[parameter], number)
        case Last(parameter):
            return say("{} comes last").format(names[parameter])
        case Distance(left, right, comparison, number):
            places = say(COMPARED[comparison]).format(say(in_words(number)))
            unit = "place" if number == 1 else "places"
            return say(f"{{}} is {{}} {unit} from {{}}").format(names[left], places, names[right])
        case Count(parameter, "=" | "<=", 0):
            return say("there is no {}").format(names[parameter])
        case Count(parameter, comparison, number):
            several = say(COMPARED[comparison]).format(say(in_words(number)))
            return say(f"there {'is' if number == 1 else 'are'} {{}} {{}}").format(several, names[parameter])
        case Present(parameter):
            return say("{} is present").format(names[parameter])
        case Agree(left, right):
            agreed = enumerated(features, say("and")) or say("nothing")
            return say("{} agrees with {} in {}").format(names[left], names[right], agreed)
        case SameValue(left, left_feature, right, right_feature):
            return say("{} of {} is {} of {}").format(left_feature, names[left], right_feature, names[right])
        case HasValue(parameter, feature, value):
            return say("{} of {} is {}").format(feature, names[parameter], value)
        case Not(Not(operand)):
            return clause(operand)
        case Not(operand) if isinstance(operand, And | Or | Always) or say is not str:
            return say("it is not the case that {}").format(clause(operand))
        case Not(operand):
            return NEGATED.sub(lambda verb: NEGATIVE[verb[0]], condition_in_words(operand, names, features), count=1)
        case And(operands):
            return joined(operands, "and")
        case Or(operands):
            excused = [operand.operand for operand in operands if isinstance(operand, Not)]
            required = [operand for operand in operands if not isinstance(operand, Not)]
            if excused and required:  # `not A or B` reads as `if A, B`
                return say("if {}, {}").format(joined(excused, "and"), joined(required, "or"))
            return joined(operands, "or")


# Numbers and lists in words.

NUMBERS: Final = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def in_words(count: int) -> str:
    """Return a number up to ten as a word, a larger one in digits."""
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def enumerated(texts: Sequence[str], last: str = "and") -> str:
    """Join items as `a`, `a and b`, `a, b and c`."""
    return f" {last} ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


FRENCH: Final = {
    # relations
    "the {mother} {mother_words} has no {B}": "{mother} {mother_words} sans {B}",
    "the {mother} {mother_words} needs exactly one {B}, but has {counts}": (
        "{mother} {mother_words} demande exactement un élément ({B}), mais en a {counts}"
    ),
    "{others} {others:does|do} not fit in {mother_words}": "{others} ne {others:va|vont} pas dans {mother_words}",
    "only one {B} can stand here: {bs}": "{B} en double : {bs}",
    "{b} should stand before {c}": "{b} devrait se placer devant {c}",
    "{b} and {c} should stand side by side": "{b} et {c} devraient se suivre",
    "{b} and {c} should stand side by side, but {between} stands between them": (
        "{b} et {c} devraient se suivre, mais {between} les sépare"
    ),
    "{b} {b:needs|need} {a_C}": "{b} ne {b:va|vont} pas sans {a_C}",
    "{b} {b:does|do} not go with {others} here": "{b} ne {b:va|vont} pas ici avec {others}",
    "{b} do not go together here": "{b} ne vont pas ensemble ici",
    "{all} do not go together{because}": "{all} ne vont pas ensemble{because}",
    "{b} {b_is}, but {c} {c_is}": "{b} {b_is}, mais {c} {c_is}",
    "{b} and {c} do not agree": "{b} et {c} ne s'accordent pas",
    "{b} may be there, whatever holds of it": "{b} peut être là, quoi qu'il en soit",
    # frames
    "this should hold: {}": "il faudrait que : {}", ", but {}": ", mais {}", "; {}": " ; {}", ": {}": " : {}",
    "{}: {}": "{} : {}", " together with ": " avec ", "{} that is {}": "{} {}", "{} with {}": "{} avec {}",
    "a {}": "{}", "an {}": "{}", "is {}": "est {}", "has {}": "a {}", "is not {}": "n'est pas {}",
    "has no {}": "n'a pas {}", "and": "et", "or": "ou", "nothing": "rien",
    # conditions
    "anything is there": "quelque chose est là", "nothing of the kind is there": "rien de tel n'est là",
    "{} stands before {}": "{} est devant {}", "{} and {} are neighbours": "{} et {} se suivent",
    "{} comes first": "{} est au début", "{} comes last": "{} est à la fin",
    "{} stands at place {}": "{} est à la place {}",
    "{} stands elsewhere than at place {}": "{} n'est pas à la place {}",
    "{} stands before place {}": "{} est avant la place {}",
    "{} stands at place {} or before it": "{} est à la place {} ou avant",
    "{} stands after place {}": "{} est après la place {}",
    "{} stands at place {} or after it": "{} est à la place {} ou après",
    "{} is {} place from {}": "{} est à {} place de {}", "{} is {} places from {}": "{} est à {} places de {}",
    "there is no {}": "{} n'est pas là", "there is {} {}": "il y a {} {}", "there are {} {}": "il y a {} {}",
    "{} is present": "{} est là", "{} agrees with {} in {}": "{} s'accorde avec {} en {}",
    "{} of {} is {} of {}": "{} de {} est {} de {}", "{} of {} is {}": "{} de {} est {}",
    "it is not the case that {}": "il n'est pas vrai que {}", "if {}, {}": "si {}, {}",
    "exactly {}": "exactement {}", "not {}": "pas {}", "fewer than {}": "moins de {}", "at most {}": "au plus {}",
    "more than {}": "plus de {}", "at least {}": "au moins {}",
    "none": "zéro", "one": "un", "two": "deux", "three": "trois", "four": "quatre", "five": "cinq", "six": "six",
    "seven": "sept", "eight": "huit", "nine": "neuf", "ten": "dix",
}  # fmt: skip
TRANSLATIONS: Final[Mapping[str, Mapping[str, str]]] = {"fr": FRENCH}
"""The templates of messages in other languages than English, by the code of the language."""
