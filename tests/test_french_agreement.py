"""The matrix of agreement of `french`: forms that agree violate nothing, and any other form violates something."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Final

import pytest

from numbat import Parser, load_grammar

SUBJECTS: Final = {
    "je": 0, "tu": 1, "il": 2, "on": 2, "nous": 3, "vous": 4, "elles": 5, "Marie": 2, "les filles": 5, "ma sœur": 2,
    "quelqu'un": 2, "tout le monde": 2, "cela": 2, "chacune": 2, "ceux-ci": 5, "Paul et Marie": 5, "toi et moi": 3,
    "Paul et toi": 4, "la plupart": 5, "la plupart des filles": 5, "beaucoup de filles": 5, "trois garçons": 5,
    "la famille": 2, "la porte de mes voisins": 2, "les amis de Marie": 5, "le garçon qui chante": 2,
    "c'est moi qui": 0, "c'est toi qui": 1, "voici les filles qui": 5, "je connais celui qui": 2,
}  # fmt: skip
"""Subjects, and which of the six forms of a verb each has."""
VERBS: Final = (
    ("dors dors dort dormons dormez dorment", "bien"),
    ("vais vas va allons allez vont", "à Paris"),
    ("suis es est sommes êtes sont", "ici"),
)
"""The six forms of a verb, and what stands behind it."""
KINDS: Final = ("ms", "fs", "mp", "fp")
"""Masculine and feminine in the singular, then in the plural."""
NOUNS: Final = {"livre": "ms", "maison": "fs", "livres": "mp", "maisons": "fp"}
PEOPLE: Final = {"le garçon": "ms", "la fille": "fs", "il": "ms", "elle": "fs", "les garçons": "mp", "elles": "fp"}
DETERMINERS: Final = {
    "le": "ms", "la": "fs", "les": "mp fp", "un": "ms", "une": "fs", "des": "mp fp", "ce": "ms", "cette": "fs",
    "ces": "mp fp", "mon": "ms", "ma": "fs", "mes": "mp fp", "leur": "ms fs", "leurs": "mp fp", "chaque": "ms fs",
    "quel": "ms", "quelles": "fp", "certaines": "fp", "deux": "mp fp", "tout le": "ms", "toute la": "fs",
    "tous les": "mp", "toutes les": "fp", "tous mes": "mp", "toute ma": "fs", "tous le": "", "tout la": "",
    "toute les": "", "toutes ces": "fp",
}  # fmt: skip
"""Determiners, and the nouns that they go with."""
SINGULAR: Final = {"be": "est", "have": "a", "itself": "s'est", "feel": "se sent", "please": "plaît"}
PLURAL: Final = {"be": "sont", "have": "ont", "itself": "se sont", "feel": "se sentent", "please": "plaisent"}
FRAMES: Final = {
    "adjective behind": (NOUNS, "je vois {the} {noun} {word}.", "vert verte verts vertes"),
    "adjective in front": (NOUNS, "je vois {the} {word} {noun}.", "petit petite petits petites"),
    "attribute": (NOUNS, "{the} {noun} {be} {word}.", "lourd lourde lourds lourdes"),
    "attribute of the object": (NOUNS, "je trouve {the} {noun} trop {word}.", "lourd lourde lourds lourdes"),
    "attribute of people": (PEOPLE, "{noun} {be} très {word}.", "grand grande grands grandes"),
    "participle with être": (PEOPLE, "{noun} {be} {word} hier.", "parti partie partis parties"),
    "passive": (PEOPLE, "{noun} {have} été {word} hier.", "vu vue vus vues"),
    "reflexive": (PEOPLE, "{noun} {itself} {word} hier.", "lavé lavée lavés lavées"),
    "feeling": (PEOPLE, "{noun} {feel} {word}.", "seul seule seuls seules"),
    "relative with avoir": (NOUNS, "{the} {noun} que j'ai {word} me {please}.", "vu vue vus vues"),
    "question with avoir": (NOUNS, "{which} {noun} as-tu {word} ?", "vu vue vus vues"),
}
"""A word in each gender and number, in a sentence with each noun."""


def verbs() -> Iterator[tuple[str, bool]]:
    """Yield each subject with each form of each verb, and whether they agree."""
    for (subject, person), (row, behind) in product(SUBJECTS.items(), VERBS):
        forms = row.split()
        for form in dict.fromkeys(forms):
            text = f"{subject} {form} {behind}."
            yield text.replace("je a", "j'a").replace("je e", "j'e").replace("je ê", "j'ê"), form == forms[person]


def inverted() -> Iterator[tuple[str, bool]]:
    """Yield each subject behind each form of a verb, and whether they agree."""
    behind = ("-tu", "-il", "-nous", "-vous", "-ils", " Marie", " les filles")
    for (subject, person), (i, form) in product(
        zip(behind, (1, 2, 3, 4, 5, 2, 5), strict=True), enumerate(("vis", "vit", "vivons", "vivez", "vivent"), 1)
    ):
        yield f"où {form}{subject} ?", i == person


def reflexives() -> Iterator[tuple[str, bool]]:
    """Yield each subject with each reflexive pronoun, and whether they agree."""
    for (i, subject), (pronoun, persons) in product(
        enumerate(("je", "tu", "Marie", "nous", "vous", "ils")),
        (("me", (0,)), ("te", (1,)), ("se", (2, 5)), ("nous", (3,)), ("vous", (4,))),
    ):
        form = ("souviens", "souviens", "souvient", "souvenons", "souvenez", "souviennent")[i]
        yield f"{subject} {pronoun} {form} de Paul.", i in persons


def clitics() -> Iterator[tuple[str, bool]]:
    """Yield each pronoun in front of *avoir* with each participle, and whether they agree."""
    for (pronoun, right), (kind, word) in product(
        {"l'": "ms fs", "les ": "mp fp"}.items(), zip(KINDS, ("vu", "vue", "vus", "vues"), strict=True)
    ):
        yield f"je {pronoun}ai {word}.", kind in right.split()


def determiners() -> Iterator[tuple[str, bool]]:
    """Yield each noun with each determiner, and whether they agree."""
    for (noun, kind), (word, kinds) in product(NOUNS.items(), DETERMINERS.items()):
        yield f"je vois {word} {noun} ici.", kind in kinds.split()


def framed(name: str) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of a frame, and whether their words agree."""
    nouns, frame, words = FRAMES[name]
    for (noun, kind), (other, word) in product(nouns.items(), zip(KINDS, words.split(), strict=True)):
        which = ("quel", "quelle", "quels", "quelles")[KINDS.index(kind)]
        the = {"ms": "le", "fs": "la"}.get(kind, "les")
        forms = SINGULAR if kind.endswith("s") else PLURAL
        yield frame.format(noun=noun, word=word, the=the, which=which, **forms), kind == other


MATRIX: Final = {
    "verb": verbs,
    "verb before its subject": inverted,
    "reflexive pronoun": reflexives,
    "pronoun in front of avoir": clitics,
    "determiner": determiners,
}


@cache
def parser() -> Parser:
    return Parser(load_grammar("french"))


@pytest.mark.parametrize("name", [*MATRIX, *FRAMES])
def test_forms_that_agree_violate_nothing_and_others_something(name: str) -> None:
    cases = [*(MATRIX[name]() if name in MATRIX else framed(name))]
    assert [text for text, agrees in cases if bool(parser().parse(text).violated) is agrees] == []
    assert {agrees for _, agrees in cases} == {True, False}
