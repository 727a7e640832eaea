"""All kinds in one place: the union, the released schemas, and the archive's columns.

To add a kind: one file beside the others, one entry in KINDS, golden bytes (`python -m tests.golden.write`).
To grow a kind by nullable columns: put them at its end, raise `version`, name them in ADDED. A breaking change needs
the older schema in RELEASED and an entry in UPCASTERS.
"""

from collections.abc import Callable, Mapping

import pyarrow as pa

from trajlog.schemas.base import Event, arrow_schema
from trajlog.schemas.episode_assigned import EpisodeAssigned
from trajlog.schemas.episode_finished import EpisodeFinished
from trajlog.schemas.episode_started import EpisodeStarted
from trajlog.schemas.episode_verdict import EpisodeVerdict
from trajlog.schemas.epochs import LearnerStarted, SchedulerStarted
from trajlog.schemas.generation import Generation
from trajlog.schemas.group_sealed import GroupSealed
from trajlog.schemas.group_verdict import GroupVerdict
from trajlog.schemas.heartbeat import Heartbeat
from trajlog.schemas.observation import Observation
from trajlog.schemas.policy import PolicyAcknowledged, PolicyPublished
from trajlog.schemas.run_started import RunStarted
from trajlog.schemas.schema_registered import SchemaRegistered
from trajlog.schemas.tool_call import ToolCall
from trajlog.schemas.train_step import TrainStep

KINDS: Mapping[str, type[Event]] = {
    cls.kind: cls
    for cls in (
        EpisodeStarted,
        Generation,
        ToolCall,
        Observation,
        EpisodeFinished,
        GroupSealed,
        SchemaRegistered,
        RunStarted,
        SchedulerStarted,
        LearnerStarted,
        EpisodeAssigned,
        EpisodeVerdict,
        GroupVerdict,
        PolicyPublished,
        PolicyAcknowledged,
        TrainStep,
        Heartbeat,
    )
}

ADDED: Mapping[tuple[str, int], tuple[str, ...]] = {
    ("episode_started", 2): ("debugger_arm", "tool_format"),
    ("episode_started", 3): ("group_size",),
    ("observation", 2): ("format_error", "changed_code", "debugger_state"),
    ("episode_finished", 2): (
        "ending",
        "tests_passed_before",
        "changed_code",
        "localized",
        "flags",
        "tool_usage",
        "debugger_arm",
    ),
    ("episode_finished", 3): ("debugger_fits",),
    ("episode_assigned", 2): ("group_size", "curriculum_phase", "success_estimate"),
    ("episode_verdict", 2): ("debugger_fits",),
    ("train_step", 2): ("tensor_digests",),
    ("group_sealed", 2): ("routed_experts",),
}
"""Nullable columns that a version of a kind added to the one before it."""


def _released() -> dict[tuple[str, int], pa.Schema]:
    found = {}
    for cls in KINDS.values():
        schema = arrow_schema(cls)
        for version in range(cls.version, 0, -1):
            found[cls.kind, version] = schema
            added = ADDED.get((cls.kind, version), ())
            schema = pa.schema([field for field in schema if field.name not in added])
    return found


RELEASED: Mapping[tuple[str, int], pa.Schema] = _released()
"""Every schema ever released, by (kind, version): records carry no schema of their own."""

Upcaster = Callable[[pa.RecordBatch], pa.RecordBatch]
UPCASTERS: Mapping[tuple[str, int], Upcaster] = {}
"""From (kind, version) to version + 1. Without an entry, columns that the next version added are filled with null."""

NOT_ARCHIVED = frozenset({("group_sealed", "chains")})
"""Columns whose values are in the archive already: a group's tokens are those of its generations."""


def upcast(
    kind: str,
    version: int,
    batch: pa.RecordBatch,
    released: Mapping[tuple[str, int], pa.Schema] = RELEASED,
    upcasters: Mapping[tuple[str, int], Upcaster] = UPCASTERS,
) -> pa.RecordBatch:
    """Bring a batch of a released version to the newest released version of its kind."""
    while (kind, version + 1) in released:
        step = upcasters.get((kind, version))
        batch = step(batch) if step else _grow(batch, released[kind, version + 1])
        version += 1
    return batch


def _grow(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    columns = [
        batch.column(field.name) if field.name in batch.schema.names else pa.nulls(batch.num_rows, field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


ENVELOPE: tuple[str, ...] = tuple(Event.__struct_fields__)


def event_columns() -> pa.Schema:
    """The archive's event columns: the envelope, then the union of all archived kinds' columns, all nullable.

    Raises TypeError when two kinds give one column name two types.
    """
    columns: dict[str, pa.DataType] = {}
    for cls in KINDS.values():
        if cls.topic == "liveness":
            continue
        for field in arrow_schema(cls):
            if (cls.kind, field.name) in NOT_ARCHIVED:
                continue
            known = columns.setdefault(field.name, field.type)
            if known != field.type:
                raise TypeError(f"column {field.name} is {known} in one kind and {field.type} in {cls.kind}")
    return pa.schema([pa.field(name, kind) for name, kind in columns.items()])
