"""What of the log is the same in every engine."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.stream.archive_events import episode
from trajlog.schemas import NewRecord, encode
from trajlog.schemas.columns import read_columns
from trajlog.stream.archive_rows import PartitionRows, to_table
from trajlog.stream.decoding import Decoder
from trajlog.stream.log import LogRecord, TopicPartition

OTHERS = (("kind", "martian"), ("schema_version", "999"), ("num_events", "7"), ("run_id", "other"), ("crc32", "0"))


def kinds_archived(record: LogRecord) -> list[str]:
    rows = PartitionRows(TopicPartition(record.topic, record.partition), 0, None)
    rows.add(record)
    return [str(kind) for kind in to_table([rows.take()]).column("kind").to_pylist()]


def test_of_a_header_that_is_there_twice_the_last_counts_for_every_reader() -> None:
    events = episode("g", "e")[:1]
    (written,) = encode(events)

    def read(*headers: tuple[str, str]) -> tuple[LogRecord, Decoder]:
        record = NewRecord(written.key, headers, written.value)
        return LogRecord("t.rollouts", 0, 0, datetime.now(UTC), record.key, headers, record.value), Decoder("run")

    record, decoder = read(*OTHERS, *written.headers)
    assert {name: record.header(name) for name, _ in OTHERS} == {
        name: dict(written.headers)[name] for name, _ in OTHERS
    }
    assert decoder.events(record) == events
    assert read_columns(record.headers, record.value) is not None
    assert kinds_archived(record) == ["episode_started"]

    for name, value in OTHERS:
        record, decoder = read(*written.headers, (name, value))
        assert record.header(name) == value
        assert (decoder.events(record), decoder.num_bad) == ([], 1)
        assert kinds_archived(record) == ["quarantine"]
