"""Which kind of sandbox a role uses, why, and what that isolates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from trajlog.errors import SandboxError
from trajlog.harness.sandbox.base import Limits
from trajlog.harness.sandbox.local import WARNING
from trajlog.harness.sandbox.pool import Kind, SandboxPool

Wanted = Literal["auto", "docker", "local"]
CONTAINERS = (
    "containers: no network, a user of their own without capabilities, a read-only root, limits on memory, processes, "
    "cores and files"
)


class Choice(msgspec.Struct, frozen=True):
    kind: Kind
    reason: str
    """One line for people: what is used, what it isolates, and why not the other."""


def choose(wanted: Wanted) -> Choice:
    """What `wanted` comes to on this machine. Raises SandboxError if containers are asked for and cannot be had."""
    if wanted == "local":
        return Choice("local", f"sandboxes are local processes: {WARNING}")
    problem = docker_problem()
    if problem is None:
        return Choice("docker", f"sandboxes are {CONTAINERS}")
    if wanted == "docker":
        raise SandboxError(f"{problem} Or set episode.sandbox to local.")
    return Choice("local", f"sandboxes are local processes, since {problem} Note that {WARNING}")


def docker_problem() -> str | None:
    """Why containers cannot be used here, and what to do; None if they can."""
    from trajlog.harness.sandbox.container import connect
    from trajlog.harness.sandbox.image import find_image

    try:
        client = connect()
    except SandboxError as error:
        return str(error)
    try:
        if find_image(client) is None:
            return "the sandbox image is not on this machine. Make it with `trajlog sandbox build`."
    finally:
        client.close()
    return None


def open_pool(
    wanted: Wanted,
    *,
    num_warm: int = 0,
    limits: Limits | None = None,
    on_status: Callable[[str], None] = lambda line: None,
) -> SandboxPool:
    """A pool of the kind that `wanted` comes to; `on_status` is told which and why. Raises SandboxError."""
    choice = choose(wanted)
    on_status(choice.reason)
    return SandboxPool(choice.kind, num_warm=num_warm, limits=limits)
