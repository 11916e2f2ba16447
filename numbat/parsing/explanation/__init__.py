"""A parse told to people and to other programs.

For people: `violations` (one plain sentence for each violated property), `summary` (the parse in one line),
`terminal_tree` (the tree in characters), `obstacle_wording` (why words and phrases fit nowhere), with `wording` and
`labels`, which say how words, places and labels are written. For programs: `brackets`, `json_format`, `rows`, `graph`.
All take an `Analysis`, and the methods of `Parse`
call them, so begin there.
"""

__all__ = ["json_format", "obstacles", "text", "violations"]
