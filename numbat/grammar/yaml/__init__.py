"""Grammars in YAML: reading, with the place of every node, and printing."""
