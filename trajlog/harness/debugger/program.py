"""What is debugged: a script as `__main__`, or tests under pytest. Loaded by path inside the debuggee."""

import atexit
import os
import sys
import threading
import types

TEXT_CHARS = 2000
MAX_VERDICTS = 20
PYTEST_OPTIONS = (
    "-qq", "--tb=short", "--color=no", "-c", os.devnull, "--rootdir=.", "-p", "no:cacheprovider",
    # Uncaptured, so that what the program prints is seen at the next stop; no summary, since the verdicts say it; no
    # timeouts, since time at a stop is nobody's fault.
    "-s", "--no-summary", "-p", "no:debugging", "-p", "no:timeout", "-p", "no:threadexception",
)  # fmt: skip


class NotRunnable(Exception):
    """The target cannot be run; the message is meant for the agent."""


class Script:
    """A file run as `python file args` would run it. Raises NotRunnable."""

    verdicts: tuple = ()

    def __init__(self, path: str, arguments: list[str], tracer) -> None:
        file = os.path.abspath(path)
        try:
            with open(file, "rb") as opened:
                self._code = compile(opened.read(), file, "exec", dont_inherit=True)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as problem:
            raise NotRunnable(f"{path} cannot be run: {problem}") from None
        tracer.expect_entry(self._code)
        tracer.files.loaded(file)
        self._tracer = tracer
        self._main = types.ModuleType("__main__")
        self._main.__file__ = file
        self._main.__spec__ = None  # multiprocessing finds the file by __file__ then
        sys.modules["__main__"] = self._main
        sys.argv = [path, *arguments]
        sys.path.insert(0, os.path.dirname(file))

    def run(self) -> None:
        """The program to its end, with its threads and its atexit functions."""
        try:
            exec(self._code, self._main.__dict__)
        except Exception as error:
            self._tracer.post_mortem(error)
            if sys.excepthook is not sys.__excepthook__:
                sys.excepthook(type(error), error, error.__traceback__)
            raise
        finally:
            threading._shutdown()
            atexit._run_exitfuncs()


class Tests:
    """pytest on a file, or on the tests of it that `test` names (a node id, or a part of names)."""

    def __init__(self, path: str, test: str | None, tracer) -> None:
        self.verdicts: list[str] = []
        if test and "::" in test:
            chosen = [test if test.startswith(path) else f"{path}::{test.lstrip(':')}"]
        else:
            chosen = [path, *(["-k", test] if test else [])]
        self._chosen = chosen
        self._tracer = tracer

    def run(self) -> None:
        import pytest

        sys.path.insert(0, os.getcwd())
        status = pytest.main([*PYTEST_OPTIONS, *self._chosen], plugins=[_Plugin(self.verdicts, self._tracer)])
        if not self.verdicts:
            self.verdicts.append(f"no test was run by {' '.join(self._chosen)}")
        sys.exit(int(status))


class _Plugin:
    """Collects verdicts, and stops where a test failed while its frames are still there."""

    def __init__(self, verdicts: list[str], tracer) -> None:
        self._verdicts, self._tracer = verdicts, tracer
        self._entered = False

    def pytest_report_teststatus(self, report):
        return "", "", ""  # no progress marks between the program's own output

    def pytest_runtest_setup(self, item):
        self._tracer.rearm()
        function = getattr(item, "function", None)
        code = getattr(function, "__code__", None)
        if code is not None and not self._entered:
            self._entered = True
            self._tracer.expect_entry(code)

    def pytest_exception_interact(self, call, report):
        if hasattr(report, "sections") and getattr(report, "when", None) and call.excinfo is not None:
            self._tracer.post_mortem(call.excinfo.value)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or not report.passed:
            text = f"\n{_cut(str(report.longrepr))}" if report.failed else ""
            if len(self._verdicts) < MAX_VERDICTS:
                self._verdicts.append(f"{report.outcome.upper()} {report.nodeid}{text}")

    def pytest_collectreport(self, report):
        if report.failed and len(self._verdicts) < MAX_VERDICTS:
            self._verdicts.append(f"ERROR {report.nodeid}\n{_cut(str(report.longrepr))}")


def _cut(text: str) -> str:
    half = TEXT_CHARS // 2
    return text if len(text) <= TEXT_CHARS else f"{text[:half]}\n[...]\n{text[-half:]}"
