"""A parse told to people and to other programs: sentences, summary, terminal tree, formats."""
