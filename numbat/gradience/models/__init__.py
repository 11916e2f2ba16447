"""Models of gradience: what the satisfied and violated properties of a parse make of its acceptability.

`scores` has the models and their scores, `counting` what they count in a constituent, `contrasts` what each violated
property takes from a score and what tells two parses apart, `valuation_function` elects by a model.
"""

from numbat.gradience.models.counting import Weights, weights_named
from numbat.gradience.models.scores import Score, score

__all__ = ["Score", "Weights", "contrasts", "counting", "score", "scores", "valuation_function", "weights_named"]
