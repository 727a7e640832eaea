"""Our messages beside pyarrow's: the same batch, whatever the values."""

import struct
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.schemas.events import any_event, example
from trajlog.schemas import KINDS, arrow_schema
from trajlog.schemas.arrow_message import COMPRESS_BUFFER_FROM_BYTES, COMPRESS_FROM_BYTES, Message


def arrow_value(value, kind):
    """What pa.array takes for a value of an event."""
    if isinstance(value, dict):
        return list(value.items())
    if pa.types.is_nested(kind) and value is not None:
        return msgspec.to_builtins(value, builtin_types=(bytes,))
    return value


def pyarrow_batch(events):
    """The batch of events of one kind as pyarrow builds it."""
    schema = arrow_schema(type(events[0]))
    columns = [pa.array([arrow_value(getattr(e, f.name), f.type) for e in events], type=f.type) for f in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def message(events):
    return Message(arrow_schema(type(events[0]))).encode([msgspec.structs.astuple(event) for event in events])


def read(value, schema):
    batch = pa.ipc.read_record_batch(pa.py_buffer(value), schema)
    batch.validate(full=True)
    return batch


@pytest.mark.parametrize("kind", sorted(KINDS))
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_pyarrow_reads_the_batch_that_it_would_have_built(kind, data):
    events = [data.draw(any_event(kind)) for _ in range(data.draw(st.integers(1, 5)))]
    wanted = pyarrow_batch(events)
    assert read(message(events), wanted.schema).equals(wanted)


def test_a_foreign_reader_opens_the_message_behind_its_schema():
    events = [example("generation"), example("generation")]
    wanted = pyarrow_batch(events)
    stream = wanted.schema.serialize().to_pybytes() + message(events)
    assert pa.ipc.open_stream(stream).read_all().equals(pa.Table.from_batches([wanted]))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.none() | st.lists(st.none() | st.booleans(), max_size=20), min_size=1, max_size=20),
    st.integers(0, 2 * COMPRESS_FROM_BYTES),
    st.booleans(),
)
def test_nulls_bitmaps_and_compression_are_as_pyarrow_reads_them(flags, num_bytes, random_like):
    text = "".join(chr(33 + (i * i * 7919 >> 3) % 90) if random_like else "a" for i in range(num_bytes))
    schema = pa.schema([("flags", pa.list_(pa.bool_())), ("text", pa.string()), ("number", pa.int32())])
    rows = [(entry, text if index == 0 else None, index or None) for index, entry in enumerate(flags)]
    value = Message(schema).encode(rows)
    assert read(value, schema).to_pylist() == [dict(zip(schema.names, row, strict=True)) for row in rows]


def test_only_large_buffers_that_shrink_are_compressed():
    schema = pa.schema([("text", pa.string()), ("bytes", pa.binary())])
    noise = struct.pack("<2048H", *[(i * 40503) % 65521 for i in range(2048)])
    short = "b" * (COMPRESS_BUFFER_FROM_BYTES - 1)
    value = Message(schema).encode([(short, noise)])
    assert short.encode() in value
    assert read(value, schema).to_pylist() == [{"text": short, "bytes": noise}]
    value = Message(schema).encode([("b" * COMPRESS_FROM_BYTES, b"")])
    assert b"b" * 100 not in value
    assert read(value, schema).to_pylist() == [{"text": "b" * COMPRESS_FROM_BYTES, "bytes": b""}]


def test_a_value_that_its_column_cannot_hold_is_refused():
    with pytest.raises(struct.error):
        Message(pa.schema([("number", pa.int32())])).encode([(2**31,)])
    with pytest.raises(TypeError, match="no layout for"):
        Message(pa.schema([("number", pa.uint8())]))


def test_threads_may_share_an_encoder():
    shared = Message(arrow_schema(KINDS["observation"]))
    events = [msgspec.structs.replace(example("observation"), content=letter * 9000) for letter in "abcd"]
    rows = [[msgspec.structs.astuple(event)] for event in events]
    wanted = [shared.encode(row) for row in rows]
    with ThreadPoolExecutor(4) as pool:
        for index, value in enumerate(pool.map(shared.encode, rows * 50)):
            assert value == wanted[index % 4]
