"""The debugger as its user sees it: one program at a time, commands with deadlines, short replies.

States: `ready` (loaded, not started; breakpoints can be set), `stopped` (a thread is at a line), `running` (let go, and
no stop within the deadline), `exited`. A reply always says which. A program that stays `running` can be waited for,
interrupted, looked at by its threads, and ended. Breakpoints outlive the program: the next one begins with those whose
line is still there.

What a debuggee says comes from a process that the agent's code runs in: an observation, never evidence for grading.
"""

from __future__ import annotations

import json
import shlex
import signal
from pathlib import PurePosixPath
from typing import Any, Literal

import msgspec

from trajlog.harness.debugger.breakpoints import Breakpoint, find_again, never_hit
from trajlog.harness.debugger.channel import LOST
from trajlog.harness.debugger.dump import split_dump
from trajlog.harness.debugger.wire import Ended, Gone, Message, Wire
from trajlog.harness.output import BoundedOutput
from trajlog.harness.sandbox.base import Process, Sandbox
from trajlog.harness.workspace import PathRefused

MAX_ARGUMENT_CHARS = 4000
MAX_BREAKPOINTS = 100
OUTPUT_BYTES = 2000
DUMP_BYTES = 64 * 1024

State = Literal["ready", "stopped", "running", "exited"]


class Deadlines(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds. A movement has the sandbox's command deadline instead."""

    start_s: float = 20.0
    """Until a program is loaded."""
    answer_s: float = 5.0
    """Of an expression or a look at values."""
    grace_s: float = 2.0
    """For each thing that is tried on what passed its deadline, before the next."""


class Reply(msgspec.Struct, frozen=True):
    text: str
    is_error: bool = False


class DebuggerSession:
    """The debugger of one episode; it holds at most one program, and its breakpoints over all of them.

    >>> session = DebuggerSession(sandbox)  # doctest: +SKIP
    >>> session.start("main.py").text  # doctest: +SKIP
    'main.py is loaded, not started. Add breakpoints, then continue_execution.'
    """

    def __init__(self, sandbox: Sandbox, deadlines: Deadlines | None = None) -> None:
        self.state: State = "exited"
        self._sandbox = sandbox
        self._deadlines = deadlines or Deadlines()
        self._breakpoints: dict[int, Breakpoint] = {}
        self._next_number = 1
        self._process: Process | None = None
        self._wire: Wire | None = None
        self._told_edited: set[str] = set()
        self._signals: dict[str, int] = {}

    # Start and end.

    def start(self, path: str, *, is_test: bool = False, test: str | None = None, args: str = "") -> Reply:
        """Load a script, or with `is_test` a test file (`test` narrows it to tests of that name); end the one before.

        Raises SandboxError.
        """
        self.close()
        if is_test and args:
            return Reply("args are for scripts; give a test name in test.", is_error=True)
        try:
            target = {"path": path, "is_test": is_test, "test": test, "args": shlex.split(args)}
        except ValueError as error:
            return Reply(f"args cannot be split into words: {error}.", is_error=True)
        debuggee = str(self._sandbox.code / "debugger/debuggee.py")
        self._process = self._sandbox.start(
            [self._sandbox.python, "-P", "-s", debuggee, "{channel}", json.dumps(target)]
        )
        self._wire, self._told_edited = Wire(self._process), set()
        self._process.output = BoundedOutput(OUTPUT_BYTES)
        try:
            event = self._next_event(self._deadlines.start_s)
            if event is None or event.event != "ready":
                reason = (event and event.error) or f"{path} did not load within {self._deadlines.start_s:.0f} s."
                self.close()
                return Reply(reason, is_error=True)
            self.state = "ready"
            self._signals = {"dump": event.dump, "wake": event.wake}
            loaded = f"{path} is loaded, not started. Add breakpoints, then continue_execution."
            return Reply("\n".join([loaded, *self._set_again()]))
        except Ended as end:
            return self._ended(end)

    def stop(self) -> Reply:
        was = self.state
        self.close()
        return Reply("the debugger is stopped." if was != "exited" else "the program had already ended.")

    def close(self) -> None:
        """Kill the program and all it started. Safe to call again."""
        self.state = "exited"
        if self._process is not None:
            self._process.close()
            self._process = self._wire = None

    # Breakpoints.

    def add_breakpoint(self, file: str, line: int, condition: str | None = None) -> Reply:
        if len(self._breakpoints) >= MAX_BREAKPOINTS:
            return Reply(f"there are {MAX_BREAKPOINTS} breakpoints; remove some first.", is_error=True)
        path, root = PurePosixPath(file), self._sandbox.workspace.root
        file = str(path.relative_to(root) if path.is_relative_to(root) else path)  # one spelling, one breakpoint
        same = [b for b in self._breakpoints.values() if (b.file, b.line, b.condition) == (file, line, condition)]
        if same:
            return Reply(f"there already: {same[0].describe()}")
        request = {"number": self._next_number, "file": file, "line": line, "condition": condition or None}
        answer = self._ask("break", "ready stopped running", **request, function=None)
        if isinstance(answer, Reply):
            return answer
        added = Breakpoint(**request, text=answer.text, function=answer.function)
        self._breakpoints[added.number] = added
        self._next_number += 1
        lines = [added.describe()]
        lines += [f"note: {answer.note}"] if answer.note else []
        if not answer.armed:
            lines.append(f"note: {file} was edited after it was loaded; this one counts from the next start_debugger")
        return self._finish(answer, "\n".join(lines), with_output=False)

    def remove_breakpoint(self, number: int) -> Reply:
        removed = self._breakpoints.pop(number, None)
        if removed is None:
            return Reply(f"there is no breakpoint {number}; list_breakpoints shows them.", is_error=True)
        text = f"removed {removed.describe()}"
        if self.state == "exited":
            return Reply(text)
        answer = self._ask("unbreak", "ready stopped running", number=number)
        return answer if isinstance(answer, Reply) else self._finish(answer, text, with_output=False)

    def list_breakpoints(self) -> Reply:
        if not self._breakpoints:
            return Reply("no breakpoints.")
        if self.state == "exited":
            return Reply("\n".join(found.describe() for found in self._breakpoints.values()))
        answer = self._ask("hits", "ready stopped running")
        if isinstance(answer, Reply):
            return answer
        hits = {number: f" (hit {hits} times)" for number, hits, _ in answer.counts}
        shown = [f"{found.describe()}{hits.get(found.number, '')}" for found in self._breakpoints.values()]
        return self._finish(answer, "\n".join(shown), with_output=False)

    # Movement.

    def continue_execution(self) -> Reply:
        """Run to the next stop, the end, or the sandbox's command deadline; wait on if it is running."""
        return self._move("continue", None)

    def step(self, how: Literal["over", "into", "out"], thread: str | None = None) -> Reply:
        """Move one thread; the others at stops stay there. From `ready`, run to the program's first line."""
        if self.state == "ready" and how == "out":
            return Reply("the program has not started; continue_execution starts it.", is_error=True)
        if self.state == "running":
            return Reply(
                "the program is running; continue_execution waits for its next stop, interrupt stops it.", True
            )
        if thread:
            answer = self._ask("stop_of", "stopped", thread=thread)
            if isinstance(answer, Reply):
                return answer
        return self._move(how, thread)

    def interrupt(self, thread: str | None = None) -> Reply:
        """Stop the running program where it is: the main thread at once, another at its next line."""
        if self.state == "stopped":
            return Reply("the program is stopped already; where_am_i shows where.")
        if self.state == "ready":
            return Reply("the program has not started; step_into stops at its first line.", is_error=True)
        try:
            refused = self._refused("running", {"thread": thread})
            if refused is not None:
                return refused
            answer = self._answer(self._request("interrupt", thread=thread), self._deadlines.grace_s)
            if answer is not None and answer.error is not None:
                return self._finish(answer, answer.error, is_error=True)
            if answer is None and not self._has_event():
                self._signal("wake")
            event = self._next_event(self._deadlines.grace_s)
            return self._still_running("and does not give way") if event is None else self._describe(event)
        except Ended as end:
            return self._ended(end)

    # Looking.

    def where(self, thread: str | None = None) -> Reply:
        states = "stopped running" if thread else "stopped"
        return self._lines(self._ask("where", states, thread=thread))

    def list_threads(self) -> Reply:
        """Every thread, what it waits for and holds as far as that can be known, and asyncio's tasks."""
        return self._lines(self._ask("stacks", "stopped running"))

    def examine_locals(self, thread: str | None = None, frame: int = 0) -> Reply:
        return self._lines(self._look("locals", thread=thread, frame=frame))

    def print_variable(self, name: str, thread: str | None = None, frame: int = 0) -> Reply:
        return self._value(self._look("print", name=name, thread=thread, frame=frame))

    def run_expression(self, expression: str, thread: str | None = None, frame: int = 0) -> Reply:
        return self._value(self._look("eval", expression=expression, thread=thread, frame=frame))

    # How a command is done.

    def _move(self, how: str, thread: str | None) -> Reply:
        try:
            if self.state == "exited":
                return _none()
            if self.state == "running" and not self._has_event():
                self._request("wait")
            elif not self._has_event():
                self._request("go", how=how, thread=thread)
            self.state = "running"
            event = self._next_event(self._sandbox.limits.timeout_s)
            if event is not None:
                return self._describe(event)
            return self._still_running(f"after {self._sandbox.limits.timeout_s:g} s")
        except Ended as end:
            return self._ended(end)

    def _still_running(self, why: str) -> Reply:
        """The reply to a movement whose stop has not come: every thread's stack, and who holds which lock."""
        offers = "continue_execution waits on, interrupt stops it where it is, stop_debugger ends it."
        answer = self._answer(self._request("stacks"), self._deadlines.grace_s)
        if self._has_event():
            return self._describe(self._next_event(0.0))
        text = f"still running {why} (timeout): {offers}"
        if answer is not None:
            return self._finish(answer, "\n".join([text, *answer.lines]))
        stacks, printed = self._dumped()
        held = "one thread holds the interpreter, in code that is not Python:"
        return Reply("\n".join([text, held, *stacks]) + _output(printed))

    def _dumped(self) -> tuple[list[str], str]:
        """All stacks by signal, which needs nothing of the program; and what it printed."""
        assert self._process is not None
        ordinary = self._process.output
        printed = ordinary.take()
        self._process.output = BoundedOutput(DUMP_BYTES)
        self._signal("dump")
        self._process.pump(0.3)
        stacks, rest = split_dump(self._process.output.text(), str(self._sandbox.workspace.root))
        self._process.output = ordinary
        return stacks, printed + rest

    def _ask(self, command: str, states: str, **arguments: Any) -> Message | Reply:
        """The answer to a request that the control thread meets, or the reply that says why there is none."""
        refused = self._refused(states, arguments)
        if refused is not None:
            return refused
        try:
            answer = self._answer(self._request(command, **arguments), self._deadlines.answer_s)
        except Ended as end:
            return self._ended(end)
        if answer is None:
            stacks, printed = self._dumped()
            text = "no answer: one thread holds the interpreter. continue_execution waits, stop_debugger ends it."
            return Reply("\n".join([text, *stacks]) + _output(printed), is_error=True)
        return answer if answer.error is None else self._finish(answer, answer.error, is_error=True)

    def _look(self, command: str, **arguments: Any) -> Message | Reply:
        """Like `_ask`, for what runs code in the stopped thread: past its deadline it is interrupted, then given what
        it may wait for, then killed with the program."""
        refused = self._refused("stopped", arguments)
        if refused is not None:
            return refused
        seconds = f"after {self._deadlines.answer_s:g} s"
        try:
            wanted = self._request(command, **arguments)
            answer, said = self._answer(wanted, self._deadlines.answer_s), ""
            if answer is None:
                self._request("cancel")
                answer, said = self._answer(wanted, self._deadlines.grace_s / 2), f"{seconds} "
            if answer is None:
                self._signal("wake")  # for C code that holds the interpreter, but lets signals through
                answer = self._answer(wanted, self._deadlines.grace_s / 2)
            if answer is None:
                self._request("let_go")
                answer, said = self._answer(wanted, self._deadlines.grace_s), f"{seconds}, other threads let go on, "
        except Ended as end:
            return self._ended(end)
        if answer is None:
            printed = self._output_text()
            self.close()
            text = f"it did not end {seconds} and could not be interrupted, so the program was killed; start_debugger"
            return Reply(f"{text} starts it again.{_output(printed)}", is_error=True)
        if answer.error is not None:
            return self._finish(answer, f"{said}{answer.error}", is_error=True)
        return answer

    def _refused(self, states: str, arguments: dict[str, Any]) -> Reply | None:
        if any(len(str(argument)) > MAX_ARGUMENT_CHARS for argument in arguments.values()):
            return Reply(f"that is longer than {MAX_ARGUMENT_CHARS} characters.", is_error=True)
        if self.state in states.split():
            return None
        if self.state == "exited":
            return _none()
        texts = {
            "ready": "the program has not started; continue_execution starts it.",
            "running": "the program is running; continue_execution waits for its next stop, interrupt stops it.",
            "stopped": "the program is stopped.",
        }
        return Reply(texts[self.state], is_error=True)

    def _set_again(self) -> list[str]:
        """Give a new program the breakpoints of the one before, by the text of their lines; what became of them."""
        said = []
        for old in list(self._breakpoints.values()):
            new = self._found_again(old)
            if new is None:
                del self._breakpoints[old.number]
                said.append(f"dropped, its line is gone: {old.describe()}")
            else:
                self._breakpoints[old.number] = new
                moved = f" (was line {old.line})" if new.line != old.line else ""
                said.append(f"set again: {new.describe()}{moved}")
        return said

    def _found_again(self, old: Breakpoint) -> Breakpoint | None:
        try:
            source = self._sandbox.workspace.read(old.file).decode("utf-8", errors="replace")
        except PathRefused:
            return None
        for line in find_again(source, old)[:8]:
            request = {"number": old.number, "file": old.file, "line": line, "condition": old.condition}
            wanted = self._request("break", **request, function=old.function)
            answer = self._answer(wanted, self._deadlines.answer_s)
            if answer is not None and answer.error is None:
                return msgspec.structs.replace(old, line=line)
        return None

    # The other side.

    def _request(self, command: str, **arguments: Any) -> int:
        assert self._wire is not None
        return self._wire.ask(command, **arguments)

    def _answer(self, wanted: int, timeout_s: float) -> Message | None:
        assert self._wire is not None
        return self._wire.answer(wanted, timeout_s)

    def _next_event(self, timeout_s: float) -> Message | None:
        assert self._wire is not None
        return self._wire.next_event(timeout_s)

    def _has_event(self) -> bool:
        return self._wire is not None and self._wire.event is not None

    def _ended(self, end: Ended) -> Reply:
        """The reply to whatever was asked when the other side went away."""
        assert self._process is not None
        if isinstance(end, Gone):
            return self._gone()
        printed = self._output_text()
        self.close()
        text = "the program wrote into the debugger's channel, so the session ended; start_debugger starts anew."
        return Reply(text + _output(printed), is_error=True)

    def _signal(self, name: str) -> None:
        number = self._signals.get(name, 0)
        if self._process is not None and 0 < number < signal.NSIG:
            self._process.signal(number)

    # Replies.

    def _lines(self, answer: Message | Reply) -> Reply:
        return answer if isinstance(answer, Reply) else self._finish(answer, "\n".join(answer.lines))

    def _value(self, answer: Message | Reply) -> Reply:
        return answer if isinstance(answer, Reply) else self._finish(answer, answer.value)

    def _finish(self, message: Message, text: str, *, is_error: bool = False, with_output: bool = True) -> Reply:
        """A reply with what is due besides: edited files, new output, and a stop that came meanwhile."""
        new = [file for file in message.edited if file not in self._told_edited]
        if new:
            self._told_edited.update(new)
            were = f"{' and '.join(new)} {'was' if len(new) == 1 else 'were'} edited"
            text += f"\nnote: {were}; this program runs the old code, start_debugger runs the new"
        if with_output and self._process is not None:
            text += _output(self._output_text())
        if self.state == "running" and self._has_event():
            text += f"\nmeanwhile: {self._describe(self._next_event(0.0)).text}"
        return Reply(text, is_error=is_error)

    def _describe(self, event: Message | None) -> Reply:
        assert event is not None
        if event.event == "stopped":
            self.state = "stopped"
            place = f"{event.file}:{event.line} in {event.function}, thread {event.thread}"
            lines = [f"stopped at {place} ({event.reason})"]
            lines += [event.note] if event.note else []
            lines += [f"{'->' if n == event.line else '  '} {n}\t{text}" for n, text in event.source]
            if event.queued > 0:
                lines.append(f"{event.queued} more thread(s) at their own stops; list_threads shows them")
            return self._finish(event, "\n".join(lines))
        lines = [f"the program ended with exit code {event.code}", *event.tests]
        lines += [text for text in (event.note, event.error) if text]
        for number, hits, entered in event.counts:
            if not hits and number in self._breakpoints:
                lines.append(never_hit(self._breakpoints[number], entered))
        if event.trace_lost:
            lines.append("tracing ended before the program (sys.settrace or RecursionError); breakpoints were missed")
        self.state = "exited"
        assert self._process is not None
        self._process.pump(1.0)  # what the ending program still prints
        reply = self._finish(event, "\n".join(lines))
        self.close()
        return reply

    def _gone(self) -> Reply:
        """The process ended without saying so."""
        assert self._process is not None
        self.state = "exited"
        result = self._process.close()
        printed = self._process.output.text()
        self._process = self._wire = None
        if result.killed is not None:
            why = result.status_line(self._sandbox.limits) or "killed"
        elif result.exit_code == LOST:
            why = "it closed or took over the descriptor that the debugger talks over"
        elif result.exit_code is not None and result.exit_code > 128:
            why = f"killed by signal {result.exit_code - 128}"
        else:
            why = f"exit code {result.exit_code}, at once, without its exit handlers (os._exit)"
        return Reply(f"the program ended abruptly: {why}.{_output(printed)}", is_error=True)

    def _output_text(self) -> str:
        """What the program printed since the last reply."""
        assert self._process is not None
        # At the end no byte is waited for any more.
        return self._process.output.text() if self.state == "exited" else self._process.output.take()


def _output(printed: str) -> str:
    printed = printed.rstrip("\n")
    return f"\noutput:\n{printed}" if printed else ""


def _none() -> Reply:
    return Reply("no program is being debugged; use start_debugger.", is_error=True)
