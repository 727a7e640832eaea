"""policy_published and policy_acknowledged: an adapter version exists; an engine serves it."""

from typing import ClassVar, Literal

from trajlog.schemas.base import Count, Event, Name, Sha256, Topic


class PolicyPublished(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "policy_published"
    topic: ClassVar[Topic] = "control"

    epoch: Count
    """Learner's epoch."""
    policy_version: Count
    """0 is the initial adapter; versions only rise and never mean two adapters."""
    step: Count
    uri: Name
    """Adapter directory (PEFT format): an absolute path that learner and engines share, or a path relative to the run
    directory."""
    sha256: Sha256
    """Over canonical tensor bytes (serving/adapters.py)."""
    link: Literal["file", "nccl"]


class PolicyAcknowledged(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "policy_acknowledged"
    topic: ClassVar[Topic] = "control"

    engine: Name
    endpoint: Name
    """URL of the engine's HTTP server."""
    policy_version: Count
    sha256: Sha256
