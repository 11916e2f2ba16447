"""Literal implementation of the eight phases of Prost (2006) for every profile; reference for the exact search.

Begin with `phases`: the eight phases as functions, in the paper's order, with the heuristics H1 to H5. `loop` runs the
phases round after round and reads solutions off the elected constituents; `elections` has the rules of the Polling
Booth, `neighbourhoods` limits what Assignation combines, `trace` records a run and formats it as text and JSON.
"""

__all__ = ["loop", "phases", "trace"]
