"""Which columns of results say who a participant is, or are free text: they stay out of a clean table by default."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from numbat.experiments.trials import Trial

NAMES: Final = re.compile(
    r"(ip|ip ?address|e ?-?mail.*|mail|(first|last|full|family|your|participant|recipient)? ?(first|last)? ?name"
    r"|surname|phone.*|telephone|(home |postal )?address|user ?agent|browser|prolific.*|mturk.*|worker ?id"
    r"|.*assignment ?id"
    r"|hit ?id|sona.*|student ?(id|number)|(location)? ?(latitude|longitude)|external (data )?reference|.*public id"
    r"|(date of )?birth.*|(completion|survey|confirmation) ?code|response ?id)"
)
"""Names, in lower case with blanks for _, of columns that say who somebody is."""
FREE: Final = re.compile(r"(.*comments?|.*feedback|remarks?|purpose|strategy|anything else.*)")
"""Names of columns in which people write what they like."""
PERSONAL: Final = (
    ("an address of mail", re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")),
    ("an address of the network", re.compile(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}")),
    ("an id of Prolific", re.compile(r"[0-9a-f]{24}")),
    ("an id of Mechanical Turk", re.compile(r"A[0-9A-Z]{11,14}")),
    ("a digest", re.compile(r"[0-9a-f]{32}")),
)
"""What a single cell may be that says who somebody is."""
WORDS: Final = 3
"""Texts of so many words are free text, if nobody else wrote them."""
LEAST: Final = 4
"""Of fewer participants it shows nothing that their values differ."""


def personal_columns(trials: Sequence[Trial], columns: Sequence[str]) -> dict[str, str]:
    """Return the columns, the others of trials, that say who participants are or are free text, each with why."""
    found = {}
    for place, name in enumerate(columns):
        if why := _why(trials, place, " ".join(name.lower().replace("_", " ").split())):
            found[name] = why
    return found


def _why(trials: Sequence[Trial], place: int, name: str) -> str:
    values = list(dict.fromkeys(trial.others[place] for trial in trials if trial.others[place]))
    if not values:
        return ""
    if NAMES.fullmatch(name):
        return "says who somebody is"
    if FREE.fullmatch(name):
        return "free text"
    for what, form in PERSONAL:
        if any(form.fullmatch(value.strip()) for value in values):
            return what
    writers = _writers(trials, place)
    if _is_free_text(trials, place, writers):
        return "free text"
    return "differs from participant to participant" if _identifies(trials, place, writers) else ""


def _writers(trials: Sequence[Trial], place: int) -> dict[str, set[str]]:
    """Return the participants with each value."""
    found: dict[str, set[str]] = {}
    for trial in trials:
        if trial.others[place]:
            found.setdefault(trial.others[place], set()).add(trial.participant)
    return found


def _is_free_text(trials: Sequence[Trial], place: int, writers: dict[str, set[str]]) -> bool:
    """True if most texts of several words are of one participant, and not of the sentence that was shown."""
    long = [value for value in writers if len(value.split()) >= WORDS]
    alone = [value for value in long if len(writers[value]) == 1]
    return 2 * len(alone) > len(long) and not _is_of_stimulus(trials, place)


def _is_of_stimulus(trials: Sequence[Trial], place: int) -> bool:
    """True if all who saw a sentence have the same value."""
    shown: dict[tuple[str, ...], str] = {}
    return all(
        shown.setdefault((trial.label, trial.item, trial.condition, trial.sentence), trial.others[place])
        == trial.others[place]
        for trial in trials
    )


def _identifies(trials: Sequence[Trial], place: int, writers: dict[str, set[str]]) -> bool:
    """True if nearly every participant has a value of their own, which is no small number such as an age."""
    own: dict[str, set[str]] = {}
    for trial in trials:
        own.setdefault(trial.participant, set()).add(trial.others[place])
    if len(own) < LEAST or any(len(values) > 1 for values in own.values()):
        return False
    alone = sum(len(people) == 1 for people in writers.values())
    return alone > 0.9 * len(own) and not all(re.fullmatch(r"[0-9]{1,3}", value) for value in writers)
