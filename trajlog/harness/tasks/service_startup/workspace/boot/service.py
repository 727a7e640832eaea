"""The life of a service: new, running, stopped, running, ..."""

from enum import Enum


class State(Enum):
    NEW = "new"
    RUNNING = "running"
    STOPPED = "stopped"


class StateError(RuntimeError):
    """The service cannot do that in its present state."""


class Service:
    """Subclasses say in `on_start` and `on_stop` what to do. A failed `on_start` leaves nothing behind."""

    def __init__(self, name, needs=()):
        self.name = name
        self.needs = tuple(needs)
        self.state = State.NEW
        self.log = None

    def __repr__(self):
        return f"{type(self).__name__}({self.name!r}, {self.state.value})"

    @property
    def is_running(self):
        return self.state is State.RUNNING

    def start(self):
        if self.is_running:
            raise StateError(f"{self.name} is running already")
        self.on_start()
        self.state = State.RUNNING
        self._note("started")

    def stop(self):
        if not self.is_running:
            raise StateError(f"{self.name} is not running")
        self.state = State.STOPPED
        self._note("stopped")
        self.on_stop()

    def on_start(self):
        pass

    def on_stop(self):
        pass

    def _note(self, what):
        if self.log is not None:
            self.log.append(f"{what} {self.name}")
