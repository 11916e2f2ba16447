"""Statistics of plain numbers, without knowledge of suites, grammars or treebanks.

Begin with `correlations`, which compares two rows of numbers. `intervals` estimates intervals of statistics by the
jackknife, `regression` has ridge, logistic and isotonic regression, `distributions` quantiles, tails and tests. Numpy
and scipy come with the extra `statistics`; functions import them when called, so that records and constants work
without them.
"""

__all__ = ["correlations", "distributions", "intervals", "regression"]
