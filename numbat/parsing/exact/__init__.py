"""Exact search for the best structure under a grammar, in polynomial time.

Begin with `chart`, which runs the search, compiled or `python_search`, and reads solutions off its items (`items`).
`compiled_grammar` has the automata of a grammar for one profile, their moves with weights, and lower bounds on
completion costs. `choice` chooses one analysis among those of a chart by sums of weights.
"""

__all__ = ["chart", "choice", "compiled_grammar"]
