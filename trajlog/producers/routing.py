"""Which engine and which policy version an episode's next turn goes to. Pure: times are values of one steady clock."""

import zlib
from typing import NamedTuple

from trajlog.schemas import Heartbeat, PolicyAcknowledged


class Route(NamedTuple):
    endpoint: str
    policy_version: int


class Router:
    """Newest acknowledged version per live engine. An episode stays with one engine, whose prefix cache knows it.

    An engine is live from a heartbeat until `lease_s` without one, its last (`leaving`), or a failed request.
    """

    def __init__(self, lease_s: float, only: str | None = None) -> None:
        """`only`: route to this endpoint alone, heard of or not."""
        self._lease_s = lease_s
        self._only = only
        self._newest: dict[str, int] = {}
        self._heard_s: dict[str, float] = {}

    def acknowledged(self, event: PolicyAcknowledged) -> None:
        self._newest[event.endpoint] = max(event.policy_version, self._newest.get(event.endpoint, 0))

    def heard(self, event: Heartbeat, now_s: float) -> None:
        """A heartbeat that was appended just now; others than engines' change nothing."""
        if event.role != "engine" or event.endpoint is None:
            return
        if event.leaving:
            self.lost(event.endpoint)
        else:
            self._heard_s[event.endpoint] = now_s

    def lost(self, endpoint: str) -> None:
        """A request to it failed: no more until its next heartbeat."""
        self._heard_s.pop(endpoint, None)

    def route(self, episode_id: str, now_s: float) -> Route | None:
        """Where the episode's next turn goes; None while no live engine has acknowledged a version."""
        live = {self._only} if self._only else {e for e, s in self._heard_s.items() if now_s < s + self._lease_s}
        endpoints = sorted(live & self._newest.keys())
        if not endpoints:
            return None
        endpoint = endpoints[zlib.crc32(episode_id.encode()) % len(endpoints)]
        return Route(endpoint, self._newest[endpoint])
