"""Dependencies of a parse as a sentence of CoNLL-U: its words and marks, heads and relations (ruling 40).

The head of a phrase depends on the head of the phrase above. A token that a rule rewrote as several words becomes a
multiword token, `1-2 du`; punctuation marks that parsing skipped become words again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final
from unicodedata import category
from urllib.parse import quote

from numbat.errors import DataError
from numbat.evaluation.constituents import Constituent
from numbat.files import composed
from numbat.grammar.properties import UNIT
from numbat.parsing.result import Parse
from numbat.treebanks.conllu import NONE, DependencyTree, DependencyWord, OtherRow, format_conllu
from numbat.treebanks.links import CLOSED_BY
from numbat.treebanks.ud_maps import UNKNOWN, UNNAMED, UdMap, ud_map_of
from numbat.words.lattice import Lattice, Place, without_mark
from numbat.words.tag_maps import CODES

FRAGMENT: Final = "parataxis"
"""Relation that links each further fragment of a parse to the first one."""
SEVERAL: Final = {"PROPN": "flat", "NUM": "flat", "NOUN": "compound", "VERB": "compound", "ADJ": "compound"}
"""By UPOS, the relation that links the further words of a form with blanks to its first word; else `fixed`."""
PART: Final = {"case": "ADP", "det": "DET", "advmod": "ADV"}
"""By relation, the UPOS of a word within a form with blanks; else that of the form."""


def conllu_of(parse: Parse, id: str) -> str:
    """Return the dependencies of a parse as a sentence of CoNLL-U."""
    return format_conllu(dependency_tree(parse, id))


def dependency_tree(
    parse: Parse, id: str, ud: UdMap | None = None, source: DependencyTree | None = None, as_given: bool = False
) -> DependencyTree:
    """Return the dependencies of a parse, by default with the map of its grammar.

    The tokens, ranges and comments of a `source` are kept if its tokens are those of the parse; with `as_given` also
    its lemmas, tags and features. Raises DataError for a sentence without a word or mark.
    """
    ud = ud_map_of(parse.grammar) if ud is None else ud
    leaves = parse.words
    text, places, marks = _placed(parse.lattice)
    has_blanks = ud.links is not None or any(rule.kind == "segment" for rule in parse.grammar.tokens)
    tokens = _tokens(text, places, marks, parse.lattice.tokens, leaves, has_blanks, apart=source is not None)
    kept = [word for word in source.words if word.upos not in CODES] if source is not None else []
    is_as_source = source is not None and len(kept) == len(source.words) == len(tokens)
    if not is_as_source:
        tokens = _as_ud_wants(tokens, text, ud, has_blanks)
    if not tokens:
        raise DataError(f"{id}: no word to write\n  CoNLL-U has no empty sentences")
    links = _Links(parse, ud, leaves)
    words = ud.renamed(_words(tokens, leaves, links, ud))
    if ud.links is not None:
        words = ud.links.completed(words)
    if source is not None and is_as_source:
        had = source.comment("sent_id")
        named = f"# sent_id = {id if id == had else _name(id)}"
        known = [named if re.match(r"#\s*sent_id\b", comment) else comment for comment in source.comments]
        known = known if named in known else [named, *known]
        text = "" if source.comment("text") else f"# text = {_surface(text, tokens, words)[0]}"
        asides = tuple(row for row in source.other_rows if "-" in row.columns[0])
        columns = [name for name in GIVEN if any(getattr(word, name) not in (NONE, ()) for word in kept if as_given)]
        words = [_as_in_source(word, given, columns) for word, given in zip(words, kept, strict=True)]
        return DependencyTree(tuple(words), (*filter(None, (*known, text)), *_comments(parse)), asides)
    surface, asides = _surface(text, tokens, words)
    comments = (f"# sent_id = {_name(id)}", f"# text = {surface}", *_comments(parse))
    return DependencyTree(tuple(words), comments, asides)


def _name(id: str) -> str:
    """Return an id without blanks and slashes, which UD reserves."""
    return re.sub(r"[\s/]+", "_", id) or "_"


def _comments(parse: Parse) -> Iterator[str]:
    """Yield the cost, the limit that stopped the parse and each violation as comments."""
    yield f"# cost = {(parse.violation_cost_units + parse.fragment_cost_units) / UNIT:g}"
    if parse.stopped_by is not None:
        yield f"# stopped_by = {parse.stopped_by}"
    yield from (f"# violated = {' '.join(violation.split())}" for violation in parse.explain())


OF_PARSE: Final = ("Category", "Link", "Features", "Guessed", "Violated")
"""Keys in MISC that say something about a parse."""
GIVEN: Final = ("lemma", "upos", "xpos", "feats")
"""Columns that stay as in the source if they have a value for some word of the sentence."""


def _as_in_source(word: DependencyWord, given: DependencyWord, columns: Sequence[str]) -> DependencyWord:
    """Return a word with the form, `columns` and MISC of the source, except keys in MISC about other trees.

    If the column XPOS is that of the source, MISC has the category of the word in the parse.
    """
    kept = [pair for pair in given.misc.split("|") if pair.partition("=")[0] not in (NONE, "Tree", *OF_PARSE)]
    new = [pair for pair in word.misc.split("|") if pair.partition("=")[0] in OF_PARSE]
    if "xpos" in columns and word.xpos not in (NONE, given.xpos):
        new.insert(0, f"Category={word.xpos}")
    as_given = {name: getattr(given, name) for name in columns}
    return replace(word, form=given.form, misc="|".join(kept + new) or NONE, **as_given)


# Tokens: the words and marks of a sentence as in UD


BRACKETS_OF_SIGNS: Final = frozenset("<>|~^`")
"""Signs that are symbols in Unicode, but punctuation in UD."""
OF_MARK: Final = -1
NO_LEAF: Final = -2


@dataclass(slots=True)
class _Token:
    """A word of UD at a place in the text.

    `leaf` is the number of its word in the parse, `OF_MARK` for a mark, `NO_LEAF` for a token that no constituent
    covers; `part` counts the words of one leaf. Words with the same `whole` form one multiword token at that place.
    """

    form: str
    place: Place
    leaf: int
    part: int = 0
    whole: Place | None = None


def _tokens(
    text: str,
    places: Sequence[Place],
    marks: Sequence[Place],
    forms: Sequence[str],
    leaves: Sequence[Constituent],
    has_blanks: bool,
    apart: bool = False,
) -> list[_Token]:
    """Return the words and marks of a text in order, from tokens (`forms`, `places`) and the places of `marks`.

    A word may contain blanks if it `has_blanks`. With `apart`, a leaf over several tokens has a word for each of them.
    """
    tokens = [_Token(text[slice(*place)], place, OF_MARK) for place in marks]
    covered = {position for leaf in leaves for position in range(leaf.start, leaf.end)}
    for number, leaf in enumerate(leaves):
        tokens += _of_leaf(leaf, number, forms, places, text, has_blanks, apart)
    for position, form in enumerate(forms):
        if position not in covered:
            tokens.append(_Token(without_mark(form), places[position], NO_LEAF))
    tokens.sort(key=lambda token: (token.place[0], token.leaf, token.part))
    return tokens


def _as_ud_wants(tokens: Sequence[_Token], text: str, ud: UdMap, has_blanks: bool) -> list[_Token]:
    """Split tokens at blanks unless words have blanks, and mark words that form one multiword token."""
    shared = [part for token in tokens for part in _parts(token, has_blanks)]
    for one, other in pairwise(shared):
        is_joined = one.place[1] == other.place[0] and other.form.lower() in ud.joined and one.leaf >= 0
        if one.place == other.place and one.form != text[slice(*one.place)]:
            one.whole = other.whole = one.place
        elif is_joined:
            one.whole = other.whole = ((one.whole or one.place)[0], other.place[1])
    for one, other in reversed(list(pairwise(shared))):  # the last word of a multiword token has its whole extent
        if one.whole and other.whole and one.whole[0] == other.whole[0]:
            one.whole = other.whole
    return shared


def _placed(lattice: Lattice) -> tuple[str, Sequence[Place], Sequence[Place]]:
    """Return the text, and the places of tokens and skipped marks in it; if unknown, join all with blanks."""
    if len(lattice.places) == len(lattice.tokens) and len(lattice.skipped_places) == len(lattice.skipped):
        return lattice.text, lattice.places, lattice.skipped_places
    text, places, marks = "", [], []
    gaps = list(lattice.gaps)[: len(lattice.skipped)]
    gaps += [len(lattice.tokens)] * (len(lattice.skipped) - len(gaps))
    for position in range(len(lattice.tokens) + 1):
        for mark in (m for m, gap in zip(lattice.skipped, gaps, strict=True) if gap == position):
            marks.append((len(text), len(text) + len(mark)))
            text += f"{mark} "
        if position < len(lattice.tokens):
            token = lattice.tokens[position]
            places.append((len(text), len(text) + len(token)))
            text += f"{token} "
    return text.rstrip(), places, marks


def _of_leaf(
    leaf: Constituent,
    number: int,
    tokens: Sequence[str],
    places: Sequence[Place],
    text: str,
    has_blanks: bool,
    apart: bool,
) -> Iterator[_Token]:
    """Yield the words of a leaf: one per token if `apart` or its form has blanks, else one.

    If words have blanks, it is one word unless there are marks between its tokens. Rewritten tokens keep their forms.
    """
    positions = range(leaf.start, leaf.end)
    parts = [text[slice(*places[position])] for position in positions]
    is_one = has_blanks and text[places[leaf.start][0] : places[leaf.end - 1][1]].split() == " ".join(parts).split()
    is_cut = apart or (" " in leaf.form and not is_one)
    groups = [[position] for position in positions] if is_cut else [list(positions)]
    for part, group in enumerate(groups):
        place = places[group[0]][0], places[group[-1]][1]
        beside = [at for at in (group[0] - 1, group[-1] + 1) if 0 <= at < len(places)]
        is_rewritten = any(places[at] == places[end] for at in beside for end in (group[0], group[-1]))
        form = "".join(without_mark(tokens[at]) for at in group) if is_rewritten else text[slice(*place)]
        yield _Token(form, place, number, part)


def _parts(token: _Token, has_blanks: bool) -> Iterator[_Token]:
    """Split a token at blanks, which forms of UD have only in some languages."""
    pieces = list(re.finditer(r"\S+", token.form))
    if len(pieces) <= 1 or has_blanks:
        token.form = composed(" ".join(token.form.split())) or "_"
        yield token
        return
    for part, piece in enumerate(pieces):
        place = token.place[0] + piece.start(), token.place[0] + piece.end()
        yield _Token(composed(piece[0]), place, token.leaf, token.part + part)


def _surface(text: str, tokens: Sequence[_Token], words: list[DependencyWord]) -> tuple[str, tuple[OtherRow, ...]]:
    """Return the text of the tokens, and the rows of multiword tokens; put SpaceAfter=No into MISC."""
    surface, asides = "", []
    at = 0
    while at < len(tokens):
        whole, end = tokens[at].whole, at + 1
        while whole and end < len(tokens) and tokens[end].whole == whole:
            end += 1
        stop = max(token.place[1] for token in tokens[at:end])
        is_glued = end < len(tokens) and not re.search(r"\s", text[stop : tokens[end].place[0]])
        after = "SpaceAfter=No" if is_glued else "_"
        form = words[at].form
        if whole and end - at > 1:
            form = composed("".join(text[slice(*whole)].split()))
            asides.append(OtherRow(at + 1, (f"{at + 1}-{end}", form, *"_" * 7, after)))
        elif is_glued:
            words[at] = replace(words[at], misc="|".join((after, words[at].misc)))
        surface += form + " " * (not is_glued and end < len(tokens))
        at = end
    return surface, tuple(asides)


# Links: the head and the relation of each word


class _Links:
    """Heads and relations of the words of a parse by number; the root has the head -1.

    `named` has the construction and the daughter from which each link comes, `violated` the violations in the phrases
    that a word heads.
    """

    def __init__(self, parse: Parse, ud: UdMap, leaves: Sequence[Constituent]) -> None:
        self.heads = [-1] * len(leaves)
        self.relations = ["root"] * len(leaves)
        self.named = [""] * len(leaves)
        self.violated: dict[int, list[str]] = {}
        self._ud = ud
        self._words = {id(leaf): number for number, leaf in enumerate(leaves)}
        self._chosen: dict[int, int] = {}
        tops = sorted(parse.constituents, key=lambda top: top.start)
        for top in tops:
            self._link(top)
        for top in tops[1:]:
            word, first = self._words[id(top)], self._words[id(tops[0])]
            self.heads[word], self.relations[word] = first, FRAGMENT
        self.root = self._words[id(tops[0])] if tops else -1

    def _link(self, top: Constituent) -> None:
        nodes = list(top.walk())
        for node in reversed(nodes):
            if not node.is_word:
                self._chosen[id(node)] = chosen = self._ud.head(node)
                self._words[id(node)] = self._words[id(node.daughters[chosen])]
        opened: set[int] = set()
        for node in nodes:
            if node.is_word:
                continue
            word = self._words[id(node)]
            violated = (f"{node.construction}:{instance.property.type}" for instance in node.characterization.violated)
            self.violated.setdefault(word, []).extend(dict.fromkeys(violated))
            if id(node) in opened:
                continue
            for index, daughter in enumerate(node.daughters):
                if index != self._chosen[id(node)]:
                    self._attach(daughter, node, word, node.daughters, opened)

    def _attach(
        self,
        daughter: Constituent,
        phrase: Constituent,
        head: int,
        beside: Sequence[Constituent],
        opened: set[int],
    ) -> None:
        """Attach a daughter to a head; if its construction is `open` in the map, attach its daughters instead of it."""
        if not daughter.is_word and self._ud.of(daughter.construction).is_open:
            opened.add(id(daughter))
            for constituent in daughter.daughters:
                self._attach(constituent, daughter, head, (*daughter.daughters, *beside), opened)
            return
        word = self._words[id(daughter)]
        self.relations[word], target = self._ud.link(phrase.construction, daughter, beside)
        self.heads[word] = head if target is None else self._words[id(target)]
        self.named[word] = f"{phrase.construction}:{daughter.construction}"


def _words(tokens: Sequence[_Token], leaves: Sequence[Constituent], links: _Links, ud: UdMap) -> list[DependencyWord]:
    """Return the words with their columns; punctuation marks are attached so that no links cross."""
    heads, parts = _heads_of_leaves(tokens, ud)
    root = heads[links.root] if leaves else 1
    words: list[DependencyWord] = []
    for number, token in enumerate(tokens, start=1):
        if token.leaf < 0:
            words.append(_unparsed(token, number, root))
            continue
        leaf, start = leaves[token.leaf], heads[token.leaf]
        upos, feats = ud.word(leaf)
        head, relation = links.heads[token.leaf], links.relations[token.leaf]
        if number == start:
            above = 0 if head < 0 else heads[head]
            misc = _misc(token, leaf, links, ud)
            words.append(
                DependencyWord(token.form, "_", upos, _value(leaf.construction), feats, above, relation, misc=misc)
            )
        else:
            relation = parts.get(number) or SEVERAL.get(upos, "fixed")
            place = "TokenRange={}:{}".format(*token.place)
            words.append(
                DependencyWord(
                    token.form,
                    "_",
                    PART.get(relation, upos),
                    _value(leaf.construction),
                    (),
                    start,
                    relation,
                    misc=place,
                )
            )
    return _with_marks(words, tokens, root)


def _heads_of_leaves(tokens: Sequence[_Token], ud: UdMap) -> tuple[dict[int, int], dict[int, str]]:
    """Return the number of the head of each leaf among its words, and the relations that the map gives the others."""
    numbers: dict[int, list[int]] = {}
    for number, token in enumerate(tokens, start=1):
        if token.leaf >= 0:
            numbers.setdefault(token.leaf, []).append(number)
    heads: dict[int, int] = {}
    parts: dict[int, str] = {}
    for leaf, words in numbers.items():
        chosen, relations = ud.several([tokens[number - 1].form for number in words])
        heads[leaf] = words[chosen]
        parts |= zip(words, relations, strict=True)
    return heads, parts


def _unparsed(token: _Token, number: int, root: int) -> DependencyWord:
    """Return a mark, or a token that no constituent covers, as a dependent of the root."""
    kinds = {category(char)[0] for char in token.form if char not in BRACKETS_OF_SIGNS} or {"P"}
    upos = UNKNOWN if token.leaf == NO_LEAF or not kinds <= {"P", "S"} else "PUNCT" if kinds == {"P"} else "SYM"
    relation = "root" if number == root else "punct" if upos == "PUNCT" else UNNAMED
    place = "TokenRange={}:{}".format(*token.place)
    return DependencyWord(token.form, "_", upos, head=root if number != root else 0, deprel=relation, misc=place)


def _misc(token: _Token, leaf: Constituent, links: _Links, ud: UdMap) -> str:
    """Return MISC: a word's place in the text, its link in the grammar, and violations of the phrases that it heads."""
    said = ["TokenRange={}:{}".format(*token.place)]
    if named := links.named[token.leaf]:
        said.append(f"Link={_value(named)}")
    if not ud.words and leaf.features:
        said.append("Features=" + _value(",".join(f"{feature}={value}" for feature, value in leaf.features)))
    if leaf.guessed:
        said.append("Guessed=Yes")
    if violated := links.violated.get(token.leaf):
        said.append(f"Violated={_value(','.join(violated))}")
    return "|".join(said)


def _value(text: str) -> str:
    """Percent-encode blanks and bars in the value of a column."""
    return re.sub(r"[%|\s]", lambda match: quote(match[0], safe=""), text) or "_"


def _with_marks(words: list[DependencyWord], tokens: Sequence[_Token], root: int) -> list[DependencyWord]:
    """Attach marks so that no links cross.

    A pair, such as brackets, depends on the word inside that heads all others there. Any other mark depends on the
    dependent of the shortest link over it (its head, if that dependent is a mark), or on the root if there is no link.
    """
    marks = [number for number, token in enumerate(tokens, start=1) if token.leaf == OF_MARK and number != root]
    heads = {number: word.head or 0 for number, word in enumerate(words, start=1) if number not in set(marks)}
    links = [(abs(n - head), min(n, head), max(n, head), n) for n, head in heads.items() if head]
    chosen: dict[int, int] = {}
    pairs = _pairs(marks, words)
    for opening, closing in pairs.items():
        if inside := _head_inside(opening, closing, heads):
            chosen |= {opening: inside, closing: inside}
            links += [(abs(n - inside), min(n, inside), max(n, inside), inside) for n in (opening, closing)]
    links.sort()
    for number in marks:
        if number not in chosen:
            chosen[number] = next((below for _, start, end, below in links if start < number < end), root)
            if number in pairs:
                chosen[pairs[number]] = chosen[number]
    return [replace(word, head=chosen.get(number, word.head)) for number, word in enumerate(words, start=1)]


def _pairs(marks: Iterable[int], words: Sequence[DependencyWord]) -> dict[int, int]:
    """Return the number of the closing mark for each opening mark that has one."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for number in marks:
        form = words[number - 1].form
        matching = [mark for mark in opened if CLOSED_BY[words[mark - 1].form] == form]
        if matching:
            pairs[matching[-1]] = number
            del opened[opened.index(matching[-1]) :]
        elif form in CLOSED_BY:
            opened.append(number)
    return pairs


def _head_inside(start: int, end: int, heads: Mapping[int, int]) -> int | None:
    """Return the only word between two places with a link to the outside, None if there is not exactly one."""
    across = {
        number if start < number < end else head
        for number, head in heads.items()
        if (start < number < end) != (start < head < end)
    }
    return across.pop() if len(across) == 1 else None
