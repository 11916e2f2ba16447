"""The one meaning of properties: constituents, the lookup table, the evaluator, matching, satisfaction, features."""
