"""Curves for TensorBoard, in its own file format, without its package.

An event file is a sequence of records: length (uint64), masked CRC-32C of it, payload, masked CRC-32C of that, all
little-endian (TensorFlow, "TFRecord format details"). A payload is a protobuf `Event`: wall_time (1, double), step (2,
varint), file_version (3), summary (5: repeated value (1): tag (1), simple_value (2, float)), session_log (7: status
(1), START = 1), which makes readers forget what earlier files of the folder said from that step on.

The curves are a view of what is recorded elsewhere (train_step events, a fine-tuning's metrics.jsonl): a board is
written anew at each start, so it never holds a step that was lost.
"""

import os
import struct
import time
from collections.abc import Mapping
from pathlib import Path

from crc32c import crc32c

from trajlog.private_folder import make_private

_MASK_DELTA = 0xA282EAD8


class Board:
    """One event file in `folder`, which replaces all earlier ones. Every `add` reaches the file before it returns.

    with Board(run_dir / "tensorboard") as board:
        board.add(1, {"train/loss": 0.7}, time.time())
    """

    def __init__(self, folder: Path) -> None:
        """Raises OSError."""
        make_private(folder)
        earlier = list(folder.glob("events.out.tfevents.*"))
        path = folder / f"events.out.tfevents.{time.time_ns() // 1000}.{os.getpid()}"
        self._file = path.open("xb", buffering=0)
        began_s = time.time()
        self._file.write(_framed(_event(began_s, 0, _bytes(3, b"brain.Event:2"))))
        self._file.write(_framed(_event(began_s, 0, _bytes(7, _varint(1, 1)))))
        for old in earlier:
            old.unlink()

    def add(self, step: int, values: Mapping[str, float], wall_time_s: float) -> None:
        """One point of each curve, by tag, at `step`; seconds since 1970."""
        summary = b"".join(_bytes(1, _bytes(1, tag.encode()) + _float(2, value)) for tag, value in values.items())
        self._file.write(_framed(_event(wall_time_s, step, _bytes(5, summary))))

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> "Board":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _framed(payload: bytes) -> bytes:
    length = struct.pack("<Q", len(payload))
    return length + _masked_crc(length) + payload + _masked_crc(payload)


def _masked_crc(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + _MASK_DELTA) & 0xFFFFFFFF)


def _event(wall_time_s: float, step: int, what: bytes) -> bytes:
    return struct.pack("<Bd", 1 << 3 | 1, wall_time_s) + _varint(2, step) + what


def _varint(field: int, value: int) -> bytes:
    return _number(field << 3) + _number(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _number(field << 3 | 2) + _number(len(value)) + value


def _float(field: int, value: float) -> bytes:
    return struct.pack("<Bf", field << 3 | 5, value)


def _number(value: int) -> bytes:
    """Base-128, least significant group first."""
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*made, value])
