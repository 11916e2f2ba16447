"""A small dependency model of a language with articles, adjectives, nouns and verbs, and sentences of it."""

from __future__ import annotations

from numbat.structure.model import DependencyModel

TAGS = ("ADJ", "DET", "NOUN", "VERB")
SENTENCES = """\
the/DET cat/NOUN sleeps/VERB
the/DET old/ADJ dog/NOUN sees/VERB a/DET cat/NOUN
dogs/NOUN sleep/VERB
a/DET small/ADJ cat/NOUN sees/VERB dogs/NOUN
the/DET dog/NOUN barks/VERB
old/ADJ cats/NOUN see/VERB the/DET small/ADJ dog/NOUN
the/DET dogs/NOUN see/VERB a/DET dog/NOUN
a/DET cat/NOUN barks/VERB
"""


def small_model() -> DependencyModel:
    """Nouns have articles and adjectives before them, verbs nouns on both sides; anything else is rare."""
    import numpy as np

    adj, det, noun, verb = range(4)
    stop = np.full((4, 2, 2), 0.99)
    stop[noun, 0] = 0.3, 0.6
    stop[verb, 0] = 0.02, 0.98
    stop[verb, 1] = 0.5, 0.98
    child = np.full((4, 2, 4), 0.01)
    child[noun, 0, det], child[noun, 0, adj] = 0.6, 0.3
    child[verb, :, noun] = 0.97
    child[(adj, det), :, adj] = 0.97
    child[noun, 1, noun] = 0.97
    child /= child.sum(axis=2, keepdims=True)
    root = np.array([0.01, 0.01, 0.03, 0.95])
    return DependencyModel(TAGS, stop, child, root, "upos", "written by hand")
