"""What the words of a sentence may be.

A sentence comes in as text (`plain_text`), as text with tags (`tagged`) or with the tags of a treebank (`tag_maps`),
and goes on as a `lattice`: tokens, each with its place in the text, and arcs over them, one for each reading. `tokens`
cuts a text, `lexical_lookup` has the readings of a token. The way back is `detokenize`; `example_words` has plain words
for sentences that are made up. Begin with `read_text` in `plain_text`.
"""

__all__ = ["example_words", "lattice", "lexical_lookup", "tag_maps", "tokens", "typed"]
