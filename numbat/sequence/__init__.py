"""Labels for the tokens of sentences: parts of speech, chunks, names, sounds of letters.

After Canisius, van den Bosch & Daelemans 2006, "Constraint Satisfaction Inference: Non-probabilistic Global Inference
for Sequence Labelling": a learner predicts for each token the trigram of labels around it (`class_trigrams`); the
trigrams overlap, and inference (`csi`) finds the labelling that satisfies them best.

Begin with `tagger`, which has all of it behind one record, `Tagger`: it is trained on the samples that `token_files`
reads and scored by `scoring`. There are two learners, `perceptron` with the `features` of words, and `memory`, which
compares `windows` of words by `weighting`; their inner loops are compiled (`loops`). `settings_search` chooses
settings. For words with their sounds, which `pronunciation_files` reads, letters and sounds are put together by
`alignment`.
"""

__all__ = ["csi", "perceptron", "pronunciations", "tagger", "token_files"]
