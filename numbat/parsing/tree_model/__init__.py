"""Linear model that scores trees by their likelihood under counted expansions and by weights for their features.

Begin with `scoring`, which finds the best tree of a packed forest (in C, or in `python_scoring`) and reads and writes
files of learned weights. `templates` defines the features; `heads` splits a forest by the heads of its phrases, so that
links between words have features, too.
"""

__all__ = ["heads", "scoring", "templates"]
