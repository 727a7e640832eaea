"""Leases on named resources: whoever holds one has the resource for some seconds."""

from itertools import count


class LeaseError(Exception):
    """The resource is taken, or the lease is over."""


class Lease:
    """Context manager; given back at the end of the block."""

    def __init__(self, manager, resource, owner, token):
        self._manager = manager
        self.resource = resource
        self.owner = owner
        self.token = token

    def renew(self, seconds):
        self._manager.renew(self, seconds)

    def release(self):
        return self._manager.release(self)

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.release()


class LeaseManager:
    def __init__(self, clock):
        self._clock = clock
        self._tokens = count(1)
        self._held = {}

    def acquire(self, resource, owner, seconds):
        holder = self.holder(resource)
        if holder is not None:
            raise LeaseError(f"{resource} is taken by {holder}")
        lease = Lease(self, resource, owner, next(self._tokens))
        self._held[resource] = (lease, self._clock() + seconds)
        return lease

    def renew(self, lease, seconds):
        if not self._is_current(lease):
            raise LeaseError(f"lease {lease.token} on {lease.resource} is over")
        self._held[lease.resource] = (lease, self._clock() + seconds)

    def release(self, lease):
        """Give a lease back; whether it was still held. Doing it twice does no harm."""
        if not self._is_current(lease):
            return False
        del self._held[lease.resource]
        return True

    def _is_current(self, lease):
        held, until = self._held.get(lease.resource, (None, 0))
        return held is not None and self._clock() < until

    def holder(self, resource):
        lease, until = self._held.get(resource, (None, 0))
        if lease is None or self._clock() >= until:
            return None
        return lease.owner

    def table(self):
        """Rows (resource, owner, token) of all that is held now."""
        leases = [lease for name, (lease, _) in sorted(self._held.items()) if self.holder(name) is not None]
        return [(lease.resource, lease.owner, lease.token) for lease in leases]
