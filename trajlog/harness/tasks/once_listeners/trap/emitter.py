"""Named events and who listens to them."""


class Subscription:
    """One listener of one event, until cancelled."""

    def __init__(self, emitter, event, listener, is_once):
        self._emitter = emitter
        self.event = event
        self.listener = listener
        self.is_once = is_once

    def cancel(self):
        self._emitter.remove(self)


class Emitter:
    def __init__(self):
        self._subscriptions = {}

    def on(self, event, listener):
        """Call `listener(*args)` whenever `event` is emitted."""
        return self._add(Subscription(self, event, listener, is_once=False))

    def once(self, event, listener):
        """Call `listener(*args)` the next time `event` is emitted."""
        return self._add(Subscription(self, event, listener, is_once=True))

    def emit(self, event, *args):
        """Call the listeners in the order of their registration; returns how many were called."""
        num_called = 0
        for subscription in list(self._subscriptions.get(event, [])):
            subscription.listener(*args)
            num_called += 1
            if subscription.is_once:
                subscription.cancel()
        return num_called

    def count(self, event):
        return len(self._subscriptions.get(event, []))

    def remove(self, subscription):
        listed = self._subscriptions.get(subscription.event, [])
        if subscription in listed:
            listed.remove(subscription)

    def _add(self, subscription):
        self._subscriptions.setdefault(subscription.event, []).append(subscription)
        return subscription
