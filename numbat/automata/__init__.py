"""Properties compiled to automata that read the daughters of a construction from left to right.

A `PropertyAutomaton` (one per property shape) counts satisfied and violated instances; `DaughterClasses` sorts
daughters into classes that no property of a construction tells apart; a `ConstructionAutomaton` puts both together: its
states count the classes read so far. Weights come last: a `WeightedAutomaton` says what steps cost under a vector.
"""

__all__ = [
    "construction_automaton",
    "daughter_classes",
    "property_automaton",
    "property_kinds",
    "records",
    "weighted_automaton",
]
