"""Turnstiles and the station they belong to."""

import hmac
import threading

from gates.keyring import KeyServerError
from gates.ticket import Ticket, TicketError, signature


class Turnstile:
    def __init__(self, name, keyring, zone, today):
        self.name = name
        self.keyring = keyring
        self.zone = zone
        self.today = today
        self.opened = 0
        self.refused = []

    def check(self, text):
        ticket = Ticket.parse(text)
        key = self.keyring.key(ticket.line)
        if key is None:
            raise TicketError(f"no key for line {ticket.line}")
        if not hmac.compare_digest(signature(ticket.body(), key), ticket.signature):
            raise TicketError("not genuine")
        if self.zone not in ticket.zones:
            raise TicketError(f"not valid in zone {self.zone}")
        if ticket.until < self.today:
            raise TicketError("out of date")
        return ticket

    def insert(self, text):
        """Opens for a good ticket; returns whether it did."""
        try:
            self.check(text)
        except (TicketError, KeyServerError) as error:
            self.refused.append(str(error))
            return False
        self.opened += 1
        return True


class Station:
    """Turnstiles with one keyring; each may be used in a thread of its own."""

    def __init__(self, keyring, zone, names, today=100):
        self.keyring = keyring
        self.turnstiles = {name: Turnstile(name, keyring, zone, today) for name in names}

    def insert_at(self, name, text):
        return self.turnstiles[name].insert(text)

    def together(self, tickets, timeout=2):
        """Inserts a ticket at each of the named turnstiles at the same time; name to result."""
        results = {}

        def passenger(name, text):
            results[name] = self.insert_at(name, text)

        threads = [threading.Thread(target=passenger, args=pair, daemon=True) for pair in tickets.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout)
        return results

    def counts(self):
        return {name: (gate.opened, len(gate.refused)) for name, gate in self.turnstiles.items()}
