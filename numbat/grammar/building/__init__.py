"""From statements to a grammar: declarations, constructions, relations of one's own, the lexicon."""
