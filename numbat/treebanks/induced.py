"""Induced grammars: properties with their counts, the lexicon, and the files.

A grammar file shows the counts of each property in a comment, from which `read_counts` restores them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from typing import Final, Literal

from numbat.errors import counted, whole_of
from numbat.files import unguarded
from numbat.grammar.model import Entry, Grammar, GuessRule, Reading, TokenRule
from numbat.grammar.names import format_name, quoted, unquoted
from numbat.grammar.printing import format_grammar, format_statements, wrapped
from numbat.grammar.properties import UNIT, Property, format_number
from numbat.grammar.relations import BUILT_IN, OCCURS
from numbat.records import frozen
from numbat.treebanks.example_phrases import ExamplePhrase, categories_of
from numbat.treebanks.rule_counts import NotCounted, RuleCount, TreebankCounts
from numbat.words.segmentation import are_divided


@frozen
class Support:
    """Support of a property: how many occurrences of its construction there are, satisfy it, and violate it.

    Occurrences in which the property is not pertinent count in `occurrences` only. `sentences` names the first that
    violate it. w0 and w1 are defined as in MarsaGram (Blache, de Montcheuil & Rauzy, TALN 2015).
    """

    valid: int
    violating: int
    occurrences: int
    sentences: tuple[str, ...] = ()

    @property
    def support(self) -> int:
        """Number of occurrences in which the property is pertinent."""
        return self.valid + self.violating

    @property
    def w0(self) -> float:
        """Share of the pertinent occurrences that satisfy it: valid / (valid + violating)."""
        return self.valid / self.support if self.support else 0.0

    @property
    def w1(self) -> float:
        """w0 times the share of all occurrences that satisfy it: w0 * valid / occurrences."""
        return self.w0 * self.valid / self.occurrences if self.occurrences else 0.0


@frozen
class InducedProperty:
    """A property with its support and its gain over chance; the most informative ones have example phrases."""

    property: Property
    support: Support
    gain: float = 0.0
    example: ExamplePhrase | None = None
    counterexample: ExamplePhrase | None = None


@frozen
class Uses:
    """Uses of a construction: its share of all phrases; how often it has a relation, is in another one, is a root."""

    share: float = 0.0
    relations: tuple[tuple[str, int], ...] = ()
    within: tuple[tuple[str, int], ...] = ()
    roots: int = 0


@frozen
class InducedConstruction:
    """A construction with its number of occurrences, its daughters and their occurrences, its properties and rules.

    Its obligation and its most informative properties come first.
    """

    name: str
    occurrences: int
    constituency: tuple[tuple[str, int], ...]
    properties: tuple[InducedProperty, ...]
    rules: tuple[RuleCount, ...]
    uses: Uses = Uses()

    @property
    def composed(self) -> int:
        """Number of occurrences with more than one daughter."""
        return sum(rule.count for rule in self.rules if len(rule.daughters) > 1)


@frozen
class InducedGrammar:
    """A grammar with its counts by construction."""

    grammar: Grammar
    constructions: tuple[InducedConstruction, ...]
    sentences: int
    left_out: NotCounted = field(default_factory=NotCounted)

    def sizes(self) -> dict[str, int]:
        """Return the number of properties by relation; `constituency` is the number of daughters that are listed."""
        properties = [
            induced.property.relation for construction in self.constructions for induced in construction.properties
        ]
        relations = *(built_in.name for built_in in BUILT_IN), OCCURS.name
        counts = {relation: properties.count(relation) for relation in relations}
        constituents = sum(len(construction.constituency) for construction in self.constructions)
        return {"constituency": constituents} | {relation: count for relation, count in counts.items() if count}


# The lexicon, and rules that guess the categories of unknown words

MAX_SUFFIX: Final = 4
MIN_EVIDENCE: Final = 20
"""Minimum number of rare words for a pattern to become a rule."""
MIN_MARKS: Final = 5
"""Minimum count of a sign, such as %, with a category, in grammars without any other lexicon."""
MIN_TIED: Final = 2
"""Minimum count of an elision or clitic to be split off words."""
_PREFIX: Final = re.compile(r"[^\W\d_]+'")
_SUFFIX: Final = re.compile(r"'[^\W\d_]*|n't|(?:-[^\W\d_A-Z]+)+(?:'[^\W\d_]+)?")
MIN_SHARE: Final = 0.02
"""Minimum share of a category among the words of a rule."""


def fits_a_file(form: str) -> bool:
    """Return True if a form can begin a line of a lexicon file, unlike # (a comment), % (a paradigm) and '-."""
    return form[:1] not in "#%" and unguarded(form) == form


def lexicon_of(treebank: TreebankCounts, features: set[str]) -> tuple[Entry, ...]:
    """Return the lexicon: forms with their categories, those of their features in `features`, and counts as weights.

    A sentence-initial word counts in lower case if that form occurs elsewhere. Runs of blanks become one blank.
    """
    elsewhere = {entry.form for entry in treebank.words if not entry.initial}
    counts: dict[str, dict[Reading, int]] = {}
    for entry, count in treebank.words.items():
        lower = entry.form.lower()
        form = lower if entry.initial and entry.form not in elsewhere and lower in elsewhere else entry.form
        form = " ".join(form.split())
        demand = tuple((name, tuple(value.split(","))) for name, value in sorted(entry.features) if name in features)
        readings = counts.setdefault(form, {})
        reading = Reading(entry.category, demand)
        readings[reading] = readings.get(reading, 0) + count
    return tuple(
        Entry(form, tuple(replace(reading, weight=float(counts[form][reading])) for reading in sorted(
            counts[form], key=lambda reading: (-counts[form][reading], reading.category, reading.features)
        )))
        for form in sorted(filter(None, counts), key=lambda form: (fits_a_file(form), form))
    )  # fmt: skip


def marks_of(treebank: TreebankCounts) -> tuple[Entry, ...]:
    """Return the frequent forms without letters or digits, which are words only in a lexicon (ruling 20)."""
    entries = (entry for entry in lexicon_of(treebank, set()) if not any(char.isalnum() for char in entry.form))
    frequent = (
        (entry, tuple(reading for reading in entry.readings if reading.weight >= MIN_MARKS)) for entry in entries
    )
    return tuple(replace(entry, readings=readings) for entry, readings in frequent if readings)


def rewrites_of(treebank: TreebankCounts) -> tuple[TokenRule, ...]:
    """Return rules that split multiword tokens, except those with punctuation or blanks, into their usual words."""
    forms = {entry.form for entry in treebank.words}
    chosen = (
        (written, min(counts, key=lambda words: (-counts[words], words)))
        for written, counts in sorted(treebank.contractions.items())
    )
    return tuple(
        TokenRule("rewrite", (written, *words))
        for written, words in chosen
        if forms.issuperset(words) and not any(" " in form for form in (written, *words))
    )


def segmenting_of(treebank: TreebankCounts) -> tuple[TokenRule, ...]:
    """Return the rule that divides text into words, if many contain blanks or are written without blanks."""
    forms = ((entry.form, count) for entry, count in treebank.words.items())
    return (TokenRule("segment"),) if are_divided(forms) else ()


def affixes_of(treebank: TreebankCounts) -> tuple[TokenRule, ...]:
    """Return rules that split off forms written without a blank: elisions (l'), clitics ('s, n't, -t-il).

    Trees do not record blanks; the spelling identifies such forms, which need MIN_TIED occurrences.
    """
    counts: dict[Literal["prefix", "suffix"], Counter[str]] = {"prefix": Counter(), "suffix": Counter()}
    for entry, count in treebank.words.items():
        form = entry.form.replace("’", "'")
        if _PREFIX.fullmatch(form):
            counts["prefix"][form.lower()] += count
        elif _SUFFIX.fullmatch(form):
            counts["suffix"][form.lower()] += count
    return tuple(
        TokenRule(kind, (form,)) for kind, forms in counts.items() for form in sorted(forms) if forms[form] >= MIN_TIED
    )


def guesses_of(treebank: TreebankCounts) -> tuple[GuessRule, ...]:
    """Return rules for unknown words, by digits, capitals and suffixes, from words that occur once.

    A suffix becomes a rule if it predicts one category better than the next shorter suffix.
    """
    rare: Counter[tuple[str, str]] = Counter()
    forms: Counter[str] = Counter()
    for entry, count in treebank.words.items():
        forms[entry.form] += count
        if not entry.initial:
            rare[entry.form, entry.category] += count
    words = [(form, category) for (form, category) in sorted(rare) if forms[form] == 1]
    rules = []
    for pattern, fits in (("*[0-9]*", _has_digit), ("[A-Z]*", _is_capital)):
        chosen = [word for word in words if fits(word[0])]
        words = [word for word in words if not fits(word[0])]
        if len(chosen) >= MIN_EVIDENCE:
            rules.append(GuessRule(pattern, _readings(Counter(category for _, category in chosen))))
    by_suffix: dict[str, Counter[str]] = {}
    for form, category in words:
        for length in range(min(MAX_SUFFIX, len(form)) + 1):
            by_suffix.setdefault(form[len(form) - length :], Counter())[category] += 1
    rules += [GuessRule(f"*{suffix}", _readings(by_suffix[suffix])) for suffix in _suffixes(by_suffix)]
    return tuple(rules)


def _suffixes(by_suffix: dict[str, Counter[str]]) -> Iterator[str]:
    """Yield suffixes that predict a category better than the next shorter one, longest first, then ""."""
    for suffix in sorted(by_suffix, key=lambda suffix: (-len(suffix), suffix)):
        counts = by_suffix[suffix]
        if not suffix:
            yield suffix
        elif counts.total() >= MIN_EVIDENCE and suffix.isalpha():
            category, most = min(counts.items(), key=lambda item: (-item[1], item[0]))
            shorter = by_suffix[suffix[1:]]
            if most / counts.total() > shorter[category] / shorter.total() + 0.1:
                yield suffix


def _readings(counts: Counter[str]) -> tuple[Reading, ...]:
    """Return the categories by descending frequency, weighted by their number of words."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    kept = [(category, count) for category, count in ordered if count >= MIN_SHARE * counts.total()]
    return tuple(Reading(category, (), float(count)) for category, count in kept)


_has_digit: Final[Callable[[str], object]] = re.compile(r"[0-9]").search
_is_capital: Final[Callable[[str], object]] = re.compile(r"[A-Z]").match


# Files. The line of a property ends with its counts: satisfying and violating occurrences, w0, w1, the gain, and up to
# three sentences that violate it. The most informative ones have phrases below.
#
#     Det < N weight 0.968 cost 4.094    # 5505:80 w0 .9857 w1 .9716 gain 3445; not in cats.mrg:3, cats.mrg:8
#         # as in "[the] old [house]"; not in "[day] [that]"

COUNTS: Final = re.compile(r"# (\d+):(\d+) w0 ([01]?\.\d+) w1 ([01]?\.\d+)(?: gain (\d+))?(?:; not in (.*))?")
"""Comment after a property: valid, violating, w0, w1, gain, sentences."""
PHRASES: Final = re.compile(r'\s+# as in "(.*?)"(?:; not in "(.*)")?')
"""Comment below a property: a phrase that satisfies it, one that violates it."""
ABOUT: Final = re.compile(r"    # (.*% of all phrases.*)")
"""Comment below the first line of a construction: its uses."""
CONSTRUCTION: Final = re.compile(r'("(?:[^"\\]|\\.)*"|[^:#"]*):(?:\s*# (\d+) occurrences?)?')
"""First line of a construction: its name, possibly quoted, and its number of occurrences."""
RULE: Final = re.compile(r'\s+# {2,}(\d+)  (\S+(?: \S+)*)(?: {2,}"(.*)")?')
"""Comment for a rule: its count, its daughters, a phrase."""
MAX_RULES: Final = 12
"""Maximum number of rules shown above the properties of a construction."""
COLUMN: Final = 60


@frozen
class FileCounts:
    """Counts in the comments of a grammar file.

    By line number of a property: its support, its gain, and phrases that satisfy and violate it. By construction:
    number of occurrences; rules, each with its count and a phrase; its uses.
    """

    supports: dict[int, Support]
    occurrences: dict[str, int]
    rules: dict[str, tuple[tuple[int, str, str], ...]]
    gains: dict[int, int] = field(default_factory=dict)
    phrases: dict[int, tuple[str, str]] = field(default_factory=dict)
    about: dict[str, str] = field(default_factory=dict)


def format_induced(induced: InducedGrammar, opening: Iterable[str] = (), lexicon_file: str = "") -> str:
    """Format the grammar; reading it back gives `induced.grammar`.

    `opening` are comment lines at the top. With a `lexicon_file` the grammar names that file and contains only entries
    that do not fit into a file (`fits_a_file`).
    """
    grammar = induced.grammar
    kept = tuple(entry for entry in grammar.lexicon if not (lexicon_file and fits_a_file(entry.form)))
    frame = replace(grammar, constructions=(), lexicon=(), guesses=())
    blocks = ["\n".join(f"# {line}" if line else "#" for line in opening), format_grammar(frame).rstrip()]
    blocks += ["\n".join(_construction(construction)) for construction in induced.constructions]
    if kept:
        blocks.append(format_grammar(Grammar(lexicon=kept)).rstrip())
    if lexicon_file:
        blocks.append(f"lexicon_file: {quoted(lexicon_file)}")
    if grammar.guesses:
        blocks.append(format_grammar(Grammar(guesses=grammar.guesses)).rstrip())
    return "\n\n".join(block for block in blocks if block) + "\n"


def _construction(construction: InducedConstruction) -> Iterator[str]:
    name = f"{format_name(construction.name)}:"
    yield f"{name:<{COLUMN}}  # {construction.occurrences} occurrence{'s' * (construction.occurrences != 1)}"
    yield f"    # {_about(construction.uses)}"
    width = len(str(construction.rules[0].count)) + 1
    for rule in construction.rules[:MAX_RULES]:
        yield f"    #  {rule.count:>{width}}  {_rule(rule)}".rstrip()
    if (more := len(construction.rules) - MAX_RULES) > 0:
        yield f"    # and {counted(more, 'rule')} more"
    constituency = ", ".join(format_name(daughter) for daughter, _ in construction.constituency)
    yield f"    {wrapped('const {' + constituency + '}')}"
    relation = ""
    for induced in construction.properties:
        shown = _shown(induced)
        if relation != induced.property.relation and not shown:
            yield ""
        relation = "" if shown else induced.property.relation
        yield _line(induced)
        if shown:
            yield f"        # {shown}"


MAX_USES: Final = 5


def _about(uses: Uses) -> str:
    """Return the uses of a construction in one line."""
    total = max(1, sum(count for _, count in uses.within) + uses.roots)
    relations = max(1, sum(count for _, count in uses.relations))
    parts = [f"{_percent(uses.share)} of all phrases"]
    if uses.relations:
        named = (f"{name} {_percent(count / relations)}" for name, count in uses.relations[:MAX_USES])
        parts.append(f"as {', '.join(named)}")
    if uses.within:
        named = (f"{format_name(name)} {_percent(count / total)}" for name, count in uses.within[:MAX_USES])
        parts.append(f"within {', '.join(named)}")
    if uses.roots:
        parts.append(f"the root {_percent(uses.roots / total)}")
    return "; ".join(parts)


def _percent(number: float) -> str:
    return f"{100 * number:.0f} %" if number >= 0.095 else f"{100 * number:.1f} %"


def _rule(rule: RuleCount) -> str:
    daughters = " ".join(rule.daughters)
    return daughters if rule.example is None else f'{daughters:<{COLUMN - 20}}  "{rule.example.marked(())}"'


def _shown(induced: InducedProperty) -> str:
    """Return the phrases that show a property, with the daughters that it is about marked."""
    if induced.example is None:
        return ""
    named = {category for operand in categories_of(induced.property) for category in operand}
    example = f'as in "{induced.example.marked(named)}"'
    other = induced.counterexample
    return example if other is None else f'{example}; not in "{other.marked(named)}"'


def _line(induced: InducedProperty) -> str:
    (statement,) = format_statements([induced.property])
    support = induced.support
    sentences = f"; not in {', '.join(support.sentences)}" if support.sentences else ""
    gained = f" gain {induced.gain:.0f}" if induced.gain >= 0.5 else ""
    counts = f"# {support.valid}:{support.violating} w0 {share(support.w0)} w1 {share(support.w1)}{gained}{sentences}"
    return f"    {statement:<{COLUMN - 4}}  {counts}"


def share(number: float, decimals: int = 4) -> str:
    """Format a share without a leading zero, never rounded up to 1: .9857, 1.0000."""
    text = f"{number:.{decimals}f}"
    return f".{'9' * decimals}" if text[0] == "1" and number < 1 else text.removeprefix("0")


def format_lexicon(entries: Iterable[Entry]) -> str:
    """Format a lexicon file: form, category, features, weight, separated by TAB."""
    lines = ["# form\tcategory\tfeatures\tweight"]
    for entry in (entry for entry in entries if fits_a_file(entry.form)):
        for reading in entry.readings:
            features = " ".join(f"{name}={'|'.join(values)}" for name, values in reading.features)
            lines.append(f"{entry.form}\t{reading.category}\t{features}\t{format_number(round(reading.weight * UNIT))}")
    return "\n".join(lines) + "\n"


def format_rules(rules: Iterable[RuleCount]) -> str:
    """Format rules with counts: construction, count, daughters separated by blanks; columns separated by TAB."""
    lines = ["# construction\tcount\tdaughters"]
    lines += [f"{count.construction}\t{count.count}\t{' '.join(count.daughters)}" for count in rules]
    return "\n".join(lines) + "\n"


def read_counts(text: str) -> FileCounts:
    """Read the counts in the comments of a grammar file; empty if it was not induced."""
    counts = FileCounts({}, {}, {})
    rules: dict[str, list[tuple[int, str, str]]] = {}
    name, last = "", 0
    for number, line in enumerate(text.split("\n"), start=1):
        if line[:1].strip() and not line.startswith("#"):
            opened = CONSTRUCTION.match(line)
            name = unquoted(opened[1].strip()) if opened else ""
            if opened and opened[2]:
                counts.occurrences[name] = whole_of(opened[2])
        elif match := RULE.fullmatch(line):
            rules.setdefault(name, []).append((whole_of(match[1]), match[2], match[3] or ""))
        elif match := PHRASES.fullmatch(line):
            counts.phrases[last] = match[1], match[2] or ""
        elif match := ABOUT.fullmatch(line):
            counts.about[name] = match[1]
        elif match := COUNTS.search(line):
            last = number
            valid, violating = whole_of(match[1]), whole_of(match[2])
            sentences = tuple(match[6].split(", ")) if match[6] else ()
            counts.supports[number] = Support(valid, violating, counts.occurrences.get(name, 0), sentences)
            if match[5]:
                counts.gains[number] = whole_of(match[5])
    return replace(counts, rules={name: tuple(entries) for name, entries in rules.items()})
