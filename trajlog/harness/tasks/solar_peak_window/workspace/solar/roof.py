"""Several inverters on one roof."""

from solar.log import PowerLog
from solar.peaks import highest


class Roof:
    def __init__(self, logs, limit=None):
        self.logs = list(logs)
        self.limit = limit

    def total(self):
        """The sum of all inverters, cut at the feed-in limit."""
        moments = sorted({second for log in self.logs for second, _ in log})
        total = PowerLog("roof")
        for second in moments:
            watts = sum(log.at(second) for log in self.logs)
            total.add(second, watts if self.limit is None else min(watts, self.limit))
        return total

    def bill_line(self, width=900):
        total = self.total()
        return f"{len(self.logs)} inverters, {total.energy_wh():.1f} Wh, peak {highest(total, width).label()}"
