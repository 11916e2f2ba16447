"""FEATS and lemmas of words, learned from a treebank: known words have theirs, others are guessed.

A tagger labels words with FEATS from the words and their categories. As many bundles of features are rare, it labels
groups of features separately, each with few bundles. A known word gets its bundle that is nearest to the tagger's, with
the lemma of that bundle. Any other word gets the tagger's bundle; its lemma is made by a rule that cuts some letters
and adds others: that of the longest ending it shares with words of its category and FEATS.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Final, NamedTuple, TypeAlias

from numbat.records import frozen
from numbat.treebanks.conllu import DependencyTree, DependencyWord, FeaturePairs

Columns: TypeAlias = tuple[str, ...]
Labelling: TypeAlias = Callable[[Sequence[Sequence[Columns]]], list[list[str]]]
"""A tagger: returns the labels of the words of sentences from their rows."""
WITHOUT: Final = "_"
MAX_BUNDLES: Final = 40
"""Maximum number of bundles in a group of several features."""
MAX_ENDING: Final = 9
"""Maximum number of letters in an ending."""


class LemmaRule(NamedTuple):
    """Rule from a form to its lemma: letters to `cut`, letters `added`, and the case: `small`, `large` or `kept`."""

    cut: int = 0
    added: str = ""
    letters: str = "kept"

    def lemma(self, form: str) -> str | None:
        """Return the lemma of a form, or None if the form is too short for the rule."""
        written = {"small": form.lower(), "large": form.upper()}.get(self.letters, form)
        left = len(written) - self.cut
        return written[:left] + self.added if left > 0 or (self.added and left == 0) else None


def rule_of(form: str, lemma: str) -> LemmaRule | None:
    """Return the rule from a form to its lemma, or None if they have nothing in common."""
    small = form.lower()
    if len(small) != len(form):
        return None
    shared = next((i for i, (a, b) in enumerate(zip(small, lemma, strict=False)) if a != b.lower()), None)
    shared = min(len(small), len(lemma)) if shared is None else shared
    ways = {"small": small, "kept": form, "large": form.upper()}
    way = next((name for name, written in ways.items() if written[:shared] == lemma[:shared]), None)
    return None if way is None or not shared else LemmaRule(len(form) - shared, lemma[shared:], way)


class LearnedWord(NamedTuple):
    """A lemma and FEATS of a form with a UPOS in a treebank, and their count."""

    lemma: str
    feats: FeaturePairs
    times: int


Category: TypeAlias = tuple[str, FeaturePairs]
"""UPOS and FEATS."""


@frozen
class Morphology:
    """Model of FEATS and lemmas.

    `words` are by form in lower case and UPOS, most frequent first; `endings` have rules by category and ending.
    `label` is the tagger of FEATS, if any, from rows of form and UPOS.
    """

    words: Mapping[tuple[str, str], tuple[LearnedWord, ...]] = field(default_factory=dict, hash=False)
    endings: Mapping[Category, Mapping[str, LemmaRule]] = field(default_factory=dict, hash=False)
    label: Labelling | None = field(default=None, compare=False)

    def completed(self, words: Sequence[DependencyWord]) -> list[DependencyWord]:
        """Return the words of a sentence with lemmas and FEATS; existing lemmas are kept."""
        labels = [WITHOUT] * len(words)
        if self.label is not None and words:
            (labels,) = self.label([feature_rows(words)])
        return [self._informed(word, label) for word, label in zip(words, labels, strict=True)]

    def _informed(self, word: DependencyWord, label: str) -> DependencyWord:
        likely = pairs_of(label) if self.label is not None else word.feats
        known = self.words.get((word.form.lower(), word.upos), ())
        if known:
            nearest = max(known, key=lambda learned: (-len(set(learned.feats) ^ set(likely)), learned.times))
            feats, lemma = nearest.feats, nearest.lemma
        else:
            feats = likely or word.feats
            lemma = self.lemma(word.form, (word.upos, feats))
        return replace(word, lemma=word.lemma if word.lemma != WITHOUT else lemma, feats=sorted_pairs(feats))

    def lemma(self, form: str, category: Category) -> str:
        """Return the lemma of an unknown form; `_` if the treebank has no lemmas."""
        small = form.lower()
        rules = self.endings.get(category) or self.endings.get((category[0], ())) or {}
        for size in range(min(len(small), MAX_ENDING), -1, -1):
            rule = rules.get(small[len(small) - size :])
            lemma = None if rule is None else rule.lemma(form)
            if lemma is not None:
                return lemma
        return form if self.endings else WITHOUT

    def as_json(self) -> dict[str, Any]:
        """Return a value for `json.dumps`; `morphology_of_json` reads it."""
        words = [
            [form, upos, *([word.lemma, format_pairs(word.feats), word.times] for word in known)]
            for (form, upos), known in sorted(self.words.items())
        ]
        endings = [
            [upos, format_pairs(feats), *([ending, *rule] for ending, rule in sorted(rules.items()))]
            for (upos, feats), rules in sorted(self.endings.items())
        ]
        return {"words": words, "endings": endings}


NO_MORPHOLOGY: Final = Morphology()


def morphology_of_json(value: Any, label: Labelling | None = None) -> Morphology:
    """Return the morphology from a value of `as_json`. Raises KeyError, TypeError or ValueError for any other value."""
    words = {
        (str(form), str(upos)): tuple(LearnedWord(str(lemma), pairs_of(feats), int(n)) for lemma, feats, n in known)
        for form, upos, *known in value["words"]
    }
    endings = {
        (str(upos), pairs_of(feats)): {
            str(ending): LemmaRule(int(cut), str(added), str(letters)) for ending, cut, added, letters in rules
        }
        for upos, feats, *rules in value["endings"]
    }
    return Morphology(words, endings, label)


def pairs_of(text: str) -> FeaturePairs:
    """Parse the features of CoNLL-U. Raises ValueError for any other text."""
    pairs = []
    for pair in str(text).split("|"):
        name, sign, value = pair.partition("=")
        if sign:
            pairs.append((name, value))
        elif pair != WITHOUT:
            raise ValueError(text)
    return sorted_pairs(pairs)


def sorted_pairs(pairs: Iterable[tuple[str, str]]) -> FeaturePairs:
    """Return features in the order of UD: by name, regardless of case."""
    return tuple(sorted(pairs, key=lambda pair: pair[0].lower()))


def format_pairs(pairs: FeaturePairs) -> str:
    """Format features as in CoNLL-U."""
    return "|".join(f"{name}={value}" for name, value in pairs) or WITHOUT


# Learning


def feature_rows(words: Sequence[DependencyWord]) -> tuple[Columns, ...]:
    """Return the rows for the tagger of features."""
    return tuple((word.form, word.upos) for word in words)


def feature_groups(trees: Sequence[DependencyTree]) -> list[frozenset[str]]:
    """Return groups of features that are labelled together.

    Each feature, the most frequent first, joins the group to which it adds the fewest bundles within `MAX_BUNDLES`.
    """
    bundles = Counter(word.feats for tree in trees for word in tree.words)
    names: Counter[str] = Counter()
    for bundle, count in bundles.items():
        names.update({name: count for name, _ in bundle})

    def size(group: frozenset[str]) -> int:
        return len({part_of(bundle, group) for bundle in bundles})

    groups: list[frozenset[str]] = []
    for name in sorted(names, key=lambda name: (-names[name], name)):
        grown = [(size(group | {name}), number) for number, group in enumerate(groups)]
        grown = [(most - size(groups[number]), number) for most, number in grown if most <= MAX_BUNDLES]
        if grown:
            groups[min(grown)[1]] |= {name}
        else:
            groups.append(frozenset({name}))
    return groups


def part_of(feats: FeaturePairs, group: frozenset[str]) -> str:
    """Return the features in a group, formatted as in CoNLL-U."""
    return format_pairs(sorted_pairs(pair for pair in feats if pair[0] in group))


def joined_labels(labellings: Sequence[Labelling], sentences: Sequence[Sequence[Columns]]) -> list[list[str]]:
    """Label the words of sentences with the features of all groups together."""
    by_group = [label(sentences) for label in labellings]
    return [
        [
            format_pairs(sorted_pairs(pair for label in labels for pair in pairs_of(label)))
            for labels in zip(*sentence, strict=True)
        ]
        for sentence in zip(*by_group, strict=True)
    ]


def learned_morphology(trees: Iterable[DependencyTree]) -> Morphology:
    """Learn the morphology from trees, without the tagger of FEATS."""
    facts: dict[tuple[str, str], Counter[tuple[str, FeaturePairs]]] = {}
    forms: dict[tuple[str, str, str, FeaturePairs], None] = {}
    for tree in trees:
        for word in tree.words:
            feats = sorted_pairs(word.feats)
            facts.setdefault((word.form.lower(), word.upos), Counter())[word.lemma, feats] += 1
            if word.lemma != WITHOUT:
                forms[word.form, word.lemma, word.upos, feats] = None
    words = {
        key: tuple(
            LearnedWord(lemma, feats, count)
            for (lemma, feats), count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        )
        for key, counts in facts.items()
    }
    return Morphology(words, _endings(forms))


def _endings(forms: Iterable[tuple[str, str, str, FeaturePairs]]) -> dict[Category, dict[str, LemmaRule]]:
    """Return the most frequent rule of each ending, unless the next shorter ending has the same."""
    counts: dict[Category, dict[str, Counter[LemmaRule]]] = {}
    for form, lemma, upos, feats in forms:
        rule = rule_of(form, lemma)
        if rule is None:
            continue
        for category in {(upos, feats), (upos, ())}:
            by_ending = counts.setdefault(category, {})
            for size in range(min(len(form), MAX_ENDING) + 1):
                by_ending.setdefault(form.lower()[len(form) - size :], Counter())[rule] += 1
    endings: dict[Category, dict[str, LemmaRule]] = {}
    for category, by_ending in counts.items():
        best = {ending: min(rules, key=lambda rule: (-rules[rule], rule)) for ending, rules in by_ending.items()}
        endings[category] = {ending: rule for ending, rule in best.items() if not ending or best[ending[1:]] != rule}
    return endings
