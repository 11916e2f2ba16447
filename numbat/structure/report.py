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
def proposals_report(found: ProposedGrammar, shown: int) -> Iterator[Part]:
    """Return all proposals, in the text a row for each of the first ones, its examples below; then what the columns
    mean.
    """
    yield Members({"sentences": found.induced.sentences, "samples": found.samples})
    first, every = found.proposals[:shown], found.proposals
    yield Table(PROPOSAL, every, "proposals", shown=first, below=lambda proposal: map(marked, proposal.examples))
    yield Lines(["", *legend(found, shown)])


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
    Column(key="operands", value=lambda each: list(map(list, categories_of(each.prop)))),
    Column(key="property", value=attrgetter("text")),
    Column("bound", ".3f", "bound"),
    Column("confidence", ".3f", "confidence"),
    Column("support", ".1f", value=attrgetter("support")),
    Column("property", _named),
    *keys("valid", "violating", "occurrences", "remark"),
    Column(key="examples", value=lambda each: Table(EXAMPLE, each.examples).objects()),
)


def proposals_table(found: ProposedGrammar) -> Table[Proposal]:
    """Return all proposals as a table without blanks in numbers, with a column for each of three examples."""

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
    return Table(columns, found.proposals)


FIGURES: Final = {"bound": ".6f", "confidence": ".6f", "support": ".6g", "occurrences": ".6g"}


def legend(found: ProposedGrammar, shown: int | None = None) -> Iterator[str]:
    """Return the number of proposals, and the meaning of each column."""
    total = len(found.proposals)
    little = sum(bool(proposal.remark) for proposal in found.proposals)
    of = f"the first {shown} of " if shown is not None and shown < total else ""
    yield f"{of}{counted(total, 'proposal')}; {little} that tell little come last, with the reason"
    yield from MEANINGS


MEANINGS: Final = (
    "support: occurrences in which the property is pertinent, in all sampled trees, divided by the trees of a sentence",
    "confidence: the share of these that validate it",
    "bound: the lower end of the 95 % interval of that (Wilson), for so many occurrences",
)


# The page: a box to tick for each proposal, and the grammar of those ticked


def proposals_page(
    found: ProposedGrammar, opening: Sequence[str] = (), lexicon_file: str = "", record: RunRecord | None = None
) -> str:
    """Return the page as text, with the record of the run; `opening` and `lexicon_file` as in `proposed_grammar`."""
    name = found.induced.grammar.name or "a grammar"
    content = {
        "name": name,
        "about": list(opening[:1]),
        "meanings": list(MEANINGS),
        "proposals": [_proposal_data(proposal) for proposal in found.proposals],
        "pieces": [
            piece if isinstance(piece, str) else piece.rank - 1 for piece in pieces_of(found, opening, lexicon_file)
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
    """Return the words of an example: `[form]`, and of those that are marked `[form, tag]`."""
    return [
        [form, tag] if at in example.marked else [form if form != "_" else tag]
        for at, (form, tag) in enumerate(zip(example.forms, example.tags, strict=True))
    ]


# Proposed properties as a grammar: a construction for each tag, its properties in the order of their rank.
#
# A word with what depends on it is a phrase, `NOUN-P` over its `NOUN`: that is stated of each construction, and hard.
# Each proposal is a line that can be struck out, with its counts behind it and an example below.
#
#     DET-P < NOUN weight 0.97 cost 4.1         # 604:2 w0 .9967 w1 .6650; rank 1, at least .988
#         # [Vielen/DET] [Dank/NOUN]

MAX_RULES = 6
"""So many rules of a construction are shown above its properties."""
Piece = str | Proposal


def proposed_grammar(found: ProposedGrammar, opening: Sequence[str] = (), lexicon_file: str = "") -> str:
    """Return the grammar in the notation. Proposals with a remark are comments, which count only without their `#`."""
    return "".join(
        piece if isinstance(piece, str) else proposal_lines(piece) for piece in pieces_of(found, opening, lexicon_file)
    )


def pieces_of(found: ProposedGrammar, opening: Sequence[str] = (), lexicon_file: str = "") -> Iterator[Piece]:
    """Return the text of the grammar with each proposal in its place. `opening` are lines of comment at its top."""
    grammar = found.induced.grammar
    yield "".join(f"# {line}\n" if line else "#\n" for line in opening) + ("\n" if opening else "")
    frame = replace(grammar, constructions=(), relations=(), lexicon=(), guesses=())
    yield format_grammar(frame).rstrip() + "\n"
    for construction in sorted(
        found.induced.constructions,
        key=lambda induced_construction: (-induced_construction.occurrences, induced_construction.name),
    ):
        yield "\n" + "".join(f"{line}\n" for line in _opening_of(construction, found.samples))
        here = [proposal for proposal in found.proposals if proposal.prop.construction == construction.name]
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
    """Return the name of a construction, its rules in comments, what it may have, and that its head is there, and once.

    Numbers of trees are told as numbers of sentences, which have so many `samples` each.
    """
    name = f"{format_name(construction.name)}:"
    yield f"{name:<{COLUMN}}  # {counted(round(construction.occurrences / samples), 'occurrence')}"
    rules = [(round(rule.count / samples), rule.daughters) for rule in construction.rules[:MAX_RULES]]
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
    """Return a proposal as it stands in its construction, with its best example.

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
    """Return a sentence with the words that a property is about in brackets, with their tags."""
    words = [form if form != "_" else tag for form, tag in zip(example.forms, example.tags, strict=True)]
    for at in example.marked:
        form, tag = example.forms[at], example.tags[at]
        words[at] = f"[{form}/{tag}]" if form != "_" else f"[{tag}]"
    return visible(" ".join(words))


# Sentences parsed by a dependency model, in treebank formats

NAMED: Final = 5
"""So many tags or sentences are named in a message."""


def as_conllu(found: StructuredSentence) -> str:
    """Return a parsed sentence in CoNLL-U; one that is too long has no heads."""
    sentence = found.sentence
    return format_conllu(without_heads(as_tree(sentence)) if found.heads is None else as_tree(sentence, found.heads))


def as_brackets(found: StructuredSentence) -> str:
    """Return a parsed sentence in brackets: each word with what depends on it is a phrase, `NOUN-P`.

    One that is too long is a row of words.
    """
    sentence = found.sentence
    pairs = list(zip(sentence.forms, sentence.tags, strict=True))
    if found.heads is None:
        return format_brackets(Tree("", tuple(Tree(tag, (), each) for each, tag in pairs))) + "\n"
    words = tuple(DependencyWord(each, upos=tag, head=at) for (each, tag), at in zip(pairs, found.heads, strict=True))
    return format_brackets(to_constituents(TreebankSentence(sentence.name, DependencyTree(words)))) + "\n"


def told_of(tally: StructureTally) -> Iterator[str]:
    """Report the notes at the end of a run."""
    if tally.unknown:
        tags = [f"{tag} ({count:,})" for tag, count in tally.unknown.most_common()]
        yield (
            f"tags that the model does not know: {first_of(tags, NAMED)}\n"
            "  these words depend on the root, or on a word within whose phrase they stand"
        )
    if tally.too_long:
        yield (
            f"without heads, for they have more than {MAX_LENGTH} words: {first_of(tally.too_long, NAMED)}\n"
            "  cut them into shorter ones"
        )
