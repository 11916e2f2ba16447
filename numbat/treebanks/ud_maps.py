"""Maps from a grammar to Universal Dependencies: files that map its words, features, heads and daughters.

    words:
        Aux -> AUX
        Det[art=def] -> DET Definite=Def|PronType=Art
    features:
        number=sg -> Number=Sing
    any:
        Conj -> cc
        Det "my your" -> nmod:poss
    VP:
        head AP, NP if Aux[aux=be]
        head V, last VP
        Aux -> cop if AP | NP
        Aux -> aux
        NP -> iobj before NP
    NP:
        PN -> flat to PN
    Inv:
        open
    tree:
        nsubj -> nsubj:pass beside aux:pass
        obl NOUN -> obl:agent with case "by" beside aux:pass
    parts:
        "a the" -> det
    fixed: because of
    joined: n't, 's

`words` gives a part of speech its UPOS and features, `features` the rest of FEATS. Below a construction, `head` names
its head in UD, first choice first, and each other line the DEPREL of a daughter. The first matching line counts; the
lines of `any` come last. `if` demands that a daughter of the phrase matches; `before` and `after` say which daughter
this one stands before or after. A line may have several conditions; words in quotes are alternative forms. The head is
the first of several matching daughters, or the `last`. With `to`, a daughter depends on the first matching daughter
before it instead of the head; without one the line does not count. The daughters of an `open` construction depend on
the head of its mother, unless it is the head itself. The lines of `tree` give words of the finished tree another
relation, one line after another: `with` demands a dependent, `beside` another dependent of the same head, `under` a
head, each by its relation, UPOS and forms. The words of a form with blanks, such as "a lot", depend on the first of
them that `parts` does not list, with the relation of their line, else as `fixed`, `flat` or `compound`; forms of
`fixed` are `fixed` throughout. `joined` lists forms that make one token with the word before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from typing import Final

from numbat.errors import DataError, data_error
from numbat.evaluation.constituents import Constituent
from numbat.files import lines_of, packaged_folder
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Bundle, Operand
from numbat.records import frozen
from numbat.treebanks.conllu import DependencyWord
from numbat.treebanks.links import TreebankLinks
from numbat.words.tag_maps import TagMapReader

UPOS: Final = frozenset(
    (
        *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
        *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
    )
)
"""Parts of speech of Universal Dependencies, version 2."""
RELATIONS: Final = frozenset(
    (
        *("acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound", "conj", "cop"),
        *("csubj", "dep", "det", "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list"),
        *("mark", "nmod", "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "punct", "reparandum", "root"),
        *("vocative", "xcomp"),
    )
)
"""Relations of Universal Dependencies, without subtypes."""
UNKNOWN: Final = "X"
UNNAMED: Final = "dep"
"""UPOS of a word and DEPREL of a daughter for which the map has no row."""


@frozen
class Pattern:
    """An operand and, for words, the forms in lower case that match; any form if there are none."""

    operand: Operand
    forms: frozenset[str] = frozenset()

    def fits(self, constituent: Constituent) -> bool:
        """Return True if a constituent matches."""
        is_form = not self.forms or constituent.form.lower() in self.forms
        return is_form and self.operand.matches(constituent.construction, constituent.features)


@frozen
class PhraseCondition:
    """Condition that a daughter matches a pattern: any of the phrase, one the named one is `before`, or `after`."""

    patterns: tuple[Pattern, ...]
    place: str = "if"

    def holds(self, daughters: Sequence[Constituent], named: Constituent) -> bool:
        """Return True if the condition holds for the daughter that is `named`."""
        if self.place == "before":
            daughters = [constituent for constituent in daughters if constituent.start >= named.end]
        elif self.place == "after":
            daughters = [constituent for constituent in daughters if constituent.end <= named.start]
        return any(pattern.fits(daughter) for pattern in self.patterns for daughter in daughters)


@frozen
class HeadRow:
    """A possible head in UD: the first daughter that matches, or the last."""

    pattern: Pattern
    is_last: bool = False
    conditions: tuple[PhraseCondition, ...] = ()

    def fits(self, daughter: Constituent, daughters: Sequence[Constituent]) -> bool:
        """Return True if a daughter matches, and all conditions hold."""
        return _holds(self, daughter, daughters)


@frozen
class NamedRow:
    """A pattern with its UPOS and features, or with its DEPREL, and the earlier daughters that may be its head."""

    pattern: Pattern
    name: str
    feats: Bundle = ()
    conditions: tuple[PhraseCondition, ...] = ()
    to: tuple[Pattern, ...] = ()

    def fits(self, daughter: Constituent, daughters: Sequence[Constituent]) -> bool:
        """Return True if a daughter matches, all conditions hold, and there is what it attaches to."""
        return _holds(self, daughter, daughters) and (not self.to or self.target(daughter, daughters) is not None)

    def target(self, daughter: Constituent, daughters: Sequence[Constituent]) -> Constituent | None:
        """Return the first daughter before this one to which the row attaches it, None for the head."""
        before = (constituent for constituent in daughters if constituent.end <= daughter.start)
        return next((earlier for earlier in before if any(pattern.fits(earlier) for pattern in self.to)), None)


def _holds(row: HeadRow | NamedRow, daughter: Constituent, daughters: Sequence[Constituent]) -> bool:
    """Return True if a daughter matches the pattern of a row, and its conditions hold."""
    return row.pattern.fits(daughter) and all(condition.holds(daughters, daughter) for condition in row.conditions)


@frozen
class WordPattern:
    """A relation, a UPOS or both, which a word has, and forms in lower case; any form if there are none."""

    names: frozenset[str]
    forms: frozenset[str] = frozenset()

    def fits(self, word: DependencyWord) -> bool:
        """Return True if a word of a tree matches."""
        is_form = not self.forms or word.form.lower() in self.forms
        return is_form and self.names <= {word.deprel, word.upos}


@frozen
class TreeRow:
    """A word of a tree with its new relation; `conditions` are each about words `with` it, `beside` it or above it."""

    pattern: WordPattern
    name: str
    conditions: tuple[tuple[str, tuple[WordPattern, ...]], ...] = ()

    def holds(self, number: int, words: Sequence[DependencyWord], dependents: Mapping[int, Sequence[int]]) -> bool:
        """Return True if the word of this number matches and all conditions hold; numbers begin with 1."""
        word = words[number - 1]
        head = word.head or 0
        near = {
            "with": dependents.get(number, ()),
            "beside": [other for other in dependents[head] if head and other != number],
            "under": [head] if head else [],
        }
        return self.pattern.fits(word) and all(
            any(pattern.fits(words[other - 1]) for pattern in patterns for other in near[place])
            for place, patterns in self.conditions
        )


@frozen
class ConstructionMap:
    """The heads of a construction in UD and the relations of its daughters; an open one has no head itself."""

    heads: tuple[HeadRow, ...] = ()
    relations: tuple[NamedRow, ...] = ()
    is_open: bool = False


NO_ROWS: Final = ConstructionMap()
ANY: Final = "any"


@frozen
class UdMap:
    """A map from a grammar to Universal Dependencies; words without a row are X, daughters dep.

    `features` are by feature and value, `joined` and `fixed` are forms in lower case, `parts` has relations by form,
    `tree` are the rows about finished trees. `own_heads` are the heads that the grammar
    itself gives its constructions (ruling 10), `links` were learned from a treebank.
    """

    path: str = ""
    words: tuple[NamedRow, ...] = ()
    features: Mapping[tuple[str, str], Bundle] = field(default_factory=dict, hash=False)
    constructions: Mapping[str, ConstructionMap] = field(default_factory=dict, hash=False)
    joined: frozenset[str] = frozenset()
    parts: Mapping[str, str] = field(default_factory=dict, hash=False)
    fixed: frozenset[str] = frozenset()
    tree: tuple[TreeRow, ...] = ()
    own_heads: Mapping[str, tuple[Operand, ...]] = field(default_factory=dict, hash=False)
    links: TreebankLinks | None = field(default=None, hash=False, compare=False)

    def of(self, construction: str) -> ConstructionMap:
        """Return the rows of a construction."""
        return self.constructions.get(construction, NO_ROWS)

    def word(self, word: Constituent) -> tuple[str, Bundle]:
        """Return the UPOS of a word and its FEATS in UD order; a category that is a UPOS needs no row."""
        row = next((row for row in self.words if row.pattern.fits(word)), None)
        if row is None:
            return (word.construction if word.construction in UPOS else UNKNOWN), ()
        feats = dict(pair for feature in word.features for pair in self.features.get(feature, ()))
        feats.update(row.feats)
        return row.name, tuple(sorted(feats.items(), key=lambda pair: pair[0].lower()))

    def head(self, phrase: Constituent) -> int:
        """Return the index of the head daughter: by the map, else by the grammar (ruling 10), else the first."""
        daughters = phrase.daughters
        of_grammar = (HeadRow(Pattern(operand)) for operand in self.own_heads.get(phrase.construction, ()))
        for row in (*self.of(phrase.construction).heads, *of_grammar):
            fitting = [index for index, daughter in enumerate(daughters) if row.fits(daughter, daughters)]
            if fitting:
                return fitting[-1 if row.is_last else 0]
        return 0

    def link(
        self, construction: str, daughter: Constituent, beside: Sequence[Constituent]
    ) -> tuple[str, Constituent | None]:
        """Return the DEPREL of a nonhead daughter, by the map, else from its name, `NOUN-nsubj`; and its head.

        `beside` are all daughters of the phrase. Without a head among them it depends on the head of the phrase.
        """
        for row in (*self.of(construction).relations, *self.of(ANY).relations):
            if row.fits(daughter, beside):
                return row.name, row.target(daughter, beside)
        named = daughter.construction.partition("-")[2]
        return (named if named.partition(":")[0] in RELATIONS - {"root"} else UNNAMED), None

    def several(self, forms: Sequence[str]) -> tuple[int, list[str]]:
        """Return which word of a form with blanks is its head, and the relations of all, "" if nothing names one.

        The head is the first word that `parts` does not list, else the last; in a form of `fixed` it is the first.
        """
        is_fixed = " ".join(forms).lower() in self.fixed
        relations = ["" if is_fixed else self.parts.get(form.lower(), "") for form in forms]
        return (relations.index("") if "" in relations else len(forms) - 1), relations

    def renamed(self, words: list[DependencyWord]) -> list[DependencyWord]:
        """Return the words of a tree with the relations that the rows of `tree` give them, one row after another."""
        dependents: dict[int, list[int]] = {}
        for number, word in enumerate(words, start=1):
            dependents.setdefault(word.head or 0, []).append(number)
        for row in self.tree:
            words = [
                replace(word, deprel=row.name) if row.holds(number, words, dependents) else word
                for number, word in enumerate(words, start=1)
            ]
        return words

    def lacks(self, leaves: Iterable[str]) -> tuple[str, ...]:
        """Return the word categories of a grammar that become X."""
        named = {row.pattern.operand.category for row in self.words} | UPOS
        return tuple(leaf for leaf in leaves if leaf not in named)

    @property
    def headless(self) -> tuple[str, ...]:
        """Constructions without a head in map and grammar, whose first daughter is taken."""
        return tuple(name for name, heads in self.own_heads.items() if not heads and not self.of(name).heads)


def ud_map_of(grammar: Grammar, path: str | None = None) -> UdMap:
    """Return the map of a file, else the packaged map with the grammar's name if it fits, else one without rows.

    Raises MissingFileError, and DataError with all mistakes of a named file.
    """
    if path is not None:
        return read_ud_map(path, grammar)
    packaged = packaged_folder("grammars") / f"{grammar.name}{SUFFIX}"
    if packaged.is_file() and grammar.name == packaged.stem:
        with suppress(DataError):  # another grammar of that name
            return read_ud_map(packaged, grammar)
    return UdMap(own_heads=_own_heads(grammar))


def _own_heads(grammar: Grammar) -> dict[str, tuple[Operand, ...]]:
    return {construction.name: construction.heads for construction in grammar.constructions}


SUFFIX: Final = ".ud"


def read_ud_map(path: str | Path, grammar: Grammar) -> UdMap:
    """Read a map, checked against the grammar. Raises MissingFileError, and DataError with all its mistakes."""
    reader = _UdMapReader(str(path), grammar)
    for number, line in enumerate(lines_of(str(path)), start=1):
        reader.read(line, number)
    if reader.problems:
        raise data_error(*reader.problems)
    constructions = {
        name: ConstructionMap(
            tuple(reader.heads.get(name, ())), tuple(reader.relations.get(name, ())), name in reader.open
        )
        for name in sorted({*reader.heads, *reader.relations, *reader.open})
    }
    return UdMap(
        str(path),
        tuple(reader.named),
        reader.mapped,
        constructions,
        frozenset(reader.lists["joined"]),
        reader.parts,
        frozenset(reader.lists["fixed"]),
        tuple(reader.tree),
        _own_heads(grammar),
    )


# The reader: sections begin at the margin, their rows are indented

SECTION: Final = re.compile(r"(\S+?):\s*(.*?)\s*")
FEATS: Final = re.compile(r"[A-Z][A-Za-z0-9]*(\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*(,[A-Z0-9][A-Za-z0-9]*)*")
DEPREL: Final = re.compile(r"([a-z]+)(:[a-z]+)?")
ARROW: Final = "->"
UNQUOTED: Final = r'(?=(?:[^"]*"[^"]*")*[^"]*$)'
CONDITION: Final = re.compile(rf" (if|before|after|to) {UNQUOTED}")
TREE_CONDITION: Final = re.compile(rf" (with|beside|under) {UNQUOTED}")
FORMS: Final = re.compile(r'(.*?)\s*"([^"]*)"\s*')
TO: Final = "to"
PARTS: Final = "parts"
TREE: Final = "tree"
SECTIONS: Final = "words, features, any, tree, parts, fixed, joined"
LAST: Final = re.compile(r"\s*last\s")


def _parts_of(text: str, condition: re.Pattern[str]) -> tuple[str, list[tuple[str, str, int]]]:
    """Return a row without its conditions, and each of these: its word, its text and where that begins."""
    matches = list(condition.finditer(text))
    ends = [*(match.start() for match in matches), len(text)]
    parts = [(match[1], text[match.end() : end], match.end()) for match, end in zip(matches, ends[1:], strict=True)]
    return text[: ends[0]], parts


class _UdMapReader(TagMapReader):
    """Reader state: the open section, its rows, problems so far."""

    def __init__(self, path: str, grammar: Grammar) -> None:
        super().__init__(path, grammar)
        self.sections = (
            "words",
            "features",
            ANY,
            PARTS,
            TREE,
            *(construction.name for construction in grammar.constructions),
        )
        self.section = ""
        self.named: list[NamedRow] = []
        self.mapped: dict[tuple[str, str], Bundle] = {}
        self.heads: dict[str, list[HeadRow]] = {}
        self.relations: dict[str, list[NamedRow]] = {}
        self.open: set[str] = set()
        self.lists: dict[str, set[str]] = {"joined": set(), "fixed": set()}
        self.parts: dict[str, str] = {}
        self.tree: list[TreeRow] = []

    def read(self, line: str, number: int) -> None:
        self.line, self.number = line.rstrip(), number
        text = self.line.partition(" #")[0] if not self.line.lstrip().startswith("#") else ""
        if not text.strip():
            return
        if not text[0].isspace():
            self._begin(text)
        elif not self.section:
            self._report("a row outside a section", 0, text, "a line such as words: or NP: above it")
        elif self.section == "features":
            self._read_feature(text)
        elif self.section == PARTS:
            self._read_part(text)
        elif self.section == TREE:
            self._read_tree(text)
        else:
            self._read_row(text)

    def _begin(self, text: str) -> None:
        match = SECTION.fullmatch(text)
        self.section = match[1] if match else ""
        if match is None or (match[2] and self.section not in self.lists):
            self._report("a line that begins no section", 0, text, f"{SECTIONS} or a construction")
        elif self.section in self.lists:
            self.lists[self.section].update(form.strip().lower() for form in match[2].split(",") if form.strip())
            self.section = ""
        elif self.section not in self.sections:
            expected = f"{SECTIONS} or a construction"
            self._unknown(f'unknown section "{self.section}"', self.section, 0, expected, self.sections)

    def _read_feature(self, text: str) -> None:
        left, arrow, right = text.partition(ARROW)
        pairs: dict[str, tuple[str, ...]] = {}
        self._feature(left, 0, pairs)
        if not arrow:
            self._report("a row without an arrow", 0, text, "feature=value -> Name=Value")
            return
        feats = self._feats(right, len(left) + 2)
        self.mapped |= {(feature, value): feats for feature, values in pairs.items() for value in values}

    def _read_row(self, text: str) -> None:
        if text.strip() == "open":
            self.open.add(self.section)
            return
        body, parts = _parts_of(text, CONDITION)
        parsed = [(word, tuple(pattern for pattern, _ in self._patterns(part, at, "|"))) for word, part, at in parts]
        conditions = tuple(PhraseCondition(patterns, word) for word, patterns in parsed if word != TO)
        to = tuple(pattern for word, patterns in parsed if word == TO for pattern in patterns)
        if body.split()[:1] == ["head"] and ARROW not in body:
            start = body.index("head") + 4
            rows = [
                HeadRow(pattern, is_last, conditions) for pattern, is_last in self._patterns(body[start:], start, ",")
            ]
            self.heads.setdefault(self.section, []).extend(rows)
        else:
            self._read_name(body, conditions, to)

    def _read_part(self, text: str) -> None:
        left, arrow, right = text.partition(ARROW)
        forms = FORMS.fullmatch(left)
        if not arrow or forms is None or forms[1].strip():
            self._report("a row that cannot be understood", 0, text, '"a the" -> det')
        elif self._is_relation(right.strip(), right, len(left) + 2):
            self.parts |= dict.fromkeys(forms[2].lower().split(), right.strip())

    def _read_tree(self, text: str) -> None:
        body, parts = _parts_of(text, TREE_CONDITION)
        left, arrow, right = body.partition(ARROW)
        conditions = tuple((word, tuple(self._word_patterns(part, at))) for word, part, at in parts)
        if not arrow or not right.strip():
            self._report("a row that cannot be understood", 0, text, "relation -> relation, with, beside or under")
            return
        name = right.strip()
        if self._is_relation(name, right, len(left) + 2):
            self.tree += (TreeRow(pattern, name, conditions) for pattern in self._word_patterns(left, 0))

    def _word_patterns(self, text: str, at: int) -> Iterator[WordPattern]:
        """Yield the patterns of a text, separated by `|`: relations or UPOS, perhaps with forms."""
        for part in text.split("|"):
            match = FORMS.fullmatch(part)
            names = (match[1] if match else part).split() or [""]
            if all(name in UPOS or self._is_relation(name, part, at) for name in names):
                yield WordPattern(frozenset(names), frozenset(match[2].lower().split() if match else ()))
            at += len(part) + 1

    def _is_relation(self, name: str, text: str, at: int) -> bool:
        """Return True if a name is a relation of UD; report it if not."""
        relation = DEPREL.fullmatch(name)
        known = relation is not None and relation[1] in RELATIONS - {"root"}
        if not known:
            self._unknown(f'unknown name "{name}"', text, at, "a relation of UD such as nsubj", RELATIONS)
        return known

    def _read_name(self, text: str, conditions: tuple[PhraseCondition, ...], to: tuple[Pattern, ...]) -> None:
        left, arrow, right = text.partition(ARROW)
        name, _, feats = right.strip().partition(" ")
        at = len(left) + 2
        if not arrow or not name:
            self._report("a row that cannot be understood", 0, text, "head Category, open, or Category -> name")
            return
        is_word = self.section == "words"
        if not is_word:
            self._is_relation(name, right, at)
        elif name not in UPOS:
            self._unknown(f'unknown name "{name}"', right, at, "a UPOS such as NOUN", UPOS)
        named = self._feats(feats, at + right.index(name) + len(name)) if feats else ()
        rows = [NamedRow(pattern, name, named, conditions, to) for pattern, _ in self._patterns(left, 0, "|")]
        (self.named if is_word else self.relations.setdefault(self.section, [])).extend(rows)

    def _patterns(self, text: str, start: int, separator: str) -> Iterator[tuple[Pattern, bool]]:
        """Yield (pattern, is_last) for each pattern in a text; `is_last`: it stands for the last matching daughter."""
        at = start
        for part in re.split(rf"{re.escape(separator)}(?![^\[]*\])", text):
            match = FORMS.fullmatch(part)
            bare, forms = (match[1], match[2]) if match else (part, "")
            last = LAST.match(bare)
            reading, _ = self._reading(bare[last.end() :] if last else bare, at + (last.end() if last else 0))
            at += len(part) + 1
            if reading is not None:
                operand = Operand(reading.category, reading.features)
                yield Pattern(operand, frozenset(forms.lower().split())), bool(last)

    def _feats(self, text: str, at: int) -> Bundle:
        pairs = []
        for part in text.strip().split("|"):
            if not FEATS.fullmatch(part):
                self._report("invalid features of UD", at, text, "Name=Value, separated by |")
                return ()
            name, _, value = part.partition("=")
            pairs.append((name, value))
        return tuple(pairs)
