"""Grammars in editors: the language server, and syntax highlighting without one.

Begin with `server`: it answers an editor, in a process that `relay` starts and can end; `messages` are what they
exchange. `documents` has the open texts and the results of checking them, `names` the places where names are defined
and used, `answers` hover, completion and renaming. `colours` is the lexer for Pygments. The package also contains the
JSON Schemas of grammars and exercises in YAML.
"""

__all__ = ["answers", "colours", "documents", "messages", "names", "relay", "server"]
