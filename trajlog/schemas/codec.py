"""Events to records and back: the only encoder and the only decoder.

A record's value is a bare Arrow record batch: the IPC message without its schema, which every reader ships
(union.RELEASED) and every producer registers once (schema_registered). Large buffers are compressed inside the message
(arrow_message.py). Headers: kind, schema_version, num_events, run_id, crc32; on split records also
part_id, part, num_parts (parts.py).

The checksum is over the other headers and the value. It says that these are the bytes that `encode` made of events
which were checked one by one, so readers need not check rows again; a flipped bit anywhere makes a record undecodable
instead of a wrong number in a training step. A record without it (of an older log, of another writer) has every row
held to its kind's rules when it is decoded.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import groupby

import msgspec
import pyarrow as pa

from trajlog.errors import DecodeError
from trajlog.schemas.arrow_message import COMPRESS_FROM_BYTES, ZSTD_FROM_BYTES, Message
from trajlog.schemas.base import Event, arrow_schema
from trajlog.schemas.parts import PART_BYTES, split
from trajlog.schemas.record import Headers, NewRecord
from trajlog.schemas.union import KINDS, RELEASED, upcast

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
        records += _records(type(first), encode_events(rows), len(rows), key, first.run_id, first.event_id, part_bytes)
    return records


def encode_columns(
    cls: type[Event], batch: pa.RecordBatch, key: bytes, run_id: str, event_id: str, part_bytes: int = PART_BYTES
) -> list[NewRecord]:
    """Records of a batch of one kind and key. `run_id` and `event_id` are those of its first row."""
    return _records(cls, encode_batch(batch), batch.num_rows, key, run_id, event_id, part_bytes)


def _records(
    cls: type[Event], value: bytes, num_events: int, key: bytes, run_id: str, event_id: str, part_bytes: int
) -> list[NewRecord]:
    headers: Headers = (
        ("kind", cls.kind),
        ("schema_version", str(cls.version)),
        ("num_events", str(num_events)),
        ("run_id", run_id),
    )
    headers += (("crc32", checksum(headers, value)),)
    return split(NewRecord(key=key, headers=headers, value=value), event_id, part_bytes)


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
    vouched = check_checksum(headers, value)
    batch = decode_batch(value, schema)
    if batch.num_rows != num_events:
        raise DecodeError(f"{kind}: header num_events is {num_events}, the batch has {batch.num_rows} rows")
    decoded = EventBatch(kind, upcast(kind, version, batch))
    if not vouched and (others := {event.run_id for event in decoded.events()} - {found.get("run_id")}):
        raise DecodeError(f"{kind}: header run_id is {found.get('run_id')!r}, rows are of {sorted(others)}")
    return decoded


def check_checksum(headers: Headers, value: bytes) -> bool:
    """Whether the record has a checksum. Raises DecodeError when it is another one than that of these bytes."""
    found = dict(headers)
    said = found.get("crc32")
    if said is not None and said != (actual := checksum(found, value)):
        raise DecodeError(
            f"crc32 is {actual}, the header says {said}: the record was changed after it was written. Its bytes are in "
            f"quarantine; look for a failing disk, memory or network card on the way."
        )
    return said is not None


def checksum(headers: Headers | Mapping[str, str], value: bytes) -> str:
    """CRC-32 (8 hex digits) over kind, schema_version, num_events and run_id, then the value (of all parts, joined)."""
    get = dict(headers).get
    said = f"{get('kind', '')}\n{get('schema_version', '')}\n{get('num_events', '')}\n{get('run_id', '')}"
    return f"{zlib.crc32(value, zlib.crc32(said.encode(errors='surrogatepass'))):08x}"


def encode_events(events: Sequence[Event]) -> bytes:
    """The record-batch message of events of one kind."""
    return _message(type(events[0])).encode([msgspec.structs.astuple(event) for event in events])


@cache
def _message(cls: type[Event]) -> Message:
    return Message(arrow_schema(cls))


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
    except StopIteration:
        raise DecodeError(f"the value ({len(value)} bytes) ends before it has a record batch") from None
    except (pa.ArrowException, OSError, ValueError, EOFError) as error:
        raise DecodeError(f"the value ({len(value)} bytes) is not a record batch of this kind: {error}") from None


@cache
def _schema_message(schema: pa.Schema) -> bytes:
    return bytes(schema.serialize())
