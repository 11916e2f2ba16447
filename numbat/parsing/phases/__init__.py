"""The process of Prost (2006), literally, for every profile; the reference of the exact search.

Begin with `phases`: the eight phases as functions, in the paper's order, with H1 to H5 where they belong. `loop` wires
them round after round, `elections` has the rules of the Polling Booth, `forest` reads solutions off what was elected,
`trace` records what happened, `trace_text` and `trace_json` tell it.
"""

__all__ = ["loop", "phases", "trace"]
