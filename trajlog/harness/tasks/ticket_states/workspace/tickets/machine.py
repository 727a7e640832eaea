"""A state machine with hooks and listeners."""


class TicketError(RuntimeError):
    """The state does not allow the event."""


class Machine:
    """`table` maps (state, event) to a state. Owners may have methods `leave_STATE` and `enter_STATE`."""

    def __init__(self, owner, table, start):
        self.state = start
        self.history = []
        self._owner = owner
        self._table = table
        self._listeners = []

    def listen(self, listener):
        """Call `listener(owner, event, old, new)` after each step."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def can(self, event):
        return (self.state, event) in self._table

    def fire(self, event, **details):
        if not self.can(event):
            raise TicketError(f"{self._owner.number}: {event} is not possible when {self.state}")
        old, new = self.state, self._table[self.state, event]
        self._hook("leave", old, details)
        self.state = new
        self._hook("enter", new, details)
        self.history.append((event, old, new))
        for listener in tuple(self._listeners):
            listener(self._owner, event, old, new)

    def _hook(self, moment, state, details):
        hook = getattr(self._owner, f"{moment}_{state}", None)
        if hook:
            hook(**details)
