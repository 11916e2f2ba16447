"""Proposed properties as one HTML page that needs no network: a box to tick for each, and the grammar of those ticked.

The page has the proposals and the pieces of the grammar, which `assets/proposals.js` puts together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numbat.learning.proposals import Example, Proposal, ProposedGrammar
from numbat.report.learning.proposals_grammar import pieces_of, proposal_lines
from numbat.report.learning.proposals_text import MEANINGS
from numbat.report.pages.template import scripted_page
from numbat.runs.record import RunRecord


def proposals_page(
    found: ProposedGrammar, opening: Sequence[str] = (), lexicon_file: str = "", record: RunRecord | None = None
) -> str:
    """The page as text, with the record of the run; `opening` and `lexicon_file` as in `proposed_grammar`."""
    name = found.induced.grammar.name or "a grammar"
    content = {
        "name": name,
        "about": list(opening[:1]),
        "meanings": list(MEANINGS),
        "proposals": [_proposal(each) for each in found.proposals],
        "pieces": [
            piece if isinstance(piece, str) else piece.rank - 1 for piece in pieces_of(found, opening, lexicon_file)
        ],
    }
    return scripted_page(f"Numbat: properties proposed for {name}", "proposals", content, record)


def _proposal(proposal: Proposal) -> dict[str, Any]:
    return {
        "rank": proposal.rank,
        "construction": proposal.prop.construction,
        "text": proposal.text,
        "bound": round(proposal.bound, 4),
        "confidence": round(proposal.confidence, 4),
        "support": round(proposal.support, 1),
        "remark": proposal.remark,
        "lines": proposal_lines(proposal, active=True),
        "examples": [_words(each) for each in proposal.examples],
    }


def _words(example: Example) -> list[list[str]]:
    """The words of an example: `[form]`, and of those that are marked `[form, tag]`."""
    return [
        [form, tag] if at in example.marked else [form if form != "_" else tag]
        for at, (form, tag) in enumerate(zip(example.forms, example.tags, strict=True))
    ]
