"""Columns that come while archivers run, and records that only a later version can read."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.stream.archive_events import append, archived, episode, new_log, run_config
from tests.stream.test_archive import CONTROL, TOPICS, pending
from trajlog.schemas import NewRecord, decode, encode
from trajlog.stream import archive as archive_module
from trajlog.stream.archive import Archive
from trajlog.stream.archive_compact import tidy_archive
from trajlog.stream.archive_rows import archive_schema
from trajlog.stream.archiver import archive_location, run_archiver
from trajlog.stream.log import Log
from trajlog.stream.verify import verify

LATER = ["gap_end", "call_id", "policy_versions"]
"""Columns that the older version does not have: of a gap, of events, and a nested one."""


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with new_log(tmp_path, run_config()) as log:
        yield log


def of_an_older_version(monkeypatch: pytest.MonkeyPatch, folder: Path, log: Log) -> Archive:
    """An archive whose table lacks LATER, as an older version made it, with offsets 0 and 1 in it."""
    older = pa.schema([field for field in archive_schema() if field.name not in LATER])
    to_table = archive_module.to_table
    with monkeypatch.context() as patched:
        patched.setattr(archive_module, "archive_schema", lambda: older)
        patched.setattr(archive_module, "to_table", lambda ready: to_table(ready).select(older.names))
        archive = Archive.create(folder, log, TOPICS)
        assert archive.commit([pending(0, 1)]) == {}
    assert not {*LATER} & {*archive.schema.names}
    return archive


def test_a_table_of_an_older_version_gets_the_new_columns_at_the_next_flush(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = of_an_older_version(monkeypatch, tmp_path / "a", log)
    assert archive.commit([pending(2, 3, follows=1)]) == {}
    assert {*LATER} <= {*archive.schema.names}
    assert archive.schema.field("policy_versions").type == archive_schema().field("policy_versions").type
    tidy_archive(str(tmp_path / "a"), thorough=True)
    rows = archived(tmp_path / "a", 'SELECT "offset", gap_end, policy_versions FROM a ORDER BY 1')
    assert rows == [(offset, None, None) for offset in range(4)]


def test_an_archiver_of_the_older_version_that_runs_goes_on_beside_it(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = of_an_older_version(monkeypatch, tmp_path / "a", log)
    newer = Archive(tmp_path / "a")
    assert newer.commit([pending(2, 3, follows=1)]) == {}
    assert older.commit([pending(2, 3, follows=1)]) == {CONTROL: 3}
    assert older.commit([pending(4, 4, follows=3)]) == {}
    assert newer.commit([pending(5, 5, follows=4)]) == {}
    rows = archived(tmp_path / "a", 'SELECT "offset" FROM a ORDER BY 1')
    assert rows == [(offset,) for offset in range(6)]


def test_archivers_that_grow_the_same_table_at_once_add_each_column_once(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_an_older_version(monkeypatch, tmp_path / "a", log)
    handles = [Archive(tmp_path / "a") for _ in range(4)]
    refused: list[Any] = []
    threads = [
        threading.Thread(target=lambda h=handle: refused.append(h.commit([pending(2, 3, follows=1)])))
        for handle in handles
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(refused, key=len) == [{}, *[{CONTROL: 3}] * 3]
    names = Archive(tmp_path / "a").schema.names
    assert len(names) == len({*names})
    assert archived(tmp_path / "a", "SELECT count(*) FROM a") == [(4,)]


def test_a_record_of_a_version_yet_to_come_is_kept_by_its_bytes_and_reads_once_that_version_is_there(
    tmp_path: Path,
) -> None:
    config = run_config()
    stop = threading.Event()
    stop.set()
    with new_log(tmp_path, config) as log:
        (call,) = encode([episode("g", "e1")[2]])
        headers = tuple((name, "99" if name == "schema_version" else value) for name, value in call.headers)
        log.append("t.rollouts", [NewRecord(call.key, headers, call.value)])
        append(log, "t.rollouts", episode("g", "e2"))
        run_archiver(log, config, tmp_path, stop)
        assert verify(log, config, tmp_path).ok
    kept = archived(
        archive_location(tmp_path),
        "SELECT quarantine_key, quarantine_headers, quarantine_value, quarantine_reason FROM a "
        "WHERE kind = 'quarantine'",
    )
    ((key, pairs, value, reason),) = kept
    assert (key, value) == (call.key, call.value)
    assert "schema_version 99" in reason
    known = {pair["name"]: pair["value"] for pair in pairs} | {"schema_version": dict(call.headers)["schema_version"]}
    assert decode(tuple(known.items()), value).events() == decode(call.headers, call.value).events()
    assert archived(archive_location(tmp_path), "SELECT count(*) FROM a WHERE kind = 'episode_finished'") == [(1,)]


def test_any_bytes_in_key_and_value_come_back_from_quarantine_as_they_were(tmp_path: Path) -> None:
    config = run_config()
    stop = threading.Event()
    stop.set()
    values = [b"", b"\x00", bytes(range(256)) * 300, b"\xff\xfe not utf-8", "\ud7ff\U0010ffff".encode()]
    with new_log(tmp_path, config) as log:
        log.append("t.control", [NewRecord(value[:40] or b"k", (("kind", "\U0010ffff"),), value) for value in values])
        run_archiver(log, config, tmp_path, stop)
        tidy_archive(str(archive_location(tmp_path)), thorough=True)
        assert verify(log, config, tmp_path).ok
    rows = archived(
        archive_location(tmp_path),
        'SELECT quarantine_key, quarantine_value FROM a WHERE "offset" < 5 ORDER BY "offset"',
    )
    assert rows == [(value[:40] or b"k", value) for value in values]
