"""Signed integers as printable text: five bits a character, low bits first, bit 6 says that more follow."""

from maplayer.shapes import LayerError

OFFSET = 63


def write_numbers(numbers):
    out = []
    for number in numbers:
        left = ~(number << 1) if number < 0 else number << 1
        while left >= 0x20:
            out.append(chr((0x20 | left & 0x1F) + OFFSET))
            left >>= 5
        out.append(chr(left + OFFSET))
    return "".join(out)


def read_numbers(text):
    value = shift = 0
    for char in text:
        bits = ord(char) - OFFSET
        if not 0 <= bits < 0x40:
            raise LayerError(f"unexpected {char!r} in a path")
        value |= (bits & 0x1F) << shift
        shift += 5
        if bits < 0x20:
            yield ~(value >> 1) if value & 1 else value >> 1
            value = shift = 0
    if shift:
        raise LayerError("path is cut off")
