"""Weighs what treebanks and dictionaries know of the complements of verbs, and writes it into the lexicon of `english`.

    python -m tools.frames --trees FILE ... --derivations FOLDER --verbnet FOLDER --wordnet FOLDER --ratings FILE

The sources of the packaged lexicon, of which it has counts and names but no text:

- `--trees`: bracketed trees with the tags of the Penn Treebank: the train part of the English Web Treebank (CC BY-SA
  4.0: https://github.com/UniversalDependencies/UD_English-EWT) and MASC (free of restrictions:
  https://github.com/oanc/masc, folder 1/ptb);
- `--derivations`: `tsdb/gold` of the English Resource Grammar (MIT: https://github.com/delph-in/erg), derivations by
  hand of the Redwoods treebanks; the profiles `LEFT_OUT`, whose sentences judge grammars, are never opened;
- `--verbnet`: VerbNet 3.4 (free with its notice: https://github.com/cu-clear/verbnet, folder verbnet3.4);
- `--wordnet`: a folder with `data.verb`, `verb.exc` and `index.*` of WordNet 3.0 (WordNet licence: https://wordnet.princeton.edu);
- `--ratings`: MegaAcceptability (White & Rawlins 2016: http://megaattitude.io), ratings of verbs in frames. Only
  verbs whose name has an even digest are read; those with an odd one measure the result.

What a source says of a verb is a term: the logarithm of a smoothed rate for each frame, a frame of a dictionary, a
class of VerbNet, a feature of the lexicon by hand. For each frame that was rated, a ridge regression of ratings on
terms says how much each term counts (the penalty is chosen by cross-validation), and predicts the acceptability of
the frame for all verbs. A source names a frame if it is a dictionary, the verb's class (verbs of a class have the
frame several times as often as all verbs), or text, by a binomial test against the rate of mistakes (Brent 1993). A
verb gets a frame that is predicted not to be bad; if no source names it, its rating has to be close to the frame's
mean. A verb that texts have often enough without the frame (another binomial test) needs two sources. A frame that is
predicted to be good, and that text or two sources name, gets its feature; any other the value `rare`, which has a
price. So what is not known of a rare verb is what is known of its class. Nothing of the lexicon by hand is taken away.

`english.counts` of the models, which `numbat show english --word WORD` reads, gets the evidence: what treebanks
count, what dictionaries name, what was added; so its licence is that of the treebanks. What the last run added is
taken out first, so that equal sources give an equal lexicon.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from math import exp, fsum, lgamma, log, log1p
from pathlib import Path
from statistics import fmean, median
from typing import Final, NamedTuple

from numbat.grammar.loading import load_grammar
from numbat.statistics.regression import ridge
from tools.frame_sources import LEFT_OUT, Use, VerbNet, WordNet, uses_in_profile, uses_in_trees, verbnet, wordnet

ROOT: Final = Path(__file__).parents[1]
LEXICON: Final = ROOT / "grammars/english.tsv"
EVIDENCE: Final = ROOT / "models/numbat_pg_models/english.counts"
FRAMES: Final[Mapping[str, Callable[[Counter[str]], bool]]] = {
    "alone": lambda has: all(each.startswith("PP-") for each in has),
    "NP": lambda has: bool(has["NP"]),
    "NP NP": lambda has: has["NP"] > 1,
    "that": lambda has: bool(has["that"] or has["S"]) and not has["NP"] and not has["passive"],
    "S": lambda has: bool(has["S"]) and not has["NP"] and not has["passive"],
    "wh": lambda has: bool(has["wh"]) and not has["NP"] and not has["passive"],
    "NP that": lambda has: bool(has["NP"] and (has["that"] or has["S"])),
    "passive that": lambda has: bool(has["passive"] and (has["that"] or has["S"])),
    "NP wh": lambda has: bool(has["wh"]) and bool(has["NP"] or has["passive"]),
    "passive wh": lambda has: bool(has["wh"] and has["passive"]),
    "to NP clause": lambda has: bool(has["PP-to"] and (has["that"] or has["S"] or has["wh"])),
    "about NP": lambda has: bool(has["PP-about"]),
    "to-V": lambda has: bool(has["to-V"]) and not has["NP"] and not has["passive"],
    "NP to-V": lambda has: bool(has["NP to-V"] or (has["to-V"] and (has["NP"] or has["passive"]))),
    "V-ing": lambda has: bool(has["V-ing"]),
    "AP": lambda has: bool(has["AP"]),
    "passive": lambda has: bool(has["passive"]),
}
"""Frames that are counted, each with its condition on the numbers of complements of a use."""
RATED: Final = {
    "alone": "NP Ved",
    "about NP": "NP Ved about NP",
    "that": "NP Ved that S[+future]",
    "wh": "NP Ved whether S[+future]",
    "NP that": "NP Ved NP that S[+future]",
    "passive that": "NP was Ved that S[+future]",
    "NP wh": "NP Ved NP whether S",
    "passive wh": "NP was Ved whether S[+future]",
    "to NP clause": "NP Ved to NP whether S",
}
"""Frames that features of the lexicon state, by their names in the ratings."""
NAMES_IN_WORDNET: Final = {
    "alone": (1, 2), "about NP": (), "that": (26,), "wh": (29,), "NP that": (), "passive that": (), "to-V": (28,),
    "NP to-V": (24,), "V-ing": (33,), "NP NP": (14,), "NP": (8, 9, 10, 11), "AP": (6, 7),
}  # fmt: skip
"""Sentence frames of WordNet that name a frame."""
BY_HAND: Final = (
    "that_clause=yes", "that_clause=full", "wh_clause=yes", "object=no", "object=yes", "object=opt", "object=two",
    "object=any", "object_that=yes", "object_that=only", "clause_subject=yes", "speech=yes", "to_phrase=no",
    "object_infinitive=yes", "object_infinitive=only",
)  # fmt: skip
"""Features of the lexicon that are terms."""
BAD: Final = 0.0
"""Predicted rating (0 is the mean of all, in standard deviations) up to which a frame is not added."""
GOOD: Final = 0.7
"""Predicted rating from which a frame has no price."""
BELOW: Final = 0.4
"""A verb that no source names may be rated this much below the mean of a frame."""
RELATED: Final = {
    "that": ("that", "wh"),
    "wh": ("wh", "that"),
    "NP that": ("NP that", "NP wh"),
    "passive that": ("passive that", "NP that"),
    "NP wh": ("NP wh", "NP that"),
    "passive wh": ("passive wh", "passive that"),
    "to NP clause": ("to NP clause", "that", "wh"),
}
"""Frames whose sources name a frame too, because verbs that have one have the other."""
LEVEL: Final = 0.05
"""Probability below which chance explains nothing."""
BY_MISTAKE: Final = 0.9
"""Share of the verbs without a frame in dictionaries that have it in texts by mistake only."""
LEAST_MISTAKES: Final = 0.005
"""Least rate of such mistakes."""
LEAST_USES: Final = 30
"""Uses of a verb that takes part in rates of frames."""
TIMES: Final = 3
"""A class names a frame if its rate is at least this many times that of all verbs."""
MOST_OF_ONE: Final = 30
"""Uses of one verb that count for its class, so that none speaks for all."""
LEAST_OF_CLASS: Final = 4
"""Rated verbs of a class that is a term."""
OFTEN: Final = 0.1
"""Rate from which a verb without its object has no price."""
FOLDS: Final = 5
OTHER: Final = "# Counted in treebanks by"
"""Beginning of the block of `tools.countability`, the last of the lexicon."""
LEAST_OF_VERB: Final = 3
"""Uses of a verb that the lexicon gets, if VerbNet does not have it."""
BLOCK: Final = "# Verbs of VerbNet and of treebanks, by `python -m tools.frames`"
HEAD: Final = (
    "# Frames of verbs, by `python -m tools.frames` (which names sources and licences): verb, uses, counts of frames, "
    "which sources name a frame, features added to english.tsv"
)


class Sources(NamedTuple):
    """Evidence of the sources: numbers of uses and of frames by verb, and the entries of the dictionaries."""

    totals: Mapping[str, int]
    counts: Mapping[str, Counter[str]]
    verbnet: VerbNet
    wordnet: WordNet

    def classes_of(self, verb: str) -> set[str]:
        """Return the classes of VerbNet and the fields of WordNet that a verb belongs to."""
        return self.verbnet.classes.get(verb, set()) | self.wordnet.fields.get(verb, set())

    def verbnet_has(self, verb: str, frame: str) -> bool:
        return any(frame in names_of(each) for each in self.verbnet.frames.get(verb, ()))

    def wordnet_has(self, verb: str, frame: str) -> bool:
        return not self.wordnet.frames.get(verb, set()).isdisjoint(NAMES_IN_WORDNET.get(frame, ()))


def sources_of(uses: Iterable[Use], verbs: VerbNet, sentences: WordNet) -> Sources:
    """Count the frames of uses; equal uses are judged once."""
    totals = Counter[str]()
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for use, number in Counter(uses).items():
        totals[use.lemma] += number
        counts[use.lemma].update(dict.fromkeys(frames_of(use.complements), number))
    return Sources(totals, dict(counts), verbs, sentences)


@cache
def frames_of(complements: tuple[str, ...]) -> frozenset[str]:
    """Return the names of the frames that complements are."""
    has = Counter(complements)
    return frozenset(name for name, condition in FRAMES.items() if condition(has))


@cache
def names_of(frame: tuple[str, ...]) -> frozenset[str]:
    """Return the names in `FRAMES` of a frame of VerbNet."""
    has = Counter(frame)
    has["PP-about"] += any("about" in each.split("-")[-1].split("|") for each in frame)
    return frames_of(tuple(has.elements()))


class Terms:
    """Makes the terms of a verb, in a fixed order."""

    def __init__(self, sources: Sources, lexicon: Mapping[str, set[str]], rated: Iterable[str]) -> None:
        self.sources, self.lexicon = sources, lexicon
        members = Counter(name for verb in rated for name in sources.classes_of(verb))
        self.classes = sorted(name for name, number in members.items() if number >= LEAST_OF_CLASS)

    def of(self, verb: str) -> list[float]:
        total, counts = self.sources.totals.get(verb, 0), self.sources.counts.get(verb, Counter[str]())
        rates = [log((counts[frame] + 0.5) / (total + 5)) for frame in FRAMES]
        names = [self.sources.verbnet_has(verb, frame) for frame in FRAMES]
        frames, classes = self.sources.wordnet.frames.get(verb, set()), self.sources.classes_of(verb)
        return [
            *rates,
            log(total + 1),
            *map(float, names),
            *(float(number in frames) for number in range(1, 36)),
            *(float(name in classes) for name in self.classes),
            *(float(feature in self.lexicon.get(verb, set())) for feature in BY_HAND),
        ]


def digest_of(verb: str) -> int:
    return hashlib.sha256(verb.encode()).digest()[0]


def ratings_in(lines: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the ratings of each frame by verb; verbs with an odd digest are left out."""
    columns = lines[0].split("\t")
    verb, frame, rating = (columns.index(name) for name in ("verb", "frame", "responsenorm"))
    ratings: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for line in lines[1:]:
        row = line.split("\t")
        if digest_of(row[verb]) % 2 == 0:
            ratings[row[frame]][row[verb]] = float(row[rating])
    return dict(ratings)


def predictions(
    terms: Terms, ratings: Mapping[str, Mapping[str, float]], verbs: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Return the predicted rating of each frame for each verb."""
    rows = [terms.of(verb) for verb in verbs]
    predicted = {}
    for frame, name in RATED.items():
        rated = sorted(ratings[name])
        folds = [digest_of(verb) // 2 % FOLDS for verb in rated]
        model = ridge([terms.of(verb) for verb in rated], [ratings[name][verb] for verb in rated], folds).solved
        predicted[frame] = dict(zip(verbs, map(float, model.predict(rows)), strict=True))
    return predicted


class Support:
    """Says which sources name a frame of a verb: *text*, *VerbNet*, *WordNet*, *class*; `means` are of ratings."""

    def __init__(
        self, sources: Sources, lexicon: Mapping[str, set[str]], means: Mapping[str, float] | None = None
    ) -> None:
        self.sources, self.means = sources, means or {}
        total = sum(sources.totals.values())
        often = [verb for verb in lexicon if sources.totals.get(verb, 0) >= LEAST_USES]
        self.of_classes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for verb in sources.totals:
            for name in sources.classes_of(verb):
                self.of_classes[name].update(self.share(verb))
        self.usual: dict[str, float] = {}
        self.mistakes: dict[str, float] = {}
        self.rates: dict[str, float] = {}
        for frame in FRAMES:
            self.usual[frame] = sum(counts[frame] for counts in sources.counts.values()) / total
            unnamed = sorted(
                self.rate(verb, frame)
                for verb in often
                if not sources.verbnet_has(verb, frame) and not sources.wordnet_has(verb, frame)
                if frame != "alone" or "object=yes" in lexicon[verb]
            )
            self.mistakes[frame] = max(unnamed[int(len(unnamed) * BY_MISTAKE)] if unnamed else 0, LEAST_MISTAKES)
            self.rates[frame] = median([self.rate(verb, frame) for verb in often if self.in_text(verb, frame)] or [1.0])

    def rate(self, verb: str, frame: str) -> float:
        return self.sources.counts[verb][frame] / self.sources.totals[verb] if self.sources.totals.get(verb) else 0.0

    def in_text(self, verb: str, frame: str) -> bool:
        """True if a verb has a frame more than once, and more often than by mistake."""
        total = self.sources.totals.get(verb, 0)
        number = self.sources.counts[verb][frame] if total else 0
        return number > 1 and at_least(number, total, self.mistakes[frame]) < LEVEL

    def share(self, verb: str) -> Counter[str]:
        """Return what a verb adds to its classes: uses (""), and those with each frame."""
        counted = min(1, MOST_OF_ONE / self.sources.totals[verb])
        counts = {"": self.sources.totals[verb], **self.sources.counts[verb]}
        return Counter({frame: number * counted for frame, number in counts.items()})  # type: ignore[misc]

    def in_class(self, verb: str, frame: str) -> bool:
        """True if the other verbs of a class have a frame several times as often as all verbs."""
        mine = self.share(verb) if self.sources.totals.get(verb) else Counter[str]()
        others = (
            (each[""] - mine[""], each[frame] - mine[frame])
            for each in map(self.of_classes.__getitem__, self.sources.classes_of(verb))
        )
        return any(uses >= 2 * MOST_OF_ONE and having / uses >= TIMES * self.usual[frame] for uses, having in others)

    def of(self, verb: str, frame: str) -> list[str]:
        related = RELATED.get(frame, (frame,))
        tests = {
            "text": self.in_text,
            "VerbNet": self.sources.verbnet_has,
            "WordNet": self.sources.wordnet_has,
            "class": self.in_class,
        }
        return [name for name, names in tests.items() if any(names(verb, each) for each in related)]

    def is_absent(self, verb: str, frame: str) -> bool:
        """True if a verb has a frame more seldom in texts than by a quarter of the rate of verbs that have it."""
        total = self.sources.totals.get(verb, 0)
        number = self.sources.counts[verb][frame] if total else 0
        return total > 0 and 1 - at_least(number + 1, total, self.rates[frame] / 4) < LEVEL

    def grade(self, verb: str, frame: str, predicted: float) -> str:
        """Return the value of the feature of a frame: "yes", "rare", or "" for none."""
        names = self.of(verb, frame)
        below = BELOW if frame != "alone" else 0  # raters miss no object as readers do
        least = BAD if names else max(BAD, self.means.get(frame, BAD) - below)
        if predicted <= least or (len(names) < 2 and self.is_absent(verb, frame)):
            return ""
        return "yes" if predicted > GOOD and ("text" in names or len(names) > 1) else "rare"


def at_least(successes: int, trials: int, rate: float) -> float:
    """Return the binomial probability of this number of successes or more."""
    if rate >= 1:
        return 1.0
    return 1 - fsum(
        exp(lgamma(trials + 1) - lgamma(k + 1) - lgamma(trials - k + 1) + k * log(rate) + (trials - k) * log1p(-rate))
        for k in range(successes)
    )


def additions(verb: str, has: set[str], predicted: Mapping[str, float], support: Support) -> list[str]:
    """Return the features that follow from predictions and are not in the lexicon by hand."""
    grades = {frame: support.grade(verb, frame, each) for frame, each in predicted.items()}
    stated = {feature.split("=")[0] for feature in has}
    added = []
    if "object=yes" in has and grades["alone"] and "omission" not in stated:
        often = grades["alone"] == "yes" and support.rate(verb, "alone") >= OFTEN
        added.append(f"omission={'yes' if often else 'rare'}")
    if grades["about NP"] == "yes":
        added.append("topic=yes")
    elif not grades["about NP"] and predicted["about NP"] <= BAD and support.sources.totals.get(verb, 0) >= LEAST_USES:
        added += ["topic=no"] * (support.rate(verb, "about NP") == 0)
    if grades["that"] and "that_clause" not in stated:
        bare = grades["that"] == "yes" and support.in_text(verb, "S")
        added.append(f"that_clause={'rare' if grades['that'] == 'rare' else 'yes' if bare else 'full'}")
    if grades["wh"] and not stated & {"wh_clause", "subjunctive"}:
        added.append(f"wh_clause={grades['wh']}")
    if grades["to NP clause"] and not stated & {"to_phrase", "speech"}:
        added.append(f"to_phrase={grades['to NP clause']}")
    if "object_that" not in stated:
        if grades["NP that"]:
            added.append(f"object_that={grades['NP that']}")
        elif grades["passive that"]:
            added.append("object_that=pass")
    if "object_wh" not in stated and (grades["NP wh"] or grades["passive wh"]):
        added.append(f"object_wh={grades['NP wh'] or 'pass'}")
    return added


# The lexicon


def is_verb(row: Sequence[str]) -> bool:
    return len(row) > 2 and row[1].startswith("%verb") and "particle=only" not in row[2]


def features_in(
    rows: Iterable[Sequence[str]], added: Mapping[str, set[str]], is_verb: Callable[[Sequence[str]], bool] = is_verb
) -> dict[str, set[str]]:
    """Return the features by hand of each verb: those of its lines, without what was added."""
    features: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        if is_verb(row):
            features[row[0]] |= {*row[2].split()} - added.get(row[0], set())
    return dict(features)


def inflection(verb: str, exceptions: Mapping[str, str]) -> str:
    """Return the paradigm of a verb, "" if it is irregular; exceptions are forms with their lemmas."""
    regular = {f"{verb[:-1]}ied"} if verb.endswith("y") else set()
    irregular = {form for form, lemma in exceptions.items() if lemma == verb} - regular
    doubled = {f"{verb}{verb[-1]}{ending}" for ending in ("ed", "ing")}
    return "%verb" if not irregular else "%verbd" if doubled <= irregular else ""


def new_verbs(
    known: set[str], others: set[str], exceptions: Mapping[str, str], support: Support
) -> Iterator[list[str]]:
    """Yield lines of verbs that WordNet has, with VerbNet or with texts, and with their objects.

    `known` are the lemmas of the lexicon, `others` those of WordNet that are no verbs. Of a verb that is another word
    too, only forms that are none, such as *witnessed*, are new: *witness* is what the lexicon says or guesses.
    """
    totals = support.sources.totals
    often = {verb for verb, total in totals.items() if total >= LEAST_OF_VERB}
    for verb in sorted((often | support.sources.verbnet.frames.keys()) & support.sources.wordnet.frames.keys()):
        paradigm = inflection(verb, exceptions)
        if not verb.isalpha() or not paradigm or verb + verb[-1] in support.sources.wordnet.frames:
            continue
        stems = (verb, verb[:-1], verb + verb[-1], verb[:-1] + "i")
        if {stem + ending for stem in stems for ending in ("d", "ed", "ing")} & known:
            continue
        if (alone := verb not in known | others) or totals.get(verb, 0):
            has = support.of(verb, "NP") or support.in_text(verb, "passive"), support.of(verb, "alone")
            features = f"object={'opt' if all(has) or not any(has) else 'yes' if has[0] else 'no'}"
            yield [verb, paradigm, features] + ["", "plain=- s=-"] * (not alone)


def lexicon_by_hand(lines: Sequence[str]) -> tuple[list[list[str]], list[list[str]]]:
    """Return the rows of the lexicon without those of `BLOCK`: those before it, and those behind it."""
    rows = [line.split("\t") for line in lines]
    end = next((i for i, row in enumerate(rows) if row[0].startswith(OTHER)), len(rows))
    start = next((i for i, row in enumerate(rows) if row[0] == BLOCK), end)
    return rows[:start], rows[end:]


def rewritten(
    rows: Iterable[Sequence[str]],
    old: Mapping[str, set[str]],
    new: Mapping[str, Sequence[str]],
    is_verb: Callable[[Sequence[str]], bool] = is_verb,
) -> Iterator[list[str]]:
    """Yield the rows of the lexicon with new features instead of old ones, in the first line of each verb."""
    seen = set()
    for row in rows:
        if is_verb(row):
            features = [each for each in row[2].split() if each not in old.get(row[0], set())]
            if row[0] not in seen:
                features += new.get(row[0], [])
            seen.add(row[0])
            row = [*row[:2], " ".join(features), *row[3:]]
        yield [*row]


def evidence(verb: str, support: Support, added: Sequence[str]) -> str:
    """Return the line of a verb: uses, counts of frames, which sources name each predicted frame, what was added."""
    counts = support.sources.counts.get(verb, Counter())
    listed = ", ".join(f"{frame} {counts[frame]}" for frame in FRAMES if counts[frame])
    named = "; ".join(f"{frame}: {', '.join(names)}" for frame in RATED if (names := support.of(verb, frame)))
    return "\t".join((verb, str(support.sources.totals.get(verb, 0)), listed, named, " ".join(added)))


def added_before(evidence: Path) -> dict[str, set[str]]:
    """Return the features that the last run added."""
    if not evidence.exists():
        return {}
    rows = (line.split("\t") for line in lines_of(evidence) if not line.startswith("#"))
    return {row[0]: {*row[4].split()} for row in rows}


def lemmas(known: Container[str], irregular: Mapping[str, str], by_hand: Container[str]) -> Callable[[str], str]:
    """Return what finds the lemma of a form: in the lexicon by hand, in the exceptions of WordNet, or by its ending."""
    forms: dict[str, str] = {}
    for entry in load_grammar(str(LEXICON.with_suffix(".pg"))).lexicon:
        for reading in entry.readings:
            if reading.category == "V" and reading.lemma in by_hand:
                forms.setdefault(entry.form.lower(), reading.lemma)

    @cache
    def lemma(form: str) -> str:
        if form in forms or form in irregular:
            return forms.get(form) or irregular[form]
        endings = [
            ("ies", "y"),
            ("es", ""),
            ("es", "e"),
            ("s", ""),
            ("ied", "y"),
            ("ed", "e"),
            ("ed", ""),
            ("ing", "e"),
            ("ing", ""),
        ]
        stems = [form, *(form.removesuffix(end) + start for end, start in endings if form.endswith(end))]
        return next((stem for each in stems for stem in (each, each[:-1]) if stem in known), form)

    return lemma


def read(given: argparse.Namespace, lemma: Callable[[str], str]) -> Iterator[Use]:
    """Yield the uses of verbs in all texts."""
    for path in given.trees:
        yield from uses_in_trees(path.read_text(encoding="utf-8", errors="replace"), lemma)
    for profile in sorted(given.derivations.iterdir()):
        if profile.name not in LEFT_OUT and (path := profile / "result.gz").exists():
            yield from uses_in_profile(gzip.decompress(path.read_bytes()).decode("utf-8", errors="replace"), lemma)


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=Path, nargs="+", required=True, metavar="FILE")
    for name in ("derivations", "verbnet", "wordnet"):
        parser.add_argument(f"--{name}", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--ratings", type=Path, required=True, metavar="FILE")
    given = parser.parse_args()
    sentences = wordnet(lines_of(given.wordnet / "data.verb"))
    exceptions = dict(line.split()[:2] for line in lines_of(given.wordnet / "verb.exc"))
    ratings = ratings_in(lines_of(given.ratings))
    old = added_before(EVIDENCE)
    rows, last = lexicon_by_hand(lines_of(LEXICON))
    known = lemmas(sentences.frames, exceptions, {each for row in rows for each in (row[0], *row[4:5]) if each})
    sources = sources_of(read(given, known), verbnet(given.verbnet), sentences)
    means = {frame: fmean(ratings[name].values()) for frame, name in RATED.items()}
    support = Support(sources, features_in(rows, old), means)
    others = {line.split()[0] for name in ("noun", "adj", "adv") for line in lines_of(given.wordnet / f"index.{name}")}
    verbs = {row[0] for row in rows if row[1:2] and re.match("%verb|V$|Aux$", row[1])}
    new_rows = new_verbs({row[0] for row in rows}, others, exceptions, support)
    rows += [[BLOCK], *(row for row in new_rows if row[0] not in verbs)]
    lexicon = features_in(rows, old)
    predicted = predictions(Terms(sources, lexicon, chain.from_iterable(ratings.values())), ratings, sorted(lexicon))
    new = {
        verb: additions(verb, has, {frame: each[verb] for frame, each in predicted.items()}, support)
        for verb, has in sorted(lexicon.items())
    }
    LEXICON.write_text("".join("\t".join(row) + "\n" for row in (*rewritten(rows, old, new), *last)), encoding="utf-8")
    lines = [HEAD, *(evidence(verb, support, added) for verb, added in new.items())]
    EVIDENCE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{sum(map(bool, new.values()))} verbs with {sum(map(len, new.values()))} new features")


if __name__ == "__main__":
    main()
