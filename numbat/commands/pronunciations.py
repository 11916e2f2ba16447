"""Trains taggers on words with their pronunciations and scores them: letters are the tokens, sounds the labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from numbat.errors import DataError, Problem, Span, UsageError, counted, data_error, shortened
from numbat.files import shown, text_of
from numbat.records import frozen
from numbat.sequence.pronunciations import (
    MOST_SOUNDS,
    LetterCounts,
    Pronunciation,
    aligned,
    learned_counts,
    read_pronunciations,
    sounds_of,
)
from numbat.sequence.tagger import Tagger, all_inferences
from numbat.sequence.token_files import LabellingScore, Sample


def aligned_samples(path: str, told: Callable[[str], None]) -> tuple[list[Sample], LetterCounts]:
    """The words of a list as samples of letters labelled with sounds, and what the letters stand for in it.

    Words with more sounds than their letters can stand for are left out, of which `told` is called with the number.
    """
    entries = read_pronunciations(text_of(path), shown(path))
    pairs = [(entry.letters, entry.sounds) for entry in entries]
    counts = learned_counts(pairs)
    samples, without = [], []
    for entry, labels in zip(entries, aligned(pairs, counts), strict=True):
        if labels:
            samples.append(entry.sample(labels))
        else:
            without.append(entry)
    if without:
        left = f"{counted(len(without), 'pronunciation')} of {len(entries):,} left out, {_too_many(without)}"
        if not samples:
            raise DataError(f"{shown(path)}: {left}\n  no word is left: is each line a word and its sounds?")
        told(f"alignment: {left}")
    return samples, counts


def _too_many(entries: Sequence[Pronunciation]) -> str:
    first = entries[0]
    return f"with more than {MOST_SOUNDS} sounds a letter, such as {shortened(first.word)} in line {first.line}"


def words_to_pronounce(tagger: Tagger, path: str) -> list[Sample]:
    """The words of a list as samples without labels. Raises UsageError for a tagger of anything else than letters."""
    check_pronounces(tagger)
    return [entry.sample() for entry in read_pronunciations(text_of(path), shown(path), with_sounds=False)]


def check_pronounces(tagger: Tagger) -> None:
    """Raises UsageError where the tagger was not trained on pronunciations."""
    if tagger.letter_counts is None:
        raise UsageError(
            "the model was not trained on pronunciations\n"
            "  train one with --from pronunciations, or name the form of the file"
        )


@frozen
class PronunciationScores:
    """Scores by inference, of which tokens are letters and sentences are words.

    No letter is counted of the words that are `unaligned`: no alignment of a pronunciation of theirs is known.
    """

    by_inference: dict[str, LabellingScore]
    unaligned: tuple[Pronunciation, ...]

    def notes(self) -> Iterator[str]:
        """What is to be said about words whose letters are not counted."""
        if self.unaligned:
            few = counted(len(self.unaligned), "word")
            yield f"no letters are counted of {few} {_too_many(self.unaligned)}"


def score_pronunciations(tagger: Tagger, path: str, strict: bool) -> PronunciationScores:
    """The scores of every inference, the oracle among them, on a list of words with their sounds.

    A word is right if it gets one of its pronunciations, a letter if it has the label of an alignment with that which
    agrees best. If `strict`, a sound that was not seen in training raises DataError with its line.
    """
    check_pronounces(tagger)
    entries = read_pronunciations(text_of(path), shown(path))
    if strict:
        _check_known_sounds(entries, tagger, shown(path))
    found = aligned([(entry.letters, entry.sounds) for entry in entries], tagger.letter_counts or {})
    words: dict[tuple[str, ...], list[tuple[Pronunciation, list[str]]]] = {}
    for entry, labels in zip(entries, found, strict=True):
        words.setdefault(entry.letters, []).append((entry, labels))
    said = tagger.predictions([[(letter,) for letter in letters] for letters in words])
    counts: dict[str, list[tuple[int, int, bool]]] = {}
    for predicted, (letters, several) in zip(said, words.items(), strict=True):
        every = [(entry, labels, all_inferences(predicted, labels or letters)) for entry, labels in several]
        for name in every[0][2]:
            right = any(tuple(sounds_of(inferred[name])) == entry.sounds for entry, _, inferred in every)
            hits = [
                sum(one == two for one, two in zip(labels, inferred[name], strict=True))
                for _, labels, inferred in every
                if labels
            ]
            counts.setdefault(name, []).append((len(letters) if hits else 0, max(hits, default=0), right))
    unaligned = tuple(several[0][0] for several in words.values() if not any(labels for _, labels in several))
    return PronunciationScores({name: _score(each) for name, each in counts.items()}, unaligned)


def _score(words: Sequence[tuple[int, int, bool]]) -> LabellingScore:
    """The score by the letters of each word, the right ones among them, and whether its sounds are right."""
    letters, right, whole = zip(*words, strict=True)
    return LabellingScore(tokens=sum(letters), right=sum(right), sentences=len(words), sentences_right=sum(whole))


def _check_known_sounds(entries: Sequence[Pronunciation], tagger: Tagger, path: str) -> None:
    known = set(sounds_of(tagger.labels))
    if known.isdisjoint(sound for entry in entries for sound in entry.sounds):
        here, there = (", ".join(names[:3]) for names in (entries[0].sounds, sorted(known)))
        raise DataError(
            f"{path}: no sound of this file was seen in training\n"
            f"  it has sounds such as {here}, the model others such as {there}"
        )
    problems = [
        Problem(
            f'the sound "{shortened(sound)}" of "{shortened(entry.word)}" was not seen in training',
            Span(path, entry.line, 1),
            hint="correct it, or count it as a mistake with --unseen count",
        )
        for entry in entries
        for sound in dict.fromkeys(entry.sounds)
        if sound not in known
    ]
    if problems:
        raise data_error(*problems)
