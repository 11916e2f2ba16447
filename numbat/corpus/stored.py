"""Convert parses to rows of a store, which have names here where the file has numbers, and back.

A row leaves out what can be computed from the text and the tree; facts that are rarely needed are JSON in one column.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Final, NamedTuple

from numbat.errors import DataError
from numbat.evaluation.constituents import NOTHING, Characterization, Constituent
from numbat.evaluation.evaluator import Evaluator, PhraseTemplate, evaluated_phrase, instantiate
from numbat.grammar.model import Grammar, remembered
from numbat.grammar.properties import UNIT, Bundle
from numbat.parsing.analysis import (
    ConstituentRecord,
    InstanceRecord,
    Outcome,
    ParseRecord,
    analysis_of,
)
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.settings import mapping_of
from numbat.settings import record_of as record_from
from numbat.words.lattice import Place

OF_MANNER: Final = ("engine", "profile", "election", "valuation", "granularity")
"""Fields of an outcome whose values most sentences of a run have in common, in the order of the schema."""
PLACED: Final = frozenset(
    (*OF_MANNER, "fragment_cost", "count", "rank", "rounds", "why_partial", "stopped_by", "log_likelihood")
) | {"best_cost", "least_cost"}
"""Fields of an outcome that have a column in the schema; other fields go into `Rest`, by name."""


class StoredSentence(NamedTuple):
    """The best parse of a sentence. The last seven fields are lists with an entry for each constituent, in preorder.

    `ups` says how far before it the mother is (0: none), `below` how many constituents are below; `features` are JSON.
    `whats` has the form of a word, or the property instances in a phrase: `17:0 18:1 !21:0,1` are numbers of properties
    and daughters, with `!` before violated ones. Costs are integers, in millionths. `manner` has the fields `OF_MANNER`
    as JSON, `rest` is a `Rest` as JSON.
    """

    name: str
    text: str
    length: int
    cost: int
    full: bool
    stopped_by: str | None
    metadata: str
    manner: str
    fragments: int
    trees: int
    rounds: int
    log_likelihood: float | None
    best_cost: int | None
    rest: str | None
    categories: Sequence[str]
    starts: Sequence[int]
    lengths: Sequence[int]
    ups: Sequence[int]
    below: Sequence[int]
    features: Sequence[str]
    whats: Sequence[str]


TokensAndMarks = tuple[tuple[str, ...], tuple[Place, ...], tuple[str, ...], tuple[int, ...], tuple[Place, ...]]
"""Tokens, where each is in the text, skipped marks, the number of tokens before each mark, where each mark is."""


@frozen
class Rest:
    """Facts about a parse that do not follow from its text and rows.

    `guessed` has a bit for each guessed word, in hexadecimal; `lexical` has lexical costs by number of the word,
    `covers` the covers of discontinuous constituents by number, in hexadecimal; `outcome` has the fields of the outcome
    that are not `PLACED`.
    """

    lattice: TokensAndMarks | None = None
    guessed: str = "0"
    lexical: Mapping[str, int] = field(default_factory=dict)
    covers: Mapping[str, str] = field(default_factory=dict)
    why: str = ""
    least: int | None = None
    rank: int = 1
    outcome: Mapping[str, Any] = field(default_factory=dict)


def stored_sentence(parse: Parse, name: str, metadata: Mapping[str, str]) -> StoredSentence:
    """Return a parse as rows, with the name and metadata of its sentence."""
    outcome, lattice = parse.outcome, parse.lattice
    walked = list(parse.walk())
    bundles, texts = _known(parse.grammar)
    starts, lengths, features, whats = [], [], [], []
    below, ups = [0] * len(walked), [0] * len(walked)
    covers: dict[str, str] = {}
    for number, constituent in enumerate(walked):
        cover = constituent.cover
        start = (cover & -cover).bit_length() - 1
        length = cover.bit_length() - start
        starts.append(start)
        lengths.append(length)
        if cover.bit_count() != length:
            covers[str(number)] = f"{cover:x}"
        known = bundles.get(constituent.features)
        features.append(
            bundles.setdefault(constituent.features, _json(dict(constituent.features))) if known is None else known
        )
        is_phrase = bool(constituent.daughters)
        whats.append(_instances(constituent.characterization, parse, texts) if is_phrase else constituent.form)
    for number in range(len(walked) - 1, -1, -1):
        at = number + 1
        for _ in walked[number].daughters:
            ups[at] = at - number
            at += below[at] + 1
        below[number] = at - number - 1
    best = outcome.best_cost
    return StoredSentence(
        name,
        parse.sentence,
        len(lattice.tokens),
        sum(top.cost_units for top in parse.constituents)
        + outcome.fragment_cost,  # equal to `Parse.cost_units`, which would walk through the tree again
        parse.is_full,
        outcome.stopped_by,
        _json(dict(sorted(metadata.items()))),
        _json([getattr(outcome, name) for name in OF_MANNER]),
        outcome.fragment_cost,
        outcome.count,
        outcome.rounds,
        outcome.log_likelihood,
        None if best is None else round(best * UNIT),
        _rest(parse, walked, covers),
        [constituent.construction for constituent in walked],
        starts,
        lengths,
        ups,
        below,
        features,
        whats,
    )


@remembered
def _known(grammar: Grammar) -> tuple[dict[Bundle, str], dict[int, tuple[Characterization, str]]]:
    """Return two empty caches: texts of feature bundles, and texts of characterizations, kept alive, by identity."""
    return {}, {}


MAX_KNOWN: Final = 50_000


def _instances(both: Characterization, parse: Parse, texts: dict[int, tuple[Characterization, str]]) -> str:
    known = texts.get(id(both))
    if known is not None and known[0] is both:
        return known[1]
    pieces = []
    for mark, instances in (("", both.satisfied), ("!", both.violated)):
        for instance in instances:
            daughters = ":" + ",".join(map(str, instance.elements)) if instance.elements else ""
            pieces.append(f"{mark}{parse.number_of(instance.property)}{daughters}")
    text = " ".join(pieces)
    if len(texts) >= MAX_KNOWN:
        texts.clear()
    texts[id(both)] = both, text
    return text


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _rest(parse: Parse, walked: Sequence[Constituent], covers: dict[str, str]) -> str | None:
    """Return a `Rest` as JSON; None if it is empty."""
    lattice, words = parse.lattice, [constituent for constituent in walked if constituent.is_word]
    words.sort(key=lambda word: word.start)
    forms = [word.form for word in words]
    usual, outcome = _usual(parse.sentence, forms), parse.outcome
    given = (lattice.tokens, lattice.places, lattice.skipped, lattice.gaps, lattice.skipped_places)
    rest = mapping_of(
        Rest(
            None if usual == given else given,
            f"{sum(1 << i for i, word in enumerate(words) if word.guessed):x}",
            {str(i): word.lexical_cost_units for i, word in enumerate(words) if word.lexical_cost_units},
            covers,
            outcome.why_partial,
            None if outcome.least_cost is None else round(outcome.least_cost * UNIT),
            outcome.rank,
            {name: value for name, value in mapping_of(outcome).items() if name not in PLACED},
        )
    )
    return _json(rest) if rest else None


MARK: Final = re.compile(r"(\S)\1*")
"""Pattern for a mark between two words: one character, or the same one several times."""


def _usual(text: str, forms: Sequence[str]) -> TokensAndMarks:
    """Return tokens and marks of a text as they are if every word is one token and only marks are between words."""
    places: list[Place] = []
    marks: list[str] = []
    gaps: list[int] = []
    of_marks: list[Place] = []
    at = 0

    def between(end: int) -> None:
        for match in MARK.finditer(text, at, end):
            marks.append(match[0])
            gaps.append(len(places))
            of_marks.append(match.span())

    for form in forms:
        start = text.find(form, at)
        if start < 0:
            return (), (), (), (), ()
        between(start)
        places.append((start, start + len(form)))
        at = start + len(form)
    between(len(text))
    return tuple(forms), tuple(places), tuple(marks), tuple(gaps), tuple(of_marks)


# The way back: from rows to a record, and from a record to a parse by evaluating its tree again


def record_of(stored: StoredSentence, name: str, digest: str) -> ParseRecord:
    """Return a stored sentence as the record of a parse; `name` and `digest` are those of its grammar.

    Raises LookupError, TypeError or ValueError if parts of the sentence do not fit together, and UsageError for unknown
    fields.
    """
    rest = record_from(Rest, json.loads(stored.rest), "it") if stored.rest else Rest()
    number_of = range(len(stored.categories))
    words = sorted((i for i in number_of if not stored.below[i]), key=stored.starts.__getitem__)
    guessed, costs, covers = int(rest.guessed, 16), rest.lexical, rest.covers
    word_at = {node: i for i, node in enumerate(words)}
    lattice = rest.lattice or _usual(stored.text, [stored.whats[i] for i in words])
    daughters = [0] * len(stored.categories)
    for node in number_of:
        if up := stored.ups[node]:
            daughters[node - up] += 1
    made = []
    for node in number_of:
        start, length, below = stored.starts[node], stored.lengths[node], stored.below[node]
        cover = int(covers[str(node)], 16) if str(node) in covers else ((1 << length) - 1) << start
        bundle: Bundle = tuple(json.loads(stored.features[node]).items())
        if below:
            both = read_instances(stored.whats[node])
            made.append(ConstituentRecord(stored.categories[node], cover, bundle, daughters[node], *both))
        else:
            at = word_at[node]
            cost, is_guessed = costs.get(str(at), 0), bool(guessed >> at & 1)
            made.append(
                ConstituentRecord(
                    stored.categories[node],
                    cover,
                    bundle,
                    form=stored.whats[node],
                    guessed=is_guessed,
                    lexical_cost=cost,
                )
            )
    tokens, places, skipped, gaps, marks = lattice
    return ParseRecord(
        name, digest, tokens, skipped, stored.text, gaps, places, marks, tuple(made), _outcome(stored, rest)
    )


def _outcome(stored: StoredSentence, rest: Rest) -> Outcome:
    placed = {
        **dict(zip(OF_MANNER, json.loads(stored.manner), strict=True)),
        "fragment_cost": stored.fragments,
        "count": stored.trees,
        "rank": rest.rank,
        "rounds": stored.rounds,
        "why_partial": rest.why,
        "stopped_by": stored.stopped_by,
        "log_likelihood": stored.log_likelihood,
        "best_cost": None if stored.best_cost is None else stored.best_cost / UNIT,
        "least_cost": None if rest.least is None else rest.least / UNIT,
    }
    return record_from(Outcome, {**rest.outcome, **placed}, "its outcome")


def read_instances(text: str) -> tuple[tuple[InstanceRecord, ...], tuple[InstanceRecord, ...]]:
    """Return the satisfied and the violated instances of a phrase. Raises ValueError for a malformed text."""
    satisfied: list[InstanceRecord] = []
    violated: list[InstanceRecord] = []
    for instance in text.split():
        number, _, daughters = instance.lstrip("!").partition(":")
        record = InstanceRecord(int(number), tuple(map(int, daughters.split(","))) if daughters else ())
        (violated if instance[0] == "!" else satisfied).append(record)
    return tuple(satisfied), tuple(violated)


def evaluated_again(record: ParseRecord, grammar: Grammar, evaluator: Evaluator) -> Parse:
    """Return the parse that a record describes: its phrases are built again from the words, and evaluated.

    Raises DataError if evaluation differs from the record, or if parts of the record do not fit together.
    """
    built: list[Constituent] = []
    table = evaluator.table
    try:
        for node in reversed(record.constituents):
            if not node.daughters:
                cost, word = node.lexical_cost, (node.form, node.guessed)
                built.append(
                    Constituent(node.construction, node.cover, node.features, 0, *word, (), NOTHING, cost, 0, cost)
                )
                continue
            daughters = tuple(built.pop() for _ in range(node.daughters))
            form = table.constructions.get(node.construction)
            if form is None:
                template = PhraseTemplate((), NOTHING, 0, -table.grammar.node_cost_units)
                built.append(instantiate(node.construction, daughters, template))
            else:
                built.append(evaluated_phrase(form, daughters, evaluator))
    except IndexError as error:
        raise DataError(
            f"the parts of this parse do not fit together: {error!r}\n  use the output of Numbat unchanged"
        ) from None
    plain = analysis_of(Parse, record, grammar)
    parse = Parse(grammar, plain.lattice, tuple(reversed(built)), record.outcome)
    if any(map(_differ, parse.walk(), plain.walk())):
        raise DataError("its tree now has other properties than when it was parsed")
    return parse


def _differ(one: Constituent, other: Constituent) -> bool:
    return (one.construction, one.cover, one.features) != (other.construction, other.cover, other.features) or (
        one.characterization.parts[:2] != other.characterization.parts[:2]
    )
