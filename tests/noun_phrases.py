"""The smallest grammar that runs are tried with: noun phrases of two words."""

from typing import Final

GRAMMAR: Final = """
leaves: Det, N
roots: NP
NP:
    oblig N
    Det < N
lexicon:
    the: Det
    cat: N
"""
