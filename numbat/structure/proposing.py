"""Functions of induce --structure: tagged sentences parsed by a model, and the properties that it proposes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from numbat.errors import DataError, Problem, counted, first_of
from numbat.files import shown
from numbat.structure.model import DependencyModel
from numbat.structure.parsing import tagged_for
from numbat.structure.proposals import ProposedGrammar, can_be_drawn, draw, propose
from numbat.structure.settings import DrawSettings
from numbat.treebanks.induce import Thresholds
from numbat.treebanks.tagged_sentences import TaggedSentence, bare_sentences
from numbat.treebanks.trees import PHRASE
from numbat.treebanks.verbs import InduceSettings, source_of

LEAST = Thresholds(w0=0.9)
"""What a proposal needs: learned structure is never as regular as trees that somebody drew."""


NAMED_TAGS = 5


@dataclass
class Material:
    """The sentences of which trees are drawn, and what was left out.

    `too_long` are the sentences of more words than asked for, `empty` those without words, `strange` those with a tag
    that the model does not know, and `unknown` such tags.
    """

    sentences: list[TaggedSentence] = field(default_factory=list)
    too_long: int = 0
    empty: int = 0
    strange: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)


def material_for(model: DependencyModel, paths: Sequence[str], form: str, max_length: int) -> Material:
    """Return the sentences of files, without punctuation.

    Raises MissingFileError, and DataError where nothing is left.
    """
    twice = [tag for tag in model.tags if tag + PHRASE in model.index]
    if twice:
        raise DataError(
            f'the tags "{twice[0]}" and "{twice[0]}{PHRASE}": the second is the name of the phrases of the first\n'
            "  rename one of them, and learn the model again"
        )
    found = Material()
    for path in paths:
        read = tagged_for(model, path, form)
        found.problems += read.problems
        bare = bare_sentences(read.sentences, max_length)
        known = [each for each in bare.sentences if can_be_drawn(model, each)]
        found.sentences += known
        found.too_long, found.empty = found.too_long + bare.too_long, found.empty + bare.empty
        found.strange += len(bare.sentences) - len(known)
        found.unknown.update(tag for each in bare.sentences for tag in each.tags if tag not in model.index)
    if not found.sentences:
        left_out = "; ".join(told_of(found)) or "none could be read"
        raise DataError(f"{shown(paths[0])}: no sentence to learn from\n  {left_out}")
    return found


def told_of(material: Material) -> list[str]:
    """Report what was left out."""
    told = []
    if material.too_long:
        told.append(f"{material.too_long:,} left out that are longer than --max-length")
    if material.strange:
        tags = first_of([tag for tag, _ in material.unknown.most_common()], NAMED_TAGS)
        told.append(f"{material.strange:,} left out with tags that the model does not know: {tags}")
    if material.empty:
        told.append(f"{material.empty:,} left out that have no words")
    return told


def propose_grammar(
    model: DependencyModel,
    material: Material,
    paths: Sequence[str],
    settings: InduceSettings,
    drawing: DrawSettings,
    advance: Callable[[], object] = lambda: None,
) -> ProposedGrammar:
    """Return the properties that hold in sampled trees of the sentences, and the grammar of them."""
    choices = settings.choices(f"proposed from {source_of(paths)}")
    return propose(draw(model, material.sentences, drawing.samples, drawing.seed, advance), choices)


def opening_of(found: ProposedGrammar, paths: Sequence[str], model_file: str) -> list[str]:
    """Lines for the top of the grammar: where it comes from, and what stands behind its properties."""
    remarked = sum(bool(each.remark) for each in found.proposals)
    return [
        f"Proposed by numbat from {source_of(paths)}: {counted(found.induced.sentences, 'sentence')}, "
        f"{counted(found.samples, 'tree')} of each, drawn by {source_of([model_file])}.",
        f"{len(found.proposals) - remarked} properties, and {remarked} in comments that tell little. Strike out what "
        "is wrong with a # before it.",
        "Behind each: occurrences that validate it and that violate it, in numbers of sentences; w0 = validating among",
        "both; w1 = w0 * validating among all; rank; the lower end of the 95 % interval of w0. Below: an example.",
    ]
