"""run_started: the run's settings, written once; every role takes them from here."""

from typing import ClassVar

from trajlog.schemas.base import Event, Index, Json, Name, Topic


class RunStarted(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "run_started"
    topic: ClassVar[Topic] = "control"

    config: Json
    """config.RunConfig as JSON."""
    num_partitions: Index
    """Of `.rollouts` and `.groups`; never changed within a run."""
    log_identity: Name
    trajlog_version: Name
