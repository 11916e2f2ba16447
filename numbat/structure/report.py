"""Reports on structure learned from tags: proposed properties as text, page and grammar; parses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final

from numbat.errors import counted, first_of, visible
from numbat.grammar.model import Grammar
from numbat.grammar.names import format_name, quoted
from numbat.grammar.printing import format_grammar, format_statements, wrapped
from numbat.grammar.properties import Operand, Property, Strength
from numbat.reports.pages import scripted_page
from numbat.reports.report import Column, Lines, Members, Part, Table, keys, report
from numbat.runs.record import RunRecord
from numbat.structure.model import MAX_LENGTH
from numbat.structure.parsing import StructuredSentence, StructureTally
from numbat.structure.proposals import Example, Proposal, ProposedGrammar, categories_of
from numbat.treebanks.brackets import format_brackets
from numbat.treebanks.conllu import DependencyTree, DependencyWord, format_conllu
from numbat.treebanks.converting import to_constituents
from numbat.treebanks.induced import COLUMN, InducedConstruction, share
from numbat.treebanks.reading import TreebankSentence
from numbat.treebanks.tagged_sentences import as_tree, without_heads
from numbat.treebanks.trees import PHRASE, Tree


@report("numbat.proposals/1")
def proposals_report(proposed: ProposedGrammar, shown: int) -> Iterator[Part]:
    """Return all proposals; the text shows the first `shown` of them with examples, then explains the columns."""
    yield Members({"sentences": proposed.induced.sentences, "samples": proposed.samples})
    first, every = proposed.proposals[:shown], proposed.proposals
    yield Table(PROPOSAL, every, "proposals", shown=first, below=lambda proposal: map(marked, proposal.examples))
    yield Lines(["", *legend(proposed, shown)])


def _named(proposal: Proposal) -> str:
    remark = f"  ({proposal.remark})" if proposal.remark else ""
    return f"{proposal.prop.construction}: {proposal.text}{remark}"


EXAMPLE: Final[Sequence[Column[Example]]] = (
    Column(key="id", value=attrgetter("name")),
    *keys("forms", "tags", "marked", "share"),
)
PROPOSAL: Final[Sequence[Column[Proposal]]] = (
    Column("rank", "", "rank"),
    Column(key="construction", value=attrgetter("prop.construction")),
    Column(key="relation", value=attrgetter("prop.relation")),
    Column(key="operands", value=lambda proposal: list(map(list, categories_of(proposal.prop)))),
    Column(key="property", value=attrgetter("text")),
    Column("bound", ".3f", "bound"),
    Column("confidence", ".3f", "confidence"),
    Column("support", ".1f", value=attrgetter("support")),
    Column("property", _named),
    *keys("valid", "violating", "occurrences", "remark"),
    Column(key="examples", value=lambda proposal: Table(EXAMPLE, proposal.examples).objects()),
)


def proposals_table(proposed: ProposedGrammar) -> Table[Proposal]:
    """Return all proposals as a table with plain numbers and a column for each of three examples."""

    def example(number: int) -> Column[Proposal]:
        return Column(
            f"example_{number}", lambda proposal: "".join(map(marked, proposal.examples[number - 1 : number]))
        )

    columns: Sequence[Column[Proposal]] = (
        Column("rank", "", "rank"),
        *(Column(name, form, name) for name, form in FIGURES.items()),
        Column("construction", "", value=attrgetter("prop.construction")),
        Column("relation", "", value=attrgetter("prop.relation")),
        Column("property", "", value=attrgetter("text")),
        Column("remark", "", "remark"),
        *map(example, (1, 2, 3)),
    )
    return Table(columns, proposed.proposals)


FIGURES: Final = {"bound": ".6f", "confidence": ".6f", "support": ".6g", "occurrences": ".6g"}


def legend(proposed: ProposedGrammar, shown: int | None = None) -> Iterator[str]:
    """Yield the number of proposals and the meaning of each column."""
    total = len(proposed.proposals)
    little = sum(bool(proposal.remark) for proposal in proposed.proposals)
    of = f"the first {shown} of " if shown is not None and shown < total else ""
    yield f"{of}{counted(total, 'proposal')}; {little} that say little come last, with the reason"
    yield from MEANINGS


MEANINGS: Final = (
    "support: occurrences in which the property is pertinent, in all sampled trees, divided by the trees per sentence",
    "confidence: the share of these occurrences that satisfy the property",
    "bound: the lower end of the 95 % interval of the confidence (Wilson), given the support",
)


# The page: a checkbox for each proposal, and the grammar of the ticked ones


def proposals_page(
    proposed: ProposedGrammar, opening: Sequence[str] = (), lexicon_file: str = "", record: RunRecord | None = None
) -> str:
    """Return the page as HTML with the record of the run; `opening` and `lexicon_file` as in `proposed_grammar`."""
    name = proposed.induced.grammar.name or "a grammar"
    content = {
        "name": name,
        "about": list(opening[:1]),
        "meanings": list(MEANINGS),
        "proposals": [_proposal_data(proposal) for proposal in proposed.proposals],
        "pieces": [
            piece if isinstance(piece, str) else piece.rank - 1 for piece in pieces_of(proposed, opening, lexicon_file)
        ],
    }
    return scripted_page(f"Numbat: properties proposed for {name}", "proposals", content, record)


def _proposal_data(proposal: Proposal) -> dict[str, Any]:
    return {
        "rank": proposal.rank,
        "construction": proposal.prop.construction,
        "text": proposal.text,
        "bound": round(proposal.bound, 4),
        "confidence": round(proposal.confidence, 4),
        "support": round(proposal.support, 1),
        "remark": proposal.remark,
        "lines": proposal_lines(proposal, active=True),
        "examples": [_words(example) for example in proposal.examples],
    }


def _words(example: Example) -> list[list[str]]:
    """Return the words of an example: `[form]`, or `[form, tag]` for marked words."""
    return [
        [form, tag] if at in example.marked else [form if form != "_" else tag]
        for at, (form, tag) in enumerate(zip(example.forms, example.tags, strict=True))
    ]


# Proposed properties as a grammar: a construction for each tag, with its properties by rank.
#
# A word and its dependents form a phrase, `NOUN-P` over its `NOUN`; each construction states this by hard properties.
# Each proposal is one line, which can be struck out, with its counts at the end and an example below.
#
#     DET-P < NOUN weight 0.97 cost 4.1         # 604:2 w0 .9967 w1 .6650; rank 1, at least .988
#         # [Vielen/DET] [Dank/NOUN]

MAX_RULES = 6
"""Maximum number of rules shown above the properties of a construction."""
Piece = str | Proposal


def proposed_grammar(proposed: ProposedGrammar, opening: Sequence[str] = (), lexicon_file: str = "") -> str:
    """Return the grammar in the notation. Proposals with a remark are commented out."""
    return "".join(
        piece if isinstance(piece, str) else proposal_lines(piece)
        for piece in pieces_of(proposed, opening, lexicon_file)
    )


def pieces_of(proposed: ProposedGrammar, opening: Sequence[str] = (), lexicon_file: str = "") -> Iterator[Piece]:
    """Yield the text of the grammar with each proposal in its place; `opening` are comment lines at its top."""
    grammar = proposed.induced.grammar
    yield "".join(f"# {line}\n" if line else "#\n" for line in opening) + ("\n" if opening else "")
    frame = replace(grammar, constructions=(), relations=(), lexicon=(), guesses=())
    yield format_grammar(frame).rstrip() + "\n"
    for construction in sorted(
        proposed.induced.constructions, key=lambda induced: (-induced.occurrences, induced.name)
    ):
        yield "\n" + "".join(f"{line}\n" for line in _opening_of(construction, proposed.samples))
        here = [proposal for proposal in proposed.proposals if proposal.prop.construction == construction.name]
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
    """Yield the name of a construction, its rules as comments, its constituency, and the properties of its head.

    Counts of trees are divided by `samples`, the number of trees per sentence.
    """
    name = f"{format_name(construction.name)}:"
    yield f"{name:<{COLUMN}}  # {counted(round(construction.occurrences / samples), 'occurrence')}"
    rules = [(round(rule.count / samples), rule.daughters) for rule in construction.rules[:MAX_RULES]]
    width = len(str(max((count for count, _ in rules), default=0))) + 1
    for count, daughters in rules:
        if count:
            yield f"    #  {count:>{width}}  {' '.join(daughters)}"
    constituency = ", ".join(format_name(daughter) for daughter, _ in construction.constituency)
    yield f"    {wrapped('const {' + constituency + '}')}"
    head = Operand(construction.name.removesuffix(PHRASE))
    for relation in ("obligation", "uniqueness"):
        strength = Strength(hard=True)
        given = Property(construction.name, relation, (((head,),),), (), hard=True, stated=strength)
        yield f"    {next(format_statements([given]))}"


def proposal_lines(proposal: Proposal, active: bool = False) -> str:
    """Return the lines of a proposal with its best example; unless `active`, one with a remark is commented out."""
    (statement,) = format_statements([proposal.prop])
    if proposal.remark and not active:
        statement = f"# {statement}"
    w1 = proposal.confidence * proposal.valid / proposal.occurrences if proposal.occurrences else 0.0
    counts = f"# {round(proposal.valid)}:{round(proposal.violating)} w0 {share(proposal.confidence)} w1 {share(w1)}"
    position = f"; rank {proposal.rank}, at least {share(proposal.bound, 3)}"
    remark = f"; {proposal.remark}" if proposal.remark else ""
    lines = [f"    {statement:<{COLUMN - 4}}  {counts}{position}{remark}"]
    lines += [f"        # {marked(example)}" for example in proposal.examples[:1]]
    return "\n".join(lines) + "\n"


def marked(example: Example) -> str:
    """Return a sentence with the words that a property is about as `[form/tag]`."""
    words = [form if form != "_" else tag for form, tag in zip(example.forms, example.tags, strict=True)]
    for at in example.marked:
        form, tag = example.forms[at], example.tags[at]
        words[at] = f"[{form}/{tag}]" if form != "_" else f"[{tag}]"
    return visible(" ".join(words))


# Sentences parsed by a dependency model, in treebank formats

NAMED: Final = 5
"""Maximum number of tags or sentences named in a message."""


def as_conllu(parsed: StructuredSentence) -> str:
    """Return a parsed sentence in CoNLL-U, without heads if it was too long to parse."""
    sentence = parsed.sentence
    return format_conllu(without_heads(as_tree(sentence)) if parsed.heads is None else as_tree(sentence, parsed.heads))


def as_brackets(parsed: StructuredSentence) -> str:
    """Return a parsed sentence in brackets, a word with its dependents as a phrase `NOUN-P`; flat if too long."""
    sentence = parsed.sentence
    pairs = list(zip(sentence.forms, sentence.tags, strict=True))
    if parsed.heads is None:
        return format_brackets(Tree("", tuple(Tree(tag, (), form) for form, tag in pairs))) + "\n"
    words = tuple(DependencyWord(form, upos=tag, head=at) for (form, tag), at in zip(pairs, parsed.heads, strict=True))
    return format_brackets(to_constituents(TreebankSentence(sentence.name, DependencyTree(words)))) + "\n"


def told_of(tally: StructureTally) -> Iterator[str]:
    """Yield the notes at the end of a run."""
    if tally.unknown:
        tags = [f"{tag} ({count:,})" for tag, count in tally.unknown.most_common()]
        yield (
            f"tags that the model does not know: {first_of(tags, NAMED)}\n"
            "  words with such a tag depend on the root, or on the word whose phrase surrounds them"
        )
    if tally.too_long:
        yield (
            f"not parsed, as they have more than {MAX_LENGTH} words: {first_of(tally.too_long, NAMED)}\n  split them"
        )
