"""Properties compiled to automata that read the daughters of a construction from left to right."""
