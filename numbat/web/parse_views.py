"""What an answer says of a parse: a line for a list of sentences, and all that a page shows of the chosen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numbat.gradience.models import Score
from numbat.grammar.properties import format_property
from numbat.parsing.explanation.json_format import number
from numbat.parsing.explanation.text import by_lexical_status
from numbat.parsing.explanation.violations import explain_violation, shown_features
from numbat.parsing.result import Parse
from numbat.report.pages import svg
from numbat.web.places import place_of
from numbat.words.typed import RATINGS, leading_mark

NO_WORDS = "no words"
WELL_FORMED = "well-formed"
VIOLATIONS = "violations"
FRAGMENTS = "fragments"


def status_of(parse: Parse) -> str:
    """In one word what a grammar says of a sentence: it is well-formed, or has violations, or is in fragments."""
    if not parse.constituents:
        return NO_WORDS
    if parse.is_well_formed:
        return WELL_FORMED
    return VIOLATIONS if parse.is_full or parse.grammar.is_shallow else FRAGMENTS


def row_of(typed: str, parse: Parse, score: Score | None) -> dict[str, Any]:
    """A sentence in a list: status, cost, score, number of violations, words that the lexicon does not have.

    `agrees` says whether the grammar judges as the mark before the sentence does; null for marks between good and bad.
    """
    mark, _ = leading_mark(typed)
    return {
        "typed": typed,
        "mark": mark,
        "status": status_of(parse),
        "agrees": _agrees(mark, parse),
        "summary": parse.summary(),
        "cost": number(parse.cost),
        "score": None if score is None else score.value,
        "violated": len(parse.violated),
        **_words_not_known(parse),
        "stopped_by": parse.stopped_by,
    }


def parse_view(parse: Parse, score: Score | None, all_features: bool = False) -> dict[str, Any]:
    """A parse with its drawing, its score, and each violation with its place in the grammar and its daughters.

    `parse` is the parse by the schema `numbat.parse/2`; constituents are named by their numbers there. `features` are
    the names of those that the tree shows, null where it shows all.
    """
    shown = shown_features(parse.grammar, all_features)
    said, record = explain_violation(parse), parse.to_json()
    in_pieces = len(said) - len(parse.violated)
    return {
        "rank": parse.rank,
        "status": status_of(parse),
        "summary": parse.summary(),
        "score": None if score is None else score_view(score),
        "fragments": list(said[:in_pieces]),
        "violations": _violations(parse, said[in_pieces:], record["violated"]),
        **_words_not_known(parse),
        "stopped_by": parse.stopped_by,
        "features": None if shown is None else sorted(shown),
        "svg": svg(parse, all_features, styled=False),
        "brackets": parse.to_brackets(),
        "parse": record,
    }


def score_view(score: Score) -> dict[str, Any]:
    """The value of a model with the named numbers that it is made of."""
    return {"model": score.model, "value": score.value, "parts": dict(score.parts), "factor": score.factor}


def _violations(parse: Parse, said: Sequence[str], instances: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each violated instance: what is `said` of it, its property with its place, its constituent and daughters by the
    numbers that they have in the `instances` of the parse as JSON."""
    return [
        {
            "says": says,
            "construction": each.property.construction,
            "property": format_property(each.property),
            "relation": each.property.relation,
            "constituent": instance["constituent"],
            "elements": instance["elements"],
            "cost": number(each.property.cost),
            "place": place_of(each.property),
        }
        for each, says, instance in zip(parse.violated, said, instances, strict=True)
    ]


def _words_not_known(parse: Parse) -> dict[str, list[str]]:
    found = by_lexical_status(parse.guessed)
    return {"guessed": found.get("guessed", []), "unknown": found.get("unknown", [])}


def _agrees(mark: str, parse: Parse) -> bool | None:
    rating = RATINGS.get(mark, 1.0)
    if not parse.constituents or 0.0 < rating < 1.0:
        return None
    return parse.is_well_formed == (rating == 1.0)
