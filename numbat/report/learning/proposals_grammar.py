"""Proposed properties as a grammar: a construction for each tag, its properties in the order of their rank.

A word with what depends on it is a phrase, `NOUN-P` over its `NOUN`: that is stated of each construction, and hard.
Each proposal is a line that can be struck out, with its counts behind it and an example below.

    DET-P < NOUN weight 0.97 cost 4.1         # 604:2 w0 .9967 w1 .6650; rank 1, at least .988
        # [Vielen/DET] [Dank/NOUN]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from numbat.errors import counted, visible
from numbat.grammar.model import Grammar
from numbat.grammar.names import format_name, quoted
from numbat.grammar.printing import format_grammar, format_statements, wrapped
from numbat.grammar.properties import Operand, Property, Strength
from numbat.learning.proposals import Example, Proposal, ProposedGrammar
from numbat.treebank.induced import COLUMN, InducedConstruction, share
from numbat.treebank.trees import PHRASE

MOST_RULES = 6
"""So many rules of a construction are shown above its properties."""
Piece = str | Proposal


def proposed_grammar(found: ProposedGrammar, opening: Sequence[str] = (), lexicon_file: str = "") -> str:
    """The grammar in the notation. Proposals with a remark are comments, which count only without their `#`."""
    return "".join(
        piece if isinstance(piece, str) else proposal_lines(piece) for piece in pieces_of(found, opening, lexicon_file)
    )


def pieces_of(found: ProposedGrammar, opening: Sequence[str] = (), lexicon_file: str = "") -> Iterator[Piece]:
    """The text of the grammar with each proposal in its place. `opening` are lines of comment at its top."""
    grammar = found.induced.grammar
    yield "".join(f"# {line}\n" if line else "#\n" for line in opening) + ("\n" if opening else "")
    frame = replace(grammar, constructions=(), relations=(), lexicon=(), guesses=())
    yield format_grammar(frame).rstrip() + "\n"
    for construction in sorted(found.induced.constructions, key=lambda each: (-each.occurrences, each.name)):
        yield "\n" + "".join(f"{line}\n" for line in _opening_of(construction, found.samples))
        here = [each for each in found.proposals if each.prop.construction == construction.name]
        if here:
            yield "\n"
        yield from here
    if lexicon_file:
        yield f"\nlexicon_file: {quoted(lexicon_file)}\n"
    elif grammar.lexicon:
        yield "\n" + format_grammar(Grammar(lexicon=grammar.lexicon))
    if grammar.guesses:
        yield "\n" + format_grammar(Grammar(guesses=grammar.guesses))


def _opening_of(construction: InducedConstruction, samples: int) -> Iterator[str]:
    """The name of a construction, its rules in comments, what it may have, and that its head is there, and once.

    Numbers of trees are told as numbers of sentences, which have so many `samples` each.
    """
    name = f"{format_name(construction.name)}:"
    yield f"{name:<{COLUMN}}  # {counted(round(construction.occurrences / samples), 'occurrence')}"
    rules = [(round(rule.count / samples), rule.daughters) for rule in construction.rules[:MOST_RULES]]
    width = len(str(max((count for count, _ in rules), default=0))) + 1
    for count, daughters in rules:
        if count:
            yield f"    #  {count:>{width}}  {' '.join(daughters)}"
    yield f"    {wrapped('const {' + ', '.join(format_name(each) for each, _ in construction.constituency) + '}')}"
    head = Operand(construction.name.removesuffix(PHRASE))
    for relation in ("obligation", "uniqueness"):
        strength = Strength(hard=True)
        given = Property(construction.name, relation, (((head,),),), (), hard=True, stated=strength)
        yield f"    {next(format_statements([given]))}"


def proposal_lines(proposal: Proposal, active: bool = False) -> str:
    """A proposal as it stands in its construction, with its best example.

    If not `active`, one with a remark is a comment.
    """
    (statement,) = format_statements([proposal.prop])
    if proposal.remark and not active:
        statement = f"# {statement}"
    w1 = proposal.confidence * proposal.valid / proposal.occurrences if proposal.occurrences else 0.0
    counts = f"# {round(proposal.valid)}:{round(proposal.violating)} w0 {share(proposal.confidence)} w1 {share(w1)}"
    told = f"; rank {proposal.rank}, at least {share(proposal.bound, 3)}"
    remark = f"; {proposal.remark}" if proposal.remark else ""
    lines = [f"    {statement:<{COLUMN - 4}}  {counts}{told}{remark}"]
    lines += [f"        # {marked(example)}" for example in proposal.examples[:1]]
    return "\n".join(lines) + "\n"


def marked(example: Example) -> str:
    """A sentence with the words that a property is about in brackets, with their tags."""
    words = [form if form != "_" else tag for form, tag in zip(example.forms, example.tags, strict=True)]
    for at in example.marked:
        form, tag = example.forms[at], example.tags[at]
        words[at] = f"[{form}/{tag}]" if form != "_" else f"[{tag}]"
    return visible(" ".join(words))
