"""Words: from text to the lattice of readings that a parser takes.

Begin with `read_text` in `lexical_lookup`: `tokens` cuts a text into tokens, and `lexical_lookup` finds their
readings in the lexicon and puts tokens together again as text; `segmentation` finds words in text without blanks.
`judgement_marks` are those before sentences and inside them. `typed` reads sentences with tags, `cg3` streams of CG-3;
`tag_maps` maps the tags of a treebank, `chunk_labels` has the schemes of labels of chunks. `lattice` has the result:
tokens with their places, and one arc per reading. `example_words` picks plain words for generated sentences.
"""

__all__ = [
    "cg3",
    "chunk_labels",
    "example_words",
    "judgement_marks",
    "lattice",
    "lexical_lookup",
    "segmentation",
    "tag_maps",
    "tokens",
    "typed",
]
