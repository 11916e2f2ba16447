"""The tagger: a trained learner with calibrated confidences, which labels sentences by an inference.

tagger = Tagger.train(samples)
tagger.save("english.model")
Tagger.load("english.model").tag(["the", "cat", "sleeps"])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import log
from pathlib import Path
from random import Random
from typing import Any, Final

from numbat.automata.property_acceptors import Acceptor
from numbat.errors import DataError, UsageError, require_numpy
from numbat.labels import memory, model_file, perceptron
from numbat.labels.csi import Prediction, csi, domains, oracle, unigram, vote
from numbat.labels.memory import WEIGHTINGS
from numbat.labels.perceptron import Unit, unit_of
from numbat.labels.token_files import Sample, TokenColumns
from numbat.records import frozen
from numbat.words.chunk_labels import Scheme, scheme_named
from numbat.words.lattice import Arc, Lattice

INFERENCES: Final = ("unigram", "vote", "csi")
HELD_OUT: Final = 10
"""One sentence in HELD_OUT is kept from training, to calibrate confidences."""
SHARPNESS: Final = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.7, 2.0, 2.5, 3.0)
"""Exponents of confidences that calibration tries."""
MIN_CONFIDENCE: Final = 0.02
"""Minimum confidence in a candidate label; the best label is a candidate in any case."""
MAX_CANDIDATES: Final = 3
"""Maximum number of candidate labels per token."""
CHUNK: Final = 500
"""Number of sentences that are labelled at once."""

Sentences = Sequence[Sequence[TokenColumns]]
Candidates = tuple[tuple[str, float], ...]
"""Labels of a token with their confidences, best first."""
SHARPEST: Final = 1_000.0
"""Maximum exponent of confidences that a model file may have."""


@frozen
class TaggerLearner:
    """The functions of a learner for training, prediction, confidences in labels, and its part of a model file."""

    train: Callable[[Sequence[Sample], Any, Unit, Callable[[str], None]], Any]
    predictions: Callable[[Any, Sentences], list[Prediction]]
    marginals: Callable[[Any, Sentences], list[dict[str, float]]]
    packed: Callable[[Any], tuple[dict[str, Any], dict[str, Any]]]
    unpacked: Callable[[dict[str, Any], dict[str, Any]], Any]
    settings: Callable[[], Any]
    is_known: Callable[[Any, str], bool]
    labels: Callable[[Any], tuple[str, ...]]


LEARNERS: Final[Mapping[str, TaggerLearner]] = {
    "perceptron": TaggerLearner(
        train=lambda samples, settings, unit, on_progress: perceptron.train(samples, unit, settings, on_progress),
        predictions=perceptron.predictions,
        marginals=perceptron.marginals,
        packed=perceptron.packed,
        unpacked=perceptron.unpacked,
        settings=perceptron.PerceptronSettings,
        is_known=lambda trained, form: trained.forms.is_known(form),
        labels=lambda trained: trained.labels[1:],
    ),
    "memory": TaggerLearner(
        train=lambda samples, settings, unit, on_progress: memory.train(samples, settings, on_progress),
        predictions=memory.predictions,
        marginals=memory.marginals,
        packed=memory.packed,
        unpacked=memory.unpacked,
        settings=memory.MemorySettings,
        is_known=lambda trained, form: trained.is_known(form),
        labels=lambda trained: trained.labels[1:],
    ),
}


def learner_named(name: str) -> TaggerLearner:
    """Return the learner called `name`. Raises UsageError if there is none."""
    if name not in LEARNERS:
        raise UsageError(f'unknown learner "{name}"\n  the learners are: {", ".join(LEARNERS)}')
    return LEARNERS[name]


@frozen
class Tagger:
    """A trained tagger. `columns` is the number of columns that it needs for a token, the word first.

    Confidences are raised to the power `sharpness`, which was calibrated on held-out data, and scaled to add up to 1.
    `scheme` is the scheme of labels of chunks, None for other labels and in older models. `sentences` and `tokens`
    count the training data.
    """

    learner: str
    model: Any
    columns: int
    sharpness: float = 1.0
    sentences: int = 0
    tokens: int = 0
    scheme: Scheme | None = None

    def __repr__(self) -> str:
        return f"<Tagger {self.learner}: {len(self.labels)} labels, {self.tokens} training tokens>"

    @staticmethod
    def train(
        samples: Sequence[Sample],
        learner: str = "perceptron",
        settings: Any = None,
        unit: Unit | None = None,
        calibrate: bool = True,
        on_progress: Callable[[str], None] = lambda _: None,
    ) -> Tagger:
        """Train a tagger on labelled samples; `on_progress` receives lines about the progress.

        `unit` says what tokens are; None guesses it. Raises DataError for data with fewer than two different labels,
        UsageError for an unknown learner, MissingExtraError without numpy.
        """
        require_numpy("the tagger")
        chosen = learner_named(learner)
        if len({label for sample in samples for label in sample.labels}) < 2:
            raise DataError("the training data have fewer than two labels\n  check which column has the labels")
        settings = settings if settings is not None else chosen.settings()
        unit = unit or unit_of(samples)
        sharpness = 1.0
        if calibrate and len(samples) >= 2 * HELD_OUT:
            kept = [sample for i, sample in enumerate(samples) if i % HELD_OUT]
            if len({label for sample in kept for label in sample.labels}) > 1:
                on_progress("calibration: training without every tenth sentence")
                sharpness = _sharpness(chosen, chosen.train(kept, settings, unit, on_progress), samples[::HELD_OUT])
                on_progress(f"calibration: confidences to the power {sharpness}")
        model = chosen.train(samples, settings, unit, on_progress)
        columns, tokens = len(samples[0].rows[0]), sum(len(sample.rows) for sample in samples)
        return Tagger(learner, model, columns, sharpness, len(samples), tokens)

    @staticmethod
    def load(path: str | Path) -> Tagger:
        """Return the tagger from a model file or, by name, from a packaged model.

        Raises MissingFileError, DataError for a file that is not a model, and UsageError if `path` is not a path.
        """
        if not isinstance(path, str | Path):
            raise UsageError(f"{path!r} is not the name of a model\n  give the path of a file from numbat tag train")
        require_numpy("the tagger")
        path = model_file.model_path(str(path))
        header, arrays = model_file.read_model_file(path)
        if "letters" in header:
            raise DataError(
                f"{path}: this is a model of pronunciations, which Numbat used until 0.24\n"
                "  train another on lines of a letter, TAB and its sounds: numbat tag train --unit letters FILE"
            )
        try:
            about = header["tagger"]
            model = LEARNERS[about["learner"]].unpacked(header, arrays)
            columns = len(header["symbols"]) if "symbols" in header else header["further"] + 1
            sizes = model_file.whole(about["sentences"]), model_file.whole(about["tokens"])
            sharpness = model_file.number(about["sharpness"], 0, SHARPEST)
            tagger = Tagger(about["learner"], model, columns, sharpness, *sizes)
            scheme = about.get("scheme")
            return tagger if scheme is None else replace(tagger, scheme=scheme_named(scheme, tagger.labels))
        except (OverflowError, KeyError, TypeError, ValueError, IndexError, AttributeError, UsageError):
            raise DataError(f"{path}: the model is damaged\n  copy or train it again") from None

    def save(self, path: str) -> int:
        """Write the model file and return its size in bytes; see `model_file.write_model_file`."""
        header, arrays = LEARNERS[self.learner].packed(self.model)
        about = {name: getattr(self, name) for name in ("learner", "sharpness", "sentences", "tokens")}
        if self.scheme is not None:
            about["scheme"] = self.scheme.name
        return model_file.write_model_file(path, {**header, "tagger": about}, arrays)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels seen in training."""
        return LEARNERS[self.learner].labels(self.model)

    def is_known(self, form: str) -> bool:
        """Return True if the word was seen in training."""
        return LEARNERS[self.learner].is_known(self.model, form)

    def predictions(self, sentences: Sentences) -> list[list[Prediction]]:
        """Return for each sentence the trigrams of labels predicted around its tokens."""
        result = []
        for start in range(0, len(sentences), CHUNK):
            part = self._checked(sentences[start : start + CHUNK])
            predictions = iter(LEARNERS[self.learner].predictions(self.model, part))
            result += [[next(predictions) for _ in sentence] for sentence in part]
        return result

    def label(
        self, sentences: Sentences, inference: str = "csi", constraints: Sequence[Acceptor] = ()
    ) -> list[list[str]]:
        """Return the label of each token of each sentence; `constraints` are used only with the inference `csi`.

        If the constraints forbid all labellings, every label with any confidence becomes a candidate. Raises DataError
        if they still forbid all labellings.
        """
        if not constraints or inference != "csi":
            return [infer(predicted, inference) for predicted in self.predictions(sentences)]
        return [self._constrained(sentence, constraints) for sentence in sentences]

    def _constrained(self, sentence: Sequence[TokenColumns], constraints: Sequence[Acceptor]) -> list[str]:
        (predicted,) = self.predictions([sentence])
        try:
            return csi(predicted, constraints)
        except DataError:
            likely = self.candidates([sentence], 0.0, len(self.labels))[0]
        wider = [
            tuple(dict.fromkeys([*labels, *(label for label, _ in every)]))
            for labels, every in zip(domains(predicted), likely, strict=True)
        ]
        return csi(predicted, constraints, wider)

    def tag(self, words: str | Sequence[str | TokenColumns], constraints: Sequence[Acceptor] = ()) -> list[str]:
        """Return the labels of one sentence, given as words in a text or a list, or as rows of columns."""
        return self.label([_rows(words)], "csi", constraints)[0]

    def candidates(
        self, sentences: Sentences, least: float = MIN_CONFIDENCE, most: int = MAX_CANDIDATES
    ) -> list[list[Candidates]]:
        """Return for each token its best label, and up to `most` in all with calibrated confidences from `least` on."""
        result = []
        for start in range(0, len(sentences), CHUNK):
            part = self._checked(sentences[start : start + CHUNK])
            marginals = iter(LEARNERS[self.learner].marginals(self.model, part))
            result += [[_likely(next(marginals), self.sharpness, least, most) for _ in sentence] for sentence in part]
        return result

    def lattice(self, words: str | Sequence[str | TokenColumns], least: float = MIN_CONFIDENCE) -> Lattice:
        """Return the lattice of one sentence: for each token, an arc marked as guessed per likely label."""
        rows = _rows(words)
        arcs = [
            Arc(i, i + 1, row[0], label, (), log(confidence), guessed=True)
            for i, (row, likely) in enumerate(zip(rows, self.candidates([rows], least)[0], strict=True))
            for label, confidence in likely
        ]
        forms = tuple(row[0] for row in rows)
        return Lattice(forms, tuple(arcs), (), " ".join(forms))

    def _checked(self, sentences: Sentences) -> Sentences:
        for number, sentence in enumerate(sentences, start=1):
            if not sentence:
                raise DataError(f"sentence {number} is empty\n  a sentence has at least one token")
            for row in sentence:
                if len(row) != self.columns:
                    raise DataError(
                        f'sentence {number}: "{row[0]}" has {len(row)} of {self.columns} columns\n'
                        "  give each token as many columns as in training, without the label"
                    )
        return sentences


def infer(predicted: Sequence[Prediction], inference: str) -> list[str]:
    """Return the labels of one sentence by the inference of this name. Raises UsageError if there is none."""
    if inference == "csi":
        return csi(predicted)
    if inference not in INFERENCES:
        raise UsageError(f'unknown inference "{inference}"\n  the inferences are: {", ".join(INFERENCES)}')
    return unigram(predicted) if inference == "unigram" else vote(predicted)


def all_inferences(predicted: Sequence[Prediction], gold: Sequence[str]) -> dict[str, list[str]]:
    """Return the labels of one sentence by each inference, and by the oracle, which knows the gold labels."""
    return {**{name: infer(predicted, name) for name in INFERENCES}, "oracle": oracle(predicted, gold)}


def _rows(words: str | Sequence[str | TokenColumns]) -> list[TokenColumns]:
    every = words.split() if isinstance(words, str) else words
    return [(word,) if isinstance(word, str) else tuple(word) for word in every]


def _likely(shares: Mapping[str, float], sharpness: float, least: float, most: int) -> Candidates:
    sharp = _sharpened(shares, sharpness)
    best = sorted(sharp.items(), key=lambda item: (-item[1], item[0]))[:most]
    return (best[0], *(pair for pair in best[1:] if pair[1] >= least))


def _sharpened(shares: Mapping[str, float], sharpness: float) -> dict[str, float]:
    powers = {label: max(share, 1e-12) ** sharpness for label, share in shares.items()}
    total = sum(powers.values())
    return {label: power / total for label, power in powers.items()}


def _sharpness(chosen: TaggerLearner, model: Any, samples: Sequence[Sample]) -> float:
    """Return the exponent of confidences by which the gold labels of `samples` are most likely."""
    predicted = chosen.marginals(model, [sample.rows for sample in samples])
    gold = [label for sample in samples for label in sample.labels]

    def negative_log_likelihood(sharpness: float) -> float:
        return -sum(
            log(max(_sharpened(shares, sharpness).get(label, 0.0), 1e-4))
            for shares, label in zip(predicted, gold, strict=True)
        )

    return min(SHARPNESS, key=negative_log_likelihood)


# Search for the best settings by wrapped progressive sampling: all settings are tried on a small sample, the better
# ones on larger samples (van den Bosch 2004, "Wrapped progressive sampling search for optimizing learning algorithm
# parameters").

ScoreSettings = Callable[[Sequence[Sample], Sequence[Sample], Any], float]
"""Function that trains on the first samples with the settings and returns a score on the second; higher is better."""
MIN_SAMPLE: Final = 200
"""Number of sentences in the first, smallest sample."""
GROWTH: Final = 2
"""Number of times that a sample is larger than the one before."""
MAX_SHARE: Final = 0.8
"""Share of all sentences that the largest sample may have."""
SEED: Final = 1
"""Seed of the random order in which sentences are sampled."""


def progressive_sampling(
    samples: Sequence[Sample],
    every: Sequence[Any],
    score_settings: ScoreSettings,
    budget: int,
    on_progress: Callable[[str], None] = lambda _: None,
) -> Any:
    """Return the best of the settings in `every`, or the best found after `budget` trainings.

    `every` is in order of preference. At each step, all settings that are left are used for training on a sample and
    scored on a quarter as many other sentences; those in the best of ten equal ranges between the worst and the best
    score are kept, at most half of all. Raises DataError for fewer than ten sentences.
    """
    if len(samples) < 10:
        raise DataError(f"{len(samples)} sentences are too few to choose settings by\n  give at least 10")
    order = list(samples)
    Random(SEED).shuffle(order)
    judged = order[: max(2, len(order) // 5)]
    pool, left, size = list(every), budget, min(MIN_SAMPLE, len(order) - len(judged))
    while len(pool) > 1 and left >= len(pool):
        trained = order[len(judged) : len(judged) + size]
        scores = [score_settings(trained, judged[: max(2, size // 4)], one) for one in pool]
        left -= len(pool)
        best, worst = max(scores), min(scores)
        leading = sum(score >= best - (best - worst) / 10 for score in scores)
        kept = sorted(range(len(pool)), key=lambda i: (-scores[i], i))[: max(1, min(leading, (len(pool) + 1) // 2))]
        on_progress(f"search: {len(pool)} settings on {size} sentences, best {best:.4f}: {pool[kept[0]]}")
        pool = [pool[i] for i in kept]
        if size >= MAX_SHARE * len(order) - 1:
            break
        size = min(size * GROWTH, len(order) - len(judged))
    return pool[0]


def settings_to_try(learner: str) -> list[Any]:
    """Return all settings that the search tries for a learner, the usual ones first."""
    if learner == "perceptron":
        return [
            perceptron.PerceptronSettings(epochs=epochs, margin=margin, least=least)
            for epochs, margin, least in product((10, 5, 20), (1.0, 0.0, 4.0), (2, 1, 3))
        ]
    return [
        memory.MemorySettings(k=k, metric=metric, weighting=weighting, voting=voting)
        for metric, weighting, k, voting in product(_METRICS, WEIGHTINGS, (5, 1, 11, 25), _VOTINGS)
        if k > 1 or voting == "majority"
    ]


_METRICS: Final[tuple[memory.Metric, ...]] = ("mvdm", "overlap")
_VOTINGS: Final[tuple[memory.Voting, ...]] = ("il", "id", "ed", "majority")
