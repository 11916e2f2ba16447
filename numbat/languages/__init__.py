"""Languages: folders, made of a treebank or of tagged sentences, with all that parsing raw text needs.

Begin with `making`, which makes a folder part by part (`inducing` serves the command line, `settings` has its options);
`folder` opens it and provides its parser, tagger and judgement. `held_out` measures it on sentences that it was not
made of, `report` writes its page.
"""

__all__ = ["folder", "held_out", "inducing", "making", "report", "settings"]
