"""An S3-compatible server (moto) as a process of its own on a free loopback port, with its objects in memory.

It enforces conditional put (`If-None-Match: *` on an object that exists is refused with 412), on which the archive's
commits rest: tests/stream/test_archive_s3.py checks that first.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import uuid
from types import TracebackType

import httpx


class S3Server:
    """Runs from `with` to its end. `url` is http://host:port, `environment` what clients need."""

    def __enter__(self) -> S3Server:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        assert self._process.stderr is not None
        said = []
        for line in self._process.stderr:
            said.append(line)
            if "Running on " in line:
                self.url = line.split("Running on ")[1].split()[0]
                break
        else:
            raise RuntimeError(f"no S3 server. Install it: pip install -e '.[dev]'. It said: {''.join(said)}")
        self._drain = threading.Thread(target=self._process.stderr.read, daemon=True)
        self._drain.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        self._drain.join()
        assert self._process.stderr is not None
        self._process.stderr.close()

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
        }

    def new_bucket(self) -> str:
        """Make a bucket; returns its URL."""
        name = f"bucket-{uuid.uuid4().hex[:12]}"
        httpx.put(f"{self.url}/{name}").raise_for_status()
        return f"s3://{name}"

    def request(self, method: str, location: str, content: bytes = b"", **headers: str) -> httpx.Response:
        """Read or change the object s3://bucket/key over HTTP. The server wants a caller, it checks no signature."""
        url = f"{self.url}/{location.removeprefix('s3://')}"
        return httpx.request(method, url, content=content, headers={"Authorization": "AWS test:test"} | headers)
