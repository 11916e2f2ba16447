"""Counts in treebanks which complements French verbs have, and writes what follows into the lexicon of `french`.

    python -m tools.french_frames FILE.conllu ...

The source of the packaged lexicon, of which it has counts and no text: the train part of UD French Sequoia (LGPL-LR:
https://github.com/UniversalDependencies/UD_French-Sequoia).

A verb gets the feature of a frame that the lexicon by hand does not give it, if texts name the frame: more than once,
and more often than by mistake, by the binomial test of `tools.frames` (Brent 1993); mistakes are as frequent as in the
nine tenths of the verbs without the feature that have the frame least, at least `LEAST_MISTAKES`. `french.counts` of
the models, which `numbat show french --word MOT` reads, gets the counts, and what was added, which the next run takes
out first.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from numbat.treebanks.conllu import DependencyTree, read_conllu
from tools.frame_sources import Use, uses_in_dependencies
from tools.frames import BY_MISTAKE, LEVEL, ROOT, added_before, at_least, features_in, lines_of, rewritten

LEXICON: Final = ROOT / "grammars/french.tsv"
EVIDENCE: Final = ROOT / "models/numbat_pg_models/french.counts"
FEATURES: Final = {
    "que": ("que_clause=yes", {"que_clause", "subjunctive", "speech"}),
    "wh": ("interrogative=yes", {"interrogative"}),
    "V": ("infinitive=yes", {"infinitive", "object_infinitive"}),
    "de V": ("de_infinitive=yes", {"de_infinitive"}),
    "à V": ("a_infinitive=yes", {"a_infinitive"}),
    "lui": ("indirect_object=yes", {"indirect_object"}),
}
"""Frames, each with the feature that states it, and names of features that state it or forbid it."""
LEAST_MISTAKES: Final = 0.02
"""Least rate of mistakes: the lexicon by hand has the common frames of common verbs."""
LEAST_USES: Final = 10
"""Uses of a verb that takes part in rates of mistakes."""
HEAD: Final = (
    "# Frames of verbs, by `python -m tools.french_frames` (which names sources and licences): verb, uses, counts of "
    "frames, which sources name a frame, features added to french.tsv"
)


class Counts(NamedTuple):
    """Uses of verbs, and those with each frame; "alone" is a use without complements."""

    totals: Counter[str]
    frames: Mapping[str, Counter[str]]


def counts_of(uses: Iterable[Use]) -> Counts:
    totals, frames = Counter[str](), defaultdict[str, Counter[str]](Counter)
    for use in uses:
        totals[use.lemma] += 1
        frames[use.lemma].update(set(use.complements) or {"alone"})
    return Counts(totals, dict(frames))


def is_verb(row: Sequence[str]) -> bool:
    return len(row) > 2 and row[1].startswith("%") and "object=" in row[2] and not row[0].startswith("%")


def mistakes(counts: Counts, lexicon: Mapping[str, set[str]]) -> dict[str, float]:
    """Return how often a verb has each frame by mistake."""
    rates = {}
    for frame, (_, stated) in FEATURES.items():
        without = sorted(
            counts.frames[verb][frame] / counts.totals[verb]
            for verb, has in lexicon.items()
            if counts.totals[verb] >= LEAST_USES and not names_of(has) & stated
        )
        rates[frame] = max(without[int(len(without) * BY_MISTAKE)] if without else 0, LEAST_MISTAKES)
    return rates


def names_of(features: Iterable[str]) -> set[str]:
    return {each.split("=")[0] for each in features}


def additions(verb: str, has: set[str], counts: Counts, rates: Mapping[str, float]) -> Iterator[str]:
    """Yield the features that follow from counts and are not in the lexicon by hand."""
    total, frames = counts.totals[verb], counts.frames.get(verb, Counter[str]())
    for frame, (feature, stated) in FEATURES.items():
        number = frames[frame]
        if number > 1 and not names_of(has) & stated and at_least(number, total, rates[frame]) < LEVEL:
            yield feature


def evidence(verb: str, counts: Counts, added: Iterable[str]) -> str:
    """Return the line of a verb, in the form of `tools.frames`."""
    listed = ", ".join(f"{frame} {number}" for frame, number in sorted(counts.frames.get(verb, Counter[str]()).items()))
    named = "; ".join(f"{frame}: text" for frame, (feature, _) in FEATURES.items() if feature in added)
    return "\t".join((verb, str(counts.totals[verb]), listed, named, " ".join(added)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("treebanks", type=Path, nargs="+", metavar="FILE")
    given = parser.parse_args()
    uses = (
        use
        for path in given.treebanks
        for tree in read_conllu(lines_of(path), str(path))
        if isinstance(tree, DependencyTree)
        for use in uses_in_dependencies(tree)
    )
    counts, old = counts_of(uses), added_before(EVIDENCE)
    rows = [line.split("\t") for line in lines_of(LEXICON)]
    lexicon = features_in(rows, old, is_verb)
    rates = mistakes(counts, lexicon)
    new = {verb: [*additions(verb, has, counts, rates)] for verb, has in sorted(lexicon.items())}
    text = "".join("\t".join(row) + "\n" for row in rewritten(rows, old, new, is_verb))
    LEXICON.write_text(text, encoding="utf-8")
    lines = [HEAD, *(evidence(verb, counts, added) for verb, added in new.items() if counts.totals[verb])]
    EVIDENCE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{sum(map(bool, new.values()))} verbs with {sum(map(len, new.values()))} new features")


if __name__ == "__main__":
    main()
