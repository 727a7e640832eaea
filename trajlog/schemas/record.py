"""A record: what an event batch is inside the log. Engines move records and never look into them."""

import msgspec

Headers = tuple[tuple[str, str], ...]
"""Ordered (name, value) pairs; `kind`, `schema_version`, `num_events`, `run_id` and `crc32` in all that we write."""


class NewRecord(msgspec.Struct, frozen=True):
    """A record before it is appended. `key` decides its partition (stream/log.py, partition_of)."""

    key: bytes
    headers: Headers
    value: bytes
