"""What is learned from trees, judgements and tags, and what of it matters.

`trees` has weights of a linear model over trees, `pairs` weights and costs of properties from sentences of which one is
better than the other, `structure` dependency structure from tags alone. `importance` is what a model loses without each
of its parts; `fitted_importance` and `tree_importance` are the parts of a model that was fitted to ratings, and of one
over trees. `states` says why learning cannot go on from a file.
"""

__all__ = [
    "contrastive",
    "estimation",
    "grid",
    "importance",
    "margin",
    "proposals",
    "state_files",
    "tree_learners",
    "tree_settings",
    "tree_training",
]
