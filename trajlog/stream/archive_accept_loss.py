"""Going on after a loss: retention dropped records of the log before they were archived.

The archiver stops at such a hole (OffsetExpired) and never skips by itself. A person may accept it: the hole becomes
a gap in the archive that says it is a loss, and the archiver goes on behind it. Nothing else skips offsets.
"""

from pathlib import Path

from trajlog.config import RunConfig
from trajlog.errors import ArchiveError
from trajlog.stream.archive import Archive
from trajlog.stream.archive_rows import PartitionRows
from trajlog.stream.archiver import archive_location, archived_topics
from trajlog.stream.log import Log, TopicPartition

REASON = "lost: retention dropped it before it was archived, accepted by `trajlog archive repair --accept-loss`"


def accept_loss(log: Log, config: RunConfig, run_dir: Path) -> dict[TopicPartition, range]:
    """Record offsets that the log does not hold any more and the archive never had as lost; returns them.

    Raises LogIdentityMismatch when the archive is another log's, ArchiveError when there is none, or when an archiver
    goes on meanwhile.
    """
    archive = Archive(archive_location(run_dir, config))
    archive.check_log(log, archived_topics(config))
    lost: dict[TopicPartition, range] = {}
    pending = []
    for topic in archived_topics(config):
        for tp, begin in sorted(log.begin_offsets(topic).items()):
            covered = archive.covered(tp)
            start = 0 if covered is None else covered + 1
            if start < begin:
                rows = PartitionRows(tp, start, covered)
                rows.skip_to(begin, lost=REASON)
                pending.append(rows.take())
                lost[tp] = range(start, begin)
    refused = archive.commit(pending) if pending else {}
    if refused:
        raise ArchiveError(f"an archiver wrote {sorted(refused)} meanwhile. Stop it, and repair again.")
    return lost
