"""The treebank room: bracketed trees are read, and their tags become the categories of a grammar."""
