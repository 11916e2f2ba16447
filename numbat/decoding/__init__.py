"""The best labelling of a sequence under the properties of one flat construction, whose daughters are the labels.

After Tromble & Eisner 2006, "A fast finite-state relaxation method for enforcing global constraints on sequence
decoding".
"""

__all__ = [
    "att_files",
    "constraints",
    "daughters",
    "explaining",
    "label_kinds",
    "label_lattice",
    "penalties",
    "relaxation",
    "sequence_files",
    "tally",
]
