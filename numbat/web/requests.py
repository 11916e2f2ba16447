"""What a page may ask: the records that a request is made of, with the value that each field has where nobody asks.

{"call": "parse", "grammar": {"main": "my.pg", "files": {"my.pg": "leaves: ..."}}, "given": {"sentence": "a b"}}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from numbat.parsing.policies import ParserSettings
from numbat.records import frozen
from numbat.settings import settings_of

SCHEMA: Final = "numbat.web/1"
"""The version of requests and answers."""
LONGEST_SENTENCE: Final = 2_000
"""Characters of a sentence; a longer one is refused before it is parsed."""
MOST_SENTENCES: Final = 2_000
"""Sentences of one request."""
OF_PAGE: Final = tuple(each.name for each in settings_of(ParserSettings) if each.metadata.get("page"))
"""Settings of a parser that a request has."""
MOST_SECONDS: Final = 60.0
"""Seconds that a request may ask for."""


@frozen
class GrammarText:
    """A grammar as the texts of its files.

    `main` is the name of its first file, or of a packaged grammar. `files` has texts by name: of the first file, of
    those that it includes, of lexicon files. A name that has no text here is one of the files that come with Numbat.
    """

    main: str = "english"
    files: Mapping[str, str] = field(default_factory=dict)


@frozen
class Strength:
    """Another cost or weight for all properties of a relation, or for one property that is written `NP: Det < N`."""

    relation: str | None = None
    property: str | None = None
    cost: float | None = None
    weight: float | None = None


@frozen
class Settings:
    """How sentences are parsed and scored: a gradience model, settings of the parser, other numbers.

    The settings of the parser stand among the others in a request.
    `fragment_cost` and `strengths` take the place of what the grammar says; of two strengths the later one counts.
    `seconds` is the limit of the work on sentences: to read a grammar takes as long as it takes.
    """

    model: str = "cost"
    parser: ParserSettings = field(default=ParserSettings(), metadata={"inlined": OF_PAGE})
    fragment_cost: float | None = None
    strengths: tuple[Strength, ...] = ()
    seconds: float = 5.0


@frozen
class Request:
    """A call by its name, the grammar, the settings, and what this call is `given`."""

    call: str
    grammar: GrammarText = GrammarText()
    settings: Settings = Settings()
    given: Mapping[str, Any] = field(default_factory=dict)


@frozen
class Nothing:
    """What a call takes that is about the grammar alone."""


@frozen
class PackagedName:
    """The name of a packaged grammar."""

    name: str


@frozen
class Sentences:
    """Sentences as they were typed; a judgement mark may stand before each: `* The cat sleep.`"""

    sentences: tuple[str, ...]


@frozen
class OneSentence:
    """A sentence, how many parses of it are wanted, and whether trees show all features."""

    sentence: str
    n: int = 1
    all_features: bool = False


@frozen
class ConstituentOfSentence:
    """A sentence and a constituent that it might have, as `0-3:NP` or `the cat:NP`."""

    sentence: str
    constituent: str


@frozen
class TwoSentences:
    """Two sentences to be compared."""

    one: str
    other: str


@frozen
class SentenceToRepair:
    """A sentence, how many words may be changed in it, and how many proposals are wanted."""

    sentence: str
    edits: int = 1
    most: int = 5


@frozen
class SuiteText:
    """The text of a suite: a starred list, or a table whose first line names its columns; `name` stands in messages."""

    text: str
    name: str = "suite.tsv"


@frozen
class ExerciseText:
    """The text of an exercise with the name of its file; without a text it is a packaged exercise of this name."""

    name: str
    text: str | None = None


@frozen
class TreeFile:
    """A sentence, which of its parses is wanted, and in which form: `svg` or `latex`."""

    sentence: str
    rank: int = 1
    form: str = "svg"


@frozen
class SentencesToMake:
    """How many sentences are to be made, by which random numbers, and which property each has to violate."""

    number: int = 10
    seed: int = 0
    violated: str | None = None
