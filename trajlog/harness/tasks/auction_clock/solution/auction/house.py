"""The house: runs lots against the clock and takes bids."""

from auction.limiter import Limiter
from auction.lot import HELD, OPEN, SOLD, WITHDRAWN, BidRefused, Lot


class House:
    """A bid within the last `grace` seconds of a lot gives it another `grace` seconds from that bid on."""

    def __init__(self, timers, duration=60, grace=10, bids_per_minute=20):
        self._timers = timers
        self._duration = duration
        self._grace = grace
        self._limiter = Limiter(lambda: timers.now, bids_per_minute, 60)
        self._closing = {}
        self.lots = {}
        self.journal = []

    def offer(self, title, start, reserve=0):
        lot = Lot(len(self.lots) + 1, title, start, reserve)
        self.lots[lot.number] = lot
        return lot.number

    def open(self, number, duration=None):
        lot = self.lots[number]
        if lot.state != "waiting":
            raise ValueError(f"lot {number} is {lot.state}")
        lot.state = OPEN
        self._end_in(lot, duration or self._duration)
        self._note(lot, "open")

    def bid(self, who, number, amount):
        """Returns the seconds that are left."""
        lot = self.lots[number]
        if not self._limiter.allow(who):
            raise BidRefused(f"{who} bids too often")
        lot.bid(who, amount)
        self._note(lot, f"{who} {amount}")
        if lot.ends - self._timers.now < self._grace:
            self._end_in(lot, self._grace)
        return lot.ends - self._timers.now

    def hold(self, number):
        """Stop the clock of a lot, because of a question from the floor."""
        lot = self._expect(number, OPEN)
        lot.remaining = lot.ends - self._timers.now
        lot.state = HELD
        self._unschedule(lot)
        self._note(lot, "held")

    def resume(self, number):
        lot = self._expect(number, HELD)
        lot.state = OPEN
        self._end_in(lot, lot.remaining)
        self._note(lot, "resumed")

    def withdraw(self, number):
        lot = self.lots[number]
        if lot.state not in ("waiting", OPEN, HELD):
            raise ValueError(f"lot {number} is {lot.state}")
        self._unschedule(lot)
        lot.state = WITHDRAWN
        self._note(lot, "withdrawn")

    def _expect(self, number, state):
        lot = self.lots[number]
        if lot.state != state:
            raise ValueError(f"lot {number} is {lot.state}, not {state}")
        return lot

    def _end_in(self, lot, seconds):
        self._unschedule(lot)
        lot.ends = self._timers.now + seconds
        self._closing[lot.number] = self._timers.call_later(seconds, self._hammer, lot)

    def _unschedule(self, lot):
        timer = self._closing.pop(lot.number, None)
        if timer is not None:
            timer.cancel()

    def _hammer(self, lot):
        self._closing.pop(lot.number, None)
        lot.settle()
        self._note(lot, lot.state)

    def _note(self, lot, what):
        self.journal.append(f"{self._timers.now} #{lot.number} {what}")

    def bills(self):
        """What every buyer has to pay."""
        bills = {}
        for lot in self.lots.values():
            if lot.state == SOLD:
                bills[lot.leader] = bills.get(lot.leader, 0) + lot.price
        return bills
