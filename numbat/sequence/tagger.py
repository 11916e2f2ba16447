"""The tagger: a learner, an inference and calibrated confidences behind one record.

tagger = Tagger.train(samples)
tagger.save("english.model")
Tagger.load("english.model").tag(["the", "cat", "sleeps"])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import log
from pathlib import Path
from random import Random
from typing import Any, Final

from numbat.automata.property_acceptors import Acceptor
from numbat.errors import DataError, UsageError, require_numpy
from numbat.records import frozen
from numbat.sequence import memory, model_file, perceptron
from numbat.sequence.csi import Prediction, csi, domains, oracle, unigram, vote
from numbat.sequence.memory import WEIGHTINGS
from numbat.sequence.perceptron import Unit, unit_of
from numbat.sequence.pronunciations import LetterCounts, checked_counts, letters_of, sounds_of
from numbat.sequence.token_files import Sample, TokenColumns
from numbat.words.lattice import Arc, Lattice

INFERENCES: Final = ("unigram", "vote", "csi")
HELD_OUT: Final = 10
"""One in so many sentences is held out to calibrate the confidences."""
SHARPNESS: Final = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.7, 2.0, 2.5, 3.0)
"""The powers of confidences that calibration tries."""
LEAST_CONFIDENCE: Final = 0.02
"""Labels of a smaller confidence are no candidates, the most confident one aside."""
MAX_CANDIDATES: Final = 3
"""A token has so many candidate labels at most."""
CHUNK: Final = 500
"""Sentences that are labelled at once."""

Sentences = Sequence[Sequence[TokenColumns]]
Candidates = tuple[tuple[str, float], ...]
"""Labels of a token with their confidences, best first."""
SHARPEST: Final = 1_000.0
"""The largest power of confidences in a model file."""


@frozen
class Learner:
    """The functions of a learner that the tagger uses: training, predictions, confidences, and its form in a file."""

    train: Callable[[Sequence[Sample], Any, Unit, Callable[[str], None]], Any]
    predictions: Callable[[Any, Sentences], list[Prediction]]
    marginals: Callable[[Any, Sentences], list[dict[str, float]]]
    packed: Callable[[Any], tuple[dict[str, Any], dict[str, Any]]]
    unpacked: Callable[[dict[str, Any], dict[str, Any]], Any]
    settings: Callable[[], Any]
    is_known: Callable[[Any, str], bool]
    labels: Callable[[Any], tuple[str, ...]]


LEARNERS: Final[Mapping[str, Learner]] = {
    "perceptron": Learner(
        train=lambda samples, settings, unit, told: perceptron.train(samples, unit, settings, told),
        predictions=perceptron.predictions,
        marginals=perceptron.marginals,
        packed=perceptron.packed,
        unpacked=perceptron.unpacked,
        settings=perceptron.Settings,
        is_known=lambda trained, form: trained.forms.is_known(form),
        labels=lambda trained: trained.labels[1:],
    ),
    "memory": Learner(
        train=lambda samples, settings, unit, told: memory.train(samples, settings, told),
        predictions=memory.predictions,
        marginals=memory.marginals,
        packed=memory.packed,
        unpacked=memory.unpacked,
        settings=memory.Settings,
        is_known=lambda trained, form: trained.is_known(form),
        labels=lambda trained: trained.labels[1:],
    ),
}


def learner_named(name: str) -> Learner:
    """The learner of that name. Raises UsageError for an unknown one."""
    if name not in LEARNERS:
        raise UsageError(f'"{name}" is no learner\n  the learners are: {", ".join(LEARNERS)}')
    return LEARNERS[name]


@frozen
class Tagger:
    """A trained sequence labeller. `columns` is how many columns of a token it sees, the word being the first.

    Confidences are raised to the power `sharpness`, which was calibrated on held-out material, and add up to 1.
    `letter_counts` is what letters stood for in training on pronunciations, None in any other: it aligns further ones.
    """

    learner: str
    model: Any
    columns: int
    sharpness: float = 1.0
    sentences: int = 0
    tokens: int = 0
    letter_counts: LetterCounts | None = None

    def __repr__(self) -> str:
        return f"<Tagger {self.learner}: {len(self.labels)} labels, {self.tokens} tokens of training>"

    @staticmethod
    def train(
        samples: Sequence[Sample],
        learner: str = "perceptron",
        settings: Any = None,
        unit: Unit | None = None,
        calibrate: bool = True,
        told: Callable[[str], None] = lambda _: None,
    ) -> Tagger:
        """A tagger trained on labelled samples; `told` is called with lines about the progress.

        Raises DataError for material without labels or with one label, UsageError for an unknown learner,
        MissingExtraError without numpy.
        """
        require_numpy("the tagger")
        chosen = learner_named(learner)
        if len({label for sample in samples for label in sample.labels}) < 2:
            raise DataError("the material has fewer than two labels\n  there is nothing to learn")
        settings = settings if settings is not None else chosen.settings()
        unit = unit or unit_of(samples)
        sharpness = 1.0
        if calibrate and len(samples) >= 2 * HELD_OUT:
            kept = [sample for i, sample in enumerate(samples) if i % HELD_OUT]
            if len({label for sample in kept for label in sample.labels}) > 1:
                told("calibration: training without every tenth sentence")
                sharpness = _sharpness(chosen, chosen.train(kept, settings, unit, told), samples[::HELD_OUT])
                told(f"calibration: confidences to the power {sharpness}")
        model = chosen.train(samples, settings, unit, told)
        columns, tokens = len(samples[0].rows[0]), sum(len(sample.rows) for sample in samples)
        return Tagger(learner, model, columns, sharpness, len(samples), tokens)

    @staticmethod
    def load(path: str | Path) -> Tagger:
        """The tagger of a model file, or a packaged one by its name.

        Raises MissingFileError, DataError for any other file, and UsageError.
        """
        if not isinstance(path, str | Path):
            raise UsageError(f"a tagger is loaded from a file, not from {path!r}\n  name one of numbat tag train")
        require_numpy("the tagger")
        path = model_file.model_path(str(path))
        header, arrays = model_file.read_model_file(path)
        try:
            about = header["tagger"]
            model = LEARNERS[about["learner"]].unpacked(header, arrays)
            columns = len(header["symbols"]) if "symbols" in header else header["further"] + 1
            sizes = model_file.whole(about["sentences"]), model_file.whole(about["tokens"])
            sharpness, letters = (
                model_file.number(about["sharpness"], 0, SHARPEST),
                checked_counts(header.get("letters")),
            )
            return Tagger(about["learner"], model, columns, sharpness, *sizes, letters)
        except (OverflowError, KeyError, TypeError, ValueError, IndexError, AttributeError, UsageError):
            raise DataError(f"{path}: the model is damaged\n  copy or train it again") from None

    def save(self, path: str) -> int:
        """Write the model file and give its size in bytes; see `model_file.write_model_file`."""
        header, arrays = LEARNERS[self.learner].packed(self.model)
        about = {name: getattr(self, name) for name in ("learner", "sharpness", "sentences", "tokens")}
        letters = {"letters": self.letter_counts} if self.letter_counts is not None else {}
        return model_file.write_model_file(path, {**header, **letters, "tagger": about}, arrays)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that were seen in training."""
        return LEARNERS[self.learner].labels(self.model)

    def is_known(self, form: str) -> bool:
        """True if the word was seen in training."""
        return LEARNERS[self.learner].is_known(self.model, form)

    def predictions(self, sentences: Sentences) -> list[list[Prediction]]:
        """The predicted class trigram of each token of each sentence."""
        result = []
        for start in range(0, len(sentences), CHUNK):
            part = self._checked(sentences[start : start + CHUNK])
            found = iter(LEARNERS[self.learner].predictions(self.model, part))
            result += [[next(found) for _ in sentence] for sentence in part]
        return result

    def label(
        self, sentences: Sentences, inference: str = "csi", constraints: Sequence[Acceptor] = ()
    ) -> list[list[str]]:
        """One label for each token of each sentence. The caller's constraints go with `csi` only.

        Where hard ones forbid all labellings by the candidates, all labels that have any confidence are candidates.
        Raises DataError where the constraints forbid all labellings even then.
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
            tuple(dict.fromkeys([*own, *(label for label, _ in every)]))
            for own, every in zip(domains(predicted), likely, strict=True)
        ]
        return csi(predicted, constraints, wider)

    def tag(self, words: str | Sequence[str | TokenColumns], constraints: Sequence[Acceptor] = ()) -> list[str]:
        """The labels of one sentence: its words, separated by blanks or in a list, or rows of columns."""
        return self.label([_rows(words)], "csi", constraints)[0]

    def pronounce(self, word: str) -> list[str]:
        """The sounds of a word. Raises UsageError where the tagger was not trained on pronunciations."""
        if self.letter_counts is None:
            raise UsageError("this tagger was not trained on pronunciations\n  train one with --from pronunciations")
        return sounds_of(self.tag(letters_of(word)))

    def candidates(
        self, sentences: Sentences, least: float = LEAST_CONFIDENCE, most: int = MAX_CANDIDATES
    ) -> list[list[Candidates]]:
        """The likely labels of each token with calibrated confidences, at least one and at most `most` of them."""
        result = []
        for start in range(0, len(sentences), CHUNK):
            part = self._checked(sentences[start : start + CHUNK])
            found = iter(LEARNERS[self.learner].marginals(self.model, part))
            result += [[_likely(next(found), self.sharpness, least, most) for _ in sentence] for sentence in part]
        return result

    def lattice(self, words: str | Sequence[str | TokenColumns], least: float = LEAST_CONFIDENCE) -> Lattice:
        """The lattice of one sentence: an arc for each likely label, its category; all are guessed."""
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
                        "  the model sees as many columns of a token as it was trained with, without the label"
                    )
        return sentences


def infer(predicted: Sequence[Prediction], inference: str) -> list[str]:
    """The labels of a sentence by the name of the inference. Raises UsageError for an unknown one."""
    if inference == "csi":
        return csi(predicted)
    if inference not in INFERENCES:
        raise UsageError(f'"{inference}" is no inference\n  the inferences are: {", ".join(INFERENCES)}')
    return unigram(predicted) if inference == "unigram" else vote(predicted)


def all_inferences(predicted: Sequence[Prediction], gold: Sequence[str]) -> dict[str, list[str]]:
    """The labels of a sentence by every inference, the oracle among them."""
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


def _sharpness(chosen: Learner, model: Any, samples: Sequence[Sample]) -> float:
    """The power of the confidences that gives the right labels of the samples the highest likelihood."""
    predicted = chosen.marginals(model, [sample.rows for sample in samples])
    gold = [label for sample in samples for label in sample.labels]

    def negative_log_likelihood(sharpness: float) -> float:
        return -sum(
            log(max(_sharpened(shares, sharpness).get(label, 0.0), 1e-4))
            for shares, label in zip(predicted, gold, strict=True)
        )

    return min(SHARPNESS, key=negative_log_likelihood)


# Wrapped progressive sampling: a search for the best settings of a learner.
#
# All settings are tried on little material, the better ones on more, and so on (van den Bosch 2004, "Wrapped
# progressive sampling search for optimizing learning algorithm parameters").

ScoreSettings = Callable[[Sequence[Sample], Sequence[Sample], Any], float]
"""The score of settings after training on the first samples, on the second; more is better."""
SMALLEST: Final = 200
"""Sentences of the first step."""
GROWTH: Final = 2
"""Each step has so many times the sentences of the one before."""
LARGEST_SHARE: Final = 0.8
"""The share of all sentences after which the search ends."""
SEED: Final = 1
"""The seed of the order in which samples are drawn."""


def progressive_sampling(
    samples: Sequence[Sample],
    every: Sequence[Any],
    score_settings: ScoreSettings,
    budget: int,
    told: Callable[[str], None] = lambda _: None,
) -> Any:
    """The best of the settings, or the best so far when `budget` trainings are spent.

    `every` has the settings in order of preference. At each step they are trained on a sample and scored on a fourth as
    much other material; those in the best of ten equal ranges between the worst and the best score go on, at most half
    of all. Raises DataError for fewer than ten sentences.
    """
    if len(samples) < 10:
        raise DataError(f"{len(samples)} sentences are too few to choose settings by\n  give at least 10")
    order = list(samples)
    Random(SEED).shuffle(order)
    judged = order[: max(2, len(order) // 5)]
    pool, left, size = list(every), budget, min(SMALLEST, len(order) - len(judged))
    while len(pool) > 1 and left >= len(pool):
        trained = order[len(judged) : len(judged) + size]
        scores = [score_settings(trained, judged[: max(2, size // 4)], one) for one in pool]
        left -= len(pool)
        best, worst = max(scores), min(scores)
        leading = sum(score >= best - (best - worst) / 10 for score in scores)
        kept = sorted(range(len(pool)), key=lambda i: (-scores[i], i))[: max(1, min(leading, (len(pool) + 1) // 2))]
        told(f"search: {len(pool)} settings on {size} sentences, best {best:.4f}: {pool[kept[0]]}")
        pool = [pool[i] for i in kept]
        if size >= LARGEST_SHARE * len(order) - 1:
            break
        size = min(size * GROWTH, len(order) - len(judged))
    return pool[0]


def settings_to_try(learner: str) -> list[Any]:
    """The settings that are tried for a learner, the more usual ones first."""
    if learner == "perceptron":
        return [
            perceptron.Settings(epochs=epochs, margin=margin, least=least)
            for epochs, margin, least in product((10, 5, 20), (1.0, 0.0, 4.0), (2, 1, 3))
        ]
    return [
        memory.Settings(k=k, metric=metric, weighting=weighting, voting=voting)
        for metric, weighting, k, voting in product(_METRICS, WEIGHTINGS, (5, 1, 11, 25), _VOTINGS)
        if k > 1 or voting == "majority"
    ]


_METRICS: Final[tuple[memory.Metric, ...]] = ("mvdm", "overlap")
_VOTINGS: Final[tuple[memory.Voting, ...]] = ("il", "id", "ed", "majority")
