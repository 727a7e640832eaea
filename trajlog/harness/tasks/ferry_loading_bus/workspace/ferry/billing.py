"""What a crossing costs."""

from math import ceil

RATES = {"car": 12, "van": 15, "lorry": 22}
TRAILER_RATE = 7


class Billing:
    """Charges begun metres, trailers apart."""

    def __init__(self, bus):
        self.bills = {}
        bus.attach("checked_in", self._on_checked_in)
        bus.attach("cancelled", self._on_cancelled)

    def _on_checked_in(self, message):
        message["length"] = ceil(message["length"])
        cents = RATES[message["kind"]] * message["length"] * 100
        trailers = message["trailers"]
        while trailers:
            cents += TRAILER_RATE * ceil(trailers.pop()) * 100
        self.bills[message["plate"]] = cents

    def _on_cancelled(self, message):
        cents = self.bills.pop(message["plate"])
        if message.get("late"):
            self.bills[message["plate"]] = cents // 2

    def total(self):
        return sum(self.bills.values())
