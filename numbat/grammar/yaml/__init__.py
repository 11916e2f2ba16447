"""Grammars in YAML: the same statements as those of the notation, in another syntax.

`reading.read` takes the nodes of a YAML file, by way of `nodes`, and gives statements; single properties, operands and
entries in it are texts in the notation. `printing.format_grammar` writes a grammar in YAML.
"""

__all__ = ["nodes", "printing", "reading"]
