"""Linear model over trees: the likelihood of counted expansions, and weights of features of the tree and its words.

Begin with `scoring`, which finds the best tree of a packed forest (in C, or in `python_scoring`) and has the file of
learned weights. `templates` defines the features.
"""

__all__ = ["scoring", "templates"]
