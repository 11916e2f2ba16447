"""The treebank room: trees in three formats are read, counted and scored; they become grammars, tags categories."""
