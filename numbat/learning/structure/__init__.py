"""Dependency structure learned from tags alone, with a structural bias that is annealed (Smith & Eisner 2006).

Begin with `grid`: it tries conditions, and gives a candidate for each model that was learned. `estimation` is EM,
`contrastive` the other learner, `initialisers` where both begin, `schedules` how a bias changes; `selection` chooses.
`sampled_trees` draws trees by the model; `proposals` ranks the properties that hold in them, `proposal_examples` shows
where.
"""

__all__ = [
    "contrastive",
    "estimation",
    "grid",
    "grid_state",
    "initialisers",
    "material",
    "neighbourhoods",
    "proposal_examples",
    "proposals",
    "sampled_trees",
    "schedules",
    "search",
    "selection",
    "sentences",
]
