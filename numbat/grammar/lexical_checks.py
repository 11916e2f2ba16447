"""Warnings about rules, names and words of a grammar: part of the checks that `checks` lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Final

from numbat.errors import Problem, Span, counted, warning
from numbat.grammar.lazy_lexicon import forms_of
from numbat.grammar.model import FeatureRule, Grammar
from numbat.grammar.printing import format_feature_rule

MISREAD: Final = frozenset((
    "NA", "NULL", "T", "F", "TRUE", "FALSE", "True", "False", "true", "false",
    "NaN", "nan", "None", "null",
))  # fmt: skip
"""The names that R, spreadsheets and data frames read as something else than text."""
CLITIC: Final = re.compile(r"[^\W\d_]{1,2}['’]")
"""A clitic before an apostrophe, where a vowel is elided."""


def empty_lexicon(grammar: Grammar, whole: Span, contents: Iterable[bytes]) -> Iterator[Problem]:
    """A lexicon, stated in one of the files, that has no word, where no rule guesses one either.

    A grammar that states none may be for words that carry their categories.
    """
    stated = any(STATES_LEXICON.search(content) for content in contents)
    if stated and grammar.constructions and not len(grammar.lexicon) and not grammar.guesses:
        hint = 'add words below "lexicon:", or parse words that carry their categories (--tagged)'
        yield warning("the lexicon is empty, so that every word is unknown", whole, hint)


def quotation_marks(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Forms in the quotation marks of a spreadsheet, which are part of the form here."""
    quoted = [form for form in forms_of(grammar.lexicon) if QUOTED.search(form) and any(map(str.isalnum, form))]
    if quoted:
        more = f" and {counted(len(quoted) - 1, 'form')} more" if len(quoted) > 1 else ""
        message = f"the lexicon has the form {quoted[0]}{more} with quotation marks, which no text has in a word"
        yield warning(message, whole, "remove them: a lexicon file has columns separated by TAB and no quotation marks")


def regular_expressions(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Patterns of rules that are written like regular expressions, and fit hardly any word as shell patterns."""
    for section, rules in (("guess", grammar.guesses), ("names", grammar.names), ("spelling", grammar.spelling)):
        for pattern in dict.fromkeys(rule.pattern for rule in rules):
            if EXPRESSION.search(pattern):
                message = f'{section}: "{pattern}" looks like a regular expression, but patterns are those of a shell'
                hint = '* stands for any letters, ? for one, [abc] for one of these: "*ing" fits what ends in ing'
                yield warning(message, whole, hint)


def patterns_of_one_word(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Guess patterns without a wildcard, such as "a-", that fit no word but the one that they spell."""
    for pattern in dict.fromkeys(rule.pattern for rule in grammar.guesses):
        if pattern.replace("-", "").isalpha():
            message = f'guess: "{pattern}" fits that word alone, for it has no wildcard'
            letters = pattern.strip("-")
            meant = f"{letters}*" if pattern.endswith("-") else f"*{letters}"
            hint = f'* stands for any letters, as in "{meant}"; a word of its own stands in the lexicon'
            yield warning(message, whole, hint)


_ANY_OF: Final = re.compile(r"\[!?\]?[^\]]*\]|\?")
STATES_LEXICON: Final = re.compile(rb"^\s*lexicon(_file)?\s*:", re.MULTILINE)
"""The beginning of a lexicon, in both forms of the notation."""
QUOTED: Final = re.compile(r'^"|"$')
"""A quotation mark at either end."""
EXPRESSION: Final = re.compile(r"^\.\*|\.\*.|\.\+|^\^|\$$|\\[wdbsS]|\(.*\||[\])]\+")
"""What regular expressions have and words do not."""


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
    made = {form.replace("’", "'").lower() for rule in grammar.tokens for form in (rule.forms[1:] or rule.forms)}
    for form in sorted(set(forms_of(grammar.lexicon))):
        if CLITIC.fullmatch(form) and form.replace("’", "'").lower() not in made:
            hint = f"write 'prefix \"{form}\"' below 'tokens:'"
            yield warning(f'"{form}" of the lexicon is not cut from the word behind it', whole, hint)
