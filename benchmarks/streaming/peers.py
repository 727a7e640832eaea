"""Peers in environments of their own, so that what they need never meets what we need.

An environment is made once, in the cache folder (TRAJLOG_CACHE, else ~/.cache/trajlog), and kept. Where it is not there
and may not be made, or cannot be, NotMeasured says why.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from trajlog.schemas import NewRecord
from trajlog.stream.log import partition_of

PEERS = Path(__file__).parents[1] / "peers"
REQUIREMENTS = {"confluent": "confluent-kafka>=2.16.1", "agent-lightning": "agentlightning>=0.3.0"}
INSTALL_S = 400


class NotMeasured(Exception):
    """Why a peer has no figure."""


def python_of(peer: str, may_install: bool) -> Path:
    """Interpreter of a peer's environment. Raises NotMeasured."""
    cache = Path(os.environ.get("TRAJLOG_CACHE") or Path.home() / ".cache" / "trajlog")
    folder, wanted = cache / "bench-envs" / peer, REQUIREMENTS[peer]
    python, note = folder / "bin" / "python", folder / "installed.txt"
    if note.exists() and note.read_text() == wanted:
        return python
    if not may_install:
        raise NotMeasured(f"its environment is missing; python benchmarks/stream.py makes it ({wanted})")
    print(f"installing {wanted} into {folder}", file=sys.stderr)
    try:
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True, capture_output=True, timeout=60)
        install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", wanted]
        subprocess.run(install, check=True, capture_output=True, timeout=INSTALL_S)
    except subprocess.CalledProcessError as error:
        last = (error.stderr.decode(errors="replace").strip().splitlines() or ["no output"])[-1]
        raise NotMeasured(f"{wanted} could not be installed: {last}") from None
    except subprocess.TimeoutExpired:
        raise NotMeasured(f"{wanted} was not installed within {INSTALL_S} s") from None
    note.write_text(wanted)
    return python


def write_records(path: Path, shapes: Mapping[str, Sequence[Sequence[Sequence[NewRecord]]]], partitions: int) -> None:
    """Shapes of slots of appends of records in one file: 8 bytes of size, a JSON index, the values."""
    number: dict[int, int] = {}
    records: list[NewRecord] = []
    index: dict[str, list[list[list[int]]]] = {}
    for shape, slots in shapes.items():
        index[shape] = []
        for slot in slots:
            index[shape].append([])
            for append in slot:
                for record in append:
                    if id(record) not in number:
                        number[id(record)] = len(records)
                        records.append(record)
                index[shape][-1].append([number[id(record)] for record in append])
    head = json.dumps(
        {
            "records": [(partition_of(r.key, partitions), r.key.decode(), r.headers) for r in records],
            "values": [len(r.value) for r in records],
            "shapes": index,
        }
    ).encode()
    path.write_bytes(b"".join([len(head).to_bytes(8, "little"), head, *(r.value for r in records)]))


class Conversation:
    """A peer that answers lines with lines."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        assert process.stdin
        assert process.stdout
        self._to: IO[str] = process.stdin
        self._answers: IO[str] = process.stdout

    def answer(self) -> str:
        line = self._answers.readline()
        if not line:
            raise NotMeasured(f"it ended with code {self._process.wait()}")
        return line.strip()

    def ask(self, line: str) -> str:
        self._to.write(line + "\n")
        self._to.flush()
        return self.answer()


@contextmanager
def conversation(peer: str, script: str, *arguments: str, may_install: bool) -> Iterator[Conversation]:
    """A running peer, ready. Raises NotMeasured."""
    command = [str(python_of(peer, may_install)), str(PEERS / script), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            talk = Conversation(process)
            talk.answer()
            yield talk
        finally:
            process.kill()


def figures(peer: str, script: str, *arguments: str, may_install: bool, timeout_s: float) -> dict[str, float]:
    """The JSON object that a peer prints last. Raises NotMeasured."""
    command = [str(python_of(peer, may_install)), str(PEERS / script), *arguments]
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False, env=environment)
    except subprocess.TimeoutExpired:
        raise NotMeasured(f"it did not end within {timeout_s:.0f} s") from None
    if done.returncode:
        raise NotMeasured(f"it failed: {(done.stderr.strip().splitlines() or ['no output'])[-1]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found
