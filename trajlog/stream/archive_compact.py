"""Tidying the archive beside its writers and readers: `trajlog archive compact`, and the archiver by itself.

Durable steps: 1 small files of a date are merged, one commit per merged file that removes what it holds; 2 when there
are files to delete, a commit that fences writers; 3 a checkpoint of the Delta log; 4 old entries of the Delta log are
deleted; 5 files that no version of the last RETENTION_H hours lists are deleted. It may die between any two, the next
run does the rest.

A reader holds the file list of one version and fails when one of them is deleted. Files leave that list in step 1 only,
and step 5 counts from then, not from when they were written: a query has RETENTION_H hours.

A writer that sleeps for longer than that between its files and its commit finds the files deleted. Step 2 changes the
table's metadata, which refuses every commit through a handle loaded before: the sleeper loads anew and writes its files
again. A commit that came before step 2 has its files listed, so step 5 leaves them alone.
"""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import NamedTuple

from deltalake.exceptions import CommitFailedError
from deltalake.transaction import RemoveAction

from trajlog.stream.archive import Archive, mapped_errors
from trajlog.stream.archive_files import PARTITION, DataFile, sorted_rows, write_rows

RETENTION_H = 24
"""Hours that files of earlier versions and orphans are kept: longer than any query runs."""

TARGET_BYTES = 64 * 2**20
"""Files of half of it are left alone; merged ones are at most so large. Merging needs about ten times the memory."""


_FENCE = "trajlog.files_deleted_at"
_FENCE_ATTEMPTS = 10


class Tidied(NamedTuple):
    """What a run did."""

    num_files_before: int
    num_files_after: int
    num_deleted: int
    """Files deleted that no version of the last RETENTION_H hours lists."""
    num_refused: int
    """Merges that lost against another compaction; its files are as good."""


def tidy_archive(location: str, *, thorough: bool = False) -> Tidied:
    """Tidy the archive at `location` on a handle of its own, for a thread or process beside those that write.

    `thorough`: merge all that is small, and give files that have no recorded sha256 one; otherwise each row is
    rewritten about as often as the archive doubles. Raises ArchiveError, also when a file to merge is damaged.
    """
    archive = Archive(location)
    before = archive.data_files()
    refused = sum(not _merge(archive, group) for group in groups(before, thorough=thorough))
    archive.reload()
    with mapped_errors(location):
        fenced = bool(_vacuum(archive, dry_run=True)) and _fence(archive)
        archive.table.create_checkpoint()
        archive.table.cleanup_metadata()
        deleted = _vacuum(archive, dry_run=False) if fenced else []
    return Tidied(len(before), len(archive.data_files()), len(deleted), refused)


def _vacuum(archive: Archive, *, dry_run: bool) -> list[str]:
    return archive.table.vacuum(RETENTION_H, dry_run=dry_run, enforce_retention_duration=False, full=True)


def _fence(archive: Archive) -> bool:
    """Refuse all commits through handles loaded earlier; False when others wrote all the time: the next run tries."""
    for _ in range(_FENCE_ATTEMPTS):
        try:
            properties = {_FENCE: datetime.now(UTC).isoformat()}
            archive.table.alter.set_table_properties(properties, raise_if_not_exists=False)
            archive.reload()
            return True
        except CommitFailedError:
            archive.reload()
    return False


def groups(files: Sequence[DataFile], *, thorough: bool) -> list[list[DataFile]]:
    """Files to merge into one each: small ones of a date, oldest first, together at most TARGET_BYTES.

    Unless `thorough`, a file larger than all others of its group together stays as it is.
    """
    small = [f for f in files if f.date is not None and (f.num_bytes < TARGET_BYTES // 2 or not f.sha256)]
    found = []
    for _, of_date in groupby(sorted(small, key=lambda f: (str(f.date), f.written_ms, f.path)), lambda f: f.date):
        group: list[DataFile] = []
        for file in of_date:
            if group and sum(f.num_bytes for f in group) + file.num_bytes > TARGET_BYTES:
                found.append(group)
                group = []
            group.append(file)
        found.append(group)
    if not thorough:
        found = [_balanced(group) for group in found]
    return [group for group in found if len(group) > 1 or (thorough and group and not group[0].sha256)]


def _balanced(group: list[DataFile]) -> list[DataFile]:
    while group and (largest := max(group, key=lambda f: f.num_bytes)).num_bytes * 2 > sum(f.num_bytes for f in group):
        group = [file for file in group if file != largest]
    return group


def _merge(archive: Archive, group: Sequence[DataFile]) -> bool:
    """Put the rows of `group` into one file; False when another compaction removed one of them meanwhile.

    Like a flush it is a compare-and-swap: the held handle lists all of `group`, and what a rival removed after the
    handle was loaded refuses the commit. The removals say data_change, because Delta compares them with a rival's only
    then: without, two compactions at once would both add the rows.
    """
    with mapped_errors(archive.location):
        if not set(group) <= set(archive.data_files()):
            return False
        rows = sorted_rows([archive.storage.read_rows(file, archive.schema) for file in group])
        added = write_rows(archive.storage, rows, data_change=False)
        now = int(time.time() * 1000)
        removed = [RemoveAction(f.path, True, now, f.num_bytes, {PARTITION: str(f.date)}) for f in group]
        try:
            archive.table.create_write_transaction([*removed, *added], "append", archive.table.schema(), [PARTITION])
            archive.table.update_incremental()
        except CommitFailedError:
            archive.reload()
            return False
    return True
