"""Warnings about the words of a grammar: its lexicon, and the patterns that guess words (ruling 13)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from numbat.errors import NumbatError, Problem, Span, counted, warning
from numbat.grammar.cache import forms_of, kinds_of
from numbat.grammar.feature_values import words_of_rules
from numbat.grammar.model import Entry, Grammar, remembered_lately
from numbat.grammar.names import format_name

CLITIC: Final = re.compile(r"[^\W\d_]{1,2}['’]")
"""A clitic with its apostrophe, such as l'."""
STATES_LEXICON: Final = re.compile(rb"^\s*lexicon(_file)?\s*:", re.MULTILINE)
"""The beginning of a lexicon, in the notation and in YAML."""
QUOTED: Final = re.compile(r'^"|"$')
"""A quotation mark at either end."""
EXPRESSION: Final = re.compile(r"^\.\*|\.\*.|\.\+|^\^|\$$|\\[wdbsS]|\(.*\||[\])]\+")
"""Signs of a regular expression that no word contains."""
_APOSTROPHES: Final = str.maketrans(dict.fromkeys("’ʼʻ‘ꞌ", "'"))
_OF_WORDS: Final = re.compile(r"[ \t]*(?:lexicon|lexicon_file|include)[ \t]*:")
"""The beginning of a line that gives words to a file in the notation."""
MAX_TWINS: Final = 5
"""Maximum number of forms that one warning names."""


def empty_lexicon(grammar: Grammar, whole: Span, contents: Iterable[bytes]) -> Iterator[Problem]:
    """Warn about a lexicon section without words in a grammar without guess rules.

    A grammar without the section may be meant for tagged words.
    """
    stated = any(STATES_LEXICON.search(content) for content in contents)
    if stated and grammar.constructions and not len(grammar.lexicon) and not grammar.guesses:
        hint = 'add words below "lexicon:", or parse words with tags (--tagged)'
        yield warning("the lexicon is empty, so every word is unknown", whole, hint)


def quotation_marks(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about forms in quotation marks, which a spreadsheet may have added and which become part of the form."""
    quoted = _forms_in_quotes(grammar.lexicon)
    if quoted:
        more = f" and {counted(len(quoted) - 1, 'form')} more" if len(quoted) > 1 else ""
        message = f"the lexicon has the form {quoted[0]}{more} with quotation marks, which words of a text never have"
        yield warning(
            message, whole, "remove them: a lexicon file separates columns with TAB and has no quotation marks"
        )


@remembered_lately
def _forms_in_quotes(lexicon: Sequence[Entry]) -> list[str]:
    return [form for form in forms_of(lexicon) if QUOTED.search(form) and any(map(str.isalnum, form))]


def regular_expressions(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about patterns written like regular expressions, which match hardly any word as shell patterns."""
    for section, rules in (("guess", grammar.guesses), ("names", grammar.names), ("spelling", grammar.spelling)):
        for pattern in dict.fromkeys(rule.pattern for rule in rules):
            if EXPRESSION.search(pattern):
                message = f'{section}: "{pattern}" looks like a regular expression, but patterns are shell patterns'
                hint = (
                    '* stands for any letters, ? for one, [abc] for one of these: "*ing" matches words that end in ing'
                )
                yield warning(message, whole, hint)


def patterns_of_one_word(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about guess patterns without a wildcard, such as "a-", which match only the word they spell."""
    for pattern in dict.fromkeys(rule.pattern for rule in grammar.guesses):
        if pattern.replace("-", "").isalpha():
            message = f'guess: "{pattern}" matches only that word: it has no wildcard'
            letters = pattern.strip("-")
            meant = f"{letters}*" if pattern.endswith("-") else f"*{letters}"
            hint = f'* stands for any letters, as in "{meant}"; a single word belongs in the lexicon'
            yield warning(message, whole, hint)


def uncut_clitics(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about a form such as l' that no rule cuts from the following word: l'homme is unknown then."""
    made = {form.replace("’", "'").lower() for rule in grammar.tokens for form in (rule.forms[1:] or rule.forms)}
    for form in _clitics(grammar.lexicon):
        if form.replace("’", "'").lower() not in made:
            hint = f"write 'prefix \"{form}\"' below 'tokens:'"
            yield warning(f'the lexicon has "{form}", but no token rule cuts it from the word after it', whole, hint)


@remembered_lately
def _clitics(lexicon: Sequence[Entry]) -> list[str]:
    return sorted({form for form in forms_of(lexicon) if CLITIC.fullmatch(form)})


def forms_that_look_alike(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about forms that differ only in an apostrophe and a letter that looks like one: `k'a`, `kʼa`."""
    alike: dict[str, dict[str, None]] = {}
    for form in forms_of(grammar.lexicon):
        if not form.isascii() or "'" in form:
            alike.setdefault(form.translate(_APOSTROPHES), {})[form.replace("’", "'")] = None
    words = (forms for shape, forms in alike.items() if any(map(str.isalnum, shape)))  # and no quotation marks
    for first, second, *_ in (list(forms) for forms in words if len(forms) > 1):
        message = f'"{first}" and "{second}" of the lexicon differ in a character that looks like an apostrophe'
        yield warning(message, whole, "they are two words; write both with the same character if you mean one word")


def twins_of_included_words(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about forms to which both a grammar and a grammar included in it give readings."""
    from numbat.grammar.loading import load_grammar, place_of_entry  # a circular import

    included = [path for path in grammar.files if path != whole.path]
    ours = _numbers_of_readings(grammar.lexicon) if included else Counter()
    for path in included:
        if Path(path).suffix not in (".pg", ".yaml", ".yml") or not _may_have_words(path):
            continue
        try:
            theirs = load_grammar(path)
        except NumbatError:  # a part that is not a grammar by itself, or a text without file
            continue
        numbers = _numbers_of_readings(theirs.lexicon)
        twins = [form for form in ours if 0 < numbers[form] < ours[form]]
        if twins:
            name = Path(path).name
            listed = ", ".join(twins[:MAX_TWINS]) + (", …" if len(twins) > MAX_TWINS else "")
            message = f"{counted(len(twins), 'form')} of the lexicon {'has' if len(twins) == 1 else 'have'} readings in"
            place = place_of_entry({*twins}, [path for path in grammar.files if path not in theirs.files]) or whole
            hint = (
                "each reading is one more choice in every sentence: leave out those that you do not mean, or write "
                f"'without word {format_name(twins[0])}' to keep only yours"
            )
            yield warning(f"{message} {name} too: {listed}", place, hint)


def _may_have_words(path: str) -> bool:
    """False for a file without words, such as a chapter of a large grammar, which would be slow to read in vain."""
    if not path.endswith(".pg"):
        return True
    try:
        text = Path(path).read_text("utf-8", "replace")
    except OSError:  # a text without file
        return False
    return any(_OF_WORDS.match(line) for line in text.splitlines())


@remembered_lately
def _numbers_of_readings(lexicon: Sequence[Entry]) -> Counter[str]:
    numbers: Counter[str] = Counter()
    for entry in lexicon:
        numbers[entry.form] += len(entry.readings)
    return numbers


def parts_of_speech_without_words(grammar: Grammar, whole: Span) -> Iterator[Problem]:
    """Warn about parts of speech to which no word of the lexicon belongs.

    Lexicons without letters, and lexicons with words for less than half of the parts of speech, are not checked.
    """
    used = {operand.category for construction in grammar.constructions for operand in construction.daughters}
    used |= {root.category for root in grammar.roots}
    given = {category for category, _ in kinds_of(grammar.lexicon)}
    given |= {word.category for word in words_of_rules(grammar)}
    lacking = [leaf for leaf in grammar.leaves if leaf not in given]
    has_words = any(any(map(str.isalpha, form)) for form in forms_of(grammar.lexicon))
    if not has_words or 2 * len(lacking) > len(grammar.leaves):
        return
    if idle := [leaf for leaf in lacking if leaf not in used]:
        are, them = ("is a part of speech", "it") if len(idle) == 1 else ("are parts of speech", "them")
        message = f"{', '.join(idle)} {are} without words and without properties"
        yield warning(message, whole, f"remove {them} if not needed, or check the spelling")
    if wordless := [leaf for leaf in lacking if leaf in used]:
        them = "it" if len(wordless) == 1 else "them"
        message = f"no word of the lexicon is {' or '.join(wordless)}, but properties mention {them}"
        yield warning(message, whole, "add such words, or parse words with tags (--tagged)")
