"""Both kinds of sandbox for one suite of tests: `make(files, limits, seed)`, and whether processes in it live."""

from __future__ import annotations

import functools
import os
import time

import pytest

from trajlog.harness.sandbox import LocalSandbox

BASES = ("python:3.12-slim", "python:3.11-slim")


@functools.cache
def build_once() -> None:
    """The image of these sources, from the first base that is on this machine. Raises RuntimeError."""
    from trajlog.harness.sandbox.container import connect
    from trajlog.harness.sandbox.image import build_image, find_image

    client = connect()
    try:
        if find_image(client) is not None:
            return
        there = {tag for image in client.images() for tag in image["RepoTags"] or ()}
        base = next((name for name in BASES if name in there), None)
        if base is None:
            raise RuntimeError(
                f"none of {', '.join(BASES)} is on this machine: pull one, or tests/plumbing/base_image.sh"
            )
        build_image(client, base)
    finally:
        client.close()


def make_local(files=None, limits=None, seed=0):
    return LocalSandbox(files or {}, limits, seed)


def make_docker(files=None, limits=None, seed=0):
    from trajlog.harness.sandbox.container import DockerSandbox

    build_once()
    return DockerSandbox(files or {}, limits, seed)


BOTH = [pytest.param(make_local, id="local"), pytest.param(make_docker, id="docker", marks=pytest.mark.docker)]


def living(sandbox, pids):
    """Those of `pids`, as commands of the sandbox see them, that run."""
    code = """import sys
for pid in sys.argv[1:]:
    try:
        state = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0]
    except OSError:
        continue
    if state not in "ZX":
        print(pid)"""
    return [int(pid) for pid in sandbox.run(["python", "-c", code, *map(str, pids)]).output.split()]


def are_gone(sandbox, pids, within_s=5.0):
    """Whether none of `pids`, of which there must be some, runs; the dying get a little time."""
    assert pids
    give_up = time.monotonic() + within_s
    while living(sandbox, pids):
        if time.monotonic() > give_up:
            return False
    return True


def numbers(output):
    return [int(word) for word in output.split() if word.isdigit()]


def pump_until(process, text, within_s=20.0):
    """Take in output until `text` is in it."""
    give_up = time.monotonic() + within_s
    while text not in process.output.text() and time.monotonic() < give_up:
        process.pump(0.05)
    assert text in process.output.text()


def open_descriptors():
    return len(os.listdir("/proc/self/fd"))
