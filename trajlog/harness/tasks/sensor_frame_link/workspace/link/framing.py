"""Frames on a serial line.

    FLAG body FLAG        body = stuffed(channel, payload, check sum)

FLAG stands between frames only; inside, FLAG and ESC are sent as ESC and the byte with bit 5 turned over.
"""

from dataclasses import dataclass

from link.crc import crc8

FLAG = 0x7E
ESC = 0x7D
FLIP = 0x20
MIN_BODY = 2


def stuff(data):
    out = bytearray()
    for byte in data:
        if byte in (FLAG, ESC):
            out += bytes((ESC, byte ^ FLIP))
        else:
            out.append(byte)
    return bytes(out)


def encode_frame(channel, payload):
    body = bytes([channel]) + payload
    check = crc8(body)
    return bytes([FLAG]) + stuff(body) + bytes([check, FLAG])


@dataclass
class Stats:
    received: int = 0
    damaged: int = 0


class FrameReader:
    """Takes bytes as they come; `feed` gives the complete frames as (channel, payload)."""

    def __init__(self):
        self.stats = Stats()
        self._body = bytearray()
        self._is_escaped = False

    def feed(self, chunk):
        frames = []
        for byte in chunk:
            if byte == FLAG:
                frame = self._finish()
                if frame is not None:
                    frames.append(frame)
            elif byte == ESC:
                self._is_escaped = True
            else:
                self._body.append(byte ^ FLIP if self._is_escaped else byte)
                self._is_escaped = False
        return frames

    def _finish(self):
        body, is_cut = bytes(self._body), self._is_escaped
        self._body.clear()
        self._is_escaped = False
        if not body and not is_cut:
            return None
        if is_cut or len(body) < MIN_BODY or crc8(body[:-1]) != body[-1]:
            self.stats.damaged += 1
            return None
        self.stats.received += 1
        return body[0], body[1:-1]
