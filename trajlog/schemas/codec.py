"""Events to records and back: the only encoder and the only decoder.

A record's value is a bare Arrow record batch: the IPC message without its schema, which every reader ships
(union.RELEASED) and every producer registers once (schema_registered). Buffers are compressed with zstd inside the
message from 8 KiB on (lz4, large ones zstd). Headers: kind, schema_version, num_events, run_id; on split records also
part_id, part, num_parts (parts.py).
"""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
from typing import Any

import msgspec
import pyarrow as pa

from trajlog.errors import DecodeError
from trajlog.schemas.base import Event, arrow_schema
from trajlog.schemas.parts import PART_BYTES, split
from trajlog.schemas.record import Headers, NewRecord
from trajlog.schemas.union import KINDS, RELEASED, upcast

COMPRESS_FROM_BYTES = 8192
"""Smaller batches stay uncompressed: compression saves little there."""
ZSTD_FROM_BYTES = 256 * 1024
"""From here on zstd, below it lz4: zstd costs 10 microseconds per buffer both ways, however small, and every batch has
dozens of small buffers."""

_LZ4 = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
_ZSTD = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)
_PLAIN = pa.ipc.IpcWriteOptions(use_threads=False)
_READ = pa.ipc.IpcReadOptions(use_threads=False)
_END_OF_STREAM = 8


class EventBatch(msgspec.Struct, frozen=True):
    """Events of one kind as columns, in the newest schema version of the kind."""

    kind: str
    batch: pa.RecordBatch

    def events(self) -> list[Event]:
        """The rows as structs. Raises DecodeError when a row breaks its kind's rules."""
        return from_batch(self.kind, self.batch)


def encode(events: Iterable[Event], part_bytes: int = PART_BYTES) -> list[NewRecord]:
    """Encode events into records: one record per run of successive events with the same kind and key.

    Records larger than `part_bytes` are split; the order of events is the order of records.
    """
    records: list[NewRecord] = []
    for (_, key), run in groupby(events, lambda event: (event.kind, event.key())):
        rows = list(run)
        first = rows[0]
        records += encode_columns(type(first), to_batch(rows), key, first.run_id, first.event_id, part_bytes)
    return records


def encode_columns(
    cls: type[Event], batch: pa.RecordBatch, key: bytes, run_id: str, event_id: str, part_bytes: int = PART_BYTES
) -> list[NewRecord]:
    """Records of a batch of one kind and key. `run_id` and `event_id` are those of its first row."""
    headers = (
        ("kind", cls.kind),
        ("schema_version", str(cls.version)),
        ("num_events", str(batch.num_rows)),
        ("run_id", run_id),
    )
    return split(NewRecord(key=key, headers=headers, value=encode_batch(batch)), event_id, part_bytes)


def decode(headers: Headers, value: bytes) -> EventBatch:
    """Decode one whole record (parts joined already). Raises DecodeError saying what is wrong with it."""
    found = dict(headers)
    try:
        kind, version, num_events = found["kind"], int(found["schema_version"]), int(found["num_events"])
    except (KeyError, ValueError) as error:
        raise DecodeError(f"headers {found} lack a usable kind, schema_version or num_events: {error!r}") from None
    schema = RELEASED.get((kind, version))
    if schema is None:
        newest = max((v for k, v in RELEASED if k == kind), default=None)
        raise DecodeError(
            f"schema_version {version} of {kind!r} is unknown (newest known here: {newest}). "
            f"Upgrade trajlog on this reader, then run it again."
        )
    batch = decode_batch(value, schema)
    if batch.num_rows != num_events:
        raise DecodeError(f"{kind}: header num_events is {num_events}, the batch has {batch.num_rows} rows")
    return EventBatch(kind, upcast(kind, version, batch))


def to_batch(events: Sequence[Event]) -> pa.RecordBatch:
    """Columns of events of one kind."""
    schema = arrow_schema(type(events[0]))
    columns = [
        pa.array([_to_arrow(getattr(event, field.name), field.type) for event in events], type=field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def from_batch(kind: str, batch: pa.RecordBatch) -> list[Event]:
    """Structs of a batch in the newest schema of its kind."""
    cls = KINDS[kind]
    maps = [field.name for field in batch.schema if pa.types.is_map(field.type)]
    events = []
    try:
        rows = batch.to_pylist()
    except (OverflowError, ValueError) as error:
        raise DecodeError(f"{kind}: a value has no Python counterpart: {error}") from None
    for row in rows:
        for name in maps:
            if row[name] is not None:
                row[name] = dict(row[name])
        try:
            events.append(msgspec.convert(row, cls))
        except (msgspec.ValidationError, ValueError) as error:
            raise DecodeError(f"{kind}: a row does not follow its kind's rules: {error}") from None
    return events


def encode_batch(batch: pa.RecordBatch) -> bytes:
    """One IPC record-batch message, without the schema message before it and the end-of-stream mark after it."""
    sink = pa.BufferOutputStream()
    options = _PLAIN if batch.nbytes < COMPRESS_FROM_BYTES else _LZ4 if batch.nbytes < ZSTD_FROM_BYTES else _ZSTD
    with pa.ipc.new_stream(sink, batch.schema, options=options) as writer:
        writer.write_batch(batch)
    stream = sink.getvalue()
    schema_message = 8 + int.from_bytes(stream[4:8].to_pybytes(), "little")
    return stream[schema_message : stream.size - _END_OF_STREAM].to_pybytes()


def decode_batch(value: bytes, schema: pa.Schema) -> pa.RecordBatch:
    """The batch of one IPC message under `schema`. Raises DecodeError for bytes that are not one."""
    try:
        if len(value) < COMPRESS_FROM_BYTES // 2:
            batch = pa.ipc.read_record_batch(pa.py_buffer(value), schema)
        else:  # compressed, most likely: a pool of threads to decompress in costs more than it saves
            stream = pa.py_buffer(_schema_message(schema) + value)
            batch = pa.ipc.RecordBatchStreamReader(stream, options=_READ).read_next_batch()
        batch.validate(full=True)
        return batch
    except (pa.ArrowException, OSError, ValueError, EOFError) as error:
        raise DecodeError(f"the value ({len(value)} bytes) is not a record batch of this kind: {error}") from None


@cache
def _schema_message(schema: pa.Schema) -> bytes:
    return bytes(schema.serialize())


def _to_arrow(value: Any, kind: pa.DataType) -> Any:
    if isinstance(value, dict):
        return list(value.items())
    if pa.types.is_nested(kind) and value is not None:
        return msgspec.to_builtins(value, builtin_types=(bytes,))
    return value
