"""The exact search: the best structure under a grammar, in polynomial time.

Begin with `chart`, which reads solutions off the items of a search. `compiled_grammar` has the automata of a grammar
for one profile, `weighted_grammar` their moves under a vector of weights; `search` settles items, compiled or by its
twin `python_search`. What keeps it short: `lookahead` (lower bounds), `dominance` and `beam_budget`.
"""

__all__ = ["chart", "compiled_grammar"]
