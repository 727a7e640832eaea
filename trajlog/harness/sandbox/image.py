"""The image that containers run: a public Python image, the harness's own programs, and pytest.

pytest is copied from this environment, where trajlog depends on it: the same version in both kinds of sandbox, and a
build that needs no network but for the base image. The tag is a digest of everything that is put in, so that a
container never runs programs that do not fit the harness.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import io
import re
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from trajlog.errors import SandboxError

if TYPE_CHECKING:
    import docker

REPOSITORY = "trajlog-sandbox"
BASE = "python:3.12-slim"
CODE = "/opt/trajlog"
WORKSPACE = "/workspace"
LABEL = "trajlog.sandbox.contents"
IN_BOX = ("workspace.py", "pytest_runner.py", "plain_values.py", "sandbox/*.py", "debugger/*.py")
"""Where programs that run inside sandboxes lie in trajlog/harness; what imports trajlog is not one."""
PYTEST = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")

_DOCKERFILE = f"""\
ARG BASE
FROM ${{BASE}}
USER root
COPY in-box {CODE}
RUN python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' \\
 && bash -c true \\
 && python3 -m compileall -q {CODE} \\
 && python3 -c "import site; open(site.getsitepackages()[0] + '/trajlog.pth', 'w').write('{CODE}/site')" \\
 && mkdir -p {CODE}/bin {WORKSPACE} \\
 && ln -s "$(command -v python3)" {CODE}/bin/python \\
 && ln -s "$(command -v python3)" {CODE}/bin/python3 \\
 && printf '#!/bin/sh\\nexec python3 -m pytest "$@"\\n' > {CODE}/bin/pytest \\
 && chmod 755 {CODE}/bin/pytest \\
 && python3 -c 'import pytest'
WORKDIR {WORKSPACE}
ENTRYPOINT []
CMD ["cat"]
"""


def in_box_files() -> dict[str, bytes]:
    """The programs that run inside, by their path below `CODE`."""
    harness = Path(__file__).parents[1]
    found = {}
    for pattern in IN_BOX:
        for path in sorted(harness.glob(pattern)):
            text = path.read_bytes()
            if not re.search(rb"^\s*(from|import) trajlog", text, re.MULTILINE):
                found[path.relative_to(harness).as_posix()] = text
    return found


def pytest_files() -> dict[str, bytes]:
    """pytest and what it imports, by path below `CODE`. Raises SandboxError."""
    found = {}
    for name in PYTEST:
        try:
            files = importlib.metadata.files(name)
        except importlib.metadata.PackageNotFoundError:
            files = None
        if files is None:
            raise SandboxError(
                f"{name}, which goes into the image, is not installed here with a list of its files. Install trajlog "
                "with pip, in a virtual environment."
            )
        for path in files:
            if path.suffix == ".py" or path.parts[0].endswith((".dist-info", ".egg-info")):
                found[f"site/{path.as_posix()}"] = path.read_binary()
    return {path: text for path, text in found.items() if ".." not in Path(path).parts}


def contents_digest(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256(_DOCKERFILE.encode())
    for path, text in sorted(files.items()):
        digest.update(f"\0{path}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()[:16]


@functools.cache
def contents() -> tuple[dict[str, bytes], str]:
    """What is put into the image, and its digest: read once, so that one process keeps to one image."""
    files = in_box_files() | pytest_files()
    return files, contents_digest(files)


def find_image(client: docker.APIClient) -> str | None:
    """The newest image with exactly these contents, whatever its base; None if it was not built."""
    found = client.images(filters={"label": f"{LABEL}={contents()[1]}"})
    return max(found, key=lambda image: image["Created"])["Id"] if found else None


def build_image(client: docker.APIClient, base: str = BASE, on_line: Callable[[str], None] = lambda line: None) -> str:
    """Build the image from `base`, which needs Python 3.11 or newer and bash; returns its tag. Raises SandboxError.

    A base that is not on this machine is pulled.
    """
    import docker

    files, digest = contents()
    tag = f"{REPOSITORY}:{re.sub('[^a-z0-9.]+', '-', base.lower())}-{digest}"
    log = []
    try:
        for step in client.build(
            fileobj=_context(files),
            custom_context=True,
            tag=tag,
            buildargs={"BASE": base},
            labels={LABEL: digest, "trajlog.sandbox.base": base},
            network_mode="none",
            rm=True,
            forcerm=True,
            decode=True,
        ):
            line = (step.get("stream") or step.get("error") or "").strip()
            if line:
                log.append(line)
                on_line(line)
            if "error" in step:
                raise SandboxError(
                    f"the image could not be built from {base}: {line}. Its base needs Python 3.11 or newer and bash; "
                    "where it cannot be pulled, name one that is on this machine with --base."
                )
    except docker.errors.DockerException as error:
        raise SandboxError(f"the image could not be built: {error}") from error
    return tag


def _context(files: Mapping[str, bytes]) -> io.BytesIO:
    context = io.BytesIO()
    with tarfile.open(fileobj=context, mode="w") as tar:
        named = {"Dockerfile": _DOCKERFILE.encode()} | {f"in-box/{path}": text for path, text in files.items()}
        for path, text in named.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(text)
            entry.mode = 0o644
            tar.addfile(entry, io.BytesIO(text))
    context.seek(0)
    return context
