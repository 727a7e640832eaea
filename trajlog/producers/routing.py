"""Which engine and which policy version an episode's next turn goes to. Pure."""

import zlib
from typing import NamedTuple

from trajlog.schemas import PolicyAcknowledged


class Route(NamedTuple):
    endpoint: str
    policy_version: int


class Router:
    """Newest acknowledged version per engine. An episode stays with one engine, whose prefix cache knows it."""

    def __init__(self, only: str | None = None) -> None:
        """`only`: route to this endpoint alone."""
        self._only = only
        self._newest: dict[str, int] = {}

    def acknowledged(self, event: PolicyAcknowledged) -> None:
        if self._only is None or event.endpoint == self._only:
            self._newest[event.endpoint] = max(event.policy_version, self._newest.get(event.endpoint, 0))

    def route(self, episode_id: str) -> Route | None:
        """Where the episode's next turn goes; None while no engine has acknowledged any version."""
        if not self._newest:
            return None
        endpoints = sorted(self._newest)
        endpoint = endpoints[zlib.crc32(episode_id.encode()) % len(endpoints)]
        return Route(endpoint, self._newest[endpoint])
