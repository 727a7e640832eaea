"""A record: what an event batch is inside the log. Engines move records and never look into them."""

import msgspec

Headers = tuple[tuple[str, str], ...]
"""Ordered (name, value) pairs; `kind`, `schema_version`, `num_events` and `run_id` are always there."""


class NewRecord(msgspec.Struct, frozen=True):
    """A record before it is appended. `key` decides its partition (stream/log.py, partition_of)."""

    key: bytes
    headers: Headers
    value: bytes
