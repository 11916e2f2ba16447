"""Words: how a text becomes a lattice of readings, the input of a parser.

Begin with `read_text` in `lexical_lookup`: `tokens` cuts a text into tokens, and `lexical_lookup` finds their readings
in the lexicon and joins tokens into text again; `segmentation` finds words in text without spaces. `pasted_text` leaves
out markup, `respelling` finds words in other case, and `by_language` has the conventions of languages for all of these.
`beside` gives words the features of the punctuation marks beside them. `judgement_marks` reads judgement marks such as
`*`, before and inside sentences. `typed` reads sentences with tags, `cg3` streams of CG-3. `tag_maps` maps the tags of
a treebank to categories, and `chunk_labels` defines label schemes for chunks. `lattice` defines the result: tokens with
their places, and an arc for each reading. `example_words` picks plain words for generated sentences.
"""

__all__ = [
    "beside",
    "by_language",
    "cg3",
    "chunk_labels",
    "example_words",
    "judgement_marks",
    "lattice",
    "lexical_lookup",
    "pasted_text",
    "respelling",
    "segmentation",
    "tag_maps",
    "tokens",
    "typed",
]
