"""Answers requests where Python runs in the page itself: in a worker of the browser, on one thread.

A worker hears of a newer request only when its work lets messages in, so the clock of every search (`overdue`) does
that now and then, by `look`, which the page gives.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import monotonic
from typing import Final

from numbat.parsing.policies import Overdue
from numbat.web.facade import Facade

PAUSE: Final = 0.03
"""Seconds of work between two looks at the messages."""
RARE: Final = (50_000, 20, 1_000)
"""Thresholds of the collector of garbage: where there are grammars it takes half a second to look at all."""


def answering(look: Overdue) -> Callable[[str], str]:
    """What answers a request that is written as JSON, as JSON.

    `look` lets messages in and says whether a newer request has taken the place of the one at work.
    """
    gc.set_threshold(*RARE)
    facade = Facade()

    def answer(request: str) -> str:
        return facade.answer_text(request, looking_now_and_then(look))

    return answer


def looking_now_and_then(look: Overdue) -> Overdue:
    """Asks `look` at most once in `PAUSE` seconds; once it has said that the work is in vain, it is so for ever."""
    last, found = monotonic(), False

    def is_superseded() -> bool:
        nonlocal last, found
        if not found and monotonic() - last > PAUSE:
            found = look()
            last = monotonic()
        return found

    return is_superseded
