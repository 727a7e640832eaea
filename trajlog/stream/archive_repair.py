"""Repairing damaged data files from the log: rows of files that are gone or have other bytes than were committed.

Durable steps: 1 the offsets that the sound files lack are read from the log again and written to new files; 2 one
commit that removes the damaged files and adds these. All or nothing: when the log does not hold all of them any more,
nothing is changed and the error names what it lacks. It may run beside archivers, queries and compactions, and for
longer than the Delta log is kept: step 2 goes through a new handle, which must still list every damaged file.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
from deltalake.exceptions import CommitFailedError
from deltalake.transaction import AddAction, RemoveAction

from trajlog.config import RunConfig
from trajlog.errors import ArchiveError
from trajlog.stream.archive import Archive, mapped_errors
from trajlog.stream.archive_compact import RETENTION_H
from trajlog.stream.archive_files import PARTITION, Damage, DataFile, write_rows
from trajlog.stream.archive_read import create_events_view, read_until
from trajlog.stream.archive_rows import MAX_RECORDS, Entry, PartitionRows, Pending, to_table
from trajlog.stream.archiver import archive_location, archived_topics
from trajlog.stream.log import Log, TopicPartition

_MAX_S = RETENTION_H * 1800.0
"""Half of the time after which a file that no commit lists is deleted."""


class Repaired(NamedTuple):
    """What was repaired."""

    damaged: tuple[Damage, ...]
    offsets: dict[TopicPartition, list[range]]
    """Written again."""


def repair(log: Log, config: RunConfig, run_dir: Path) -> Repaired:
    """Replace the damaged files of a run's archive by what the log holds.

    Raises ArchiveError when the log does not hold all of it or a compaction came between, LogIdentityMismatch when the
    archive is another log's.
    """
    archive = Archive(archive_location(run_dir, config))
    archive.check_log(log, archived_topics(config))
    covered = {tp: archive.covered(tp) for topic in archived_topics(config) for tp in log.begin_offsets(topic)}
    found = [(file, damage) for file in archive.data_files() if (damage := archive.storage.damage(file)) is not None]
    damaged = tuple(damage for _, damage in found)
    if not found:
        return Repaired((), {})
    missing, lost = _missing(archive, log, [file for file, _ in found], covered)
    if lost:
        raise ArchiveError(
            f"cannot be repaired: the log does not hold {', '.join(lost)} any more. Nothing was changed. "
            f"Restore from a copy: {', '.join(damage.path for damage in damaged)}."
        )
    began_s = time.time()
    with mapped_errors(archive.location):
        added: list[AddAction | RemoveAction] = []
        for tp, holes in missing.items():
            for pending in _read(log, tp, holes):
                added += write_rows(archive.storage, to_table([pending]), data_change=True)
        removed = [
            RemoveAction(file.path, True, int(time.time() * 1000), file.num_bytes, {PARTITION: str(file.date)})
            for file, _ in found
        ]
        archive.reload()
        if time.time() - began_s > _MAX_S or not {file for file, _ in found} <= set(archive.data_files()):
            raise ArchiveError(f"{archive.location} is not what it was when this began: repair again")
        try:
            archive.table.create_write_transaction([*removed, *added], "append", archive.table.schema(), [PARTITION])
        except CommitFailedError as error:
            raise ArchiveError(
                f"something else changed {archive.location} meanwhile: repair again ({error})"
            ) from error
    return Repaired(damaged, missing)


def _missing(
    archive: Archive, log: Log, damaged: Sequence[DataFile], covered: Mapping[TopicPartition, int | None]
) -> tuple[dict[TopicPartition, list[range]], list[str]]:
    """Offsets that the sound files lack and the log holds; and, in words, those that it does not hold any more.

    Of the latter only what a damaged file can have held by its commit's statistics: an archive may have begun later.
    """
    missing: dict[TopicPartition, list[range]] = {}
    lost: list[str] = []
    statistics = _statistics(archive, damaged)
    with duckdb.connect() as con:
        create_events_view(con, "archive", archive.source(without={file.path for file in damaged}))
        for tp, last in sorted(covered.items()):
            if last is None:
                continue
            begin = log.begin_offsets(tp.topic)[tp]
            spans = con.execute(
                'SELECT "offset", max(coalesce(gap_end, "offset")) FROM archive '
                "WHERE topic = ? AND partition = ? GROUP BY 1 ORDER BY 1",
                tp,
            ).fetchall()
            for hole in _holes(spans, 0, last):
                if hole.stop > begin:
                    missing.setdefault(tp, []).append(range(max(hole.start, begin), hole.stop))
                dropped = range(hole.start, min(hole.stop, begin))
                if dropped and any(_may_hold(file, tp, dropped) for file in statistics):
                    lost.append(f"{tp.topic}-{tp.partition} {dropped.start}..{dropped.stop - 1}")
    return missing, lost


def _statistics(archive: Archive, files: Sequence[DataFile]) -> list[dict[str, Any]]:
    """What the commits of these files said of their rows (archive_files.STATISTICS)."""
    paths = {file.path for file in files}
    actions = pa.table(archive.table.get_add_actions(flatten=True))
    return [row for row in actions.to_pylist() if row["path"] in paths]


def _may_hold(statistics: Mapping[str, Any], tp: TopicPartition, offsets: range) -> bool:
    """Whether a file may hold any of these offsets of a partition; a gap's row stands at its first offset."""
    bounds = {name: (statistics.get(f"min.{name}"), statistics.get(f"max.{name}")) for name in ("topic", "partition")}
    for value, (least, greatest) in zip(tp, bounds.values(), strict=True):
        if least is not None and greatest is not None and not least <= value <= greatest:
            return False
    first = statistics.get("min.offset")
    return first is None or first < offsets.stop


def _holes(spans: Sequence[tuple[int, int]], first: int, covered: int) -> Iterator[range]:
    """Ranges of first..covered that no span (first and last offset, sorted) has."""
    for start, last in [*spans, (covered + 1, covered)]:
        if start > first:
            yield range(first, start)
        first = max(first, last + 1)


def _read(log: Log, tp: TopicPartition, holes: Sequence[range]) -> Iterator[Pending]:
    """Rows of the offsets in `holes`, from the log. It is read from its beginning: a record may have earlier parts."""
    end = holes[-1].stop
    begin = log.begin_offsets(tp.topic)[tp]
    elsewhere = {other: at for other, at in log.end_offsets(tp.topic).items() if other != tp}
    rows = PartitionRows(tp, begin, None)
    with log.reader([tp.topic], elsewhere | {tp: begin}) as reader:
        reader.pause(elsewhere)
        for records in read_until(reader, {tp: end}):
            for record in records:
                if record.offset < end:
                    rows.add(record)
            if rows.num_records >= MAX_RECORDS and rows.ready():
                yield _within(rows.take(), holes)
    rows.skip_to(end)
    if rows.ready():
        yield _within(rows.take(), holes)


def _within(pending: Pending, holes: Sequence[range]) -> Pending:
    kept = [part for entry in pending.entries for part in _clipped(entry, holes)]
    return pending._replace(entries=tuple(kept))


def _clipped(entry: Entry, holes: Sequence[range]) -> Iterator[Entry]:
    last = entry.offset if entry.gap_end is None else entry.gap_end
    for hole in holes:
        start, end = max(entry.offset, hole.start), min(last, hole.stop - 1)
        if start <= end:
            yield entry if entry.gap_end is None else entry._replace(offset=start, gap_end=end)
