"""The best labelling of a sequence under the properties of one flat construction, whose daughters are the labels.

After Tromble & Eisner 2006, "A fast finite-state relaxation method for enforcing global constraints on sequence
decoding". Begin with `relaxation.decode`: a `LabelLattice` and `Constraints` go in, a `Solution` comes out. The
constraints become small automata (`compiled_properties`, `constraint_table`), a `Problem` is put together of these, and
the search is `_relaxation.c` or `python_relaxation`, its equal. Around it are files of sequences (`sequence_files`,
`att_files`), sentences about violations (`explaining`), tables (`tally`) and learned costs (`penalties`).
"""

__all__ = ["constraints", "label_lattice", "penalties", "relaxation", "sequence_files"]
