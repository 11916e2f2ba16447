"""Statistics of numbers: what knows suites, grammars or treebanks is elsewhere.

Begin with `correlations`, which compares two rows of numbers; `intervals` says how sure a statistic is (the jackknife),
`regression` has ridge, logistic and isotonic regression, `distributions` quantiles, tails and tests. Numpy and scipy
come with the extra `statistics`; they are imported when something is calculated, so that records and constants are
there without them.
"""

__all__ = ["correlations", "distributions", "intervals", "regression"]
