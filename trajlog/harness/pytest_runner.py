"""Runs pytest inside a sandbox and writes one JSON line per fact to a file descriptor that tests do not know of.

Run by path: `python -P -s pytest_runner.py REPORT_FD DUMP_EVERY_S [pytest arguments]`, working directory = workspace
root. It imports nothing of ours. `-P` and the late `sys.path` entry keep a workspace file called pytest.py from
taking pytest's place. Lines:

    {"start": id}                                       a test begins
    {"id": id, "outcome": "passed", "text": ""}         its verdict: passed, failed, skipped (set-up and teardown count)
    {"collect": path, "text": "..."}                    a file could not be collected
    {"finished": exit status}                           pytest itself came to its end

The lines are facts from a process that runs the agent's code; what they are worth is said in grading.py.
"""

import faulthandler
import json
import os
import sys

import pytest

TEXT_BYTES = 2000
OPTIONS = ["-q", "--tb=short", "--color=no", "-c", os.devnull, "--rootdir=.", "-p", "no:cacheprovider"]


class Report:
    """A pytest plugin that writes the lines."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._outcome: dict[str, str] = {}

    def _write(self, **line: object) -> None:
        os.write(self._fd, json.dumps(line).encode() + b"\n")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
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
    sys.path.insert(0, os.getcwd())
    return int(pytest.main([*OPTIONS, *sys.argv[3:]], plugins=[Report(report_fd)]))


if __name__ == "__main__":
    sys.exit(main())
