"""Grid search for dependency models: conditions, their candidates, and the choice among them.

Each step of a schedule yields a candidate. Candidates are compared by known trees or, failing these, by the likelihood
of held-out sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from numbat.errors import DataError, Problem, first_of
from numbat.files import shown
from numbat.records import cached_property, frozen
from numbat.structure.contrastive import Neighbourhood, contrastive
from numbat.structure.estimation import (
    INITIALISERS,
    NO_BIAS,
    Initialiser,
    Schedule,
    TagSentences,
    em,
    initial_weights,
)
from numbat.structure.inference import best_trees, sums
from numbat.structure.model import MAX_TAGS, Batch, Column, DependencyModel, EventWeights, batches_of
from numbat.treebanks.scores import Attachments
from numbat.treebanks.tagged_sentences import (
    TaggedSentence,
    bare_sentences,
    check_several_tags,
    read_by_tags,
    read_tagged_sentences,
    share_known,
)

if TYPE_CHECKING:
    from numbat.structure.model import Tags


SMOOTHINGS: Final = tuple(round(10 ** (power / 3), 4) for power in (-2, -1, 0, 1, 2, 3))
"""Values of lambda, from .2154 to 10."""
VARIANCES: Final = (0.1, 0.3, 1.0, 3.0, 10.0)
"""Variances of the Gaussian prior of contrastive estimation."""
CONTRASTIVE_SMOOTHING: Final = 0.1
"""Smoothing of the initial counts of contrastive estimation, which avoids log 0."""


@frozen
class Condition:
    """Settings of learning one model: an initialiser and a schedule of the bias.

    EM learns with `smoothing` (lambda); if there is a neighbourhood, contrastive estimation learns instead, with a
    prior of `variance`.
    """

    initialiser: Initialiser
    schedule: Schedule = NO_BIAS
    smoothing: float = 0.0
    neighbourhood: Neighbourhood | None = None
    variance: float = 0.0

    @property
    def id(self) -> str:
        """Short description for tables and messages."""
        how = f"lambda {self.smoothing:g}" if self.neighbourhood is None else ""
        by = how or f"{self.neighbourhood}, variance {self.variance:g}"
        return f"{self.schedule.name}, {by}, from {self.initialiser}"


class Candidate(NamedTuple):
    """An intermediate model: its condition, the strength of the bias (`value`), learning steps, and evaluations."""

    condition: Condition
    value: float
    iterations: int
    judged: tuple[Judged, ...]


class Tried(NamedTuple):
    """The candidates of a condition; `best` has the number and weights of the best one by each criterion."""

    candidates: tuple[Candidate, ...]
    best: tuple[tuple[int, EventWeights], ...]


def conditions_of(
    schedules: Sequence[Schedule],
    smoothings: Sequence[float] = SMOOTHINGS,
    initialisers: Sequence[Initialiser] = INITIALISERS,
) -> list[Condition]:
    """Return a condition of learning by EM for each combination of settings."""
    return [Condition(start, how, much) for how, start, much in product(schedules, initialisers, smoothings)]


def contrastive_conditions(
    neighbourhoods: Sequence[Neighbourhood],
    schedules: Sequence[Schedule] = (NO_BIAS,),
    variances: Sequence[float] = VARIANCES,
    initialisers: Sequence[Initialiser] = INITIALISERS,
) -> list[Condition]:
    """Return a condition of contrastive estimation for each combination of settings."""
    return [
        Condition(start, how, CONTRASTIVE_SMOOTHING, near, variance)
        for near, how, start, variance in product(neighbourhoods, schedules, initialisers, variances)
    ]


@dataclass(frozen=True, eq=False)
class GridJob:
    """Learn under a condition and evaluate each intermediate model."""

    sentences: TagSentences
    judges: TreeJudges

    def __call__(self, condition: Condition) -> Tried:
        candidates: list[Candidate] = []
        best: list[tuple[int, EventWeights]] = []
        for value, weights, iterations in learned(self.sentences, condition):
            judged = self.judges.judged(weights)
            candidates.append(Candidate(condition, value, iterations, judged))
            for place, worth in enumerate(self.judges.worths):
                if place == len(best):
                    best.append((0, weights))
                elif worth(judged) > worth(candidates[best[place][0]].judged):
                    best[place] = len(candidates) - 1, weights
        return Tried(tuple(candidates), tuple(best))


def learned(sentences: TagSentences, condition: Condition) -> Iterator[tuple[float, EventWeights, int]]:
    """Yield the intermediate models: strength of the bias, probabilities, learning steps."""
    weights = initial_weights(sentences, condition.initialiser, condition.smoothing)
    for value in condition.schedule.values:
        bias = condition.schedule.bias(value)
        if condition.neighbourhood is None:
            estimate = em(sentences, weights, condition.smoothing, bias)
        else:
            estimate = contrastive(sentences, weights, condition.neighbourhood, condition.variance, bias)
        weights = estimate.weights
        yield value, weights, estimate.iterations


# Outcome


@frozen
class Chosen:
    """A chosen candidate with its model, and the criterion by which it was chosen."""

    by: str
    candidate: Candidate
    model: DependencyModel


@frozen
class StructureSearch:
    """All candidates of a grid; `by_trees` is the one with the best links, None without known trees."""

    candidates: tuple[Candidate, ...]
    by_likelihood: Chosen
    by_trees: Chosen | None
    judges: int = 0
    """Number of evaluation sentences."""

    @property
    def chosen(self) -> Chosen:
        """The final choice: by trees if there are any."""
        return self.by_trees or self.by_likelihood


def choice(outcomes: Sequence[Tried], tags: tuple[str, ...], column: Column, judges: int = 0) -> StructureSearch:
    """Choose the best candidates over all conditions; ties go to the first."""
    candidates = tuple(candidate for tried in outcomes for candidate in tried.candidates)

    def best(by: str, place: int) -> Chosen:
        every = [(tried.candidates[tried.best[place][0]], tried.best[place][1]) for tried in outcomes]
        candidate, weights = max(every, key=lambda option: WORTHS[place](option[0].judged))
        described = f"{candidate.condition.id}, at {candidate.value:g}; chosen by {by}"
        return Chosen(
            by, candidate, DependencyModel(tags, weights.stop, weights.child, weights.root, column, described)
        )

    has_trees = candidates[0].judged[0].attachments is not None
    return StructureSearch(candidates, best("likelihood", 0), best("trees", 1) if has_trees else None, judges)


def rows(search: StructureSearch) -> Iterator[tuple[str, ...]]:
    """Yield table rows: column names, then one row per candidate."""
    yield (
        "bias", "first", "last", "value", "learner", "smoothing", "variance", "initialiser", "steps",
        "likelihood", "f1", "undirected",
    )  # fmt: skip
    for candidate in search.candidates:
        condition, judged = candidate.condition, candidate.judged[0]
        links = judged.attachments
        schedule = condition.schedule
        values = ("", "", "") if schedule.kind == "none" else (schedule.values[0], schedule.values[-1], candidate.value)
        contrastive = condition.neighbourhood is not None
        yield (
            schedule.kind,
            *(f"{value}" for value in values),
            condition.neighbourhood or "em",
            "" if contrastive else f"{condition.smoothing:g}",
            f"{condition.variance:g}" if contrastive else "",
            condition.initialiser,
            str(candidate.iterations),
            f"{judged.likelihood:.6f}",
            "" if links is None else f"{links.f1:.6f}",
            "" if links is None else f"{links.undirected:.6f}",
        )


# Evaluation by known trees or by likelihood, which is unreliable: the likeliest model is often not the best (Smith &
# Eisner 2006, table 1).

Heads = tuple[int, ...]


class Judged(NamedTuple):
    """Evaluation of a model: mean log likelihood per sentence, and attachment counts."""

    likelihood: float
    attachments: Attachments | None = None


@dataclass(frozen=True, eq=False)
class Judge:
    """Evaluation sentences of tag numbers, with trees if known."""

    sentences: Sequence[Sequence[int]]
    heads: Sequence[Heads] | None = None

    @cached_property
    def batches(self) -> list[Batch]:
        return batches_of(self.sentences)

    @cached_property
    def known(self) -> list[Tags]:
        """The known heads of each batch."""
        import numpy as np

        heads = self.heads or ()
        return [np.array([heads[place] for place in batch.places], dtype=np.int32) for batch in self.batches]

    def judged(self, weights: EventWeights) -> Judged:
        """Evaluate a model on the sentences."""
        likelihood = sum(float(sums(batch, weights).sum()) for batch in self.batches)
        mean = likelihood / max(1, sum(len(batch.places) for batch in self.batches))
        if self.heads is None:
            return Judged(mean)
        attachments = Attachments()
        for batch, known in zip(self.batches, self.known, strict=True):
            attachments += attachments_of(known, best_trees(batch, weights)[1])
        return Judged(mean, attachments)


def attachments_of(known: Tags, proposed: Tags) -> Attachments:
    """Count attachments as `score_heads` does, for sentences of one length: both arrays have a row for each."""
    import numpy as np

    linked = known > 0
    right = linked & (known == proposed)
    numbers = np.arange(1, known.shape[1] + 1)
    turned = linked & (np.take_along_axis(proposed, np.maximum(known - 1, 0), axis=1) == numbers)
    counts = (proposed > 0, linked, right, right | turned)
    return Attachments(*(int(count.sum()) for count in counts))


Worth = Callable[[Sequence[Judged]], float]
"""Function from a model's evaluations to its score, which depends on the first evaluation alone."""


@dataclass(frozen=True, eq=False)
class TreeJudges:
    """Sentences that decide the choice, and others that are only reported, such as a test part."""

    selection: Judge
    others: tuple[Judge, ...] = ()

    def judged(self, weights: EventWeights) -> tuple[Judged, ...]:
        return tuple(judge.judged(weights) for judge in (self.selection, *self.others))

    @property
    def worths(self) -> tuple[Worth, ...]:
        """Selection criteria: likelihood, and F1 if trees are known."""
        return WORTHS[:1] if self.selection.heads is None else WORTHS


def by_likelihood(judged: Sequence[Judged]) -> float:
    """Return the log likelihood of the sentences that decide the choice."""
    return judged[0].likelihood


def by_links(judged: Sequence[Judged]) -> float:
    """Return the F1 of links in the sentences that decide the choice, 0 without known trees."""
    links = judged[0].attachments
    return links.f1 if links is not None else 0.0


WORTHS: Final[tuple[Worth, ...]] = (by_likelihood, by_links)


# Training sentences and known trees from files, without punctuation

NAMED: Final = 8
"""Maximum number of tags named in a message."""
Complain = Callable[[Problem], object]


@frozen
class TagMaterial:
    """Training sentences without punctuation, and the numbers of sentences left out as too long or empty."""

    sentences: tuple[TaggedSentence, ...]
    column: Column
    too_long: int
    empty: int


def material_of(paths: Sequence[str], form: str, column: str, longest: int, complain: Complain) -> TagMaterial:
    """Read sentences of up to `longest` words from files; `form` and `column` as in `read_tagged_sentences`.

    Raises MissingFileError, and DataError if no sentence is left.
    """
    sentences: list[TaggedSentence] = []
    columns: set[str] = set()
    too_long = empty = 0
    for path in paths:
        read = read_tagged_sentences(path, form, column)
        for problem in read.problems:
            complain(problem)
        columns.add(read.column)
        bare = bare_sentences(read.sentences, longest)
        sentences += bare.sentences
        too_long, empty = too_long + bare.too_long, empty + bare.empty
    name = shown(paths[0])
    if not sentences:
        why = f"all {too_long:,} are longer than {longest} words" if too_long else "none has words"
        hint = "raise --max-length, or give shorter ones" if too_long else "punctuation does not count as words"
        raise DataError(f"{name}: no sentence to learn from: {why}\n  {hint}")
    if len(columns) > 1:
        raise DataError(f"{name}: the files have tags of different kinds\n  give files of one format")
    check_several_tags(sentences, name)
    tags = {tag for sentence in sentences for tag in sentence.tags}
    if len(tags) > MAX_TAGS:
        raise DataError(
            f"{name}: {len(tags):,} different tags, but a model has at most {MAX_TAGS:,}\n"
            "  such tags probably bundle features: use --tags upos, or shorten them"
        )
    return TagMaterial(tuple(sentences), cast(Column, columns.pop()), too_long, empty)


def known_trees(path: str, material: TagMaterial, longest: int, complain: Complain) -> list[TaggedSentence]:
    """Read annotated sentences with the tags of the training sentences.

    Uses the CoNLL-U column that has these tags. Raises MissingFileError, and DataError if no sentence has heads or
    most words have other tags.
    """
    tags = {tag for sentence in material.sentences for tag in sentence.tags}
    read = read_by_tags(path, tags, column="xpos" if material.column == "xpos" else "upos")
    for problem in read.problems:
        complain(problem)
    if share_known(read, tags) < 0.5:
        others = sorted({tag for sentence in read.sentences for tag in sentence.tags} - tags)
        raise DataError(
            f"{shown(path)}: its tags ({first_of(others, NAMED)}) are not those of the sentences "
            f"({first_of(sorted(tags), NAMED)})\n  give trees with the same tags"
        )
    bare = bare_sentences(read.sentences, longest).sentences
    sentences = [sentence for sentence in bare if sentence.heads is not None]
    if not sentences:
        raise DataError(
            f"{shown(path)}: no tree of up to {longest} words\n"
            "  give sentences with heads: CoNLL-U with HEAD, or brackets"
        )
    return sentences
