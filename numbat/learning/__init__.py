"""Learning what properties and features of trees count, from judgements and trees; the importance of parts of models.

Begin with `costs`: what properties cost, fitted to judged sentences by regression or by max margin (`margin`).
`tree_training` learns a linear model over trees (Taskar et al. 2004) by the learners of `tree_learners`; `state_files`
lets them go on. `importance` measures the loss of a statistic without a part of a model.
`settings` and `verbs` are what the command line uses; `importance_report` shows what counts.
"""

__all__ = [
    "costs",
    "importance",
    "importance_report",
    "margin",
    "settings",
    "state_files",
    "tree_learners",
    "tree_training",
    "verbs",
]
