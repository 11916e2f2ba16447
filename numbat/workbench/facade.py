"""The façade: a request as JSON in, an answer as JSON out; errors are answers too.

    Facade().answer({"call": "parse", "given": {"sentence": "the cats sleeps"}})

An answer has `schema`, `call` and one of `answer`, `error` and `superseded`. An `error` has a message, a hint and, for
a grammar with mistakes, each mistake with its place. `superseded` means that a newer request has replaced this one.
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
"""Time limit of a request in seconds; reading its grammar and giving way to other requests count too."""
INTERNAL: Final = "internal"
"""Kind of the errors that are bugs of Numbat."""


class Facade:
    """Answers requests one at a time, where long ones give way to others, and keeps work for later requests."""

    def __init__(self, language: LanguageOfPage | None = None) -> None:
        self._language = language
        self._kept = KeptWork(language)
        self._turns = Turns()

    def answer_text(self, text: str, is_superseded: Overdue = never) -> str:
        """Return the answer, as JSON, to a request in JSON."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return json.dumps(
                answered("", error=error_view(DataError("the request is not JSON\n  send it as one object")))
            )
        answer = self.answer(value, is_superseded)
        try:
            return json_text(answer, "<sentence>", "numbat parse -f bracket")
        except DataError as error:
            return json.dumps(answered(answer["call"], error=error_view(error)))

    def answer(self, value: Any, is_superseded: Overdue = never) -> dict[str, Any]:
        """Return the answer to a request; `is_superseded` tells whether a newer request has replaced this one."""
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
        except RecursionError as error:
            return answered(name, error=error_view(_too_large(error)))
        except MemoryError:
            raise  # the process that answers has to end
        except Exception as error:  # a bug must not end the page
            return answered(name, error=_internal(error))

    @contextmanager
    def in_time(self, remedy: str = "ask for less at once") -> Iterator[None]:
        """End the block if it takes too long; then forget all kept work, because some of it may be incomplete."""
        try:
            with clock.limited(MAX_SECONDS, remedy):
                yield
        except DataError as error:
            if str(error) == str(clock.over(MAX_SECONDS, remedy)):
                self._kept = KeptWork(self._language)
            raise

    @contextmanager
    def session(self, request: PageRequest, is_superseded: Overdue = never) -> Iterator[Session]:
        """Wait for the turn of a request, and yield its session. Raises SupersededError if a newer one replaced it."""
        with self._turns.turn(), comparing():
            session = Session(request, self._kept, is_superseded, self._turns)
            session.go_on()
            yield session


def answered(call: str, **outcome: Any) -> dict[str, Any]:
    """Return the answer to a call, with `answer`, `error` or `superseded`."""
    return {"schema": SCHEMA, "call": call, **outcome}


def check_name(name: str, calls: Collection[str], kind: str) -> None:
    """Raise UsageError for a name that is not one of the calls; `kind` names them in the message."""
    if name not in calls:
        hint = close_match(name, calls) or f"the calls are: {', '.join(calls)}"
        raise UsageError(f'"{name}" is not a {kind}\n  {hint}')


def error_view(error: NumbatError) -> dict[str, Any]:
    """Return an error as JSON: its kind, message and hint, and the problems with their places."""
    message, _, hint = str(error).partition("\n")
    problems = error.problems if isinstance(error, DataError) else ()
    if isinstance(error, GrammarError):
        message, hint = "the grammar has mistakes", "see their places in the grammar"
    kinds = {GrammarError: "grammar", DataError: "data", UsageError: "usage"}
    kind = next((name for error_type, name in kinds.items() if isinstance(error, error_type)), "failure")
    hint = "\n".join(line.strip() for line in hint.split("\n"))
    return {"kind": kind, "message": message, "hint": hint, "problems": [problem_view(problem) for problem in problems]}


def _too_large(error: Exception) -> DataError:
    return DataError(f"this is too large or too deep ({type(error).__name__})\n  give a smaller piece")


def _internal(error: Exception) -> dict[str, Any]:
    message = f"Numbat has a bug: {type(error).__name__}: {error}"
    return {"kind": INTERNAL, "message": message, "hint": "what you typed is kept; please report this", "problems": []}


# Requests where Python runs in the page itself: in a worker of the browser, on one thread.
#
# A worker learns of a newer request only when it reads its messages, so the clock of every search (`overdue`) now and
# then calls `look`, which the page provides.

PAUSE: Final = 0.03
"""Seconds of work between two looks at the messages."""
RARE: Final = (50_000, 20, 1_000)
"""Thresholds of the garbage collector: with grammars in memory a full collection takes half a second."""


def answering(look: Overdue) -> Callable[[str], str]:
    """Return the function that answers a request in JSON.

    `look` reads the messages of the worker and returns True if a newer request has replaced the current one.
    """
    gc.set_threshold(*RARE)
    facade = Facade()

    def answer(request: str) -> str:
        try:
            return facade.answer_text(request, looking_now_and_then(look))
        except MemoryError as error:
            return json.dumps(answered("", error=error_view(_too_large(error))))

    return answer


def looking_now_and_then(look: Overdue) -> Overdue:
    """Return a function that calls `look` at most once in `PAUSE` seconds, and never again after it returned True."""
    last, has_ended = monotonic(), False

    def is_superseded() -> bool:
        nonlocal last, has_ended
        if not has_ended and monotonic() - last > PAUSE:
            has_ended = look()
            last = monotonic()
        return has_ended

    return is_superseded
