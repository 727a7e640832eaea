"""The file of a day.

    buy 1001 49.90
    spend 1001 200 mug
    gift 1001 1002 50
"""

from dataclasses import dataclass


class BookingError(ValueError):
    """A line that cannot be booked."""

    def __init__(self, number, reason):
        super().__init__(f"line {number}: {reason}")
        self.number = number


@dataclass(frozen=True)
class Line:
    number: int
    verb: str
    member: str
    cents: int = 0
    points: int = 0
    target: str = ""


def parse_cents(text):
    euros, _, cents = text.partition(".")
    if not euros.isdigit() or len(cents) != 2 or not cents.isdigit():
        raise ValueError(f"amount {text!r}")
    return 100 * int(euros) + int(cents)


def parse_line(number, words):
    match words:
        case ["buy", member, amount]:
            return Line(number, "buy", member, cents=parse_cents(amount))
        case ["spend", member, points, reward] if points.isdigit():
            return Line(number, "spend", member, points=int(points), target=reward)
        case ["gift", member, target, points] if points.isdigit():
            return Line(number, "gift", member, points=int(points), target=target)
    raise ValueError(f"cannot read {' '.join(words)!r}")


def read_lines(text):
    for number, row in enumerate(text.splitlines(), start=1):
        words = row.partition("#")[0].split()
        if not words:
            continue
        try:
            yield parse_line(number, words)
        except ValueError as error:
            raise BookingError(number, str(error)) from None
