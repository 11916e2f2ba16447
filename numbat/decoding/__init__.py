"""The best labelling of a sequence under the properties of one flat construction, whose daughters are the labels.

After Tromble & Eisner 2006, "A fast finite-state relaxation method for enforcing global constraints on sequence
decoding".
"""
