"""A little message bus between the parts of the check-in."""


class Bus:
    """Listeners are called in the order in which they were attached."""

    def __init__(self):
        self._listeners = {}
        self._past = []
        self.errors = []

    def attach(self, topic, listener, replay=False):
        """Call `listener(message)` for each message of `topic`; with `replay` for past ones first."""
        self._listeners.setdefault(topic, []).append(listener)
        if replay:
            for past_topic, message in list(self._past):
                if past_topic == topic:
                    self._deliver(topic, listener, message)
        return lambda: self._listeners[topic].remove(listener)

    def publish(self, topic, **message):
        self._past.append((topic, message))
        for listener in tuple(self._listeners.get(topic, ())):
            self._deliver(topic, listener, message)

    def past(self, topic=None):
        """Published messages as (topic, message), oldest first."""
        return [(name, dict(message)) for name, message in self._past if topic in (None, name)]

    def _deliver(self, topic, listener, message):
        try:
            listener(message)
        except Exception as error:
            self.errors.append((topic, f"{type(error).__name__}: {error}"))
