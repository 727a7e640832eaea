"""The watch: from the relay into the book, and to the siren."""

from relay import Relay
from rivers.alarms import Alarms, Siren
from rivers.book import Book
from rivers.readings import ReadingError, decode

TOPIC = "level"


class Watch:
    def __init__(self, gauges, relay=None, siren=None):
        self._gauges = dict(gauges)
        self.relay = relay or Relay()
        self.siren = siren or Siren()
        self.book = Book()
        self.alarms = Alarms()
        self.rejected = []
        self.relay.subscribe(TOPIC, self._on_level)

    def report(self, gauge, *bodies):
        """Stand in for a gauge: send its messages."""
        for body in bodies:
            self.relay.publish(TOPIC, gauge, body)

    def round(self):
        """Deal with what has arrived; the number of messages."""
        return self.relay.drain()

    def _on_level(self, message):
        gauge = self._gauges.get(message.key)
        if gauge is None:
            self.rejected.append(f"{message.key}: unknown gauge")
            return True
        try:
            reading = decode(gauge, message.body)
        except ReadingError as error:
            self.rejected.append(str(error))
            return True
        change = self.alarms.change(gauge, reading)
        self.book.enter(reading)
        if change is None:
            return True
        is_sent = self.siren.send(change.text())
        if is_sent:
            self.alarms.commit(change)
        return is_sent
