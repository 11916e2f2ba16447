"""The smallest changes of a sentence that better its score.

Begin with `repair`. `edits` are the records, `candidates` makes every single edit, `search` finds those that gain most
and keeps them in `best_edits`; `doubts` says what speaks against a proposal.
"""

__all__ = ["doubts", "edits", "repair"]
