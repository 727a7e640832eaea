"""Who has which port."""


class PortInUse(OSError):
    """Somebody else has the port."""


class Ports:
    def __init__(self):
        self._owners = {}

    def bind(self, port, owner):
        if port in self._owners:
            raise PortInUse(f"port {port} is taken by {self._owners[port]}")
        self._owners[port] = owner

    def free(self, port, owner):
        if self._owners.get(port) != owner:
            raise LookupError(f"port {port} is not held by {owner}")
        del self._owners[port]

    def held(self):
        return dict(sorted(self._owners.items()))
