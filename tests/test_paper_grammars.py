"""The published grammars in `grammars/`: each loads, and its examples parse as its comment says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from numbat import Parse, Parser, load_grammar

FOLDER = Path(__file__).parents[1] / "grammars"
PUBLISHED = (
    "anbn.pg",
    "dutch-cross-serial.pg",
    "english-np.pg",
    "french-ap.pg",
    "french-chrg.yaml",
    "french-np-ftb.pg",
    "french-relative.pg",
    "french-teaching.pg",
    "numbat-h3.pg",
)

WELL_FORMED = (
    ("anbn.pg", "a a b b", "(S (a a) (S (a a) (b b)) (b b))"),
    ("english-np.pg", "the red book", "(NP (Det the) (Adj red) (N book))"),
    ("french-ap.pg", "très fier de Paul", "(AP (AdP très) (A fier) (PP de Paul))"),
    ("french-ap.pg", "plus grand que Paul", "(AP (AdP plus) (A grand) (Ssub que Paul))"),
    ("french-chrg.yaml", "le chat mange la souris", "(S (NP (Det le) (N chat)) (VP (V mange) (NP (Det la) (N souris))))"),
    ("french-chrg.yaml", "Marie dort", "(S (NP (PN Marie)) (VP (V dort)))"),
    ("french-np-ftb.pg", "le chat noir", "(NP (Det le) (N chat) (AP noir))"),
    ("french-np-ftb.pg", "Le chat de Marie.", "(NP (Det Le) (N chat) (PP de Marie))"),
    ("french-np-ftb.pg", "celui qui dort", "(NP (Pro celui) (Srel qui dort))"),
    ("french-relative.pg", "qui dort", "(Srel (ProR qui) (SV dort))"),
    ("french-relative.pg", "que les enfants lisent", "(Srel (ProR que) (SN les enfants) (SV lisent))"),
    ("french-teaching.pg", "le livre rouge", "(SN (Det le) (N livre) (SA (Adj rouge)))"),
    ("french-teaching.pg", "le livre le plus rouge", "(SN (Det le) (N livre) (Sup (Det le) (Adv plus) (Adj rouge)))"),
    ("numbat-h3.pg", "sees the cat", "(VP (V sees) (NP (Det the) (N cat)))"),
)

ILL_FORMED = (
    ("anbn.pg", "a a b", "(S (a a) (S (a a)) (b b))", "S: a => b"),
    ("english-np.pg", "red the book", "(NP (Adj red) (Det the) (N book))", "NP: Det < Adj"),
    ("english-np.pg", "the most red book", "(NP (Det the) (Sup most) (Adj red) (N book))", "NP: N < Sup"),
    ("french-ap.pg", "fier très", "(AP (A fier) (AdP très))", "AP: AdP < A"),
    (
        "french-chrg.yaml",
        "le souris dort",
        "(S (NP (Det le) (N souris)) (VP (V dort)))",
        "NP: Det ~> N [number, gender]",
    ),
    ("french-chrg.yaml", "chat le dort", "(S (NP (N chat) (Det le)) (VP (V dort)))", "NP: Det < N"),
    ("french-np-ftb.pg", "la maison noir", "(NP (Det la) (N maison) (AP noir))", "NP: AP ~> N [gender, number]"),
    ("french-np-ftb.pg", "chat le", "(NP (N chat) (Det le))", "NP: Det < N"),
    ("french-relative.pg", "qui", "(Srel (ProR qui))", "Srel: ProR[case=subj] => SV"),
    (
        "french-relative.pg",
        "que les enfants lit",
        "(Srel (ProR que) (SN les enfants) (SV lit))",
        "Srel: SN ~> SV [number, person]",
    ),
    (
        "french-teaching.pg",
        "la livre rouge",
        "(SN (Det la) (N livre) (SA (Adj rouge)))",
        "SN: Det ~> N [gender, number]",
    ),
    ("numbat-h3.pg", "the cat sees", "(VP (NP (Det the) (N cat)) (V sees))", "VP: V < NP"),
)


def parse(file: str, phrase: str) -> Parse:
    return Parser(load_grammar(FOLDER / file)).parse(phrase)
