"""Stops of threads: one is published at a time, the others that reach theirs wait in a queue and are listed.

A thread that stops waits on an inbox of its own: a function found there is called in that thread (evaluations), None
lets it go. `focus` is the published stop. After a step of one thread only that thread's next stop is published, until
it comes, the thread has no more lines to stop at, or the agent waits for anything (`publish_any`).
"""

from _queue import SimpleQueue
from _thread import allocate_lock, get_ident
from time import sleep as _sleep


class Interrupted(BaseException):
    """Raised into an evaluation that took too long."""


class Stop:
    """One thread at one place. `places` are (frame, line) of the program's own files, innermost first."""

    def __init__(self, state, places: list, reason: str, note: str = "") -> None:
        self.state, self.places, self.reason, self.note = state, places, reason, note
        self.inbox = SimpleQueue()
        self.published = False


class Stops:
    """`publish` is called with each stop that becomes the focus, while no other can."""

    def __init__(self, publish) -> None:
        self._publish = publish
        self._lock = allocate_lock()
        self._waiting: dict[int, Stop] = {}
        self._awaited: int | None = None
        self.focus: Stop | None = None
        self.letting_go = False

    def arrive(self, stop: Stop) -> None:
        """Called in the thread that stops; returns when it is let go."""
        if self.letting_go and self.focus is not None:
            return
        with self._lock:
            self._waiting[get_ident()] = stop
            self._publish_next()
        while True:
            try:
                task = stop.inbox.get()
                if task is None:
                    return
                task()
            except Interrupted:  # it came too late to interrupt anything
                continue

    def at(self, ident: int) -> Stop | None:
        """The stop at which a thread waits, published or not."""
        return self._waiting.get(ident)

    def resume(self, stop: Stop, *, alone: bool) -> None:
        """Let `stop`'s thread go: `alone` for a step, else with every other thread whose stop was published."""
        with self._lock:
            going = [stop] if alone else [other for other in self._waiting.values() if other.published]
            for other in going:
                del self._waiting[other.state.ident]
            self.focus = None
            self._awaited = stop.state.ident if alone else None
            self._publish_next()
        for other in going:
            other.inbox.put(None)

    def publish_any(self) -> None:
        """Publish the next stop of whichever thread."""
        with self._lock:
            self._awaited = None
            self._publish_next()

    def no_more(self, ident: int) -> None:
        """A thread that steps has come to its end, or to code that is not stepped through."""
        if self._awaited == ident:
            self.publish_any()

    def let_others_go(self) -> None:
        """Release all but the focus, and let none stop, until `hold_again`: an evaluation may wait for them."""
        with self._lock:
            self.letting_go = True
            others = [stop for stop in self._waiting.values() if stop is not self.focus]
            for stop in others:
                del self._waiting[stop.state.ident]
        for stop in others:
            stop.inbox.put(None)

    def hold_again(self) -> None:
        self.letting_go = False

    def wait_until_none(self) -> None:
        """The program has ended: threads at a stop are still looked at, until they are let go."""
        while self._waiting:
            _sleep(0.01)

    def _publish_next(self) -> None:
        if self.focus is not None:
            return
        for stop in self._waiting.values():
            if not stop.published and self._awaited in (None, stop.state.ident):
                stop.published = True
                self.focus, self._awaited = stop, None
                self._publish(stop)
                return
