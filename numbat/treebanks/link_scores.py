"""Scores of dependencies by the rules of CoNLL 2018.

Words are aligned by the characters of their tokens. A word is right if its head is aligned with the head of the gold
word (UAS), and if it also has the gold relation without its subtype (LAS). Words with a content relation count for
CLAS, with UPOS, FEATS and their function words for MLAS, and with their lemma for BLEX. Words of multiword tokens are
aligned by the longest common subsequence of forms in a stretch of such tokens; unlike in the official script, never
with words of another sentence. Counts by relation keep the subtypes.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias
from unicodedata import category

from numbat.records import frozen

if TYPE_CHECKING:
    from numbat.treebanks.conllu import DependencyTree, FeaturePairs


@frozen
class Measure:
    """Precision, recall and F1 from counts of brackets, words or other items; 0 if there are none."""

    gold: int
    predicted: int
    matched: int

    @property
    def precision(self) -> float:
        return self.matched / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        return self.matched / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        both = self.gold + self.predicted
        return 2 * self.matched / both if both else 0.0


CONTENT: Final = frozenset((
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
    "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
    "orphan", "goeswith", "reparandum", "root", "dep",
))  # fmt: skip
"""Relations of content words, without subtypes."""
FUNCTION: Final = frozenset(("aux", "cop", "mark", "det", "clf", "case", "cc"))
"""Relations of function words, which MLAS evaluates together with the words that they depend on."""
UNIVERSAL: Final = frozenset((
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
))  # fmt: skip
"""Features that are compared; treebanks may have others."""


class LinkCounts(NamedTuple):
    """Counts of gold, predicted and aligned words, and of right ones by several criteria.

    `heads` and `links` are right by head, and by head and relation. Of words with a content relation, `content_links`
    are right by both, `with_morphology` also by UPOS, FEATS and function words, `with_lemmas` also by the lemma.
    `tags`, `feats` and `lemmas` count aligned words with the right UPOS, FEATS and lemma, `tokens` and `sentences`
    those with the right boundaries, `having_feats` and `having_lemmas` gold words with FEATS and with a lemma.
    """

    gold: int = 0
    predicted: int = 0
    aligned: int = 0
    heads: int = 0
    links: int = 0
    gold_content: int = 0
    predicted_content: int = 0
    content_links: int = 0
    with_morphology: int = 0
    with_lemmas: int = 0
    tags: int = 0
    feats: int = 0
    lemmas: int = 0
    gold_tokens: int = 0
    predicted_tokens: int = 0
    tokens: int = 0
    gold_sentences: int = 0
    predicted_sentences: int = 0
    sentences: int = 0
    having_feats: int = 0
    having_lemmas: int = 0

    def __add__(self, other: object) -> LinkCounts:
        if not isinstance(other, LinkCounts):
            return NotImplemented
        return LinkCounts(*(mine + its for mine, its in zip(self, other, strict=True)))

    @property
    def measures(self) -> dict[str, Measure]:
        """Scores by name, those of FEATS and lemmas only if gold has any; `Words` is the alignment."""
        words, content = (self.gold, self.predicted), (self.gold_content, self.predicted_content)
        scores = {
            "UAS": Measure(*words, self.heads),
            "LAS": Measure(*words, self.links),
            "CLAS": Measure(*content, self.content_links),
            "MLAS": Measure(*content, self.with_morphology),
            "BLEX": Measure(*content, self.with_lemmas),
            "UPOS": Measure(*words, self.tags),
            "UFeats": Measure(*words, self.feats),
            "Lemmas": Measure(*words, self.lemmas),
            "Tokens": Measure(self.gold_tokens, self.predicted_tokens, self.tokens),
            "Words": Measure(*words, self.aligned),
            "Sentences": Measure(self.gold_sentences, self.predicted_sentences, self.sentences),
        }
        unwritten = {*(() if self.having_feats else ("MLAS", "UFeats"))}
        unwritten |= {*(() if self.having_lemmas else ("BLEX", "Lemmas"))}
        return {name: measure for name, measure in scores.items() if name not in unwritten}


def link_intervals(
    rows: Sequence[tuple[int, ...]], seed: int = 0, samples: int = 1_000
) -> dict[str, tuple[float, float]]:
    """Return percentile bootstrap intervals of the F1 of dependencies by name, from the counts of sentences."""
    if not rows:
        return {}
    from random import Random  # few starts need it

    rng, whole = Random(seed), summed(rows)
    written = {"having_feats": whole.having_feats, "having_lemmas": whole.having_lemmas}
    by_name: dict[str, list[float]] = {}
    for _ in range(samples):
        drawn = summed(rng.choices(rows, k=len(rows)))._replace(**written)
        for name, measure in drawn.measures.items():
            by_name.setdefault(name, []).append(measure.f1)
    from numbat.statistics.intervals import percentiles

    return {name: percentiles(values) for name, values in by_name.items()}


def summed(rows: Sequence[tuple[int, ...]]) -> LinkCounts:
    """Return the sum of the counts of sentences."""
    return LinkCounts(*map(sum, zip(*rows, strict=True)))


class RelationCount(NamedTuple):
    """Number of words with a relation in gold and one in the prediction, and how many of them have the right head.

    Relations keep their subtypes; that of a word without a partner in the other tree is "".
    """

    gold: str
    predicted: str
    words: int
    heads: int

    @property
    def wrong(self) -> int:
        """Number of words whose relation or head is wrong."""
        return self.words - self.heads * (self.gold == self.predicted)


class RelationScore(NamedTuple):
    """Score of a relation: of its words in gold those with the right head, and the measure of right links."""

    heads: int
    links: Measure


def by_relation(counts: Iterable[RelationCount]) -> dict[str, RelationScore]:
    """Return the score of each relation, most frequent in gold first."""
    gold, predicted, heads, links = (Counter[str]() for _ in range(4))
    for one in counts:
        gold[one.gold] += one.words
        predicted[one.predicted] += one.words
        heads[one.gold] += one.heads
        links[one.gold] += one.heads * (one.gold == one.predicted)
    names = sorted({*gold, *predicted} - {""}, key=lambda name: (-gold[name], name))
    return {name: RelationScore(heads[name], Measure(gold[name], predicted[name], links[name])) for name in names}


def confusions(counts: Iterable[RelationCount]) -> list[RelationCount]:
    """Return the pairs of relations with wrong words, those with most of them first."""
    pairs = [one for one in counts if one.gold and one.predicted and one.wrong]
    return sorted(pairs, key=lambda one: (-one.wrong, one))


class PlacedWord(NamedTuple):
    """A word with the characters of its token; `head` is the index of another word, -1 for none.

    `relation` is without its subtype, `deprel` has it. `tags` are its UPOS and its features in `UNIVERSAL`,
    `function_words` the indexes of its function words.
    """

    form: str
    start: int
    end: int
    is_part: bool
    head: int
    relation: str
    deprel: str
    tags: tuple[str, FeaturePairs]
    lemma: str
    function_words: list[int]


def characters_of(trees: Iterable[DependencyTree]) -> str:
    """Return the characters of all tokens, without blanks."""
    return "".join(form for tree in trees for form, _ in _tokens_of(tree))


class LinkPair(NamedTuple):
    """Sentences of gold and prediction with the same characters, or with an `error`."""

    id: str
    gold: tuple[DependencyTree, ...]
    predicted: tuple[DependencyTree, ...]
    error: str = ""


NamedDependencies: TypeAlias = "tuple[str, DependencyTree]"


def link_pairs(
    gold: Iterator[NamedDependencies | None], predicted: Iterator[NamedDependencies | None]
) -> Iterator[LinkPair]:
    """Yield the smallest groups of sentences with the same characters, however each file divides them.

    None is a sentence that could not be read; its partner is skipped too. After a difference both files continue with
    their next sentences, matched by sent_id if earlier ones were the same.
    """
    known, ahead = _Ahead(gold), _Ahead(predicted)
    has_same_ids = False
    while known.reaches(1) or ahead.reaches(1):
        if not (known.reaches(1) and ahead.reaches(1)):
            yield _unpaired(known, ahead)
            continue
        one, other = known.waiting[0], ahead.waiting[0]
        if one is None or other is None:
            if one is not None:
                yield LinkPair(one[0], (one[1],), (), "no prediction")
            known.take(1), ahead.take(1)
            continue
        sizes, differs = _same_characters(known, ahead)
        ids = [tree.comment("sent_id") for _, tree in (one, other)]
        has_same_ids = has_same_ids or bool(ids[0] and ids[0] == ids[1])
        if not differs:
            yield LinkPair(one[0], known.take(sizes[0]), ahead.take(sizes[1]))
        elif has_same_ids and ids[0] != ids[1]:
            yield LinkPair(one[0], known.take(1), (), "no prediction")
        else:
            yield LinkPair(one[0], known.take(1), ahead.take(1), differs)


class _Ahead:
    """The sentences of a file, of which some are read ahead."""

    def __init__(self, source: Iterator[NamedDependencies | None]) -> None:
        self.source = source
        self.waiting: deque[NamedDependencies | None] = deque()

    def reaches(self, number: int) -> bool:
        """Return True if at least `number` sentences are left."""
        while len(self.waiting) < number:
            try:
                self.waiting.append(next(self.source))
            except StopIteration:
                return False
        return True

    def take(self, number: int) -> tuple[DependencyTree, ...]:
        taken = [self.waiting.popleft() for _ in range(number)]
        return tuple(sentence[1] for sentence in taken if sentence is not None)

    def characters(self, number: int) -> str | None:
        """Return the characters of the sentence `number` places ahead, or None if missing or unreadable."""
        sentence = self.waiting[number] if self.reaches(number + 1) else None
        return None if sentence is None else characters_of([sentence[1]])


def _unpaired(known: _Ahead, ahead: _Ahead) -> LinkPair:
    """Return the next sentence of the longer file as a pair without a partner."""
    if known.waiting:
        name = known.waiting[0][0] if known.waiting[0] else ""
        return LinkPair(name, known.take(1), (), "no prediction")
    name = ahead.waiting[0][0] if ahead.waiting[0] else ""
    return LinkPair(name, (), ahead.take(1), "no gold sentence")


def _same_characters(known: _Ahead, ahead: _Ahead) -> tuple[tuple[int, int], str]:
    """Return the numbers of sentences of both files with the same characters, or where they differ."""
    left, right = known.characters(0) or "", ahead.characters(0) or ""
    sizes = [1, 1]
    while len(left) != len(right) and (left.startswith(right) or right.startswith(left)):
        side = 0 if len(left) < len(right) else 1
        more = (known, ahead)[side].characters(sizes[side])
        if more is None:
            break
        sizes[side] += 1
        left, right = (left + more, right) if side == 0 else (left, right + more)
    if left == right:
        return (sizes[0], sizes[1]), ""
    at = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    begin = max(0, at - 5)
    shown = [f'"{text[begin : at + 10]}"' if text[begin:] else "nothing" for text in (left, right)]
    return (1, 1), f"different characters: {shown[0]} in gold, {shown[1]} in the prediction"


def count_links(gold: Sequence[DependencyTree], predicted: Sequence[DependencyTree]) -> LinkCounts:
    """Count the right words of sentences with the same characters."""
    known, words = _placed_words(gold), _placed_words(predicted)
    aligned = _aligned(known, words)
    of_gold = {mine: its for its, mine in aligned}
    of_gold[-1] = -1
    heads = links = content = with_morphology = with_lemmas = tags = feats = lemmas = 0
    for its, mine in aligned:
        right, word = known[its], words[mine]
        has_head = right.head == of_gold.get(word.head)
        has_link = has_head and right.relation == word.relation
        has_lemma = right.lemma in ("_", word.lemma)
        heads += has_head
        links += has_link
        tags += right.tags[0] == word.tags[0]
        feats += right.tags[1] == word.tags[1]
        lemmas += has_lemma
        if has_link and right.relation in CONTENT:
            content += 1
            with_lemmas += has_lemma
            with_morphology += right.tags == word.tags and _have_same_function_words(right, word, known, words, of_gold)
    spans = [_spans_of_tokens(trees) for trees in (gold, predicted)]
    ends = [_ends_of_sentences(trees) for trees in (gold, predicted)]
    return LinkCounts(
        *(len(known), len(words), len(aligned), heads, links),
        *(_content_words(known), _content_words(words), content, with_morphology, with_lemmas, tags, feats, lemmas),
        *(len(spans[0]), len(spans[1]), len(spans[0] & spans[1])),
        *(len(ends[0]), len(ends[1]), len(ends[0] & ends[1])),
        *_having(known),
    )


def count_relations(
    gold: Sequence[DependencyTree], predicted: Sequence[DependencyTree], have_same_characters: bool = True
) -> tuple[RelationCount, ...]:
    """Count words and right heads by their relations; no word has a partner in sentences with other characters."""
    known, words = _placed_words(gold), _placed_words(predicted)
    aligned = _aligned(known, words) if have_same_characters else []
    of_gold = {mine: its for its, mine in aligned} | {-1: -1}
    pairs, heads = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for its, mine in aligned:
        pair = known[its].deprel, words[mine].deprel
        pairs[pair] += 1
        heads[pair] += known[its].head == of_gold.get(words[mine].head)
    with_partner = {its for its, _ in aligned}
    pairs.update((word.deprel, "") for its, word in enumerate(known) if its not in with_partner)
    pairs.update(("", word.deprel) for mine, word in enumerate(words) if mine not in of_gold)
    return tuple(RelationCount(*pair, pairs[pair], heads[pair]) for pair in sorted(pairs))


def uncounted(gold: Sequence[DependencyTree], predicted: Sequence[DependencyTree]) -> LinkCounts:
    """Return the counts of sentences that cannot be compared, in which nothing is right."""
    known, words = _placed_words(gold), _placed_words(predicted)
    tokens = [len(_spans_of_tokens(trees)) for trees in (gold, predicted)]
    having_feats, having_lemmas = _having(known)
    return LinkCounts(
        len(known),
        len(words),
        gold_content=_content_words(known),
        predicted_content=_content_words(words),
        gold_tokens=tokens[0],
        predicted_tokens=tokens[1],
        gold_sentences=len(gold),
        predicted_sentences=len(predicted),
        having_feats=having_feats,
        having_lemmas=having_lemmas,
    )


def _have_same_function_words(
    right: PlacedWord,
    word: PlacedWord,
    known: Sequence[PlacedWord],
    predicted: Sequence[PlacedWord],
    of_gold: Mapping[int, int],
) -> bool:
    """Return True if the function words of a word are aligned with those of gold, with the same relations and tags."""
    return len(right.function_words) == len(word.function_words) and all(
        its == of_gold.get(mine)
        and (known[its].relation, known[its].tags) == (predicted[mine].relation, predicted[mine].tags)
        for its, mine in zip(right.function_words, word.function_words, strict=True)
    )


def _content_words(words: Iterable[PlacedWord]) -> int:
    return sum(word.relation in CONTENT for word in words)


def _having(words: Iterable[PlacedWord]) -> tuple[int, int]:
    """Return the numbers of words with features that count, and with a lemma."""
    both = [(bool(word.tags[1]), word.lemma != "_") for word in words]
    return sum(feats for feats, _ in both), sum(lemma for _, lemma in both)


def _spans_of_tokens(trees: Iterable[DependencyTree]) -> set[tuple[int, int]]:
    """Return the starts and ends of the tokens, in characters."""
    ends = list(accumulate((len(form) for tree in trees for form, _ in _tokens_of(tree)), initial=0))
    return set(pairwise(ends))


def _ends_of_sentences(trees: Sequence[DependencyTree]) -> set[tuple[int, int]]:
    """Return the starts and ends of the sentences, in characters."""
    return set(pairwise(accumulate((len(characters_of([tree])) for tree in trees), initial=0)))


def _tokens_of(tree: DependencyTree) -> Iterator[tuple[str, range]]:
    """Yield the tokens without blanks, each with the indexes of its words."""
    ranges: dict[int, tuple[str, int]] = {}
    for row in tree.other_rows:
        begin, dash, end = row.columns[0].partition("-")
        if dash:
            ranges[int(begin)] = (row.columns[1], int(end))
    number = 1
    while number <= len(tree.words):
        form, last = ranges.get(number, (tree.words[number - 1].form, number))
        yield "".join(char for char in form if category(char) != "Zs"), range(number - 1, last)
        number = last + 1


def _placed_words(trees: Sequence[DependencyTree]) -> list[PlacedWord]:
    words: list[PlacedWord] = []
    at = 0
    for tree in trees:
        before = len(words)
        for token, indexes in _tokens_of(tree):
            for index in indexes:
                word = tree.words[index]
                head = before + word.head - 1 if word.head else -1
                is_part = len(indexes) > 1
                form, relation = (word.form if is_part else token).lower(), word.deprel.partition(":")[0]
                tags = word.upos, tuple(sorted(pair for pair in word.feats if pair[0] in UNIVERSAL))
                place = (at, at + len(token), is_part)
                words.append(PlacedWord(form, *place, head, relation, word.deprel, tags, word.lemma, []))
            at += len(token)
    for number, placed in enumerate(words):
        if placed.head >= 0 and placed.relation in FUNCTION:
            words[placed.head].function_words.append(number)
    return words


def _aligned(known: Sequence[PlacedWord], predicted: Sequence[PlacedWord]) -> list[tuple[int, int]]:
    """Return the pairs of aligned words by their indexes."""
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(known) and j < len(predicted):
        if known[i].is_part or predicted[j].is_part:
            begin_i, begin_j, i, j = _stretch(known, predicted, i, j)
            common = _common_row([w.form for w in known[begin_i:i]], [w.form for w in predicted[begin_j:j]])
            pairs += ((begin_i + a, begin_j + b) for a, b in common)
        elif known[i][1:3] == predicted[j][1:3]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif known[i].start <= predicted[j].start:
            i += 1
        else:
            j += 1
    return pairs


def _stretch(known: Sequence[PlacedWord], predicted: Sequence[PlacedWord], i: int, j: int) -> tuple[int, int, int, int]:
    """Return the starts and ends of the smallest stretch from `i` and `j` that no multiword token extends beyond."""
    if known[i].is_part:
        end = known[i].end
        j += not predicted[j].is_part and predicted[j].start < known[i].start
    else:
        end = predicted[j].end
        i += not known[i].is_part and known[i].start < predicted[j].start
    begin_i, begin_j = i, j
    while not (_is_beyond(known, i, end) and _is_beyond(predicted, j, end)):
        if i < len(known) and (j >= len(predicted) or known[i].start <= predicted[j].start):
            word, i = known[i], i + 1
        else:
            word, j = predicted[j], j + 1
        end = max(end, word.end) if word.is_part else end
    return begin_i, begin_j, i, j


def _is_beyond(words: Sequence[PlacedWord], index: int, end: int) -> bool:
    if index >= len(words):
        return True
    word = words[index]
    return word.start >= end if word.is_part else word.end > end


def _common_row(known: Sequence[str], predicted: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the index pairs of a longest common subsequence, the one that CoNLL's script chooses."""
    longest = [[0] * (len(predicted) + 1) for _ in range(len(known) + 1)]
    for a in reversed(range(len(known))):
        for b in reversed(range(len(predicted))):
            both = 1 + longest[a + 1][b + 1] if known[a] == predicted[b] else 0
            longest[a][b] = max(both, longest[a + 1][b], longest[a][b + 1])
    a = b = 0
    while a < len(known) and b < len(predicted):
        if known[a] == predicted[b]:
            yield a, b
            a, b = a + 1, b + 1
        elif longest[a][b] == longest[a + 1][b]:
            a += 1
        else:
            b += 1
