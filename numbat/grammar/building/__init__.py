"""From statements to a `Grammar`: names are looked up, braces distributed, strengths combined, words inflected.

`grammars.build` is the way in. `declarations` has the names that a grammar declares and reports those it does not;
`constructions` and `own_relations` make forms and relations; `lexicon` reads lexicon files, whose `paradigms` inflect
lemmas; `rereading` keeps what an edit did not change. Every mistake is a `Problem` with its place, and building goes
on after it, so that one run finds them all.
"""

__all__ = ["declarations", "grammars", "lexicon", "rereading"]
