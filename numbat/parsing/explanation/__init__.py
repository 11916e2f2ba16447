"""Output of a parse for people and for other programs.

For people: `violations` (one plain sentence for each violated property, and how words and labels are written), `text`
(tree, summary and brackets), `obstacles` (why words and phrases fit nowhere). For programs: `json_format` (JSON, rows
and graph). All take an `Analysis`, and the methods of `Parse` call them, so begin there.
"""

__all__ = ["json_format", "obstacles", "text", "violations"]
