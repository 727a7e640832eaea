"""Many records decoded at once: as the messages of one Arrow stream, in C++ and without Python's lock.

A record's value is one message of a stream without its schema (schemas/codec.py). Values of one kind and version behind
the message of that schema are such a stream, and reading it costs a fraction of reading each value by itself. That is
done only where it cannot matter: every record must have its checksum, every value must be exactly one batch by its own
frame, so none can reach into the next, and the batches must have the rows that the headers say. Where anything is wrong
the run is halved until the bad records are alone; those go through codec.decode, which says what is wrong.
"""

import struct
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import pyarrow as pa

from trajlog.errors import DecodeError
from trajlog.schemas import decode
from trajlog.schemas.codec import checksum
from trajlog.schemas.union import NOT_ARCHIVED, RELEASED, upcast
from trajlog.stream.log import LogRecord

_RUN_RECORDS = 64  # what they become fits in the processor's cache: 4,096 cost three times as much per record
_RUN_BYTES = 64 * 2**20
_READ = pa.ipc.IpcReadOptions(use_threads=False)
_PREFIX = struct.Struct("<II")
_INT32, _INT64, _UINT16 = (struct.Struct(code) for code in ("<i", "<q", "<H"))
_CONTINUATION = 0xFFFFFFFF
_HEADER_TYPE, _BODY_LENGTH = 6, 10  # where the vtable of a Message has these fields
_RECORD_BATCH = 3

Version = tuple[str, str]
"""Headers kind and schema_version, as they were read."""


class Run(NamedTuple):
    """Records that were decoded together."""

    records: Sequence[LogRecord]
    num_rows: Sequence[int]
    """Of each record; never 0."""
    batch: pa.RecordBatch
    """Their rows: the columns of the kind's newest schema, without NOT_ARCHIVED."""


class Undecodable(NamedTuple):
    """A record that holds no events that can be read."""

    record: LogRecord
    reason: str


def version_of(record: LogRecord) -> Version:
    """What decides by which schema a record is read."""
    kind = version = ""
    for name, value in record.headers:
        if name == "kind":
            kind = value
        elif name == "schema_version":
            version = value
    return kind, version


def decoded_runs(version: Version, records: Sequence[LogRecord]) -> Iterator[Run | Undecodable]:
    """Records of one version, in order."""
    for start in range(0, len(records), _RUN_RECORDS):
        yield from _decoded(version, records[start : start + _RUN_RECORDS])


def _decoded(version: Version, records: Sequence[LogRecord]) -> Iterator[Run | Undecodable]:
    if len(records) == 1:
        yield _alone(records[0])
    elif (run := _together(version, records)) is not None:
        yield run
    else:
        half = len(records) // 2
        yield from _decoded(version, records[:half])
        yield from _decoded(version, records[half:])


def _alone(record: LogRecord) -> Run | Undecodable:
    try:
        decoded = decode(record.headers, record.value)
    except DecodeError as error:
        return Undecodable(record, str(error))
    if decoded.batch.num_rows == 0:
        return Undecodable(record, f"{decoded.kind}: a record without events")
    return Run([record], [decoded.batch.num_rows], archived_columns(decoded.kind, decoded.batch))


def archived_columns(kind: str, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The columns of a batch that the archive keeps."""
    left_out = [name for of_kind, name in NOT_ARCHIVED if of_kind == kind]
    return batch.drop_columns(left_out) if left_out else batch


def _together(version: Version, records: Sequence[LogRecord]) -> Run | None:
    """All records as one run; None when they are too large or one of them needs a closer look."""
    kind, number = version
    known = next((of for of in RELEASED if (of[0], str(of[1])) == (kind, number)), None)
    if known is None or sum(len(record.value) for record in records) > _RUN_BYTES:
        return None
    said: list[str | None] = []
    for record in records:
        headers = dict(record.headers)
        crc = headers.get("crc32")
        if crc is None or crc != checksum(headers, record.value) or not _is_one_batch(record.value):
            return None  # its rows would need a check, or it is not what it was
        said.append(headers.get("num_events"))
    stream = pa.py_buffer(b"".join([_schema_message(RELEASED[known]), *(record.value for record in records)]))
    try:
        table = pa.ipc.RecordBatchStreamReader(stream, options=_READ).read_all()
        table.validate(
            full=True
        )  # before they are joined: that would leave out what no row names, and what is bad in it
        num_rows = [len(chunk) for chunk in table.column(0).chunks]
        table = table.combine_chunks()
    except (pa.ArrowException, OSError, ValueError, EOFError):
        return None
    if [str(size) for size in num_rows] != said or 0 in num_rows:
        return None
    batches = table.to_batches()
    if len(batches) != 1:
        return None
    return Run(records, num_rows, archived_columns(kind, upcast(*known, batches[0])))


@cache
def _schema_message(schema: pa.Schema) -> bytes:
    return schema.serialize().to_pybytes()


def _is_one_batch(value: bytes) -> bool:
    """Whether a value is exactly one message, of a record batch, by what its frame says: nothing of it is decoded."""
    size = len(value)
    try:
        marker, metadata = _PREFIX.unpack_from(value)
        root = 8 + _INT32.unpack_from(value, 8)[0]
        vtable = root - _INT32.unpack_from(value, root)[0]
        if size % 8 or marker != _CONTINUATION or not 8 <= vtable < root < 8 + metadata:
            return False
        header_type, body = (_UINT16.unpack_from(value, vtable + at)[0] for at in (_HEADER_TYPE, _BODY_LENGTH))
        if not body or _UINT16.unpack_from(value, vtable)[0] <= _BODY_LENGTH:
            return False
        length = _INT64.unpack_from(value, root + body)[0]
        return bool(value[root + header_type] == _RECORD_BATCH and length == size - 8 - metadata)
    except (struct.error, IndexError):
        return False
