"""Frames: one byte kind, one byte length, the body, one byte checksum."""

from typing import NamedTuple

PARCEL, NOTE, ROUTE, END = b"PNRE"


class FrameError(ValueError):
    """The data are not a manifest."""


class Frame(NamedTuple):
    kind: int
    body: bytes
    is_sound: bool


def checksum(body):
    return sum(body) % 251


def frames(link):
    """Frames up to the end frame."""
    while True:
        head = link.take(2)
        if len(head) < 2:
            raise FrameError("manifest without an end")
        kind, size = head
        if kind == END:
            return
        body = bytes(link.take(size))
        check = link.take(1)
        if len(body) < size or not check:
            raise FrameError("manifest is cut off")
        yield Frame(kind, body, check[0] == checksum(body))


def pack(kind, body):
    """The bytes of one frame."""
    if len(body) > 255:
        raise FrameError(f"body of {len(body)} bytes")
    return bytes([kind, len(body)]) + body + bytes([checksum(body)])
