"""The process inside a sandbox that starts commands and answers for everything they start; the same in all sandboxes.

Run by path, `python -I -S -B supervisor.py`, once per sandbox; it imports nothing of ours but its neighbours by path.
It speaks frames (frames.py) on stdin and stdout, which commands never see, and prints nothing else.

To the supervisor                                From the supervisor
  h  hello: JSON (see `Supervisor.hello`)          h  hello: JSON `{pid, cgroup}`
  s  start: JSON spec (see job.py)                 s  started: JSON `{pid}`, or `{error, errno}` and nothing more
  c  bytes for the command's channel               c  bytes from it
  g  one byte: a signal for the main process       o  output, stdout and stderr in the order written
  k  kill the command and all it started           r  bytes of the report, after the last output
  f  workspace: JSON line, then bytes              e  ended: JSON `{exit_code, killed, survivors, duration_s}`
                                                   f  answer: JSON line, then bytes
                                                   x  text of an error of our own, then nothing more

The number of a frame names the command, or the request of an `f`. Stdin ending means "kill everything": nothing
outlives the process that asked. A reader that does not read slows the commands down instead of filling memory.
Each command has a warden (warden.py) below the supervisor. Where a command kills its warden, its orphans fall to
the supervisor, which kills them.
"""

import contextlib
import json
import os
import selectors
import signal
import stat
import sys
import time
import types
from typing import Any

if __name__ == "__main__":  # run by path: the neighbours become a package of a private name, without its __init__
    _here = os.path.dirname(os.path.abspath(__file__))
    for _name, _folder in (("inside", os.path.dirname(_here)), ("inside.sandbox", _here)):
        sys.modules[_name] = types.ModuleType(_name)
        sys.modules[_name].__path__ = [_folder]
    __package__ = "inside.sandbox"

from ..workspace import Workspace, answer
from .cgroups import Cgroup
from .frames import Frames, pack
from .job import Job
from .proctree import become_subreaper, become_unreadable, kill_below, kill_own_user

PIECE_BYTES = 1 << 16
FULL_BYTES = 1 << 18
"""What may wait to be read by the harness before no more output is taken from commands."""
REPORT_BYTES = 4 << 20


class Supervisor:
    def __init__(self) -> None:
        self.jobs: dict[int, Job] = {}
        self.outbox = bytearray()
        self.frames = Frames()
        self.cgroup: Cgroup | None = None
        self.workspace: Workspace | None = None
        self.selector = selectors.DefaultSelector()
        self.stdin_ended = False
        os.set_blocking(0, False)
        os.set_blocking(1, False)

    def serve(self) -> None:
        while not self.stdin_ended:
            self.wait()
        self.jobs.clear()
        kill_below()
        if self.cgroup is not None:
            self.cgroup.remove()

    def wait(self) -> None:
        """One round: what is readable is read, what can be written is written, what is late is killed."""
        wanted: dict[int, tuple[int, Any]] = {0: (selectors.EVENT_READ, None)}
        if self.outbox:
            wanted[1] = (selectors.EVENT_WRITE, None)
        room = len(self.outbox) < FULL_BYTES
        for job in self.jobs.values():
            wanted[job.status] = (selectors.EVENT_READ, (self.read_status, job))
            if room and job.printing:
                wanted[job.output] = (selectors.EVENT_READ, (self.read_output, job))
            if job.channel is not None:
                events = (selectors.EVENT_READ if room else 0) | (selectors.EVENT_WRITE if job.unsent else 0)
                if events:
                    wanted[job.channel.fileno()] = (events, (self.use_channel, job))
        self._select_only(wanted)
        latest = min((job.deadline for job in self.jobs.values()), default=float("inf")) - time.monotonic()
        ready = self.selector.select(None if latest == float("inf") else max(0.0, latest))
        for key, events in ready:
            if key.fd == 1:
                self.flush()
            elif key.fd == 0:
                self.read_frames()
            elif key.data[1].number in self.jobs:
                key.data[0](key.data[1], events)
        for job in list(self.jobs.values()):
            if time.monotonic() > job.deadline:
                job.killed = job.killed or "timeout"
                job.deadline = float("inf")
                job.kill_warden()

    def _select_only(self, wanted: dict[int, tuple[int, Any]]) -> None:
        registered = self.selector.get_map()
        for fd in [fd for fd in registered if fd not in wanted]:
            self.selector.unregister(fd)
        for fd, (events, data) in wanted.items():
            if fd not in registered:
                self.selector.register(fd, events, data)
            elif (registered[fd].events, registered[fd].data) != (events, data):
                self.selector.modify(fd, events, data)

    def send(self, kind: bytes, number: int, payload: bytes | dict[str, Any]) -> None:
        self.outbox += pack(kind, number, payload if isinstance(payload, bytes) else json.dumps(payload).encode())

    def flush(self) -> None:
        try:
            del self.outbox[: os.write(1, self.outbox[:PIECE_BYTES])]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self.stdin_ended = True

    def read_frames(self) -> None:
        try:
            data = os.read(0, PIECE_BYTES)
        except BlockingIOError:
            return
        self.stdin_ended = not data
        for kind, number, payload in self.frames.feed(data):
            self.handle(kind, number, payload)

    def handle(self, kind: bytes, number: int, payload: bytes) -> None:
        job = self.jobs.get(number)
        if kind == b"h":
            self.hello(json.loads(payload))
        elif kind == b"s":
            self.start(number, json.loads(payload))
        elif kind == b"f":
            assert self.workspace is not None
            self.send(b"f", number, answer(self.workspace, payload))
        elif job is None:
            return  # it ended while the frame was under way
        elif kind == b"k":
            job.stop()
        elif kind == b"g":
            with contextlib.suppress(OSError):
                os.write(job.control, payload[:1])
        elif kind == b"c":
            job.unsent += payload

    def hello(self, asked: dict[str, Any]) -> None:
        """`{workspace (a path), cgroup (a name for one of our own, or null), kill_first (all else of our user)}`"""
        if asked["kill_first"]:
            kill_own_user()
        if asked["cgroup"]:
            self.cgroup = Cgroup.make(asked["cgroup"])
        self.workspace = Workspace(asked["workspace"])
        cgroup = self.cgroup.path if self.cgroup is not None else None
        self.send(b"h", 0, {"pid": os.getpid(), "cgroup": cgroup})

    def start(self, number: int, spec: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):  # the command's own chdir says what is wrong
            os.makedirs(spec["cwd"], exist_ok=True)  # an agent may have removed its own workspace, or locked itself out
            os.chmod(spec["cwd"], os.stat(spec["cwd"]).st_mode & 0o7777 | stat.S_IRWXU)
        try:
            self.jobs[number] = Job(number, spec, self.cgroup)
        except OSError as error:
            self.send(b"s", number, {"error": error.strerror, "errno": error.errno})

    def read_output(self, job: Job, _: int = 0) -> bool:
        """Relay one piece; False if there is none now."""
        try:
            data = os.read(job.output, PIECE_BYTES)
        except BlockingIOError:
            return False
        if not data:
            job.printing = False
            return False
        job.total_output += len(data)
        self.send(b"o", job.number, data)
        if job.total_output > job.spec["max_output_bytes"]:
            job.killed = job.killed or "output"
            job.printing = False
            job.stop()
        return job.printing

    def use_channel(self, job: Job, events: int) -> bool:
        """Carry what is ready; False if nothing was."""
        assert job.channel is not None
        try:
            if events & selectors.EVENT_WRITE:
                del job.unsent[: job.channel.send(job.unsent[:PIECE_BYTES])]
            if events & selectors.EVENT_READ:
                data = job.channel.recv(PIECE_BYTES)
                if not data:
                    raise ConnectionError
                self.send(b"c", job.number, data)
        except BlockingIOError:
            return False
        except ConnectionError:  # the command closed it; its end is told by its warden
            with contextlib.suppress(KeyError):
                self.selector.unregister(job.channel)
            job.channel.close()
            job.channel = None
            return False
        return True

    def read_status(self, job: Job, _: int) -> None:
        """The warden's words; its silence means that the command killed it."""
        data = os.read(job.status, PIECE_BYTES)
        if data:
            job.words += data
            *lines, job.words = job.words.split(b"\n")
            for line in lines:
                self.told(job, json.loads(line))
            return
        if job.number in self.jobs:
            survivors = kill_below(frozenset(other.warden for other in self.jobs.values() if other is not job))
            self.end(job, {"exit_code": None, "killed": job.killed or "supervisor", "survivors": survivors})

    def told(self, job: Job, words: dict[str, Any]) -> None:
        if "exit_code" in words:
            self.end(job, words | {"killed": job.killed or words["killed"]})
            return
        self.send(b"s", job.number, words)
        if "error" in words:
            self.forget(job)
        elif job.spec["timeout_s"] is not None:
            job.give(job.spec["timeout_s"])

    def end(self, job: Job, words: dict[str, Any]) -> None:
        while job.printing and self.read_output(job):
            pass
        while job.channel is not None and self.use_channel(job, selectors.EVENT_READ):
            pass
        if job.report is not None:
            os.lseek(job.report, 0, os.SEEK_SET)
            left = REPORT_BYTES
            while left > 0 and (data := os.read(job.report, min(left, PIECE_BYTES))):
                left -= len(data)
                self.send(b"r", job.number, data)
        self.send(b"e", job.number, words)
        self.forget(job)

    def forget(self, job: Job) -> None:
        for fd in (job.output, job.status, job.channel):
            if fd is not None:
                with contextlib.suppress(KeyError):
                    self.selector.unregister(fd)
        del self.jobs[job.number]
        job.close()


def main() -> None:
    become_subreaper()
    become_unreadable()
    for harmless in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(harmless, signal.SIG_IGN)
    supervisor = Supervisor()
    try:
        supervisor.serve()
    except Exception:
        import traceback

        kill_below()
        os.set_blocking(1, True)
        with contextlib.suppress(OSError):
            os.write(1, bytes(supervisor.outbox) + pack(b"x", 0, traceback.format_exc().encode()))
        raise


if __name__ == "__main__":
    main()
