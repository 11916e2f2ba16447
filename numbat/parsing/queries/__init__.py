"""Questions beyond the best parse, asked of a `Parser`.

`judge_tree`: what a grammar says of a tree that somebody drew. `parse_with`: the best parse that has a constituent of
one's choice, which `named_constituent` reads; `why_not` puts in words what that costs more than the best of all.
`cost_below`: the cost of the best parse if it is below a bound, without a parse. These search exactly, and need a
parser with that engine. `start_checks`: of a grammar, the words from which no phrase starts.
"""

__all__ = ["cost_below", "judge_tree", "named_constituent", "parse_with", "start_checks", "why_not"]
