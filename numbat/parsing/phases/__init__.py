"""Literal implementation of the process of Prost (2006) for every profile; the reference of the exact search.

Begin with `phases`: the eight phases as functions, in the paper's order, with H1 to H5 where they belong. `loop` wires
them round after round and reads solutions off what was elected; `elections` has the rules of the Polling Booth,
`neighbourhoods` limits what Assignation combines, `trace` records what happened and writes it as text and JSON.
"""

__all__ = ["loop", "phases", "trace"]
