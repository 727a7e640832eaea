"""The relay keeps messages until they have been dealt with.

Messages have a key. `drain` hands every message to the handler of its topic. A handler answers True when it has dealt
with the message, which is then gone; after any other answer the message stays, and so do the later ones with its key,
to be handed over at the next `drain`, in the same order.
"""

from collections import deque
from dataclasses import dataclass, field


@dataclass
class Message:
    topic: str
    key: str
    body: str
    attempts: int = field(default=0, compare=False)


class Relay:
    def __init__(self):
        self._handlers = {}
        self._messages = deque()

    def subscribe(self, topic, handler):
        if topic in self._handlers:
            raise ValueError(f"{topic} has a handler already")
        self._handlers[topic] = handler

    def publish(self, topic, key, body):
        self._messages.append(Message(topic, key, body))

    @property
    def num_waiting(self):
        return len(self._messages)

    def drain(self):
        """The number of messages that were dealt with. Topics without a handler wait."""
        blocked, kept, done = set(), deque(), 0
        while self._messages:
            message = self._messages.popleft()
            handler = self._handlers.get(message.topic)
            if handler is None or (message.topic, message.key) in blocked:
                kept.append(message)
                continue
            message.attempts += 1
            if handler(message) is True:
                done += 1
            else:
                blocked.add((message.topic, message.key))
                kept.append(message)
        self._messages = kept
        return done
