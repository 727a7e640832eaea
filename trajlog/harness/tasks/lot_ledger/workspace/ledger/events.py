"""Lines of a statement.

    2024-01-05 buy ACME 2 @ 10.00
    2024-02-01 sell ACME 1 @ 25.00
    2024-03-01 gift ACME 1
    2024-04-01 split ACME 3
"""

from dataclasses import dataclass

from ledger.money import cents

KINDS = {"buy": True, "sell": True, "gift": False, "split": False}


class BadLine(ValueError):
    pass


@dataclass(frozen=True)
class Event:
    date: str
    kind: str
    symbol: str
    quantity: int
    price: int = 0


def read(text):
    for line in text.splitlines():
        if not line.strip():
            continue
        words = line.split()
        if len(words) < 4 or words[1] not in KINDS:
            raise BadLine(line)
        date, kind, symbol, quantity = words[:4]
        if KINDS[kind] != (len(words) == 6 and words[4] == "@"):
            raise BadLine(line)
        if int(quantity) < 1:
            raise BadLine(line)
        yield Event(date, kind, symbol, int(quantity), cents(words[5]) if KINDS[kind] else 0)
