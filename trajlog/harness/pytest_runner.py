"""Runs pytest inside a sandbox and writes one JSON line per fact to a file descriptor that tests do not know of.

Run by path: `python -P -s pytest_runner.py REPORT_FD DUMP_EVERY_S [pytest arguments]`, working directory = workspace
root. Of ours it loads only plain_values.py, which lies beside it. `-P` and the late `sys.path` entry keep a workspace
file called pytest.py from taking pytest's place. Lines:

    {"start": id}                                       a test begins
    {"id": id, "outcome": "passed", "text": ""}         its verdict: passed, failed, skipped (set-up and teardown count)
    {"collect": path, "text": "..."}                    a file could not be collected
    {"observe": number, "test": id, "value": ...}       what a check saw (see checks.py)
    {"finished": exit status}                           pytest itself came to its end; no line follows

The lines are facts from a process that runs the agent's code; what they are worth is said in grading.py.
"""

import builtins
import faulthandler
import importlib.util
import json
import os
import sys
import threading

import pytest

OBSERVE = "__trajlog_observe__"
MAX_TOLD = 20
TEXT_BYTES = 2000
OPTIONS = ["-q", "--tb=short", "--color=no", "-c", os.devnull, "--rootdir=.", "-p", "no:cacheprovider"]


class Report:
    """A pytest plugin that writes the lines.

    It keeps what it needs of json and os, since tested code may replace parts of either. Only this process gives
    verdicts; a forked child may still tell what a check saw.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._dumps, self._write_bytes, self._pid = json.dumps, os.write, os.getpid()
        self._encode = load_neighbour("plain_values.py").encode
        self._outcome: dict[str, str] = {}
        self._running: str | None = None
        self._told: dict[int, set[str]] = {}
        self._finished = False
        self._lock = threading.Lock()
        os.register_at_fork(after_in_child=self._renew_lock)

    def observe(self, number: int, value: object) -> None:
        """Tell what a check saw. In one test a check tells the same value once (it may stand in a loop), and at most
        MAX_TOLD different ones: of two different values one is wrong already."""
        line = self._dumps({"observe": number, "test": self._running, "value": self._encode(value)})
        told = self._told.setdefault(number, set())
        if line not in told and len(told) < MAX_TOLD:
            told.add(line)
            self._send(line)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._running = nodeid
        self._told.clear()
        self._write(start=nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        text = failure_text(report) if report.failed else ""
        if report.when == "call" or not report.passed:
            worst = "failed" if "failed" in (self._outcome.get(report.nodeid), report.outcome) else report.outcome
            self._outcome[report.nodeid] = worst
            self._write(id=report.nodeid, outcome=worst, text=text)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._write(collect=report.nodeid, text=cut(str(report.longrepr)))

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self._write(finished=int(exitstatus))
        self._finished = True

    def _write(self, **line: object) -> None:
        if os.getpid() == self._pid:
            self._send(self._dumps(line))

    def _send(self, line: str) -> None:
        if self._finished:
            return
        data = line.encode() + b"\n"
        with self._lock:
            while data:
                data = data[self._write_bytes(self._fd, data) :]

    def _renew_lock(self) -> None:
        self._lock = threading.Lock()


def load_neighbour(name: str):
    """A module of ours by path: nothing of ours is on the tests' sys.path."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    spec = importlib.util.spec_from_file_location(f"_trajlog_{name[:-3]}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def failure_text(report: pytest.TestReport) -> str:
    """The short traceback, then the end of what the test printed."""
    text = cut(str(report.longrepr))
    printed = report.capstdout.rstrip()
    return f"{text}\nprinted: {printed[-400:]}" if printed else text


def cut(text: str) -> str:
    if len(text) <= TEXT_BYTES:
        return text
    return f"{text[: TEXT_BYTES // 2]}\n[...]\n{text[-TEXT_BYTES // 2 :]}"


def main() -> int:
    report_fd = int(sys.argv[1])
    os.set_inheritable(report_fd, False)
    # A copy of stdout from before pytest captures it: the stacks of all threads go there, for a test that hangs.
    faulthandler.dump_traceback_later(float(sys.argv[2]), repeat=True, file=os.dup(1))
    report = Report(report_fd)
    setattr(builtins, OBSERVE, report.observe)
    sys.path.insert(0, os.getcwd())
    return int(pytest.main([*OPTIONS, *sys.argv[3:]], plugins=[report]))


if __name__ == "__main__":
    sys.exit(main())
