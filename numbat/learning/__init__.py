"""Learning the weights of properties and tree features from judgements and trees; importance of the parts of models.

Begin with `costs`: property costs, fitted to judged sentences by regression or by max margin (`margin`).
`tree_training` learns a linear model over trees (Taskar et al. 2004) with the learners of `tree_learners`;
`preferences` learns which of several parses is meant. `state_files` lets training resume. `importance` measures the
loss of a statistic without a part of a model. The command line uses `settings` and `verbs`; `importance_report` shows
the importance of parts.
"""

__all__ = [
    "costs",
    "importance",
    "importance_report",
    "margin",
    "preferences",
    "settings",
    "state_files",
    "tree_learners",
    "tree_training",
    "verbs",
]
