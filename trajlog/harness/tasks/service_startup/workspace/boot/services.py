"""The services of the shop."""

from boot.service import Service


class PortService(Service):
    """Listens on one port."""

    def __init__(self, name, ports, port, needs=()):
        super().__init__(name, needs)
        self._ports = ports
        self.port = port

    def on_start(self):
        self._ports.bind(self.port, self.name)

    def on_stop(self):
        self._ports.free(self.port, self.name)


class Cache(Service):
    """Keeps values while it runs."""

    def __init__(self, name="cache", needs=()):
        super().__init__(name, needs)
        self.values = {}

    def on_stop(self):
        self.values.clear()


class Mailer(Service):
    """Sends what is waiting when it stops."""

    def __init__(self, send, name="mailer", needs=()):
        super().__init__(name, needs)
        self._send = send
        self.outbox = []

    def on_stop(self):
        while self.outbox:
            self._send(self.outbox.pop(0))


def shop(ports, send=print):
    """All services of the shop, in no particular order."""
    return [
        PortService("api", ports, 8080, needs=["database", "cache", "mailer"]),
        Cache(needs=["database"]),
        PortService("database", ports, 5432),
        Mailer(send),
    ]
