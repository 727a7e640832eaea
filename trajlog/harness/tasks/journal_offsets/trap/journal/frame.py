"""One journal entry on disk: a fixed header, the text in UTF-8, a line feed.

Header, big-endian: magic (2 bytes), entry number (4), length of the text (4), checksum of the text (4).
"""

import struct
import zlib

MAGIC = b"J1"
HEADER = struct.Struct(">2sIII")
TAIL = b"\n"


class FrameError(ValueError):
    """The bytes are no entry, or a damaged one."""


class TornFrame(FrameError):
    """The file ends in the middle of an entry."""


def frame_size(text):
    """Size on disk of an entry that holds `text`."""
    return HEADER.size + len(text) + len(TAIL)


def encode(number, text):
    payload = text.encode("utf-8")
    header = HEADER.pack(MAGIC, number, len(payload), zlib.crc32(payload))
    return header + payload + TAIL


def decode_header(data):
    """Number, length and checksum of the entry that starts with `data`."""
    if len(data) < HEADER.size:
        raise TornFrame(f"header of {len(data)} bytes")
    magic, number, length, checksum = HEADER.unpack(data)
    if magic != MAGIC:
        raise FrameError(f"expected {MAGIC!r}, found {magic!r}")
    return number, length, checksum


def decode_payload(number, length, checksum, data):
    """Text of the entry; `data` is the text and the line feed as read."""
    if len(data) < length + len(TAIL):
        raise TornFrame(f"entry {number} has {len(data)} of {length + len(TAIL)} bytes")
    payload = data[:length]
    if zlib.crc32(payload) != checksum:
        raise FrameError(f"checksum of entry {number} does not match")
    return payload.decode("utf-8")
