"""The Docker sandbox: a container without network, capabilities or a writable root, one for each sandbox.

Who runs what inside: process 1 is the engine's init; a keeper (`cat`, as KEEPER_UID) holds the container up; the
supervisor and all commands run as a user of the container's own, who may signal neither. So a command can end its
supervisor, which is replaced, but not its container; one that uses up the memory of all may, and then the sandbox
has ended. The keeper reads from this process: when that dies, however it dies, the container ends and is removed.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import socket
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import docker
import docker.errors
import docker.types
import docker.utils
import psutil
import requests

from trajlog.errors import SandboxError
from trajlog.harness.sandbox.base import Limits, MiB
from trajlog.harness.sandbox.box import Box, environment
from trajlog.harness.sandbox.connection import Connection, DockerTransport
from trajlog.harness.sandbox.image import CODE, WORKSPACE, find_image
from trajlog.harness.sandbox.remote import RemoteWorkspace
from trajlog.harness.workspace import PathRefused

OWNER = "trajlog.sandbox.owner"
KEEPER_UID = 65532
FIRST_UID = 200_000
NUM_UIDS = 1_000_000
OWN_MEMORY_BYTES = 96 * MiB
"""For the supervisor, its wardens and the keeper, beyond what commands and files may take."""
OWN_PROCESSES = 40
SHM_BYTES = 64 * MiB
REQUEST_S = 60.0
_uids = itertools.count(os.getpid() * 1000)


def connect() -> docker.APIClient:
    """A client of the engine that DOCKER_HOST names, or the one on this machine. Raises SandboxError."""
    settings = docker.utils.kwargs_from_env()
    where = settings.get("base_url", "unix:///var/run/docker.sock")
    try:
        if where.startswith("unix://"):
            with socket.socket(socket.AF_UNIX) as tried:  # where it fails, the client would leave its own socket open
                tried.connect(where.removeprefix("unix://"))
        return docker.APIClient(**settings, version="auto", timeout=REQUEST_S)
    except (docker.errors.DockerException, requests.RequestException, OSError) as error:
        hint = "Start one, or use the local sandbox."
        raise SandboxError(f"no Docker engine answers at {where} ({_first_line(error)}). {hint}") from error


def container_limits(limits: Limits) -> Limits:
    """`limits` without what is decided anew for each command: sandboxes equal in this may share warm containers."""
    default = Limits()
    names = ("memory_bytes", "disk_bytes", "max_processes", "cores", "max_open_files", "file_bytes")
    return Limits(**{name: getattr(limits if name in names else default, name) for name in Limits.__struct_fields__})


class DockerSandbox(Box):
    """See `trajlog.harness.sandbox.base.Sandbox`. `seed` becomes PYTHONHASHSEED, so that runs repeat.

    Made empty it can wait, with its supervisor running, until `fill` hands it out.
    """

    def __init__(self, files: Mapping[str, bytes] | None = None, limits: Limits | None = None, seed: int = 0) -> None:
        super().__init__(limits)
        self.python = f"{CODE}/bin/python"
        self.code = PurePosixPath(CODE)
        self.workspace: RemoteWorkspace = RemoteWorkspace(PurePosixPath(WORKSPACE), self._ask)
        self.seed = seed
        self.container: str | None = None
        self._uid = FIRST_UID + next(_uids) % NUM_UIDS
        self._client = connect()
        self._keeper: Any = None
        try:
            with _engine():
                remove_abandoned(self._client)
                image = find_image(self._client)
                if image is None:
                    raise SandboxError("the sandbox image is not on this machine. Make it: trajlog sandbox build")
                self._create(image)
            if self._connected() is None:
                raise SandboxError("a container ended as soon as it started. Look at `docker events`.")
            self.fill(files or {})
        except BaseException:
            with contextlib.suppress(SandboxError):
                self.close()
            raise

    def fill(self, files: Mapping[str, bytes]) -> None:
        """Write `files` into the workspace. Raises SandboxError if they do not fit."""
        try:
            self.workspace.fill(files)
        except (OSError, PathRefused) as error:
            raise SandboxError(f"a container could not be filled: {error}") from error

    def _create(self, image: str) -> None:
        limits = self.limits
        tmpfs = f"size={limits.disk_bytes},nr_inodes=65536,uid={self._uid},gid={self._uid},mode=755,exec,nosuid,nodev"
        memory = limits.memory_bytes + 2 * limits.disk_bytes + SHM_BYTES + OWN_MEMORY_BYTES
        host = self._client.create_host_config(
            auto_remove=True,
            cap_drop=["ALL"],
            init=True,
            ipc_mode="private",
            mem_limit=memory,
            memswap_limit=memory,
            nano_cpus=int(min(limits.cores, num_cores(self._client)) * 10**9),
            network_mode="none",
            pids_limit=limits.max_threads + OWN_PROCESSES,
            read_only=True,
            security_opt=["no-new-privileges"],
            shm_size=SHM_BYTES,
            tmpfs={WORKSPACE: tmpfs, "/tmp": tmpfs},
            ulimits=[
                docker.types.Ulimit(name="core", soft=0, hard=0),
                docker.types.Ulimit(name="nofile", soft=limits.max_open_files + 512, hard=limits.max_open_files + 512),
            ],
        )
        created = self._client.create_container(
            image,
            ["cat"],
            name=f"trajlog-box-{uuid.uuid4().hex[:12]}",
            user=f"{KEEPER_UID}:{KEEPER_UID}",
            stdin_open=True,
            network_disabled=True,
            labels={OWNER: owner()},
            working_dir="/",
            host_config=host | {"StdinOnce": True},
        )
        self.container = created["Id"]
        self._keeper = self._client.attach_socket(
            self.container, params={"stdin": 1, "stdout": 0, "stderr": 0, "stream": 1}
        )
        self._client.start(self.container)

    def _connect(self) -> tuple[Connection, dict[str, Any]]:
        hello = {"workspace": WORKSPACE, "cgroup": None, "kill_first": True}
        with _engine():
            command = [self.python, "-I", "-S", "-B", f"{CODE}/sandbox/supervisor.py"]
            made = self._client.exec_create(
                self.container, command, stdin=True, user=f"{self._uid}:{self._uid}", workdir="/"
            )
            stream = self._client.exec_start(made["Id"], socket=True)
        return Connection(DockerTransport(_socket_of(stream), lambda: _close_stream(stream))), hello

    def _command(self) -> dict[str, Any]:
        env = environment(self.seed, PATH=f"{CODE}/bin:/usr/local/bin:/usr/bin:/bin", HOME="/tmp", TMPDIR="/tmp")
        return {"env": {**env, "USER": "agent"}, "cwd": WORKSPACE, "disk_roots": [], "own_user": True}

    def _kill_all(self) -> bool:
        """The next supervisor kills what there is when it is greeted."""
        with _engine():
            return self._is_running()

    def _is_running(self) -> bool:
        try:
            return bool(self._client.inspect_container(self.container)["State"]["Running"])
        except docker.errors.NotFound:
            return False

    def _remove(self) -> None:
        try:
            if self.container is not None:
                with _engine():
                    remove_container(self._client, self.container)
        finally:
            if self._keeper is not None:
                _close_stream(self._keeper)
                self._keeper = None
            self._client.close()


_cores_of: dict[str, int] = {}


def num_cores(client: docker.APIClient) -> int:
    """Processors of the engine's machine, asked for once; it refuses containers that want more."""
    if client.base_url not in _cores_of:
        _cores_of[client.base_url] = int(client.info()["NCPU"])
    return _cores_of[client.base_url]


def _socket_of(stream: Any) -> socket.socket:
    """The socket of a stream that the engine was asked for; the client wraps it on some transports."""
    return getattr(stream, "_sock", stream)


def _close_stream(stream: Any) -> None:
    connected = _socket_of(stream)
    if connected is not None:  # None: closed before
        connected.close()
    stream.close()
    with contextlib.suppress(OSError, ValueError, AttributeError):  # its HTTP response holds the connection
        stream._response.close()


def owner() -> str:
    """This process, by its number and the time it started at."""
    return f"{socket.gethostname()}/{os.getpid()}/{psutil.Process().create_time():.2f}"


def remove_container(client: docker.APIClient, container: str) -> None:
    """Remove it, whether it runs or is being removed, and wait until it is gone."""
    give_up = time.monotonic() + REQUEST_S
    while time.monotonic() < give_up:
        try:
            client.remove_container(container, force=True, v=True)
        except docker.errors.NotFound:
            return
        except docker.errors.APIError as error:
            if error.status_code != 409:  # 409: the engine is removing it already
                raise
        else:
            return
        time.sleep(0.05)


@functools.cache
def _swept() -> set[str]:
    return set()


def remove_abandoned(client: docker.APIClient) -> None:
    """Once per process: remove the containers of harnesses on this machine that have ended."""
    if _swept():
        return
    _swept().add("now")
    for found in client.containers(all=True, filters={"label": OWNER}):
        host, _, rest = found["Labels"][OWNER].partition("/")
        pid, _, created = rest.partition("/")
        if host == socket.gethostname() and not _lives(int(pid), float(created)):
            remove_container(client, found["Id"])


def _lives(pid: int, created: float) -> bool:
    try:
        return abs(psutil.Process(pid).create_time() - created) < 1.0
    except psutil.Error:
        return False


@contextlib.contextmanager
def _engine() -> Iterator[None]:
    try:
        yield
    except (docker.errors.DockerException, requests.RequestException, OSError) as error:
        raise SandboxError(f"the Docker engine failed: {_first_line(error)}. Look at its log.") from error


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
