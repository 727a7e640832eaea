"""Policy versions from the log into an engine: verify, load, acknowledge, route; the old ones go.

Durable steps for a version: 1 its digest is verified and it is loaded; 2 policy_acknowledged is appended; 3 requests
are routed to it. Killed between any two, the next process takes them again; acknowledging twice says the same twice.
"""

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from trajlog.config import RunConfig
from trajlog.errors import ModelError
from trajlog.schemas import Event, PolicyAcknowledged, PolicyPublished, Producer, encode
from trajlog.serving.adapters import adapter_sha256
from trajlog.serving.wire import policy_name
from trajlog.stream.log import Log

_logger = logging.getLogger(__name__)


class VersionHost(Protocol):
    """What policy versions need of an engine: GatedEngine in this process, VllmEngine beside a server."""

    @property
    def failure(self) -> str | None: ...

    def load(self, name: str, path: Path) -> None: ...

    def route(self, name: str) -> None: ...

    def retire(self, name: str) -> None: ...

    def close(self) -> None: ...


class PolicyVersions:
    """The versions that one engine serves. Not thread-safe."""

    def __init__(
        self, log: Log, config: RunConfig, run_dir: Path, host: VersionHost, producer: Producer, endpoint: str
    ):
        self._log = log
        self._config = config
        self._run_dir = run_dir
        self._host = host
        self._producer = producer
        self._endpoint = endpoint
        self.served: list[int] = []
        """Versions that can be asked for, rising."""

    def see(self, events: Iterable[Event]) -> None:
        """Serve the newest version among `events` (those that count), if it is newer than what is served.

        Versions that were passed over meanwhile are not loaded: no turn would ask for them.
        """
        published = [event for event in events if isinstance(event, PolicyPublished)]
        newest = max(published, key=lambda event: event.policy_version, default=None)
        if newest is None or (self.served and newest.policy_version <= self.served[-1]):
            return
        try:
            self._load(newest)
        except ModelError as error:
            kept = f"versions {self.served} stay" if self.served else "nothing is served"
            _logger.error("policy version %d is not served (%s): %s", newest.policy_version, kept, error)
            return
        acknowledged = PolicyAcknowledged(
            **self._producer.stamp(self._config.run_id),
            engine=self._producer.id,
            endpoint=self._endpoint,
            policy_version=newest.policy_version,
            sha256=newest.sha256,
        )
        self._log.append(self._config.topic("control"), encode([acknowledged]))
        self._host.route(policy_name(newest.policy_version))
        self.served.append(newest.policy_version)
        while len(self.served) > self._config.staleness.max_off_policy_steps + 1:
            self._host.retire(policy_name(self.served.pop(0)))

    def _load(self, event: PolicyPublished) -> None:
        path = self._run_dir.absolute() / event.uri  # an absolute uri stands for itself
        found = adapter_sha256(path)
        if found != event.sha256:
            raise ModelError(
                f"{path} has digest {found}, the learner published {event.sha256}. The files were changed or cut off: "
                f"restore them from the learner's checkpoint of step {event.step}, then start this engine again."
            )
        self._host.load(policy_name(event.policy_version), path)
