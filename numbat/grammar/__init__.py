"""Grammars: what a linguist writes, read from a file, checked, and printed back.

`model` has the records that everything else reads: a `Grammar` of constructions, each with its properties. Begin there,
then see `relations`, the table that says what each relation means, in the language of `expressions`.
`loading.load_grammar` goes from a file to a `Grammar`: `notation` or `yaml` read text into statements, `building` looks
up their names and makes the records, `cache` stores them for the next start. `printing` writes a grammar in the
notation, `checks` warns of what is allowed but doubtful, and `weights` has weights and costs as a vector apart from the
structure. `digest` names all that a grammar says in 32 digits, `excerpt` cuts one down to what a parse needs of it, and
`shallow` to what it says of chunks.
"""

__all__ = [
    "building",
    "cache",
    "checks",
    "constructions",
    "digest",
    "expressions",
    "loading",
    "model",
    "names",
    "printing",
    "properties",
    "relations",
    "shallow",
    "yaml_format",
]
