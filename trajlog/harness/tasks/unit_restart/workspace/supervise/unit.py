"""One unit and the state it is in."""

STOPPED = "stopped"
RUNNING = "running"
STOPPING = "stopping"
BACKOFF = "backoff"
FAILED = "failed"


class Unit:
    def __init__(self, config):
        self.config = config
        self.state = STOPPED
        self.process = None
        self.failures = 0
        self.due = None
        self.since = None

    @property
    def name(self):
        return self.config.name

    @property
    def pid(self):
        return self.process.pid if self.process else None

    @property
    def wanted(self):
        return self.state in (RUNNING, BACKOFF)

    def runs(self, process, now):
        self.process = process
        self.state = RUNNING
        self.since = now
        self.due = None

    def wants_restart(self, code):
        return self.config.restart == "always" or (self.config.restart == "on-failure" and code != 0)

    def next_delay(self):
        """Doubles with every failure in a row."""
        return self.config.delay * 2 ** (self.failures - 1)
