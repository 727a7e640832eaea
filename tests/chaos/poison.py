"""Bad records of every kind, made from real ones, and a raw door into a log by which they get in.

`poisoned(record)` gives each ruin of one real record by name. `ruin_rows` writes values that no producer can make:
Arrow batches whose rows break their kind's rules, since another writer, or a flipped bit, is not held to them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from trajlog.schemas import Event
from trajlog.schemas.base import arrow_schema
from trajlog.schemas.codec import decode, encode, encode_batch
from trajlog.schemas.record import NewRecord


def with_header(record: NewRecord, name: str, value: str | None) -> NewRecord:
    """The record with a header's value replaced, or without that header."""
    headers = tuple((n, v) for n, v in record.headers if n != name)
    return NewRecord(record.key, headers if value is None else (*headers, (name, value)), record.value)


def with_value(record: NewRecord, value: bytes) -> NewRecord:
    return NewRecord(record.key, record.headers, value)


def poisoned(record: NewRecord) -> Iterator[tuple[str, NewRecord]]:
    """Ruins of a record that none of our producers writes; every one of them must be refused, whatever its kind."""
    value = record.value
    yield "empty value", with_value(record, b"")
    yield "cut in half", with_value(record, value[: len(value) // 2])
    yield "cut by a byte of the metadata", with_value(record, value[8:])
    yield "a value of zeros", with_value(record, bytes(len(value)))
    yield "text instead of a batch", with_value(record, b"{'kind': 'generation'}" * 20)
    yield "no headers", NewRecord(record.key, (), value)
    for name in ("kind", "schema_version", "num_events"):
        yield f"no {name}", with_header(record, name, None)
    yield "an unknown kind", with_header(record, "kind", "generation2")
    yield "a version yet to come", with_header(record, "schema_version", "99")
    yield "a version of zero", with_header(record, "schema_version", "0")
    yield "a version that is no number", with_header(record, "schema_version", "one")
    yield "num_events too high", with_header(record, "num_events", "7")
    yield "num_events negative", with_header(record, "num_events", "-1")
    yield "num_events of 5000 digits", with_header(record, "num_events", "9" * 5000)
    yield "a part without a number", with_header(record, "part_id", "p")
    yield "a part whose first is missing", parts(record, "lost", "1", "2")
    yield "a negative part", parts(record, "minus", "-1", "2")


def parts(record: NewRecord, part_id: str, part: str, num_parts: str) -> NewRecord:
    marks = (("part_id", part_id), ("part", part), ("num_parts", num_parts))
    return NewRecord(record.key, record.headers + marks, record.value)


def ruined_row(event: Event, changes: dict[str, Any]) -> NewRecord:
    """The event's record with columns replaced, whatever its rules say, as a foreign writer would send it: without a
    checksum. A value is as pyarrow takes it (lists of dicts for structs); None stands in columns that allow none, too.
    """
    (record,) = encode([event])
    batch = decode(record.headers, record.value).batch
    loose = pa.schema([field.with_nullable(True) for field in arrow_schema(type(event))])
    columns = [
        pa.array([changes[field.name]], type=field.type) if field.name in changes else batch.column(field.name)
        for field in loose
    ]
    value = encode_batch(pa.RecordBatch.from_arrays(columns, schema=loose))
    return with_header(with_value(record, value), "crc32", None)


def flipped(record: NewRecord, rng: random.Random, num_bytes: int = 1) -> NewRecord:
    """The record with some bytes of its value changed."""
    value = bytearray(record.value)
    for _ in range(num_bytes):
        value[rng.randrange(len(value))] ^= rng.randrange(1, 256)
    return with_value(record, bytes(value))


Ruin = Callable[[NewRecord, random.Random], NewRecord]


def _truncated(record: NewRecord, rng: random.Random) -> NewRecord:
    return with_value(record, record.value[: rng.randrange(len(record.value))])


def _header_lost(record: NewRecord, rng: random.Random) -> NewRecord:
    return with_header(record, rng.choice(record.headers)[0], None)


def _header_lies(record: NewRecord, rng: random.Random) -> NewRecord:
    return with_header(record, rng.choice(record.headers)[0], rng.choice(["0", "1", "2", "-1", "", "generation", "x"]))


def _header_twice(record: NewRecord, rng: random.Random) -> NewRecord:
    name = rng.choice([*(n for n, _ in record.headers), "part_id", "part", "num_parts"])
    return NewRecord(record.key, (*record.headers, (name, rng.choice(["0", "1", "00", "2", "x"]))), record.value)


def _some_part(record: NewRecord, rng: random.Random) -> NewRecord:
    numbers = ["0", "1", "00", "-1", "+0", " 0", "2", "x", ""]
    return parts(record, rng.choice(["a", "b", ""]), rng.choice(numbers), rng.choice([*numbers, "3", "9" * 30]))


RUINS: Sequence[Ruin] = (
    lambda record, rng: flipped(record, rng),
    lambda record, rng: flipped(record, rng, 8),
    _truncated,
    _header_lost,
    _header_lies,
    _header_twice,
    _some_part,
)
"""Random ruins: what comes out may or may not still be a record that counts."""
