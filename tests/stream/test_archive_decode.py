"""Many records at once give what each gives by itself, whatever lies among them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.stream.archive_events import episode
from trajlog.errors import DecodeError
from trajlog.schemas import NewRecord, decode, encode
from trajlog.schemas.codec import checksum
from trajlog.stream import archive_decode
from trajlog.stream.archive_decode import Run, Undecodable, decoded_runs, version_of
from trajlog.stream.log import LogRecord

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
GENERATIONS = encode([event for event in episode("g", "e", num_turns=3) if event.kind == "generation"])
GENERATIONS += [new for n in range(3) for new in encode([episode(f"g{n}", "e")[1]])]


def numbered(records: Sequence[NewRecord]) -> list[LogRecord]:
    return [
        LogRecord("t.rollouts", 0, offset, NOON, new.key, new.headers, new.value) for offset, new in enumerate(records)
    ]


def stamped(record: LogRecord) -> LogRecord:
    """With the checksum of what it holds now."""
    crc = checksum(record.headers, record.value)
    headers = tuple((name, crc if name == "crc32" else text) for name, text in record.headers)
    return msgspec.structs.replace(record, headers=headers)


def as_text(rows: pa.RecordBatch) -> str:
    """NaN is not equal to itself, and Python has no times beyond the year 9999."""
    columns = [c.cast(pa.int64()) if pa.types.is_timestamp(c.type) else c for c in rows.columns]
    return repr([column.to_pylist() for column in columns])


def by_itself(record: LogRecord) -> str | None:
    """The record's rows as text; None when they cannot be decoded."""
    try:
        rows = decode(record.headers, record.value).batch
    except DecodeError:
        return None
    return as_text(rows) if rows.num_rows else None


def check(records: list[LogRecord]) -> None:
    found: list[tuple[int, str | None]] = []
    for run in decoded_runs(version_of(records[0]), records):
        if isinstance(run, Undecodable):
            found.append((run.record.offset, None))
            continue
        assert isinstance(run, Run)
        start = 0
        for record, size in zip(run.records, run.num_rows, strict=True):
            found.append((record.offset, as_text(run.batch.slice(start, size))))
            start += size
        assert start == run.batch.num_rows
    assert found == [(record.offset, by_itself(record)) for record in records]


@st.composite
def damaged(draw: st.DrawFn) -> NewRecord:
    new = draw(st.sampled_from(GENERATIONS))
    other = draw(st.sampled_from(GENERATIONS)).value
    at = draw(st.integers(0, len(new.value) - 1))
    value, headers = new.value, new.headers
    match draw(
        st.sampled_from(["sound", "flipped", "cut", "longer", "two", "empty", "num_events", "again", "unsigned"])
    ):
        case "flipped":
            value = value[:at] + bytes([value[at] ^ (1 << draw(st.integers(0, 7)))]) + value[at + 1 :]
        case "cut":
            value = value[: at // 8 * 8]
        case "longer":
            value += bytes(8)
        case "two":
            value += other
        case "empty":
            value = b""
        case "num_events":
            headers = tuple((name, "0" if name == "num_events" else text) for name, text in headers)
        case "unsigned":
            headers = tuple((name, text) for name, text in headers if name != "crc32")
        case "again":
            headers = (*headers, ("num_events", "7"))
    return msgspec.structs.replace(new, value=value, headers=headers)


@given(st.lists(damaged(), min_size=1, max_size=12))
@settings(max_examples=60, deadline=None)
def test_what_is_damaged_touches_no_other_record(records: list[NewRecord]) -> None:
    check(numbered(records))
    check([stamped(record) for record in numbered(records)])


def test_sound_records_are_one_run_and_a_bad_one_is_found_among_them(monkeypatch: pytest.MonkeyPatch) -> None:
    alone: list[LogRecord] = []
    decode_alone = archive_decode._alone
    monkeypatch.setattr(archive_decode, "_alone", lambda record: alone.append(record) or decode_alone(record))
    records = numbered(GENERATIONS * 8)
    (run,) = decoded_runs(version_of(records[0]), records)
    assert isinstance(run, Run)
    assert (len(run.records), alone) == (32, [])
    records[5] = msgspec.structs.replace(records[5], value=b"garbage!")
    assert sum(isinstance(run, Undecodable) for run in decoded_runs(version_of(records[0]), records)) == 1
    assert len(alone) <= 2


def test_a_record_that_pretends_to_be_longer_cannot_swallow_the_next_one() -> None:
    """Its frame reaches into the next value, and a third value holds two batches: the numbers would fit again."""
    first, second, third = numbered(GENERATIONS[:1] * 3)
    cut = len(first.value) - 64
    records = [
        msgspec.structs.replace(first, value=first.value[:cut]),
        msgspec.structs.replace(second, value=first.value[cut:] + second.value),
        msgspec.structs.replace(third, value=third.value),
    ]
    records = [stamped(record) for record in records]
    check(records)
    runs = list(decoded_runs(version_of(first), records))
    assert [isinstance(run, Undecodable) for run in runs] == [True, True, False]


def test_another_message_than_a_batch_is_undecodable() -> None:
    (record,) = numbered(GENERATIONS[:1])
    schema = decode(record.headers, record.value).batch.schema
    poison = msgspec.structs.replace(record, value=pa.py_buffer(schema.serialize()).to_pybytes())
    check([record, stamped(poison), record])


def test_schema_versions_that_no_number_can_be_are_undecodable_and_stop_nothing() -> None:
    """A number of 5,000 digits is one that int() refuses to read; the last is a digit that is no decimal."""
    for number in ("9" * 5000, "", "-1", " 1", "0", "\u00b2"):
        headers = tuple((name, number if name == "schema_version" else text) for name, text in GENERATIONS[0].headers)
        records = numbered([msgspec.structs.replace(GENERATIONS[0], headers=headers)] * 3)
        check(records)
        check([stamped(record) for record in records])


@pytest.mark.parametrize("new", GENERATIONS[:2])
def test_a_value_that_no_row_names_is_held_to_the_same_rules_among_others(new: NewRecord) -> None:
    """Every four bytes in turn become a negative number: an offset into a list that is empty, among others."""
    for at in range(0, len(new.value), 4):
        value = new.value[:at] + b"\x01\0\0\xd7" + new.value[at + 4 :]
        record = msgspec.structs.replace(new, value=value)
        check([stamped(one) for one in numbered([record, new])])
