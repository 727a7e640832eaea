"""One process at a time in a folder that it goes on with where it stopped."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from trajlog.errors import ConfigError


@contextlib.contextmanager
def alone(folder: Path, doing: str) -> Iterator[None]:
    """Hold the folder against other processes, which would do the same again; it is free when the holder dies.

    Raises ConfigError, saying what the other one is `doing` ("plays into").
    """
    held = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(f"another process {doing} {folder}: wait for its end, or name another folder") from None
        yield
    finally:
        os.close(held)
