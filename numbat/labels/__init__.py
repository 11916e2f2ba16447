"""Labels for the tokens of sentences: parts of speech, chunks, names, sounds of letters.

After Canisius, van den Bosch & Daelemans 2006, "Constraint Satisfaction Inference: Non-probabilistic Global Inference
for Sequence BestLabels": a learner predicts for each token the trigram of labels around it (`csi`); the
trigrams overlap, and inference finds the labelling that satisfies them best.

- `tagger`: the class `Tagger` (begin here) and hyperparameter search.
- `csi`: class trigrams and constraint satisfaction inference.
- `perceptron`, `memory`: the two learners; `loops` has their inner loops, partly compiled.
- `token_files`: files of labelled tokens, scores. `pronunciations`: word lists with sounds, alignment.
- `model_file`: the format of trained models.
"""

__all__ = ["csi", "perceptron", "pronunciations", "tagger", "token_files"]
