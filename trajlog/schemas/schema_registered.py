"""schema_registered: the Arrow schema of a kind, for readers that are not trajlog. Each producer appends it once."""

from typing import ClassVar

from trajlog.schemas.base import Count, Event, Name, Topic


class SchemaRegistered(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "schema_registered"
    topic: ClassVar[Topic] = "control"

    registered_kind: Name
    registered_version: Count
    schema_ipc: bytes
    """The schema as an Arrow IPC message; records of the kind are record-batch messages under it."""
