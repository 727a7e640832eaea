"""What only the SQLite log has: the member's lock row, a full disk, and a file that can be wrong or go away."""

import os
import resource
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import psutil
import pytest

from tests.stream.conformance.reading import number_of, numbered, poll_until, read_all
from tests.stream.conformance.spawned import spawned
from tests.stream.roles import WITHIN_S
from trajlog.errors import ConfigError, LogError, LogFull, LogIdentityMismatch, LogUnavailable, RoleBusy
from trajlog.stream import sqlite_file, sqlite_reader
from trajlog.stream.log import TopicPartition
from trajlog.stream.open import open_log
from trajlog.stream.sqlite import SqliteLog

TP = TopicPartition("events", 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


@pytest.fixture
def log(url: str, path: Path) -> Iterator[SqliteLog]:
    with SqliteLog(url, path, create=True) as log:
        log.create_topics({"events": 1})
        yield log


def alter_member(path: Path, **columns: object) -> None:
    """Make the lock row of group "g" say something else."""
    with closing(sqlite3.connect(path)) as connection, connection:
        assignments = ", ".join(f"{name} = ?" for name in columns)
        connection.execute(f"UPDATE members SET {assignments} WHERE consumer_group = 'g'", tuple(columns.values()))


def test_a_second_member_is_refused_while_the_first_lives(log: SqliteLog, url: str) -> None:
    with log.group_reader(["events"], "g"):
        with pytest.raises(RoleBusy, match="group g already has a live member: pid"):
            log.group_reader(["events"], "g")
        log.group_reader(["events"], "another").close()
    log.group_reader(["events"], "g").close()


def test_a_killed_member_is_replaced_at_once_and_a_stopped_one_is_not(log: SqliteLog, url: str) -> None:
    with spawned(url, "hold", "events", "g") as holder:
        holder.wait_for("assigned 0")
        with pytest.raises(RoleBusy, match=f"pid {holder.process.pid} on {socket.gethostname()}"):
            log.group_reader(["events"], "g")
        holder.process.send_signal(signal.SIGSTOP)
        with pytest.raises(RoleBusy):
            log.group_reader(["events"], "g")
        holder.kill()
        log.group_reader(["events"], "g").close()


@pytest.mark.parametrize(
    ("columns", "busy"),
    [
        ({"host": "elsewhere"}, True),
        ({"host": "elsewhere", "pid": 1}, True),
        ({"host": "elsewhere", "heartbeat_us": 0}, False),
        ({"heartbeat_us": 0}, False),
        ({"pid_started_s": 1.0}, False),
        ({"pid": 2**22 + 1}, False),
        ({"host": None}, False),
    ],
)
def test_when_a_member_counts_as_dead(log: SqliteLog, path: Path, columns: dict[str, object], busy: bool) -> None:
    with log.group_reader(["events"], "g"):
        alter_member(path, **columns)
        if busy:
            with pytest.raises(RoleBusy):
                log.group_reader(["events"], "g")
        else:
            log.group_reader(["events"], "g").close()


def test_a_zombie_of_an_older_epoch_is_refused_everywhere(log: SqliteLog, path: Path) -> None:
    def transact() -> None:
        with log.transaction(zombie) as transaction:
            transaction.append("events", [numbered("a", 1)])
            transaction.commit_offsets("g", {TP: 5})

    with log.group_reader(["events"], "g") as zombie:
        zombie.poll(0)
        alter_member(path, heartbeat_us=0)
        with log.group_reader(["events"], "g") as heir:
            assert heir.epoch == zombie.epoch + 1
            with pytest.raises(LogError, match=r"epoch 1\) was replaced by a newer one \(epoch 2"):
                transact()
            with pytest.raises(LogError, match="was replaced"):
                zombie.commit({TP: 5})
            log.append("events", [numbered("a", 2)])
            with pytest.raises(LogError, match="was replaced"):
                zombie.poll(0)
            zombie.close()
            with pytest.raises(RoleBusy):  # the zombie's leaving does not free the heir's place
                log.group_reader(["events"], "g")
            assert log.committed("g", ["events"]) == {}
            assert [number_of(record) for record in heir.poll(1.0)] == [2]


def test_offsets_without_a_reader_are_refused_while_a_member_lives(log: SqliteLog) -> None:
    def transact() -> None:
        with log.transaction() as transaction:
            transaction.append("events", [numbered("a", 1)])
            transaction.commit_offsets("g", {TP: 1})

    with log.group_reader(["events"], "g"), pytest.raises(LogError, match="group g has a live member"):
        transact()
    assert log.end_offsets("events") == {TP: 0}


def test_the_heartbeat_renews_the_lease(log: SqliteLog, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_reader, "HEARTBEAT_S", 0.02)
    with log.group_reader(["events"], "g"), closing(sqlite3.connect(path)) as connection:
        alter_member(path, heartbeat_us=1)
        deadline = time.monotonic() + 10
        while connection.execute("SELECT heartbeat_us FROM members").fetchone()[0] == 1:
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_a_full_disk_refuses_the_batch_whole_and_the_log_goes_on(log: SqliteLog) -> None:
    log.append("events", [numbered("a", 0, size=4096)])
    with log.read() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 30}")
    with pytest.raises(LogFull, match=r"no space to append to .*log.db .*nothing of the batch was written"):
        log.append("events", [numbered("a", n, size=4096) for n in range(1, 100)])
    assert log.end_offsets("events") == {TP: 1}
    log.append("events", [numbered("a", 1, size=4096)])
    with log.read() as connection:
        connection.execute("PRAGMA max_page_count = 1000000")
    log.append("events", [numbered("a", n, size=4096) for n in range(2, 100)])
    assert [number_of(record) for record in read_all(log, "events")] == list(range(100))


_FILL = """
import resource, sys
from trajlog.errors import LogFull
from trajlog.schemas.record import NewRecord
from trajlog.stream.open import open_log

with open_log(sys.argv[1]) as log:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
    try:
        for number in range(1000):
            log.append("events", [NewRecord(b"a", (), str(number).encode().ljust(4096, b".")) for _ in range(20)])
            print(number, flush=True)
    except LogFull as error:
        sys.exit(f"LogFull: {error}")
"""


def test_a_file_that_may_not_grow_is_a_full_log_and_acknowledged_batches_stay(log: SqliteLog, url: str) -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    run = subprocess.run(
        [sys.executable, "-c", _FILL, url], capture_output=True, text=True, timeout=WITHIN_S, check=False
    )
    assert run.returncode == 1
    assert "LogFull: no space" in run.stderr
    acknowledged = len(run.stdout.split())
    assert acknowledged > 0
    records = read_all(log, "events")
    assert [number_of(record) for record in records] == [n for n in range(acknowledged) for _ in range(20)]
    log.append("events", [numbered("a", 1)])


@pytest.mark.parametrize("replace", [False, True])
def test_a_log_that_was_deleted_or_replaced_takes_nothing_more(log: SqliteLog, path: Path, replace: bool) -> None:
    with log.reader(["events"], "beginning") as reader:
        path.unlink()
        if replace:
            path.write_bytes(b"")
        with pytest.raises(LogIdentityMismatch, match="was deleted or replaced while in use"):
            log.append("events", [numbered("a", 1)])
        with pytest.raises(LogIdentityMismatch, match="was deleted or replaced while in use"):
            reader.poll(0)


def test_a_path_without_a_log_is_refused_with_what_to_do(path: Path, url: str) -> None:
    with pytest.raises(ConfigError, match=r"there is no log at .* Start a run"):
        open_log(url)
    path.write_bytes(b"not a database, but long enough to be looked at" * 10)
    with pytest.raises(ConfigError, match="is not a SQLite log"):
        open_log(url, create=True)
    path.unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE other (x)")
    with pytest.raises(ConfigError, match="not a trajlog log"):
        open_log(url, create=True)
    path.unlink()
    open_log(url, create=True).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(ConfigError, match="format 99"):
        open_log(url)
    with pytest.raises(LogUnavailable, match="cannot be used"):
        open_log(f"sqlite:///{path}/below-a-file/log.db", create=True)


@pytest.mark.parametrize(
    "url",
    ["", "log.db", "sqlite://", "sqlite:///", "sqlite://log.db", "redis://x", "kafka://", "kafka://a,", "kafka://a/b"],
)
def test_a_wrong_url_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="not a log URL"):
        open_log(url, create=True)


def test_a_url_with_three_slashes_is_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_log("sqlite:///runs/demo/log.db", create=True) as log:
        identity = log.identity
    with open_log(f"sqlite:///{tmp_path}/runs/demo/log.db") as log:
        assert log.identity == identity
    assert sorted(file.name for file in (tmp_path / "runs/demo").iterdir()) == ["log.db"]


def test_openers_that_race_make_one_log(url: str) -> None:
    identities: list[str] = []
    gate = threading.Barrier(8)

    def make() -> None:
        gate.wait()
        with open_log(url, create=True) as log:
            log.create_topics({"events": 2})
            identities.append(log.identity)

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(identities) == 8
    assert len(set(identities)) == 1


def test_threads_of_one_process_append_at_once(log: SqliteLog) -> None:
    threads = [
        threading.Thread(target=lambda key=key: [log.append("events", [numbered(key, n)]) for n in range(40)])
        for key in ("a", "b", "c", "d")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    records = read_all(log, "events")
    assert [record.offset for record in records] == list(range(160))
    for key in (b"a", b"b", b"c", b"d"):
        assert [number_of(record) for record in records if record.key == key] == list(range(40))


def test_a_write_lock_held_for_too_long_is_named(
    url: str, path: Path, log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_TIMEOUT_S", 0.1)
    with open_log(url) as hasty, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LogUnavailable, match="another process held the write lock"):
            hasty.append("events", [numbered("a", 1)])
        assert read_all(hasty, "events") == []  # readers are not blocked
        other.execute("COMMIT")
        hasty.append("events", [numbered("a", 1)])


def test_a_waiting_reader_costs_almost_nothing(log: SqliteLog) -> None:
    with log.reader(["events"], "beginning") as reader:
        started = time.thread_time()
        assert reader.poll(1.0) == []
        assert time.thread_time() - started < 0.1


def test_a_poll_is_bounded_in_bytes(log: SqliteLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_reader, "MAX_POLL_BYTES", 10_000)
    log.append("events", [numbered("a", n, size=4096) for n in range(7)])
    with log.reader(["events"], "beginning") as reader:
        assert [len(reader.poll(1.0)) for _ in range(3)] == [3, 3, 1]


def test_a_busy_partition_does_not_starve_another(log: SqliteLog) -> None:
    log.create_topics({"busy": 1})
    log.append("busy", [numbered("a", n) for n in range(1000)])
    log.append("events", [numbered("a", n) for n in range(10)])
    with log.reader(["busy", "events"], "beginning") as reader:
        records = reader.poll(1.0, max_records=10) + reader.poll(1.0, max_records=10)
    assert {record.topic for record in records} == {"busy", "events"}


def test_a_wall_clock_that_is_set_moves_no_append_time_and_no_members_lease(
    log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append("events", [numbered("a", 0)])
    now_ns, hours_ns, booted_s = time.time_ns(), 5 * 3600 * 10**9, psutil.boot_time()
    with log.group_reader(["events"], "g"):
        for jump in (0, hours_ns, -hours_ns):
            with monkeypatch.context() as patch:
                patch.setattr(time, "time_ns", lambda jump=jump: now_ns + jump)
                patch.setattr(time, "time", lambda jump=jump: (now_ns + jump) / 1e9)
                patch.setattr(psutil._psplatform, "boot_time", lambda jump=jump: booted_s + jump / 1e9)
                log.append("events", [numbered("a", 1)])
                with pytest.raises(RoleBusy, match=r"last seen \d s ago"):
                    log.group_reader(["events"], "g")
    times = [record.append_time for record in read_all(log, "events")]
    assert times == sorted(times)
    assert times[-1] - times[0] < timedelta(minutes=1)


def test_a_log_made_before_it_had_a_clock_of_its_own_goes_on_without_a_fall(
    log: SqliteLog, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append("events", [numbered("a", 0)])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE boots")
    with monkeypatch.context() as patch:
        patch.setattr(time, "time_ns", lambda: 0)
        log.append("events", [numbered("a", 1)])
    first, second = read_all(log, "events")
    assert timedelta() <= second.append_time - first.append_time < timedelta(minutes=1)


def test_the_place_of_a_member_that_left_is_free_for_the_next(log: SqliteLog) -> None:
    log.append("events", [numbered("a", n) for n in range(3)])
    with log.group_reader(["events"], "g") as first:
        poll_until(first, 3)
        first.commit({TP: 2})
    with log.group_reader(["events"], "g") as second:
        assert second.epoch == first.epoch + 1
        assert [number_of(record) for record in second.poll(1.0)] == [2]


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_log_and_the_folder_made_for_it_are_for_their_owner_alone_whatever_the_umask(
    tmp_path: Path, umask: int
) -> None:
    folder = tmp_path / "runs" / "demo"
    before = os.umask(umask)
    try:
        with open_log(f"sqlite:///{folder}/log.db", create=True) as log:
            log.create_topics({"events": 1})
            log.append("events", [numbered("a", 1)])
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    finally:
        os.umask(before)
    assert modes == {"log.db": 0o600, "log.db-wal": 0o600, "log.db-shm": 0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700


def test_a_folder_and_a_log_that_their_owner_opened_to_others_stay_open(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o770)
    url = f"sqlite:///{folder}/log.db"
    open_log(url, create=True).close()
    (folder / "log.db").chmod(0o660)
    with open_log(url, create=True) as log:
        log.create_topics({"events": 1})
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert set(modes.values()) == {0o660}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o770
