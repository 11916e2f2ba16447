"""The brackets that a predicted tree shares with the gold tree, counted as evalb does (Sekine & Collins 1997).

Words with the tags of `deleted` are left out of both trees, phrases with those labels lose their bracket, labels lose
their functions, and labels that `equal` makes the same are the same. Brackets are counted as often as they occur; the
brackets of tags do not count. The defaults are those of evalb's COLLINS.prm, and wrappers other than TOP. Where both
trees have the same words, the tags of the gold tree say which are left out: a prediction with other tags is compared
too, which evalb cannot do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import field
from typing import Final

from numbat.errors import Problem, Span, data_error, quotable, shortened, whole_of
from numbat.grammar.names import WRAPPERS
from numbat.records import frozen
from numbat.treebank.labels import bare_label
from numbat.treebank.trees import EMPTY_TAG, Tree

Bracket = tuple[str, int, int]
"""Label, first word, one past the last word."""

COLLINS: Final = frozenset({"TOP", EMPTY_TAG, ",", ":", "``", "''", "."})


@frozen
class EvalbParameters:
    """The parameters that evalb reads from a file. Sentences of more than `longest` words are counted apart.

    `tags` has for a tag of the gold tree the tags that are right in the prediction, where a tag map changed them.
    """

    deleted: frozenset[str] = COLLINS
    equal: Mapping[str, str] = field(default_factory=lambda: {"PRT": "ADVP"}, hash=False)
    longest: int = 40
    tags: Mapping[str, Container[str]] = field(default_factory=dict, hash=False)

    def label(self, text: str) -> str:
        """A label as it is compared: without functions, and as `equal` names it."""
        bare = bare_label(text)
        return self.equal.get(bare, bare)

    def is_right(self, gold: str, predicted: str) -> bool:
        """True if a predicted tag is right for a word with this tag in the gold tree."""
        return predicted in self.tags.get(gold, (gold,))


DEFAULT_PARAMETERS: Final = EvalbParameters()


def read_parameters(lines: Iterable[str], path: str) -> EvalbParameters:
    """An evalb parameter file: its DELETE_LABEL, EQ_LABEL and CUTOFF_LEN. Raises DataError for all lines with
    another word or value."""
    deleted: set[str] = set()
    equal: dict[str, str] = {}
    longest = DEFAULT_PARAMETERS.longest
    problems: list[Problem] = []
    for number, line in enumerate(lines, start=1):
        key, *values = line.split("#", 1)[0].split() or [""]
        if key == "DELETE_LABEL" and len(values) == 1:
            deleted.add(values[0])
        elif key == "EQ_LABEL" and len(values) > 1:
            equal |= dict.fromkeys(values[1:], values[0])
        elif key == "CUTOFF_LEN" and len(values) == 1 and values[0].isdecimal():
            longest = whole_of(values[0])
        elif key not in ("", "DEBUG", "MAX_ERROR", "LABELED", "DELETE_LABEL_FOR_LENGTH", "DISC_ONLY"):
            start = line.index(key) + 1
            span = Span(path, number, start, start + len(line.split("#", 1)[0].strip()))
            found = f"not understood: {shortened(line.strip())}"
            problems.append(
                Problem(found, span, hint="an example is DELETE_LABEL TOP", source_line=quotable(line.rstrip("\r\n")))
            )
    if problems:
        raise data_error(*problems)
    return EvalbParameters(frozenset(deleted), equal, longest)


@frozen
class SentenceScore:
    """The score of one sentence: how many brackets its gold and its predicted tree have and share.

    `crossing` brackets of the prediction overlap a gold bracket without one holding the other. `full`: the prediction
    is one tree and no row of fragments. `error` says why the two cannot be compared; then nothing else counts.
    """

    id: str
    words: int
    gold: int = 0
    predicted: int = 0
    matched: int = 0
    unlabelled: int = 0
    crossing: int = 0
    tags: int = 0
    full: bool = False
    labels: tuple[tuple[str, int, int, int], ...] = ()
    error: str = ""

    @property
    def is_exact(self) -> bool:
        """Whether every bracket is right and none is missing."""
        return not self.error and self.gold == self.predicted == self.matched


def score_tree(
    id: str, gold: Tree, predicted: Tree | None, parameters: EvalbParameters = DEFAULT_PARAMETERS
) -> SentenceScore:
    """The counts of one sentence; without a prediction, or where its words differ, an error in the record."""
    gold_words, gold_brackets = _brackets(gold, _counted(gold, parameters), parameters)
    if predicted is None:
        return SentenceScore(id, len(gold_words), error="no prediction")
    counting = _counted(gold if _has_same_words(gold, predicted) else predicted, parameters)
    words, brackets = _brackets(predicted, counting, parameters)
    if len(words) != len(gold_words):
        return SentenceScore(
            id, len(gold_words), error=f"{len(gold_words)} words in gold, {len(words)} in the prediction"
        )
    different = next((i for i, (g, p) in enumerate(zip(gold_words, words, strict=True)) if g[0] != p[0]), None)
    if different is not None:
        found = f'"{gold_words[different][0]}" in gold, "{words[different][0]}" in the prediction'
        return SentenceScore(id, len(gold_words), error=f"word {different + 1}: {found}")
    spans = {(start, end) for _, start, end in gold_brackets}
    matched = gold_brackets & brackets
    in_gold, in_predicted, in_both = _labels(gold_brackets), _labels(brackets), _labels(matched)
    labels = sorted({*in_gold, *in_predicted})
    return SentenceScore(
        id,
        len(words),
        gold_brackets.total(),
        brackets.total(),
        matched.total(),
        (_spans(gold_brackets) & _spans(brackets)).total(),
        sum(count for (_, *span), count in brackets.items() if _crosses(span[0], span[1], spans)),
        sum(parameters.is_right(g[1], p[1]) for g, p in zip(gold_words, words, strict=True)),
        len(_tops(predicted)) == 1,
        tuple((label, in_gold[label], in_predicted[label], in_both[label]) for label in labels),
    )


def _tops(tree: Tree) -> tuple[Tree, ...]:
    while tree.label in WRAPPERS and tree.form is None:
        if len(tree.daughters) != 1:
            return tree.daughters
        (tree,) = tree.daughters
    return (tree,)


def _has_same_words(gold: Tree, predicted: Tree) -> bool:
    words = ([form for form, _ in tree.words(empty=False)] for tree in (gold, predicted))
    return next(words) == next(words)


def _counted(tree: Tree, parameters: EvalbParameters) -> list[bool]:
    """For each word, empty elements aside, whether it counts."""
    return [tag not in parameters.deleted for _, tag in tree.words(empty=False)]


def _brackets(
    tree: Tree, counted: Iterable[bool], parameters: EvalbParameters
) -> tuple[list[tuple[str, str]], Counter[Bracket]]:
    """The words that count, with their tags, and the brackets over them."""
    spoken = iter(counted)
    words: list[tuple[str, str]] = []
    brackets: Counter[Bracket] = Counter()
    waiting: list[tuple[Tree, int]] = [(tree, -1)]
    while waiting:
        node, start = waiting.pop()
        if node.form is not None:
            if EMPTY_TAG not in parameters.deleted if node.label == EMPTY_TAG else next(spoken):
                words.append((node.form, bare_label(node.label)))
        elif start < 0:
            waiting.append((node, len(words)))
            waiting += ((daughter, -1) for daughter in reversed(node.daughters))
        else:
            label = parameters.label(node.label)
            if len(words) > start and label not in parameters.deleted and label not in WRAPPERS:
                brackets[label, start, len(words)] += 1
    return words, brackets


def _spans(brackets: Counter[Bracket]) -> Counter[tuple[int, int]]:
    found: Counter[tuple[int, int]] = Counter()
    for (_, start, end), count in brackets.items():
        found[start, end] += count
    return found


def _labels(brackets: Counter[Bracket]) -> Counter[str]:
    return Counter(label for label, _, _ in brackets.elements())


def _crosses(start: int, end: int, spans: set[tuple[int, int]]) -> bool:
    return any(a < start < b < end or start < a < end < b for a, b in spans)
