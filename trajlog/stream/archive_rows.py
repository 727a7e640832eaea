"""Records to archive rows: a pure fold per partition, shared by the archiver and by live queries.

Every offset that is covered leaves a trace of its own, so the table alone proves that nothing is missing:

- an event: one row per event of the record, `row` 0..num_rows-1;
- kind `part`: a part of a split record that is not its last (the last one holds the events);
- kind `gap`: offsets `offset`..`gap_end` hold no record (Kafka's transaction markers, aborted records) or were
  accepted as lost (`quarantine_reason` says so);
- kind `quarantine`: a record that cannot be decoded, with its bytes and the reason.

Worked example: offsets 7 (two events), 8 and 9 (a record in two parts), 11 (10 is a transaction marker)::

    kind         offset  row  num_rows
    generation        7    0         2
    generation        7    1         2
    part              8    0         1
    generation        9    0         1
    gap              10    0         1     gap_end = 10
    tool_call        11    0         1
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, NamedTuple

import pyarrow as pa

from trajlog.errors import DecodeError, LogError
from trajlog.schemas import decode, event_columns
from trajlog.schemas.parts import Joiner
from trajlog.schemas.union import NOT_ARCHIVED
from trajlog.stream.log import LogRecord, TopicPartition

MAX_RECORDS = 10_000
"""Records to hold decoded at most: a decoded record of one small event takes 15 KB of memory."""

_POSITION: dict[str, pa.DataType] = {
    "kind": pa.string(),
    "topic": pa.string(),
    "partition": pa.int32(),
    "offset": pa.int64(),
    "row": pa.int32(),
    "num_rows": pa.int32(),
    "append_time": pa.timestamp("us", tz="UTC"),
    "date": pa.date32(),
}
POSITION = pa.schema(_POSITION)
"""Where a row comes from. `num_rows` is the number of rows of its offset; `date` is that of append_time (UTC)."""

_BESIDES: dict[str, pa.DataType] = {
    "gap_end": pa.int64(),
    "quarantine_reason": pa.string(),
    "quarantine_key": pa.binary(),
    "quarantine_headers": pa.list_(pa.struct([pa.field("name", pa.string()), pa.field("value", pa.string())])),
    "quarantine_value": pa.binary(),
}
BESIDES = pa.schema(_BESIDES)
"""Columns of gaps and of quarantined records."""


def archive_schema() -> pa.Schema:
    """All columns of the archive: POSITION, the events' columns, BESIDES; every one nullable."""
    return pa.schema([*POSITION, *event_columns(), *BESIDES])


class Entry(NamedTuple):
    """The rows of one offset (of a range of offsets: a gap)."""

    kind: str
    offset: int
    append_time: datetime
    batch: pa.RecordBatch | None = None
    """Events: columns as the kind's newest schema has them."""
    gap_end: int | None = None
    reason: str | None = None
    record: LogRecord | None = None
    """Quarantine: the record as it was read. A part: itself until its record is whole."""

    @property
    def num_rows(self) -> int:
        return 1 if self.batch is None else self.batch.num_rows


class Pending(NamedTuple):
    """Rows of one partition that are to be committed together: they cover `first`..`last` without a hole."""

    tp: TopicPartition
    follows: int | None
    """Last offset that the table covers already; None when it has nothing of the partition."""
    first: int
    last: int
    entries: tuple[Entry, ...]


class PartitionRows:
    """Rows of one partition between the table's last covered offset and the reader's position."""

    def __init__(self, tp: TopicPartition, start: int, follows: int | None) -> None:
        self.tp = tp
        self.num_bytes = self.num_records = 0
        """Of the records that came since the last take()."""
        self._follows = follows
        self._first = start
        self._next = start
        self._newest = datetime.now(UTC)  # append time of the last record; a gap before any has nothing better
        self._entries: dict[int, Entry] = {}
        self._parts: dict[str, list[int]] = {}
        self._joiner = Joiner()

    def add(self, record: LogRecord, quarantine: str | None = None) -> None:
        """Take the next record; with a reason to `quarantine`, without decoding it.

        Raises LogError when the log went backwards.
        """
        if record.offset < self._next:
            raise LogError(f"{self.tp.topic}/{self.tp.partition}: offset {record.offset} came after {self._next - 1}")
        self._newest = record.append_time
        self.skip_to(record.offset)
        self._give_up()
        self._next = record.offset + 1
        self.num_bytes += len(record.key) + len(record.value)
        self.num_records += 1
        if quarantine is not None:
            entry = Entry("quarantine", record.offset, record.append_time, reason=quarantine, record=record)
            self._entries[record.offset] = entry
            return
        found = dict(record.headers)  # as the joiner reads them: of a header that is there twice, the last counts
        part_id = found.get("part_id")
        if part_id is not None:
            if found.get("part") == "0":
                self._quarantine(self._parts.pop(part_id, []), "its producer sent the record again from its first part")
            self._parts.setdefault(part_id, []).append(record.offset)
        self._entries[record.offset] = self._decode(record, part_id)

    def _decode(self, record: LogRecord, part_id: str | None) -> Entry:
        offset, append_time = record.offset, record.append_time
        try:
            value = self._joiner.add(self.tp, offset, append_time, record.headers, record.value)
            if value is None:
                return Entry("part", offset, append_time, record=record)
            kind, batch = _columns(record, value)
        except DecodeError as error:
            self._quarantine(self._parts.pop(part_id or "", []), str(error))
            return Entry("quarantine", offset, append_time, reason=str(error), record=record)
        for part in self._parts.pop(part_id or "", [])[:-1]:
            self._entries[part] = self._entries[part]._replace(record=None)
        return Entry(kind, offset, append_time, batch=batch)

    def _quarantine(self, offsets: Iterable[int], reason: str) -> None:
        for offset in offsets:
            if offset in self._entries:
                self._entries[offset] = self._entries[offset]._replace(kind="quarantine", reason=reason)

    def skip_to(self, position: int, lost: str | None = None) -> None:
        """Offsets below `position` that did not come hold no record, or are `lost` for that reason."""
        if position > self._next:
            self._entries[self._next] = Entry("gap", self._next, self._newest, gap_end=position - 1, reason=lost)
            self._next = position

    def _give_up(self) -> None:
        """Quarantine the parts of records that were not finished for parts.ABANDON_AFTER of this partition's time."""
        for first in self._joiner.abandon(self.tp, self._newest):
            part_id = next(p for p, offsets in self._parts.items() if offsets[0] == first)
            self._quarantine(self._parts.pop(part_id), "its record was never completed: the producer died")

    def ready(self) -> bool:
        """Whether take() would give anything."""
        return self._whole() > self._first

    def _whole(self) -> int:
        """First offset that may not be committed yet: below it every record is whole."""
        low_water = self._joiner.low_water(self.tp)
        return self._next if low_water is None else low_water

    def take(self) -> Pending:
        """The rows that may be committed; they leave this object."""
        whole = self._whole()
        entries = tuple(entry for entry in self._entries.values() if entry.offset < whole)
        pending = Pending(self.tp, self._follows, self._first, whole - 1, entries)
        self._entries = {o: e for o, e in self._entries.items() if o >= whole}
        self.num_bytes = self.num_records = 0
        self._follows, self._first = whole - 1, whole
        return pending


def _columns(record: LogRecord, value: bytes) -> tuple[str, pa.RecordBatch]:
    decoded = decode(record.headers, value)
    if decoded.batch.num_rows == 0:
        raise DecodeError(f"{decoded.kind}: a record without events")
    left_out = [name for kind, name in NOT_ARCHIVED if kind == decoded.kind]
    return decoded.kind, decoded.batch.drop_columns(left_out) if left_out else decoded.batch


def to_table(pending: Sequence[Pending]) -> pa.Table:
    """All rows as one table in archive_schema(), sorted by kind, topic, partition, offset and row."""
    schema = archive_schema()
    rows = sorted(
        ((entry.kind, p.tp, entry.offset, entry) for p in pending for entry in p.entries), key=lambda row: row[:3]
    )
    tables = [
        _kind_table(kind, [(tp, entry) for _, tp, _, entry in run], schema)
        for kind, run in groupby(rows, lambda row: row[0])
    ]
    return pa.concat_tables(tables) if tables else schema.empty_table()


def _kind_table(kind: str, rows: list[tuple[TopicPartition, Entry]], schema: pa.Schema) -> pa.Table:
    columns: dict[str, Any] = {}
    batches = [entry.batch for _, entry in rows if entry.batch is not None]
    if batches:
        events = pa.Table.from_batches(batches).combine_chunks()
        columns = {name: events.column(name) for name in events.schema.names}
    else:
        columns = _besides([entry for _, entry in rows])
    spread = [(tp, entry, row) for tp, entry in rows for row in range(entry.num_rows)]
    values: dict[str, list[Any]] = {
        "kind": [kind] * len(spread),
        "topic": [tp.topic for tp, _, _ in spread],
        "partition": [tp.partition for tp, _, _ in spread],
        "offset": [entry.offset for _, entry, _ in spread],
        "row": [row for _, _, row in spread],
        "num_rows": [entry.num_rows for _, entry, _ in spread],
        "append_time": [entry.append_time for _, entry, _ in spread],
        "date": [entry.append_time.date() for _, entry, _ in spread],
    }
    columns |= {field.name: pa.array(values[field.name], field.type) for field in POSITION}
    arrays = [columns[f.name] if f.name in columns else pa.nulls(len(spread), f.type) for f in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def _besides(entries: list[Entry]) -> dict[str, Any]:
    records = [entry.record if entry.kind == "quarantine" else None for entry in entries]
    values: dict[str, list[Any]] = {
        "gap_end": [entry.gap_end for entry in entries],
        "quarantine_reason": [entry.reason for entry in entries],
        "quarantine_key": [r and r.key for r in records],
        "quarantine_headers": [r and [{"name": n, "value": v} for n, v in r.headers] for r in records],
        "quarantine_value": [r and r.value for r in records],
    }
    return {field.name: pa.array(values[field.name], field.type) for field in BESIDES}
