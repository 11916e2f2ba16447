"""An induced grammar as files: the grammar with its counts in comments, its lexicon, its rules.

A property stands on a line of its own, its counts behind it: validating and violating occurrences, w0, w1, and three
sentences that violate it.

    Det < N weight 0.968 cost 4.094    # 5505:80 w0 .9857 w1 .9716; not in cats.mrg:3, cats.mrg:8, cats.mrg:17
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from numbat.errors import counted, whole_of
from numbat.grammar.model import Entry, Grammar
from numbat.grammar.names import format_name, quoted, unquoted
from numbat.grammar.printing import format_grammar, format_statements, wrapped
from numbat.grammar.properties import UNIT, format_number
from numbat.records import frozen
from numbat.treebank.induction.induced import InducedConstruction, InducedGrammar, InducedProperty, Support
from numbat.treebank.induction.induced_lexicon import fits_a_file
from numbat.treebank.induction.rule_counts import RuleCount

COUNTS: Final = re.compile(r"# (\d+):(\d+) w0 ([01]?\.\d+) w1 ([01]?\.\d+)(?:; not in (.*))?")
"""The comment behind a property: valid, violating, w0, w1, sentences."""
CONSTRUCTION: Final = re.compile(r'("(?:[^"\\]|\\.)*"|[^:#"]*):(?:\s*# (\d+) occurrences?)?')
"""The first line of a construction: its name, which may have a colon in quotes, and how often it occurs."""
RULE: Final = re.compile(r"\s+# {2,}(\d+)  (.*\S)")
MOST_RULES: Final = 12
"""So many rules of a construction are shown above its properties."""
COLUMN: Final = 60


@frozen
class FileCounts:
    """The counts in the comments of an induced grammar file: by line the support of a property, by construction how
    often it occurs and its rules."""

    supports: dict[int, Support]
    occurrences: dict[str, int]
    rules: dict[str, tuple[tuple[int, str], ...]]


def format_induced(induced: InducedGrammar, opening: Iterable[str] = (), lexicon_file: str = "") -> str:
    """The grammar in the notation; reading it gives `induced.grammar` again.

    `opening` are lines of comment at the top. With a `lexicon_file` the grammar names that file and holds only the
    entries that it cannot hold (`format_lexicon`).
    """
    grammar = induced.grammar
    kept = tuple(entry for entry in grammar.lexicon if not (lexicon_file and fits_a_file(entry.form)))
    frame = replace(grammar, constructions=(), lexicon=(), guesses=())
    blocks = ["\n".join(f"# {line}" if line else "#" for line in opening), format_grammar(frame).rstrip()]
    blocks += ["\n".join(_construction(each)) for each in induced.constructions]
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
    width = len(str(construction.rules[0].count)) + 1
    for rule in construction.rules[:MOST_RULES]:
        yield f"    #  {rule.count:>{width}}  {' '.join(rule.daughters)}"
    if (more := len(construction.rules) - MOST_RULES) > 0:
        yield f"    # and {counted(more, 'rule')} more"
    yield f"    {wrapped('const {' + ', '.join(format_name(each) for each, _ in construction.constituency) + '}')}"
    relation = ""
    for induced in construction.properties:
        if relation and relation != induced.property.relation:
            yield ""
        relation = induced.property.relation
        yield _line(induced)


def _line(induced: InducedProperty) -> str:
    (statement,) = format_statements([induced.property])
    support = induced.support
    sentences = f"; not in {', '.join(support.sentences)}" if support.sentences else ""
    counts = f"# {support.valid}:{support.violating} w0 {share(support.w0)} w1 {share(support.w1)}{sentences}"
    return f"    {statement:<{COLUMN - 4}}  {counts}"


def share(number: float, decimals: int = 4) -> str:
    """Decimals without a leading zero, never rounded up to 1: .9857, 1.0000."""
    text = f"{number:.{decimals}f}"
    return f".{'9' * decimals}" if text[0] == "1" and number < 1 else text.removeprefix("0")


def format_lexicon(entries: Iterable[Entry]) -> str:
    """The entries as a lexicon file: form, category, features, weight, separated by TAB."""
    lines = ["# form\tcategory\tfeatures\tweight"]
    for entry in (entry for entry in entries if fits_a_file(entry.form)):
        for reading in entry.readings:
            features = " ".join(f"{name}={'|'.join(values)}" for name, values in reading.features)
            lines.append(f"{entry.form}\t{reading.category}\t{features}\t{format_number(round(reading.weight * UNIT))}")
    return "\n".join(lines) + "\n"


def format_rules(rules: Iterable[RuleCount]) -> str:
    """The rules with their counts: construction, count, daughters separated by blanks; columns separated by TAB."""
    lines = ["# construction\tcount\tdaughters"]
    lines += [f"{each.construction}\t{each.count}\t{' '.join(each.daughters)}" for each in rules]
    return "\n".join(lines) + "\n"


def read_counts(text: str) -> FileCounts:
    """The counts in the comments of a grammar file; none where the grammar was not induced."""
    supports: dict[int, Support] = {}
    occurrences: dict[str, int] = {}
    rules: dict[str, list[tuple[int, str]]] = {}
    name = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if line[:1].strip() and not line.startswith("#"):
            found = CONSTRUCTION.match(line)
            name = unquoted(found[1].strip()) if found else ""
            if found and found[2]:
                occurrences[name] = whole_of(found[2])
        elif found := RULE.fullmatch(line):
            rules.setdefault(name, []).append((whole_of(found[1]), found[2]))
        elif found := COUNTS.search(line):
            valid, violating = whole_of(found[1]), whole_of(found[2])
            sentences = tuple(found[5].split(", ")) if found[5] else ()
            supports[number] = Support(valid, violating, occurrences.get(name, 0), sentences)
    return FileCounts(supports, occurrences, {name: tuple(found) for name, found in rules.items()})
