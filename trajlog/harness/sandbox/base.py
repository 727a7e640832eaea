"""What every sandbox offers: limits, commands, long-running processes, a workspace of files.

`tools`, `testing`, `grading` and `debugger` know only this. A sandbox is a context manager; files survive from one
command to the next, processes do not. `SandboxError` means that the sandbox itself died or could not be made
(infrastructure): the episode has no verdict then. Everything the agent can cause is a `CommandResult` instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath, PurePosixPath
from typing import Literal, Protocol, Self

import msgspec

from trajlog.harness.output import BoundedOutput

MiB = 1024 * 1024

Killed = Literal["timeout", "memory", "processes", "output", "cpu", "disk", "supervisor", "sandbox"]
"""Why a command did not end by itself: its deadline; more resident memory, processes, printed bytes, CPU time or
stored bytes than the limits allow; it (or another command beside it) killed the processes that watch over it; or it
ended the whole sandbox, in which nothing runs any more."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one command may use. Each must be above 0; the defaults let pytest and a few threads run."""

    timeout_s: float = 30.0
    """Wall clock until the process tree is killed, unless the call gives its own."""
    cpu_s: int = 120
    """CPU seconds of one process."""
    cores: float = 2.0
    """Processors that all commands together may keep busy; only containers hold it."""
    memory_bytes: int = 1024 * MiB
    """Private memory of one process, and resident memory of the whole tree."""
    file_bytes: int = 64 * MiB
    """Size of one file written."""
    disk_bytes: int = 256 * MiB
    """What the workspace may hold, and the temporary folder again; the local sandbox counts both together."""
    max_processes: int = 64
    """Processes alive at once."""
    max_open_files: int = 512
    kept_output_bytes: int = 16 * 1024
    """What is kept of a command's output: half from its start, half from its end."""
    max_output_bytes: int = 64 * MiB
    """Output after which the command is killed."""

    @property
    def max_threads(self) -> int:
        """Threads of all processes together; only containers hold it."""
        return 8 * self.max_processes

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if getattr(self, name) <= 0:
                raise ValueError(f"Limits.{name} is {getattr(self, name)}; it must be above 0")


class CommandResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a command ended. `exit_code` is 128 + N after signal N and None if the sandbox killed it (see `killed`)."""

    exit_code: int | None
    output: str
    """stdout and stderr in the order written; where something was cut, the text says how much."""
    truncated_bytes: int
    duration_s: float
    killed: Killed | None = None
    survivors: int = 0
    """Processes the command left behind, which were killed."""
    report: bytes = b""
    """What the command wrote to its report file (see `Sandbox.run`)."""

    @property
    def timed_out(self) -> bool:
        return self.killed == "timeout"

    def status_line(self, limits: Limits) -> str | None:
        """One sentence on an end that the output does not show; None after an ordinary exit."""
        if self.killed is not None:
            return {
                "timeout": f"killed after {self.duration_s:.0f} s",
                "memory": f"killed: more than {limits.memory_bytes // MiB} MiB of memory",
                "processes": f"killed: more than {limits.max_processes} processes",
                "output": f"killed: printed more than {limits.max_output_bytes // MiB} MiB",
                "cpu": f"killed: more than {limits.cpu_s} s of CPU time",
                "disk": f"killed: files of more than {limits.disk_bytes // MiB} MiB",
                "sandbox": "the sandbox has ended: a command used up or ended all of it",
                "supervisor": "killed: the command ended the process that supervises it",
            }[self.killed]
        if self.survivors:
            return f"{self.survivors} background process(es) were killed when the command ended"
        return None


class Process(Protocol):
    """A running command. `close` kills its whole tree; it is called on every path."""

    output: BoundedOutput
    """Filled by `pump`; replace it to start anew."""

    def pump(self, timeout_s: float) -> bool:
        """Take in output for at most `timeout_s`; True once the process and all it started are gone."""

    def send(self, data: bytes) -> None:
        """Write to the process's channel. Raises BrokenPipeError once it has gone."""

    def receive(self, timeout_s: float) -> bytes:
        """Bytes from the channel, taking in output meanwhile; b"" after `timeout_s` or when the process ended."""

    def signal(self, number: int) -> None:
        """Send a signal to the process itself, not to what it started; nothing happens once it has ended."""

    def close(self) -> CommandResult: ...


class Files(Protocol):
    """The agent's files by relative path (see workspace.py); what is refused raises PathRefused."""

    root: PurePath
    """The workspace's path inside the sandbox; only text, nobody opens files by it."""

    def read(self, path: str) -> bytes: ...

    def write(self, path: str, content: bytes) -> None:
        """Also raises OSError, for a full disk."""

    def exists(self, path: str) -> bool: ...

    def files(self, limit: int = 100) -> list[str]: ...


class Sandbox(Protocol):
    workspace: Files
    limits: Limits
    python: str
    """The interpreter that commands and tests run with."""
    code: PurePosixPath
    """Where the harness's own programs lie inside the sandbox, laid out like `trajlog/harness/`."""

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float | None = None,
        report: bool = False,
        kept_output_bytes: int | None = None,
    ) -> CommandResult:
        """Run to the end or the deadline; nothing that it started is alive afterwards. None means the limits' value.

        With `report`, the argument `{report}` becomes the number of a file descriptor to write to, which has no
        path in the workspace; its bytes come back in the result.
        """

    def start(self, argv: Sequence[str]) -> Process:
        """Start a process that lives on between calls, with a channel: the argument `{channel}` becomes the number
        of a connected stream socket."""

    def cancel(self) -> None:
        """End what runs now, from any thread: the call in flight raises SandboxError, and so do later ones."""

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...


class SandboxFactory(Protocol):
    def __call__(self, files: Mapping[str, bytes], limits: Limits | None = None) -> Sandbox:
        """A sandbox whose workspace holds `files`. Raises SandboxError."""
