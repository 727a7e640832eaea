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
from itertools import pairwise
from typing import Any, NamedTuple

import pyarrow as pa

from trajlog.errors import DecodeError, LogError
from trajlog.schemas import decode, event_columns
from trajlog.schemas.parts import Joiner
from trajlog.stream.archive_decode import Undecodable, Version, archived_columns, decoded_runs, version_of
from trajlog.stream.archive_files import sorted_rows
from trajlog.stream.log import LogRecord, TopicPartition

MAX_RECORDS = 50_000
"""Records to hold at most until their rows are written: each takes about 1 KB of memory besides its bytes."""

ENCODED = "encoded"
"""Kind of an entry whose record is decoded when its rows are made (to_table), with all others of its version."""

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
    """ENCODED, quarantine: the record as it was read. A part: itself until its record is whole."""

    @property
    def num_rows(self) -> int:
        """Rows of an entry that is not ENCODED."""
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
        offset = record.offset
        if offset < self._next:
            raise LogError(f"{self.tp.topic}/{self.tp.partition}: offset {offset} came after {self._next - 1}")
        self._newest = record.append_time
        if offset > self._next:
            self.skip_to(offset)
        if self._parts:
            self._give_up()
        self._next = offset + 1
        self.num_bytes += len(record.key) + len(record.value)
        self.num_records += 1
        if quarantine is not None:
            entry = Entry("quarantine", offset, record.append_time, reason=quarantine, record=record)
        elif any(name == "part_id" for name, _ in record.headers):
            entry = self._part(record)
        else:
            entry = Entry(ENCODED, offset, record.append_time, record=record)
        self._entries[offset] = entry

    def _part(self, record: LogRecord) -> Entry:
        offset, append_time = record.offset, record.append_time
        found = dict(record.headers)  # as the joiner reads them: of a header that is there twice, the last counts
        part_id = found["part_id"]
        if found.get("part") == "0":
            self._quarantine(self._parts.pop(part_id, []), "its producer sent the record again from its first part")
        self._parts.setdefault(part_id, []).append(offset)
        try:
            value = self._joiner.add(self.tp, offset, append_time, record.headers, record.value)
            if value is None:
                return Entry("part", offset, append_time, record=record)
            kind, batch = _columns(record, value)
        except DecodeError as error:
            self._quarantine(self._parts.pop(part_id, []), str(error))
            return Entry("quarantine", offset, append_time, reason=str(error), record=record)
        for part in self._parts.pop(part_id, [])[:-1]:
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
        self._entries = {o: e for o, e in self._entries.items() if o >= whole} if whole < self._next else {}
        self.num_bytes = self.num_records = 0
        self._follows, self._first = whole - 1, whole
        return pending


def _columns(record: LogRecord, value: bytes) -> tuple[str, pa.RecordBatch]:
    decoded = decode(record.headers, value)
    if decoded.batch.num_rows == 0:
        raise DecodeError(f"{decoded.kind}: a record without events")
    return decoded.kind, archived_columns(decoded.kind, decoded.batch)


class _Rows(NamedTuple):
    """Rows of entries that follow each other in one partition and are of one kind."""

    tp: TopicPartition
    entries: Sequence[Entry | LogRecord]
    num_rows: Sequence[int]
    """Of each entry."""
    batch: pa.RecordBatch | None
    """Events; None for kinds that have BESIDES."""


def to_table(pending: Sequence[Pending]) -> pa.Table:
    """All rows as one table in archive_schema(), sorted by kind, topic, partition, offset and row."""
    schema = archive_schema()
    kinds: dict[str, list[_Rows]] = {}
    for p in sorted(pending, key=lambda p: p.tp):
        for kind, rows in _rows_by_kind(p):
            kinds.setdefault(kind, []).append(rows)
    tables = [_kind_table(kind, rows, schema) for kind, rows in sorted(kinds.items())]
    return pa.concat_tables(tables) if tables else schema.empty_table()


def _rows_by_kind(pending: Pending) -> list[tuple[str, _Rows]]:
    """The rows of a partition; those of one kind in the order of their first offsets."""
    encoded: dict[Version, list[LogRecord]] = {}
    others: list[Entry] = []
    for entry in pending.entries:
        if entry.kind == ENCODED:
            assert entry.record is not None
            encoded.setdefault(version_of(entry.record), []).append(entry.record)
        else:
            others.append(entry)
    runs: list[tuple[str, _Rows]] = []
    for version, records in encoded.items():
        for run in decoded_runs(version, records):
            if isinstance(run, Undecodable):
                bad = run.record
                others.append(Entry("quarantine", bad.offset, bad.append_time, reason=run.reason, record=bad))
            else:
                runs.append((version[0], _Rows(pending.tp, run.records, run.num_rows, run.batch)))
    runs += [(entry.kind, _Rows(pending.tp, [entry], [entry.num_rows], entry.batch)) for entry in others]
    return sorted(runs, key=lambda run: (run[0], run[1].entries[0].offset))


def _kind_table(kind: str, runs: Sequence[_Rows], schema: pa.Schema) -> pa.Table:
    batches = [rows.batch for rows in runs if rows.batch is not None]
    if batches:
        events = pa.Table.from_batches(batches)
        columns: dict[str, Any] = {name: events.column(name) for name in events.schema.names}
    else:
        columns = _besides([entry for rows in runs for entry in rows.entries if isinstance(entry, Entry)])
    columns |= _positions(kind, runs)
    num_rows = len(columns["offset"])
    arrays = [columns[f.name] if f.name in columns else pa.nulls(num_rows, f.type) for f in schema]
    table = pa.Table.from_arrays(arrays, schema=schema)
    if all(a.tp < b.tp or a.entries[-1].offset < b.entries[0].offset for a, b in pairwise(runs)):
        return table
    return sorted_rows([table])  # records of two versions of a kind, or in parts among whole ones


def _positions(kind: str, runs: Sequence[_Rows]) -> dict[str, Any]:
    """Columns of POSITION."""
    entries = [entry for rows in runs for entry in rows.entries]
    sizes = [size for rows in runs for size in rows.num_rows]
    tps = sorted({rows.tp for rows in runs})
    places = {tp: place for place, tp in enumerate(tps)}
    values: dict[str, Any] = {
        "offset": [entry.offset for entry in entries],
        "num_rows": sizes,
        "append_time": [entry.append_time for entry in entries],
    }
    columns = {name: pa.array(of_entries, POSITION.field(name).type) for name, of_entries in values.items()}
    place = pa.array([places[rows.tp] for rows in runs for _ in rows.entries], pa.int32())
    total = sum(sizes)
    if total != len(entries):
        parents = pa.array([index for index, size in enumerate(sizes) for _ in range(size)], pa.int32())
        columns = {name: column.take(parents) for name, column in columns.items()}
        place = place.take(parents)
    topics, partitions = zip(*tps, strict=True)
    return columns | {
        "kind": pa.repeat(kind, total),
        "topic": pa.array(topics, pa.string()).take(place),
        "partition": pa.array(partitions, pa.int32()).take(place),
        "row": pa.array([row for size in sizes for row in range(size)], pa.int32()),
        "date": columns["append_time"].cast(pa.date32()),
    }


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
