"""Looks up a word in a grammar: its readings, their prices, and the counts behind its frames."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from numbat.errors import UsageError, close_match
from numbat.files import composed, lines_of, packaged_files
from numbat.grammar.cache import forms_of
from numbat.grammar.model import Grammar, Reading
from numbat.grammar.names import quoted
from numbat.grammar.properties import ABSENT, Demand, Property
from numbat.records import frozen


@frozen
class FrameCounts:
    """A line of counts behind a lexicon: lemma, uses, counts of frames, sources that name frames, features added."""

    lemma: str
    uses: str
    counts: str = ""
    sources: str = ""
    features: str = ""


@frozen
class KnownWord:
    """A word of a grammar: its readings, each with prices that ask for its features, and the counts behind them."""

    word: str
    readings: tuple[tuple[Reading, tuple[Property, ...]], ...]
    evidence: tuple[FrameCounts, ...]


def known_word(grammar: Grammar, word: str) -> KnownWord:
    """Return what a grammar knows of a word of its lexicon. Raises UsageError for another word."""
    word = " ".join(composed(word).split())
    forms = forms_of(grammar.lexicon)
    if word not in forms:
        hint = close_match(word, forms) or "numbat parse shows what is guessed for words that it does not have"
        raise UsageError(f"{quoted(word)} is not in the lexicon of the grammar\n  {hint}")
    readings = grammar.lexicon[forms.index(word)].readings
    lemmas = {reading.lemma or word for reading in readings}
    lines = lines_of(str(path)) if (path := counts_of(grammar)) else []
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    evidence = tuple(FrameCounts(*row) for row in rows if row[0] in lemmas)
    return KnownWord(word, tuple((reading, tuple(prices_of(grammar, reading))) for reading in readings), evidence)


def counts_of(grammar: Grammar) -> Path | None:
    """Return the file of counts behind a lexicon, `.counts` beside the grammar or among the models, or None."""
    if not grammar.files:
        return None
    beside = Path(grammar.files[0]).with_suffix(".counts")
    return next(
        (path for path in (beside, *packaged_files(".counts")) if path.name == beside.name and path.is_file()), None
    )


def prices_of(grammar: Grammar, reading: Reading) -> Iterator[Property]:
    """Yield the prices that ask for features of a reading."""
    features = dict(reading.features)
    for price in grammar.prices:
        asked = (operand for operand in price.all_operands() if operand.category == reading.category)
        if any(has_all(features, operand.features) for operand in asked if operand.features):
            yield price


def has_all(features: Mapping[str, Collection[str]], demanded: Demand) -> bool:
    """True if each demanded feature may have one of its values; `ABSENT` demands that it is missing."""
    return all({*features.get(name, (ABSENT,))} & {*values} for name, values in demanded)
