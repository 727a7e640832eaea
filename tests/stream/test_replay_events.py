"""Records copied between logs, and out of the archive, exactly once; the new log answers as the old one did."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.chaos.poison import ruined_row, with_header
from tests.stream.archive_events import append, archive_all, episode, run_config
from tests.stream.roles import WITHIN_S
from trajlog.analytics.query import connect
from trajlog.cli import app
from trajlog.config import RunConfig
from trajlog.errors import ConfigError, RoleBusy
from trajlog.schemas import (
    EpisodeVerdict,
    Event,
    GroupSealed,
    GroupVerdict,
    Member,
    NewRecord,
    Producer,
    decode,
    encode,
)
from trajlog.schemas.codec import checksum
from trajlog.schemas.parts import Joiner, split
from trajlog.schemas.sealing import encode_sealed
from trajlog.stream import replay_events as replay_events_module
from trajlog.stream.archive_compact import tidy_archive
from trajlog.stream.archive_records import RecordedArchive
from trajlog.stream.archiver import archive_location
from trajlog.stream.control import start_run, wait_for_run
from trajlog.stream.log import Log, LogRecord, TopicPartition, partition_of
from trajlog.stream.open import open_log
from trajlog.stream.recorded import Recorded, RecordedLog
from trajlog.stream.replay_events import replay_events
from trajlog.stream.replay_starts import named_offsets
from trajlog.stream.trajectory import Trajectory, facts
from trajlog.stream.verify import verify

PRODUCER = Producer("assembler")
ROOT = Path(__file__).parents[2]
VIEWS = {
    "episodes": "* EXCLUDE (started_at, finished_at, duration_s)",
    "groups": "* EXCLUDE (started_at, judged_at)",
    "verdicts": "* EXCLUDE (append_time)",
    "generations": "* EXCLUDE (append_time)",
    "dead_letters": 'topic, "partition", reason',
}


def sealed(group: str, members: list[list[Event]]) -> tuple[NewRecord, list[Event]]:
    """group_sealed of whole episodes, and their verdicts, as the assembler writes them."""
    chains, entries = [], []
    for index, events in enumerate(members):
        trajectory = Trajectory(str(events[0].episode_id))
        for record in encode(events):
            for _, _, seq, fact in facts(decode(record.headers, record.value)):
                trajectory.add(int(seq or 0), fact)
        chains += [chain.packed(index) for chain in trajectory.chains]
        finish = trajectory.finish
        assert trajectory.complete
        assert finish is not None
        assert finish.reward is not None
        tokens = trajectory.num_generated_tokens
        entries.append(Member(trajectory.episode_id, finish.outcome, finish.reward, tokens, finish.num_turns))
    stamp = {**PRODUCER.stamp("run", group_id=group)}
    event = GroupSealed(
        **stamp,
        task_id="cart",
        sealed_because="full",
        policy_version_min=3,
        policy_version_max=4,
        members=tuple(entries),
        chains=(),
        tokens_sha256="0" * 64,
    )
    (record,) = encode_sealed(event, chains)
    return record, [
        *[
            EpisodeVerdict(
                **PRODUCER.stamp("run", group_id=group, episode_id=entry.episode_id), verdict="sealed", task_id="cart"
            )
            for entry in entries
        ],
        GroupVerdict(
            **PRODUCER.stamp("run", group_id=group),
            verdict="sealed",
            reason="full",
            task_id="cart",
            group_partition=0,
            logical_time=members[0][0].emitted_at,
            offsets={},
            numbers={"finished": 2.0},
        ),
    ]


def fill(log: Log, config: RunConfig, num_groups: int = 3) -> None:
    """A run of whole groups, one of them in parts, undecodable records among them, one group still open."""
    start_run(log, config, PRODUCER)
    for number in range(num_groups):
        group = f"g{number}"
        members = [
            episode(group, f"{group}-e{i}", reward=float(i), num_turns=40 if number == 0 else 2) for i in range(2)
        ]
        parts = 700 if number == 1 else None
        append(log, config.topic("rollouts"), [e for pair in zip(*members, strict=True) for e in pair], parts)
        log.append(config.topic("rollouts"), [NewRecord(f"g{number}".encode(), (("kind", "martian"),), b"\x00\xff")])
        first, verdicts = sealed(group, members)
        log.append(config.topic("groups"), split(first, group, 300) if number == 2 else [first])
        append(log, config.topic("control"), verdicts)
    append(log, config.topic("rollouts"), episode("open", "open-e0", outcome=None))


def archive_proven(log: Log, config: RunConfig, run_dir: Path) -> None:
    archive_all(log, config, run_dir)
    assert verify(log, config, run_dir).ok


def all_records(recorded: Recorded) -> list[LogRecord]:
    return list(recorded.records({tp: span.start for tp, span in recorded.spans().items()}))


def contents(records: list[LogRecord]) -> dict[tuple[str, int], list[tuple[object, ...]]]:
    """Key, headers and value per partition in order, parts joined (these tests make smaller ones than the encoder
    does), without run_started, which names its log."""
    found: dict[tuple[str, int], list[tuple[object, ...]]] = {}
    joiner = Joiner()
    for record in records:
        tp = (record.topic, record.partition)
        value = joiner.add(tp, record.offset, record.append_time, record.headers, record.value)
        if value is not None and record.header("kind") != "run_started":
            headers = tuple((name, text) for name, text in record.headers if "part" not in name)
            found.setdefault(tp, []).append((record.key, headers, value))
    return found


def raw(recorded: Recorded) -> list[tuple[object, ...]]:
    """Every record as it lies there, but the first of `.control`, run_started's."""
    records = [(r.topic, r.partition, r.offset, r.key, r.headers, r.value) for r in all_records(recorded)]
    return sorted(record for record in records if "run_started" not in dict(record[4]).values())


def answers(run_dir: Path, log: Log | None = None) -> dict[str, list[tuple[object, ...]]]:
    with closing(connect(run_dir, log)) as con:
        return {
            view: con.execute(f"SELECT {columns} FROM {view} ORDER BY ALL").fetchall()
            for view, columns in VIEWS.items()
        }


@pytest.fixture
def config() -> RunConfig:
    return run_config()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run_dir = tmp_path_factory.mktemp("made")
    with open_log(f"sqlite:///{run_dir}/log.db", create=True) as log:
        fill(log, run_config())
        archive_proven(log, run_config(), run_dir)
    return run_dir


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    """A run directory with a log and an archive of all of it."""
    return Path(shutil.copytree(made, tmp_path / "old"))


def test_the_archive_gives_the_very_records_that_were_appended(run: Path) -> None:
    with open_log(f"sqlite:///{run}/log.db") as log, RecordedArchive(run) as archive:
        logged = RecordedLog(log, "t")
        assert archive.spans() == logged.spans()
        assert contents(all_records(archive)) == contents(all_records(logged))
        assert archive.left_out == []
    tidy_archive(str(archive_location(run)), thorough=True)
    with open_log(f"sqlite:///{run}/log.db") as log, RecordedArchive(run) as archive:
        assert contents(all_records(archive)) == contents(all_records(RecordedLog(log, "t")))


@pytest.mark.parametrize("source", ["log", "archive"])
def test_a_replayed_run_answers_as_the_old_one_and_can_be_archived_again(
    run: Path, tmp_path: Path, config: RunConfig, source: str
) -> None:
    before = answers(run)
    old = open_log(f"sqlite:///{run}/log.db")
    with old, RecordedArchive(run) as archive, open_log(f"sqlite:///{tmp_path}/new/log.db", create=True) as new:
        recorded: Recorded = archive if source == "archive" else RecordedLog(old, "t")
        done = replay_events(recorded, new)
        assert contents(all_records(RecordedLog(new, "t"))) == contents(all_records(RecordedLog(old, "t")))
        assert sum(done.copied.values()) == done.present == len(all_records(recorded))
        assert done.moved == 0
        if source == "log":
            assert raw(RecordedLog(new, "t")) == raw(recorded)
        assert answers(tmp_path / "nothing", new) == before
        assert wait_for_run(new, timeout_s=0) == config
        archive_proven(new, config, tmp_path / "new")
        assert answers(tmp_path / "new") == before
        again = replay_events(recorded, new)
        assert (sum(again.copied.values()), again.present) == (0, done.present)


def killed(run_dir: Path, url: str, batch: int, point: str, number: int, *words: str) -> None:
    """A process that replays the archive and is killed in its `number`-th transaction.

    The first one only joins; the second says where it begins, when no earlier process did.
    """
    command = [sys.executable, "-W", "ignore", "-m", "tests.stream.replay_process", str(run_dir), url]
    done = subprocess.run([*command, str(batch), point, str(number), *words], cwd=ROOT, timeout=WITHIN_S)
    assert done.returncode == -signal.SIGKILL


def test_killed_around_any_transaction_it_goes_on_and_repeats_nothing(run: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new.db"
    for point, number in (("middle", 4), ("after", 2), ("inside", 2)):
        killed(run, url, 7, point, number)
    with RecordedArchive(run) as archive, open_log(url) as new:
        copied = sum(replay_events(archive, new).copied.values())
        assert copied == len(all_records(archive)) - 2 * 7
        assert contents(all_records(RecordedLog(new, "t"))) == contents(all_records(archive))


@pytest.mark.parametrize(("point", "number"), [("after", 2), ("after", 3)])
@pytest.mark.parametrize("words", ["2999-01-01", "1000000"])
def test_a_start_that_has_moved_since_the_kill_is_where_it_was(
    run: Path, tmp_path: Path, config: RunConfig, words: str, point: str, number: int
) -> None:
    """Words that reach behind all there is mean the end: for the replay that was killed, the end as it was then."""
    url = f"sqlite:///{tmp_path}/new.db"
    killed(run, url, 7, point, number, words)
    with open_log(f"sqlite:///{run}/log.db") as log:
        append(log, config.topic("rollouts"), episode("g7", "late"))
        archive_proven(log, config, run)
    with RecordedArchive(run) as archive, open_log(url) as new:
        done = replay_events(archive, new, [words])
        assert done.copied == {"t.rollouts": 8, "t.groups": 0, "t.control": int(number == 2)}
        assert done.present == 1 + 8  # run_started and the late episode
        assert replay_events(archive, new, [words]).present == 9
        with pytest.raises(ConfigError, match=f"the replay of {archive.name} --from {words}. Name a fresh log"):
            replay_events(archive, new)


def test_retention_that_moves_the_beginning_of_the_source_does_not_end_a_replay(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay_events_module, "BATCH_RECORDS", 20)
    with open_log(f"sqlite:///{run}/log.db") as old, open_log(f"sqlite:///{tmp_path}/new.db", create=True) as new:

        def ended(done: int, total: int) -> None:
            raise InterruptedError

        with pytest.raises(InterruptedError):
            replay_events(RecordedLog(old, "t"), new, on_progress=ended)
        num_old = len(all_records(RecordedLog(old, "t")))
        for tp, end in new.end_offsets("t.rollouts").items():
            old.truncate(*tp, end)
        assert replay_events(RecordedLog(old, "t"), new).present == num_old


def test_what_came_after_a_replay_is_all_that_the_next_one_copies(run: Path, tmp_path: Path, config: RunConfig) -> None:
    with open_log(f"sqlite:///{run}/log.db") as old, open_log(f"sqlite:///{tmp_path}/new.db", create=True) as new:
        replay_events(RecordedLog(old, "t"), new)
        append(old, config.topic("rollouts"), episode("g7", "late"))
        done = replay_events(RecordedLog(old, "t"), new)
        assert done.copied == {"t.rollouts": 8, "t.groups": 0, "t.control": 0}


def test_a_destination_with_anything_else_in_it_is_refused(run: Path, tmp_path: Path, config: RunConfig) -> None:
    with open_log(f"sqlite:///{run}/log.db") as old, open_log(f"sqlite:///{tmp_path}/new.db", create=True) as new:
        recorded = RecordedLog(old, "t")
        with pytest.raises(ConfigError, match=r"t\.rollouts-\d has records that this replay did not write"):
            replay_events(recorded, old)
        replay_events(recorded, new)
        append(new, config.topic("control"), [])
        append(new, config.topic("rollouts"), episode("g", "foreign"))
        with pytest.raises(ConfigError, match=r"it holds \d+ records, this replay wrote \d+"):
            replay_events(recorded, new)
        with pytest.raises(ConfigError, match=f"did not write; there is the replay of the log {old.url}. Name"):
            replay_events(recorded, new, ["1"])


def test_an_embedded_log_of_another_run_is_refused_and_left_alone(run: Path, tmp_path: Path) -> None:
    """A second run in it would make every command on the first one ask which is meant."""
    with open_log(f"sqlite:///{run}/log.db") as old, open_log(f"sqlite:///{tmp_path}/new.db", create=True) as new:
        new.create_topics(run_config("other").topics())
        with pytest.raises(ConfigError, match=r"the log of another run \(it has the topic other\.control\)"):
            replay_events(RecordedLog(old, "t"), new)
        assert new.topics() == run_config("other").topics()


def test_a_prefix_that_the_archive_does_not_have_is_refused(run: Path, tmp_path: Path) -> None:
    line = ["replay", "events", "--archive", "--run-dir", str(run), "--to", f"sqlite:///{tmp_path}/new.db"]
    assert CliRunner().invoke(app, [*line, "--prefix", "t"]).exit_code == 0
    refused = CliRunner().invoke(app, [*line, "--prefix", "z"])
    assert isinstance(refused.exception, ConfigError)
    assert str(refused.exception) == f"the archive {archive_location(run)} holds no run with prefix z"


def test_a_replay_goes_on_that_ended_after_a_record_went_to_another_partition(
    tmp_path: Path, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the partition that it went to was copied by then."""
    with open_log(f"sqlite:///{tmp_path}/old.db", create=True) as old, monkeypatch.context() as patched:
        start_run(old, config, PRODUCER)
        key = next(key for key in (b"a", b"b", b"c", b"d") if partition_of(key, 2) == 0)
        patched.setattr("trajlog.stream.sqlite.partition_of", lambda key, num_partitions: num_partitions - 1)
        old.append(config.topic("rollouts"), [NewRecord(key, (("kind", "martian"),), b"?")])
    monkeypatch.setattr(replay_events_module, "BATCH_RECORDS", 1)
    with open_log(f"sqlite:///{tmp_path}/old.db") as old, open_log(f"sqlite:///{tmp_path}/new.db", create=True) as new:
        append(old, config.topic("rollouts"), episode("g0", "e0") + episode("g1", "e1"))
        recorded = RecordedLog(old, "t")

        def ended(done: int, total: int) -> None:
            if any(new.end_offsets(config.topic("rollouts")).values()):
                raise InterruptedError

        with pytest.raises(InterruptedError):
            replay_events(recorded, new, on_progress=ended)
        done = replay_events(recorded, new)
        assert done.present == len(all_records(recorded))


def test_two_replays_into_one_log_at_once_are_refused(run: Path, tmp_path: Path) -> None:
    with open_log(f"sqlite:///{run}/log.db") as old, open_log(f"sqlite:///{tmp_path}/new.db", create=True) as new:
        recorded = RecordedLog(old, "t")

        def second(done: int, total: int) -> None:
            with open_log(new.url) as same, pytest.raises(RoleBusy):
                replay_events(recorded, same)

        replay_events(recorded, new, on_progress=second)


def test_from_a_time_or_an_offset_on_with_the_run_started_record_besides(run: Path, tmp_path: Path) -> None:
    old = open_log(f"sqlite:///{run}/log.db")
    with old, RecordedArchive(run) as archive:
        logged = RecordedLog(old, "t")
        middle = next(r.append_time for r in all_records(logged) if (r.topic, r.key) == ("t.rollouts", b"g2"))
        starts = logged.offsets_at(middle)
        assert archive.offsets_at(middle) == starts
        assert archive.offsets_at(middle + timedelta(days=1)) == {tp: s.stop for tp, s in logged.spans().items()}
        kept = [r for r in all_records(logged) if r.append_time >= middle]
        for number, recorded in enumerate((logged, archive)):
            with open_log(f"sqlite:///{tmp_path}/new{number}.db", create=True) as new:
                done = replay_events(recorded, new, [middle.isoformat()])
                assert done.present == sum(done.copied.values()) == (20 if recorded is archive else len(kept) + 1)
                found = all_records(RecordedLog(new, "t"))
                assert contents(found) == contents(kept)
                control = [r for r in found if r.topic == "t.control"]
                assert control[0].header("kind") == "run_started"
                assert wait_for_run(new, timeout_s=0) == run_config()


def test_offsets_are_named_per_partition_or_for_all(run: Path) -> None:
    spans = {TopicPartition("t.control", 0): range(2, 9), TopicPartition("t.groups", 0): range(0, 4)}
    assert named_offsets([], spans) == {tp: span.start for tp, span in spans.items()}
    assert list((named_offsets(["7"], spans) or {}).values()) == [7, 4]
    assert list((named_offsets(["t.control-0=5"], spans) or {}).values()) == [5, 0]
    assert named_offsets(["2026-11-30T12:00:00"], spans) is None
    with pytest.raises(ConfigError, match=r"there is no partition t\.contorl-0"):
        named_offsets(["t.contorl-0=5"], spans)


def seal_broken(log: Log, config: RunConfig, group: str) -> None:
    """A sealed group of which the log lacks a generation."""
    members = [episode(group, f"{group}-e{i}", reward=float(i)) for i in range(2)]
    append(log, config.topic("rollouts"), [e for e in members[1] if e.seq != 1] + members[0])
    log.append(config.topic("groups"), [sealed(group, members)[0]])


def test_a_group_whose_generations_are_not_archived_is_left_out_and_named_also_after_a_kill(
    run: Path, tmp_path: Path, config: RunConfig
) -> None:
    url = f"sqlite:///{tmp_path}/new.db"
    with open_log(f"sqlite:///{run}/log.db") as log:
        seal_broken(log, config, "gx")
        append(log, config.topic("rollouts"), episode("g7", "e7"))
        archive_proven(log, config, run)
        with RecordedArchive(run) as archive:
            killed(run, url, len(all_records(archive)) - 1, "after", 3)
        seal_broken(log, config, "gy")
        archive_proven(log, config, run)
    command = [sys.executable, "-m", "trajlog", "replay", "events", "--archive", "--run-dir", str(run), "--to", url]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S)
        assert done.returncode == 1, done.stderr
        told = [line for line in done.stdout.splitlines() if line.startswith("left out: ")]
        for line, group in zip(told, ("gx", "gy"), strict=True):
            assert line.startswith(f"left out: group {group}, t.groups-")
            assert line.endswith(f"episode {group}-e1: turn 1 does not continue chain 0: events are missing")
    with open_log(url) as new, RecordedArchive(run) as archive:
        assert contents(all_records(RecordedLog(new, "t"))) == contents(all_records(archive))


def test_a_record_whose_rows_are_no_events_is_left_out_of_a_replay_and_named(
    run: Path, tmp_path: Path, config: RunConfig
) -> None:
    """Its checksum made the archiver take it."""
    bad = ruined_row(episode("gy", "gy-e0")[1], {"chain": -1})
    crc = checksum(bad.headers, bad.value)
    with open_log(f"sqlite:///{run}/log.db") as log:
        append(log, config.topic("rollouts"), episode("gy", "gy-e1"))
        log.append(config.topic("rollouts"), [with_header(bad, "crc32", crc)])
        append(log, config.topic("rollouts"), episode("gy", "gy-e2"))
        archive_proven(log, config, run)
        with RecordedArchive(run) as archive, open_log(f"sqlite:///{tmp_path}/new.db", create=True) as new:
            (left_out,) = replay_events(archive, new).left_out
            assert (left_out.group_id, "chain" in left_out.why) == ("gy", True)
            expected = contents(all_records(RecordedLog(log, "t")))
            expected = {tp: [record for record in found if record[2] != bad.value] for tp, found in expected.items()}
            assert contents(all_records(RecordedLog(new, "t"))) == expected


@pytest.mark.kafka
@pytest.mark.slow
def test_an_archive_replayed_into_real_kafka_answers_the_same(kafka_broker, kafka_prefix: str, tmp_path: Path) -> None:
    """From an archive to Kafka, killed with a transaction open, then archived again; and from Kafka to SQLite."""
    config = run_config(kafka_prefix)
    run_dir = tmp_path / "old"
    with open_log(f"sqlite:///{run_dir}/log.db", create=True) as log:
        fill(log, config)
        archive_proven(log, config, run_dir)
    before = answers(run_dir)
    killed(run_dir, kafka_broker.url, 20, "middle", 4)
    with open_log(kafka_broker.url) as new, RecordedArchive(run_dir) as archive:
        done = replay_events(archive, new)
        assert done.present == len(all_records(archive)) == sum(done.copied.values()) + 20
        assert contents(all_records(RecordedLog(new, kafka_prefix))) == contents(all_records(archive))
        archive_proven(new, config, tmp_path / "new")
        assert answers(tmp_path / "new") == before
        recorded = RecordedLog(new, kafka_prefix)
        with open_log(f"sqlite:///{tmp_path}/back.db", create=True) as back:
            replay_events(recorded, back)
            assert contents(all_records(RecordedLog(back, kafka_prefix))) == contents(all_records(archive))
        with pytest.raises(ConfigError, match="did not write"):
            replay_events(archive, new, ["1"])
