"""Calls about a grammar: the packaged ones, mistakes and doubts, what it holds, sentences from it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from numbat.commands.grammars import abouts, generate_sentences, judged
from numbat.gradience.models import MODELS
from numbat.grammar.digest import digest
from numbat.grammar.model import Construction, relations_of
from numbat.grammar.properties import format_operands, format_property
from numbat.parsing.explanation.json_format import number
from numbat.web.calls.of_exercises import titles
from numbat.web.grammar_texts import packaged_texts
from numbat.web.parse_views import row_of
from numbat.web.places import place_of, problem_view
from numbat.web.requests import Nothing, PackagedName, SentencesToMake
from numbat.web.session import Session


def grammars(session: Session, given: Nothing) -> dict[str, Any]:
    """The grammars that come with Numbat, each with what it says of itself; the exercises, and the gradience models."""
    listed = [{"name": name, "about": about} for name, about in abouts().items()]
    return {"grammars": listed, "exercises": titles(), "models": list(MODELS)}


def packaged(session: Session, given: PackagedName) -> dict[str, Any]:
    """A packaged grammar as the text of its first file, to start from."""
    text = packaged_texts(given.name)
    return {"main": text.main, "files": dict(text.files)}


def check(session: Session, given: Nothing) -> dict[str, Any]:
    """All mistakes of a grammar, or else all doubts about it, each with its place and what to do."""
    found = judged(Path(session.request.grammar.main), session.loaded, session.go_on)
    grammar = found.grammar
    return {
        "errors": len(found.errors),
        "warnings": len(found.warnings),
        "problems": [problem_view(each) for each in (*found.errors, *found.warnings)],
        "title": grammar.title,
        "constructions": len(grammar.constructions),
        "properties": len(grammar.properties),
        "forms": len(grammar.lexicon),
    }


def ready(session: Session, given: Nothing) -> dict[str, Any]:
    """Reads a grammar so that it is soon read again after an edit; ends as soon as anything else is asked."""
    session.get_ready_for_edits()
    return {}


def show(session: Session, given: Nothing) -> dict[str, Any]:
    """What a grammar holds: categories, features, relations with their use, constructions with their properties."""
    grammar = session.grammar
    used = Counter(prop.relation for prop in grammar.properties)
    return {
        "name": grammar.name,
        "title": grammar.title,
        "language": grammar.language,
        "digest": digest(grammar),
        "fragment_cost": number(grammar.fragment_cost),
        "roots": format_operands(grammar.roots) if grammar.roots else "",
        "leaves": list(grammar.leaves),
        "features": [{"name": name, "values": list(values)} for name, values in grammar.features],
        "relations": [
            {"name": name, "symbol": relation.symbol, "properties": used[name]}
            for name, relation in relations_of(grammar).items()
        ],
        "constructions": [_construction(each) for each in grammar.constructions],
        "forms": len(grammar.lexicon),
    }


def _construction(construction: Construction) -> dict[str, Any]:
    return {
        "name": construction.name,
        "title": construction.title,
        "properties": [
            {
                "relation": prop.relation,
                "property": format_property(prop),
                "cost": number(prop.cost),
                "weight": number(prop.weight),
                "hard": prop.hard,
                "place": place_of(prop),
            }
            for prop in construction.properties
        ],
    }


def generate(session: Session, given: SentencesToMake) -> dict[str, Any]:
    """Sentences of a grammar: good ones, or such as violate one property, with a good one beside each."""
    seconds = session.request.settings.seconds
    made = generate_sentences(session.parser, given.number, given.seed, given.violated, seconds=seconds)
    found = []
    for each in made:
        session.go_on()
        twin = None if each.twin is None else row_of(each.twin.sentence, each.twin, None)
        found.append({**row_of(each.sentence, each.parse, None), "twin": twin, "edit": each.edit})
    return {"sentences": found}
