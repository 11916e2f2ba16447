"""Which words of the sentences of a suite the lexicon does not have, and whether a bad sentence is bad without them.

A bad sentence is caught where something is wrong that speaks of words of the lexicon alone. Where words that the
lexicon does not have are part of all that is wrong, it is undecided: a misspelt word makes any sentence look bad.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from functools import reduce
from itertools import chain, pairwise
from operator import or_

from numbat.errors import counted
from numbat.evaluation.constituents import Constituent
from numbat.grammar.expressions import Adjacent, walk
from numbat.grammar.model import Grammar, relations_of
from numbat.grammar.relations import Relation
from numbat.parsing.analysis import Evaluated
from numbat.parsing.explanation.text import by_lexical_status, lexical_status, mostly_guessed
from numbat.parsing.explanation.violations import listed_words
from numbat.parsing.result import Parse


def faults_of_known_words(parse: Parse, also_known: Collection[str] = ()) -> tuple[str, ...]:
    """The relations that are violated, and `fragments`, where that speaks of words of the lexicon alone.

    `also_known` are forms that count as words of the lexicon.
    """
    unknown = _unknown_cover(parse, also_known)
    found = [each.property.relation for each in violated_by_known_words(parse, also_known)]
    if not parse.is_full and _unbuilt_of_known(parse, unknown):
        found.append("fragments")
    return tuple(dict.fromkeys(found))


def violated_by_known_words(parse: Parse, also_known: Collection[str] = ()) -> tuple[Evaluated, ...]:
    """The violated instances of P- that speak of words of the lexicon alone.

    They speak of their daughters. One that complains of what is missing speaks of its constituent and of the words on
    both sides of that, for an unknown word there may be what is missing.
    """
    unknown = _unknown_cover(parse, also_known)
    if not unknown:
        return parse.violated
    relations = relations_of(parse.grammar)
    return tuple(each for each in parse.violated if not _spoken_of(each, relations[each.property.relation]) & unknown)


def _unknown_cover(parse: Parse, also_known: Container[str]) -> int:
    return _cover([word for word in parse.guessed if word.form not in also_known])


def _spoken_of(violated: Evaluated, relation: Relation) -> int:
    """The positions of the words that a violated instance speaks of."""
    if relation.lacking or not violated.elements:
        return _widened(violated.constituent.cover)
    cover = _cover(violated.elements)
    if any(isinstance(node, Adjacent) for node in walk(relation.holds)):
        return _filled(cover)  # what stands between keeps the two apart
    return cover


def _unbuilt_of_known(parse: Parse, unknown: int) -> bool:
    """Whether two fragments side by side, or one that is no root, have no unknown word in or beside them."""
    tops = sorted(parse.constituents, key=lambda top: top.start)
    spans = [_cover(both) for both in pairwise(tops)] or [_cover(tops)]
    return any(not _widened(_filled(span)) & unknown for span in spans)


def _cover(constituents: Sequence[Constituent]) -> int:
    return reduce(or_, (each.cover for each in constituents), 0)


def _filled(cover: int) -> int:
    """The cover with the positions between its first and its last one."""
    return (1 << cover.bit_length()) - (cover & -cover)


def _widened(cover: int) -> int:
    """The cover with the positions on both sides of each of its own."""
    return cover | cover << 1 | cover >> 1


def unknown_words(parse: Parse) -> str:
    """The words of a sentence that the lexicon does not have: `1 word guessed: cats; 1 word unknown: Mnn`."""
    found = by_lexical_status(parse.guessed).items()
    return "; ".join(f"{counted(len(words), 'word')} {how}: {listed_words(words)}" for how, words in found)


def unknown_in_all(parses: Sequence[Parse]) -> list[str]:
    """The words of several sentences that the lexicon does not have: a line for those guessed, one for the unknown."""
    found: dict[str, list[list[str]]] = {}
    for parse in parses:
        for how, words in by_lexical_status(parse.guessed).items():
            found.setdefault(how, []).append(words)
    lines = []
    for how, sentences in sorted(found.items()):
        words = list(chain.from_iterable(sentences))
        where = f" in {counted(len(sentences), 'sentence')}"
        lines.append(f"{counted(len(words), 'word')} {how}{where}: {listed_words(list(dict.fromkeys(words)))}")
    return lines


def another_grammar(parses: Sequence[Parse], grammar: Grammar) -> str:
    """What to say first where most words are not in the lexicon; nothing else."""
    words = sum(len(parse.lattice.tokens) for parse in parses)
    guessed = sum(len(parse.guessed) for parse in parses)
    if not mostly_guessed(guessed, words):
        return ""
    name = f"the grammar {grammar.name}" if grammar.name else "the grammar"
    return f"most words, {guessed:,} of {words:,}, are not in the lexicon of {name}: -g names the grammar that is meant"


def forms_not_in_lexicon(parse: Parse, how: str) -> list[str]:
    """The words of a sentence that are `guessed`, or those that are `unknown`."""
    return [word.form for word in parse.guessed if lexical_status(word) == how]
