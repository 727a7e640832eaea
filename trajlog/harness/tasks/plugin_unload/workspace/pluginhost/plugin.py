"""What a plugin looks like."""


class Plugin:
    """Plugins override `start` and, if there is something to tidy up, `stop`."""

    needs = ()

    def __init__(self, name, bus, options):
        self.name = name
        self.bus = bus
        self.options = options

    def start(self):
        raise NotImplementedError

    def stop(self):
        pass


REGISTERED = {}


def register(name):
    """Class decorator: makes a plugin known under `name`."""

    def decorate(cls):
        if name in REGISTERED:
            raise ValueError(f"there are two plugins {name}")
        REGISTERED[name] = cls
        return cls

    return decorate
