"""Labels for the tokens of sentences: parts of speech, chunks, names, roles.

Begin with `tagger`, whose `Tagger` learns labels: a learner (`perceptron` or `memory`, with
their inner `loops`) predicts the trigram of labels around each token; the trigrams overlap, and `csi` finds the
labelling that agrees with them best (Canisius, van den Bosch & Daelemans 2006). `token_files` reads and scores labelled
tokens, `model_file` reads and writes trained models; `guesser` lets a tagger guess words that a grammar lacks.

Or begin with `relaxation`, whose `decode` finds the best labels of a sequence under the properties of one construction
(Tromble & Eisner 2006; `python_relaxation` is the same search in Python). `label_lattice` has its input, `constraints`
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
