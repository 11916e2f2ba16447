"""Counts how often nouns are used without a determiner, and writes what follows into the lexicon of `english`.

    python -m tools.countability TREEBANK ...

TREEBANKs are CoNLL-U or bracketed trees with the tags of the Penn Treebank. The lexicon has figures of the train part
of UD_English-EWT (CC BY-SA 4.0: https://github.com/UniversalDependencies/UD_English-EWT) and of the trees of MASC (free
of restrictions: https://github.com/oanc/masc, folder 1/ptb). `tools/countability.tsv` gets the counts of each line that
follows from them, and the digest of the files.

A use is a common noun in the singular that is head of its noun phrase, and no name, possessor, coordinate, apposition
or heading. It is bare if nothing before it determines it. Each decision is a binomial test (Brent 1993): are bare uses
more, or fewer, than chance explains, if a noun of the other class is bare at a given rate? A noun with few uses stays
what the lexicon says.

- A countable noun is bare more often than by mistake or in headlines: `article=opt`, which has a price.
- A noun that the lexicon calls neither countable nor uncountable is bare more seldom than such nouns are, and so seldom
  as the price says: the same.
- A countable noun is bare after one preposition, more often than elsewhere: *in need* is an adverb.

Uses before a number (*page 7*) and in *day to day* are left out, and pairs with *of*, which belongs to nouns.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import comb, exp
from pathlib import Path
from statistics import StatisticsError, median
from typing import Final, NamedTuple

from numbat.errors import Problem
from numbat.treebanks.conllu import DependencyTree
from numbat.treebanks.heads import dependencies_of
from numbat.treebanks.reading import read_treebank
from numbat.treebanks.trees import Tree

ROOT: Final = Path(__file__).parents[1]
LEXICON: Final = ROOT / "grammars/english.tsv"
EVIDENCE: Final = ROOT / "tools/countability.tsv"
DETERMINERS: Final = frozenset({"DT", "PDT", "PRP$", "WP$", "WDT", "CD"})
QUANTIFIERS: Final = frozenset(
    ("much", "more", "most", "less", "least", "enough", "little", "such", "many", "few", "last", "next", "same", "own")
)
"""Adjectives and adverbs by their tags that do what a determiner does."""
PARTS: Final = frozenset({"conj", "appos", "list", "parataxis", "vocative", "discourse", "reparandum", "compound"})
"""Relations of Universal Dependencies whose dependents are no complete noun phrases."""
PREPOSITIONS: Final = frozenset({"IN", "TO"})
BEHIND: Final = frozenset({"POS", "CD", "-LRB-"})
"""Tags behind a possessor, and between a noun and its number: *page 7*, *clause (a)*."""
KINDS: Final = frozenset({"kind", "kinds", "type", "types", "sort", "sorts", "style", "species"})
"""Nouns whose *of* any noun follows: *a kind of cat*."""
LEVEL: Final = 0.05
"""Probability below which chance explains nothing."""
LEVEL_OF_PAIRS: Final = 0.01
"""The same for pairs, because there are many."""
LEAST_OF_PAIRS: Final = 0.5
"""Least rate of bare uses in a pair of a preposition and a noun that is fixed."""
RARE: Final = exp(-5 * 0.4)
"""Rate for which the price of a bare countable noun stands, a fifth of a logarithm (`grammars/english/prices.pg`)."""
LEAST: Final = 3
"""Bare uses of the least evidence: one or two may be mistakes."""
LEAST_OF_RATE: Final = 30
"""Uses of a noun that takes part in the error rate."""
BLOCK: Final = "# Counted in treebanks by `python -m tools.countability`: fixed pairs of a preposition and a noun"
FEATURE: Final = "article=opt"


class Use(NamedTuple):
    """A use of a noun: without a determiner or with one, behind this preposition (if there is one), in a text.

    Equal uses count once: a writer who used a noun in one way does so again in the same text.
    """

    noun: str
    bare: bool
    preposition: str
    text: str


class Counts(NamedTuple):
    """Numbers of bare uses and of all."""

    bare: int
    all: int

    @property
    def rate(self) -> float:
        return self.bare / self.all if self.all else 0.0

    def without(self, other: Counts) -> Counts:
        return Counts(self.bare - other.bare, self.all - other.all)

    def exceeds(self, rate: float, level: float = LEVEL) -> bool:
        """True if this number of bare uses, or more, is unlikely at this rate."""
        return self.bare >= LEAST and at_least(self.bare, self.all, rate) < level

    def stays_below(self, rate: float) -> bool:
        """True if this number of bare uses, or fewer, is unlikely at this rate."""
        return 1 - at_least(self.bare + 1, self.all, rate) < LEVEL


def at_least(successes: int, trials: int, rate: float) -> float:
    """Return the binomial probability of this number of successes or more."""
    return sum(comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(successes, trials + 1))


def uses_of(tree: DependencyTree, text: str) -> Iterator[Use]:
    """Yield the uses of nouns in a sentence; trees of both styles, with prepositions as heads or as dependents."""
    words = tree.words
    below: defaultdict[int, list[int]] = defaultdict(list)
    for index, word in enumerate(words):
        below[(word.head or 0) - 1].append(index)
    for index, word in enumerate(words):
        head = (word.head or 0) - 1
        before, behind = ([i for i in below[index] if (i < index) is side] for side in (True, False))
        prepositions = [i for i in (*before, head) if 0 <= i < index and words[i].xpos in PREPOSITIONS]
        place = prepositions[0] if prepositions else 0
        tags = {words[i].xpos for i in chain(before, behind)}
        if (
            word.xpos != "NN"
            or not (word.form.isalpha() and word.form.islower())
            or word.deprel.split(":")[0] in PARTS
            or (head < 0 and not any(tag.startswith(("VB", "MD")) for tag in tags))
            or (head >= 0 and is_nominal(words[head].xpos) and (head > index or not prepositions))
            or (head > index and words[head].xpos.startswith(("JJ", "VBG", "VBN")) and word.deprel == "dep")
            or (head > index and word.deprel.startswith("obl"))
            or "CC" in tags
            or (index + 1 < len(words) and words[index + 1].xpos in BEHIND)
            or (place and words[place].form.lower() == "per")
            or (place and words[place - 1].form.lower() in {word.form, *KINDS})
            or any(words[j].xpos == "CC" for i in behind if is_nominal(words[i].xpos) for j in below[i])
        ):
            continue
        determined = any(
            words[i].xpos in DETERMINERS
            or words[i].form.lower() in QUANTIFIERS
            or words[i].xpos == "POS"
            or any(words[j].xpos == "POS" for j in below[i])
            for i in before
        )
        yield Use(word.form, not determined, words[place].form.lower() if prepositions else "", text)


def is_nominal(tag: str) -> bool:
    return tag.startswith(("NN", "PRP", "CD"))


def uses_in(path: Path) -> Iterator[Use]:
    """Yield the uses of nouns in a treebank; sentences that cannot be read are left out."""
    for sentence in read_treebank(str(path)):
        if isinstance(sentence, Problem):
            continue
        tree = dependencies_of(sentence.tree) if isinstance(sentence.tree, Tree) else sentence.tree
        if isinstance(tree, DependencyTree):
            yield from uses_of(tree, re.split("[-:][0-9]+$", sentence.id)[0])


def counts_of(uses: Iterable[Use]) -> dict[tuple[str, str], Counts]:
    """Return the counts of pairs of a preposition (or "") and a noun."""
    bare, every = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for use in uses:
        every[use.preposition, use.noun] += 1
        bare[use.preposition, use.noun] += use.bare
    return {pair: Counts(bare[pair], number) for pair, number in every.items()}


def totals(pairs: Mapping[tuple[str, str], Counts]) -> dict[str, Counts]:
    """Return the counts of nouns, whatever stands before them."""
    by_noun = defaultdict(list)
    for (_, noun), counts in pairs.items():
        by_noun[noun].append(counts)
    return {noun: pooled(each) for noun, each in by_noun.items()}


def pooled(counts: Iterable[Counts]) -> Counts:
    bare, every = zip((0, 0), *counts, strict=True)
    return Counts(sum(bare), sum(every))


def kinds_in(lines: Iterable[str]) -> dict[str, str]:
    """Return the kind of each noun of the lexicon, "" for those that are countable and uncountable.

    Nouns that are pronouns or determiners too, as in *half of it*, are left out.
    """
    rows = [line.split("\t") for line in lines]
    others = {row[0] for row in rows if row[1:2] in (["Pro"], ["PreDet"])}
    return {
        row[0]: next((each.removeprefix("kind=") for each in row[2].split() if each.startswith("kind=")), "")
        for row in rows
        if len(row) > 2 and row[1] == "%noun" and row[0] not in others
    }


class Findings(NamedTuple):
    """Nouns that are rarely bare and fixed pairs, with their counts; the rates that they were tested against."""

    optional: dict[str, Counts]
    fixed: dict[tuple[str, str], Counts]
    error: float
    usual: float


def findings(uses: Collection[Use], kinds: Mapping[str, str], known: Container[str]) -> Findings:
    """Return what follows from uses of nouns of which the lexicon says that they are `count`, or nothing ("").

    Uses in pairs that are `known`, such as *of course*, say nothing of the noun.
    """
    pairs = counts_of(use for use in uses if f"{use.preposition} {use.noun}" not in known)
    total = totals(pairs)
    error = median(total[n].rate for n in total if kinds.get(n) == "count" and total[n].all >= LEAST_OF_RATE)
    fixed = {
        (preposition, noun): counts
        for (preposition, noun), counts in pairs.items()
        if preposition not in ("", "of") and kinds.get(noun) == "count" and counts.rate >= LEAST_OF_PAIRS
        if counts.exceeds(max(error, total[noun].without(counts).rate), LEVEL_OF_PAIRS)
    }
    free = totals({pair: counts for pair, counts in pairs.items() if pair not in fixed})
    usual = pooled(free[noun] for noun in free if kinds.get(noun) == "").rate
    optional = {
        noun: counts
        for noun, counts in free.items()
        if (kinds.get(noun) == "count" and counts.exceeds(error))
        or (kinds.get(noun) == "" and counts.rate < RARE and counts.stays_below(usual))
    }
    return Findings(optional, fixed, error, usual)


def rewritten(lines: Sequence[str], found: Findings) -> Iterator[str]:
    """Yield the lines of the lexicon with these findings."""
    for line in lines:
        word, *rest = line.split("\t")
        if rest[:1] == ["%noun"] and (len(rest) > 1 or word in found.optional):
            features = [each for each in "".join(rest[1:2]).split() if each != FEATURE]
            rest[1:2] = [" ".join([*features, FEATURE] if word in found.optional else features)]
        yield "\t".join((word, *rest))
    yield BLOCK
    yield from (f"{pair}\tAdv\tkind=manner" for pair in sorted(map(" ".join, found.fixed)))


def evidence(found: Findings, digest: str) -> Iterator[str]:
    """Yield the lines of the table of evidence."""
    yield f"# Counts behind the lines of english.tsv, by `python -m tools.countability`; digest of the files: {digest}"
    yield f"# Rates of bare uses: countable {found.error:.3f} (median), countable or not {found.usual:.3f}"
    yield "words\tbare\tuses"
    yield from (f"{noun}\t{counts.bare}\t{counts.all}" for noun, counts in sorted(found.optional.items()))
    yield from (f"{' '.join(pair)}\t{counts.bare}\t{counts.all}" for pair, counts in sorted(found.fixed.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("treebanks", type=Path, nargs="+", metavar="TREEBANK")
    given = parser.parse_args()
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in given.treebanks)).hexdigest()[:16]
    lines = LEXICON.read_text(encoding="utf-8").split(BLOCK)[0].splitlines()
    known = {line.split("\t")[0] for line in lines}
    try:
        found = findings({use for path in given.treebanks for use in uses_in(path)}, kinds_in(lines), known)
    except StatisticsError:
        parser.error(f"no countable noun has {LEAST_OF_RATE} uses here; name larger treebanks")
    LEXICON.write_text("".join(f"{line}\n" for line in rewritten(lines, found)), encoding="utf-8")
    EVIDENCE.write_text("".join(f"{line}\n" for line in evidence(found, digest)), encoding="utf-8")
    print(f"{len(found.optional)} nouns, {len(found.fixed)} pairs of a preposition and a noun")


if __name__ == "__main__":
    main()
