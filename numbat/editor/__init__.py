"""Grammars in editors: the language server, and colours without one.

Begin with `server`: it answers an editor over standard input and output. `documents` has the texts that are open and
what `check` says of them, `names` where each name is defined and used, `answers` what hover, completion and renaming
make of that; `colours` tells the kinds of the pieces of a line, and is the lexer of Pygments. JSON Schemas of grammars
and exercises in YAML lie beside them.
"""

__all__ = ["answers", "colours", "documents", "names", "server"]
