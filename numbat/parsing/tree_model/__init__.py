"""A linear model over trees: the likelihood of counted expansions, and weights of features of the tree and its words.

`templates` say which features there are, `attributes` what words and symbols are to them, `scoring` finds the best tree
of a packed forest (in C, or in `python_scoring`), `property_features` counts properties. `weights` holds what was
learned and its file; `model` does it all for a sentence, and is where to begin.
"""

__all__ = ["scoring", "templates"]
