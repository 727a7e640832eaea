"""A few columns of a record, read where they lie: for folds that need ids and tokens of every record and text of none.

The value of a record is one Arrow IPC message: a flatbuffer that says where each buffer is, then the buffers. pyarrow
builds all columns of it, which costs more than the whole fold of a record. Here the flatbuffer is read by hand and only
the buffers that are asked for are touched. The others are not looked at: a record whose text is damaged still gives
its ids.
"""

import math
import struct
from array import array
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import pyarrow as pa

from trajlog.errors import DecodeError
from trajlog.schemas.codec import EventBatch, check_checksum, encode_batch
from trajlog.schemas.record import Headers
from trajlog.schemas.union import KINDS, RELEASED, UPCASTERS

NULL = math.nan
"""An unscored token's entry in a float32 buffer; events hold null there and never NaN."""

_CODECS = (pa.Codec("lz4"), pa.Codec("zstd"))
_INT32, _INT64, _UINT16, _UINT32 = (struct.Struct(code) for code in ("<i", "<q", "<H", "<I"))
_PREFIX = struct.Struct("<Ii")
_SPAN = struct.Struct("<ii")
_CONTINUATION = 0xFFFFFFFF
_RECORD_BATCH = 3
_MAX_BUFFER_BYTES = 2**31
_BROKEN = (struct.error, IndexError, ValueError, TypeError, OverflowError, MemoryError, OSError, pa.ArrowException)


class _Structs(dict[tuple[str, int], struct.Struct]):
    """Readers of so many values of a type, made once for the small numbers that records have."""

    def __missing__(self, key: tuple[str, int]) -> struct.Struct:
        code, count = key
        made = struct.Struct(f"<{count}{code}")
        if count < 64:
            self[key] = made
        return made


_VALUES = _Structs()


class _Layout(NamedTuple):
    """Where columns of one schema begin in the message's flat lists."""

    kind: str
    columns: dict[str, tuple[int, int]]
    """Name to its first node and first buffer."""
    num_nodes: int
    num_buffers: int
    buffers: struct.Struct
    """All (offset, length) pairs at once."""
    nodes: struct.Struct
    """All (length, number of nulls) pairs at once."""


class Columns:
    """One record's columns. Accessors raise DecodeError when the bytes they need are not what the schema says.

    A column that the record's version does not have yet reads as None in every row.
    """

    __slots__ = ("_body", "_buffers", "_codec", "_layout", "_nodes", "_size", "_value", "num_rows")

    def __init__(self, layout: _Layout, value: bytes, num_rows: int) -> None:
        self._layout = layout
        self._value = memoryview(value)
        self._size = len(value)
        try:
            self._codec, self.num_rows = self._read_message(value)
        except _BROKEN as error:
            raise DecodeError(
                f"the value ({len(value)} bytes) is not a record batch of {layout.kind}: {error}"
            ) from None
        if self.num_rows != num_rows:
            raise DecodeError(f"{layout.kind}: header num_events is {num_rows}, the batch has {self.num_rows} rows")

    @property
    def kind(self) -> str:
        return self._layout.kind

    def _read_message(self, value: bytes) -> tuple["pa.Codec | None", int]:
        mark, metadata_bytes = _PREFIX.unpack_from(value, 0)
        root = 8 + _UINT32.unpack_from(value, 8)[0]
        vtable = root - _INT32.unpack_from(value, root)[0]
        _, _, _, type_at, header_at, length_at = struct.unpack_from("<6H", value, vtable)
        if mark != _CONTINUATION or value[root + type_at] != _RECORD_BATCH:
            raise ValueError("no record batch message")
        self._body = 8 + metadata_bytes
        (body_bytes,) = _INT64.unpack_from(value, root + length_at) if length_at else (0,)
        if self._body + body_bytes > len(value):
            raise ValueError(f"it ends before its {body_bytes} bytes of columns do")
        batch = root + header_at
        batch += _UINT32.unpack_from(value, batch)[0]
        vtable = batch - _INT32.unpack_from(value, batch)[0]
        vtable_bytes, _, rows_at, nodes_at, buffers_at = struct.unpack_from("<5H", value, vtable)
        compression_at = _UINT16.unpack_from(value, vtable + 10)[0] if vtable_bytes > 10 else 0
        (num_rows,) = _INT64.unpack_from(value, batch + rows_at) if rows_at else (0,)
        layout = self._layout
        nodes, buffers = batch + nodes_at, batch + buffers_at
        nodes += _UINT32.unpack_from(value, nodes)[0]
        buffers += _UINT32.unpack_from(value, buffers)[0]
        if (_UINT32.unpack_from(value, nodes)[0], _UINT32.unpack_from(value, buffers)[0]) != layout[2:4]:
            raise ValueError("other columns than its schema version has")
        if not 0 <= num_rows < 2**31:
            raise ValueError(f"{num_rows} rows")
        self._nodes = layout.nodes.unpack_from(value, nodes + 4)
        self._buffers = layout.buffers.unpack_from(value, buffers + 4)
        if not compression_at:
            return None, num_rows
        table = batch + compression_at
        table += _UINT32.unpack_from(value, table)[0]
        vtable = table - _INT32.unpack_from(value, table)[0]
        codec_at = _UINT16.unpack_from(value, vtable + 4)[0] if _UINT16.unpack_from(value, vtable)[0] > 4 else 0
        return _CODECS[value[table + codec_at] if codec_at else 0], num_rows

    def texts(self, name: str) -> list[Any]:
        """A string column."""
        found = self._layout.columns.get(name)
        if found is None:
            return [None] * self.num_rows
        node, buffer = found
        if self._nodes[2 * node + 1] == self.num_rows:  # all null, as optional columns mostly are
            return [None] * self.num_rows
        try:
            data = self._buffer(buffer + 2)
            spans = self._spans(buffer, len(data))
            values = [str(data[start:stop], "utf-8") for start, stop in spans]
            return self._nulled(node, buffer, values) if self._nodes[2 * node + 1] else values
        except _BROKEN as error:
            raise self._unreadable(name, error) from None

    def numbers(self, name: str, code: str) -> list[Any]:
        """A column of fixed width: `i` int32, `q` int64, `d` float64."""
        found = self._layout.columns.get(name)
        if found is None:
            return [None] * self.num_rows
        node, buffer = found
        try:
            values: list[Any] = [*_VALUES[code, self.num_rows].unpack_from(self._buffer(buffer + 1))]
            return self._nulled(node, buffer, values) if self._nodes[2 * node + 1] else values
        except _BROKEN as error:
            raise self._unreadable(name, error) from None

    def flags(self, name: str) -> list[Any]:
        """A boolean column."""
        found = self._layout.columns.get(name)
        if found is None:
            return [None] * self.num_rows
        node, buffer = found
        try:
            bits = self._buffer(buffer + 1)
            values = [bool(bits[row >> 3] >> (row & 7) & 1) for row in range(self.num_rows)]
            return self._nulled(node, buffer, values) if self._nodes[2 * node + 1] else values
        except _BROKEN as error:
            raise self._unreadable(name, error) from None

    def arrays(self, name: str) -> list[bytes]:
        """A column of int32 or float32 lists, each as its bytes; null entries are NULL (float32 only)."""
        node, buffer = self._layout.columns[name]
        try:
            data = self._buffer(buffer + 3)
            if self._nodes[2 * node + 3]:
                data = self._with_gaps(data, buffer + 2)
            return [bytes(data[4 * start : 4 * stop]) for start, stop in self._spans(buffer, len(data) // 4)]
        except _BROKEN as error:
            raise self._unreadable(name, error) from None

    def pairs(self, name: str) -> list[tuple[tuple[int, int], ...]]:
        """A column of lists of structs of two int64."""
        _, buffer = self._layout.columns[name]
        try:
            first, second = self._buffer(buffer + 4), self._buffer(buffer + 6)
            spans = self._spans(buffer, min(len(first), len(second)) // 8)
            count = spans[-1][1] if spans else 0
            values = [*zip(*(_VALUES["q", count].unpack_from(data) for data in (first, second)), strict=True)]
            return [tuple(values[start:stop]) for start, stop in spans]
        except _BROKEN as error:
            raise self._unreadable(name, error) from None

    def _spans(self, buffer: int, length: int) -> list[tuple[int, int]]:
        """Where each row of a list or string column lies among its `length` values."""
        offsets = self._buffer(buffer + 1)
        if self.num_rows == 1:
            spans = [_SPAN.unpack_from(offsets)]
        else:
            spans = [*pairwise(_VALUES["i", self.num_rows + 1].unpack_from(offsets))]
        for start, stop in spans:
            if not 0 <= start <= stop <= length:
                raise ValueError(f"a row of it lies at {start}..{stop} of {length} values")
        return spans

    def _buffer(self, index: int) -> bytes | memoryview:
        length = self._buffers[2 * index + 1]
        start = self._body + self._buffers[2 * index]
        stop = start + length
        if not self._body <= start <= stop <= self._size:
            raise ValueError(f"buffer {index} lies outside of the message")
        if self._codec is None or not length:
            return self._value[start:stop]
        (size,) = _INT64.unpack_from(self._value, start)
        if size == -1:
            return self._value[start + 8 : stop]
        if not 0 <= size < _MAX_BUFFER_BYTES:
            raise ValueError(f"buffer {index} says that it has {size} bytes")
        unpacked: bytes = self._codec.decompress(self._value[start + 8 : stop], size, asbytes=True)
        return unpacked

    def _nulled(self, node: int, buffer: int, values: list[Any]) -> list[Any]:
        valid = self._buffer(buffer)
        return [value if valid[row >> 3] >> (row & 7) & 1 else None for row, value in enumerate(values)]

    def _with_gaps(self, data: bytes | memoryview, buffer: int) -> bytes:
        valid = self._buffer(buffer)
        values = array("f", bytes(data))
        for index in range(len(values)):
            if not valid[index >> 3] >> (index & 7) & 1:
                values[index] = NULL
        return values.tobytes()

    def _unreadable(self, name: str, error: BaseException) -> DecodeError:
        return DecodeError(f"{self.kind}.{name} cannot be read: {error}")


def read_columns(headers: Headers, value: bytes) -> Columns | None:
    """Columns of one whole record. None where only a full decode can read it: its version has an upcaster, its headers
    are wrong or unknown, or no checksum says that its rows follow their rules. Raises DecodeError for bytes that are no
    record batch, or were changed."""
    found = _described(headers)
    return Columns(found[0], value, found[1]) if found is not None and check_checksum(headers, value) else None


def columns_of(batch: EventBatch) -> Columns:
    """Columns of a batch that is decoded already. Raises DecodeError when it lacks columns of its kind."""
    layout = layout_of(batch.kind, KINDS[batch.kind].version)
    assert layout is not None
    return Columns(layout, encode_batch(batch.batch), batch.batch.num_rows)


@cache
def layout_of(kind: str, version: int) -> _Layout | None:
    """Layout of a released schema; None for one that is not known or that an upcaster changes."""
    schema = RELEASED.get((kind, version))
    if schema is None or any((kind, v) in UPCASTERS for v in range(version, KINDS[kind].version)):
        return None
    columns: dict[str, tuple[int, int]] = {}
    num_nodes = num_buffers = 0
    for field in schema:
        columns[field.name] = (num_nodes, num_buffers)
        nodes, buffers = _extent(field.type)
        num_nodes, num_buffers = num_nodes + nodes, num_buffers + buffers
    return _Layout(
        kind,
        columns,
        num_nodes,
        num_buffers,
        struct.Struct(f"<{2 * num_buffers}q"),
        struct.Struct(f"<{2 * num_nodes}q"),
    )


def _extent(kind: pa.DataType) -> tuple[int, int]:
    """Nodes and buffers of a type in the message."""
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return 1, 3
    if not pa.types.is_nested(kind):
        return 1, 2
    nodes, buffers = 1, 1 if pa.types.is_struct(kind) else 2
    for index in range(kind.num_fields):
        inner = _extent(kind.field(index).type)
        nodes, buffers = nodes + inner[0], buffers + inner[1]
    return nodes, buffers


def _described(headers: Headers) -> tuple[_Layout, int] | None:
    found = dict(headers)
    try:
        layout = layout_of(found["kind"], int(found["schema_version"]))
        return None if layout is None else (layout, int(found["num_events"]))
    except (KeyError, ValueError):
        return None
