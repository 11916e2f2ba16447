"""Parsers and scorers according to settings: models of the literature and fitted models."""

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
    """Return a property parser according to the settings. Raises UsageError."""
    if isinstance(settings.elect_by, str):
        from numbat.acceptability.models import valuation_function

        settings = replace(settings, elect_by=valuation_function(settings.elect_by))
    return Parser(grammar, *settings.in_order())


OtherScorer = Callable[[str], "Scorer | None"]
"""Function from a name to a further scorer, neither a model of the literature nor a file; None for unknown names."""


def scorer_of(settings: ModelSettings, grammar: Grammar, other: OtherScorer = lambda _: None) -> Scorer:
    """Return the scorer for a model of the literature, for a file that `numbat learn costs` wrote, or from `other`.

    Raises UsageError for weights with a fitted model.
    """
    from numbat.acceptability.models import GRAMMAR, scorer

    if (scorer_ := other(settings.model)) is not None:
        return scorer_
    if not _is_fitted(settings.model):
        return scorer(settings.model, weights_of(settings.weights, grammar))
    if settings.weights != GRAMMAR.name:
        pair = f"--weights and {settings.model}"
        raise UsageError(f"{pair} exclude each other\n  a fitted model has its own weights: leave out --weights")
    from numbat.acceptability.fitted import read_model

    return read_model(settings.model, grammar)


def _is_fitted(model: str) -> bool:
    from numbat.acceptability.models import MODELS

    return model not in MODELS and model.endswith(".tsv")


def models_of(models: Sequence[str]) -> list[str]:
    """Return the names without repetitions; `all` stands for every model of the literature, `cost` first."""
    from numbat.acceptability.models import MODELS

    every = (ModelSettings().model, *MODELS)
    return list(dict.fromkeys(name for model in models for name in (every if model == "all" else (model,))))


def scorers_of(
    models: Sequence[str], weights: str, grammar: Grammar, other: OtherScorer = lambda _: None
) -> dict[str, Scorer]:
    """Return scorers by name; `all` stands for every model of the literature. Fitted models keep their weights."""
    from numbat.acceptability.models import GRAMMAR

    scorers: dict[str, Scorer] = {}
    for name in models_of(models):
        settings = ModelSettings(name, GRAMMAR.name if _is_fitted(name) else weights)
        short = model_name(name)
        scorers[name if short in scorers else short] = scorer_of(settings, grammar, other)
    return scorers


def model_name(model: str) -> str:
    """Return the name of a model in reports: file names are without folders."""
    return name_of(model) if _is_fitted(model) else model


def weights_of(text: str, grammar: Grammar) -> Weights:
    """Return the weights that a text gives: `grammar`, `equal` or `linearity=2,uniqueness=0.5`. Raises UsageError."""
    from numbat.acceptability.models import by_relation, weights_named

    if "=" not in text:
        return weights_named(text)
    weights = {}
    for pair in text.split(","):
        relation, _, number = pair.partition("=")
        try:
            weights[relation.strip()] = float(number)
        except ValueError:
            raise UsageError(f'"{pair}" is not a weight of a relation\n  write --weights linearity=2') from None
    return by_relation(weights, grammar)
