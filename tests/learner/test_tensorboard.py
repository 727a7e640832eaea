"""The file's bytes, read back by the format's own words, and by TensorBoard itself where it is installed."""

import importlib.util
import struct
from pathlib import Path

import pytest
from crc32c import crc32c

from trajlog.learner.tensorboard import Board

POINTS = [(1, {"train/loss": 0.5, "train/kl": -2.0}, 10.25), (300, {"train/loss": 0.125}, 12.5)]


def write(folder: Path) -> Path:
    with Board(folder) as board:
        for step, values, time_s in POINTS:
            board.add(step, values, time_s)
    (file,) = folder.iterdir()
    return file


def unmasked(crc: bytes) -> int:
    rotated = (struct.unpack("<I", crc)[0] - 0xA282EAD8) & 0xFFFFFFFF
    return (rotated >> 17 | rotated << 15) & 0xFFFFFFFF


def payloads(data: bytes) -> list[bytes]:
    found = []
    while data:
        length, rest = data[:8], data[12:]
        (size,) = struct.unpack("<Q", length)
        assert unmasked(data[8:12]) == crc32c(length)
        assert unmasked(rest[size : size + 4]) == crc32c(rest[:size])
        found.append(rest[:size])
        data = rest[size + 4 :]
    return found


def test_a_point_by_hand(tmp_path: Path) -> None:
    """wall_time 12.5, step 300 = 0xAC 0x02, summary of 18 bytes: value of 16 bytes: tag of 10, the float 0.125."""
    version, session, _, point = payloads(write(tmp_path).read_bytes())
    assert version.endswith(b"\x1a\x0dbrain.Event:2")
    assert session.endswith(b"\x3a\x02\x08\x01")
    assert point == (
        b"\x09" + struct.pack("<d", 12.5) + b"\x10\xac\x02"
        b"\x2a\x13\x0a\x11\x0a\x0atrain/loss\x15" + struct.pack("<f", 0.125)
    )


def test_a_new_board_replaces_the_old_one(tmp_path: Path) -> None:
    first = write(tmp_path)
    assert write(tmp_path) != first


def test_what_was_added_is_in_the_file_at_once(tmp_path: Path) -> None:
    board = Board(tmp_path)
    board.add(7, {"a": 1.0}, 0.0)
    (file,) = tmp_path.iterdir()
    assert len(payloads(file.read_bytes())) == 3
    board.close()


@pytest.mark.skipif(importlib.util.find_spec("tensorboard") is None, reason="tensorboard is not installed")
@pytest.mark.filterwarnings("ignore")
def test_tensorboard_reads_the_curves(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    write(tmp_path)
    read = EventAccumulator(str(tmp_path))
    read.Reload()
    assert read.Tags()["scalars"] == ["train/loss", "train/kl"]
    assert [(e.step, e.value, e.wall_time) for e in read.Scalars("train/loss")] == [(1, 0.5, 10.25), (300, 0.125, 12.5)]
    assert [(e.step, e.value) for e in read.Scalars("train/kl")] == [(1, -2.0)]
