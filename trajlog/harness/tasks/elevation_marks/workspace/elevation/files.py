"""Whole profile files: magic, name, number of blocks, blocks."""

import io

from elevation.blocks import BLOCK, ProfileError, read_block, write_block
from elevation.track import Track

MAGIC = b"ELP2"


def to_bytes(track):
    name = track.name.encode("utf-8")
    if len(name) > 255:
        raise ProfileError("the name is too long")
    blocks = [track.points[start : start + BLOCK] for start in range(0, len(track.points), BLOCK)]
    out = io.BytesIO()
    out.write(MAGIC + bytes([len(name)]) + name + len(blocks).to_bytes(2, "big"))
    for block in blocks:
        out.write(write_block(block))
    return out.getvalue()


def from_bytes(data):
    stream = io.BytesIO(data)
    if stream.read(len(MAGIC)) != MAGIC:
        raise ProfileError("not an elevation profile")
    name = stream.read(stream.read(1)[0]).decode("utf-8")
    track = Track(name)
    for _ in range(int.from_bytes(stream.read(2), "big")):
        track.points += read_block(stream)
    if stream.read(1):
        raise ProfileError("something follows the last block")
    return track


def save(track, path):
    path.write_bytes(to_bytes(track))


def load(path):
    return from_bytes(path.read_bytes())
