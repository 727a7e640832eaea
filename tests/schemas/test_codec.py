import contextlib
from datetime import UTC, datetime, timedelta

import msgspec
import pyarrow as pa
import pytest
from hypothesis import example as example_of
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.golden import write as golden
from tests.schemas.events import any_event, example
from trajlog.errors import DecodeError
from trajlog.schemas import KINDS, Generation, VersionRun, arrow_schema, decode, encode, event_columns, new_id
from trajlog.schemas.codec import decode_batch, encode_events
from trajlog.schemas.parts import ABANDON_AFTER, Joiner
from trajlog.schemas.union import ADDED, RELEASED, upcast

NOW = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.mark.parametrize("kind", sorted(KINDS))
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_valid_event_survives_the_round_trip_exactly(kind, data):
    events = [data.draw(any_event(kind)) for _ in range(data.draw(st.integers(1, 3)))]
    decoded = [event for record in encode(events) for event in decode(record.headers, record.value).events()]
    assert decoded == events


def as_of(kind, version):
    """The example of a kind as a record of that version has it: later columns are None."""
    later = [name for (k, v), names in ADDED.items() if k == kind and v > version for name in names]
    return msgspec.structs.replace(example(kind), **dict.fromkeys(later))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_golden_records_of_every_released_version_read_for_ever(kind):
    for version in range(1, KINDS[kind].version + 1):
        record = golden.read(golden.path_of(kind, version))
        assert decode(record.headers, record.value).events() == [as_of(kind, version)]


def test_records_keep_the_order_of_events_and_join_successive_events_of_one_kind_and_key():
    generation, call, result = example("generation"), example("tool_call"), example("observation")
    records = encode([generation, call, call, result, generation])
    found = [(dict(r.headers)["kind"], dict(r.headers)["num_events"]) for r in records]
    assert found == [("generation", "1"), ("tool_call", "2"), ("observation", "1"), ("generation", "1")]
    assert {r.key for r in records} == {b"g-1"}


def big_generation(num_tokens):
    fields = {name: getattr(example("generation"), name) for name in Generation.__struct_fields__}
    fields |= {"token_ids": list(range(num_tokens)), "policy_versions": (VersionRun(3, num_tokens),)}
    return Generation(**fields | {"logprobs": [-(i % 977) / 64 if i % 5 else None for i in range(num_tokens)]})


def test_a_generation_of_200_000_tokens_is_split_and_joined():
    event = big_generation(200_000)
    records = encode([event], part_bytes=100_000)
    assert len(records) > 1
    assert [dict(r.headers)["num_events"] for r in records] == ["0"] * (len(records) - 1) + ["1"]
    joiner = Joiner()
    whole = [joiner.add(0, i, NOW, r.headers, r.value) for i, r in enumerate(records)]
    assert whole[:-1] == [None] * (len(records) - 1)
    assert decode(records[-1].headers, whole[-1]).events() == [event]
    assert joiner.low_water(0) is None


def test_parts_of_two_records_may_interleave_and_the_low_water_is_the_oldest_open_one():
    one = big_generation(9_000)
    two = msgspec.structs.replace(one, event_id=new_id(), text="two")
    a, b = (encode([event], part_bytes=30_000) for event in (one, two))
    assert (len(a), len(b)) == (2, 2)
    joiner = Joiner()
    order = [a[0], b[0], a[1], b[1]]
    found, low = [], []
    for offset, record in enumerate(order, start=10):
        value = joiner.add("p", offset, NOW, record.headers, record.value)
        found += decode(record.headers, value).events() if value else []
        low.append(joiner.low_water("p"))
    assert low == [10, 10, 11, None]
    assert found == [one, two]


def test_a_record_sent_again_from_its_first_part_is_joined_once():
    parts = encode([big_generation(9_000)], part_bytes=30_000)
    joiner = Joiner()
    whole = [joiner.add(0, i, NOW, r.headers, r.value) for i, r in enumerate([parts[0], *parts])]
    assert [value is not None for value in whole] == [False, False, True]
    assert joiner.low_water(0) is None


def test_a_part_without_its_beginning_is_refused_and_a_dead_producers_parts_are_given_up():
    parts = encode([big_generation(9_000)], part_bytes=5_000)
    with pytest.raises(DecodeError, match="does not follow part 0"):
        Joiner().add(0, 5, NOW, parts[1].headers, parts[1].value)
    joiner = Joiner()
    joiner.add(0, 5, NOW, parts[0].headers, parts[0].value)
    assert joiner.abandon(0, NOW + ABANDON_AFTER) == []
    assert joiner.abandon(0, NOW + ABANDON_AFTER + timedelta(seconds=1)) == [5]
    assert joiner.low_water(0) is None


@example_of(b"", 1807, 4)  # a time beyond the year 9999
@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 2000), st.integers(1, 255))
def test_bytes_that_are_no_record_raise_decode_error_and_nothing_else(junk, position, flip):
    (record,) = encode([example("generation")])
    damaged = bytearray(record.value)
    damaged[position % len(damaged)] ^= flip
    unsealed = tuple(header for header in record.headers if header[0] != "crc32")
    for value in (junk, bytes(damaged), record.value[: position % len(record.value)]):
        with pytest.raises(DecodeError):
            decode(record.headers, value)
        with contextlib.suppress(DecodeError):
            decode(unsealed, value)


@pytest.mark.parametrize("junk", [b"", b"\xff\xff\xff\xff\0\0\0\0", b"\xff", b"\x10\0\0\0", b"text"])
def test_long_values_that_hold_no_batch_raise_decode_error_and_nothing_else(junk):
    (record,) = encode([example("generation")])
    unsealed = tuple(header for header in record.headers if header[0] != "crc32")
    for value in (junk + bytes(4096), junk * 600 + bytes(8), record.value[:8] + junk + bytes(4096)):
        with pytest.raises(DecodeError):
            decode(unsealed, value)


def test_without_a_checksum_every_row_is_held_to_its_kinds_rules():
    event = example("generation")
    (record,) = encode([event])
    unsealed = tuple(header for header in record.headers if header[0] != "crc32")
    assert decode(unsealed, record.value).events() == [event]
    batch = decode(unsealed, record.value).batch
    ruined = batch.set_column(
        batch.schema.get_field_index("chain"), batch.schema.field("chain"), pa.array([-1], "int32")
    )
    with pytest.raises(DecodeError, match=r"a row does not follow its kind's rules: .*>= 0"):
        decode(unsealed, ruined.serialize().to_pybytes())


def test_headers_that_do_not_fit_are_refused_with_what_to_do():
    (record,) = encode([example("tool_call")])
    headers = dict(record.headers)
    for changes, said in [
        ({"schema_version": "9"}, "Upgrade trajlog"),
        ({"kind": "tool_cal"}, "unknown"),
        ({"num_events": "2"}, "crc32 is [0-9a-f]{8}, the header says [0-9a-f]{8}: the record was changed"),
        ({"run_id": "another"}, "the record was changed"),
        ({"num_events": "2", "crc32": None}, "header num_events is 2, the batch has 1 rows"),
        ({"num_events": "x"}, "lack a usable"),
    ]:
        with pytest.raises(DecodeError, match=said):
            decode(tuple(pair for pair in (headers | changes).items() if pair[1] is not None), record.value)


def batch_of(event):
    return decode_batch(encode_events([event]), arrow_schema(type(event)))


def test_large_batches_are_compressed_and_small_ones_are_not():
    large = big_generation(100_000)
    assert len(encode_events([large])) < batch_of(large).nbytes / 2
    small = msgspec.structs.replace(example("tool_call"), arguments="a" * 3000)
    assert b"a" * 3000 in encode_events([small])


def test_one_column_name_has_one_type_across_all_kinds():
    columns = event_columns()
    assert len(columns.names) == len(set(columns.names))
    assert "chains" not in columns.names
    for cls in KINDS.values():
        for field in arrow_schema(cls):
            if field.name in columns.names:
                assert columns.field(field.name).type == field.type


def test_an_older_version_gains_the_new_columns_as_null():
    old = arrow_schema(KINDS["tool_call"])
    new = old.append(pa.field("added", pa.string()))
    batch = batch_of(example("tool_call"))
    grown = upcast("tool_call", 1, batch, {**RELEASED, ("tool_call", 2): new}, {})
    assert grown.schema == new
    assert grown.column("added").to_pylist() == [None]


def test_a_breaking_change_goes_through_its_upcaster():
    batch = batch_of(example("tool_call"))
    renamed = pa.schema([pa.field("tool" if f.name == "name" else f.name, f.type, f.nullable) for f in batch.schema])

    def step(old):
        return pa.RecordBatch.from_arrays(old.columns, schema=renamed)

    grown = upcast("tool_call", 1, batch, {**RELEASED, ("tool_call", 2): renamed}, {("tool_call", 1): step})
    assert grown.column("tool").to_pylist() == ["name text"]


def test_records_are_plain_data():
    (record,) = encode([example("heartbeat")])
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(record), type=type(record)) == record
