"""Runs a script or a test under a tracer that is told what to do over a channel of its own.

Run by path in a sandbox: `python -P -s debuggee.py CHANNEL_FD '{"path", "test", "is_test", "args"}'`, working directory
= workspace root. Its neighbours are loaded as a package of a private name; nothing of it is on the program's sys.path.
Stdin is /dev/null and stdout is the program's; control never touches either. Requests: see control.py. Events:

    {event: "ready", dump, wake}            loaded, not started. Signals for when one thread holds the interpreter and
                                            nothing here can answer: `dump` writes all stacks to stdout, `wake` stops
                                            the main thread if its C code lets signals through
    {event: "refused", error}               it cannot be run
    {event: "stopped", reason, note, file, line, function, thread, source, queued}
    {event: "exited", code, note, error, tests, counts, trace_lost}
"""

import faulthandler
import importlib.util
import json
import os
import signal
import sys
import warnings
from _queue import SimpleQueue

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = "_trajlog_debugger"
DUMP = signal.SIGRTMIN + 8 if hasattr(signal, "SIGRTMIN") else signal.SIGUSR1


def load_package() -> None:
    path = os.path.join(HERE, "__init__.py")
    spec = importlib.util.spec_from_file_location(PACKAGE, path, submodule_search_locations=[HERE])
    sys.modules[PACKAGE] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


def main() -> None:
    load_package()
    from _trajlog_debugger import frames, interrupts, program, values
    from _trajlog_debugger.channel import Channel
    from _trajlog_debugger.control import Control
    from _trajlog_debugger.files import Files
    from _trajlog_debugger.tracer import Tracer

    channel = Channel(int(sys.argv[1]))
    target = json.loads(sys.argv[2])
    tracer = Tracer(Files(os.getcwd()), lambda stop: control.publish(stop))
    control = Control(channel, tracer)
    try:
        if target["is_test"]:
            runs = program.Tests(target["path"], target["test"], tracer)
        else:
            runs = program.Script(target["path"], target["args"], tracer)
    except program.NotRunnable as problem:
        channel.send(event="refused", error=str(problem))
        return
    faulthandler.register(DUMP, file=os.dup(1), all_threads=True, chain=False)
    _redirect_breakpoint_calls(tracer)
    # From 3.12 on CPython warns of a fork beside other threads; the control thread is one that the program has not.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    os.register_at_fork(after_in_child=lambda: _leave_child_alone(tracer, channel))
    parent = os.getpid()
    started = SimpleQueue()
    control.start(lambda: started.put(None))
    channel.send(event="ready", dump=int(DUMP), wake=int(interrupts.WAKE_FROM_OUTSIDE))
    started.get()
    code, error = 0, None
    try:
        tracer.trace(runs.run)
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 0 if leaving.code is None else 1
        if code and not isinstance(leaving.code, int):
            print(leaving.code, file=sys.stderr)
    except BaseException as raised:
        code = 1
        places = frames.own_frames(frames.traceback_chain(raised), tracer.files)
        error = "\n".join([values.show_exception(raised), *frames.stack_lines(places, tracer.files)])
    if os.getpid() != parent:
        print(error or "", end="", file=sys.stderr)
    else:
        tracer.stops.wait_until_none()
        channel.send(
            event="exited",
            code=int(code) & 0xFF,
            note=tracer.last_note(),
            error=error and error[:2000],
            tests=list(runs.verdicts),
            counts=[[found.number, found.hits, found.entered] for found in tracer.breakpoints.values()],
            trace_lost=tracer.lost,
            edited=tracer.files.edited()[:10],
        )
    sys.exit(code)


def _redirect_breakpoint_calls(tracer) -> None:
    """`breakpoint()` (whatever PYTHONBREAKPOINT says) and `pdb.set_trace()` stop here instead of reading stdin.

    A Python that the program starts, a spawned worker say, passes `breakpoint()` over: its stdin is at its end too.
    """
    import bdb

    os.environ["PYTHONBREAKPOINT"] = "0"
    sys.breakpointhook = lambda *_args, **_kwargs: tracer.stop_here()
    bdb.Bdb.set_trace = lambda _self, frame=None, **_kwargs: tracer.stop_here(frame)


def _leave_child_alone(tracer, channel) -> None:
    """A forked child runs free: no tracing, no channel, no stops."""
    tracer.untrace()
    tracer.states.clear()
    channel.close()


if __name__ == "__main__":
    main()
