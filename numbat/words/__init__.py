"""Words: from text to the lattice of readings that a parser takes.

Begin with `read_text` in `lexical_lookup`: `tokens` cuts a text into tokens, and `lexical_lookup` finds their
readings in the lexicon and puts tokens together again as text; `segmentation` finds words in text without blanks.
`typed` reads sentences with tags, `tag_maps` maps the tags of a treebank, `chunk_labels` has the schemes of labels of
chunks. `lattice` has the result: tokens with their
places, and one arc per reading. `example_words` picks plain words for generated sentences.
"""

__all__ = ["chunk_labels", "example_words", "lattice", "lexical_lookup", "segmentation", "tag_maps", "tokens", "typed"]
