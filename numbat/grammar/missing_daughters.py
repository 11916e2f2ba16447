"""Warnings about categories that a grammar names where none can be: part of the checks that `checks` lists.

A head, or the daughter that a feature rule asks for, of which its phrase is never made; a part of speech that no word
has, or that is declared and used nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from numbat.errors import Problem, Span, warning
from numbat.grammar.lazy_lexicon import forms_of
from numbat.grammar.model import Construction, FeatureRule, Grammar
from numbat.grammar.names import format_name
from numbat.grammar.possible_features import words_of
from numbat.grammar.printing import format_feature_rule
from numbat.grammar.properties import format_operand


def heads_never_there(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """A head that is no possible daughter of its construction, so that the phrase takes no features from it."""
    for construction in grammar.constructions:
        daughters = {operand.category for operand in construction.daughters}
        for head in construction.head:
            if daughters and head.category not in daughters:
                name = format_name(construction.name)
                message = f"{name}: head {format_operand(head)}, but {name} is never made of {head.category}"
                yield warning(message, construction.span or whole, _remedy(construction, head.category))


def rules_without_daughter(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """A feature rule that copies from, or depends on, what is no possible daughter of its construction."""
    for construction in grammar.constructions:
        daughters = {operand.category for operand in construction.daughters}
        for rule in construction.feature_rules if daughters else ():
            for category in _never_there(rule, daughters):
                stated = f"{format_name(construction.name)}: {format_feature_rule(rule)}"
                message = f"{stated} {_effect(rule)}, for {construction.name} is never made of {category}"
                yield warning(message, construction.span or whole, _remedy(construction, category))


def _never_there(rule: FeatureRule, daughters: set[str]) -> list[str]:
    asked = (*rule.sources, *([rule.condition] if rule.condition else []))
    return [category for category in dict.fromkeys(each.category for each in asked) if category not in daughters]


def _effect(rule: FeatureRule) -> str:
    """What becomes of a rule whose daughter is never there."""
    if rule.condition is None:
        return "copies nothing from there"
    return "always applies" if rule.absent else "never applies"


def _remedy(construction: Construction, category: str) -> str:
    where = "its const" if construction.constituency is not None else f"a property of {construction.name}"
    return f"name {category} in {where}, or name another daughter here"


def parts_of_speech_without_words(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Parts of speech that no word of a lexicon has, and such as are in no property either.

    A lexicon of punctuation marks says nothing of words, nor one that has words for the fewest parts of speech.
    """
    used = {operand.category for construction in grammar.constructions for operand in construction.daughters}
    used |= {root.category for root in grammar.roots}
    given = {word.category for word in words_of(grammar)}
    lacking = [leaf for leaf in grammar.leaves if leaf not in given]
    has_words = any(any(map(str.isalpha, form)) for form in forms_of(grammar.lexicon))
    if not has_words or 2 * len(lacking) > len(grammar.leaves):
        return
    if idle := [leaf for leaf in lacking if leaf not in used]:
        are = "is declared as a part of speech" if len(idle) == 1 else "are declared as parts of speech"
        message = f"{', '.join(idle)} {are}, but in no property, and no word is one"
        yield warning(message, whole, "remove what is not needed, or look for another spelling of it")
    if wordless := [leaf for leaf in lacking if leaf in used]:
        message = f"no word of the lexicon is {' or '.join(wordless)}, of which properties speak"
        yield warning(message, whole, "add such words, or parse words that carry their categories (--tagged)")
