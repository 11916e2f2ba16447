"""Parsers and scorers by settings: models of the literature, and fitted ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from numbat.acceptability.settings import ModelSettings
from numbat.errors import UsageError
from numbat.grammar.model import Grammar
from numbat.parsing.parser import Parser
from numbat.parsing.policies import ParserSettings
from numbat.runs.record import name_of

if TYPE_CHECKING:
    from numbat.acceptability.models import Scorer, Weights


DEFAULT_PARSER: Final = ParserSettings()


def parser_of(grammar: Grammar, settings: ParserSettings = DEFAULT_PARSER) -> Parser:
    """Return the parser by properties that is asked for. Raises UsageError."""
    if isinstance(settings.elect_by, str):
        from numbat.acceptability.models import valuation_function

        settings = replace(settings, elect_by=valuation_function(settings.elect_by))
    return Parser(grammar, *settings.in_order())


OtherScorer = Callable[[str], "Scorer | None"]
"""Gives the scorer of a name that is no model of the literature and no file; None for another name."""


def scorer_of(settings: ModelSettings, grammar: Grammar, other: OtherScorer = lambda _: None) -> Scorer:
    """Return the scorer that is asked for: a model of the literature, a file of `numbat learn costs`, or an `other`.

    Raises UsageError for weights that a fitted model would not take.
    """
    from numbat.acceptability.models import GRAMMAR, scorer

    if (found := other(settings.model)) is not None:
        return found
    if not _is_fitted(settings.model):
        return scorer(settings.model, weights_of(settings.weights, grammar))
    if settings.weights != GRAMMAR.name:
        raise UsageError(
            f"--weights and {settings.model}\n  a fitted model has weights of its own: leave --weights out"
        )
    from numbat.acceptability.fitted import read_model

    return read_model(settings.model, grammar)


def _is_fitted(model: str) -> bool:
    from numbat.acceptability.models import MODELS

    return model not in MODELS and model.endswith(".tsv")


def models_of(models: Sequence[str]) -> list[str]:
    """Return the models by name, each once; `all` stands for every model of the literature, `cost` first."""
    from numbat.acceptability.models import MODELS

    every = (ModelSettings().model, *MODELS)
    return list(dict.fromkeys(name for model in models for name in (every if model == "all" else (model,))))


def scorers_of(
    models: Sequence[str], weights: str, grammar: Grammar, other: OtherScorer = lambda _: None
) -> dict[str, Scorer]:
    """Several scorers by name; `all` stands for every model of the literature. Fitted ones keep their weights."""
    from numbat.acceptability.models import GRAMMAR

    found: dict[str, Scorer] = {}
    for name in models_of(models):
        settings = ModelSettings(name, GRAMMAR.name if _is_fitted(name) else weights)
        short = model_name(name)
        found[name if short in found else short] = scorer_of(settings, grammar, other)
    return found


def model_name(model: str) -> str:
    """Return the name of a model in reports: that of a file without its folders."""
    return name_of(model) if _is_fitted(model) else model


def weights_of(text: str, grammar: Grammar) -> Weights:
    """Return the weights that `grammar`, `equal` or `linearity=2,uniqueness=0.5` name. Raises UsageError."""
    from numbat.acceptability.models import by_relation, weights_named

    if "=" not in text:
        return weights_named(text)
    found = {}
    for pair in text.split(","):
        relation, _, number = pair.partition("=")
        try:
            found[relation.strip()] = float(number)
        except ValueError:
            raise UsageError(f'"{pair}" is no weight of a relation\n  write --weights linearity=2') from None
    return by_relation(found, grammar)
