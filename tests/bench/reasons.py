"""Sentences whose mistakes were read one by one, and what a grammar says about them: reasons and first repairs.

A file of cases is a table with the columns `sentence`, `verdict` (those with `bad` count), `words` (the wrong words,
`^` for a missing one, `; ` between places), `reason` (the kind of mistake), `corrections` (`old -> new | old -> new`),
and `good` or not: the sentence with the first correction. No figure needs the name of a property.
"""

from __future__ import annotations

import csv
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from statistics import median
from typing import Final, Self

from numbat.acceptability.models import Scorer
from numbat.acceptability.repair import repairs
from numbat.evaluation.constituents import Constituent
from numbat.parsing.parser import Parser
from numbat.parsing.result import Parse

CASES: Final = Path(os.environ.get("NUMBAT_DATA") or Path(__file__).parents[3] / "shared" / "data") / "reasons"
NOT_OF_GRAMMAR: Final = ("spelling", "style", "discourse", "punctuation", "lexical")
"""Kinds of mistakes that no grammar is asked about."""
SHORT: Final = 3
"""Maximum number of words of an element that all count as words of a reason; of longer ones, the first and the last."""
WORD: Final = re.compile(r"\w+|[^\w\s]")
WEIGHT: Final = 0.5**2
"""Weight of recall beside precision in F0.5."""

TextEdit = tuple[int, int, tuple[str, ...]]
"""A change of a sentence: from a word, up to a word, to these words."""


@dataclass(frozen=True)
class Case:
    """A wrong sentence: its wrong words, the kind of mistake, and the sentence with each of its corrections."""

    sentence: str
    words: tuple[str, ...]
    kind: str
    corrected: tuple[str, ...]


def read_cases(path: Path) -> list[Case]:
    """Return the cases of a file that a grammar is asked about and that have a correction."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    cases = []
    for row in rows:
        if row["verdict"] != "bad" or row.get("kind") in NOT_OF_GRAMMAR:
            continue
        sentence = row["sentence"]
        written = (row.get("good"), *(_corrected(sentence, each) for each in row["corrections"].split(" | ")))
        corrected = tuple(dict.fromkeys(each for each in written if each and each != sentence))
        if corrected:
            cases.append(Case(sentence, tuple(row["words"].split("; ")), row["reason"].split("+")[0], corrected))
    return cases


def _corrected(sentence: str, correction: str) -> str | None:
    """Return the sentence with a correction, None if the words to correct are not there."""
    old, _, new = correction.partition(" -> ")
    old, new = (each.replace("^ ", "").strip() for each in (old, new))
    return sentence.replace(old, new, 1) if old and old in sentence else None


@dataclass(frozen=True)
class Found:
    """Findings of a grammar in a case; `tried` is the number of sentences that were parsed for the first repair.

    `hits`, `made` and `wanted` count edits: those of both the first repair and the nearest correction, and of each.
    """

    kind: str
    detected: bool
    false_alarm: bool
    met: bool
    alone: bool
    right: bool
    hits: int
    made: int
    wanted: int
    tried: int
    repaired: str = ""


def found_in(case: Case, parser: Parser, score: Scorer) -> Found:
    """Return what a grammar finds in a case."""
    bad, good = parser.parse(case.sentence), parser.parse(case.corrected[0])
    violated = sorted(bad.violated, key=lambda each: -each.property.cost_units)
    wrong = wrong_tokens(case, bad)
    met = bool(violated) and not wrong.isdisjoint(words_of(violated[0].elements or (violated[0].constituent,)))
    tried: list[None] = []
    first = next(iter(repairs(bad, parser, score, most=1, advance=lambda: tried.append(None))), None)
    repaired = first.sentence if first else ""
    made = edits_of(case.sentence, repaired) if first else frozenset()
    wanted = [edits_of(case.sentence, each) for each in case.corrected]
    nearest = max(wanted, key=lambda each: (len(each & made), -len(each)))
    return Found(
        case.kind,
        detected=bad.cost_units > good.cost_units,
        false_alarm=bool(good.violated),
        met=met,
        alone=met and len(violated) == 1,
        right=first is not None and _bare(repaired) in map(_bare, case.corrected),
        hits=len(nearest & made),
        made=len(made),
        wanted=len(nearest),
        tried=len(tried),
        repaired=repaired,
    )


def wrong_tokens(case: Case, parse: Parse) -> set[int]:
    """Return the positions of the wrong words, and of the neighbours of a missing one at the edge of a place."""
    wrong: set[int] = set()
    places = parse.lattice.places
    for place in case.words:
        parts = place.split()
        text = " ".join(part for part in parts if part != "^")
        start = case.sentence.find(text) if text in case.sentence else case.sentence.lower().find(text.lower())
        end = start + len(text)
        inside = [i for i, (left, right) in enumerate(places) if start >= 0 and left < end and start < right]
        wrong.update(inside)
        if inside and "^" in (parts[0], parts[-1]):
            wrong.update((inside[0] - 1, inside[-1] + 1))
    return wrong


def words_of(constituents: Iterable[Constituent]) -> set[int]:
    """Return the positions of the words of short constituents, and of the first and last words of longer ones."""
    words: set[int] = set()
    for each in constituents:
        positions = [i for i in range(each.start, each.end) if each.cover >> i & 1]
        words.update(positions if len(positions) <= SHORT else (positions[0], positions[-1]))
    return words


def edits_of(old: str, new: str) -> frozenset[TextEdit]:
    """Return the changes that make one sentence of another, by words and without case, as ERRANT counts them."""
    before, after = WORD.findall(old.lower()), WORD.findall(new.lower())
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return frozenset((i, j, tuple(after[k:end])) for tag, i, j, k, end in matcher.get_opcodes() if tag != "equal")


def _bare(sentence: str) -> str:
    return "".join(sentence.lower().split())


@dataclass(frozen=True)
class Figures:
    """Shares of cases; the F0.5 of the edits of first repairs; the median of the sentences tried for one."""

    number: int
    detected: float
    false_alarms: float
    met: float
    alone: float
    right: float
    f_half: float
    tried: float

    @classmethod
    def of(cls, found: Sequence[Found]) -> Self:
        """Return the figures of some cases."""

        def share(values: Iterable[bool]) -> float:
            return sum(values) / len(found)

        hits, made, wanted = (sum(counts) for counts in zip(*((f.hits, f.made, f.wanted) for f in found), strict=True))
        return cls(
            len(found),
            share(f.detected for f in found),
            share(f.false_alarm for f in found),
            share(f.met for f in found),
            share(f.alone for f in found),
            share(f.right for f in found),
            (1 + WEIGHT) * hits / (made + WEIGHT * wanted) if made or wanted else 1.0,
            median(f.tried for f in found),
        )


COLUMNS: Final = ("cases", "detected", "false", "met", "alone", "right", "F0.5", "tried")


def table(found: Sequence[Found]) -> Iterator[str]:
    """Yield the lines of a table: the figures by kind of mistake, and of all cases."""
    kinds: defaultdict[str, list[Found]] = defaultdict(list)
    for each in found:
        kinds[each.kind].append(each)
    yield f"{'':22}" + "".join(f"{name:>10}" for name in COLUMNS)
    for kind, cases in (*sorted(kinds.items()), ("all", list(found))):
        figures = Figures.of(cases)
        shares = (figures.detected, figures.false_alarms, figures.met, figures.alone, figures.right, figures.f_half)
        yield f"{kind:22}{figures.number:>10}" + "".join(f"{each:>10.3f}" for each in shares) + f"{figures.tried:>10g}"
