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
        order = start_order(self._needs())
        try:
            for name in order:
                service = self._services[name]
                service.start()
                self._running.append(service)
        except Exception:
            self._stop_each()
            raise

    def stop(self):
        """Stop all services, in the reverse order of their start; raises the first error at the end."""
        errors = self._stop_each()
        if errors:
            raise errors[0]

    def dependents(self, name):
        """Names of the services that cannot work without `name`."""
        return needed_by(self._needs(), name)

    def _stop_each(self):
        errors = []
        while self._running:
            try:
                self._running.pop().stop()
            except Exception as error:
                errors.append(error)
        return errors

    def _needs(self):
        return {name: service.needs for name, service in self._services.items()}
