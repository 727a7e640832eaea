"""Whole numbers of any size in as few bytes as possible, seven bits a byte, the low ones first."""


def put_number(out, number):
    if number < 0:
        raise ValueError(f"{number} is negative")
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)


def put_text(out, text):
    data = text.encode("utf-8")
    put_number(out, len(data))
    out += data


class Reader:
    """Takes numbers and texts off a bytes object, one after another."""

    def __init__(self, data):
        self._data = data
        self.position = 0

    @property
    def at_end(self):
        return self.position >= len(self._data)

    def take(self, count):
        piece = self._data[self.position : self.position + count]
        if len(piece) < count:
            raise EOFError(f"{count} bytes wanted at {self.position}, {len(piece)} left")
        self.position += count
        return piece

    def number(self):
        result = shift = 0
        while True:
            (byte,) = self.take(1)
            result |= (byte & 0x7F) << shift
            if byte < 0x80:
                return result
            shift += 7

    def text(self):
        return self.take(self.number()).decode("utf-8")
