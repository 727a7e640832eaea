"""The checker itself: a run in order passes, and each thing that may not happen is named."""

import hashlib
import threading
from contextlib import suppress

import pytest
from stream.stream_events import episode

from tests.chaos.invariants import Journal, acknowledging, check_run, read_journal
from trajlog.config import LogConfig, RunConfig
from trajlog.schemas import (
    Chain,
    EpisodeAssigned,
    EpisodeVerdict,
    GroupSealed,
    GroupVerdict,
    LearnerStarted,
    Member,
    Producer,
    RejectedGroup,
    SchedulerStarted,
    TrainStep,
    TurnSpan,
    VersionRun,
    chains_digest,
    encode,
)
from trajlog.stream.archiver import run_archiver
from trajlog.stream.open import open_log
from trajlog.stream.sqlite import SqliteLog

CONFIG = RunConfig(run_id="r", log=LogConfig(prefix="p", num_partitions=1))
SCHEDULER, ASSEMBLER, LEARNER = Producer("scheduler"), Producer("assembler"), Producer("learner")


def assigned(group, name, epoch=1):
    stamp = SCHEDULER.stamp("r", group_id=group, episode_id=name)
    return EpisodeAssigned(**stamp, epoch=epoch, worker="w1/0", task_id="t", attempt=0)


def verdict(group, name, what="sealed", producer=ASSEMBLER, epoch=None):
    stamp = producer.stamp("r", group_id=group, episode_id=name)
    return EpisodeVerdict(**stamp, verdict=what, task_id="t", epoch=epoch)


def group_verdict(group):
    stamp = ASSEMBLER.stamp("r", group_id=group)
    now = stamp["emitted_at"]
    fields = {"task_id": "t", "group_partition": 0, "logical_time": now, "offsets": {}, "numbers": {}}
    return GroupVerdict(**stamp, verdict="sealed", reason="full", **fields)


def sealed(group):
    chain = Chain(0, (1, 2), (False, True), (None, -0.5), (TurnSpan(0, 1, 2, (VersionRun(0, 1),)),))
    return GroupSealed(
        **ASSEMBLER.stamp("r", group_id=group),
        task_id="t",
        sealed_because="full",
        policy_version_min=0,
        policy_version_max=0,
        members=(Member(f"{group}-e", "solved", 1.0, 1, 1),),
        chains=(chain,),
        tokens_sha256=chains_digest((chain,)),
    )


def step(number, *groups, epoch=1, rejected=(), offsets=None):
    digests = b"".join(bytes.fromhex(sealed(group).tokens_sha256) for group in groups)
    return TrainStep(
        **LEARNER.stamp("r"),
        epoch=epoch,
        step=number,
        policy_version=number,
        groups_trained=groups,
        groups_rejected=tuple(RejectedGroup(name, "stale") for name in rejected),
        metrics={},
        offsets=offsets or {},
        batch_sha256=hashlib.sha256(digests).hexdigest(),
        duration_s=0.0,
    )


def began(epoch, at):
    return LearnerStarted(**LEARNER.stamp("r"), epoch=epoch, step=at)


SEALED = ("a", "b", "c")
ORDER = [
    SchedulerStarted(**SCHEDULER.stamp("r"), epoch=1),
    *(assigned(group, f"{group}-e") for group in SEALED),
    assigned("d", "d-e"),
    *(verdict(group, f"{group}-e") for group in SEALED),
    *(group_verdict(group) for group in SEALED),
    began(1, 0),
]


@pytest.fixture
def judge(tmp_path):
    """`judge(control, rollouts, groups)`: the report on a run that holds ORDER and these besides."""
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as log:
        log.create_topics(CONFIG.topics())

        def report(control=(), rollouts=(), groups=(), archive=True, **given):
            for group in SEALED:
                log.append("p.rollouts", encode(episode(group, f"{group}-e")))
                log.append("p.groups", encode([sealed(group)]))
            log.append("p.rollouts", encode([*episode("d", "d-e", versions=(0, 0))[:-1], *rollouts]))
            log.append("p.groups", encode(list(groups)))
            log.append("p.control", encode([*ORDER, *control]))
            stop = threading.Event()
            stop.set()
            if archive:
                run_archiver(log, CONFIG, tmp_path, stop)
            return check_run(log, CONFIG, tmp_path, **given)

        yield report


def test_a_run_in_order_passes_and_is_counted(judge):
    report = judge([step(1, "a"), step(1, rejected=["b"])])
    assert report.ok, report
    numbers = (report.episodes, report.finished, report.in_flight, report.groups_sealed, report.groups_open)
    assert numbers == (4, 3, 1, 3, 1)
    assert (report.groups_trained, report.groups_refused, report.groups_queued) == (1, 1, ["c"])
    assert report.generation_s == pytest.approx(0.5)
    assert report.in_flight_generation_s == pytest.approx(0.2)


def test_a_step_that_a_learner_started_behind_does_not_count(judge):
    report = judge([step(1, "a"), step(2, "b"), began(2, 1), step(2, "b", "c", epoch=2), step(9, "c", epoch=1)])
    assert report.ok, report
    assert (report.train_steps, report.undone_steps, report.groups_trained, report.unheeded) == (2, 1, 3, 1)


def test_scheduler_and_assembler_may_race_for_an_episode(judge):
    report = judge([step(1, "a", "b", "c"), verdict("a", "a-e", "abandoned", SCHEDULER, 1)])
    assert report.ok, report
    assert (report.races, report.abandoned) == (1, 0)


@pytest.mark.parametrize(
    ("control", "fault"),
    [
        ([step(1, "a"), step(2, "a")], "more than one surviving train_step"),
        ([step(1, "a"), step(2, "c")], "passed over: ['b']"),
        ([step(1, "a", rejected=["a"])], "both trained and rejected"),
        ([step(1, "a", offsets={"p.groups-0": 2})], "pass over: ['b']"),
        ([step(2, "a")], "are not 1, 2, ...: [2]"),
        ([step(1, "x", "a")], "that no record has: ['x']"),
        ([step(1, "a"), verdict("a", "a-e")], "judged twice by one role"),
        ([group_verdict("a")], "judged twice by one role"),
        ([group_verdict("x")], "no record, or the reverse: ['x']"),
        ([verdict("d", "d-e", "abandoned", SCHEDULER, 1)], "1 episodes abandoned, 0 slots of killed workers"),
        ([verdict("d", "d-e", "abandoned")], "a role that does not give them"),
    ],
)
def test_what_may_not_happen_is_named(judge, control, fault):
    assert any(fault in found for found in judge(control).faults)


def test_lost_and_unarchived_events_are_named(judge, tmp_path):
    there, lost = episode("e", "e-e"), episode("e", "e-f")
    journal = Journal(tmp_path / "j")
    journal.add("p.rollouts", [*there, lost[0]])
    with (tmp_path / "j").open("ab") as torn:
        torn.write(b"p.rollouts 0123")
    report = judge([step(1, "a", "b", "c")], rollouts=there[:1] + there[2:], journals=[tmp_path / "j"])
    assert report.acknowledged == len(there) + 1
    assert any("2 acknowledged events are not in the log" in fault for fault in report.faults)
    assert any("lack an event before their last one: ['e-e']" in fault for fault in report.faults)
    assert report.acknowledged_lost == 2


def test_what_is_not_archived_is_a_fault(judge):
    with pytest.raises(Exception, match="archive"):
        judge([step(1, "a", "b", "c")], archive=False)


def test_appends_and_transactions_are_noted_once_acknowledged(tmp_path, monkeypatch):
    monkeypatch.setattr(SqliteLog, "append", SqliteLog.append)
    monkeypatch.setattr(SqliteLog, "transaction", SqliteLog.transaction)
    acknowledging(SqliteLog, Journal(tmp_path / "j"))
    events = episode("g", "e")
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as log:
        log.create_topics(CONFIG.topics())
        log.append("p.rollouts", encode(events))
        with log.transaction() as transaction:
            transaction.append("p.groups", encode([sealed("g")]))
            assert len(list(read_journal(tmp_path / "j"))) == len(events)
        with suppress(ZeroDivisionError), log.transaction() as transaction:
            transaction.append("p.groups", encode([sealed("h")]))
            raise ZeroDivisionError
    noted = list(read_journal(tmp_path / "j"))
    assert noted[:-1] == [("p.rollouts", event.event_id) for event in events]
    assert len(noted) == len(events) + 1
