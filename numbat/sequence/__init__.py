"""The sequence room: labels for the tokens of a sentence by class trigrams and constraint satisfaction inference.

After Canisius, van den Bosch & Daelemans 2006, "Constraint Satisfaction Inference: Non-probabilistic Global Inference
for Sequence Labelling". A learner predicts for each token the trigram of labels around it (`classes`); the trigrams
overlap, and inference (`csi`) finds the labelling that satisfies them best.
"""

__all__ = ["columns", "features", "scoring", "search", "tagger"]
