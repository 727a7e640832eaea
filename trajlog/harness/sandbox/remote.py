"""The files of a workspace that only the supervisor can reach: requests answered by `workspace.answer` inside."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

import msgspec

from trajlog.harness.sandbox.frames import MAX_PAYLOAD_BYTES
from trajlog.harness.workspace import PathRefused

MAX_WRITTEN_BYTES = MAX_PAYLOAD_BYTES - 64 * 1024
ENDED = "the sandbox has ended, its files with it."


class _Answer(msgspec.Struct, frozen=True):
    refused: str | None = None
    errno: int | None = None
    error: str = ""
    value: bool | list[str] | None = None


class RemoteWorkspace:
    """See `trajlog.harness.workspace.Workspace`. `ask` returns None once the sandbox has ended: then every path is
    refused, since what the agent's code did to its sandbox is not a failure of ours."""

    def __init__(self, root: PurePosixPath, ask: Callable[[bytes], bytes | None]) -> None:
        self.root = root
        self._ask = ask

    def fill(self, files: Mapping[str, bytes]) -> None:
        for path, content in files.items():
            self.write(path, content)

    def read(self, path: str) -> bytes:
        return self._request("read", path)[1]

    def write(self, path: str, content: bytes) -> None:
        if len(content) > MAX_WRITTEN_BYTES:
            raise PathRefused(f"{path} would be larger than {MAX_WRITTEN_BYTES} bytes.")
        self._request("write", path, content)

    def exists(self, path: str) -> bool:
        try:
            return self._request("exists", path)[0].value is True
        except PathRefused:
            return False

    def files(self, limit: int = 100) -> list[str]:
        try:
            found = self._request("files", limit=limit)[0].value
        except PathRefused:
            return []
        return found if isinstance(found, list) else []

    def _request(self, op: str, path: str = "", content: bytes = b"", limit: int = 0) -> tuple[_Answer, bytes]:
        reply = self._ask(json.dumps({"op": op, "path": path, "limit": limit}).encode() + b"\n" + content)
        if reply is None:
            raise PathRefused(ENDED)
        head, _, read = reply.partition(b"\n")
        answer = msgspec.convert(json.loads(head), _Answer)  # json takes text that is not quite Unicode, too
        if answer.refused is not None:
            raise PathRefused(answer.refused)
        if answer.errno is not None:
            raise OSError(answer.errno, answer.error)
        return answer, read
