"""Reaching a thread that runs: to stop it where it is, or to break off an evaluation.

Loaded by path inside the debuggee. The main thread is reached by a signal, whose handler runs out of a lock wait or a
sleep too, and may stop right there: on return the wait goes on. Another thread is reached at its next traced line, or,
in an evaluation, by an asynchronous exception, which breaks loops but no waits.
"""

import bdb
import contextlib
import ctypes
import signal
import threading

from . import frames, lines, stops, values
from .state import Step, ThreadState

MAIN = threading.main_thread().ident
WAKE = signal.SIGRTMIN + 9 if hasattr(signal, "SIGRTMIN") else signal.SIGUSR2
"""Sent by the control thread to the main one."""
WAKE_FROM_OUTSIDE = signal.SIGRTMIN + 10 if hasattr(signal, "SIGRTMIN") else signal.SIGUSR2
"""Sent from outside when C code holds the interpreter, so that no thread here can ask; some of it lets signals
through."""


class Interrupts:
    """`stop_main(places)` stops the main thread in the handler; `follow(state, frame)` has a frame traced."""

    def __init__(self, files, states: dict[int, ThreadState], at_stop, follow, stop_main) -> None:
        self._files = files
        self._states = states
        self._at_stop, self._follow, self._stop_main = at_stop, follow, stop_main
        self._wanted: str | None = None

    def install(self) -> None:
        signal.signal(WAKE, self._on_signal)
        signal.signal(WAKE_FROM_OUTSIDE, self._on_signal)

    def ask(self, ident: int | None) -> str | None:
        """Stop a running thread (None: the main one) at its next line, the main one also where it waits. Returns why
        that cannot be, or None; `nudge` is to be called until a stop comes."""
        own = {}
        for found, places in frames.living_threads().items():
            places = frames.own_frames(places, self._files)
            if places and found in self._states and self._at_stop(found) is None:
                own[found] = places
        chosen = [found for found in ([MAIN] if ident is None else [ident]) if found in own]
        if not chosen and ident is None:
            chosen = list(own)
        if not chosen:
            return "no thread runs code of the program now; it may be starting or ending."
        for found in chosen:
            self._states[found].step = Step("any")
            for frame, _ in own[found]:
                self._follow(self._states[found], frame)
        self._wanted = "stop" if MAIN in chosen else None
        return None

    def answered(self) -> None:
        """A stop has come: other threads that were asked to stop run on."""
        self._wanted = None
        for state in list(self._states.values()):
            if state.step is not None and state.step.kind == "any":
                state.step = None

    def nudge(self) -> None:
        """Wake the main thread if it is wanted."""
        if self._wanted is not None and signal.getsignal(WAKE) == self._on_signal:
            signal.pthread_kill(MAIN, WAKE)

    def cancel(self, state: ThreadState) -> None:
        """Raise Interrupted in the evaluation that `state`'s thread runs."""
        if state.ident == MAIN:
            self._wanted = "cancel"
            self.nudge()
        elif state.quiet and not state.cancelled:
            state.cancelled = True
            raised = ctypes.py_object(stops.Interrupted)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(state.ident), raised)

    def evaluated(self, state: ThreadState) -> None:
        """The evaluation has ended, in `state`'s own thread: nothing is to be raised any more."""
        if self._wanted == "cancel":
            self._wanted = None
        if state.cancelled:
            # What is still pending is raised here at once. (Taking it back by a null exception leaves CPython 3.11
            # with a flag that a traced function then waits for, for ever.)
            state.cancelled = False
            with contextlib.suppress(stops.Interrupted):
                for _ in range(100):
                    pass

    def _on_signal(self, number: int, frame) -> None:
        state = self._states.get(MAIN)
        wanted = self._wanted or ("stop" if number == WAKE_FROM_OUTSIDE else None)
        if state is None or wanted is None:
            return  # it came late, or to a forked child
        if state.quiet:  # an expression, or the condition of a breakpoint
            raise stops.Interrupted
        if wanted == "cancel":
            return
        places = frames.chain(frame)
        own = next((n for n, found in enumerate(places) if self._files.own(found[0].f_code)), None)
        if own is None or any(found[0].f_code.co_filename in _OURS for found in places[:own]):
            return  # in the midst of ours: the next nudge finds it elsewhere
        self._wanted = None
        self._stop_main(frames.own_frames(places, self._files))


_OURS = {
    *(module.__file__ for module in (bdb, frames, lines, stops, values)),
    __file__,
    __file__.replace("interrupts.py", "tracer.py"),
}
