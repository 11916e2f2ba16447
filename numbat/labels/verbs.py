"""Commands `tag train`, `tag run` and `tag score`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import log
from typing import TYPE_CHECKING, Any, Final

from numbat.errors import DataError, UsageError, shortened
from numbat.files import SAVE_OR_NAME, composed, shown, text_of
from numbat.labels.constraints import Constraints
from numbat.labels.csi import only_pairs
from numbat.labels.label_lattice import LabelLattice
from numbat.labels.perceptron import unit_of
from numbat.labels.relaxation import InfeasibleError, decode
from numbat.labels.settings import TrainSettings
from numbat.labels.tagger import (
    LEARNERS,
    Candidates,
    ScoreSettings,
    Tagger,
    all_inferences,
    learner_named,
    progressive_sampling,
    settings_to_try,
)
from numbat.labels.token_files import (
    LabellingScore,
    Layout,
    Sample,
    TokenColumns,
    check_known_labels,
    form_by_name,
    misfit_error,
    read_samples,
    scheme_of,
    score_labels,
    with_labels,
)
from numbat.records import frozen
from numbat.runs.loop import BatchRun, Executor, Success, in_this_process
from numbat.words.chunk_labels import OUTSIDE, SCHEMES, Scheme, misfit, scheme_named, schemes_with
from numbat.words.typed import SLASH

if TYPE_CHECKING:
    from numbat.labels.perceptron import Unit


BATCH: Final = 250
"""Sentences labelled at once: enough for the tagger to be fast, few enough to divide among processes."""
MANY_BATCHES: Final = 8
"""From this number of batches on, several processes are used by default."""

Told = Callable[[str], None]


def samples_of(path: str, form: str | None, field: str, separator: str = SLASH) -> list[Sample]:
    """Return the labelled sentences of a file; the format is `form`, or for None the one that its name suggests."""
    layout = Layout(_form(path, form), True, field, separator=separator)
    return read_samples(text_of(path, SAVE_OR_NAME), shown(path), layout)


def _form(path: str, form: str | None) -> Any:
    return form or form_by_name(path)


def _option(name: str) -> str:
    """Return the command-line option for a setting."""
    return {"k": "-k", "search": "--search-in"}.get(name, f"--{name}")


def train_tagger(path: str, form: str | None, options: TrainSettings, say: Told) -> Tagger:
    """Train a tagger on the labelled sentences of a file, with `form` as in `samples_of`; `say` receives progress."""
    learner, chosen = options.learner, options.chosen()
    settings = learner_named(learner).settings()
    for name in chosen:
        if not hasattr(settings, name):
            (other,) = LEARNERS.keys() - {learner}
            raise UsageError(
                f"{_option(name)} is not a setting of the learner {learner}\n  leave it out, or add --learner {other}"
            )
    settings = replace(settings, **chosen)
    if "decay" in chosen and chosen.get("voting", "ed" if options.budget else settings.voting) != "ed":
        raise UsageError("--decay is for --voting ed\n  add it, or leave --decay out")
    unit = options.unit
    samples = samples_of(path, form, options.field, options.separator)
    if unit == "letters":
        _check_letters(samples, path)
    _tell_rare_labels(samples, say)
    scheme = scheme_of(samples, shown(path), options.scheme)
    if scheme is not None and options.scheme is None:
        say(told_of(scheme))
    if options.budget:
        every = list(dict.fromkeys(replace(one, **chosen) for one in settings_to_try(learner)))
        judge = evaluation(learner, unit, scheme)
        settings = progressive_sampling(samples, every, judge, options.budget, on_progress=say)
        say(f"search: chosen {settings}")
    tagger = Tagger.train(samples, learner, settings, unit or unit_of(samples), on_progress=say)
    return replace(tagger, scheme=scheme)


MANY_LABELS: Final = 100
"""With at most this number of labels, there is no warning that most occur too rarely."""


def _tell_rare_labels(samples: Sequence[Sample], say: Told) -> None:
    """Tell `say` if there is more than one label for two tokens, because then nothing can be learned."""
    tokens, labels = sum(len(sample.labels) for sample in samples), {one for sample in samples for one in sample.labels}
    if len(labels) > MANY_LABELS and 2 * len(labels) > tokens:
        say(
            f"{len(labels):,} labels among {tokens:,} tokens: most occur too rarely to be learned\n"
            "  is the label the last column?"
        )


def _check_letters(samples: Sequence[Sample], path: str) -> None:
    """Raise DataError if most tokens have more than one letter."""
    tokens = [(row[0], line) for sample in samples for row, line in zip(sample.rows, sample.lines, strict=True)]
    words = [(token, line) for token, line in tokens if len(composed(token)) > 1]
    if 2 * len(words) > len(tokens):
        token, line = words[0]
        most = f"{len(words):,} of {len(tokens):,} tokens"
        raise DataError(
            f'{shown(path)}:{line}: --unit letters, but {most} are words, as "{shortened(token)}"\n'
            "  leave --unit letters out, or give a letter a line"
        )


def told_of(scheme: Scheme) -> str:
    """Return a note that says which scheme was found for labels."""
    behind = ", written TYPE-SIGN" if scheme.behind else ""
    return f"the labels are read as chunks of the scheme {scheme.name}{behind}\n  use --scheme for another one"


def evaluation(learner: str, unit: Unit | None, scheme: Scheme | None) -> ScoreSettings:
    """Return a function that scores settings: by F for chunks if labels have a `scheme`, else by token accuracy."""

    def evaluate(trained: Sequence[Sample], judged: Sequence[Sample], settings: Any) -> float:
        try:
            tagger = Tagger.train(trained, learner, settings, unit, calibrate=False)
        except DataError:
            return 0.0
        gold = [sample.labels for sample in judged]
        score = score_labels(gold, tagger.label([sample.rows for sample in judged]), scheme=scheme)
        return score.accuracy if scheme is None else score.f1

    return evaluate


@frozen
class SampleBatch:
    """Sentences that are labelled at once; `id` is the number of the first in its file."""

    id: str
    sentences: tuple[Sequence[TokenColumns], ...]


@frozen
class LabelJob:
    """Labels the sentences of a batch: returns for each a list of labels or, in words, why no labels fit.

    With `constraints`, sentences whose labels violate any of them are labelled again by `relaxation.decode`, which
    maximises log confidences minus costs of violations. Without them, sentences with labels that the `scheme` does not
    allow are labelled again under the scheme.
    """

    tagger: Tagger
    inference: str
    constraints: Constraints | None = None
    soft: bool | None = None
    scheme: Scheme | None = None

    def __call__(self, batch: SampleBatch) -> list[list[str] | str]:
        labelled: list[list[str] | str] = [*self.tagger.label(batch.sentences, self.inference)]
        if self.constraints is None:
            return labelled if self.scheme is None else self._allowed(labelled, batch.sentences, self.scheme)
        is_any = self.constraints.has_rewards
        again = [at for at, labels in enumerate(labelled) if is_any or self.constraints.violated(labels)]
        likely = self.tagger.candidates([batch.sentences[at] for at in again])
        for at, candidates in zip(again, likely, strict=True):
            labelled[at] = self._decoded(candidates, batch.sentences[at], self.constraints)
        return labelled

    def _allowed(
        self, predicted: Sequence[list[str] | str], sentences: Sequence[Sequence[TokenColumns]], scheme: Scheme
    ) -> list[list[str] | str]:
        """Return the predicted labels, with new ones for sentences whose labels the scheme does not allow."""
        pairs = only_pairs(lambda before, label: scheme.allows(before or OUTSIDE, label or OUTSIDE))
        labelled: list[list[str] | str] = []
        for labels, rows in zip(predicted, sentences, strict=True):
            is_wrong = misfit(scheme, [labels]) is not None
            labelled += self.tagger.label([rows], self.inference, [pairs]) if is_wrong else [labels]
        return labelled

    def _decoded(
        self, candidates: Sequence[Candidates], rows: Sequence[TokenColumns], constraints: Constraints
    ) -> list[str] | str:
        """Return the best labels among the likely ones or, if none of these fit, among all; else why no labels fit."""
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


def scheme_of_columns(named: str | None, tagger: str | None) -> Scheme:
    """Return the scheme of labels of chunks: the named one, or that of the labels of a tagger's model, or IOB2."""
    scheme = scheme_of_model(Tagger.load(tagger), None) if named is None and tagger else None
    return scheme or SCHEMES[named or "iob2"]


def scheme_of_model(tagger: Tagger, name: str | None) -> Scheme | None:
    """Return the scheme of a model's labels: the named one, or the one that the model records, or the first that fits.

    None is returned if no scheme is named and the labels are not those of chunks. Raises UsageError for a label that
    the named scheme lacks.
    """
    if name is None:
        return tagger.scheme or next(iter(schemes_with(tagger.labels)), None)
    scheme = scheme_named(name, tagger.labels)
    for label in tagger.labels:
        if not scheme.has(label):
            others = ", ".join(other.name for other in schemes_with(tagger.labels))
            hint = f"all labels of the model are labels of: {others}" if others else "leave --scheme out"
            raise UsageError(f'the scheme {name} lacks "{shortened(label)}", a label of the model\n  {hint}')
    return scheme


def label_file(
    job: LabelJob,
    path: str,
    form: str | None,
    field: str,
    executor: Executor = in_this_process,
    lose: Callable[[DataError], object] | None = None,
) -> Iterator[str]:
    """Yield the sentences of a file with the tagger's labels as text, each with what separates it from the next.

    A sentence gets `_` for each label if it is lost (`Failure.lost`) or if the constraints allow no labelling; `lose`
    is then called with a DataError, which is raised if `lose` is None.
    """
    tagger = job.tagger
    layout = Layout(_form(path, form), False, field)
    text = text_of(path, SAVE_OR_NAME)
    if layout.form == "columns":
        layout = replace(layout, labelled=_columns_of(text) == tagger.columns + 1)
        layout = replace(layout, columns=tagger.columns + layout.labelled)
    samples = read_samples(text, shown(path), layout)
    for sample, labels in zip(samples, _labelled(job, samples, path, executor, lose), strict=True):
        if isinstance(labels, str):
            error = DataError(f"{shown(path)}:{sample.first_line}: {labels}")
            if lose is None:
                raise error
            lose(error)
            labels = [NO_LABEL] * len(sample.rows)
        yield with_labels(sample, labels, layout)


NO_LABEL: Final = "_"
"""Label for the tokens of a lost sentence; in CoNLL-U this is a field without a value."""


def _labelled(
    job: LabelJob,
    samples: Sequence[Sample],
    path: str,
    executor: Executor,
    lose: Callable[[DataError], object] | None,
) -> Iterator[list[str] | str]:
    """Yield for each sentence its labels, or why it has none; the sentences of a lost batch are labelled one by one."""
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
    """Return the number of columns in the first line that is not empty."""
    line = next((line for line in text.split("\n") if line.strip()), "")
    return len(line.strip().split("\t" if "\t" in text else None))


@frozen
class TaggerScores:
    """Scores of each inference, by name, and the scheme by which chunks were counted, None if they were not counted."""

    by_inference: dict[str, LabellingScore]
    scheme: Scheme | None


def score_tagger(
    tagger: Tagger,
    path: str,
    form: str | None,
    field: str,
    only_known: bool,
    scheme: str | None = None,
    strict: bool = False,
    separator: str = SLASH,
) -> TaggerScores:
    """Return the scores of every inference, including the oracle, on a labelled file.

    With `only_known`, a label that was not seen in training raises DataError with its line; otherwise, it counts as a
    mistake. Chunks are counted by the named scheme, or else by that of the model or of the file; with `strict`, only
    well-formed chunks.
    """
    samples = samples_of(path, form, field, separator)
    if only_known:
        check_known_labels(samples, tagger.labels, shown(path))
    counted_by = _scheme_for(tagger, samples, shown(path), scheme)
    if strict and counted_by is None:
        raise UsageError("--whole-chunks counts chunks, but the labels are not those of chunks\n  leave it out")
    predictions = tagger.predictions([sample.rows for sample in samples])
    gold = [sample.labels for sample in samples]
    known = [[tagger.is_known(row[0]) for row in sample.rows] for sample in samples]
    inferred = [all_inferences(predicted, labels) for predicted, labels in zip(predictions, gold, strict=True)]
    return TaggerScores(
        {
            name: score_labels(gold, [labels[name] for labels in inferred], known, counted_by, strict)
            for name in inferred[0]
        },
        counted_by,
    )


def _scheme_for(tagger: Tagger, samples: Sequence[Sample], path: str, name: str | None) -> Scheme | None:
    """Return the scheme called `name`, or else that of the model, or else that of the labels in the file.

    Raises DataError for a label in the file that the scheme does not allow.
    """
    if name is not None or tagger.scheme is None:
        return scheme_of(samples, path, name)
    wrong = misfit(tagger.scheme, [sample.labels for sample in samples])
    if wrong is None:
        return tagger.scheme
    name = tagger.scheme.name
    hint = f"{name} is the scheme of the model: correct it, or read the labels by it: --scheme {name}"
    raise misfit_error(wrong, samples, path, hint)
