"""bitpack 1.4: packed bits, most significant bit first.

Sizes are in bits everywhere, except for `text`, which counts characters of six bits (space, A-Z, 0-9, dash, slash
and dot).
"""

ALPHABET = " ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-/."
CHAR_BITS = 6


class BitError(ValueError):
    """Too few bits, or a value that does not fit."""


class BitReader:
    def __init__(self, data):
        self._value = int.from_bytes(data, "big")
        self._size = 8 * len(data)
        self._position = 0

    @property
    def position(self):
        return self._position

    @property
    def left(self):
        return self._size - self._position

    def take(self, size):
        """An unsigned number."""
        self.skip(size)
        return self._value >> (self._size - self._position) & ((1 << size) - 1)

    def flag(self):
        return self.take(1) == 1

    def text(self, length):
        numbers = [self.take(CHAR_BITS) for _ in range(length)]
        if any(number >= len(ALPHABET) for number in numbers):
            raise BitError("not a character")
        return "".join(ALPHABET[number] for number in numbers).rstrip()

    def skip(self, size):
        if size > self.left:
            raise BitError(f"{size} bits wanted, {self.left} left")
        self._position += size

    def align(self, size=8):
        """Go on to the next multiple of `size`."""
        self.skip(-self._position % size)


class BitWriter:
    def __init__(self):
        self._value = 0
        self._size = 0

    def put(self, value, size):
        if not 0 <= value < 1 << size:
            raise BitError(f"{value} in {size} bits")
        self._value = self._value << size | value
        self._size += size
        return self

    def text(self, text, length):
        for char in text.ljust(length):
            self.put(ALPHABET.index(char), CHAR_BITS)
        return self

    def align(self, size=8):
        return self.put(0, -self._size % size)

    def data(self):
        self.align()
        return self._value.to_bytes(self._size // 8, "big")
