"""Columns read by hand are those that pyarrow reads."""

import contextlib
import math
from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.golden import write as golden
from tests.schemas.events import any_event, example
from tests.schemas.test_codec import big_generation
from trajlog.errors import DecodeError
from trajlog.schemas import decode, encode
from trajlog.schemas.arrow_message import COMPRESS_FROM_BYTES, ZSTD_FROM_BYTES
from trajlog.schemas.codec import checksum
from trajlog.schemas.columns import columns_of, read_columns
from trajlog.schemas.union import RELEASED

READERS = {
    "group_id": lambda columns: columns.texts("group_id"),
    "episode_id": lambda columns: columns.texts("episode_id"),
    "seq": lambda columns: columns.numbers("seq", "q"),
}
GENERATION = {
    "turn": lambda columns: columns.numbers("turn", "i"),
    "prefix_len": lambda columns: columns.numbers("prefix_len", "q"),
    "text": lambda columns: columns.texts("text"),
    "latency_s": lambda columns: columns.numbers("latency_s", "d"),
    "token_ids": lambda columns: [list(array("i", one)) for one in columns.arrays("token_ids")],
    "logprobs": lambda columns: [
        [None if math.isnan(value) else value for value in array("f", one)] for one in columns.arrays("logprobs")
    ],
    "policy_versions": lambda columns: [
        [{"policy_version": version, "num_tokens": count} for version, count in runs]
        for runs in columns.pairs("policy_versions")
    ],
}
FINISHED = {
    "reward": lambda columns: columns.numbers("reward", "d"),
    "debugger_fits": lambda columns: columns.flags("debugger_fits"),
}
WANTED = {
    "generation": READERS | GENERATION,
    "episode_finished": READERS | FINISHED,
    "episode_started": READERS | {"group_size": lambda columns: columns.numbers("group_size", "i")},
}


@pytest.mark.parametrize("kind", [*WANTED, "tool_call", "observation", "episode_verdict"])
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_any_columns_are_those_of_the_full_decode(kind, data):
    events = [data.draw(any_event(kind)) for _ in range(data.draw(st.integers(1, 3)))]
    for record in encode(events):
        batch = decode(record.headers, record.value)
        for columns in (read_columns(record.headers, record.value), columns_of(batch)):
            assert columns.num_rows == batch.batch.num_rows
            for name, reader in WANTED.get(kind, READERS).items():
                assert reader(columns) == batch.batch.column(name).to_pylist(), name


@pytest.mark.parametrize("num_tokens", [10, COMPRESS_FROM_BYTES // 4, ZSTD_FROM_BYTES // 4])
def test_compressed_or_not_the_columns_are_the_same(num_tokens):
    (record,) = encode([big_generation(num_tokens)])
    columns, batch = read_columns(record.headers, record.value), decode(record.headers, record.value).batch
    for name, reader in WANTED["generation"].items():
        assert reader(columns) == batch.column(name).to_pylist(), name


@pytest.mark.parametrize(("kind", "version"), sorted(RELEASED))
def test_golden_records_of_every_version_can_be_read_by_column(kind, version):
    record = golden.read(golden.path_of(kind, version))
    decoded = decode(record.headers, record.value)
    columns = read_columns(record.headers, record.value) or columns_of(decoded)  # older ones have no checksum
    batch = decoded.batch
    for name, reader in WANTED.get(kind, READERS).items():
        assert reader(columns) == batch.column(name).to_pylist(), name


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 3000), st.integers(1, 255), st.booleans())
def test_damaged_bytes_raise_decode_error_and_nothing_else(position, flip, cut):
    (record,) = encode([example("generation")])
    damaged = bytearray(record.value)
    damaged[position % len(damaged)] ^= flip
    value = bytes(damaged[: position % len(damaged)] if cut else damaged)
    with pytest.raises(DecodeError, match="the record was changed"):
        read_columns(record.headers, value)
    headers = tuple((dict(record.headers) | {"crc32": checksum(record.headers, value)}).items())
    with contextlib.suppress(DecodeError):
        columns = read_columns(headers, value)
        for reader in WANTED["generation"].values():
            with contextlib.suppress(DecodeError):
                reader(columns)


def test_a_record_that_only_a_full_decode_can_judge_is_left_to_it():
    (record,) = encode([example("tool_call")])
    headers = dict(record.headers)
    assert read_columns(tuple((headers | {"schema_version": "9"}).items()), record.value) is None
    assert read_columns((("kind", "tool_call"),), record.value) is None
    assert read_columns(tuple(pair for pair in headers.items() if pair[0] != "crc32"), record.value) is None
    with pytest.raises(DecodeError, match="the record was changed"):
        read_columns(tuple((headers | {"num_events": "2"}).items()), record.value)
