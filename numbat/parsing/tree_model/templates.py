"""The features of the linear model, as templates: what of the words around a span, or around a step, goes together.

They follow the span features of Taskar et al. (2004, section 6) and Hall, Durrett & Klein (2014, "Less Grammar, More
Features"). A template is a row of observations; an observation is an attribute of a word at a place, or a length. Each
is combined with what stands there: for a span, its label; for a step of a phrase (a first daughter, one more, the end,
an only daughter), the label of the phrase and the daughter. All is hashed into a table of fixed size.
"""

from __future__ import annotations

from array import array
from enum import IntFlag
from typing import Final, NamedTuple
from zlib import crc32

GROUPS: Final = ("expansions", "properties", "words", "auxiliary")
"""The groups of features, in the words of the command line."""


class HashedGroup(IntFlag):
    """The groups whose features are hashed."""

    WORDS = 1
    EXPANSIONS = 2
    AUXILIARY = 4


ATTRIBUTES: Final = "wtshpc"
"""The word in small letters, its tag, its last three letters, its shape, its first three letters; the word if its tag
is of a closed class, else the tag."""
PLACES: Final = "BbfgklaAnm"
"""Two words before a span, one before it, its first and second, its last but one and last, one and two after it; the
words before and after the place where a daughter is added."""
PLACES_IN_CODE: Final = 16
SPECIAL: Final = {"L": 1000, "LL": 1001, "LR": 1002}
"""The length of the span, of the part before the last daughter, of the last daughter."""
BUCKETS: Final = (0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 7, 8, 8, 8, 8, 8, *([9] * 10))
"""By length; longer ones are 10."""

ALONE, WITH_LABEL, WITH_SYMBOL = 1, 2, 4
"""With what a template is combined. Of spans: nothing, the label, the label and the one above it. Of steps: the kind of
step and the label of the phrase; the daughter too; the daughter before it as well."""

SPAN_TEMPLATES: Final = """
7. wf | wl | wb | wa | wb wf | wl wa | wf wl | wb wa
6. tf | tl | tb | ta | tb tf | tl ta | tf tl | tb ta | L | sf | sl | hf | hl | pf | pl | cb ca | cf cl
6. wf tl | tf wl | wb tf | tb wf | wl ta | tl wa | wf ta | hf hl | sf sl | tf tg | tk tl | wf tg | tB tb | ta tA
6. L tf | L tl | L wf | L wl | L ta | L tb
2. tb tf tl ta | tb tf ta | tb tl ta | L tf tl | L tb ta | wb tf tl | tf tl wa | tf tg tk tl | L tf tg tk tl
2. tB tb tf | tl ta tA | wf L tl | wl L tf | wb wf L | wl wa L | cb cf cl ca
"""
STEP_TEMPLATES: Final = """
6. ~
7. wn | wm | tn | tm | LL | LR | wf | wl | ta | wa | tb | sn | sm
3. tn tm | wn wm | wn tm | tn wm | LL LR | tn tm ta | tf tm | wf wm | wf tm | tf wm | tm tl | wm tl | tl ta | wl ta
3. cn cm | LR tm | LL tn | cf cm | LR wm
"""


class Templates(NamedTuple):
    """Templates as the search takes them: of each, where its codes begin, the codes, with what it is combined."""

    at: array[int]
    codes: array[int]
    levels: array[int]
    seed: int


def _templates(text: str, seed: int) -> Templates:
    at, codes, levels = array("i", [0]), array("i"), array("i")
    for line in text.strip().splitlines():
        level, _, rest = line.partition(". ")
        for template in rest.split(" | "):
            codes.extend(_code(each) for each in template.split() if each != "~")
            at.append(len(codes))
            levels.append(int(level))
    return Templates(at, codes, levels, seed)


def _code(observation: str) -> int:
    if observation in SPECIAL:
        return SPECIAL[observation]
    return ATTRIBUTES.index(observation[0]) * PLACES_IN_CODE + PLACES.index(observation[1])


EXPANSION_FEATURES: Final = 8
"""Kinds of features of expansions: of a span one, of a step four, of a whole phrase three more."""
AUXILIARY_FEATURES: Final = 4
"""Kinds of features of auxiliary predictions."""
SPANS: Final = _templates(SPAN_TEMPLATES, 7919)
STEPS: Final = _templates(STEP_TEMPLATES, 104729)
VERSION: Final = crc32((SPAN_TEMPLATES + STEP_TEMPLATES + ATTRIBUTES + PLACES).encode())
"""What weights were learned for: other templates give other features."""
