"""Dependency structure learned from tags alone, with a structural bias that is annealed (Smith & Eisner 2006).

Begin with `grid`: it tries conditions, and gives a candidate for each model that was learned. `estimation` is EM,
`contrastive` the other learner, `initialisers` where both begin, `schedules` how a bias changes; `selection` chooses.
"""

__all__ = [
    "contrastive",
    "estimation",
    "grid",
    "grid_state",
    "initialisers",
    "material",
    "neighbourhoods",
    "schedules",
    "search",
    "selection",
    "sentences",
]
