"""What the kinds of devices do before they sleep and after they wake."""


class Busy(Exception):
    """The device cannot sleep now."""


class Driver:
    def prepare_sleep(self):
        """Called before the device sleeps. May raise Busy."""

    def woken(self):
        """Called when the device is awake again."""


class PlainDriver(Driver):
    pass


class HubDriver(Driver):
    def __init__(self):
        self.rescans = 0

    def woken(self):
        self.rescans += 1


class DiskDriver(Driver):
    def __init__(self):
        self.dirty = 0
        self.flushed = 0

    def write(self, blocks):
        self.dirty += blocks

    def prepare_sleep(self):
        self.flushed += self.dirty
        self.dirty = 0


class NetDriver(Driver):
    def __init__(self):
        self.transfers = set()
        self.connects = 0

    def prepare_sleep(self):
        if self.transfers:
            raise Busy(f"transfers: {', '.join(sorted(self.transfers))}")

    def woken(self):
        self.connects += 1


KINDS = {"plain": PlainDriver, "hub": HubDriver, "disk": DiskDriver, "net": NetDriver}
