"""Questions beyond the best parse: judge a given tree, parse with a given constituent, the cost below a bound."""

__all__ = ["cost_below", "judge_tree", "parse_with", "why_not"]
