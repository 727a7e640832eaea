"""Proof for one partition: the archive by itself, then against the log (see verify.py)."""

import duckdb
import msgspec

from trajlog.stream.archive_read import read_until
from trajlog.stream.archive_rows import PartitionRows, archive_schema, to_table
from trajlog.stream.log import Log, Reader, TopicPartition

CHUNK_RECORDS = 5000
FAULTS = ("num_missing", "num_repeated", "num_incomplete", "num_differing")

_NOT_COMPARED = frozenset({"quarantine_reason"})  # its words may change from version to version
_MAX_EXAMPLES = 5


class PartitionReport(msgspec.Struct, frozen=True, kw_only=True):
    """One partition. Offsets are inclusive; `start` and `covered` are None when nothing of it is archived."""

    topic: str
    partition: int
    log_begin: int
    """First offset that the log still holds."""
    log_end: int
    """Next offset that the log will assign."""
    start: int | None
    covered: int | None
    behind: int
    """Offsets in the log that are not archived yet."""
    num_rows: int
    num_records: int
    """Archived offsets, quarantined ones and parts included."""
    num_quarantined: int
    num_gaps: int
    """Offsets that hold no record, those accepted as lost included."""
    num_lost: int
    """Of them: records that retention dropped before they were archived, accepted by a person."""
    num_missing: int
    """Offsets of start..covered of which the archive has nothing."""
    num_repeated: int
    """Rows that are there more than once, and offsets beyond the covered one, which would be written again."""
    num_incomplete: int
    """Offsets that lack rows."""
    num_compared: int = 0
    """Records read from the log and compared."""
    num_differing: int = 0
    """Rows that the log and the archive do not have alike."""
    examples: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        return self.behind >= 0 and not any(getattr(self, fault) for fault in FAULTS)


def verify_partition(
    con: duckdb.DuckDBPyConnection, log: Log, tp: TopicPartition, covered: int | None, log_begin: int, log_end: int
) -> PartitionReport:
    """Check a partition that the view `archive` of `con` holds up to offset `covered` (None: nothing of it)."""
    report = _inside(con, tp, covered, log_begin, log_end)
    if covered is None or covered < log_begin:
        return report
    elsewhere = {other: end for other, end in log.end_offsets(tp.topic).items() if other != tp}
    with log.reader([tp.topic], elsewhere | {tp: log_begin}) as reader:
        reader.pause(elsewhere)
        return _compare(con, reader, report, tp, min(covered, log_end - 1))


def _inside(
    con: duckdb.DuckDBPyConnection, tp: TopicPartition, covered: int | None, log_begin: int, log_end: int
) -> PartitionReport:
    """Part 1: the archive by itself."""
    con.execute(
        """
        CREATE OR REPLACE TEMP TABLE offsets AS
        SELECT "offset", bool_or(kind = 'gap') AS gap, bool_or(kind = 'quarantine') AS quarantine,
            bool_or(kind = 'gap' AND quarantine_reason IS NOT NULL) AS lost,
            max(CASE WHEN kind = 'gap' THEN gap_end ELSE "offset" END) AS last,
            count(*) AS found, count(DISTINCT "row") AS num_distinct, max(num_rows) AS expected, max("row") AS top
        FROM archive WHERE topic = ? AND partition = ? GROUP BY "offset"
        """,
        tp,
    )
    (start, last, rows, records, quarantined, gaps, lost, repeated, incomplete) = con.sql(
        """
        SELECT min("offset"), max(last), coalesce(sum(found), 0), count(*) FILTER (NOT gap),
            count(*) FILTER (quarantine), coalesce(sum(last - "offset" + 1) FILTER (gap), 0),
            coalesce(sum(last - "offset" + 1) FILTER (lost), 0),
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
    if start:
        holes.insert(0, (0, start))
    after, frontier = 0 if last is None else last + 1, 0 if covered is None else covered + 1
    if after < frontier:
        holes.append((after, frontier - after))
    beyond = after - max(frontier, start or 0) if after > frontier else 0
    examples = [
        f"offsets {at}..{at + size - 1} are missing" if size > 0 else f"offsets {at + size}..{at - 1} are there twice"
        for at, size in holes
    ]
    examples += [f"offsets {after - beyond}..{after - 1} lie beyond what the table covers"] if beyond else []
    worst = con.sql(
        'SELECT "offset", found, expected FROM offsets WHERE found <> expected ORDER BY 1 LIMIT 5'
    ).fetchall()
    examples += [f"offset {offset} has {found} rows, it should have {expected}" for offset, found, expected in worst]
    return PartitionReport(
        topic=tp.topic,
        partition=tp.partition,
        start=start,
        covered=covered,
        log_begin=log_begin,
        log_end=log_end,
        behind=log_end - (log_begin if covered is None else covered + 1),
        num_rows=int(rows),
        num_records=records,
        num_quarantined=quarantined,
        num_gaps=int(gaps),
        num_lost=int(lost),
        num_missing=sum(size for _, size in holes if size > 0),
        num_repeated=int(repeated) + beyond - sum(size for _, size in holes if size < 0),
        num_incomplete=incomplete,
        examples=tuple(examples[:_MAX_EXAMPLES]),
    )


def _compare(
    con: duckdb.DuckDBPyConnection, reader: Reader, report: PartitionReport, tp: TopicPartition, last: int
) -> PartitionReport:
    """Part 2: every record that the log still holds of what is archived."""
    query = "SELECT \"offset\" FROM archive WHERE topic = ? AND partition = ? AND kind = 'quarantine'"
    quarantined = {offset for (offset,) in con.execute(query, tp).fetchall()}
    columns = ", ".join(f'"{name}"' for name in archive_schema().names if name not in _NOT_COMPARED)
    con.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE archived AS
        SELECT "offset", "row", hash({columns}) AS content FROM archive
        WHERE topic = ? AND partition = ? AND kind <> 'gap' AND "offset" BETWEEN ? AND ?
        """,
        [*tp, report.log_begin, last],
    )
    con.execute("CREATE OR REPLACE TEMP TABLE logged AS FROM archived LIMIT 0")
    rows = PartitionRows(tp, report.log_begin, None)
    compared = waiting = 0
    for records in read_until(reader, {tp: last + 1}):
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
