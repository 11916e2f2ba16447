"""Output of a parse for people and for other programs.

For people: `violations` (begin here: one plain sentence for each violated property, and the format of words and
labels), `wording` (titles, and the language of messages), `text` (tree, summary and brackets), `drawing` (SVG),
`obstacles` (why words and phrases fit nowhere). For programs: `json_format` (JSON, rows and graph). All take an
`Analysis`; the methods of `Parse` call them.
"""

__all__ = ["drawing", "json_format", "obstacles", "text", "violations", "wording"]
