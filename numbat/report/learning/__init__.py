"""What was learned, as text, tables, pages and grammars.

`importance_text` and `importance_page` show what parts of a model matter; `proposals_text`, `proposals_grammar` and
`proposals_page` the properties that learned structure proposes; `structure_text` writes the sentences that it parses,
`search_text` says how it was found.
"""

__all__ = [
    "importance_page",
    "importance_text",
    "proposals_grammar",
    "proposals_page",
    "proposals_text",
    "search_text",
    "structure_text",
]
