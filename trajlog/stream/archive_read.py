"""Reading the archive: a DuckDB relation over the files of one table version, and the log's rows behind it.

DuckDB reads local files natively (no extension), those of an object store through pyarrow. Every column of
archive_schema() is there with its type even when no file has it: the archive may be empty, or its first files older
than a column.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds

from trajlog.errors import LogUnavailable
from trajlog.stream.archive_rows import MAX_RECORDS, PartitionRows, archive_schema, to_table
from trajlog.stream.log import Log, LogRecord, Reader, TopicPartition

STALL_S = 30.0
"""Reading the log up to a known end without any progress for so long is an error."""


def create_events_view(
    con: duckdb.DuckDBPyConnection, name: str, files: list[str] | ds.Dataset, tail: pa.Table | None = None
) -> None:
    """Make the view `name` over `files` (Archive.source) and `tail` (rows of archive_rows.to_table).

    `files` and `tail` must not overlap: nothing is de-duplicated here.
    """
    con.register(f"{name}_tail", archive_schema().empty_table() if tail is None else tail)
    sources = [f"SELECT * FROM {name}_tail"]
    if isinstance(files, ds.Dataset):
        con.register(f"{name}_files", files)
        sources.append(f"SELECT * FROM {name}_files")
    elif files:
        listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
        sources.append(
            f"SELECT * FROM read_parquet([{listed}], union_by_name = true, hive_partitioning = true, "
            f"hive_types = {{'date': DATE}})"
        )
    con.execute(f"CREATE TEMP VIEW {name} AS {' UNION ALL BY NAME '.join(sources)}")


def live_tail(log: Log, topics: Sequence[str], covered: Callable[[TopicPartition], int | None]) -> pa.Table:
    """Rows of all records behind the offsets that a table version covers, up to the log's present end.

    With the files of that version they are every record exactly once; a record in parts is there when it is whole.
    Raises OffsetExpired when retention passed what was not archived, LogUnavailable when reading makes no progress.
    """
    tables = []
    behind = {tp: covered(tp) for topic in topics for tp in log.begin_offsets(topic)}  # before anything takes long
    for topic in topics:
        ends = log.end_offsets(topic)
        # Where nothing is covered, 0 and not the first offset held: that would pass over a loss.
        starts = {tp: 0 if (last := behind[tp]) is None else last + 1 for tp in ends}
        if all(starts[tp] >= end for tp, end in ends.items()):
            continue
        rows = {tp: PartitionRows(tp, start, behind[tp]) for tp, start in starts.items()}
        with log.reader([topic], starts) as reader:
            for records in read_until(reader, ends):
                for record in records:
                    rows[TopicPartition(record.topic, record.partition)].add(record)
                if sum(partition.num_records for partition in rows.values()) >= MAX_RECORDS:
                    tables.append(_taken(rows.values()))
        tables.append(_taken(rows.values()))
    return pa.concat_tables(tables) if tables else archive_schema().empty_table()


def _taken(rows: Iterable[PartitionRows]) -> pa.Table:
    return to_table([partition.take() for partition in rows if partition.ready()])


def read_until(reader: Reader, ends: Mapping[TopicPartition, int]) -> Iterator[list[LogRecord]]:
    """Poll until the position of every partition has reached its end; records beyond it may come along."""
    stalled_at = time.monotonic() + STALL_S
    while behind := [tp for tp, end in ends.items() if reader.position(tp) < end]:
        records = reader.poll(0.2)
        if records:
            stalled_at = time.monotonic() + STALL_S
            yield records
        elif time.monotonic() > stalled_at:
            raise LogUnavailable(
                f"reading {behind[0].topic}/{behind[0].partition} stands at {reader.position(behind[0])} for "
                f"{STALL_S:.0f} s, its end is {ends[behind[0]]}. Check the broker's health and try again."
            )
