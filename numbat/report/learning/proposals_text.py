"""Proposed properties as a table for a terminal, as TSV and as one JSON value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from numbat.errors import counted
from numbat.learning.proposals import Proposal, ProposedGrammar, categories_of
from numbat.parsing.explanation.violations import aligned
from numbat.report.learning.proposals_grammar import marked

SCHEMA: Final = "numbat.proposals/1"
COLUMNS: Final = (
    "rank", "bound", "confidence", "support", "occurrences", "construction", "relation", "property", "remark",
    "example_1", "example_2", "example_3",
)  # fmt: skip


def proposals_text(found: ProposedGrammar, form: str, shown: int) -> str:
    """The proposals as `text`, `tsv` or `json`; as text the first `shown`."""
    if form == "json":
        return json.dumps(to_json(found), ensure_ascii=False, indent=2)
    return "\n".join(tsv_lines(found) if form == "tsv" else text_lines(found, shown))


def text_lines(found: ProposedGrammar, shown: int) -> Iterator[str]:
    """A row for each of the first proposals, its examples below; then what the columns mean."""
    first = found.proposals[:shown]
    rows = [["rank", "bound", "confidence", "support", "property"]]
    rows += [
        [str(each.rank), f"{each.bound:.3f}", f"{each.confidence:.3f}", f"{each.support:.1f}", _named(each)]
        for each in first
    ]
    head, *lines = aligned(rows)
    yield head
    indent = " " * head.index("property")
    for line, each in zip(lines, first, strict=True):
        yield line
        yield from (f"{indent}  {marked(example)}" for example in each.examples)
    yield ""
    yield from legend(found, shown)


def _named(proposal: Proposal) -> str:
    remark = f"  ({proposal.remark})" if proposal.remark else ""
    return f"{proposal.prop.construction}: {proposal.text}{remark}"


def legend(found: ProposedGrammar, shown: int | None = None) -> Iterator[str]:
    """How many proposals there are, and what is said of each."""
    total = len(found.proposals)
    little = sum(bool(each.remark) for each in found.proposals)
    of = f"the first {shown} of " if shown is not None and shown < total else ""
    yield f"{of}{counted(total, 'proposal')}; {little} that tell little come last, with the reason"
    yield from MEANINGS


MEANINGS: Final = (
    "support: occurrences in which the property is pertinent, in all sampled trees, divided by the trees of a sentence",
    "confidence: the share of these that validate it",
    "bound: the lower end of the 95 % interval of that (Wilson), for so many occurrences",
)


def tsv_lines(found: ProposedGrammar) -> Iterator[str]:
    """All proposals, a row each."""
    yield "\t".join(COLUMNS)
    for each in found.proposals:
        examples = [marked(example) for example in each.examples]
        examples += [""] * (3 - len(examples))
        numbers = [f"{each.bound:.6f}", f"{each.confidence:.6f}", f"{each.support:.6g}", f"{each.occurrences:.6g}"]
        named = [each.prop.construction, each.prop.relation, each.text, each.remark]
        yield "\t".join([str(each.rank), *numbers, *named, *examples])


def to_json(found: ProposedGrammar) -> dict[str, Any]:
    """All proposals as a value for `json.dumps`."""
    return {
        "schema": SCHEMA,
        "sentences": found.induced.sentences,
        "samples": found.samples,
        "proposals": [_proposal(each) for each in found.proposals],
    }


def _proposal(proposal: Proposal) -> dict[str, Any]:
    return {
        "rank": proposal.rank,
        "construction": proposal.prop.construction,
        "relation": proposal.prop.relation,
        "operands": [list(parameter) for parameter in categories_of(proposal.prop)],
        "property": proposal.text,
        "bound": proposal.bound,
        "confidence": proposal.confidence,
        "valid": proposal.valid,
        "violating": proposal.violating,
        "occurrences": proposal.occurrences,
        "remark": proposal.remark,
        "examples": [
            {
                "id": each.name,
                "forms": list(each.forms),
                "tags": list(each.tags),
                "marked": list(each.marked),
                "share": each.share,
            }
            for each in proposal.examples
        ],
    }
