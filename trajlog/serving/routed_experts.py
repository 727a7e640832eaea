"""Experts that a mixture's routers chose while an engine sampled, and the side files that carry them to the learner.

Workers write one file a generation and name it in the `generation` event (`routed_experts_uri` and `..._sha256`); a
learner that replays routing reads it. A file is safetensors with one tensor, `routed_experts` [positions, layers, K]:
384 bytes a token for 48 layers of top-8. Its name is its SHA-256, so writing it twice changes nothing.

Positions of one generation's file are those that its call was first to feed: from the last token before this turn
(position 0 in the chain's first turn) to the last token but one of what it generated. The last one is fed by the next
turn's call, if there is one. So the files of a chain's turns, end to end, cover all its positions but the last.
"""

import hashlib
import json
import os
import secrets
import struct
from pathlib import Path
from typing import Literal

import msgspec

from trajlog.errors import ModelError
from trajlog.private_folder import make_private
from trajlog.serving.safetensors_file import read_header

TENSOR = "routed_experts"
_BYTES = {"U8": 1, "I16": 2}
_REMEDY = "Copy it back from where the workers wrote it, or train without router_replay.directory."


class RoutedExperts(msgspec.Struct, frozen=True):
    """Experts by position, layer and rank among the chosen: `data` is [positions, layers, K], row-major."""

    shape: tuple[int, int, int]
    dtype: Literal["U8", "I16"]
    """safetensors' words: one byte for up to 256 experts, else int16, little-endian."""
    data: bytes

    def __post_init__(self) -> None:
        positions, layers, chosen = self.shape
        if len(self.data) != positions * layers * chosen * _BYTES[self.dtype]:
            raise ValueError(f"routed experts of shape {self.shape} in {self.dtype} cannot be {len(self.data)} bytes")

    def positions(self, first: int, end: int) -> "RoutedExperts":
        """Those of positions first..end - 1. Raises ValueError when they are not all there."""
        count, layers, chosen = self.shape
        if not 0 <= first <= end <= count:
            raise ValueError(f"positions {first}..{end} of routed experts that cover {count}")
        row = layers * chosen * _BYTES[self.dtype]
        return RoutedExperts((end - first, layers, chosen), self.dtype, self.data[first * row : end * row])


def first_position(prefix_len: int) -> int:
    """Chain position of a generation's first row, from the tokens before the turn."""
    return max(prefix_len - 1, 0)


def save_routed_experts(directory: Path, routed: RoutedExperts) -> tuple[str, str]:
    """Write a side file; its path and SHA-256 (hex).

    Durable steps: 1 the file under a temporary name, synced; 2 renamed, and its folders synced. Raises ModelError.
    """
    entry = {"dtype": routed.dtype, "shape": list(routed.shape), "data_offsets": [0, len(routed.data)]}
    header = json.dumps({TENSOR: entry}).encode()
    header += b" " * (-len(header) % 8)
    content = struct.pack("<Q", len(header)) + header + routed.data
    digest = hashlib.sha256(content).hexdigest()
    path = directory / digest[:2] / f"{digest}.safetensors"
    try:
        if not path.exists():
            make_private(path.parent)
            temporary = path.with_name(f".{digest}.{secrets.token_hex(8)}.tmp")  # others may write the same
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        for folder in (path.parent, directory):  # also where another has just written it
            _sync(folder)
    except OSError as error:
        raise ModelError(f"cannot write {path}: {error}. Check free space and permissions.") from error
    return str(path), digest


def _sync(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def load_routed_experts(uri: str, sha256: str) -> RoutedExperts:
    """Read a side file. Raises ModelError when it is missing, damaged or not the one that was named."""
    path = Path(uri)
    header, start = read_header(path, _REMEDY)
    try:
        content = path.read_bytes()
    except OSError as error:  # gone since, or its folder is
        raise ModelError(f"cannot read {path}: {error}. {_REMEDY}") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ModelError(f"{path} is not the file that its event names (SHA-256 differs). {_REMEDY}")
    try:
        entry = header[TENSOR]
        return RoutedExperts(tuple(entry["shape"]), entry["dtype"], content[start:])
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path} does not hold routed experts: {error}. {_REMEDY}") from error
