"""An in-process message relay."""

from relay.broker import Message, Relay

__all__ = ["Message", "Relay"]
