"""Generation of sentences for experiments: well-formed ones, or ones that violate exactly one property.

A sentence that violates a property has a *twin* if one was found: a well-formed sentence that is one edit away.

Packaged grammars come with sentences, whose patterns are filled with other words. If that yields too few, sentences
that violate the property are built from its operands (`minimal_pairs`). Last, phrases are built at random from words of
the lexicon, bottom up, plain words first. A phrase that violates nothing goes into a pool; one that violates only the
chosen property is embedded in larger phrases that violate nothing, up to a root. If too few well-formed sentences were
found, their patterns are varied, and filled with other words. Every sentence is parsed again, and kept only if its best
parse violates just what it should.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain
from random import Random
from typing import Final

from numbat.acceptability.edits import KINDS
from numbat.acceptability.minimal_pairs import MinimalPairs
from numbat.acceptability.models import scorer
from numbat.acceptability.random_phrases import RandomPhrases, SearchCounts
from numbat.acceptability.repair import repairs
from numbat.errors import DataError, UsageError, close_match, visible, whole_of
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import evaluated_phrase
from numbat.files import table_row
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Property, format_bundle, format_named
from numbat.grammar.relations import BUILT_IN
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Limits, Overdue, never
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.words.example_words import ExampleWords, Kind, packaged_sentences
from numbat.words.lexical_lookup import detokenize, read_text

# Requests for sentences, generated sentences, and their rows in the file of a suite.

MAX_GENERATED_WORDS: Final = 8
"""Default maximum length of a sentence in words."""
HEADER: Final = "id\tjudgement\tsentence\tphenomenon\trelation\tpair"
"""The first line of a suite of generated sentences."""


@frozen
class Generated:
    """A sentence with its parse; `twin` is a well-formed sentence one edit away, None if none was found."""

    parse: Parse
    twin: Parse | None = None
    edit: str = ""

    @property
    def sentence(self) -> str:
        return self.parse.lattice.text


@frozen
class SentenceShape:
    """The wanted shape of sentences: their root (None: the first one), least and greatest number of words."""

    root: str | None = None
    least: int | None = None
    most: int = MAX_GENERATED_WORDS


ANY: Final = SentenceShape()


def shape_of(root: str | None, words: str | None) -> SentenceShape:
    """Return the shape for a root and a number of words, written `3-8` or `5`. Raises UsageError."""
    if words is None:
        return SentenceShape(root)
    least, dash, most = words.partition("-")
    if not least.isdecimal() or (dash and not most.isdecimal()) or not 0 < whole_of(least) <= whole_of(most or least):
        raise UsageError(f'"{words}" is not a number of words\n  write it as 3-8, or as 5')
    return SentenceShape(root, whole_of(least), whole_of(most or least))


def property_named(text: str, grammar: Grammar) -> Property:
    """Return the property that a text names, such as `NP: Det < N`. Raises UsageError if the grammar lacks it."""
    named = {format_named(prop): prop for prop in grammar.properties}
    wanted = " ".join(text.split())
    for name, prop in named.items():
        if wanted.replace(" ", "") == name.replace(" ", ""):
            return prop
    raise UsageError(f'"{visible(wanted)}" is not a property of the grammar\n  {_meant(wanted, named)}')


def _meant(wanted: str, named: Mapping[str, Property]) -> str:
    """Return a hint: a property of the relation named, one with the same operands, or one spelled similarly."""
    signs = {relation.name: relation.symbol for relation in BUILT_IN}
    of_relation = {name: {prop.type, signs.get(prop.type, prop.type)} for name, prop in named.items()}
    if named_after := [name for name, ways in of_relation.items() if wanted.lower() in ways]:
        return f'name one of its properties, as in "{named_after[0]}"'
    pieces = _PIECES.findall(wanted.lower())
    if swapped := [name for name in named if sorted(_PIECES.findall(name.lower())) == sorted(pieces)]:
        return f'did you mean "{swapped[0]}"?'
    alike = [name for name, ways in of_relation.items() if not ways.isdisjoint(pieces)]
    example = 'write it as numbat show prints it, after its construction: "NP: Det < N"'
    return close_match(wanted, alike) or close_match(wanted, named) or example


_PIECES: Final = re.compile(r"\w+|=>|~>|[^\w\s]")


def rows_of(generated: Generated, number: int, violated: str | None) -> Iterator[str]:
    """Yield the lines of a sentence in a suite: its twin as good, then itself as bad, with the violated relation."""
    if violated is None:
        yield table_row((f"g{number}", "ok", generated.sentence, "generated", "-", ""))
        return
    prop = generated.parse.violated[0].property
    if generated.twin is not None:
        yield table_row((f"{number}g", "ok", generated.twin.lattice.text, violated, "-", number))
    pair = number if generated.twin else None
    yield table_row((f"{number}b", "*", generated.sentence, violated, prop.type, pair))


ATTEMPTS: Final = 40_000
"""Maximum number of attempts at a sentence."""
STEPS: Final = 100_000
"""Maximum number of steps of a search; unlike a time limit, it gives the same result on fast and slow machines."""
SHARE: Final = 5
"""The search for minimal pairs gets one in this many of the steps; random phrases get the others."""
MIN_LENGTH: Final = 3
"""Preferred minimum length in words; shorter sentences are used if there are no others."""
FIRST_PATTERNS: Final = 0.2
"""Share of the attempts to fill patterns that come before the search for minimal pairs; the others come after it."""
MAX_WAITING: Final = 3
"""Maximum number of sentences kept back while better ones are searched, as a multiple of the wanted number."""
MET: Final = 1_000
BEYOND: Final = 1.5
"""After `MET` roots the search gives up if even the least wanted length is over `BEYOND` times the longest root's."""


def generate(
    parser: Parser,
    number: int,
    seed: int = 0,
    violated: Property | None = None,
    attempts: int | None = None,
    shape: SentenceShape = ANY,
    seconds: float | None = None,
    tried: SearchCounts | None = None,
    steps: int | None = None,
) -> Iterator[Generated]:
    """Yield up to `number` different sentences, each as soon as it is found.

    The search ends after `steps` (`STEPS`) in all, or earlier after `attempts` or `seconds`; `tried` counts its work.
    Raises UsageError for an unknown root and for a grammar without constructions; DataError if the sentences that can
    be built are far shorter than wanted.
    """
    roots = _roots(shape, parser.grammar)
    clock, steps = Limits(seconds=seconds).clock(), steps or STEPS
    search = _Search(parser, seed, violated, shape, roots, tried or SearchCounts(), clock, steps)
    return search.sentences(number, (attempts or ATTEMPTS * steps // STEPS) // 3)


@frozen
class _Search:
    """A search for sentences of a shape; `named` are the wanted roots."""

    parser: Parser
    seed: int
    violated: Property | None
    shape: SentenceShape
    named: list[str]
    tried: SearchCounts
    clock: Overdue
    steps: int
    found: list[Constituent] = field(default_factory=list, compare=False)
    """Phrases of the sentences that were found and not learned from."""

    def sentences(self, number: int, attempts: int) -> Iterator[Generated]:
        """Yield up to `number` sentences as they are found; short ones and those without a twin come last."""
        tried, seen = self.tried, set[str]()
        waiting: list[Generated] = []
        may_wait = self.violated is not None
        for made, roots, least, share in self._passes():
            for generated in self._found(made, roots, least, int(share * attempts), seen):
                if not may_wait or self._is_fine(generated):
                    tried.kept += 1
                    self.found.extend(generated.parse.constituents)
                    yield generated
                elif generated.twin or len(waiting) < MAX_WAITING * number:
                    waiting.append(generated)
                missing = number - tried.kept
                if not missing or (may_wait and isinstance(made, PhrasePatterns) and len(waiting) >= missing):
                    break
            if isinstance(made, MinimalPairs):
                may_wait = False
                yield from self._best_of(waiting, number - tried.kept)
            if tried.kept >= number:
                return
            tried.late = self.clock()
            self._check_length()
            if self._is_over():
                return

    def _best_of(self, waiting: list[Generated], number: int) -> Iterator[Generated]:
        """Yield up to `number` of the sentences kept back (`waiting`), those with a twin first."""
        for generated in sorted(waiting, key=lambda generated: generated.twin is None)[:number]:
            self.tried.kept += 1
            yield generated if generated.twin else twin_of(generated.parse, self.parser, self.clock, self.tried.parse)

    def _check_length(self) -> None:
        """Raise DataError if the wanted sentences are far longer than those built."""
        least, tried = self.shape.least, self.tried
        if tried.roots >= MET and least is not None and least > BEYOND * tried.longest:
            raise DataError(
                f"no sentence of {least} words or more was found: the longest one built has"
                f" {tried.longest} words\n  ask for shorter ones"
            )

    def _is_fine(self, made: Generated) -> bool:
        """True if a sentence need not be kept back: it has a twin, and is not short."""
        return made.twin is not None and (self.shape.least is not None or len(made.parse.lattice.tokens) >= MIN_LENGTH)

    def _found(
        self,
        made: Maker,
        roots: frozenset[str],
        least: int,
        attempts: int,
        seen: set[str],
    ) -> Iterator[Generated]:
        """Yield the sentences that parse as wanted, each with a twin that was built with it or found by edits."""
        if isinstance(made, MinimalPairs):
            yield from self._of_pairs(made, roots, least, seen)
            return
        for words in made.sentences(self.violated, roots, attempts):
            text = detokenize(words, self.parser.words)
            if text not in seen and least <= len(words) <= self.shape.most:
                seen.add(text)
                self.tried.fitting += 1
                parse = self._parsed(text)
                if self._is_as_wanted(parse, roots):
                    alone = self.violated is None
                    yield Generated(parse) if alone else twin_of(parse, self.parser, self.clock, self.tried.parse)

    def _of_pairs(self, made: MinimalPairs, roots: frozenset[str], least: int, seen: set[str]) -> Iterator[Generated]:
        """Yield the sentences that parse as wanted, each with the twin built with it if that twin is well formed."""
        for pair in made.sentences(roots):
            text = detokenize(pair.bad, self.parser.words)
            self.tried.root(len(pair.bad))
            if text in seen or not least <= len(pair.bad) <= self.shape.most:
                continue
            seen.add(text)
            self.tried.fitting += 1
            parse = self._parsed(text)
            if not self._is_as_wanted(parse, roots):
                continue
            good = None if pair.good is None else self._parsed(detokenize(pair.good, self.parser.words))
            edit = "" if good is None else edit_between(parse, good, self.violated)
            generated = Generated(parse, good, edit) if edit else Generated(parse)
            if self._is_fine(generated):
                made.accept()
            yield generated

    def _parsed(self, text: str) -> Parse:
        self.tried.parse()
        return self.parser.parse(text, overdue=self.clock)

    def _is_over(self) -> bool:
        return self.tried.steps >= self.steps or self.clock()

    def _passes(self) -> Iterator[tuple[Maker, frozenset[str], int, float]]:
        """Yield the searches to try, for the plainest sentences first, with roots, least length, share of attempts."""
        parser, shape, tried, overdue = self.parser, self.shape, self.tried, self._is_over
        least = MIN_LENGTH if shape.least is None else shape.least
        first = frozenset(self.named[:1] if parser.grammar.roots else self.named)
        every = frozenset(self.named)
        examples = ExampleWords(parser.words)
        patterns = PhrasePatterns(parser, examples, Random(self.seed), tried, overdue)
        if self.violated is None:
            yield patterns, first, least, 1
        else:
            yield patterns, first, least, FIRST_PATTERNS
            yield self._pairs(self.violated, examples, patterns.phrases), every, shape.least or 1, 1
            yield patterns, first, least, 1 - FIRST_PATTERNS
        if first != every:
            yield patterns, every, least, 1
        yield RandomPhrases(parser, Random(self.seed), examples, shape.most, tried, overdue), first, least, 1
        phrases = RandomPhrases(parser, Random(self.seed), None, shape.most, tried, overdue)
        yield phrases, every, shape.least or 1, 1
        while self.violated is None and patterns.learn((*phrases.small_ones(), *self.found)):
            self.found.clear()
            yield patterns, every, shape.least or 1, 1

    def _pairs(self, violated: Property, examples: ExampleWords, known: Sequence[Constituent]) -> MinimalPairs:
        """Return the search for minimal pairs, which ends after one in `SHARE` of all steps."""
        end = min(self.tried.steps + self.steps // SHARE, self.steps)

        def is_over() -> bool:
            return self.tried.steps >= end or self.clock()

        return MinimalPairs(
            self.parser, violated, Random(self.seed), examples, self.shape.most, self.tried, is_over, known
        )

    def _is_as_wanted(self, parse: Parse, roots: frozenset[str]) -> bool:
        if parse.stopped_by:
            return False
        properties = {evaluated.property for evaluated in parse.violated}
        wanted = set() if self.violated is None else {self.violated}
        if parse.is_full and parse.constituents[0].construction in roots and properties == wanted:
            return True
        self.tried.parsed(properties, wanted, parse.is_full)
        return False


def _roots(shape: SentenceShape, grammar: Grammar) -> list[str]:
    """Return the names of the wanted roots, in the order of the grammar, without those that are leaves."""
    phrases = [construction.name for construction in grammar.constructions]
    if not phrases:
        raise UsageError(
            "the grammar has no construction, so no sentence can be made\n  describe a phrase in the grammar"
        )
    named = [root.category for root in grammar.roots if root.category in phrases] if grammar.roots else phrases
    if not named:
        raise UsageError("no root is a construction, so no sentence can be made\n  add a construction to the roots")
    if shape.root is None:
        return named
    if shape.root not in named:
        hint = close_match(shape.root, named) or f"the roots are: {', '.join(dict.fromkeys(named))}"
        raise UsageError(f'"{shape.root}" is not a root of the grammar\n  {hint}')
    return [shape.root]


# Plain sentences on the pattern of the sentences that come with a packaged grammar, with other words.
#
# A pattern is a phrase's kind (construction and features) with the kinds of its daughters. What a phrase satisfies and
# violates depends on nothing else, so patterns can be combined without a violation; disturbing one of them may violate
# the chosen property.

LEARNED: Final = 100
"""Maximum number of sentences parsed for their patterns."""
MAX_PATTERN_WORDS: Final = 9
"""Maximum length in words of a sentence parsed for its patterns."""
DEEPEST: Final = 8
FORMS: Final = 12
"""Maximum number of forms used of each kind of word."""

Pattern = tuple[Kind, tuple[Kind, ...]]


class PhrasePatterns:
    """The patterns of some of the sentences that come with a packaged grammar; other grammars have none."""

    def __init__(
        self, parser: Parser, examples: ExampleWords, random: Random, tried: SearchCounts, overdue: Overdue = never
    ) -> None:
        self._parser, self._random, self._tried, self._overdue = parser, random, tried, overdue
        self._words: dict[Kind, list[str]] = {}
        self._examples = examples
        self._by_kind: dict[Kind, list[Pattern]] = {}
        self._above: dict[Kind, list[Pattern]] = {}
        self._learned = False
        self.phrases: list[Constituent] = []
        """Phrases of these sentences; they violate nothing."""
        short = [text for text in packaged_sentences(parser.grammar) if len(text.split()) <= MAX_PATTERN_WORDS]
        for text in random.sample(short, min(LEARNED, len(short))):
            if overdue():
                break
            tried.parse()
            parse = parser.parse(parser.words.marks.left_out(read_text(text, parser.words)))  # as it writes no marks
            # Sentences with rewritten words, as "au" for "à le", are left out: words are not contracted again.
            if parse.is_well_formed and all(token in text for token in parse.lattice.tokens):
                for top in parse.constituents:
                    self._learn(top)

    def learn(self, phrases: Iterable[Constituent]) -> bool:
        """Learn the patterns of phrases that violate nothing; return True if some of them are new.

        From then on they are also varied.
        """
        self._learned = True
        known = len(self._patterns())
        for phrase in phrases:
            self._learn(phrase)
        return len(self._patterns()) > known

    def _patterns(self) -> set[Pattern]:
        return set(chain.from_iterable(self._by_kind.values()))

    def _learn(self, top: Constituent) -> None:
        for constituent in top.walk():
            if constituent.is_word:
                self._words.setdefault(_kind(constituent), self._forms(constituent))
            else:
                pattern = _kind(constituent), tuple(map(_kind, constituent.daughters))
                self.phrases.append(constituent)
                self._by_kind.setdefault(_kind(constituent), []).append(pattern)
                for kind in pattern[1]:
                    self._above.setdefault(kind, []).append(pattern)

    def _forms(self, word: Constituent) -> list[str]:
        forms = self._examples.by_bundle(word.construction).get(word.features, [])
        counts = self._examples.counts
        plain = [form for form in forms if not counts or counts.get(form)][:FORMS]
        lower = word.form.lower()
        return plain or [lower if self._parser.words.readings.get(lower) else word.form]

    def sentences(self, violated: Property | None, roots: frozenset[str], attempts: int) -> Iterator[list[str]]:
        """Yield the words of roots that violate nothing or, if given, only the property `violated` in one phrase."""
        every = list(chain.from_iterable(self._by_kind.values()))
        name = None if violated is None else violated.construction
        start = [pattern for pattern in every if (pattern[0][0] == name if name else self._is_root(pattern[0], roots))]
        for _ in range(attempts if start else 0):
            if self._overdue():
                return
            self._tried.steps += 1
            kind, daughters = self._random.choice(start)
            if violated is not None:
                disturbed = self._disturbed(kind, daughters, violated)
                if disturbed is None:
                    continue
                kind, daughters = disturbed
            else:
                self._tried.phrase(set(), set())
                daughters = self._varied(kind, daughters) if self._learned else daughters
            filled = [self._filled(daughter, 0) for daughter in daughters]
            words = [word for part in filled if part for word in part]
            lifted = self._lifted(kind, words, roots) if all(filled) else None
            if lifted:
                self._tried.root(len(lifted))
                yield lifted

    def _is_root(self, kind: Kind, roots: frozenset[str]) -> bool:
        return kind[0] in roots and self._parser.grammar.is_root(*kind)

    def _filled(self, kind: Kind, depth: int) -> list[str]:
        """Return words for a constituent of a kind; an empty list if its phrases would be nested too deeply."""
        if kind in self._words:
            return [self._random.choice(self._words[kind])]
        if depth == DEEPEST:
            return []
        parts = [self._filled(daughter, depth + 1) for daughter in self._random.choice(self._by_kind[kind])[1]]
        return [word for part in parts for word in part] if all(parts) else []

    def _lifted(self, kind: Kind, words: list[str], roots: frozenset[str]) -> list[str] | None:
        """Return the words of a root, built phrase by phrase around these words of a constituent, or None."""
        for _ in range(DEEPEST):
            if self._is_root(kind, roots):
                return words
            if kind not in self._above:
                return None
            above, daughters = self._random.choice(self._above[kind])
            place = self._random.choice([i for i, daughter in enumerate(daughters) if daughter == kind])
            parts = [words if i == place else self._filled(daughter, 0) for i, daughter in enumerate(daughters)]
            if not all(parts):
                return None
            kind, words = above, [word for part in parts for word in part]
        return None

    def _varied(self, kind: Kind, daughters: tuple[Kind, ...]) -> tuple[Kind, ...]:
        """Return the daughters of a pattern, one of them with other features if that violates nothing."""
        place = self._random.randrange(len(daughters))
        known = (*self._words, *self._by_kind)
        other = self._random.choice([other for other in known if other[0] == daughters[place][0]])
        made = self._made(kind, row := (*daughters[:place], other, *daughters[place + 1 :]))
        return row if made is not None and not made.characterization.violated and _kind(made) == kind else daughters

    def _made(self, kind: Kind, daughters: Sequence[Kind]) -> Constituent | None:
        """Return the phrase over these daughters, None if the construction does not cover them."""
        table = self._parser.evaluator.table
        form = table.constructions[kind[0]]
        row = tuple(Constituent(name, 1 << i, features) for i, (name, features) in enumerate(daughters))
        if not row or not all(table.covers(form, *daughter) for daughter in daughters):
            return None
        return evaluated_phrase(form, row, self._parser.evaluator)

    def _disturbed(self, kind: Kind, daughters: Sequence[Kind], violated: Property) -> Pattern | None:
        """Return a pattern with one daughter moved, deleted, added or replaced, if that violates just the property."""
        others = list(daughters)
        place = self._random.randrange(len(others))
        one = others[place]
        change = self._random.randrange(4)
        if change != 3:
            del others[place]
        if change == 0:
            others.insert(self._random.randint(0, len(others)), one)
        elif change > 1:
            named = {leaf.category for leaf in violated.all_operands()} | {one[0]}
            kinds = [kind for kind in (*self._words, *self._by_kind) if kind[0] in named]
            if kinds:
                others.insert(place, self._random.choice(kinds))
        made = self._made(kind, others)
        if made is None or not self._tried.phrase(
            {instance.property for instance in made.characterization.violated}, {violated}
        ):
            return None
        return _kind(made), tuple(others)


def _kind(constituent: Constituent) -> Kind:
    return constituent.construction, constituent.features


Maker = PhrasePatterns | MinimalPairs | RandomPhrases


# The twin of a generated sentence: a well-formed sentence that differs from it by a single edit.

CHANGED: Final = {"undouble": 1, "delete": 1, "insert": 1, "change": 2, "replace": 2}
"""Number of words that each kind of edit deletes and inserts, added up; other kinds only move words."""
MAX_NUMBER: Final = 5
"""Maximum number of repairs considered as twins of a sentence."""


def twin_of(
    parse: Parse, parser: Parser, overdue: Overdue = never, advance: Callable[[], object] = lambda: None
) -> Generated:
    """Return the sentence with its twin, by the smallest edit that makes it well formed, at best with the same words.

    All other words must keep their parts of speech: with another reading, the sentences would differ in more than the
    violation. `advance` is called after each edit tried.
    """
    for kinds in (("swap", "move"), KINDS):
        repaired = repairs(
            parse, parser, scorer("cost"), most=MAX_NUMBER, kinds=kinds, overdue=overdue, advance=advance
        )
        for mended in repaired:
            edit = mended.edits[0]
            if mended.parse.is_well_formed and differing(parse, mended.parse) <= CHANGED.get(edit.kind, 0):
                return Generated(parse, mended.parse, edit.says)
    return Generated(parse)


def differing(one: Parse, other: Parse) -> int:
    """Return the number of words, with their parts of speech, that are in only one of two parses."""
    mine, theirs = (
        Counter((word.form.lower(), word.construction) for top in parse.constituents for word in top.words())
        for parse in (one, other)
    )
    return (mine - theirs).total() + (theirs - mine).total()


def edit_between(bad: Parse, good: Parse, violated: Property | None) -> str:
    """Return a description of the single edit that turns a sentence into its well-formed twin; empty if there is none.

    An edit swaps two neighbouring stretches of words, or deletes, inserts or changes one word.
    """
    if bad.stopped_by or good.stopped_by or not good.is_well_formed or not good.is_full:
        return ""
    if any(evaluated.property == violated for evaluated in good.violated):
        return ""
    mine, theirs = (list(parse.lattice.tokens) for parse in (bad, good))
    start = shared_start(mine, theirs)
    end = shared_start(mine[start:][::-1], theirs[start:][::-1])
    old, new = mine[start : len(mine) - end], theirs[start : len(theirs) - end]
    kind, says = "", ""
    if len(old) > 1 and len(old) == len(new):
        turn = next((i for i in range(1, len(old)) if old[i:] + old[:i] == new), None)
        if turn is not None:
            kind, says = "swap", f'swap "{" ".join(old[:turn])}" and "{" ".join(old[turn:])}"'
    elif len(old) == 1 and not new:
        kind, says = "delete", f'delete "{old[0]}"'
    elif len(new) == 1 and len(old) < 2:
        kind = "change" if old else "insert"
        where = f'before "{theirs[start + 1]}"' if start + 1 < len(theirs) else "at the end"
        says = f'change "{old[0]}" to "{new[0]}"' if old else f'insert "{new[0]}" {where}'
        reading = next((word for top in good.constituents for word in top.words() if word.start == start), None)
        if reading is not None:
            shown = format_bundle(reading.features)
            says += f" ({reading.construction}{' ' + shown if shown else ''})"
    return says if kind and differing(bad, good) <= CHANGED.get(kind, 0) else ""


def shared_start(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of initial tokens that both have in common, ignoring case."""
    pairs = zip(one, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a.lower() != b.lower()), min(len(one), len(other)))


def generate_sentences(
    parser: Parser,
    number: int,
    seed: int = 0,
    violated: str | None = None,
    shape: SentenceShape | None = None,
    seconds: float | None = None,
    tried: SearchCounts | None = None,
    steps: int | None = None,
) -> Iterator[Generated]:
    """Yield sentences of a grammar as they are found; each violates the property `violated`, such as `NP: Det < N`.

    The search ends after `steps`, or earlier after `seconds`; `tried` counts its work. Raises UsageError for a property
    or root that the grammar does not have.
    """
    prop = None if violated is None else property_named(violated, parser.grammar)
    return generate(parser, number, seed, prop, shape=shape or ANY, seconds=seconds, tried=tried, steps=steps)
