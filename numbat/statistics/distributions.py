"""Quantiles, tails and tests of distributions: Student's t, the binomial."""

from __future__ import annotations


def t_quantile(share: float, degrees: float) -> float:
    """Return the quantile of Student's t: the number below which t lies with the probability `share`."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, share))


def t_p_value(t: float, freedom: float) -> float:
    """Return the two-sided p-value of Student's t with `freedom` degrees of freedom."""
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(t)))


def binomial_tail(successes: int, trials: int, probability: float) -> float:
    """Return the probability of `successes` or more in independent trials, each with this probability."""
    from scipy.special import bdtrc

    return float(bdtrc(successes - 1, trials, probability)) if successes > 0 else 1.0


def sign_test(one: int, other: int) -> float:
    """Return the two-sided p-value of the sign test, from the numbers of changes in the two directions."""
    from scipy.special import bdtr

    return min(1.0, float(2 * bdtr(min(one, other), one + other, 0.5)))
