"""Records to rows: what every offset becomes, and how far a commit may go."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.schemas.events import any_event
from tests.stream.archive_events import PRODUCER, episode
from trajlog.errors import LogError
from trajlog.schemas import (
    KINDS,
    Chain,
    Event,
    GroupSealed,
    GroupVerdict,
    Member,
    NewRecord,
    TurnSpan,
    VersionRun,
    chains_digest,
    encode,
)
from trajlog.schemas.codec import from_batch
from trajlog.stream.archive_rows import ENCODED, PartitionRows, archive_schema, to_table
from trajlog.stream.log import LogRecord, TopicPartition

TP = TopicPartition("t.rollouts", 1)
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def record(offset: int, new: NewRecord, at: datetime = NOON) -> LogRecord:
    return LogRecord(*TP, offset, at, new.key, new.headers, new.value)


def fold(records: list[LogRecord], start: int = 0) -> PartitionRows:
    rows = PartitionRows(TP, start, None)
    for item in records:
        rows.add(item)
    return rows


def positions(table: pa.Table) -> list[tuple[str, int, int, int]]:
    rows = zip(*(table[name].to_pylist() for name in ("kind", "offset", "row", "num_rows")), strict=True)
    return sorted(rows, key=lambda row: row[1:])


def parts(num_parts: int, text: str = "x") -> list[NewRecord]:
    """One generation split into so many parts (its values are those of the episode's first turn)."""
    (new,) = encode([episode("g", "e")[1]])
    size = -(-len(new.value) // num_parts)
    split = encode([episode("g", "e")[1]], size)
    assert len(split) == num_parts
    return split


def test_the_worked_example_of_the_module() -> None:
    two = encode([episode("g", "e")[1], episode("g", "f")[1]])
    (call,) = encode([episode("g", "e")[2]])
    first, last = parts(2)
    rows = fold([record(7, two[0]), record(8, first), record(9, last), record(11, call)], start=7)
    pending = rows.take()
    assert (pending.first, pending.last) == (7, 11)
    table = to_table([pending])
    assert positions(table) == [
        ("generation", 7, 0, 2),
        ("generation", 7, 1, 2),
        ("part", 8, 0, 1),
        ("generation", 9, 0, 1),
        ("gap", 10, 0, 1),
        ("tool_call", 11, 0, 1),
    ]
    assert table["gap_end"].drop_null().to_pylist() == [10]
    assert table["kind"].to_pylist() == sorted(table["kind"].to_pylist())


def test_nothing_is_committed_past_a_record_that_is_not_whole() -> None:
    first, middle, last = parts(3)
    (call,) = encode([episode("g", "e")[2]])
    rows = fold([record(0, call), record(1, first), record(2, call), record(3, middle)])
    assert rows.take().last == 0
    assert not rows.ready()
    rows.add(record(4, last))
    pending = rows.take()
    assert (pending.follows, pending.first, pending.last) == (0, 1, 4)
    assert positions(to_table([pending]))[-1] == ("generation", 4, 0, 1)
    assert [e.record for e in pending.entries if e.kind != ENCODED] == [None] * 3


def test_parts_that_were_never_completed_become_quarantine_with_their_bytes() -> None:
    first, _, _ = parts(3)
    (call,) = encode([episode("g", "e")[2]])
    rows = fold([record(0, first), record(1, call, NOON + timedelta(minutes=9))])
    assert not rows.ready()
    rows.add(record(2, call, NOON + timedelta(minutes=11)))
    table = to_table([rows.take()])
    assert [row[:2] for row in positions(table)] == [("quarantine", 0), ("tool_call", 1), ("tool_call", 2)]
    row = table.filter(pa.compute.equal(table["kind"], "quarantine")).to_pylist()[0]
    assert row["quarantine_value"] == first.value
    assert "never completed" in row["quarantine_reason"]


def test_a_part_whose_beginning_is_missing_is_quarantined_and_so_are_the_parts_before() -> None:
    first, _, last = parts(3)
    table = to_table([fold([record(0, first), record(1, last)]).take()])
    assert [row[:2] for row in positions(table)] == [("quarantine", 0), ("quarantine", 1)]
    assert table["quarantine_value"].to_pylist() == [first.value, last.value]


def test_a_record_that_was_sent_again_from_its_first_part_is_joined_and_the_earlier_parts_keep_their_bytes() -> None:
    first, middle, last = parts(3)
    rows = fold([record(o, p) for o, p in enumerate([first, middle, first, middle, last])])
    table = to_table([rows.take()])
    assert [row[:2] for row in positions(table)] == [
        ("quarantine", 0),
        ("quarantine", 1),
        ("part", 2),
        ("part", 3),
        ("generation", 4),
    ]
    assert table["quarantine_value"].drop_null().to_pylist() == [first.value, middle.value]
    again = fold([record(0, first), record(1, first)])
    again.add(record(2, encode([episode("g", "e")[2]])[0], NOON + timedelta(minutes=11)))
    assert [row[0] for row in positions(to_table([again.take()]))] == ["quarantine", "quarantine", "tool_call"]


def test_an_undecodable_record_keeps_key_headers_and_value_and_the_reason() -> None:
    poison = NewRecord(b"key", (("kind", "martian"), ("schema_version", "1"), ("num_events", "1")), b"\x00\xff")
    (row,) = to_table([fold([record(0, poison)]).take()]).to_pylist()
    assert (row["kind"], row["quarantine_key"], row["quarantine_value"]) == ("quarantine", b"key", b"\x00\xff")
    assert row["quarantine_headers"][0] == {"name": "kind", "value": "martian"}
    assert "martian" in row["quarantine_reason"]


def test_offsets_that_the_reader_passed_at_the_end_are_a_gap() -> None:
    (call,) = encode([episode("g", "e")[2]])
    rows = fold([record(0, call)])
    rows.skip_to(3)
    pending = rows.take()
    assert pending.last == 2
    assert [(e.kind, e.offset, e.gap_end) for e in pending.entries] == [(ENCODED, 0, None), ("gap", 1, 2)]


def test_a_log_that_goes_backwards_is_an_error() -> None:
    (call,) = encode([episode("g", "e")[2]])
    rows = fold([record(5, call)], start=5)
    with pytest.raises(LogError, match="offset 4 came after 5"):
        rows.add(record(4, call))


def test_a_sealed_group_is_archived_without_its_tokens() -> None:
    chain = Chain(0, (1, 2), (False, True), (None, -0.5), (TurnSpan(0, 1, 2, (VersionRun(3, 1),)),))
    sealed = GroupSealed(
        **PRODUCER.stamp("run", group_id="g"),
        task_id="cart",
        sealed_because="full",
        policy_version_min=3,
        policy_version_max=3,
        members=(Member("e", "solved", 1.0, 1, 1),),
        chains=(chain,),
        tokens_sha256=chains_digest((chain,)),
    )
    table = to_table([fold([record(0, encode([sealed])[0])]).take()])
    assert "chains" not in table.schema.names
    assert table["tokens_sha256"].to_pylist() == [sealed.tokens_sha256]


def test_a_verdict_keeps_its_partition_beside_that_of_its_record() -> None:
    verdict = GroupVerdict(
        **PRODUCER.stamp("run", group_id="g"),
        verdict="sealed",
        reason="full",
        task_id="cart",
        group_partition=3,
        logical_time=NOON,
        offsets={"t.rollouts-3": 9},
        numbers={"finished": 4.0},
    )
    (row,) = to_table([fold([record(0, encode([verdict])[0])]).take()]).to_pylist()
    assert (row["partition"], row["group_partition"]) == (1, 3)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(sorted(set(KINDS) - {"heartbeat", "group_sealed"})).flatmap(any_event), max_size=6))
def test_any_events_come_back_from_their_rows_as_they_were(events: list[Event]) -> None:
    records = [record(offset, new) for offset, new in enumerate(new for event in events for new in encode([event]))]
    table = to_table([fold(records).take()]) if records else archive_schema().empty_table()
    back = {}
    for offset, kind in zip(table["offset"].to_pylist(), table["kind"].to_pylist(), strict=True):
        names = list(KINDS[kind].__struct_fields__)
        row = (
            table.filter(pa.compute.equal(table["offset"], offset))
            .select(names)
            .rename_columns(list(KINDS[kind].__struct_fields__))
        )
        (back[offset],) = from_batch(kind, row.combine_chunks().to_batches()[0])
    assert [back[offset] for offset in range(len(events))] == events
