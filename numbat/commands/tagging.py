"""`numbat tag`: train, run and score a tagger; and the lattices that `numbat parse --tagger` reads."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING, Any, Final

from numbat.commands.reading import Sentence, tag_map_of
from numbat.errors import DataError, UsageError
from numbat.files import shown, text_of
from numbat.sequence import search
from numbat.sequence.columns import Layout, Row, Sample, check_labels, form_of, read_samples, with_labels
from numbat.sequence.features import unit_of
from numbat.sequence.scoring import Score, has_chunks, score
from numbat.sequence.tagger import CHUNK, LEARNERS, LEAST_CONFIDENCE, Tagger, all_inferences, learner_named
from numbat.words.lattice import Arc, Lattice
from numbat.words.lexical_lookup import Words, arcs_of
from numbat.words.tag_maps import TagMap, identity_map, tagged_lattice
from numbat.words.tokens import spelled

if TYPE_CHECKING:
    from numbat.sequence.features import Unit

Told = Callable[[str], None]


def samples_of(path: str, form: str | None, field: str) -> list[Sample]:
    """The labelled sentences of a file; its form, if none is given, goes by its name."""
    return read_samples(text_of(path), shown(path), Layout(_form(path, form), True, field))


def _form(path: str, form: str | None) -> Any:
    return form or form_of(path)


def _option(name: str) -> str:
    """A setting as it is typed."""
    return {"k": "-k", "search": "--search-in"}.get(name, f"--{name}")


def train(
    path: str,
    form: str | None,
    field: str,
    learner: str,
    unit: Unit | None,
    chosen: dict[str, Any],
    budget: int,
    told: Told,
) -> Tagger:
    """A tagger from the labelled sentences of a file.

    `chosen` are settings of the learner; with a `budget` of trainings above 0 the settings are searched.
    """
    settings = learner_named(learner).settings()
    for name in chosen:
        if not hasattr(settings, name):
            (other,) = (each for each in LEARNERS if each != learner)
            raise UsageError(
                f"{_option(name)} is no setting of the learner {learner}\n  leave it out, or add --learner {other}"
            )
    settings = replace(settings, **chosen)
    if "decay" in chosen and chosen.get("voting", "ed" if budget else settings.voting) != "ed":
        raise UsageError("--decay is that of --voting ed\n  add it, or leave --decay out")
    samples = samples_of(path, form, field)
    if budget:
        every = [replace(one, **chosen) for one in search.choices(learner)]
        settings = search.progressive(samples, list(dict.fromkeys(every)), evaluation(learner, unit), budget, told=told)
        told(f"search: chosen {settings}")
    return Tagger.train(samples, learner, settings, unit or unit_of(samples), told=told)


def evaluation(learner: str, unit: Unit | None) -> search.Evaluate:
    """How settings are judged: F of chunks where the labels are those of chunks, else the share of right tokens."""

    def evaluate(trained: Sequence[Sample], judged: Sequence[Sample], settings: Any) -> float:
        try:
            tagger = Tagger.train(trained, learner, settings, unit, calibrate=False)
        except DataError:
            return 0.0
        gold = [sample.labels for sample in judged]
        found = score(gold, tagger.label([sample.rows for sample in judged]))
        return found.f1 if has_chunks(tagger.labels) else found.accuracy

    return evaluate


def run(tagger: Tagger, path: str, form: str | None, field: str, inference: str) -> Iterator[str]:
    """The sentences of a file with the labels of the tagger, each as a text that ends with what parts sentences."""
    text = text_of(path)
    layout = Layout(_form(path, form), False, field)
    if layout.form == "columns":
        layout = replace(layout, labelled=_columns_of(text) == tagger.columns + 1)
        layout = replace(layout, columns=tagger.columns + layout.labelled)
    samples = read_samples(text, shown(path), layout)
    for sample, labels in zip(samples, _labelled(tagger, samples, inference), strict=True):
        yield with_labels(sample, labels, layout)


def _columns_of(text: str) -> int:
    """How many columns the first line has."""
    line = next((line for line in text.split("\n") if line.strip()), "")
    return len(line.strip().split("\t" if "\t" in text else None))


def _labelled(tagger: Tagger, samples: Sequence[Sample], inference: str) -> Iterator[list[str]]:
    for start in range(0, len(samples), CHUNK):
        yield from tagger.label([sample.rows for sample in samples[start : start + CHUNK]], inference)


def score_model(tagger: Tagger, path: str, form: str | None, field: str, strict: bool) -> dict[str, Score]:
    """The scores of every inference, the oracle among them, on a labelled file.

    If `strict`, a label that was not seen in training raises DataError with its line; else it counts as a mistake.
    """
    samples = samples_of(path, form, field)
    if strict:
        check_labels(samples, tagger.labels, shown(path))
    said = tagger.predictions([sample.rows for sample in samples])
    gold = [sample.labels for sample in samples]
    known = [[tagger.is_known(row[0]) for row in sample.rows] for sample in samples]
    found = [all_inferences(predicted, labels) for predicted, labels in zip(said, gold, strict=True)]
    return {name: score(gold, [labels[name] for labels in found], known) for name in found[0]}


def score_lines(scores: dict[str, Score], chunks: bool) -> Iterator[str]:
    """A table with a row for each inference."""
    titles = ["inference", "tokens", "unknown words", "whole sentences"]
    yield "\t".join([*titles, *(["precision", "recall", "F"] if chunks else [])])
    for name, one in scores.items():
        shares = [one.accuracy, one.unknown_accuracy if one.unknown else None, one.sentence_accuracy]
        shares += [one.precision, one.recall, one.f1] if chunks else []
        yield "\t".join([name, *("-" if share is None else f"{100 * share:.2f}" for share in shares)])


# Tags for the parser


@dataclass(frozen=True, slots=True)
class Guesser:
    """A tagger for words that the lexicon of a grammar does not have, and what its labels are in the grammar.

    If `best`, the one label of the inference counts, else every likely one with its confidence, to the power `trust`.
    """

    tagger: Tagger
    tag_map: TagMap
    words: Words
    best: bool = False
    trust: float = 1.0

    def __post_init__(self) -> None:
        if self.tagger.columns != 1:
            raise UsageError("the model wants further columns beside the word\n  train one on words and labels alone")

    def sentences(self, every: Iterable[Sentence | DataError]) -> Iterator[Sentence | DataError]:
        """The sentences with the tagger's categories; errors pass through."""
        for sentence in every:
            if isinstance(sentence, DataError):
                yield sentence
            else:
                yield replace(sentence, lattice=self.lattice(sentence.lattice))

    def lattice(self, lattice: Lattice) -> Lattice:
        """The lattice with arcs of the lexicon for the words that it has, and of the tagger for all others."""
        return self.informed(lattice, self.likely(lattice))

    def likely(self, lattice: Lattice) -> list[Sequence[tuple[str, float]]]:
        """The likely labels of each token, with their confidence; among the marks that were skipped."""
        if not lattice.tokens:
            return []
        forms, places = with_marks(lattice)
        rows: list[Row] = [(form,) for form in forms]
        found: Sequence[Sequence[tuple[str, float]]]
        if self.best:
            found = [((label, 1.0),) for label in self.tagger.label([rows])[0]]
        else:
            found = self.tagger.candidates([rows])[0]
        return [found[place] for place in places]

    def informed(self, lattice: Lattice, likely: Sequence[Sequence[tuple[str, float]]]) -> Lattice:
        """The lattice with what the likely labels say of words that the lexicon does not have."""
        arcs = [arc for arc in lattice.arcs if arc.end - arc.start > 1 and not arc.guessed]
        for i, token in enumerate(lattice.tokens):
            known = self._known(i, token)
            arcs += self._weighed(known, likely[i]) if known else self._guessed(i, token, likely[i])
        return replace(lattice, arcs=tuple(sorted(arcs, key=lambda arc: (arc.start, arc.end))))

    def _known(self, start: int, token: str) -> list[Arc]:
        return arcs_of(start, start + 1, token, self.words.known(spelled(token)))

    def _weighed(self, known: list[Arc], likely: Sequence[tuple[str, float]]) -> list[Arc]:
        """Arcs of the lexicon, beside expansions with the confidences of the tagger where its labels are categories."""
        confidences = dict(likely)
        if (
            self.trust == 1.0
            or not self.tag_map.is_identity
            or confidences.keys().isdisjoint(a.category for a in known)
        ):
            return known
        return [
            arc._replace(log_weight=self.trust * log(confidences.get(arc.category, LEAST_CONFIDENCE))) for arc in known
        ]

    def _guessed(self, start: int, token: str, likely: Sequence[tuple[str, float]]) -> list[Arc]:
        """An arc for each category and bundle that the labels stand for; labels of skipped marks do not count."""
        best: dict[tuple[str, Any], Arc] = {}
        for label, confidence in likely:
            for arc in tagged_lattice([(token, label)], self.tag_map, self.words, lenient=True).arcs:
                log_weight = arc.log_weight + self.trust * log(confidence)
                weighed = arc._replace(start=start, end=start + 1, log_weight=log_weight, guessed=True)
                key = arc.category, arc.features
                if key not in best or weighed.log_weight > best[key].log_weight:
                    best[key] = weighed
        if best:
            return list(best.values())
        return arcs_of(start, start + 1, token, self.words.guessed(token), guessed=True)


BESIDE_EXPANSIONS: Final = 2.0
"""How much the tagger is to be trusted where expansions have a say in tags: it was best on the development trees of
the English Web Treebank, as a tagger sees the words to both sides and expansions do not."""


def guesser(model: str, tag_map: str | None, words: Words, best: bool, trust: float = 1.0) -> Guesser:
    """The guesser of a model file or of a packaged model; without a tag map, labels that are all categories of the
    grammar are those, and others are mapped as the tags of a treebank are.

    Raises UsageError where most labels are no categories then.
    """
    tagger = Tagger.load(model)
    grammar = words.grammar
    categories = set(grammar.categories)
    own = tag_map is None and categories.issuperset(tagger.labels)
    mapped = identity_map(grammar, ()) if own else tag_map_of(tag_map, grammar)
    made = Guesser(tagger, mapped, words, best, trust)
    strange = [label for label in tagger.labels if mapped.readings(label) is None]
    if 2 * len(strange) > len(tagger.labels):
        where = "" if mapped.is_identity else f" and {mapped.path} does not map them"
        raise UsageError(
            f"most labels of the model, such as {', '.join(strange[:3])}, are no categories of the grammar{where}\n"
            "  map them with --tag-map FILE, or train on the tags of such a map"
        )
    return made


def with_marks(lattice: Lattice) -> tuple[list[str], list[int]]:
    """The tokens of a lattice among the marks that were skipped between them, and where among these they are."""
    forms: list[str] = []
    places: list[int] = []
    taken = 0
    for number, token in enumerate(lattice.tokens):
        before = bisect_right(lattice.gaps, number)
        forms += lattice.skipped[taken:before]
        taken = before
        places.append(len(forms))
        forms.append(token)
    return [*forms, *lattice.skipped[taken:]], places
