"""Grammars: the records a linguist writes, read from a file, checked, and printed back.

Begin with `model` (a `Grammar` of constructions) and `properties`, then `relations`, the table that defines each
relation in the language of `expressions`. `loading.load_grammar` reads a file: `notation` (its lines by `line_parser`)
or `yaml_format` parses text into `statements`, `syntax_errors` explains mistakes; `building` and `constructions` make
the records (`declarations` resolves `names`, `operands` braces and types, `conditions` and `inheritance` what their
names say), `lexicon` reads lexicon files, `inflection` makes the forms of their lemmas, `templates` give words their
readings, `included` puts a grammar on top of another one, whose `parts` the `cache` keeps for the next start.
`printing` writes a grammar in the notation, `layout` gives a file its usual blanks, `named_properties` finds properties
by their texts, `checks` warns about doubtful parts, by what `feature_values` says that there can be and `patterns` of
each other, `digest` identifies grammars, `shallow` derives a chunking grammar. `profiles` has the heuristics and
elections of runs.
"""

__all__ = [
    "building",
    "cache",
    "checks",
    "constructions",
    "declarations",
    "digest",
    "expressions",
    "inflection",
    "layout",
    "lexicon",
    "line_parser",
    "loading",
    "model",
    "named_properties",
    "names",
    "notation",
    "operands",
    "printing",
    "profiles",
    "properties",
    "relations",
    "shallow",
    "statements",
    "syntax_errors",
    "templates",
    "yaml_format",
]
