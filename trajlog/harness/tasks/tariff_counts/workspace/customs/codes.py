"""Commodity codes: chapters (2 digits), headings (4), subheadings (6) and national lines (8)."""

from dataclasses import dataclass


class CodeError(LookupError):
    """No such code."""


@dataclass(frozen=True)
class Line:
    code: str
    text: str
    percent: float | None = None
    unit_cents: int = 0


def parent(code):
    return code[:-2]


class Tariff:
    """All lines, on a slow medium."""

    def __init__(self, lines):
        self._lines = {line.code: line for line in lines}
        self.reads = []

    @classmethod
    def read(cls, text):
        """Lines such as `080510 | Oranges | 3.2 | 15`; the rate and the cents per kg may be missing."""
        lines = []
        for row in text.splitlines():
            if not row.strip():
                continue
            code, name, *rates = (part.strip() for part in row.split("|"))
            if not code.isdigit() or len(code) % 2:
                raise CodeError(code)
            percent = float(rates[0]) if rates and rates[0] else None
            lines.append(Line(code, name, percent, int(rates[1]) if len(rates) > 1 else 0))
        return cls(lines)

    def line(self, code):
        self.reads.append(code)
        if code not in self._lines:
            raise CodeError(code)
        return self._lines[code]

    def nearest(self, code):
        """The longest known code that the code begins with."""
        while code and code not in self._lines:
            code = parent(code)
        if not code:
            raise CodeError("unknown chapter")
        return code
