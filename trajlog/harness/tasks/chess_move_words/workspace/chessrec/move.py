"""Moves in long notation: `e2e4`, `e7e8q`, a `+` behind for check."""

from dataclasses import dataclass

FILES = "abcdefgh"
PIECES = ("", "n", "b", "r", "q")


class RecordError(ValueError):
    """A record that cannot be read."""


@dataclass(frozen=True)
class Move:
    origin: int
    target: int
    promotion: str = ""
    is_check: bool = False

    def __str__(self):
        mark = "+" if self.is_check else ""
        return square_name(self.origin) + square_name(self.target) + self.promotion + mark


def square_name(number):
    return f"{FILES[number % 8]}{number // 8 + 1}"


def square_number(name):
    if len(name) != 2 or name[0] not in FILES or name[1] not in "12345678":
        raise RecordError(f"no such square: {name!r}")
    return FILES.index(name[0]) + 8 * (int(name[1]) - 1)


def parse_move(text):
    body = text.removesuffix("+")
    promotion = body[4:]
    if promotion not in PIECES:
        raise RecordError(f"cannot promote to {promotion!r}")
    return Move(square_number(body[:2]), square_number(body[2:4]), promotion, text.endswith("+"))
