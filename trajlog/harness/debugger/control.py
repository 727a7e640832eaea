"""The debuggee's control thread: reads requests, also while the program runs, and has them done.

It is no `threading` thread, so the program does not see it, and it is not traced. Requests `{id, cmd, ...}`, answers
`{id, ...}` or `{id, error}`:

    break {number, file, line, condition, function}  -> {line, text, function, note, armed}; refused if it is to be in
                                              another function
    stop_of {thread}                          -> {} if that thread is at a stop
    unbreak {number}                          -> {}
    hits {}                                   -> {counts}: number, hits, entries of its function
    where {thread}                            -> {lines}
    stacks {}                                 -> {lines}: every thread, who holds which lock, and asyncio's tasks
    locals, print, eval {thread, frame, ...}  -> {lines} or {value}, computed in the thread that is stopped
    go {how, thread}                          -> no answer: the next event is one (how: continue over into out entry)
    wait {}                                   -> no answer: any thread's stop may be published
    interrupt {thread}                        -> {} once asked for; the stop is an event
    cancel {}, let_go {}                      -> no answer of their own: the evaluation's answer comes sooner

Every answer and event carries `edited`: files that are no longer what was loaded.
"""

import select
from _thread import start_new_thread

from . import frames, lines, locks, lookup, values
from .state import Breakpoint, Step
from .stops import Interrupted

NUDGE_EVERY_MS = 50


class Refused(Exception):
    """A request that cannot be met; the message is meant for the agent."""


class Control:
    def __init__(self, channel, tracer) -> None:
        self._channel = channel
        self._tracer = tracer
        self._files = tracer.files
        self._begin = None
        self._evaluating = None
        self._nudging = False

    def start(self, begin) -> None:
        """Serve requests in a new thread; `begin()` is called once, when the first `go` lets the program start."""
        self._begin = begin
        start_new_thread(self._serve, ())

    def publish(self, stop) -> None:
        """Tell the other side of a stop (called by the thread that stops, or by ours)."""
        self._nudging = False
        self._tracer.interrupts.answered()
        self._send(event="stopped", **self._described(stop))

    def _serve(self) -> None:
        poll = select.poll()
        poll.register(self._channel.fd, select.POLLIN)
        while True:
            if not poll.poll(NUDGE_EVERY_MS if self._nudging else None):
                self._tracer.interrupts.nudge()
                continue
            request = self._channel.receive()
            try:
                answer = getattr(self, f"_do_{request['cmd']}")(request)
            except Refused as error:
                answer = {"error": str(error)}
            except Exception as error:
                answer = {"error": f"the debugger failed: {values.show_exception(error)}"}
            if answer is not None:
                self._send(id=request["id"], **answer)

    def _send(self, **message: object) -> None:
        self._channel.send(edited=self._files.edited()[:10], **message)

    def _described(self, stop) -> dict:
        frame, line = stop.places[0]
        file = frame.f_code.co_filename
        texts = self._files.lines(file)
        around = range(max(1, line - 2), min(len(texts), line + 2) + 1)
        return {
            "reason": stop.reason,
            "note": stop.note,
            "file": self._files.shown(file),
            "line": line,
            "function": frame.f_code.co_qualname,
            "thread": frames.thread_name(stop.state.ident),
            "source": [[number, texts[number - 1][:200]] for number in around],
            "queued": sum(self._tracer.stops.at(ident) is not None for ident in list(self._tracer.states)) - 1,
        }

    # Breakpoints.

    def _do_break(self, request: dict) -> dict:
        file, line, condition = request["file"], request["line"], request["condition"]
        path, source = self._files.real(file), self._files.source(file)
        if path is None or source is None:
            raise Refused(f"{file} is not a file of the workspace.")
        try:
            problem, note = lines.check_line(source, file, line)
            function, names = lines.function_at(source, file, line)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise Refused(f"{file} does not compile: {values.show_exception(error)}") from None
        if problem:
            raise Refused(problem)
        if request["function"] not in (None, function):
            raise Refused(f"line {line} of {file} is in {function}.")
        try:
            found = Breakpoint(request["number"], path, line, names, condition)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise Refused(f"the condition is not an expression: {values.show_exception(error)}") from None
        armed = self._files.shown(path) not in self._files.edited()
        if armed:
            self._tracer.breakpoints[found.number] = found
            self._tracer.changed_breakpoints()
        text = lines.source_lines(source.decode("utf-8", errors="replace"))[line - 1].strip()[:200]
        return {"line": line, "text": text, "function": function, "note": note, "armed": armed}

    def _do_unbreak(self, request: dict) -> dict:
        if self._tracer.breakpoints.pop(request["number"], None) is not None:
            self._tracer.changed_breakpoints()
        return {}

    def _do_hits(self, request: dict) -> dict:
        found = self._tracer.breakpoints.values()
        return {"counts": [[breakpoint.number, breakpoint.hits, breakpoint.entered] for breakpoint in found]}

    # Movement.

    def _do_go(self, request: dict) -> None:
        how, stops = request["how"], self._tracer.stops
        if self._begin is not None:
            self._tracer.first_step = Step("entry") if how != "continue" else None
            begin, self._begin = self._begin, None
            begin()
            return
        stop = self._stop_of(request["thread"])
        if how != "continue":
            stop.state.step = Step(how, stop.places[0][0])
        stops.resume(stop, alone=how != "continue")

    def _do_wait(self, request: dict) -> None:
        self._tracer.stops.publish_any()

    def _do_interrupt(self, request: dict) -> dict:
        ident = self._ident(request["thread"]) if request["thread"] else None
        self._tracer.stops.publish_any()
        if self._tracer.stops.focus is None:
            problem = self._tracer.interrupts.ask(ident)
            if problem is not None:
                raise Refused(problem)
            self._nudging = True
            self._tracer.interrupts.nudge()
        return {}

    # Looking.

    def _do_stop_of(self, request: dict) -> dict:
        self._stop_of(request["thread"])
        return {}

    def _do_where(self, request: dict) -> dict:
        if request["thread"] and self._tracer.stops.at(ident := self._ident(request["thread"])) is None:
            places = frames.own_frames(frames.living_threads().get(ident, []), self._files)
            said = locks.Locks(frames.living_threads(), self._files).describe(ident)
            return {
                "lines": [
                    "it runs, or waits in a call; its stack now:",
                    *frames.stack_lines(places, self._files),
                    *said,
                ]
            }
        return {"lines": frames.stack_lines(self._stop_of(request["thread"]).places, self._files)}

    def _do_stacks(self, request: dict) -> dict:
        return {"lines": self._threads() + frames.waiting_tasks(self._files)}

    def _threads(self) -> list[str]:
        living = frames.living_threads()
        held = locks.Locks(living, self._files)
        found = []
        for ident, places in sorted(living.items(), key=lambda item: self._number(item[0])):
            stop = self._tracer.stops.at(ident)
            if stop is not None and stop is self._tracer.stops.focus:
                state = f"is stopped ({stop.reason})"
            elif stop is not None:
                state = f"waits at its own stop ({stop.reason})"
            else:
                state = "runs"
            # After the fact of an uncaught exception only the stop still has the frames.
            own = frames.own_frames(places, self._files) if stop is None else stop.places
            where = frames.short_stack(own, self._files)
            said = [state, f"at {where}", *(held.describe(ident) if stop is None else held.describe(ident)[-1:])]
            found.append(f"thread {self._number(ident)} {frames.thread_name(ident)} {', '.join(said)}")
        return found[:40]

    def _do_locals(self, request: dict) -> None:
        self._in_thread(request, lambda frame: {"lines": values.show_locals(frame.f_locals)})

    def _do_print(self, request: dict) -> None:
        def look(frame) -> dict:
            try:
                found = lookup.value_at(request["name"], frame)
            except lookup.NotStored as error:
                raise Refused(str(error)) from None
            return {"value": f"{request['name'].strip()} = {values.show(found, values.LONG)}"}

        self._in_thread(request, look)

    def _do_eval(self, request: dict) -> None:
        try:
            code = compile(request["expression"].strip(), "<expression>", "eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise Refused(f"not an expression: {getattr(error, 'msg', error)}. Statements are not run.") from None

        def evaluate(frame) -> dict:
            try:
                result = eval(code, {**frame.f_globals, **frame.f_locals})
            except Interrupted:
                raise
            except BaseException as error:
                raise Refused(values.show_exception(error)) from None
            return {"value": values.show(result, values.RESULT)}

        self._in_thread(request, evaluate)

    def _in_thread(self, request: dict, look) -> None:
        """Have `look(frame)` done by the thread that is stopped; its answer is sent from there."""
        stop = self._stop_of(request["thread"])
        number = request["frame"]
        if not 0 <= number < len(stop.places):
            raise Refused(f"there is no frame #{number}; where_am_i shows frames #0 to #{len(stop.places) - 1}.")
        frame, state = stop.places[number][0], stop.state

        def task() -> None:
            try:
                state.quiet = True
                try:
                    answer = look(frame)
                finally:
                    state.quiet = False
                    self._tracer.interrupts.evaluated(state)
            except Refused as error:
                answer = {"error": str(error)}
            except Interrupted:
                answer = {"error": "it was interrupted.", "interrupted": True}
            except BaseException as error:
                answer = {"error": f"it could not be shown: {values.show_exception(error)}"}
            self._evaluating = None
            self._nudging = False
            self._tracer.stops.hold_again()
            self._send(id=request["id"], **answer)

        self._evaluating = state
        stop.inbox.put(task)

    def _do_cancel(self, request: dict) -> None:
        if self._evaluating is not None:
            self._nudging = True
            self._tracer.interrupts.cancel(self._evaluating)

    def _do_let_go(self, request: dict) -> None:
        if self._evaluating is not None:
            self._tracer.stops.let_others_go()
            self._tracer.interrupts.cancel(self._evaluating)

    # Threads by name or number.

    def _number(self, ident: int) -> int:
        state = self._tracer.states.get(ident)
        return state.number if state is not None else 0

    def _ident(self, wanted: str) -> int:
        for ident in frames.living_threads():
            if wanted in (frames.thread_name(ident), str(self._number(ident))):
                return ident
        raise Refused(f"there is no thread {wanted!r}; list_threads shows them.")

    def _stop_of(self, wanted: str | None):
        stops = self._tracer.stops
        if wanted:
            stop = stops.at(self._ident(wanted))
            if stop is None:
                raise Refused(f"thread {wanted} is not at a stop; where_am_i with its name shows where it is.")
            return stop
        if stops.focus is None:
            raise Refused("the program is not stopped.")
        return stops.focus
