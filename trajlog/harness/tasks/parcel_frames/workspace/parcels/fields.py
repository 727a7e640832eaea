"""Fields in the body of a frame: each with a length in front."""


class Fields:
    """Takes a body apart from front to end."""

    def __init__(self, body):
        self._left = memoryview(body)

    def __bool__(self):
        return len(self._left) > 0

    def raw(self):
        size = self._left[0]
        got, self._left = self._left[1 : size + 1], self._left[size + 1 :]
        return got

    def number(self):
        return int.from_bytes(self.raw(), "big")

    def rest(self):
        got, self._left = self._left, self._left[:0]
        return got


def pack_fields(*values):
    made = bytearray()
    for value in values:
        if isinstance(value, int):
            value = value.to_bytes((value.bit_length() + 7) // 8, "big")
        made += bytes([len(value)]) + value
    return bytes(made)
