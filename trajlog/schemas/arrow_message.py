"""Structs to the bytes of an Arrow IPC record-batch message, without building arrays.

A message of pyarrow's costs about 10 microseconds a column, whatever the column holds; a small record has twenty. Its
metadata has the same bytes for every batch of a schema but for row count, null counts, buffer positions and body size,
so they are taken from pyarrow once (`_Template`) and filled in; the buffers are laid out here. Readers use pyarrow.

Layout (Arrow columnar format, "Encapsulated message format" and "Compressed buffers"): the metadata with its two length
words, then the buffers, each padded to 8 bytes. In a compressed message a buffer starts with its uncompressed size, or
with -1 where it is stored as it is.
"""

import struct
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate, chain
from typing import Any

import pyarrow as pa

COMPRESS_FROM_BYTES = 4096
"""Batches with fewer bytes of buffers stay uncompressed: little is saved there."""
COMPRESS_BUFFER_FROM_BYTES = 1024
"""In a compressed batch, buffers below this are stored as they are."""
ZSTD_FROM_BYTES = 256 * 1024
"""From here on zstd, below it lz4: on a buffer of 4 KiB zstd takes 22 microseconds, lz4 5."""

_LZ4, _ZSTD = pa.Codec("lz4"), pa.Codec("zstd")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_STORED = (-1).to_bytes(8, "little", signed=True)
_WORD = struct.Struct("<q")
_PADDING = [bytes(n) for n in range(8)]
_DIGITS = bytes.maketrans(b"\x00\x01", b"01")
_PACKED = {pa.int32(): "i", pa.int64(): "q", pa.float32(): "f", pa.float64(): "d"}

Values = Sequence[Any]
"""One column's values, row by row; None is null."""


class Layout:
    """Field nodes (length, null count) and buffers of a batch in the order of the format: depth first."""

    def __init__(self) -> None:
        self.nodes: list[int] = []
        self.buffers: list[bytes] = []

    def column(self, values: Values, nullable: bool) -> int:
        """Begin a column: its node and its validity bitmap, which is empty without nulls. Returns the null count."""
        num_nulls = values.count(None) if nullable else 0
        self.nodes += (len(values), num_nulls)
        self.buffers.append(_bits([value is not None for value in values]) if num_nulls else b"")
        return num_nulls


Writer = Callable[[Values, Layout], None]
"""Lays out one column."""
OneRowWriter = Callable[[Any, Layout], None]
"""Lays out a column of a single row. Most records of a worker hold one event."""


class Message:
    """Encoder of one schema's batches. Make it once; it is stateless and may be shared by threads."""

    def __init__(self, schema: pa.Schema) -> None:
        self._columns = [(writer := _writer(field), _one_row(field, writer)) for field in schema]
        self._plain = _Template(schema, pa.ipc.IpcWriteOptions())
        self._lz4 = _Template(schema, pa.ipc.IpcWriteOptions(compression="lz4"))
        self._zstd = _Template(schema, pa.ipc.IpcWriteOptions(compression="zstd"))

    def encode(self, rows: Sequence[tuple[Any, ...]]) -> bytes:
        """The message of a batch with these rows, one at least, each a tuple in the order of the schema's fields.

        Values are those of events: str, int, float, bool, bytes, datetime, dict, tuples and structs of them, None for
        null.
        """
        layout = Layout()
        if len(rows) == 1:
            for (_, one), value in zip(self._columns, rows[0], strict=True):
                one(value, layout)
        else:
            for (many, _), values in zip(self._columns, zip(*rows, strict=True), strict=True):
                many(values, layout)
        buffers = layout.buffers
        num_bytes = sum(map(len, buffers))
        if num_bytes < COMPRESS_FROM_BYTES:
            return self._plain.fill(len(rows), layout.nodes, buffers, None)
        template, codec = (self._lz4, _LZ4) if num_bytes < ZSTD_FROM_BYTES else (self._zstd, _ZSTD)
        return template.fill(len(rows), layout.nodes, buffers, codec)


class _Template:
    """The metadata of a schema's messages with the places of what changes from batch to batch.

    Flatbuffers: a table starts with the distance back to its vtable, whose 16-bit entries from byte 4 on say where in
    the table each field lies; vectors and tables in it are referred to by the distance forward.
    """

    def __init__(self, schema: pa.Schema, options: pa.ipc.IpcWriteOptions) -> None:
        sink = pa.BufferOutputStream()
        row = pa.RecordBatch.from_arrays([pa.nulls(1, field.type) for field in schema], schema=schema)
        with pa.ipc.new_stream(sink, schema, options=options) as writer:
            writer.write_batch(row)
        stream = sink.getvalue().to_pybytes()
        start = 8 + int.from_bytes(stream[4:8], "little")
        self._bytes = stream[start : start + 8 + int.from_bytes(stream[start + 4 : start + 8], "little")]
        message = self._follow(8)
        batch = self._follow(self._field(message, 2))
        self._body_size = self._field(message, 3)
        self._num_rows = self._field(batch, 0)
        nodes, buffers = self._follow(self._field(batch, 1)), self._follow(self._field(batch, 2))
        self._nodes, self._buffers = nodes + 4, buffers + 4
        self._node_words = struct.Struct(f"<{2 * self._word(nodes)}q")
        self._buffer_words = struct.Struct(f"<{2 * self._word(buffers)}q")

    def _word(self, position: int) -> int:
        return int.from_bytes(self._bytes[position : position + 4], "little")

    def _follow(self, position: int) -> int:
        return position + self._word(position)

    def _field(self, table: int, index: int) -> int:
        entry = table - self._word(table) + 4 + 2 * index
        return table + int.from_bytes(self._bytes[entry : entry + 2], "little")

    def fill(self, num_rows: int, nodes: Sequence[int], buffers: Sequence[bytes], codec: pa.Codec | None) -> bytes:
        if codec is not None:
            buffers = [
                _packed(buffer, codec) if len(buffer) >= COMPRESS_BUFFER_FROM_BYTES else buffer and _STORED + buffer
                for buffer in buffers
            ]
        sizes = list(map(len, buffers))
        starts = list(accumulate([size + 7 & -8 for size in sizes], initial=0))
        body_size = starts.pop()
        spans = [0] * (2 * len(sizes))
        spans[::2], spans[1::2] = starts, sizes
        message = bytearray(self._bytes)
        _WORD.pack_into(message, self._num_rows, num_rows)
        _WORD.pack_into(message, self._body_size, body_size)
        self._node_words.pack_into(message, self._nodes, *nodes)
        self._buffer_words.pack_into(message, self._buffers, *spans)
        parts: list[bytes | bytearray] = [message] * (2 * len(sizes) + 1)
        parts[1::2], parts[2::2] = buffers, [_PADDING[-size & 7] for size in sizes]
        return b"".join(parts)


def _packed(buffer: bytes, codec: pa.Codec) -> bytes:
    packed: bytes = codec.compress(buffer, asbytes=True)
    return len(buffer).to_bytes(8, "little") + packed if len(packed) < len(buffer) else _STORED + buffer


def _writer(field: "pa.Field[Any]") -> Writer:
    kind, nullable = field.type, field.nullable
    if kind in _PACKED:
        return _number(_PACKED[kind], nullable)
    if pa.types.is_boolean(kind):
        return _boolean(nullable)
    if pa.types.is_string(kind):
        return _text(nullable)
    if pa.types.is_binary(kind):
        return _binary(nullable)
    if pa.types.is_timestamp(kind):
        return _time(nullable)
    if pa.types.is_list(kind):
        return _list(_writer(kind.value_field), nullable)
    if pa.types.is_map(kind):
        return _map(_writer(kind.key_field), _writer(kind.item_field), nullable)
    if pa.types.is_struct(kind):
        return _struct([(child.name, _writer(child)) for child in kind], nullable)
    raise TypeError(f"no layout for {field}")


def _number(code: str, nullable: bool) -> Writer:
    def write(values: Values, out: Layout) -> None:
        if out.column(values, nullable):
            values = [0 if value is None else value for value in values]
        out.buffers.append(struct.pack(f"<{len(values)}{code}", *values))

    return write


def _boolean(nullable: bool) -> Writer:
    def write(values: Values, out: Layout) -> None:
        out.column(values, nullable)
        out.buffers.append(_bits([bool(value) for value in values]))

    return write


def _time(nullable: bool) -> Writer:
    def write(values: Values, out: Layout) -> None:
        out.column(values, nullable)
        micros = [0 if value is None else (value - _EPOCH) // _MICROSECOND for value in values]
        out.buffers.append(struct.pack(f"<{len(micros)}q", *micros))

    return write


def _text(nullable: bool) -> Writer:
    def write(values: Values, out: Layout) -> None:
        out.column(values, nullable)
        encoded = [b"" if value is None else value.encode() for value in values]
        out.buffers += (_offsets(encoded), b"".join(encoded))

    return write


def _binary(nullable: bool) -> Writer:
    def write(values: Values, out: Layout) -> None:
        out.column(values, nullable)
        present = [value or b"" for value in values]
        out.buffers += (_offsets(present), b"".join(present))

    return write


def _list(item: Writer, nullable: bool) -> Writer:
    def write(values: Values, out: Layout) -> None:
        out.column(values, nullable)
        lists = [value or () for value in values]
        out.buffers.append(_offsets(lists))
        item(lists[0] if len(lists) == 1 else tuple(chain.from_iterable(lists)), out)

    return write


def _map(key: Writer, item: Writer, nullable: bool) -> Writer:
    def write(values: Values, out: Layout) -> None:
        out.column(values, nullable)
        maps: list[dict[str, Any]] = [value or {} for value in values]
        out.buffers.append(_offsets(maps))
        keys = [name for entries in maps for name in entries]
        out.column(keys, nullable=False)  # of the struct of key and item
        key(keys, out)
        item([entry for entries in maps for entry in entries.values()], out)

    return write


def _struct(fields: Sequence[tuple[str, Writer]], nullable: bool) -> Writer:
    def write(values: Values, out: Layout) -> None:
        out.column(values, nullable)
        for name, writer in fields:
            writer([None if value is None else getattr(value, name) for value in values], out)

    return write


def _one_row(field: "pa.Field[Any]", writer: Writer) -> OneRowWriter:
    """The same column as `writer` lays out for one row, without what only several rows need."""
    write = _one_value(field.type, writer)
    if not field.nullable:
        return write
    null = Layout()
    writer((None,), null)  # always the same
    nodes, buffers = tuple(null.nodes), tuple(null.buffers)

    def write_nullable(value: Any, out: Layout) -> None:
        if value is None:
            out.nodes += nodes
            out.buffers += buffers
        else:
            write(value, out)

    return write_nullable


def _one_value(kind: pa.DataType, writer: Writer) -> OneRowWriter:
    """For a value that is not null."""
    if kind in _PACKED:
        return _one_number(struct.Struct(f"<{_PACKED[kind]}").pack)
    if pa.types.is_boolean(kind):
        return _one_number(_BITS.__getitem__)
    if pa.types.is_timestamp(kind):
        return _one_number(lambda value: _pack_word((value - _EPOCH) // _MICROSECOND))
    if pa.types.is_string(kind):
        return _one_text
    return lambda value, out: writer((value,), out)


_BITS = (b"\x00", b"\x01")
_pack_word = _WORD.pack
_pack_ends = struct.Struct("<2i").pack


def _one_number(pack: Callable[[Any], bytes]) -> OneRowWriter:
    def write(value: Any, out: Layout) -> None:
        out.nodes += (1, 0)
        out.buffers += (b"", pack(value))

    return write


def _one_text(value: str, out: Layout) -> None:
    encoded = value.encode()
    out.nodes += (1, 0)
    out.buffers += (b"", _pack_ends(0, len(encoded)), encoded)


def _offsets(values: Sequence[Any]) -> bytes:
    return struct.pack(f"<{len(values) + 1}i", *accumulate(map(len, values), initial=0))


def _bits(flags: Sequence[bool]) -> bytes:
    """A bitmap, the first flag in the lowest bit."""
    if not flags:
        return b""
    return int(bytes(flags).translate(_DIGITS)[::-1], 2).to_bytes((len(flags) + 7) // 8, "little")
