"""The assembler as a process over a real log: both engines, several members, kill -9 between durable steps."""

import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from tests.stream.roles import WITHIN_S, events_of, role_process, role_thread, until, verdicts
from tests.stream.stream_events import RUN, episode
from trajlog.config import AssemblerConfig, GroupConfig, LogConfig, RunConfig
from trajlog.errors import MemberReplaced, RoleBusy
from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeVerdict,
    Event,
    GroupSealed,
    GroupVerdict,
    PolicyPublished,
    Producer,
    SchedulerStarted,
    chains_digest,
    encode,
)
from trajlog.stream.assembler import _Assembler, _oldest, run_assembler
from trajlog.stream.assembly import Ledger
from trajlog.stream.control import start_run
from trajlog.stream.log import Log, LogRecord, TopicPartition, partition_of
from trajlog.stream.open import open_log
from trajlog.stream.sqlite_reader import SqliteGroupReader
from trajlog.stream.trajectory import TRAJECTORY_BYTES

KILLED = -9


def started(log: Log, prefix: str, **group: float) -> RunConfig:
    settings = {"group_size": 3, "min_group_size": 2, "seal_timeout_s": 600, **group}
    config = RunConfig(run_id=RUN, log=LogConfig(prefix=prefix, num_partitions=2), group=GroupConfig(**settings))
    return start_run(log, config, Producer("test"))


def append_group(log: Log, config: RunConfig, group: str, members: int = 4) -> None:
    """Episodes of one group, interleaved event by event; one more than is needed."""
    episodes = [episode(group, f"{group}-e{i}", reward=float(i)) for i in range(members)]
    log.append(config.topic("rollouts"), encode([event for step in zip(*episodes, strict=True) for event in step]))


def assembling(log: Log, config: RunConfig):
    return role_thread(log.url, lambda own, stop: run_assembler(own, config, stop))


def test_groups_are_sealed_with_their_verdicts_and_the_offset(log: Log, kafka_prefix: str) -> None:
    config = started(log, kafka_prefix)
    for number in range(4):
        append_group(log, config, f"g{number}")
    with assembling(log, config):
        until(lambda: len(verdicts(log, config)[1]) == 4)
    episodes, groups, sealed = verdicts(log, config)
    assert set(groups.values()) == set(sealed.values()) == {1}
    assert (len(episodes), set(episodes.values())) == (16, {1})
    record = next(e for e in events_of(log, config.topic("groups")) if e.group_id == "g0")
    assert isinstance(record, GroupSealed)
    assert [m.episode_id for m in record.members] == ["g0-e0", "g0-e1", "g0-e2"]
    assert [m.reward for m in record.members] == [0.0, 1.0, 2.0]
    assert [(c.member, len(c.token_ids), sum(c.loss_mask)) for c in record.chains] == [(i, 5, 2) for i in range(3)]
    assert record.tokens_sha256 == chains_digest(record.chains)
    verdict = next(e for e in events_of(log, config.topic("control"), "group_verdict") if e.group_id == "g0")
    assert isinstance(verdict, GroupVerdict)
    assert (verdict.verdict, verdict.reason) == ("sealed", "full")
    assert (verdict.numbers["members"], verdict.numbers["reward_mean"]) == (3.0, 1.0)
    rollouts = f"{config.topic('rollouts')}-{verdict.group_partition}"
    ends = {f"{tp.topic}-{tp.partition}": end for tp, end in log.end_offsets(config.topic("rollouts")).items()}
    assert 0 < verdict.offsets[rollouts] <= ends[rollouts]
    committed = log.committed(f"{kafka_prefix}.assembler", [config.topic("rollouts")])
    assert committed == log.end_offsets(config.topic("rollouts"))


def test_a_partial_group_is_sealed_after_the_timeout_in_real_time(log: Log, kafka_prefix: str) -> None:
    config = started(log, kafka_prefix, seal_timeout_s=0.5)
    with assembling(log, config):
        append_group(log, config, "g", members=2)
        until(lambda: verdicts(log, config)[1])
    (verdict,) = events_of(log, config.topic("control"), "group_verdict")
    assert isinstance(verdict, GroupVerdict)
    assert (verdict.verdict, verdict.reason, verdict.numbers["members"]) == ("sealed", "timeout", 2.0)


def test_a_group_begun_before_a_restart_is_sealed_after_it(log: Log, kafka_prefix: str) -> None:
    config = started(log, kafka_prefix)
    halves = [episode("g", f"e{i}", reward=float(i)) for i in range(3)]
    log.append(config.topic("rollouts"), encode([e for one in halves for e in one[:2]]))
    with assembling(log, config):
        append_group(log, config, "other")
        until(lambda: verdicts(log, config)[1]["other"])
    log.append(config.topic("rollouts"), encode([e for one in halves for e in one[2:]]))
    with assembling(log, config):
        until(lambda: verdicts(log, config)[1]["g"])
    assert verdicts(log, config)[1] == {"other": 1, "g": 1}


@pytest.mark.parametrize("point", ["before", "inside", "middle", "after"])
def test_killed_around_its_transaction_it_judges_each_once(point: str, tmp_path: Path) -> None:
    """The first process dies at its first verdicts, with a third group half read; another finishes the work. The
    transaction before is the one that it makes at its assignment."""
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as log:
        config = started(log, "p")
        append_group(log, config, "g0")
        append_group(log, config, "g1")
        left_open = episode("g9", "late-bird")
        log.append(config.topic("rollouts"), encode(left_open[:2]))
        with role_process("assembler", log.url, point, "2", prefix="p") as process:
            assert process.wait(WITHIN_S) == KILLED
        survived = verdicts(log, config)
        assert all(set(counts.values()) <= {1} for counts in survived)
        assert set(survived[1]) == set(survived[2])  # a group record is there exactly with its verdict
        assert bool(survived[1]) == (point == "after")
        append_group(log, config, "g2")
        log.append(config.topic("rollouts"), encode(left_open[2:]))
        with assembling(log, config):
            until(lambda: len(verdicts(log, config)[1]) == 3)
        episodes, groups, sealed = verdicts(log, config)
        assert groups == sealed == {"g0": 1, "g1": 1, "g2": 1}
        assert episodes == {f"g{g}-e{e}": 1 for g in range(3) for e in range(4)}


def test_over_its_byte_budget_it_reads_one_partition_at_a_time_and_seals_all(tmp_path: Path) -> None:
    """Groups that overlap on both partitions, a budget of two episodes: each group alone is over it."""
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as log:
        config = msgspec.structs.replace(
            started(log, "p"), assembler=AssemblerConfig(memory_bytes=2 * TRAJECTORY_BYTES), run_id=RUN
        )
        for first in range(0, 16, 4):
            episodes = [episode(f"g{n}", f"g{n}-e{i}", reward=i) for i in range(3) for n in range(first, first + 4)]
            log.append(config.topic("rollouts"), encode([e for step in zip(*episodes, strict=True) for e in step]))
        held: list[tuple[int, int]] = []
        with read_in_steps(_Assembler, held), assembling(log, config):
            until(lambda: len(verdicts(log, config)[1]) == 16)
        episodes, groups, sealed = verdicts(log, config)
    assert groups == sealed == {f"g{n}": 1 for n in range(16)}
    assert (len(episodes), set(episodes.values())) == (48, {1})
    assert max(count for count, _ in held) == 1, "above the budget one partition is read"
    assert max(num_bytes for _, num_bytes in held) < 9 * 2 * TRAJECTORY_BYTES


@contextmanager
def read_in_steps(kind: type[_Assembler], held: list[tuple[int, int]]) -> Iterator[None]:
    """Assemblers that read five records a poll and note, above their budget, how many partitions with unread records
    they go on with and what they hold."""
    poll, hold = SqliteGroupReader.poll, kind._hold_budget

    def poll_five(self: SqliteGroupReader, timeout_s: float) -> list[LogRecord]:
        return poll(self, timeout_s, max_records=5)

    def hold_budget(self: _Assembler) -> None:
        hold(self)
        num_bytes = sum(assembly.num_bytes for assembly, _ in self._partitions.values())
        ends = self._log.end_offsets(self._rollouts)
        unread = {tp for tp in self._partitions if self._reader.position(tp) < ends[tp]}
        if num_bytes > self._config.assembler.memory_bytes and unread:
            held.append((len(unread - self._paused), num_bytes))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SqliteGroupReader, "poll", poll_five)
        patch.setattr(kind, "_hold_budget", hold_budget)
        yield


def test_it_commits_how_far_a_restart_need_not_read_where_there_is_nothing_to_judge(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("trajlog.stream.assembler.TIDY_S", 0.0)
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as log:
        config = started(log, "p")
        append_group(log, config, "g0")
        with assembling(log, config):
            until(lambda: verdicts(log, config)[1]["g0"])
            log.append(config.topic("rollouts"), encode(episode("g0", "g0-e0", reward=0.0)))  # again: nothing to judge
            ends = {tp: end for tp, end in log.end_offsets(config.topic("rollouts")).items() if end}
            until(lambda: ends.items() <= log.committed("p.assembler", [config.topic("rollouts")]).items())


def test_a_restart_reads_control_from_where_verdicts_can_still_matter(tmp_path: Path, monkeypatch) -> None:
    """Groups live for a second at most here, so verdicts matter for two: what was judged before is not read again."""
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as log:
        config = started(log, "p", seal_timeout_s=1.0, open_limit_s=1.0)
        append_group(log, config, "old")
        with assembling(log, config):
            until(lambda: verdicts(log, config)[1]["old"])
        time.sleep(2.1)  # append times are the log's clock
        learned: Counter = Counter()
        learn = Ledger.learn

        def counting(self: Ledger, event: Event, append_time: datetime | None = None) -> None:
            learned[event.group_id] += 1
            learn(self, event, append_time)

        monkeypatch.setattr(Ledger, "learn", counting)
        append_published(log, config, 4)
        append_group(log, config, "new")
        with assembling(log, config):
            until(lambda: verdicts(log, config)[1]["new"])
        assert verdicts(log, config)[1] == verdicts(log, config)[2] == {"old": 1, "new": 1}
        assert "old" not in learned
        assert learned["new"] > 0
        (sealed,) = [e for e in events_of(log, config.topic("control"), "group_verdict") if e.group_id == "new"]
        assert isinstance(sealed, GroupVerdict)
        assert sealed.numbers["policy_version"] == 4.0


def test_a_transaction_that_the_broker_gave_up_is_made_again_though_the_partitions_stay(tmp_path, monkeypatch) -> None:
    commit, refused = _Assembler._commit, []

    def refuse_once(self, tp, decisions) -> None:
        if not refused:
            refused.append(tp)
            raise MemberReplaced("the transaction took too long")
        commit(self, tp, decisions)

    monkeypatch.setattr(_Assembler, "_commit", refuse_once)
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as log:
        config = started(log, "p")
        append_group(log, config, "g0")
        with assembling(log, config):
            until(lambda: verdicts(log, config)[1]["g0"])
        assert refused
        assert verdicts(log, config)[1] == verdicts(log, config)[2] == {"g0": 1}


def test_a_member_without_its_partitions_waits_until_it_has_joined_again(tmp_path: Path, monkeypatch) -> None:
    """As on Kafka after a pause longer than the session: polls return nothing, and nothing is assigned, until every
    other member has joined as well."""
    poll, to_lose = SqliteGroupReader.poll, []

    def losing(self, timeout_s: float, max_records: int = 1000) -> list[LogRecord]:
        if to_lose:
            to_lose.pop()
            self._positions = {}
            time.sleep(0.1)
            return []
        return poll(self, timeout_s, max_records)

    monkeypatch.setattr(SqliteGroupReader, "poll", losing)
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as log:
        config = started(log, "p")
        append_group(log, config, "g0")
        with assembling(log, config):
            until(lambda: verdicts(log, config)[1]["g0"])
            to_lose.extend(range(10))
            until(lambda: not to_lose)
            append_group(log, config, "g1")
            until(lambda: verdicts(log, config)[1]["g1"])
        assert verdicts(log, config)[1] == verdicts(log, config)[2] == {"g0": 1, "g1": 1}


def test_the_oldest_record_is_one_of_those_asked_for_though_others_come_meanwhile(tmp_path: Path, monkeypatch) -> None:
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as log:
        config = started(log, "p")
        topic = config.topic("rollouts")
        here, elsewhere = (next(f"g{i}" for i in range(9) if partition_of(b"g%d" % i, 2) == p) for p in (0, 1))
        append_group(log, config, here)
        with log.reader([topic], "beginning") as reader:
            first = reader.poll(1)[0]
        time.sleep(0.01)
        make = log.reader

        def late(*args):
            append_group(log, config, elsewhere)
            return make(*args)

        monkeypatch.setattr(log, "reader", late)
        assert _oldest(log, topic, {TopicPartition(topic, 0): 0}) == first.append_time


@pytest.mark.parametrize("newer", [False, True])
def test_a_zombies_abandonment_does_not_count_though_control_is_read_from_the_middle(tmp_path: Path, newer) -> None:
    """Its epoch ended before what is read begins, or, with the next one, behind the assignment of the episode."""
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as log:
        config = started(log, "p", seal_timeout_s=1.0, open_limit_s=1.0)
        control, stamp = config.topic("control"), Producer("scheduler").stamp
        log.append(control, encode([SchedulerStarted(**stamp(RUN), epoch=epoch) for epoch in (0, 1)]))
        time.sleep(2.1)  # append times are the log's clock
        append_published(log, config, 4)
        of_e0 = stamp(RUN, group_id="g0", episode_id="g0-e0")
        assigned = EpisodeAssigned(**of_e0, epoch=1, worker="w", task_id="t", attempt=0)
        next_one = [SchedulerStarted(**stamp(RUN), epoch=2)] if newer else []
        zombie = EpisodeVerdict(**of_e0, verdict="abandoned", task_id="t", epoch=int(newer))
        log.append(control, encode([assigned, *next_one, zombie]))
        append_group(log, config, "g0", members=3)
        with assembling(log, config):
            until(lambda: verdicts(log, config)[1]["g0"])
        (sealed,) = events_of(log, config.topic("groups"), "group_sealed")
        assert [member.episode_id for member in sealed.members] == ["g0-e0", "g0-e1", "g0-e2"]


def append_published(log: Log, config: RunConfig, version: int) -> None:
    event = PolicyPublished(
        **Producer("learner").stamp(RUN), epoch=0, policy_version=version, step=version, uri="/a", sha256="0" * 64,
        link="file",
    )  # fmt: skip
    log.append(config.topic("control"), encode([event]))


def test_a_second_assembler_of_an_embedded_log_is_refused(tmp_path: Path) -> None:
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as log:
        config = started(log, "p")
        append_group(log, config, "g")
        with assembling(log, config) as stop:
            until(lambda: verdicts(log, config)[1])
            with pytest.raises(RoleBusy):
                run_assembler(log, config, stop)


@pytest.mark.kafka
@pytest.mark.slow
def test_two_assemblers_share_partitions_and_hand_them_over(kafka_broker, kafka_prefix: str) -> None:
    with open_log(kafka_broker.url) as log:
        config = started(log, kafka_prefix)
        names = [f"g{n}" for n in range(24)]
        open_group = [episode("open", f"open-e{i}", reward=float(i)) for i in range(3)]
        log.append(config.topic("rollouts"), encode([e for one in open_group for e in one[:-1]]))
        with role_process("assembler", log.url, prefix=kafka_prefix) as killed:
            for name in names[:8]:
                append_group(log, config, name)
            until(lambda: len(verdicts(log, config)[1]) == 8)
            with assembling(log, config):
                for name in names[8:16]:
                    append_group(log, config, name)
                until(lambda: len(verdicts(log, config)[1]) == 16)
                killed.kill()
                for name in names[16:]:
                    append_group(log, config, name)
                log.append(config.topic("rollouts"), encode([one[-1] for one in open_group]))
                until(lambda: len(verdicts(log, config)[1]) == 25)
        episodes, groups, sealed = verdicts(log, config)
        assert groups == sealed == {name: 1 for name in [*names, "open"]}
        assert set(episodes.values()) == {1}
        surplus = [e for e in events_of(log, config.topic("control"), "episode_verdict") if e.verdict == "surplus"]
        assert {e.episode_id for e in surplus if isinstance(e, EpisodeVerdict)} == {f"{name}-e3" for name in names}


@pytest.mark.kafka
@pytest.mark.slow
def test_killed_inside_a_kafka_transaction_while_sharing_partitions_each_is_judged_once(kafka_broker, kafka_prefix):
    """Two members share the partitions; one dies with its records sent, the other with its offsets, too. What they left
    open is aborted, and a third one finishes the work."""
    with open_log(kafka_broker.url) as log:
        config = started(log, kafka_prefix)
        open_group = [episode("open", f"open-e{i}", reward=float(i)) for i in range(3)]
        log.append(config.topic("rollouts"), encode([e for one in open_group for e in one[:-1]]))
        names: list[str] = []

        def all_dead(*processes) -> bool:
            names.append(f"g{len(names)}")
            append_group(log, config, names[-1])
            return all(process.poll() is not None for process in processes)

        with (
            role_process("assembler", log.url, "sent", "3", prefix=kafka_prefix) as first,
            role_process("assembler", log.url, "stored", "3", prefix=kafka_prefix) as second,
        ):
            until(lambda: all_dead(first, second))
            assert (first.returncode, second.returncode) == (KILLED, KILLED)
        log.append(config.topic("rollouts"), encode([one[-1] for one in open_group]))
        with assembling(log, config):
            until(lambda: len(verdicts(log, config)[1]) == len(names) + 1)
        episodes, groups, sealed = verdicts(log, config)
        assert groups == sealed == {name: 1 for name in [*names, "open"]}
        assert (len(episodes), set(episodes.values())) == (4 * len(names) + 3, {1})


@pytest.mark.kafka
@pytest.mark.slow
def test_an_assembler_that_hung_and_woke_adds_no_verdict(kafka_broker, kafka_prefix: str) -> None:
    with open_log(kafka_broker.url) as log:
        config = started(log, kafka_prefix)
        halves = [episode("open", f"open-e{i}", reward=float(i)) for i in range(3)]
        log.append(config.topic("rollouts"), encode([e for one in halves for e in one[:-1]]))
        with role_process("assembler", log.url, prefix=kafka_prefix) as hung:
            append_group(log, config, "g0")
            until(lambda: verdicts(log, config)[1]["g0"])
            hung.send_signal(signal.SIGSTOP)
            log.append(config.topic("rollouts"), encode([one[-1] for one in halves]))
            with assembling(log, config):
                until(lambda: verdicts(log, config)[1]["open"])
                hung.send_signal(signal.SIGCONT)
                append_group(log, config, "g1")
                append_group(log, config, "g2")
                until(lambda: len(verdicts(log, config)[1]) == 4)
        episodes, groups, sealed = verdicts(log, config)
        assert groups == sealed == {"g0": 1, "open": 1, "g1": 1, "g2": 1}
        assert set(episodes.values()) == {1}
