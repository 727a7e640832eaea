"""The Docker engine as tests see it: whether one answers, and how Compose is called on this machine."""

from __future__ import annotations

import functools
import shutil
import subprocess

START_HINT = (
    "start one (on a bare Debian machine, as root: tests/plumbing/docker_engine.sh start /run/trajlog-docker.pid; "
    "then tests/plumbing/base_image.sh where no container registry answers)"
)


@functools.cache
def engine_problem() -> str | None:
    """Return why no Docker engine can be used, or None where one answers."""
    if shutil.which("docker") is None:
        return "there is no 'docker' on the PATH"
    try:
        done = subprocess.run(["docker", "info"], capture_output=True, text=True, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return "'docker info' did not answer within 20 s"
    if done.returncode != 0:
        return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "'docker info' failed"
    if compose_command() is None:
        return "an engine answers, but there is neither 'docker compose' nor 'docker-compose'"
    return None


@functools.cache
def compose_command() -> tuple[str, ...] | None:
    """Return the words that call Compose: the plugin where it is installed, else the older program."""
    if shutil.which("docker") is not None:
        plugin = ("docker", "compose")
        done = subprocess.run([*plugin, "version"], capture_output=True, timeout=20, check=False)
        if done.returncode == 0:
            return plugin
    return ("docker-compose",) if shutil.which("docker-compose") else None
