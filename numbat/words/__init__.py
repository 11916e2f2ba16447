"""What the words of a sentence may be: the lattice, tokens, tagged text, tag maps, words for examples."""
