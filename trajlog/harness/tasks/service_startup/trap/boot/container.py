"""Starts and stops services together."""

from boot.graph import needed_by, start_order
from boot.service import StateError


class Container:
    """`log` gets one line per service that was started or stopped."""

    def __init__(self, services):
        self._services = {service.name: service for service in services}
        if len(self._services) < len(services):
            raise ValueError("two services have the same name")
        self._running = []
        self.log = []
        for service in services:
            service.log = self.log

    @property
    def services(self):
        return list(self._services.values())

    @property
    def is_running(self):
        return bool(self._running)

    def __getitem__(self, name):
        return self._services[name]

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc):
        self.stop()

    def start(self):
        """Start all services, each after what it needs. All of them run afterwards, or none does."""
        if self._running:
            raise StateError("the container is running already")
        try:
            self._running = self._start_each()
        except Exception:
            self.stop()
            raise

    def stop(self):
        """Stop all services, in the reverse order of their start."""
        running, self._running = self._running, []
        for service in reversed(running):
            service.stop()

    def dependents(self, name):
        """Names of the services that cannot work without `name`."""
        return needed_by(self._needs(), name)

    def _start_each(self):
        started = self._running
        for name in start_order(self._needs()):
            service = self._services[name]
            service.start()
            started.append(service)
        return started

    def _needs(self):
        return {name: service.needs for name, service in self._services.items()}
