"""Where a worker's sandboxes come from: of one kind, some of them warm, and only so many busy at once.

>>> with SandboxPool("local") as pool, pool({"a.py": b"print(1)"}) as sandbox:  # doctest: +SKIP
...     sandbox.run(["python", "a.py"]).output
'1\\n'
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, Self

from trajlog.errors import SandboxError
from trajlog.harness.sandbox.base import Limits, Sandbox
from trajlog.harness.sandbox.local import LocalSandbox

if TYPE_CHECKING:
    from trajlog.harness.sandbox.container import DockerSandbox

Kind = Literal["docker", "local"]
COMMANDS_PER_CORE = 4
RETRY_S = 5.0


class SandboxPool:
    """A `SandboxFactory`. Any thread may call it; `close` ends what waits, not what was handed out.

    `num_warm` containers wait, empty and with their supervisor running, and are filled with the task's files when
    handed out (local sandboxes start as fast as that by themselves). At most `max_busy` commands run at once over all
    sandboxes, by default four for each core; one that has to wait is not late, for its deadline counts from its start.
    """

    def __init__(
        self, kind: Kind, *, num_warm: int = 0, max_busy: int | None = None, limits: Limits | None = None
    ) -> None:
        self.kind = kind
        self._num_warm = num_warm if kind == "docker" else 0
        self._gate = threading.BoundedSemaphore(max_busy or COMMANDS_PER_CORE * (os.cpu_count() or 1))
        self._limits = limits or Limits()
        self._warm: deque[Sandbox] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._filler: threading.Thread | None = None
        if self._num_warm:
            self._filler = threading.Thread(target=self._fill, name="sandbox-pool", daemon=True)
            self._filler.start()

    def __call__(self, files: Mapping[str, bytes], limits: Limits | None = None, seed: int = 0) -> Sandbox:
        """A sandbox with `files`; it belongs to the caller, who closes it. Raises SandboxError."""
        limits = limits or self._limits
        made = self._make(files, limits, seed)
        made.gate = self._gate
        return made

    def close(self) -> None:
        """Close the sandboxes that wait. Safe to call again."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._filler is not None:
            self._filler.join()
        while self._warm:
            self._warm.popleft().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def wait_until_warm(self, timeout_s: float) -> bool:
        """Wait until all that should wait are ready; whether they are."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._warm) >= self._num_warm or self._closed, timeout_s)

    def _fill(self) -> None:
        from trajlog.harness.sandbox.container import DockerSandbox

        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or len(self._warm) < self._num_warm)
                if self._closed:
                    return
            try:
                made = DockerSandbox({}, self._limits)
            except SandboxError:  # whoever asks for a sandbox now makes one, and gets the reason
                with self._changed:
                    self._changed.wait_for(lambda: self._closed, RETRY_S)
                continue
            with self._changed:
                self._warm.append(made)
                self._changed.notify_all()

    def _make(self, files: Mapping[str, bytes], limits: Limits, seed: int) -> LocalSandbox | DockerSandbox:
        if self.kind == "local":
            return LocalSandbox(files, limits, seed)
        from trajlog.harness.sandbox.container import DockerSandbox, container_limits

        while container_limits(limits) == container_limits(self._limits):
            with self._changed:
                if not self._warm:
                    break
                made = self._warm.popleft()
                self._changed.notify_all()
            made.limits, made.seed = limits, seed
            try:
                made.fill(files)
            except SandboxError:  # it ended while it waited, with its engine perhaps: another, or the true reason
                made.close()
                continue
            return made
        return DockerSandbox(files, limits, seed)
