"""Proof that the archive and the log agree, for every partition and every offset.

0. Every data file has the bytes that its commit recorded, by sha256: a flipped bit anywhere in it is found. What is
   damaged is named and left out of the rest, so its offsets are missing there.
1. Inside the archive: the offsets from the first to the last covered one (the table's txn) are each there once, as
   events, part, quarantine or gap; and each offset has its rows 0..num_rows-1, each once.
2. Against the log: every record that the log still holds in that range is decoded again, and all columns of its rows
   are compared with the archive's by a 64-bit hash. Quarantined records are compared by their bytes.

What the log has behind the last covered offset is not an error: it is how far the archiver is behind.
"""

from pathlib import Path

import duckdb
import msgspec

from trajlog.config import RunConfig
from trajlog.errors import ArchiveError
from trajlog.stream.archive import Archive
from trajlog.stream.archive_files import Damage
from trajlog.stream.archive_read import create_events_view
from trajlog.stream.archiver import archive_location, archived_topics
from trajlog.stream.log import Log
from trajlog.stream.verify_partition import FAULTS, PartitionReport, verify_partition


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What was found; str() is for people, msgspec.json.encode for programs."""

    ok: bool
    """They agree, and everything in the log is archived."""
    agrees: bool
    """No offset of what is archived is lost, repeated, cut or different, and no file is damaged."""
    behind: int
    """Offsets in the log that are not archived yet."""
    archived_rows: int
    log_records: int
    log_url: str
    log_identity: str
    archive: str
    table_version: int
    partitions: tuple[PartitionReport, ...]
    num_files: int
    damaged: tuple[Damage, ...]
    """Data files that are not what their commits recorded."""
    num_files_without_digest: int
    """Data files that something else than trajlog wrote: only their rows are compared."""

    def __str__(self) -> str:
        lines = [
            f"{'partition':<24} {'archived':>19} {'records':>9} {'rows':>9} {'gaps':>6} {'quarantined':>11} "
            f"{'compared':>9} {'behind':>7}"
        ]
        for p in self.partitions:
            span = "nothing" if p.covered is None else f"{p.start}..{p.covered}"
            lines.append(
                f"{f'{p.topic}-{p.partition}':<24} {span:>19} {p.num_records:>9} {p.num_rows:>9} "
                f"{p.num_gaps:>6} {p.num_quarantined:>11} {p.num_compared:>9} {p.behind:>7}"
            )
            lines += [f"    {example}" for example in p.examples]
        lines += [f"{damage.path} {damage.what}" for damage in self.damaged]
        if self.num_files_without_digest:
            lines.append(
                f"{self.num_files_without_digest} of {self.num_files} files have no recorded sha256, because another "
                f"program wrote them. `trajlog archive compact` gives them one."
            )
        return "\n".join([*lines, self._conclusion()])

    def _conclusion(self) -> str:
        if self.damaged:
            return (
                f"{len(self.damaged)} of {self.num_files} data files are DAMAGED (named above); offsets in them count "
                f"as missing. `trajlog archive repair` writes them again from what the log holds; what it lacks must "
                f"come from a copy."
            )
        if not self.agrees:
            sums = {fault: sum(getattr(p, fault) for p in self.partitions) for fault in FAULTS}
            faults = ", ".join(f"{count} {fault.removeprefix('num_')}" for fault, count in sums.items())
            return f"The archive and the log DIFFER: {faults} (offsets or rows; see above)."
        if self.behind:
            return (
                f"What is archived agrees with the log; {self.behind} offsets wait to be archived. "
                f"Run `trajlog archiver`, then verify again."
            )
        lost = sum(p.num_lost for p in self.partitions)
        return f"The archive and the log agree: all {self.log_records} records, each exactly once." + (
            f" {lost} earlier ones were accepted as lost." if lost else ""
        )


def verify(log: Log, config: RunConfig, run_dir: Path) -> Report:
    """Compare the newest version of a run's archive with its log.

    Raises LogIdentityMismatch when the archive is another log's, ArchiveError when it cannot be read, LogUnavailable
    when reading the log makes no progress.
    """
    archive = Archive(archive_location(run_dir, config))
    archive.check_log(log, archived_topics(config))
    covered = {tp: archive.covered(tp) for topic in archived_topics(config) for tp in log.end_offsets(topic)}
    partitions: list[PartitionReport] = []
    files = archive.data_files()
    damaged = tuple(damage for file in files if (damage := archive.storage.damage(file)) is not None)
    with duckdb.connect() as con:
        try:
            create_events_view(con, "archive", archive.source(without={damage.path for damage in damaged}))
            for topic in archived_topics(config):
                spans = log.begin_offsets(topic), log.end_offsets(topic)
                for tp in sorted(spans[1]):
                    span = spans[0][tp], spans[1][tp]
                    partitions.append(verify_partition(con, log, tp, covered[tp], *span))
        except duckdb.Error as error:
            raise ArchiveError(
                f"the files of {archive.location} cannot be read: {error}. Restore them from a copy, or delete the "
                f"archive and archive the log again."
            ) from error
    agrees = not damaged and all(p.agrees for p in partitions)
    behind = sum(p.behind for p in partitions)
    return Report(
        ok=agrees and behind == 0,
        agrees=agrees,
        behind=behind,
        archived_rows=sum(p.num_rows for p in partitions),
        log_records=behind + sum(p.num_compared for p in partitions),
        log_url=log.url,
        log_identity=log.identity,
        archive=archive.location,
        table_version=archive.version,
        partitions=tuple(partitions),
        num_files=len(files),
        damaged=damaged,
        num_files_without_digest=sum(file.sha256 is None for file in files),
    )
