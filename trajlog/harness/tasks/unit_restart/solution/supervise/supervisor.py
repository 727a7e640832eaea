"""Keeps units running."""

from supervise.unit import BACKOFF, FAILED, RUNNING, STOPPED, STOPPING, Unit


class Supervisor:
    """Time passes with `tick(seconds)` only. A unit that ran for `healthy` seconds has its failures forgiven."""

    def __init__(self, configs, launcher, healthy=30):
        self._units = {name: Unit(config) for name, config in configs.items()}
        self._launcher = launcher
        launcher.on_exit = self._on_exit
        self._healthy = healthy
        self.now = 0
        self.journal = []

    def start(self, name):
        """Start a unit, and what it needs before it."""
        unit = self._units[name]
        for need in unit.config.needs:
            self.start(need)
        if not unit.wanted:
            unit.failures = 0
            self._launch(unit)

    def stop(self, name):
        """Stop a unit, and before it what needs it."""
        for user in self._users(name):
            self.stop(user.name)
        unit = self._units[name]
        if unit.state == RUNNING:
            unit.state = STOPPING
            self._launcher.terminate(unit.process)
        elif unit.state != STOPPING:
            unit.state = STOPPED
            unit.due = None

    def restart(self, name):
        """Replace the process of a unit by a new one; those that need it go on."""
        unit = self._units[name]
        if unit.process is not None:
            self._launcher.terminate(unit.process)
        unit.failures = 0
        self._launch(unit)

    def tick(self, seconds=0):
        self.now += seconds
        self._launcher.deliver()
        for unit in self._units.values():
            if unit.state == BACKOFF and unit.due <= self.now:
                self._launch(unit)
            elif unit.state == RUNNING and unit.failures and self.now - unit.since >= self._healthy:
                unit.failures = 0

    def _launch(self, unit):
        process = self._launcher.start(unit.name, unit.config.command)
        unit.runs(process, self.now)
        self._note(f"{unit.name} {process.pid} started")

    def _on_exit(self, process, code):
        unit = self._units[process.name]
        self._note(f"{process.name} {process.pid} exited with {code}")
        if process is not unit.process:
            return
        unit.process = None
        if unit.state == STOPPING or not unit.wants_restart(code):
            unit.state = STOPPED
            return
        unit.failures += 1
        if unit.failures > unit.config.tries:
            unit.state = FAILED
            self._note(f"{unit.name} failed {unit.failures} times")
        else:
            unit.state = BACKOFF
            unit.due = self.now + unit.next_delay()

    def _users(self, name):
        return [unit for unit in self._units.values() if name in unit.config.needs]

    def _note(self, text):
        self.journal.append(f"{self.now:g} {text}")

    def status(self):
        """Rows (name, state, pid, failures)."""
        return [(unit.name, unit.state, unit.pid, unit.failures) for unit in self._units.values()]
