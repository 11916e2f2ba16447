"""The notation of grammars: from text to statements, records of what each line says before any name is looked up.

`notation.lark` is the grammar of the notation. `reading.read` cuts a file into logical lines and parses each of them;
`lark_reader` turns the trees into the records of `statements`, and `syntax_errors` says what is wrong with a line that
cannot be parsed, and what to do.
"""

__all__ = ["reading", "statements"]
