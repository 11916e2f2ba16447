"""Questions beyond the best parse: judge a given tree, parse with a given constituent, the cost below a bound."""
