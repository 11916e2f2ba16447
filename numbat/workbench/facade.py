"""The façade: a request as JSON in, an answer as JSON out; errors are answers too.

    Facade().answer({"call": "parse", "given": {"sentence": "the cats sleeps"}})

An answer has `schema`, `call` and one of three: `answer`; `error` with what is wrong, what to do, and of a grammar with
mistakes every one with its place; `superseded`, where a newer request has taken the place of this one.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final

from numbat import clock
from numbat.errors import DataError, GrammarError, NumbatError, UsageError, close_match, comparing
from numbat.parsing.policies import Overdue, never
from numbat.reports.answers import json_text
from numbat.settings import record_of
from numbat.workbench.calls import CALLS, problem_view
from numbat.workbench.session import SCHEMA, KeptWork, LanguageOfPage, PageRequest, Session, SupersededError, Turns

MAX_SECONDS: Final = 90.0
"""Seconds of a request, its grammar, its sentences and those that it gives way to included."""
INTERNAL: Final = "internal"
"""The kind of an error that is a mistake of Numbat itself."""


class Facade:
    """Answers requests one at a time, long ones giving way to others, and keeps what the next one needs again."""

    def __init__(self, language: LanguageOfPage | None = None) -> None:
        self._language = language
        self._kept = KeptWork(language)
        self._turns = Turns()

    def answer_text(self, text: str, is_superseded: Overdue = never) -> str:
        """Return the answer to a request that is written as JSON, as JSON."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return json.dumps(
                answered("", error=error_view(DataError("this is no JSON\n  send a request as one object")))
            )
        answer = self.answer(value, is_superseded)
        try:
            return json_text(answer, "<sentence>", "numbat parse -f bracket")
        except DataError as error:
            return json.dumps(answered(answer["call"], error=error_view(error)))

    def answer(self, value: Any, is_superseded: Overdue = never) -> dict[str, Any]:
        """Return the answer to a request; `is_superseded` says that nobody waits for it any more."""
        call = value.get("call") if isinstance(value, dict) else None
        name = call if isinstance(call, str) else ""
        try:
            request = record_of(PageRequest, value, "request")
            check_name(name, CALLS, "call")
            given: Any = record_of(CALLS[name].takes, request.given, "given")
            with self.session(request, is_superseded) as session, self.in_time():
                return answered(name, answer=CALLS[name].answer(session, given))
        except SupersededError:
            return answered(name, superseded=True)
        except NumbatError as error:
            return answered(name, error=error_view(error))
        except (RecursionError, MemoryError) as error:
            limit = DataError(f"this is too large or too deep ({type(error).__name__})\n  give a smaller piece")
            return answered(name, error=error_view(limit))
        except Exception as error:  # the page goes on whatever happens
            return answered(name, error=_internal(error))

    @contextmanager
    def in_time(self, remedy: str = "ask for less at once") -> Iterator[None]:
        """End a request that takes too long; what was kept of earlier ones is forgotten, for it may be half made."""
        try:
            with clock.limited(MAX_SECONDS, remedy):
                yield
        except DataError as error:
            if str(error) == str(clock.over(MAX_SECONDS, remedy)):
                self._kept = KeptWork(self._language)
            raise

    @contextmanager
    def session(self, request: PageRequest, is_superseded: Overdue = never) -> Iterator[Session]:
        """Return the session of a request, in its turn. Raises SupersededError where nobody waits for it any more."""
        with self._turns.turn(), comparing():
            session = Session(request, self._kept, is_superseded, self._turns)
            session.go_on()
            yield session


def answered(call: str, **outcome: Any) -> dict[str, Any]:
    """Return the answer to a call: its `answer`, an `error`, or that it was `superseded`."""
    return {"schema": SCHEMA, "call": call, **outcome}


def check_name(name: str, calls: Collection[str], kind: str) -> None:
    """Raises UsageError for a name of no call of a kind."""
    if name not in calls:
        hint = close_match(name, calls) or f"the calls are: {', '.join(calls)}"
        raise UsageError(f'"{name}" is no {kind}\n  {hint}')


def error_view(error: NumbatError) -> dict[str, Any]:
    """Return the error of a request with its remedy, and with every mistake that has a place."""
    message, _, hint = str(error).partition("\n")
    problems = error.problems if isinstance(error, DataError) else ()
    if isinstance(error, GrammarError):
        message, hint = "the grammar has mistakes", "see their places in the grammar"
    kinds = {GrammarError: "grammar", DataError: "data", UsageError: "usage"}
    kind = next((name for each, name in kinds.items() if isinstance(error, each)), "failure")
    told = "\n".join(line.strip() for line in hint.split("\n"))
    return {"kind": kind, "message": message, "hint": told, "problems": [problem_view(problem) for problem in problems]}


def _internal(error: Exception) -> dict[str, Any]:
    message = f"Numbat has a mistake: {type(error).__name__}: {error}"
    return {"kind": INTERNAL, "message": message, "hint": "what you typed is kept; please report this", "problems": []}


# Answers requests where Python runs in the page itself: in a worker of the browser, on one thread.
#
# A worker hears of a newer request only when its work lets messages in, so the clock of every search (`overdue`) does
# that now and then, by `look`, which the page gives.

PAUSE: Final = 0.03
"""Seconds of work between two looks at the messages."""
RARE: Final = (50_000, 20, 1_000)
"""Thresholds of the collector of garbage: where there are grammars it takes half a second to look at all."""


def answering(look: Overdue) -> Callable[[str], str]:
    """Return the function that answers a request that is written as JSON, as JSON.

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
