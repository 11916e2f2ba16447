"""Learning from trees, judgements and tags, and the importance of model parts.

- Linear models over trees (Taskar et al. 2004): `tree_training` (begin here), `tree_learners`, `tree_settings`.
- Weights and costs of properties by max margin, from pairs of a better and a worse sentence: `margin`.
- Dependency structure from tags with annealed structural bias (Smith & Eisner 2006): `grid` (begin here), `estimation`
  by EM, `contrastive` estimation, `proposals` of properties that hold in sampled trees.
- `importance`: losses of a statistic without each part of a model. `state_files`: files to resume learning from.
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
