"""Grammar, expansions, weights and taggers counted on treebanks, for the program numbat-pg of this version."""

__version__ = "0.31.0"
