"""Topics, to which the host and its plugins subscribe."""

from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(eq=False)
class Subscription:
    topic: str
    handler: object
    owner: str | None
    active: bool = True

    def matches(self, topic):
        if self.topic.endswith(".*"):
            return topic.startswith(self.topic[:-1])
        return topic == self.topic


class Bus:
    """Everything that is subscribed while somebody acts belongs to them, else to the host."""

    def __init__(self):
        self._subscriptions = []
        self._owner = None
        self.errors = []

    @contextmanager
    def acting(self, owner):
        previous, self._owner = self._owner, owner
        yield
        self._owner = previous

    def subscribe(self, topic, handler):
        subscription = Subscription(topic, handler, self._owner)
        self._subscriptions.append(subscription)
        return subscription

    def unsubscribe(self, subscription):
        subscription.active = False
        self._subscriptions = [each for each in self._subscriptions if each is not subscription]

    def publish(self, topic, **data):
        """Call the handlers in the order of subscription. Returns how many did their work."""
        reached = 0
        for subscription in list(self._subscriptions):
            if subscription.active and subscription.matches(topic):
                reached += self._deliver(subscription, topic, data)
        return reached

    def _deliver(self, subscription, topic, data):
        try:
            with self.acting(subscription.owner):
                subscription.handler(topic, **data)
        except Exception as error:
            self.errors.append((subscription.owner or "host", topic, str(error)))
            return False
        return True

    def drop(self, owner):
        """End all subscriptions of `owner`. Returns how many there were."""
        dropped = [each for each in self._subscriptions if each.owner == owner]
        for subscription in dropped:
            self.unsubscribe(subscription)
        return len(dropped)

    def owners(self):
        counts = {}
        for subscription in self._subscriptions:
            name = subscription.owner or "host"
            counts[name] = counts.get(name, 0) + 1
        return counts
