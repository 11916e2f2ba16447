"""Exact search for the best structure under a grammar, in polynomial time.

Begin with `chart`, which searches, compiled or by `python_search`, and reads solutions off the items (`items`).
`compiled_grammar` has the automata of a grammar for one profile, their moves under a vector of weights, and lower
bounds on completion costs.
"""

__all__ = ["chart", "compiled_grammar"]
