"""Verbs that learn from trees or tags: learn structure (of tags), learn weights (of trees), learn preferences."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import click

from numbat.cli.options import (
    GRAMMAR,
    NAMED_GRAMMAR_OPTION,
    OUTPUT,
    RUN_OPTIONS,
    SPREADSHEETS_OPTION,
    TREES_OPTION,
    is_given,
    option,
    options_of,
    seed_option,
    source_option,
    verb,
    with_options,
)
from numbat.cli.parsers import grammar_of
from numbat.cli.printing import Input, Output, Progress, Text, complain, end, end_trees, say
from numbat.errors import UsageError
from numbat.learning.settings import PreferenceSettings, WeightFiles, WeightSettings
from numbat.runs.settings import TAGGED_FILES, RunSettings
from numbat.structure.settings import StructureFiles, StructureSettings


@verb(
    "learn structure",
    "numbat learn structure tagged.conllu -o tags.model",
    "numbat learn structure --bias none --candidates tried.tsv tagged.conllu -o tags.model",
)
@click.argument("paths", metavar="TAGS...", nargs=-1, required=True, type=Text())
@option(OUTPUT, "-o", "--output", type=Output(), required=True, help="File for the model.")
@with_options(options_of(StructureFiles, ("select",)))
@source_option(TAGGED_FILES, "TAGS")
@with_options(
    options_of(
        StructureSettings,
        ("column", "max_length", "bias", "anneal", "fixed", "smoothing", "initialisers", "neighbourhood", "variance"),
    )
)
@with_options(options_of(StructureFiles, ("table",)))
@SPREADSHEETS_OPTION
@with_options(options_of(StructureFiles, ("state", "resume")))
@with_options(RUN_OPTIONS)
def structure(paths: tuple[str, ...], files: StructureFiles, run: RunSettings, settings: StructureSettings) -> None:
    """Learn a dependency model from TAGS: tagged sentences without trees. Numbat tries a grid of conditions and keeps
    the model with the most correct links of --select.
    """
    from numbat.structure.verbs import learn_structure

    if not is_given("kill_after"):
        run = replace(run, kill_after=0.0)  # a condition may take long, so there is no limit by default
    end(*learn_structure(paths, files, run, settings, complain, Progress("conditions")))


# learn weights

OF_WEIGHTS: Final = (
    *("features", "learner", "passes", "gap", "penalty", "rate", "loss", "likelihood", "signs", "tune", "folds"),
    *("max_length", "slack", "bits", "prune"),
)
"""Settings in the order of the help."""


@verb(
    "learn weights",
    "numbat learn weights -g small.pg --expansions small.exp trees.mrg -o small.weights",
    "numbat learn weights -g small.pg --expansions small.exp --epochs 5 trees.mrg -o small.weights",
)
@click.argument("paths", metavar="TREES...", nargs=-1, required=True, type=Text())
@NAMED_GRAMMAR_OPTION
@option(
    GRAMMAR,
    "--expansions",
    type=Input("expansions"),
    required=True,
    help="Expansions of the same trees, made by numbat expansions.",
)
@TREES_OPTION
@with_options(options_of(WeightFiles))
@with_options(options_of(WeightSettings, OF_WEIGHTS))
@with_options(RUN_OPTIONS)
@seed_option("the order of the trees")
def weights(
    paths: tuple[str, ...],
    grammar: str,
    expansions: str,
    source: str,
    files: WeightFiles,
    run: RunSettings,
    settings: WeightSettings,
) -> None:
    """Learn weights of expansions, properties, words from TREES by maximum margin, for numbat parse --tree-weights."""
    from numbat.learning.verbs import learn_weights
    from numbat.parsing.treebank_grammar.expansions import read_expansions

    if files.output is None and (files.dump is None or files.state or files.resume):
        raise UsageError("no file is given for the weights\n  add -o FILE, or only --dump FILE for the features")
    parts = grammar_of(grammar), read_expansions(expansions)
    end_trees(learn_weights(paths, source, *parts, files, run, settings, complain, Progress("trees")))


@verb(
    "learn preferences",
    "numbat learn preferences -g english links.conllu -o english.preferences",
    "numbat learn preferences -g english --within 0.5 links.conllu -o english.preferences",
)
@click.argument("paths", metavar="TREES...", nargs=-1, required=True, type=Text())
@option(OUTPUT, "-o", "--output", type=Output(), required=True, help="File for the preferences.")
@NAMED_GRAMMAR_OPTION
@TREES_OPTION
@with_options(options_of(PreferenceSettings))
@with_options(RUN_OPTIONS)
@seed_option("the order of the sentences")
def preferences(
    paths: tuple[str, ...], output: str, grammar: str, source: str, run: RunSettings, settings: PreferenceSettings
) -> None:
    """Learn from TREES, of dependencies or brackets, which of several parses that cost about the same is meant; for
    numbat parse --preferences.
    """
    from numbat.files import write_bytes
    from numbat.learning.preferences import learn_preferences
    from numbat.parsing.parser import NO_PREFERENCES, Parser
    from numbat.parsing.preferences import format_preferences
    from numbat.runs.executors import executor_of
    from numbat.treebanks.ud_maps import ud_map_of

    loaded = grammar_of(grammar)
    progress = Progress("sentences")
    executor = progress.over(executor_of(run))
    parser, ud = Parser(loaded, preferences=NO_PREFERENCES), ud_map_of(loaded, settings.ud_map)
    learned = learn_preferences(paths, source, parser, ud, settings, progress.complain, executor)
    write_bytes(output, format_preferences(learned.preferences).encode())
    say(f"{output}: {learned.says}")
    end(learned.bad, learned.sentences)
