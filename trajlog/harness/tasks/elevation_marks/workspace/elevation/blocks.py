"""Points are stored in blocks of at most 64.

    u8   number of points
    u32  metres of the first point        i32  height of the first point, in decimetres
    then for every further point: u16 metres further, i16 decimetres higher
    then for every kind of mark: one bit a point
"""

import struct

from elevation.bits import pack_bits, size_of_bits, unpack_bits
from elevation.track import MARKS, Point

BLOCK = 64
_HEAD = struct.Struct(">BIi")
_STEP = struct.Struct(">Hh")


class ProfileError(ValueError):
    """A profile that cannot be written or read."""


def decimetres(height):
    return round(height * 10)


def write_block(points):
    first = points[0]
    out = bytearray(_HEAD.pack(len(points), first.metres, decimetres(first.height)))
    for before, after in zip(points, points[1:], strict=False):
        out += _step(before, after)
    for mark in MARKS:
        out += pack_bits([mark in point.marks for point in points])
    return bytes(out)


def _step(before, after):
    try:
        return _STEP.pack(after.metres - before.metres, decimetres(after.height) - decimetres(before.height))
    except struct.error:
        raise ProfileError(f"too far from {before.metres} m to {after.metres} m") from None


def read_block(stream):
    count, metres, height = _HEAD.unpack(_exactly(stream, _HEAD.size))
    places = [(metres, height)]
    for _ in range(count - 1):
        further, higher = _STEP.unpack(_exactly(stream, _STEP.size))
        metres, height = metres + further, height + higher
        places.append((metres, height))
    columns = {mark: unpack_bits(_exactly(stream, size_of_bits(count)), count) for mark in MARKS}
    return [
        Point(metres, height / 10, frozenset(mark for mark in MARKS if columns[mark][number]))
        for number, (metres, height) in enumerate(places)
    ]


def _exactly(stream, size):
    data = stream.read(size)
    if len(data) < size:
        raise ProfileError("the file ends within a block")
    return data
