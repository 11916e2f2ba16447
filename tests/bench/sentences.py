"""Sentences of a wanted length for english.pg: well formed ones, their corrupted twins, and word salad.

Everything is drawn by a seeded generator, so that two runs measure the same sentences. About a sixth of the words has
several categories (`fast`, `long`, `clean`, `her`, `like`), as in ordinary text.
"""

from __future__ import annotations

from random import Random
from typing import Final, Literal


def _cut(**forms: str) -> dict[str, list[str]]:
    return {form: words.split() for form, words in forms.items()}


NOUNS: Final = _cut(
    sg="cat dog bird horse woman man child boy girl friend teacher student doctor farmer house garden train",
    pl="cats dogs birds horses women men children boys girls friends teachers students doctors farmers",
)
DETERMINERS: Final = _cut(
    sg="the a this every my her",
    pl="the some these my her",
)
INTRANSITIVE: Final = _cut(
    sg="sleeps waits sits slept laughed",
    pl="sleep wait sit slept laughed",
    plain="sleep wait sit",
)
TRANSITIVE: Final = _cut(
    sg="sees likes finds chased admires",
    pl="see like find chased admire",
    plain="see like find admire",
)
OTHER: Final = _cut(
    adjectives="big small old young good happy black white long fast clean quiet hungry kind clever",
    prepositions="in near with behind under beside without against",
    names="John Mary Ada Paul Anna",
    adverbs="quietly often slowly again today",
    modals="will can must should",
    rest="and or not to is has him she they very",
)
VOCABULARY: Final = sorted(
    {
        word
        for forms in (NOUNS, DETERMINERS, INTRANSITIVE, TRANSITIVE, OTHER)
        for words in forms.values()
        for word in words
    }
)

Kind = Literal["well-formed", "dropped", "doubled", "swapped", "salad"]
CORRUPTED: Final[tuple[Kind, ...]] = ("dropped", "doubled", "swapped")
LENGTHS: Final = (5, 8, 10, 15, 20, 30, 40, 60, 100)


def sentences(words: int, kind: Kind, number: int = 6) -> list[str]:
    """Return sentences of a kind; for a corrupted twin, `words` is the length of the well-formed sentence."""
    drawn = []
    for seed in range(number):
        rng = Random(f"{words} {seed}")
        if kind == "salad":
            drawn.append(" ".join(rng.choices(VOCABULARY, k=words)))
        else:
            drawn.append(" ".join(corrupted(clause(words, rng), kind, rng)))
    return drawn


def corrupted(words: list[str], kind: Kind, rng: Random) -> list[str]:
    """The words with one dropped, doubled or swapped with the next one."""
    place = rng.randrange(len(words) - 1)
    match kind:
        case "dropped":
            return words[:place] + words[place + 1 :]
        case "doubled":
            return words[: place + 1] + words[place:]
        case "swapped":
            return [*words[:place], words[place + 1], words[place], *words[place + 2 :]]
    return words


def clause(size: int, rng: Random) -> list[str]:
    """A subject, now and then after a prepositional phrase, and a predicate; at least three words."""
    if size >= 8 and rng.random() < 0.3:
        return [*prepositional(3, rng), *clause(size - 3, rng)]
    subject = rng.randint(2, min(5 if size < 20 else size // 3, size - 1))
    number = rng.choice(("sg", "pl"))
    words = noun_phrase(subject, number, rng)
    return words + predicate(size - subject, "pl" if "and" in outer(words) else number, rng)


def outer(words: list[str]) -> list[str]:
    """Return the words before the first preposition, where a conjunction makes the whole phrase plural."""
    ends = [i for i, word in enumerate(words) if word in OTHER["prepositions"]]
    return words[: ends[0]] if ends else words


def noun_phrase(size: int, number: str, rng: Random) -> list[str]:
    if size == 1:
        return [rng.choice(OTHER["names"] if number == "sg" else NOUNS["pl"])]
    if size >= 5 and (size > 6 or rng.random() < 0.6):
        inner = rng.randint(2, min(4, size - 3))
        first = noun_phrase(inner, number, rng)
        if rng.random() < 0.25:
            return [*first, "and", *noun_phrase(size - inner - 1, rng.choice(("sg", "pl")), rng)]
        return first + prepositional(size - inner, rng)
    adjectives = rng.sample(OTHER["adjectives"], size - 2)
    return [rng.choice(DETERMINERS[number]), *adjectives, rng.choice(NOUNS[number])]


def prepositional(size: int, rng: Random) -> list[str]:
    return [rng.choice(OTHER["prepositions"]), *noun_phrase(size - 1, rng.choice(("sg", "pl")), rng)]


def predicate(size: int, number: str, rng: Random) -> list[str]:
    if size >= 3 and rng.random() < 0.2:
        return [rng.choice(OTHER["modals"]), *verb_phrase(size - 1, "plain", rng)]
    return verb_phrase(size, number, rng)


def verb_phrase(size: int, form: str, rng: Random) -> list[str]:
    """`form` is `sg` or `pl` of a finite verb, or `plain` after a modal."""
    if size <= 2:
        return [rng.choice(INTRANSITIVE[form]), *rng.sample(OTHER["adverbs"], size - 1)]
    if size >= 5 and rng.random() < 0.5:
        behind = rng.randint(3, size - 2)
        return verb_phrase(size - behind, form, rng) + prepositional(behind, rng)
    return [rng.choice(TRANSITIVE[form]), *noun_phrase(size - 1, rng.choice(("sg", "pl")), rng)]
