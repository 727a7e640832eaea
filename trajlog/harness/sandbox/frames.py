"""Frames between a supervisor and the harness: kind (one byte), number (which command or request), length, payload.

Used on both sides, so it imports nothing of ours.
"""

import struct

HEADER = struct.Struct(">cII")
MAX_PAYLOAD_BYTES = 8 << 20


def pack(kind: bytes, number: int, payload: bytes = b"") -> bytes:
    assert len(payload) <= MAX_PAYLOAD_BYTES, len(payload)
    return HEADER.pack(kind, number, len(payload)) + payload


class Frames:
    """Cuts a byte stream into frames.

    >>> frames = Frames()
    >>> stream = pack(b"o", 7, b"hello")
    >>> frames.feed(stream[:6]), frames.feed(stream[6:])
    ([], [(b'o', 7, b'hello')])
    """

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[tuple[bytes, int, bytes]]:
        """The frames that `data` completes. Raises ValueError if the stream is not one of frames."""
        self._buffer += data
        found = []
        at = 0
        while len(self._buffer) - at >= HEADER.size:
            kind, number, length = HEADER.unpack_from(self._buffer, at)
            if length > MAX_PAYLOAD_BYTES:
                raise ValueError(f"a frame of {length} bytes")
            end = at + HEADER.size + length
            if len(self._buffer) < end:
                break
            found.append((kind, number, bytes(self._buffer[at + HEADER.size : end])))
            at = end
        del self._buffer[:at]
        return found
