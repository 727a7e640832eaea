"""The tracer: a bdb subclass whose steps are per thread and whose cost is per code object.

Loaded by path inside the debuggee. A call of a function whose name no breakpoint's function has costs one set lookup
(in a loop over one function: one comparison), and its lines cost nothing. Steps follow frames by identity, so a step
over `await` or in one of many threads does not wander into another task or thread. Threads started through `threading`
are traced from their first call.
"""

import bdb
import inspect
import opcode
import sys
import threading
from _thread import get_ident

from . import frames, lines, stops, values
from .interrupts import MAIN, Interrupts
from .state import Breakpoint, Step, ThreadState

_SUSPENDS = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_GENERATORS = _SUSPENDS | inspect.CO_GENERATOR
_YIELD, _RESUME = opcode.opmap["YIELD_VALUE"], opcode.opmap["RESUME"]
_QUIET_ENDS = (StopIteration, StopAsyncIteration, GeneratorExit)
_INLINED = sys.version_info >= (3, 12)
_NONE: frozenset[int] = frozenset()

_settrace, _gettrace, _getframe = sys.settrace, sys.gettrace, sys._getframe


class Tracer(bdb.Bdb):
    def __init__(self, files, publish) -> None:
        super().__init__()
        self.reset()
        self.files = files
        self.stops = stops.Stops(publish)
        self.breakpoints: dict[int, Breakpoint] = {}
        self.states: dict[int, ThreadState] = {}
        self._entry_code = None
        self.lost = False
        self.first_step: Step | None = None
        """`entry` if the program is to stop at its first line."""
        self._names: set[str] = {"<module>"}
        self._skipped: list = [None]
        """The code object last called that no breakpoint's function can be; a loop over one function costs least."""
        self._stop_lines: dict[int, frozenset[int]] = {}
        self._kept: dict[int, object] = {}
        self._num_threads = 0
        self.interrupts = Interrupts(files, self.states, self.stops.at, self._follow, self._stop_main)

    # Set-up and end.

    def trace(self, function) -> None:
        """Call `function` under the tracer, in this thread and in those it starts."""
        state = self._new_state()
        state.step = self.first_step
        self.interrupts.install()
        threading.settrace(self._thread_started)
        threading.excepthook = self._thread_raised
        _settrace(state.on_call)
        try:
            function()
        finally:
            self.lost = self.lost or _gettrace() not in (state.on_call, state.on_call_into)
            self.untrace()

    def last_note(self) -> str:
        """What the last step of the main thread saw and no stop has told: what its function returned."""
        return self.states[MAIN].note

    def untrace(self) -> None:
        _settrace(None)
        threading.settrace(None)

    def expect_entry(self, code) -> None:
        """`code` is where the program begins for its reader: a step from its start stops at its first line."""
        self._entry_code = code
        self._names.add(code.co_name)

    def rearm(self) -> None:
        """Trace the present thread again if something has turned tracing off in it (pytest runs the next test)."""
        state = self._state()
        if state is not None and _gettrace() is None:
            self.lost = True
            _settrace(state.on_call)

    def changed_breakpoints(self) -> None:
        """Breakpoints came or went: forget what was decided, and trace what is active in their functions."""
        names = {"<module>"}.union(*(found.names for found in self.breakpoints.values()))
        if self._entry_code is not None:
            names.add(self._entry_code.co_name)
        self._names |= names  # never without a name that is wanted: other threads look at it meanwhile
        self._names &= names
        self._stop_lines.clear()
        self._skipped[0] = None
        for ident, places in frames.living_threads().items():
            state = self.states.get(ident)
            for frame, _ in places if state is not None else ():
                if frame.f_code.co_name in self._names and self._lines_of(frame.f_code):
                    self._follow(state, frame)

    # Trace functions.

    def _new_state(self) -> ThreadState:
        self._num_threads += 1
        state = ThreadState(get_ident(), self._num_threads)
        known, entered, learn = self._stop_lines, self._entered, self._lines_of

        def on_event(frame, event, arg):
            code = frame.f_code
            if event == "line" and state.step is None:
                stop_lines = known.get(id(code))
                if stop_lines is None:
                    stop_lines = learn(code)
                if frame.f_lineno not in stop_lines:
                    if not stop_lines:
                        frame.f_trace = None
                        return None
                    state.moved = True
                    return on_event
            if not state.quiet:
                self.trace_dispatch(frame, event, arg)
            return on_event

        def on_call(frame, event, arg, skipped=self._skipped, names=self._names):
            code = frame.f_code
            if code is skipped[0]:
                return None
            if code.co_name in names:
                return entered(state, frame)
            skipped[0] = code
            if frame.f_trace is None:  # else a coroutine that is stepped through comes back
                frame.f_trace_lines = False
            return None

        def on_call_into(frame, event, arg):  # while the thread steps into calls: every function of the program
            wanted = entered(state, frame)
            return self._follow(state, frame) if wanted is None and self.files.own(frame.f_code) else wanted

        state.on_event, state.on_call, state.on_call_into = on_event, on_call, on_call_into
        self.states[state.ident] = state
        return state

    def _thread_started(self, frame, event, arg):
        state = self._new_state()
        _settrace(state.on_call)
        return state.on_call(frame, event, arg)

    def _entered(self, state: ThreadState, frame):
        code = frame.f_code
        if not self.files.own(code):
            return None
        if code.co_name == "<module>":
            self.files.loaded(code.co_filename)
        if code is self._entry_code:
            self._entry_code = None
            if state.step is not None:
                state.step = Step("over", frame)
                state.step.reason = "entry"
                return self._follow(state, frame)
        stop_lines = self._lines_of(code)
        if not stop_lines:
            return None
        if not state.quiet and (not code.co_flags & _GENERATORS or frame.f_lineno == code.co_firstlineno):
            for found in self._breakpoints_of(code):
                found.entered += 1
        return self._follow(state, frame)

    def _follow(self, state: ThreadState, frame):
        """Have the frame traced line by line in the thread of `state`; its trace function."""
        frame.f_trace = state.on_event
        frame.f_trace_lines = True
        return state.on_event

    def _lines_of(self, code) -> frozenset[int]:
        """Lines of the code object that have a breakpoint; remembered until breakpoints change."""
        found = self._stop_lines.get(id(code))
        if found is None:
            found = frozenset(breakpoint.line for breakpoint in self._breakpoints_of(code)) or _NONE
            self._kept[id(code)] = code  # so that no other code object gets its id
            self._stop_lines[id(code)] = found
        return found

    def _breakpoints_of(self, code) -> list[Breakpoint]:
        near = [found for found in list(self.breakpoints.values()) if code.co_name in found.names]
        if not near:
            return []
        real, own = self.files.real(code.co_filename), lines.stop_lines(code)
        return [found for found in near if found.file == real and found.line in own]

    def _state(self) -> ThreadState | None:
        return self.states.get(get_ident())

    # What bdb dispatches to.

    def dispatch_line(self, frame) -> None:
        state = self._state()
        state.raising = None
        if state.quiet or self._same_line_still(state, frame):
            return
        step, reached = state.step, self._reached(state, frame)
        stepped = step is not None and self._steps_here(step, frame)
        if reached is not None:
            self._stop(state, frame, f"breakpoint {reached.number}")
        elif stepped:
            self._stop(state, frame, step.reason)

    def dispatch_return(self, frame, value) -> None:
        """A frame that is stepped through returns, yields or is left by an exception.

        A step over stops in it once more, its locals at hand, unless it is a class body or a module; the next step is
        in its caller. A step out goes to the caller at once. Without a caller in the program's files it runs on.
        """
        state = self._state()
        step = state.step
        if step is None or frame not in step.frames or state.quiet:
            return
        flags, caller = frame.f_code.co_flags, self._caller(frame)
        if flags & _GENERATORS and _at_yield(frame):
            if flags & inspect.CO_GENERATOR and caller is not None:
                self._also(state, step, frame, caller, value)
            return
        raised = state.raising is frame
        if not raised and flags & inspect.CO_OPTIMIZED:
            state.note = state.note or f"{frame.f_code.co_name} returns {values.show(value, values.Bounds(chars=200))}"
        if step.kind in ("over", "into") and flags & inspect.CO_OPTIMIZED:
            self._stop(state, frame, "exception" if raised else "return")
            step = state.step
            if step is None or frame not in step.frames:
                return
        if caller is None:
            state.step = None
            self.stops.no_more(state.ident)
            return
        state.step = Step("into" if step.kind == "into" else "over", caller)
        state.raising = caller if raised else None
        self._follow(state, caller)

    def dispatch_exception(self, frame, info) -> None:
        state = self._state()
        if state.step is not None and frame in state.step.frames and not issubclass(info[0], _QUIET_ENDS):
            state.raising = frame
            state.note = f"raised {values.show_exception(info[1])}"

    def _also(self, state: ThreadState, step: Step, frame, caller, value) -> None:
        """A generator yields: its consumer runs now; the step ends there or in the generator, whichever comes first."""
        state.note = f"{frame.f_code.co_name} yields {values.show(value, values.Bounds(chars=200))}"
        kept = () if step.kind == "out" else (frame,)
        state.step = Step("into" if step.kind == "into" else "over", *kept, caller)
        self._follow(state, caller)

    def _same_line_still(self, state: ThreadState, frame) -> bool:
        """Whether this is a comprehension going round, which is part of its function since CPython 3.12."""
        last_frame, last_line, first_instruction = state.last
        moved, state.moved = state.moved, False
        here = (frame, frame.f_lineno)
        if _INLINED and not moved and here == (last_frame, last_line) and frame.f_lasti > first_instruction:
            return True
        state.last = (*here, frame.f_lasti)
        return False

    def _steps_here(self, step: Step, frame) -> bool:
        if step.kind == "any":
            return self.files.own(frame.f_code)
        if step.kind == "out":
            return False
        if frame in step.frames:
            return True
        if step.kind != "into" or frame.f_code.co_name in lines.COMPREHENSIONS or not self.files.own(frame.f_code):
            return False
        above = frame.f_back
        while above is not None and above not in step.frames:
            above = above.f_back
        return above is not None

    def _reached(self, state: ThreadState, frame) -> Breakpoint | None:
        if frame.f_lineno not in self._lines_of(frame.f_code):
            return None
        reached = None
        for found in self._breakpoints_of(frame.f_code):
            if found.line == frame.f_lineno and self._holds(state, found, frame):
                found.hits += 1
                reached = reached or found
        return reached

    def _holds(self, state: ThreadState, found: Breakpoint, frame) -> bool:
        """Whether the condition is true; one that raises counts as true, so that it is seen, and is named."""
        if found.condition is None:
            return True
        state.quiet = True
        try:
            return bool(eval(found.condition, {**frame.f_globals, **frame.f_locals}))
        except BaseException as error:
            state.note = f"its condition raised {values.show_exception(error)}"
            return True
        finally:
            state.quiet = False

    def _caller(self, frame):
        """The nearest frame of the program's own files below this one."""
        caller = frame.f_back
        while caller is not None and not self.files.own(caller.f_code):
            caller = caller.f_back
        return caller

    # Stopping.

    def _stop(self, state: ThreadState, frame, reason: str) -> None:
        """Stop this thread at `frame`, in a trace function, until it is let go."""
        self._wait(state, frames.own_frames(frames.chain(frame), self.files), reason)
        # What other threads stored in variables of a closure meanwhile must not be undone when the interpreter writes
        # its snapshot of the locals back (CPython before 3.13).
        frame.f_locals  # noqa: B018

    def _wait(self, state: ThreadState, places: list, reason: str) -> None:
        stop = stops.Stop(state, places, reason, state.note)
        state.note, state.step = "", None
        self.stops.arrive(stop)
        step = state.step
        self._skipped[0] = None  # a thread may have stored it while breakpoints changed
        _settrace(state.on_call_into if step is not None and step.kind == "into" else state.on_call)
        for frame in step.frames if step is not None else ():
            self._follow(state, frame)

    def _stop_main(self, places: list) -> None:
        self._wait(self.states[MAIN], places, "interrupt")

    def stop_here(self, frame=None) -> None:
        """`breakpoint()` was called: stop at `frame`, or at the caller of the hook that calls this."""
        state = self._state()
        places = frames.own_frames(frames.chain(frame or _getframe(2)), self.files)
        if state is None or state.quiet or not places:
            return
        self._wait(state, places, "breakpoint() in the code")

    def post_mortem(self, error: BaseException) -> None:
        """Stop where an exception that nothing caught was raised, if that is in the program."""
        state = self._state()
        places = frames.own_frames(frames.traceback_chain(error), self.files)
        if state is None or not places or state.quiet:
            return
        state.note = values.show_exception(error)
        self._wait(state, places, "uncaught exception")
        state.step = None  # its frames have ended
        self.stops.no_more(state.ident)

    def _thread_raised(self, arguments) -> None:
        if arguments.exc_value is not None:
            self.post_mortem(arguments.exc_value)
        threading.__excepthook__(arguments)


def _at_yield(frame) -> bool:
    """Whether a generator or coroutine that `returns` is only suspended."""
    code = frame.f_code.co_code
    here = frame.f_lasti
    after = here >= 2 and code[here] == _RESUME and code[here - 2] == _YIELD  # where CPython 3.13 says it is
    return 0 <= here < len(code) and (code[here] == _YIELD or after)
