"""Processes that answer requests and can be ended: pages and editors work in them.

Python cannot interrupt a regular expression, and takes turns between threads; the system can end a process. A request
that takes too long or needs too much memory ends its process and gets an error that names the limit. If its process had
other requests too, all are tried again, one by one. A process starts when a request needs one, keeps its work for later
requests, and ends when none has come for a while.
"""

from __future__ import annotations

import gc
import os
import signal
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from numbat import clock
from numbat.errors import DataError, NumbatError
from numbat.runs.pool import (
    OUT_OF_MEMORY,
    READY,
    START_SECONDS,
    WorkerLimits,
    end_with,
    how_it_ended,
    limit_memory,
)

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Answering = Callable[[Any, Callable[[], bool]], Any]
"""Answers a request; its second argument tells whether a newer request has replaced this one."""

MOST: Final = 4
"""Maximal number of processes."""
MEMORY: Final = 4_096
"""Memory limit of a process in mebibytes."""
GRACE: Final = 10.0
"""Seconds within which a request must end that a newer one has replaced."""
IDLE: Final = 900.0
"""Seconds without a request after which a process ends."""
QUIET: Final = 10.0
"""Seconds without a request after which a process collects garbage, so that no answer waits for it."""
RARE: Final = (50_000, 20, 1_000)
"""Thresholds of the garbage collector: with grammars in memory a full collection takes half a second."""


# What runs in a process


def begin(
    connection: Connection, target: Callable[..., None], arguments: tuple[Any, ...], memory: int | None, parent: int
) -> None:
    """Work in a process that ends with its parent; interrupts are for the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(parent)
    if memory is not None:
        with suppress(ImportError, ValueError, OSError):  # Windows has no such limits, and macOS may refuse them
            limit_memory(memory)
    gc.set_threshold(*RARE)
    target(connection, *arguments)


def answer_all(connection: Connection, make: Callable[[], Answering]) -> None:
    """Answer requests, each in a thread, until the other end of the connection is closed.

    A request is its number and its content, or None once a newer request has replaced it. An answer is the number, the
    answer, and an error if there is no answer.
    """
    answer = make()
    connection.send(READY)
    replaced: set[int] = set()
    sending = Lock()

    def work(number: int, content: Any) -> None:
        value, error = None, None
        try:
            value = answer(content, lambda: number in replaced)
        except MemoryError:
            error = OUT_OF_MEMORY
        except BaseException as unexpected:  # without an answer the request would wait for its limit
            error = f"Numbat has a bug: {type(unexpected).__name__}: {unexpected}"
        with sending:
            connection.send((number, value, error))
            if error == OUT_OF_MEMORY:
                os._exit(1)  # the remaining memory may be fragmented
        replaced.discard(number)

    while True:
        if not connection.poll(QUIET):
            gc.collect()
            connection.poll(None)
        try:
            number, content = connection.recv()
        except (EOFError, OSError):
            os._exit(0)  # without waiting for threads at work
        if content is None:
            replaced.add(number)
        else:
            Thread(target=work, args=(number, content), daemon=True).start()


# What starts a process, and hears from it


class Child:
    """A process, with a thread that sends to it and one that receives, so that nobody waits for a process that hangs.

    `hear` is called in a thread with every message, and with None when the process has ended.
    """

    def __init__(
        self,
        target: Callable[..., None],
        arguments: tuple[Any, ...],
        memory: int | None,
        hear: Callable[[Child, Any], None],
    ) -> None:
        from multiprocessing import get_context

        context = get_context("spawn")  # a fork would lack the threads of this process
        self._connection, theirs = context.Pipe()
        self.process = context.Process(target=begin, args=(theirs, target, arguments, memory, os.getpid()), daemon=True)
        self.process.start()
        theirs.close()
        self._hear = hear
        self._messages: SimpleQueue[Any] = SimpleQueue()
        self._threads = [Thread(target=work, daemon=True) for work in (self._receive_all, self._send_all)]
        for thread in self._threads:
            thread.start()

    def send(self, message: Any) -> None:
        """Send a message soon."""
        self._messages.put(message)

    def end(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.join()
        self._messages.put(None)
        for thread in self._threads:
            thread.join()
        self._connection.close()

    def _send_all(self) -> None:
        with suppress(OSError):  # the process has ended
            while (message := self._messages.get()) is not None:
                self._connection.send(message)

    def _receive_all(self) -> None:
        try:
            while True:
                self._hear(self, self._connection.recv())
        except (EOFError, OSError):
            self._hear(self, None)


# Requests, and the processes that answer them


class DroppedError(NumbatError):
    """A newer request has replaced this one, so it was not answered."""


class Asked:
    """A request; requests of the same `client` share a process, and one without a client may share any."""

    def __init__(self, content: Any, client: str | None) -> None:
        self.content, self.client = content, client
        self.is_alone = False
        """True if its process ended while it had several requests, so this one is tried again alone."""
        self.replaced: float | None = None
        """Time at which a newer request replaced this one, None if there is none."""
        self._is_done = Event()
        self._answer: Any = None
        self._error: NumbatError | None = None

    def result(self) -> Any:
        """Wait for the answer. Raises DataError if a limit was met, and DroppedError."""
        self._is_done.wait()
        if self._error is not None:
            raise self._error
        return self._answer

    def finish(self, answer: Any, error: NumbatError | None = None) -> None:
        """Set the answer, or the error instead of one."""
        self._answer, self._error = answer, error
        self._is_done.set()


class AnsweringChild(Child):
    """A process with the requests that it works on, in their order."""

    client: str | None = None
    """Client whose request came last."""
    heard = 0.0
    """When the last answer came, or a request after idling; at first the time until which it must have started."""

    def __init__(self, make: Callable[[], Answering], memory: int | None, hear: Callable[[Child, Any], None]) -> None:
        super().__init__(answer_all, (make,), memory, hear)
        self.asked: dict[int, Asked] = {}

    @property
    def is_at_one_alone(self) -> bool:
        """True if the process works on a request that must be alone."""
        return any(asked.is_alone for asked in self.asked.values())

    def works_alone_for(self, client: str | None) -> bool:
        """True if the process works on a request of a client that must be alone."""
        return any(asked.is_alone and asked.client == client for asked in self.asked.values())

    def takes(self, asked: Asked) -> bool:
        """True if a request does not have to wait here for those of other clients, or for one that must be alone."""
        if not self.asked:
            return True
        clients = {other.client for other in self.asked.values()} - {None, asked.client}
        return not (asked.is_alone or self.is_at_one_alone or (clients and asked.client is not None))


class Children:
    """Up to `most` processes that answer requests, each by a function that `make` returns in its process.

    All of them belong to one thread, which starts with the first request: what others want is put into its queue.
    `limits.seconds` is the time within which a process must answer one of its requests; it may exceed them as far as a
    clock of its own may. `remedy` says what to do about this limit.
    """

    def __init__(
        self,
        make: Callable[[], Answering],
        limits: WorkerLimits,
        remedy: str = "ask for less at once",
        most: int = MOST,
        now: Callable[[], float] = monotonic,
    ) -> None:
        assert limits.seconds is not None
        self._make, self._limits, self._remedy, self._most, self._now = make, limits, remedy, most, now
        self._over = clock.over(limits.seconds, remedy)
        self._patience = limits.seconds + clock.GRACE * max(1.0, limits.seconds) + clock.AGAIN
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._waiting: deque[Asked] = deque()
        self._children: list[AnsweringChild] = []
        self._numbers = count()
        self._keeper: Thread | None = None
        self._is_closed = False
        self._lock = Lock()

    @property
    def processes(self) -> list[int]:
        """The numbers of the processes."""
        return [child.process.pid or 0 for child in self._children]

    def ask(self, content: Any, client: str | None = None) -> Asked:
        """Ask for an answer; `result` of the returned request waits for it."""
        asked = Asked(content, client)
        with self._lock:
            if self._is_closed:
                asked.finish(None, _closed())
                return asked
            if self._keeper is None:
                self._keeper = Thread(target=self._keep, daemon=True)
                self._keeper.start()
            self._queue.put(lambda: self._waiting.append(asked))
        return asked

    def replace(self, asked: Asked) -> None:
        """Say that a newer request has replaced this one."""
        self._queue.put(partial(self._replace, asked))

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            self._is_closed = True
            keeper = self._keeper
        self._queue.put(None)
        if keeper is not None:
            keeper.join()

    # in the thread that keeps the processes

    def _keep(self) -> None:
        while True:
            with suppress(Empty):
                act = self._queue.get(timeout=self._seconds_left())
                if act is None:
                    break
                act()
            for child in [child for child in self._children if self._deadline(child) <= self._now()]:
                self._end(child, self._over)
            self._waiting = deque(asked for asked in self._waiting if not self._hand_out(asked))
        for child in self._children:
            child.end()
        for asked in [*self._waiting, *(asked for child in self._children for asked in child.asked.values())]:
            asked.finish(None, _closed())
        self._children.clear()

    def _seconds_left(self) -> float | None:
        """Return the seconds until the next limit, None if there is none."""
        return max(0.0, min(map(self._deadline, self._children)) - self._now()) if self._children else None

    def _deadline(self, child: AnsweringChild) -> float:
        """Return the time at which a process ends if nothing comes from it or for it."""
        if not child.asked:
            return child.heard + IDLE
        replaced = next(iter(child.asked.values())).replaced  # later ones may wait for the first
        return child.heard + self._patience if replaced is None else min(child.heard + self._patience, replaced + GRACE)

    def _hand_out(self, asked: Asked) -> bool:
        """Send a request to a process, or refuse it if none can be started; return False if it has to wait."""
        try:
            child = self._child_for(asked)
        except OSError as error:
            asked.finish(None, DataError(f"no process can be started: {error.strerror}\n  end other programs first"))
            return True
        if child is None:
            return False
        if not child.asked:
            child.heard = max(child.heard, self._now())
        number = next(self._numbers)
        child.client, child.asked[number] = asked.client, asked
        child.send((number, asked.content))
        return True

    def _child_for(self, asked: Asked) -> AnsweringChild | None:
        """Return the process for a request, None if it has to wait."""
        fit = [child for child in self._children if child.takes(asked)]
        if fit:
            return max(fit, key=lambda child: (child.client == asked.client, child.heard))
        if any(child.works_alone_for(asked.client) for child in self._children):
            return None
        if len(self._children) < self._most:
            child = AnsweringChild(self._make, self._limits.memory, self._hear_later)
            child.heard = self._now() + START_SECONDS
            self._children.append(child)
            return child
        shared = [] if asked.is_alone else [child for child in self._children if not child.is_at_one_alone]
        return min(shared, key=lambda child: len(child.asked), default=None)

    def _replace(self, asked: Asked) -> None:
        if asked in self._waiting:
            self._waiting.remove(asked)
            asked.finish(None, _dropped())
        for child in self._children:
            for number, other in child.asked.items():
                if other is asked:
                    asked.replaced = self._now()
                    child.send((number, None))

    def _hear_later(self, child: Child, message: Any) -> None:
        self._queue.put(partial(self._hear, child, message))

    def _hear(self, child: Child, message: Any) -> None:
        if child not in self._children:
            return  # it was ended
        assert isinstance(child, AnsweringChild)
        if message is None:
            child.process.join()
            ended = f"the process that worked on this ended: {how_it_ended(child.process.exitcode)}"
            self._end(child, DataError(f"{ended}\n  {self._remedy}"))
            return
        child.heard = self._now()
        if message != READY:
            number, answer, error = message
            if error == OUT_OF_MEMORY:
                error = f"this needs more than {self._limits.memory:,} MiB of memory\n  {self._remedy}"
            child.asked.pop(number).finish(answer, None if error is None else DataError(error))

    def _end(self, child: AnsweringChild, why: NumbatError) -> None:
        """End a process: its only request gets the error; of several, those that nobody replaced are tried again."""
        self._children.remove(child)
        child.end()
        asked = [*child.asked.values()]
        again = [request for request in asked if request.replaced is None and len(asked) > 1]
        for request in asked:
            request.is_alone = True
            if request not in again:
                request.finish(None, why if request.replaced is None else _dropped())
        self._waiting.extendleft(reversed(again))


def _closed() -> NumbatError:
    return DataError("the server was ended\n  start it again")


def _dropped() -> NumbatError:
    return DroppedError("a newer request has replaced this one")
