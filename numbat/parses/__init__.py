"""Sequence labelling under the properties of one flat construction, whose daughters are the labels.

After Tromble & Eisner 2006, "A fast finite-state relaxation method for enforcing global constraints on sequence
decoding". `relaxation.decode` takes a `LabelLattice` and `Constraints` and returns a `Solution`. `constraints` compiles
properties into small automata; `_relaxation.c` searches, or its equal `python_relaxation`. `sequence_files` reads
sequences and the constraints of one sequence; `penalties` learns costs, compares solutions and explains violations.
"""

__all__ = ["constraints", "label_lattice", "penalties", "relaxation", "sequence_files"]
