"""Grammars: the records that a linguist writes, and how they are read, checked and printed.

Begin with `model` (a `Grammar` of constructions) and `properties`, then `relations`, the table that defines each
relation in the language of `expressions`. `loading.load_grammar` reads a file: `notation` (with `line_parser`) or
`yaml_format` parses it into `statements`, and `syntax_errors` explains mistakes. `building` and `constructions` make
the records: `declarations` resolves `names`, `operands` expands braces and types, `conditions` handles conditions, and
`inheritance` constructions like others. `lexicon` reads lexicon files, `unimorph` converts those of UniMorph,
`inflection` makes the forms of lemmas, and `templates` give words their readings. `included` builds a grammar on top of
another one or its `parts`, and `cache` keeps grammars between runs. `printing` writes a grammar in the notation,
`layout` formats a file, and `named_properties` finds properties by their texts. `checks` and `word_checks` warn about
doubtful parts, with the help of `feature_values`, which finds the possible values of features, and `patterns`, which
finds guess rules that never apply. `marks` defines the features that punctuation marks give. `digest` identifies
grammars, `shallow` derives a chunking grammar, and `profiles` defines the heuristics and elections of runs.
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
    "marks",
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
    "unimorph",
    "word_checks",
    "yaml_format",
]
