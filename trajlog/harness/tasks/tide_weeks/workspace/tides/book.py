"""The printed book: one page per week."""

from tides.events import read
from tides.weeks import days, label

NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class Book:
    def __init__(self, lines):
        self.events = read(lines)
        self._pages = {}
        for event in self.events:
            self._pages.setdefault(label(event.day), []).append(event)

    def pages(self):
        return list(self._pages)

    def page(self, name):
        """Lines of a page; days without events are left out."""
        events = self._pages.get(name, [])
        lines = [f"Week {name}"]
        for day_name, day in zip(NAMES, days(name)):
            tides = [str(event) for event in events if event.day == day]
            if tides:
                lines.append(f"{day_name} {day:%d.%m.} " + "  ".join(tides))
        return lines

    def count(self, name):
        return len(self._pages.get(name, ()))

    def ranges(self):
        """Yield (high water, centimetres above the low water before)."""
        for low, high in zip(self.events, self.events[1:]):
            if high.is_high:
                yield high, high.height - low.height

    def spring_weeks(self):
        """Month -> (label, range) of the greatest range."""
        best = {}
        for high, size in self.ranges():
            month = f"{high.when:%Y-%m}"
            if month not in best or size > best[month][1]:
                best[month] = (label(high.day), size)
        return best
