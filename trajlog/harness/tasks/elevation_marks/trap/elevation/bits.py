"""Yes/no lists in bytes: eight a byte, the first in the highest bit; the last byte is filled up with zeros."""


def pack_bits(values):
    out = bytearray()
    for start in range(0, len(values), 8):
        piece = values[start : start + 8]
        byte = 0
        for value in piece:
            byte = byte << 1 | bool(value)
        out.append(byte)
    return bytes(out)


def unpack_bits(data, count):
    number = int.from_bytes(data, "big")
    return [bool(number >> place & 1) for place in reversed(range(count))]


def size_of_bits(count):
    return (count + 7) // 8
