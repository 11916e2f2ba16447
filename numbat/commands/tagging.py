"""Trains a tagger, labels sentences with it and scores it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import log
from typing import TYPE_CHECKING, Any, Final

from numbat.commands.pronunciations import aligned_samples, words_to_pronounce
from numbat.commands.settings import TrainSettings
from numbat.decoding.constraints import Constraints
from numbat.decoding.label_lattice import LabelLattice
from numbat.decoding.relaxation import InfeasibleError, decode
from numbat.errors import DataError, UsageError, shortened
from numbat.files import composed, shown, text_of
from numbat.records import frozen
from numbat.runs.loop import BatchRun, Executor, Success, in_this_process
from numbat.sequence import tagger as settings_search
from numbat.sequence.perceptron import unit_of
from numbat.sequence.pronunciations import sounds_of, with_sounds
from numbat.sequence.tagger import LEARNERS, Candidates, Tagger, all_inferences, learner_named
from numbat.sequence.token_files import (
    LabellingScore,
    Layout,
    Sample,
    TokenColumns,
    check_known_labels,
    form_by_name,
    has_chunks,
    read_samples,
    score_labels,
    with_labels,
)

if TYPE_CHECKING:
    from numbat.sequence.perceptron import Unit
    from numbat.sequence.pronunciations import LetterCounts

BATCH: Final = 250
"""Sentences that are labelled at once: enough for the tagger to be fast, few enough to divide among processes."""
MANY_BATCHES: Final = 8
"""So many batches are worth processes of their own where nobody says how many there are to be."""

Told = Callable[[str], None]


PRONUNCIATIONS: Final = "pronunciations"
"""The form of a list of words with their sounds."""


def samples_of(path: str, form: str | None, field: str) -> list[Sample]:
    """The labelled sentences of a file; its form, if none is given, goes by its name."""
    return read_samples(text_of(path), shown(path), Layout(_form(path, form), True, field))


def _form(path: str, form: str | None) -> Any:
    return form or form_by_name(path)


def _option(name: str) -> str:
    """A setting as it is typed."""
    return {"k": "-k", "search": "--search-in"}.get(name, f"--{name}")


def train_tagger(path: str, form: str | None, asked: TrainSettings, told: Told) -> Tagger:
    """A tagger from the labelled sentences of a file; `told` is called with how the training goes."""
    learner, chosen = asked.learner, asked.chosen()
    settings = learner_named(learner).settings()
    for name in chosen:
        if not hasattr(settings, name):
            (other,) = (each for each in LEARNERS if each != learner)
            raise UsageError(
                f"{_option(name)} is no setting of the learner {learner}\n  leave it out, or add --learner {other}"
            )
    settings = replace(settings, **chosen)
    if "decay" in chosen and chosen.get("voting", "ed" if asked.budget else settings.voting) != "ed":
        raise UsageError("--decay is that of --voting ed\n  add it, or leave --decay out")
    counts: LetterCounts | None = None
    unit = asked.unit
    if form == PRONUNCIATIONS:
        if unit == "words":
            raise UsageError("--unit words and --from pronunciations\n  the tokens are letters: leave --unit out")
        samples, counts = aligned_samples(path, told)
        unit = "letters"
    else:
        samples = samples_of(path, form, asked.field)
        if unit == "letters":
            _check_letters(samples, path)
        _tell_rare_labels(samples, told)
    if asked.budget:
        every = list(dict.fromkeys(replace(one, **chosen) for one in settings_search.settings_to_try(learner)))
        judge = evaluation(learner, unit)
        settings = settings_search.progressive_sampling(samples, every, judge, asked.budget, told=told)
        told(f"search: chosen {settings}")
    tagger = Tagger.train(samples, learner, settings, unit or unit_of(samples), told=told)
    return replace(tagger, letter_counts=counts)


MANY_LABELS: Final = 100
"""Fewer labels are no sign of a mistake, however short the material."""


def _tell_rare_labels(samples: Sequence[Sample], told: Told) -> None:
    """Tell of material of whose labels there are more than half as many as tokens: nothing can be learned of them."""
    tokens, labels = sum(len(sample.labels) for sample in samples), {one for sample in samples for one in sample.labels}
    if len(labels) > MANY_LABELS and 2 * len(labels) > tokens:
        told(
            f"{len(labels):,} labels among {tokens:,} tokens: most stand too seldom to be learned\n"
            "  is the label the last column? words with their sounds are read with --from pronunciations"
        )


def _check_letters(samples: Sequence[Sample], path: str) -> None:
    """Raises DataError where most tokens are words, though they are said to be letters."""
    tokens = [(row[0], line) for sample in samples for row, line in zip(sample.rows, sample.lines, strict=True)]
    words = [(token, line) for token, line in tokens if len(composed(token)) > 1]
    if 2 * len(words) > len(tokens):
        token, line = words[0]
        most = f"{len(words):,} of {len(tokens):,} tokens"
        raise DataError(
            f'{shown(path)}:{line}: --unit letters, but {most} are words, as "{shortened(token)}"\n'
            "  words with their sounds are read letter by letter with --from pronunciations;\n"
            "  for any other labels of words leave --unit letters out"
        )


def evaluation(learner: str, unit: Unit | None) -> settings_search.ScoreSettings:
    """How settings are judged: F of chunks where the labels are those of chunks, else the share of right tokens."""

    def evaluate(trained: Sequence[Sample], judged: Sequence[Sample], settings: Any) -> float:
        try:
            tagger = Tagger.train(trained, learner, settings, unit, calibrate=False)
        except DataError:
            return 0.0
        gold = [sample.labels for sample in judged]
        found = score_labels(gold, tagger.label([sample.rows for sample in judged]))
        return found.f1 if has_chunks(tagger.labels) else found.accuracy

    return evaluate


@frozen
class SampleBatch:
    """Sentences that are labelled at once; the first has the number `id` in its file."""

    id: str
    sentences: tuple[Sequence[TokenColumns], ...]


@frozen
class LabelJob:
    """Labels the sentences of a batch.

    Where there are `constraints`, a sentence whose labels violate any of them is decoded under them: the labels of the
    highest log confidence less the costs of violations. A sentence that no labels fit gets the reason in their place.
    """

    tagger: Tagger
    inference: str
    constraints: Constraints | None = None
    soft: bool | None = None

    def __call__(self, batch: SampleBatch) -> list[list[str] | str]:
        found: list[list[str] | str] = [*self.tagger.label(batch.sentences, self.inference)]
        if self.constraints is None:
            return found
        is_any = self.constraints.has_rewards
        again = [at for at, labels in enumerate(found) if is_any or self.constraints.violated(labels)]
        likely = self.tagger.candidates([batch.sentences[at] for at in again])
        for at, candidates in zip(again, likely, strict=True):
            found[at] = self._decoded(candidates, batch.sentences[at], self.constraints)
        return found

    def _decoded(
        self, candidates: Sequence[Candidates], rows: Sequence[TokenColumns], constraints: Constraints
    ) -> list[str] | str:
        """The best labels among the likely ones; where none of these fit, among all that have any confidence."""
        try:
            return list(decode(_lattice(candidates), constraints, soft=self.soft).labels)
        except InfeasibleError:
            (wider,) = self.tagger.candidates([rows], 0.0, len(self.tagger.labels))
        try:
            return list(decode(_lattice(wider), constraints, soft=self.soft).labels)
        except InfeasibleError as error:
            return str(error)


def _lattice(candidates: Sequence[Candidates]) -> LabelLattice:
    scored = ({label: log(max(confidence, 1e-300)) for label, confidence in likely} for likely in candidates)
    return LabelLattice.from_labels(list(scored))


def label_file(
    job: LabelJob,
    path: str,
    form: str | None,
    field: str,
    executor: Executor = in_this_process,
    lose: Callable[[DataError], object] | None = None,
) -> Iterator[str]:
    """The sentences of a file with the labels of the tagger, each as a text that ends with what parts sentences.

    A sentence that is lost (`Failure.lost`), or that no labelling fits under the constraints, has `_` in the place of
    each label, and `lose` is called with the reason; where nobody is to be told, its DataError is raised.
    """
    tagger = job.tagger
    spoken = form == PRONUNCIATIONS or (form is None and tagger.letter_counts is not None)
    layout = Layout("text" if spoken else _form(path, form), False, field)
    text = "" if spoken else text_of(path)
    if layout.form == "columns":
        layout = replace(layout, labelled=_columns_of(text) == tagger.columns + 1)
        layout = replace(layout, columns=tagger.columns + layout.labelled)
    samples = words_to_pronounce(tagger, path) if spoken else read_samples(text, shown(path), layout)
    for sample, labels in zip(samples, _labelled(job, samples, path, executor, lose), strict=True):
        if isinstance(labels, str):
            error = DataError(f"{shown(path)}:{sample.first_line}: {labels}")
            if lose is None:
                raise error
            lose(error)
            labels = [NO_LABEL] * len(sample.rows)
        yield with_sounds(sample.source[0], sounds_of(labels)) if spoken else with_labels(sample, labels, layout)


NO_LABEL: Final = "_"
"""Stands for the labels of a sentence that is lost; in CoNLL-U it is the sign of a field without value."""


def _labelled(
    job: LabelJob,
    samples: Sequence[Sample],
    path: str,
    executor: Executor,
    lose: Callable[[DataError], object] | None,
) -> Iterator[list[str] | str]:
    """The labels of each sentence, or why it has none. Those of a batch that is lost are labelled again, one by one."""
    starts = range(0, len(samples), BATCH)
    batches = [_batch(samples[start : start + BATCH], start) for start in starts]
    run = BatchRun(job, batches, executor=executor, total=len(batches))
    for start, record in zip(starts, run.whole(), strict=True):
        if isinstance(record, Success):
            yield from record.value
            continue
        if not record.lost or lose is None:
            raise record.as_error()
        batch = samples[start : start + BATCH]
        alone = [_batch([sample], start + i) for i, sample in enumerate(batch)]
        for one in BatchRun(job, alone, executor=executor).whole():
            if isinstance(one, Success):
                yield from one.value
                continue
            if not one.lost:
                raise one.as_error()
            yield f"lost: {one.reason}"


def _batch(samples: Sequence[Sample], start: int) -> SampleBatch:
    return SampleBatch(str(start + 1), tuple(sample.rows for sample in samples))


def _columns_of(text: str) -> int:
    """How many columns the first line has."""
    line = next((line for line in text.split("\n") if line.strip()), "")
    return len(line.strip().split("\t" if "\t" in text else None))


def score_tagger(tagger: Tagger, path: str, form: str | None, field: str, strict: bool) -> dict[str, LabellingScore]:
    """The scores of every inference, the oracle among them, on a labelled file.

    If `strict`, a label that was not seen in training raises DataError with its line; else it counts as a mistake.
    """
    samples = samples_of(path, form, field)
    if strict:
        check_known_labels(samples, tagger.labels, shown(path))
    said = tagger.predictions([sample.rows for sample in samples])
    gold = [sample.labels for sample in samples]
    known = [[tagger.is_known(row[0]) for row in sample.rows] for sample in samples]
    found = [all_inferences(predicted, labels) for predicted, labels in zip(said, gold, strict=True)]
    return {name: score_labels(gold, [labels[name] for labels in found], known) for name in found[0]}
