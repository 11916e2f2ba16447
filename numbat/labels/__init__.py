"""Labels for the tokens of sentences: parts of speech, chunks, names, roles.

Begin with `tagger`, whose `Tagger` learns labels: a learner (`perceptron` or `memory`, with their inner `loops`)
predicts the trigram of labels around each token; these overlap, and the inference of `csi` finds the labelling that
satisfies them best (Canisius, van den Bosch & Daelemans 2006). `token_files` reads and scores labelled tokens,
`model_file` trained models; `guesser` is a tagger beside a grammar.

Or with `relaxation`, whose `decode` finds the labels of a sequence under the properties of one flat construction
(Tromble & Eisner 2006; `python_relaxation` is the same in Python). `label_lattice` has its input, `constraints`
compiles properties into small automata, `sequence_files` reads both, `penalties` learns costs and explains
violations; `decoding` decodes many sequences and reports on them. The command line uses `settings` and `verbs`.
"""

__all__ = [
    "constraints",
    "csi",
    "decoding",
    "guesser",
    "label_lattice",
    "penalties",
    "perceptron",
    "relaxation",
    "sequence_files",
    "settings",
    "tagger",
    "token_files",
    "verbs",
]
