"""The folder of a corpus: made under a temporary name, renamed into place when it is whole.

Its mode follows the umask: a corpus is made to be handed on.
"""

import filecmp
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trajlog.errors import ConfigError


@contextmanager
def new_corpus_folder(out_dir: Path) -> Iterator[Path]:
    """A temporary folder to fill; leaving the block makes it `out_dir`, an exception removes it.

    A folder that is there already may be empty or hold the very same files; then nothing changes. Raises ConfigError
    when it holds anything else.
    """
    if out_dir.exists() and not out_dir.is_dir():
        raise ConfigError(f"{out_dir} is a file. Name a folder for the corpus.")
    out_dir.parent.mkdir(parents=True, exist_ok=True)
    draft = out_dir.parent / f".{out_dir.name}.{uuid.uuid4().hex}"
    draft.mkdir()
    try:
        yield draft
        for path in [*draft.iterdir(), draft]:
            _sync(path)
        there = sorted(path.name for path in out_dir.iterdir()) if out_dir.is_dir() else []
        if there and there == sorted(path.name for path in draft.iterdir()) and _same(out_dir, draft, there):
            return
        if there:
            raise ConfigError(f"{out_dir} holds something else ({', '.join(there)}). Name another, or remove it first.")
        os.replace(draft, out_dir)
        _sync(out_dir.parent)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _same(one: Path, two: Path, names: list[str]) -> bool:
    _, different, unreadable = filecmp.cmpfiles(one, two, names, shallow=False)
    return not different and not unreadable


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
