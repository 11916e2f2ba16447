"""Languages made of treebanks or of tags: folders with all that it takes to parse raw text.

Begin with `making`, which makes a folder, one part after the other (`inducing` is what the command line calls,
`settings` has its options); `folder` opens it and gives its parser, tagger and judgement. `held_out` measures it on
sentences that it was not made of, `report` writes its page.
"""

__all__ = ["folder", "held_out", "inducing", "making", "report", "settings"]
