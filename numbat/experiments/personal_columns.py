"""Columns of results that identify participants or hold free text: a clean table leaves them out by default."""

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
"""Names of columns that identify people, in lower case, with blanks for _."""
FREE: Final = re.compile(r"(.*comments?|.*feedback|remarks?|purpose|strategy|anything else.*)")
"""Names of columns with free text."""
PERSONAL: Final = (
    ("a mail address", re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")),
    ("a network address", re.compile(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}")),
    ("an id of Prolific", re.compile(r"[0-9a-f]{24}")),
    ("an id of Mechanical Turk", re.compile(r"A[0-9A-Z]{11,14}")),
    ("a digest", re.compile(r"[0-9a-f]{32}")),
)
"""Patterns of cells that identify people, each with a description."""
WORDS: Final = 3
"""Least number of words that make a text count as free text if nobody else wrote the same."""
LEAST: Final = 4
"""Least number of participants for whom differing values count as identifying."""


def personal_columns(trials: Sequence[Trial], columns: Sequence[str]) -> dict[str, str]:
    """Return the columns of `Trial.others` that identify participants or are free text, each with the reason."""
    reasons = {}
    for place, name in enumerate(columns):
        if why := _why(trials, place, " ".join(name.lower().replace("_", " ").split())):
            reasons[name] = why
    return reasons


def _why(trials: Sequence[Trial], place: int, name: str) -> str:
    values = list(dict.fromkeys(trial.others[place] for trial in trials if trial.others[place]))
    if not values:
        return ""
    if NAMES.fullmatch(name):
        return "identifies people"
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
    writers: dict[str, set[str]] = {}
    for trial in trials:
        if trial.others[place]:
            writers.setdefault(trial.others[place], set()).add(trial.participant)
    return writers


def _is_free_text(trials: Sequence[Trial], place: int, writers: dict[str, set[str]]) -> bool:
    """Return True if most texts of several words have one writer each, and do not depend on the stimulus."""
    long = [value for value in writers if len(value.split()) >= WORDS]
    alone = [value for value in long if len(writers[value]) == 1]
    return 2 * len(alone) > len(long) and not _is_of_stimulus(trials, place)


def _is_of_stimulus(trials: Sequence[Trial], place: int) -> bool:
    """Return True if all participants who saw a sentence have the same value."""
    shown: dict[tuple[str, ...], str] = {}
    return all(
        shown.setdefault((trial.label, trial.item, trial.condition, trial.sentence), trial.others[place])
        == trial.others[place]
        for trial in trials
    )


def _identifies(trials: Sequence[Trial], place: int, writers: dict[str, set[str]]) -> bool:
    """Return True if nearly every participant has a different value, other than a small number such as an age."""
    by_participant: dict[str, set[str]] = {}
    for trial in trials:
        by_participant.setdefault(trial.participant, set()).add(trial.others[place])
    if len(by_participant) < LEAST or any(len(values) > 1 for values in by_participant.values()):
        return False
    alone = sum(len(people) == 1 for people in writers.values())
    return alone > 0.9 * len(by_participant) and not all(re.fullmatch(r"[0-9]{1,3}", value) for value in writers)
