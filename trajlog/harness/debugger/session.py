"""The debugger as its user sees it: one process with a program in it, commands with deadlines, short replies.

States: `ready` (loaded, not running; breakpoints can be set), `stopped` (at a line), `running` (let go, and no stop
within the deadline), `busy` (an expression did not end within its deadline), `exited`. A reply always says which. A
program that stays `running` or `busy` is waited for by the next command, and killed by `stop`.

What a debuggee says comes from a process that the agent's code runs in: an observation, never evidence for grading.
"""

from __future__ import annotations

import json
import struct
import time
from pathlib import Path
from typing import Any, Literal

import msgspec

from trajlog.harness.output import BoundedOutput
from trajlog.harness.sandbox.base import Process, Sandbox
from trajlog.harness.testing import hanging_stacks

DEBUGGEE = Path(__file__).with_name("debuggee.py")
START_WITHIN_S = 20.0
ANSWER_WITHIN_S = 5.0
MAX_FRAME_BYTES = 1 << 20
MAX_ARGUMENT_CHARS = 4000
OUTPUT_BYTES = 2000
STACK_BYTES = 64 * 1024

State = Literal["ready", "stopped", "running", "busy", "exited"]


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """Any message of a debuggee (see debuggee.py for which fields each kind has). Checked, since it is not trusted."""

    id: int | None = None
    event: str | None = None
    pid: int = 0
    error: str | None = None
    reason: str = ""
    note: str | None = None
    file: str = ""
    line: int = 0
    function: str = ""
    thread: str = ""
    source: list[tuple[int, str]] = []
    code: int = 0
    tests: list[str] = []
    unhit: list[str] = []
    trace_lost: bool = False
    number: int = 0
    text: str = ""
    lines: list[str] = []
    value: str = ""


class Reply(msgspec.Struct, frozen=True):
    text: str
    is_error: bool = False


class DebuggerSession:
    """`path` is a script or, with `is_test`, a test file; `test` narrows the run to tests of that name.

    >>> session = DebuggerSession(sandbox, "main.py")  # doctest: +SKIP
    >>> session.open().text  # doctest: +SKIP
    'main.py is loaded, not started. Add breakpoints, then continue_execution.'
    """

    def __init__(self, sandbox: Sandbox, path: str, *, is_test: bool = False, test: str | None = None) -> None:
        self.state: State = "exited"
        self._sandbox = sandbox
        self._target = {"path": path, "is_test": is_test, "test": test}
        self._process: Process | None = None
        self._buffer = bytearray()
        self._next_id = 0

    def open(self) -> Reply:
        """Start the process and load the program. Raises SandboxError."""
        argv = [self._sandbox.python, "-P", "-s", str(DEBUGGEE), "{channel}", json.dumps(self._target)]
        self._process = self._sandbox.start(argv)
        self._renew_output()
        event = self._event(START_WITHIN_S)
        if event is not None and event.event == "ready":
            self.state = "ready"
            self._pid = event.pid
            path = self._target["path"]
            return Reply(f"{path} is loaded, not started. Add breakpoints, then continue_execution.")
        reason = (event and event.error) or "the program did not load in time."
        self.close()
        return Reply(reason, is_error=True)

    def add_breakpoint(self, file: str, line: int, condition: str | None = None) -> Reply:
        answer = self._ask("break", file=file, line=line, condition=condition)
        if isinstance(answer, Reply):
            return answer
        note = f"\nnote: {answer.note}" if answer.note else ""
        when = f" if {condition}" if condition else ""
        return Reply(f"breakpoint {answer.number} at {file}:{answer.line}{when}: {answer.text}{note}")

    def examine_locals(self) -> Reply:
        answer = self._ask("locals")
        return answer if isinstance(answer, Reply) else Reply("\n".join(answer.lines))

    def run_expression(self, expression: str) -> Reply:
        answer = self._ask("eval", expression=expression)
        return answer if isinstance(answer, Reply) else self._with_output(answer.value)

    def continue_execution(self) -> Reply:
        """Run to the next stop, the end, or the sandbox's command deadline."""
        return self._resume("continue")

    def step_over(self) -> Reply:
        if self.state == "ready":
            return Reply("the program has not started; continue_execution starts it.", is_error=True)
        return self._resume("next")

    def stop(self) -> Reply:
        was = self.state
        self.close()
        return Reply("the debugger is stopped." if was != "exited" else "the program had already ended.")

    def close(self) -> None:
        """Kill the program and all it started. Safe to call again."""
        self.state = "exited"
        if self._process is not None:
            self._process.close()
            self._process = None

    def _resume(self, command: str) -> Reply:
        problem = self._unavailable()
        if problem is not None:
            return problem
        if self.state != "running" and not self._send(command):
            return self._gone()
        self.state = "running"
        event = self._event(self._sandbox.limits.timeout_s)
        while event is not None and event.event is None:  # an answer that came too late to be wanted
            event = self._event(self._sandbox.limits.timeout_s)
        if event is None:
            if self._process is None:
                return self._gone()
            waited = f"still running after {self._sandbox.limits.timeout_s:.0f} s"
            reply = self._with_output(f"{waited}; continue_execution waits longer, stop_debugger ends it.")
            return Reply("\n".join([reply.text, *self._stacks()]))
        return self._describe(event)

    def _describe(self, event: Message) -> Reply:
        if event.event == "stopped":
            self.state = "stopped"
            thread = f" in thread {event.thread}" if event.thread != "MainThread" else ""
            lines = [f"stopped at {event.file}:{event.line} in {event.function}{thread} ({event.reason})"]
            lines += [event.note] if event.note else []
            lines += [f"{'->' if n == event.line else '  '} {n}\t{text}" for n, text in event.source]
            return self._with_output("\n".join(lines))
        lines = [f"the program ended with exit code {event.code}", *event.tests]
        lines += [event.error] if event.error else []
        if event.unhit:
            lines.append(f"breakpoints never hit: {', '.join(event.unhit)}")
        if event.trace_lost:
            lines.append("the program turned tracing off, so later breakpoints could not be hit")
        self._drain()
        reply = self._with_output("\n".join(lines))
        self.close()
        return reply

    def _ask(self, command: str, **arguments: Any) -> Message | Reply:
        """The answer to a request, or the reply that says why there is none."""
        problem = self._unavailable()
        if problem is not None:
            return problem
        if self.state == "running":
            return Reply("the program is running; continue_execution waits for its next stop.", is_error=True)
        if any(len(str(argument)) > MAX_ARGUMENT_CHARS for argument in arguments.values()):
            return Reply(f"that is longer than {MAX_ARGUMENT_CHARS} characters.", is_error=True)
        if not self._send(command, **arguments):
            return self._gone()
        answer = self._answer(ANSWER_WITHIN_S)
        if answer is None:
            if self._process is None:
                return self._gone()
            self.state = "busy"
            return Reply(f"no answer within {ANSWER_WITHIN_S:.0f} s; stop_debugger ends the program.", is_error=True)
        return Reply(answer.error, is_error=True) if answer.error is not None else answer

    def _unavailable(self) -> Reply | None:
        """Why no command can be given now; also ends a `busy` state whose answer has come meanwhile."""
        if self.state == "exited":
            return Reply("no program is being debugged; use start_debugger.", is_error=True)
        if self.state == "busy":
            if self._answer(ANSWER_WITHIN_S) is None:
                if self._process is None:
                    return self._gone()
                return Reply("the last expression still runs; stop_debugger ends the program.", is_error=True)
            self.state = "stopped"
        return None

    def _send(self, command: str, **arguments: Any) -> bool:
        assert self._process is not None
        self._next_id += 1
        data = json.dumps({"id": self._next_id, "cmd": command} | arguments).encode()
        try:
            self._process.send(struct.pack(">I", len(data)) + data)
        except BrokenPipeError:
            return False
        return True

    def _answer(self, timeout_s: float) -> Message | None:
        """The answer to the latest request; earlier ones that come late are passed over."""
        deadline = time.monotonic() + timeout_s
        while (message := self._event(deadline - time.monotonic())) is not None:
            if message.id == self._next_id:
                return message
        return None

    def _event(self, timeout_s: float) -> Message | None:
        """The next message; None after `timeout_s` or once the process is gone (then `_process` is None)."""
        assert self._process is not None
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                message = self._take_frame()
            except msgspec.MsgspecError:  # the program wrote to our channel: nothing it says can be told apart now
                self.close()
                return None
            if message is not None:
                return message
            left = deadline - time.monotonic()
            data = self._process.receive(max(0.0, left))
            self._buffer += data
            if not data and left <= 0:
                return None
            if not data and self._process.pump(0.0):
                self.close()
                return None

    def _take_frame(self) -> Message | None:
        """The first whole message received. Raises msgspec.MsgspecError if it is none."""
        if len(self._buffer) < 4:
            return None
        (length,) = struct.unpack(">I", self._buffer[:4])
        if length > MAX_FRAME_BYTES:
            raise msgspec.DecodeError(f"a frame of {length} bytes")
        if len(self._buffer) < 4 + length:
            return None
        message = msgspec.json.decode(bytes(self._buffer[4 : 4 + length]), type=Message)
        del self._buffer[: 4 + length]
        return message

    def _gone(self) -> Reply:
        output = self._last_output.text() if self._process is None else ""
        self.close()
        return Reply(f"the program was ended from outside or ended itself abruptly.\n{output}".rstrip(), is_error=True)

    def _stacks(self) -> list[str]:
        """Where the threads of a running program are, asked for by a signal, which a deadlock cannot stop."""
        assert self._process is not None
        self._process.output = BoundedOutput(STACK_BYTES)
        self._sandbox.run(["bash", "-c", f"kill -USR1 {self._pid}"])
        self._process.pump(0.3)
        stacks = hanging_stacks(self._process.output.text(), self._sandbox.workspace.root)
        self._renew_output()
        return stacks

    def _drain(self) -> None:
        """Take in what the ending program still prints."""
        assert self._process is not None
        self._process.pump(1.0)

    def _with_output(self, text: str) -> Reply:
        """`text` and what the program printed since the last reply."""
        assert self._process is not None
        printed = self._process.output.text().rstrip("\n")
        self._renew_output()
        return Reply(f"{text}\noutput:\n{printed}" if printed else text)

    def _renew_output(self) -> None:
        assert self._process is not None
        self._process.output = BoundedOutput(OUTPUT_BYTES)
        self._last_output = self._process.output
