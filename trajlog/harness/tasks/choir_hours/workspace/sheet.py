"""Attendance sheets: lines `name 18:00-21:00 18:30-19:15`, and `break 19:30-19:45` for everyone."""

import re

from hours import merged, minutes, show, without

STAY = re.compile(r"(\d\d?):(\d\d)-(\d\d?):(\d\d)$")


class SheetError(ValueError):
    """A line that is not understood."""


class Sheet:
    def __init__(self, name):
        self.name = name
        self.breaks = []
        self.stays = {}

    @classmethod
    def parse(cls, name, text):
        sheet = cls(name)
        for number, line in enumerate(text.splitlines(), 1):
            who, *rest = line.split() or [""]
            for word in rest:
                match = STAY.match(word)
                if match is None:
                    raise SheetError(f"{name}:{number}: {word!r}")
                h1, m1, h2, m2 = map(int, match.groups())
                stay = (h1 * 60 + m1, h2 * 60 + m2)
                if who == "break":
                    sheet.breaks.append(stay)
                else:
                    sheet.add(who, stay)
        return sheet

    def add(self, who, stay):
        self.stays.setdefault(who, []).append(stay)

    def counted(self, who):
        return without(self.stays.get(who, []), self.breaks)

    def full_time(self, who):
        """Whether someone was there from the first to the last minute of the sheet."""
        everyone = merged(stay for stays in self.stays.values() for stay in stays)
        span = (everyone[0][0], everyone[-1][1])
        return merged(self.stays.get(who, [])) == [span]


class Season:
    """All rehearsals of a season."""

    def __init__(self, required=0):
        self.required = required
        self.sheets = []

    def add(self, sheet):
        self.sheets.append(sheet)

    def singers(self):
        return sorted({who for sheet in self.sheets for who in sheet.stays})

    def total(self, who):
        return sum(minutes(sheet.counted(who)) for sheet in self.sheets)

    def report(self):
        lines = []
        for who in self.singers():
            total = self.total(who)
            mark = "" if total >= self.required else " *"
            lines.append(f"{who} {show(total)}{mark}")
        return lines
