"""Runs a script or a test under a tracer that is told what to do over a socket of its own.

Run by path in a sandbox: `python -P -s debuggee.py CHANNEL_FD '{"path": ..., "test": ..., "is_test": ...}'`, working
directory = workspace root. Stdin is /dev/null and stdout is the program's; control never touches either, so a
program that prints a prompt confuses nobody.

Frames on the channel: four bytes of length (big endian), then JSON. Requests `{id, cmd, ...}`:

    break {file, line, condition}   reply {number, line, text, note}
    locals {}                       reply {lines}
    eval {expression}               reply {value}
    continue {}, next {}            no reply; the next event answers

A reply repeats the id, and is `{id, error}` if refused. Events: `{event: "ready", pid}`, `{event: "refused", error}`,
`{event: "stopped", reason, file, line, function,
thread, source}` and `{event: "exited", code, error, tests, unhit, trace_lost}`. Nobody listens while the program runs.

One stop at a time: other threads that reach a breakpoint wait their turn. Stepping follows the identity of one frame,
so it does not wander into another thread or, over an `await`, into another task. A forked child runs untraced.
"""

import bdb
import faulthandler
import importlib.util
import inspect
import json
import linecache
import os
import signal
import socket
import struct
import sys
import threading
import traceback
import types

MAX_FRAME_BYTES = 1 << 20


def _load(path: str):
    """A module of ours by path: nothing of ours is on the program's sys.path."""
    spec = importlib.util.spec_from_file_location(f"_trajlog_{os.path.basename(path)[:-3]}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_HERE = os.path.dirname(os.path.abspath(__file__))
lines = _load(os.path.join(_HERE, "lines.py"))
values = _load(os.path.join(_HERE, "values.py"))


class Channel:
    def __init__(self, fd: int) -> None:
        os.set_inheritable(fd, False)
        self._socket = socket.socket(fileno=fd)

    def send(self, **message: object) -> None:
        data = json.dumps(message, ensure_ascii=False).encode("utf-8", errors="replace")
        try:
            self._socket.sendall(struct.pack(">I", len(data)) + data)
        except OSError:
            os._exit(1)  # the other side is gone

    def receive(self) -> dict:
        """The next request. Raises EOFError once the other side is gone."""
        (length,) = struct.unpack(">I", self._exactly(4))
        return json.loads(self._exactly(min(length, MAX_FRAME_BYTES)))

    def _exactly(self, length: int) -> bytes:
        data = b""
        while len(data) < length:
            piece = self._socket.recv(length - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data


class Breakpoint:
    def __init__(self, number: int, file: str, line: int, condition: str | None) -> None:
        self.number, self.file, self.line = number, file, line
        self.condition = compile(condition, "<condition>", "eval") if condition else None
        self.hits = 0


class Debugger(bdb.Bdb):
    """Stops at breakpoints and after steps; when stopped, serves requests in the stopped thread."""

    def __init__(self, channel: Channel, root: str) -> None:
        super().__init__()
        self._channel = channel
        self._root = root
        self._breakpoints: list[Breakpoint] = []
        self._step_frame: types.FrameType | None = None
        self._one_stop = threading.Lock()
        self._real: dict[str, str] = {}
        self._note = ""
        self._reached = threading.local()
        self.trace_lost = False

    def prepare(self) -> None:
        """Take breakpoints until the first `continue` or `next`."""
        self._serve(None)

    def trace(self, function) -> None:
        """Call `function` under the tracer, in this thread and in those it starts."""
        self.reset()
        self.botframe = sys._getframe()
        os.register_at_fork(after_in_child=untrace)
        sys.breakpointhook = self._breakpoint_call
        threading.settrace(self.trace_dispatch)
        sys.settrace(self.trace_dispatch)
        try:
            function()
        finally:
            self.trace_lost = sys.gettrace() is None
            untrace()

    def unhit(self) -> list[str]:
        return [f"{self._relative(b.file)}:{b.line}" for b in self._breakpoints if not b.hits]

    # What bdb asks while the program runs.

    def stop_here(self, frame: types.FrameType) -> bool:
        return frame is self._step_frame

    def break_anywhere(self, frame: types.FrameType) -> bool:
        code = frame.f_code
        file = self._realpath(code.co_filename)
        wanted = {b.line for b in self._breakpoints if b.file == file}
        return bool(wanted) and any(line in wanted for _, _, line in code.co_lines())

    def break_here(self, frame: types.FrameType) -> bool:
        return self._hit(frame) is not None

    def user_line(self, frame: types.FrameType) -> None:
        with self._one_stop:
            stepped = frame is self._step_frame
            reached = None if stepped else self._reached.breakpoint
            if reached:
                reached.hits += 1
            self._stopped(frame, f"breakpoint {reached.number}" if reached else "step")

    def user_return(self, frame: types.FrameType, value: object) -> None:
        """The stepped function returns: stop there, its locals still at hand; the next step is in its caller.

        The caller is the nearest frame of the program's own code; without one the program runs on. Class bodies and
        modules are left without a stop, generators and coroutines at their pauses too (`yield` looks like a return).
        """
        flags = frame.f_code.co_flags
        if flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            return
        if flags & inspect.CO_OPTIMIZED:
            self._note = self._note or f"{frame.f_code.co_name} returns {values.show(value, 200)}"
            with self._one_stop:
                self._stopped(frame, "return")
        if self._step_frame is not frame:
            return
        caller = frame.f_back
        while caller is not None and not self._in_program(caller):
            caller = caller.f_back
        self._step_frame = caller
        if caller is not None:
            caller.f_trace = self.trace_dispatch

    def user_exception(self, frame: types.FrameType, info: tuple) -> None:
        self._note = f"raised {info[0].__name__}: {str(info[1])[:200]}"

    def _hit(self, frame: types.FrameType) -> Breakpoint | None:
        file = self._realpath(frame.f_code.co_filename)
        self._reached.breakpoint = None
        for breakpoint in self._breakpoints:
            if breakpoint.line == frame.f_lineno and breakpoint.file == file and _holds(breakpoint, frame):
                self._reached.breakpoint = breakpoint
        return self._reached.breakpoint

    def _breakpoint_call(self, *_args: object, **_kwargs: object) -> None:
        frame = sys._getframe(1)
        frame.f_trace = self.trace_dispatch
        self._step_frame = frame

    # What happens at a stop.

    def _stopped(self, frame: types.FrameType, reason: str) -> None:
        file, line = frame.f_code.co_filename, frame.f_lineno
        linecache.checkcache(file)
        texts = linecache.getlines(file, frame.f_globals)
        around = range(max(1, line - 2), min(len(texts), line + 2) + 1)
        sys.stdout.flush()
        self._channel.send(
            event="stopped",
            reason=reason,
            note=self._note,
            file=self._relative(file),
            line=line,
            function=frame.f_code.co_qualname,
            thread=threading.current_thread().name,
            source=[[number, texts[number - 1].rstrip("\n")[:200]] for number in around],
        )
        self._note = ""
        self._step_frame = None
        self._serve(frame)

    def _serve(self, frame: types.FrameType | None) -> None:
        """Answer requests until one of them lets the program run."""
        while True:
            try:
                request = self._channel.receive()
            except (EOFError, OSError):
                os._exit(1)
            if request["cmd"] == "continue":
                return
            if request["cmd"] == "next":
                self._step_frame = frame
                return
            try:
                self._channel.send(id=request["id"], **self._answer(request, frame))
            except Refused as error:
                self._channel.send(id=request["id"], error=str(error))

    def _answer(self, request: dict, frame: types.FrameType | None) -> dict:
        if request["cmd"] == "break":
            return self._add_breakpoint(request["file"], request["line"], request["condition"], frame)
        if frame is None:
            raise Refused("the program has not started; continue_execution starts it.")
        if request["cmd"] == "locals":
            return {"lines": values.show_locals(frame.f_locals)}
        try:
            code = compile(request["expression"].strip(), "<expression>", "eval")
            return {"value": values.show(eval(code, {**frame.f_globals, **frame.f_locals}), 1000)}
        except SyntaxError as error:
            raise Refused(f"not an expression: {error.msg}.") from None
        except BaseException as error:
            raise Refused(f"{type(error).__name__}: {str(error)[:300]}") from None

    def _add_breakpoint(self, file: str, line: int, condition: str | None, frame: types.FrameType | None) -> dict:
        path = os.path.realpath(os.path.join(self._root, file))
        if not os.path.isfile(path) or not path.startswith(self._root + os.sep):
            raise Refused(f"{file} is not a file of the workspace.")
        with open(path, "rb") as opened:
            source = opened.read()
        try:
            problem, note = lines.check_line(source, file, line)
        except (SyntaxError, ValueError) as error:
            raise Refused(f"{file} does not compile: {error}.") from None
        if problem:
            raise Refused(problem)
        try:
            breakpoint = Breakpoint(len(self._breakpoints) + 1, path, line, condition)
        except (SyntaxError, ValueError) as error:
            raise Refused(f"the condition is not an expression: {error}.") from None
        self._breakpoints.append(breakpoint)
        while frame is not None:  # functions entered before have no tracer yet
            if self._realpath(frame.f_code.co_filename) == path:
                frame.f_trace = self.trace_dispatch
            frame = frame.f_back
        text = source.decode("utf-8", errors="replace").splitlines()[line - 1].strip()
        return {"number": breakpoint.number, "line": line, "text": text, "note": note}

    def _realpath(self, file: str) -> str:
        found = self._real.get(file)
        if found is None:
            found = self._real[file] = os.path.realpath(file)
        return found

    def _relative(self, file: str) -> str:
        real = self._realpath(file)
        return real[len(self._root) + 1 :] if real.startswith(self._root + os.sep) else os.path.basename(real)

    def _in_program(self, frame: types.FrameType) -> bool:
        return self._realpath(frame.f_code.co_filename).startswith(self._root + os.sep)


class Refused(Exception):
    """A request that cannot be met; the message is meant for the agent."""


def _holds(breakpoint: Breakpoint, frame: types.FrameType) -> bool:
    """Whether the condition is true; one that raises counts as true, so that it is seen."""
    if breakpoint.condition is None:
        return True
    try:
        return bool(eval(breakpoint.condition, {**frame.f_globals, **frame.f_locals}))
    except Exception:
        return True


def untrace() -> None:
    sys.settrace(None)
    threading.settrace(None)


def run_script(path: str):
    """A callable that runs the file as `__main__`; compiled beforehand, so that a SyntaxError is an answer."""
    with open(path, "rb") as opened:
        code = compile(opened.read(), os.path.abspath(path), "exec", dont_inherit=True)
    main = types.ModuleType("__main__")
    main.__file__ = os.path.abspath(path)
    main.__spec__ = None
    sys.modules["__main__"] = main
    sys.argv = [path]
    sys.path.insert(0, os.path.dirname(main.__file__))

    def run() -> None:
        try:
            exec(code, main.__dict__)
        finally:
            for thread in threading.enumerate():
                if not thread.daemon and thread is not threading.current_thread():
                    thread.join()

    return run


def run_test(path: str, test: str | None, verdicts: list[str]):
    """A callable that runs pytest on the file, or on the tests of it whose name contains `test`."""
    import pytest

    runner = _load(os.path.join(os.path.dirname(_HERE), "pytest_runner.py"))

    class Verdicts:
        def pytest_report_teststatus(self, report):
            return report.outcome, "", ""  # no progress marks between the program's own output

        def pytest_runtest_logreport(self, report):
            if report.when == "call" or not report.passed:
                text = f"\n{runner.failure_text(report)}" if report.failed else ""
                verdicts.append(f"{report.outcome.upper()} {report.nodeid}{text}")

        def pytest_collectreport(self, report):
            if report.failed:
                verdicts.append(f"ERROR {report.nodeid}\n{runner.cut(str(report.longrepr))}")

    sys.path.insert(0, os.getcwd())
    selection = [f"{path}::{test}"] if test and "::" in test else [path, *(["-k", test] if test else [])]
    # Uncaptured, so that what the program prints is seen at the next stop; pytest's own output says no more than the
    # verdicts do.
    quiet = ["-s", "-q", "--no-summary", "-p", "no:debugging"]
    return lambda: sys.exit(pytest.main([*runner.OPTIONS, *quiet, *selection], plugins=[Verdicts()]))


def main() -> None:
    channel = Channel(int(sys.argv[1]))
    target = json.loads(sys.argv[2])
    debugger = Debugger(channel, os.path.realpath(os.getcwd()))
    verdicts: list[str] = []
    code, error = 0, None
    try:
        program = (
            run_test(target["path"], target["test"], verdicts) if target["is_test"] else run_script(target["path"])
        )
    except (OSError, SyntaxError, ValueError) as problem:
        channel.send(event="refused", error=f"{target['path']} cannot be run: {problem}")
        return
    # On SIGUSR1 every thread's stack goes to stdout, even while one of them holds the interpreter.
    faulthandler.register(signal.SIGUSR1, file=os.dup(1), all_threads=True, chain=False)
    channel.send(event="ready", pid=os.getpid())
    debugger.prepare()
    try:
        debugger.trace(program)
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 0 if leaving.code is None else 1
    except BaseException as raised:
        code = 1
        own = [frame for frame in traceback.extract_tb(raised.__traceback__) if frame.filename != __file__]
        error = f"{type(raised).__name__}: {raised}\n{''.join(traceback.format_list(own[-4:]))}"
    sys.stdout.flush()
    channel.send(
        event="exited",
        code=int(code),
        error=error and error[:2000],
        tests=verdicts[:20],
        unhit=debugger.unhit(),
        trace_lost=debugger.trace_lost,
    )


if __name__ == "__main__":
    main()
