"""A model that is learned from rated sentences: what a violation costs, by relation and construction.

Begin with `fitted`, the model and its file. It is a ridge regression (`ridge`) of ratings on `terms` of parses, judged
on `folds` that share no sentence; `about` is what the file of a model says of itself, `term_groups` which of its terms
speak of one relation.
"""

__all__ = ["about", "fitted", "folds", "term_groups", "terms"]
