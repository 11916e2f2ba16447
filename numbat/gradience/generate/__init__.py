"""Sentences made from a grammar: well formed, or violating one property; and well-formed ones of a wanted length.

Begin with `generate`; `generated` has its records. It fills `patterns` of sentences that come with a grammar, and puts
`random_phrases` together where there are none. `tried` says what
kept a search from finding more, `twins` finds the well-formed sentence beside a bad one, `growing` makes given
sentences longer.
"""

__all__ = ["generate", "generated", "growing", "tried"]
