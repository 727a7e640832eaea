"""Proof that the archive and the log agree, for every partition and every offset.

1. Inside the archive: the offsets from the first to the last covered one (the table's txn) are each there once, as
   events, part, quarantine or gap; and each offset has its rows 0..num_rows-1, each once.
2. Against the log: every record that the log still holds in that range is decoded again, and all columns of its rows
   are compared with the archive's by a 64-bit hash. Quarantined records are compared by their bytes.

What the log has behind the last covered offset is not an error: it is how far the archiver is behind.
"""

import time
from collections.abc import Sequence

import duckdb
import msgspec

from trajlog.errors import ArchiveError, LogUnavailable
from trajlog.stream.archive import Archive
from trajlog.stream.archive_rows import PartitionRows, archive_schema, to_table
from trajlog.stream.archive_view import create_events_view
from trajlog.stream.log import Log, Reader, TopicPartition

CHUNK_RECORDS = 5000
STALL_S = 30.0
"""Reading the log without any progress for so long is an error."""

_NOT_COMPARED = frozenset({"quarantine_reason"})  # its words may change from version to version
_MAX_EXAMPLES = 5


class PartitionReport(msgspec.Struct, frozen=True, kw_only=True):
    """One partition. Offsets are inclusive; `start` and `covered` are None when nothing of it is archived."""

    topic: str
    partition: int
    start: int | None
    covered: int | None
    log_begin: int
    log_end: int
    """Next offset that the log will assign."""
    num_rows: int = 0
    num_records: int = 0
    """Archived offsets, quarantined ones and parts included."""
    num_quarantined: int = 0
    num_gaps: int = 0
    """Offsets that hold no record."""
    num_missing: int = 0
    """Offsets of start..covered of which the archive has nothing."""
    num_repeated: int = 0
    """Rows that are there more than once, or offsets that are both a gap and a record."""
    num_incomplete: int = 0
    """Offsets that lack rows."""
    num_compared: int = 0
    """Records read from the log and compared."""
    num_differing: int = 0
    """Rows that the log and the archive do not have alike."""
    examples: tuple[str, ...] = ()

    @property
    def behind(self) -> int:
        """Offsets in the log that are not archived yet."""
        return self.log_end - (self.log_begin if self.covered is None else self.covered + 1)

    @property
    def agrees(self) -> bool:
        faults = self.num_missing, self.num_repeated, self.num_incomplete, self.num_differing
        return not any(faults) and self.behind >= 0


class Report(msgspec.Struct, frozen=True, kw_only=True):
    log_url: str
    log_identity: str
    archive: str
    table_version: int
    partitions: tuple[PartitionReport, ...]

    @property
    def agrees(self) -> bool:
        """No offset is lost, repeated, cut or different in what is archived."""
        return all(p.agrees for p in self.partitions)

    @property
    def behind(self) -> int:
        """Offsets in the log that are not archived yet."""
        return sum(p.behind for p in self.partitions)

    @property
    def exit_code(self) -> int:
        """0: they agree and everything is archived; 1: they differ; 2: they agree, but the archiver is behind."""
        if not self.agrees:
            return 1
        return 2 if self.behind else 0

    def to_json(self) -> str:
        """One JSON object, with the conclusions beside the numbers."""
        conclusions = {"agrees": self.agrees, "behind": self.behind}
        return msgspec.json.encode(msgspec.to_builtins(self) | conclusions).decode()

    def __str__(self) -> str:
        lines = [
            f"{'partition':<24} {'archived':>19} {'records':>9} {'rows':>9} {'gaps':>6} {'quarantined':>11} "
            f"{'compared':>9} {'behind':>7}"
        ]
        for p in self.partitions:
            span = "nothing" if p.covered is None else f"{p.start}..{p.covered}"
            lines.append(
                f"{p.topic}-{p.partition:<{max(0, 23 - len(p.topic))}} {span:>19} {p.num_records:>9} {p.num_rows:>9} "
                f"{p.num_gaps:>6} {p.num_quarantined:>11} {p.num_compared:>9} {p.behind:>7}"
            )
            lines += [f"    {example}" for example in p.examples]
        return "\n".join([*lines, self._conclusion()])

    def _conclusion(self) -> str:
        if not self.agrees:
            faults = [
                f"{sum(getattr(p, name) for p in self.partitions)} {name.removeprefix('num_')}"
                for name in ("num_missing", "num_repeated", "num_incomplete", "num_differing")
            ]
            return f"The archive and the log DIFFER: {', '.join(faults)} (offsets or rows; see above)."
        if self.behind:
            return (
                f"What is archived agrees with the log; {self.behind} offsets wait to be archived. "
                f"Run `trajlog archiver`, then verify again."
            )
        records = sum(p.num_records for p in self.partitions)
        return f"The archive and the log agree: all {records} records, each exactly once."


def verify(log: Log, archive: Archive, topics: Sequence[str] | None = None) -> Report:
    """Compare the newest version of the archive with its log.

    `topics`: those to look at; without it those of the archive's runs. Raises LogIdentityMismatch when the archive is
    another log's, ArchiveError when it cannot be read, LogUnavailable when reading the log makes no progress.
    """
    archive.reload()
    archive.check_log(log, topics)
    with duckdb.connect() as con:
        partitions: list[PartitionReport] = []
        try:
            create_events_view(con, "archive", archive.files())
            for topic in topics or _topics(con, log):
                partitions += _verify_topic(con, log, archive, topic)
        except duckdb.Error as error:
            raise ArchiveError(
                f"the files of {archive.location} cannot be read: {error}. Restore them from a copy, or delete the "
                f"archive and archive the log again."
            ) from error
    return Report(
        log_url=log.url,
        log_identity=log.identity,
        archive=archive.location,
        table_version=archive.version,
        partitions=tuple(partitions),
    )


def _topics(con: duckdb.DuckDBPyConnection, log: Log) -> list[str]:
    """The archived topics of the log; where the archive has rows, only those of its runs."""
    prefixes = {topic.rpartition(".")[0] for (topic,) in con.sql("SELECT DISTINCT topic FROM archive").fetchall()}
    return sorted(
        topic
        for topic in log.topics()
        for prefix, _, name in [topic.rpartition(".")]
        if name in ("rollouts", "groups", "control") and (prefix in prefixes or not prefixes)
    )


def _verify_topic(con: duckdb.DuckDBPyConnection, log: Log, archive: Archive, topic: str) -> list[PartitionReport]:
    begins, ends = log.begin_offsets(topic), log.end_offsets(topic)
    reports = {}
    for tp in sorted(ends):
        inside = _inside(con, tp, archive.covered(tp))
        reports[tp] = msgspec.structs.replace(inside, log_begin=begins[tp], log_end=ends[tp])
    _compare(con, log, reports)
    return list(reports.values())


def _inside(con: duckdb.DuckDBPyConnection, tp: TopicPartition, covered: int | None) -> PartitionReport:
    """Part 1: the archive by itself."""
    con.execute(
        """
        CREATE OR REPLACE TEMP TABLE offsets AS
        SELECT "offset", bool_or(kind = 'gap') AS gap, bool_or(kind = 'quarantine') AS quarantine,
            max(CASE WHEN kind = 'gap' THEN gap_end ELSE "offset" END) AS last,
            count(*) AS found, count(DISTINCT "row") AS num_distinct, max(num_rows) AS expected, max("row") AS top
        FROM archive WHERE topic = ? AND partition = ? GROUP BY "offset"
        """,
        tp,
    )
    (start, last, rows, records, quarantined, gaps, repeated, incomplete) = con.sql(
        """
        SELECT min("offset"), max(last), coalesce(sum(found), 0), count(*) FILTER (NOT gap),
            count(*) FILTER (quarantine), coalesce(sum(last - "offset" + 1) FILTER (gap), 0),
            coalesce(sum(found - num_distinct), 0) + count(*) FILTER (gap AND found > 1),
            count(*) FILTER (num_distinct <> expected OR top <> expected - 1)
        FROM offsets
        """
    ).fetchall()[0]
    holes = con.sql(
        """
        SELECT following, "offset" - following AS size FROM (
            SELECT "offset", lag(last + 1) OVER (ORDER BY "offset") AS following FROM offsets)
        WHERE following <> "offset" ORDER BY 1
        """
    ).fetchall()
    first, after = (0 if start is None else start), (-1 if last is None else last) + 1
    frontier = 0 if covered is None else covered + 1
    if after < frontier:
        holes.append((after, frontier - after))
    elif after > frontier:
        holes.append((after, max(frontier, first) - after))
    examples = [
        f"offsets {at}..{at + size - 1} are missing" if size > 0 else f"offsets {at + size}..{at - 1} are there twice"
        for at, size in holes
    ]
    worst = con.sql(
        'SELECT "offset", found, expected FROM offsets WHERE found <> expected ORDER BY 1 LIMIT 5'
    ).fetchall()
    examples += [f"offset {offset} has {found} rows, it should have {expected}" for offset, found, expected in worst]
    return PartitionReport(
        topic=tp.topic,
        partition=tp.partition,
        start=start,
        covered=covered,
        log_begin=0,
        log_end=0,
        num_rows=int(rows),
        num_records=records,
        num_quarantined=quarantined,
        num_gaps=int(gaps),
        num_missing=sum(size for _, size in holes if size > 0),
        num_repeated=int(repeated) - sum(size for _, size in holes if size < 0),
        num_incomplete=incomplete,
        examples=tuple(examples[:_MAX_EXAMPLES]),
    )


def _compare(con: duckdb.DuckDBPyConnection, log: Log, reports: dict[TopicPartition, PartitionReport]) -> None:
    """Part 2: every record that the log still holds of what is archived. Updates `reports`."""
    ends = {tp: report.log_end for tp, report in reports.items()}
    for tp, report in reports.items():
        if report.covered is None or report.covered < report.log_begin:
            continue
        last = min(report.covered, report.log_end - 1)
        with log.reader([tp.topic], ends | {tp: report.log_begin}) as reader:
            reader.pause(other for other in reports if other != tp)
            reports[tp] = _compare_partition(con, reader, report, tp, report.log_begin, last)


def _compare_partition(
    con: duckdb.DuckDBPyConnection, reader: Reader, report: PartitionReport, tp: TopicPartition, start: int, last: int
) -> PartitionReport:
    query = "SELECT \"offset\" FROM archive WHERE topic = ? AND partition = ? AND kind = 'quarantine'"
    quarantined = {offset for (offset,) in con.execute(query, tp).fetchall()}
    columns = ", ".join(f'"{name}"' for name in archive_schema().names if name not in _NOT_COMPARED)
    con.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE archived AS
        SELECT "offset", "row", hash({columns}) AS content FROM archive
        WHERE topic = ? AND partition = ? AND kind <> 'gap' AND "offset" BETWEEN ? AND ?
        """,
        [*tp, start, last],
    )
    con.execute("CREATE OR REPLACE TEMP TABLE logged AS FROM archived LIMIT 0")
    rows = PartitionRows(tp, start, None)
    compared = waiting = 0
    stalled_at = time.monotonic() + STALL_S
    while reader.position(tp) <= last:
        records = reader.poll(0.2)
        if records:
            stalled_at = time.monotonic() + STALL_S
        elif time.monotonic() > stalled_at:
            raise LogUnavailable(f"reading {tp.topic}/{tp.partition} stands at {reader.position(tp)} for {STALL_S} s")
        for record in records:
            if record.offset <= last:
                rows.add(record, "quarantined" if record.offset in quarantined else None)
                compared += 1
                waiting += 1
        if waiting >= CHUNK_RECORDS and rows.ready():
            _hash_rows(con, rows, columns)
            waiting = 0
    if rows.ready():
        _hash_rows(con, rows, columns)
    differences = con.sql(
        """
        SELECT coalesce(l."offset", a."offset"), coalesce(l."row", a."row"), l."offset" IS NULL, a."offset" IS NULL
        FROM logged l FULL JOIN archived a ON l."offset" = a."offset" AND l."row" = a."row"
        WHERE l.content IS DISTINCT FROM a.content ORDER BY 1, 2
        """
    ).fetchall()
    examples = [
        f"offset {offset} row {row}: {'only in the archive' if a else 'only in the log' if b else 'contents differ'}"
        for offset, row, a, b in differences[:_MAX_EXAMPLES]
    ]
    return msgspec.structs.replace(
        report,
        num_compared=compared,
        num_differing=len(differences),
        examples=(*report.examples, *examples)[: 2 * _MAX_EXAMPLES],
    )


def _hash_rows(con: duckdb.DuckDBPyConnection, rows: PartitionRows, columns: str) -> None:
    chunk = to_table([rows.take()])
    con.register("chunk", chunk)
    con.execute(f'INSERT INTO logged SELECT "offset", "row", hash({columns}) FROM chunk WHERE kind <> \'gap\'')
    con.unregister("chunk")
