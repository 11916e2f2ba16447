"""Rules of a treebank with features, ranked by sparse logistic regression (Herrera, Corro & Kahane 2024).

A phenomenon is a question about a head of one category and a dependent of another: does the dependent precede, do the
two agree in a feature? What surrounds both foretells the answer: their features and relations, what the head hangs on,
what else depends on either. Of these conditions, and of pairs of them, a logistic regression under an L1 penalty, which
is relaxed step by step, takes the most telling ones first; that order is the rank of a rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby
from typing import TYPE_CHECKING, Any, Final

from numbat.errors import require_numpy
from numbat.records import frozen
from numbat.statistics.regression import logistic_path
from numbat.treebanks.conllu import DependencyTree
from numbat.treebanks.example_phrases import ExamplePhrase, better, words_below
from numbat.treebanks.induce import Occurrences as CountedRules
from numbat.treebanks.induced import Support
from numbat.treebanks.rule_counts import TreebankCounts, agree, category_of
from numbat.treebanks.telling import gain
from numbat.treebanks.trees import PHRASE
from numbat.words.tag_maps import CODES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

LEAST: Final = 5
"""Occurrences that a condition needs, and either answer of a phenomenon."""
MAX_CONDITIONS: Final = 400
"""Conditions of a phenomenon, the most frequent ones, and as many pairs of them."""
LEAST_GAIN: Final = 4.0
"""Rules that foretell less are left out: natural logarithms of the likelihood ratio against the answer's own share."""


@frozen
class Phenomenon:
    """A question about a head and a dependent by their categories: order, or agreement in a feature."""

    head: str
    dependent: str
    feature: str = ""

    @property
    def answers(self) -> tuple[str, str]:
        """The answers yes and no."""
        return ("agrees", "differs") if self.feature else ("before", "after")

    def __str__(self) -> str:
        return f"{self.dependent} and {self.head}: {self.feature or 'order'}"


@frozen
class RankedRule:
    """Where all conditions hold, the answer is likely to be this one.

    `matching` occurrences meet the conditions, of these `right` have the answer, as `answered` of all `occurrences`
    do. `rank` counts from 1 within the phenomenon; `penalty` is the share of the largest one at which the rule came in.
    """

    phenomenon: Phenomenon
    conditions: tuple[str, ...]
    answer: str
    rank: int
    penalty: float
    matching: int
    right: int
    answered: int
    occurrences: int
    example: ExamplePhrase | None = None
    counterexample: ExamplePhrase | None = None

    @property
    def precision(self) -> float:
        """The share of the matching occurrences that have the answer."""
        return self.right / self.matching

    @property
    def coverage(self) -> float:
        """The share of the occurrences with the answer that meet the conditions."""
        return self.right / self.answered

    @property
    def gain(self) -> float:
        """How much better than by the share of the answer alone the rule foretells it, in natural logarithms."""
        return gain(self.right, self.matching - self.right, self.answered / self.occurrences)


@dataclass(slots=True)
class Seen:
    """Occurrences that meet the same conditions, by their answer, with a phrase for either."""

    counts: list[int] = field(default_factory=lambda: [0, 0])
    phrases: list[ExamplePhrase | None] = field(default_factory=lambda: [None, None])


Occurrences = dict[frozenset[str], Seen]
"""What was seen of a phenomenon, by the conditions that hold."""


def ranked_rules(
    trees: Iterable[DependencyTree], dropped: Collection[str] = CODES, most: int = 10, xpos: bool = False
) -> list[RankedRule]:
    """Return up to `most` rules of each phenomenon, the phenomena by their number of occurrences.

    Words with `dropped` tags do not count. Raises MissingExtraError without numpy.
    """
    require_numpy("ranking rules")
    found = observed(trees, dropped, xpos)
    sizes = {each: sum(sum(seen.counts) for seen in occurrences.values()) for each, occurrences in found.items()}
    rules = []
    for phenomenon in sorted(found, key=lambda each: (-sizes[each], each.feature, str(each))):
        rules += list(rules_of(phenomenon, found[phenomenon], most))
    return rules


def observed(
    trees: Iterable[DependencyTree], dropped: Collection[str] = CODES, xpos: bool = False
) -> dict[Phenomenon, Occurrences]:
    """Return what trees say of each phenomenon."""
    found: dict[Phenomenon, Occurrences] = {}
    for tree in trees:
        below, shown = tree.dependents(), words_below(tree)
        categories = ["root", *(category_of(word, xpos) for word in tree.words)]
        for number, word in enumerate(tree.words, start=1):
            head_number = word.head or 0
            category, heading = categories[number], categories[head_number]
            if not head_number or category in dropped or heading in dropped:
                continue
            head, before = tree.words[head_number - 1], number < head_number
            conditions = frozenset(conditions_of(tree, number, below, categories))
            pair = (category, shown[number]), (heading, head.form)
            labels, words = zip(*(pair if before else pair[::-1]), strict=True)
            phrase = ExamplePhrase(labels, words, tree.comment("sent_id"))
            _add(found, Phenomenon(heading, category), conditions, before, phrase)
            one, other = dict(word.feats), dict(head.feats)
            for feature in sorted(one.keys() & other.keys()):
                own = frozenset(condition for condition in conditions if f".{feature}=" not in condition)
                _add(found, Phenomenon(heading, category, feature), own, agree(one[feature], other[feature]), phrase)
    return found


def _add(
    found: dict[Phenomenon, Occurrences], of: Phenomenon, conditions: frozenset[str], yes: bool, phrase: ExamplePhrase
) -> None:
    seen = found.setdefault(of, {}).setdefault(conditions, Seen())
    seen.counts[not yes] += 1
    seen.phrases[not yes] = better(seen.phrases[not yes], phrase)


def conditions_of(
    tree: DependencyTree, number: int, below: Sequence[Sequence[int]], categories: Sequence[str]
) -> Iterator[str]:
    """Yield the conditions that hold of a word and its head.

    `dependent.Number=Sing`, `head.relation=obj`: features and relations of both; `dependent.lemma=grand`; `above=VERB`:
    the category that the head hangs on; `head.has=DET`, `dependent.has=ADV`: categories of what else depends on them.
    """
    word = tree.words[number - 1]
    head_number = word.head or 0
    head = tree.words[head_number - 1]
    yield f"dependent.relation={word.deprel}"
    yield f"head.relation={head.deprel}"
    if word.lemma != "_":
        yield f"dependent.lemma={word.lemma}"
    yield f"above={categories[head.head or 0]}"
    yield from (f"dependent.{name}={value}" for name, value in word.feats)
    yield from (f"head.{name}={value}" for name, value in head.feats)
    yield from (f"dependent.has={categories[each]}" for each in below[number])
    yield from (f"head.has={categories[each]}" for each in below[head_number] if each != number)


# The rules of a phenomenon


def rules_of(phenomenon: Phenomenon, occurrences: Occurrences, most: int = 10) -> Iterator[RankedRule]:
    """Yield the rules of a phenomenon by rank; none where one answer is too rare to be foretold."""
    import numpy as np

    rows = sorted(occurrences, key=sorted)
    counts = np.array([occurrences[row].counts for row in rows], dtype=float)
    yes, no = counts.sum(axis=0)
    if min(yes, no) < LEAST:
        return
    columns = _columns(rows, counts)
    if not columns:
        return
    names = list(columns)
    matrix = np.array([columns[name] for name in names], dtype=float).T
    rank = 0
    for number, sign, penalty in logistic_path(matrix, counts, 4 * most):
        answer = 0 if sign > 0 else 1
        matched = columns[names[number]]
        matching, right = int(counts[matched].sum()), int(counts[matched, answer].sum())
        rule = RankedRule(
            phenomenon, names[number], phenomenon.answers[answer], rank + 1, penalty, matching, right,
            int(counts[:, answer].sum()), int(counts.sum()),
            *_phrases([occurrences[row] for row, chosen in zip(rows, matched, strict=True) if chosen], answer),
        )  # fmt: skip
        if rule.gain >= LEAST_GAIN:
            rank += 1
            yield rule
        if rank == most:
            break


def _phrases(seen: Sequence[Seen], answer: int) -> tuple[ExamplePhrase | None, ExamplePhrase | None]:
    best: list[ExamplePhrase | None] = [None, None]
    for each in seen:
        for place, phrase in enumerate((each.phrases[answer], each.phrases[1 - answer])):
            if phrase is not None:
                best[place] = better(best[place], phrase)
    return best[0], best[1]


def _columns(rows: Sequence[frozenset[str]], counts: Vector) -> dict[tuple[str, ...], Any]:
    """Return which rows meet each condition or pair of conditions; of those that the same rows meet, the first.

    A pair is there only where it foretells more than each of its conditions.
    """
    import numpy as np

    total = counts.sum(axis=1)
    frequent: Counter[str] = Counter()
    for row, count in zip(rows, total, strict=True):
        for condition in row:
            frequent[condition] += int(count)
    named = sorted(frequent, key=lambda each: (-frequent[each], each))
    named = [each for each in named if LEAST <= frequent[each] < total.sum()][:MAX_CONDITIONS]
    found: dict[tuple[str, ...], Any] = {}
    known: set[bytes] = set()
    for each in named:
        meets = np.array([each in row for row in rows])
        if meets.tobytes() not in known:
            known.add(meets.tobytes())
            found[(each,)] = meets
    share = counts[:, 0].sum() / total.sum()
    gains = {name: _gain(counts[meets].sum(axis=0), share) for name, meets in found.items()}
    pairs: list[tuple[float, tuple[str, ...], Any]] = []
    for one, other in combinations(found, 2):
        meets = found[one] & found[other]
        both = counts[meets].sum(axis=0)
        if both.sum() >= LEAST and (gained := _gain(both, share)) > max(gains[one], gains[other], LEAST_GAIN):
            pairs.append((gained, one + other, meets))
    for _, name, meets in sorted(pairs, key=lambda pair: (-pair[0], pair[1]))[:MAX_CONDITIONS]:
        if meets.tobytes() not in known:
            known.add(meets.tobytes())
            found[name] = meets
    return found


def _gain(counts: Vector, share: float) -> float:
    """Return what is gained by knowing the condition with these counts of yes and no."""
    yes, no = int(counts[0]), int(counts[1])
    return gain(yes, no, share) or gain(no, yes, 1 - share)


# Beside the counts of MarsaGram


@frozen
class ComparedRule:
    """A ranked rule, and the property without features that is nearest to it, with its counts in an induced grammar.

    The support is None where the property was never pertinent.
    """

    rule: RankedRule
    property: str
    support: Support | None


def compared(rules: Iterable[RankedRule], counts: TreebankCounts) -> Iterator[ComparedRule]:
    """Yield each rule with the property that says the same of all occurrences, by the counts of the same trees."""
    by_construction = {
        name: CountedRules(group) for name, group in groupby(counts.rules, key=lambda rule: rule.construction)
    }
    for rule in rules:
        of = rule.phenomenon
        construction, dependent = of.head + PHRASE, of.dependent + PHRASE
        seen = by_construction.get(construction)
        if seen is None:
            continue
        if of.feature:
            one, other = sorted((dependent, of.head))
            agreeing = counts.agreements.get((construction, one, other, of.feature))
            named = f"{dependent} ~> {of.head} [{of.feature}]"
            support = None if agreeing is None else Support(agreeing.agreeing, agreeing.clashing, seen.all)
        else:
            one, other = (dependent, of.head) if rule.answer == "before" else (of.head, dependent)
            valid, both = seen.ordered[one, other], seen.together(one, other)
            named, support = f"{one} < {other}", Support(valid, both - valid, seen.all) if both else None
        yield ComparedRule(rule, f"{construction}: {named}", support)
