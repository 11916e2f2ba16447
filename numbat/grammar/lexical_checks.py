"""Warnings about features, rules and words of a grammar: part of the checks that `checks` lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import chain
from typing import Final

from numbat.grammar.lazy_lexicon import forms_of
from numbat.grammar.model import FeatureRule, Grammar, Reading
from numbat.grammar.printing import format_feature_rule
from numbat.grammar.properties import Operand, format_named
from numbat.source import Problem, Span, warning

MISREAD: Final = frozenset((
    "NA", "NULL", "T", "F", "TRUE", "FALSE", "True", "False", "true", "false",
    "NaN", "nan", "None", "null", "inf", "Inf",
))  # fmt: skip
"""The names that R, spreadsheets and data frames read as something else than text."""
CLITIC: Final = re.compile(r"[^\W\d_]{1,2}['’]")
"""A clitic before an apostrophe, where a vowel is elided."""


def features_never_given(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """An operand that demands a feature which no word and no rule of the grammar gives to its category."""
    given = _possible_features(grammar)
    daughters = {each.name: dict.fromkeys(part.category for part in each.daughters) for each in grammar.constructions}
    warned: set[tuple[str, str]] = set()
    for prop in grammar.properties:
        for category, feature in (
            (operand.category, name) for operand in prop.all_operands() for name, _ in operand.features
        ):
            if feature in given.get(category, (feature,)) or (category, feature) in warned:
                continue
            warned.add((category, feature))
            message = f"{format_named(prop)} asks for {feature}, but no {category} has it"
            having = [each for each in daughters.get(category, ()) if feature in given.get(each, ())]
            rule = f'write "{feature} from {", ".join(having)}" in {category}' if having else ""
            yield warning(message, prop.span or whole, rule or f"give it to {category} in the lexicon")


def _possible_features(grammar: Grammar) -> dict[str, set[str]]:
    """The features that a constituent of each category may have; leaves without words in the grammar are left out."""
    given: dict[str, set[str]] = {construction.name: set() for construction in grammar.constructions}
    of_words: Iterator[Operand | Reading] = chain(
        (reading for entry in grammar.lexicon for reading in entry.readings),
        (reading for rule in (*grammar.guesses, *grammar.names) for reading in rule.readings),
        (operand for rule in grammar.spelling for operand in rule.operands),
    )
    for word in of_words:
        given.setdefault(word.category, set()).update(dict(word.features))
    every = {feature for feature, _ in grammar.features}
    before = -1
    while before != (before := sum(map(len, given.values()))):
        for construction in grammar.constructions:
            inherited = set().union(*(given.get(head.category, every) for head in construction.heads))
            if construction.inherit is not None:
                inherited &= set(construction.inherit)
            given[construction.name] |= inherited | {
                rule.feature
                for rule in construction.feature_rules
                if rule.value or any(rule.feature in given.get(source.category, every) for source in rule.sources)
            }
    return given


_ANY_OF: Final = re.compile(r"\[!?\]?[^\]]*\]|\?")


def rules_never_applied(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """A rule behind one that applies wherever it does.

    Of guess rules, spelling rules and the rules of a feature the first that applies decides.
    """
    for section, rules in (("guess", grammar.guesses), ("names", grammar.names), ("spelling", grammar.spelling)):
        patterns = [rule.pattern for rule in rules]
        for i, pattern in enumerate(patterns):
            first = next((other for other in patterns[:i] if _covers(other, pattern)), None)
            if first is not None:
                message = f'{section}: "{pattern}" never decides, for "{first}" before it fits the same words'
                yield warning(message, whole, "put it first, or remove it")
    for construction in grammar.constructions:
        always: dict[str, FeatureRule] = {}
        for rule in construction.feature_rules:
            if (other := always.get(rule.feature)) is not None:
                dead, deciding = format_feature_rule(rule), format_feature_rule(other)
                message = f"{construction.name}: {dead} never decides, for {deciding} before it does"
                yield warning(message, construction.span or whole, "put it first, or remove it")
            elif rule.value is not None and rule.condition is None:
                always[rule.feature] = rule


def _covers(one: str, other: str) -> bool:
    """Whether a shell pattern fits all that another one fits: they are equal, or it has stars and letters alone."""
    return one == other or (not {*"?["} & {*one} and fnmatchcase(_ANY_OF.sub("\0", other), one))


def misread_names(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Names that data tools take for a missing value or a truth value."""
    spans = {construction.name: construction.span for construction in grammar.constructions}
    names = [*spans, *grammar.leaves, *(relation.name for relation in grammar.relations)]
    for feature, values in grammar.features:
        names += [feature, *values]
    for name in dict.fromkeys(names):
        if name in MISREAD:
            message = f'data tools such as R read the name "{name}" as something else'
            yield warning(message, spans.get(name) or whole, f'choose a longer name, such as "{name}1"')


def uncut_clitics(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """A form such as l' that no rule cuts from the words in front of which it is written: l'homme is unknown then."""
    made = {form.replace("’", "'") for rule in grammar.tokens for form in (rule.forms[1:] or rule.forms)}
    for form in sorted(set(forms_of(grammar.lexicon))):
        if CLITIC.fullmatch(form) and form.replace("’", "'") not in made:
            hint = f"write 'prefix \"{form}\"' below 'tokens:'"
            yield warning(f'"{form}" of the lexicon is not cut from the word behind it', whole, hint)
