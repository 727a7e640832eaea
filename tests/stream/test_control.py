import contextlib
import threading

import pytest

from tests.stream.roles import WITHIN_S
from tests.stream.stream_events import START
from trajlog.config import GroupConfig, LogConfig, RunConfig
from trajlog.errors import ConfigError
from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeVerdict,
    LearnerStarted,
    NewRecord,
    PolicyPublished,
    Producer,
    SchedulerStarted,
    SchemaRegistered,
    TrainStep,
    encode,
)
from trajlog.stream.control import (
    ControlFollower,
    claim_epoch,
    find_prefix,
    find_run,
    start_run,
    wait_for_run,
)
from trajlog.stream.epochs import EpochFilter
from trajlog.stream.kafka_client import producer
from trajlog.stream.log import LogRecord, TopicPartition
from trajlog.stream.open import open_log

PRODUCER = Producer("test")
CONFIG = RunConfig(run_id="r", log=LogConfig(prefix="p", num_partitions=2))


@pytest.fixture
def log(tmp_path):
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as opened:
        yield opened


def scheduler_started(epoch):
    return SchedulerStarted(**PRODUCER.stamp("r"), epoch=epoch)


def learner_started(epoch):
    return LearnerStarted(**PRODUCER.stamp("r"), epoch=epoch, step=0)


def assigned(epoch):
    return EpisodeAssigned(
        **PRODUCER.stamp("r", group_id="g", episode_id="e"), epoch=epoch, worker="w/1", task_id="t", attempt=0
    )


def verdict(epoch):
    stamp = PRODUCER.stamp("r", group_id="g", episode_id="e")
    return EpisodeVerdict(**stamp, verdict="error" if epoch is None else "abandoned", task_id="t", epoch=epoch)


def published(epoch):
    return PolicyPublished(
        **PRODUCER.stamp("r"), epoch=epoch, policy_version=3, step=3, uri="/a", sha256="0" * 64, link="file"
    )


def trained(epoch):
    return TrainStep(
        **PRODUCER.stamp("r"),
        epoch=epoch,
        step=1,
        policy_version=1,
        groups_trained=("g",),
        groups_rejected=(),
        metrics={},
        offsets={},
        batch_sha256="0" * 64,
        duration_s=0.1,
    )


def test_events_of_an_epoch_below_the_highest_seen_do_not_count():
    epochs = EpochFilter()
    events = [
        (scheduler_started(1), True),
        (assigned(1), True),
        (scheduler_started(3), True),
        (assigned(1), False),
        (verdict(1), False),
        (verdict(3), True),
        (verdict(None), True),  # the assembler's verdicts carry no epoch
        (assigned(3), True),
        (scheduler_started(2), False),
        (scheduler_started(3), False),  # a second claim of the same epoch
        (learner_started(5), True),  # the roles' epochs are apart
        (assigned(3), True),
        (trained(4), False),
        (published(4), False),
        (trained(5), True),
        (published(5), True),
    ]
    assert [epochs.admits(event) for event, _ in events] == [counts for _, counts in events]
    assert (epochs.highest("scheduler"), epochs.highest("learner")) == (3, 5)


def test_a_run_is_started_once_and_found_by_every_role(log):
    assert find_prefix(log) is None
    assert find_run(log) is None
    assert start_run(log, CONFIG, PRODUCER) == CONFIG
    assert start_run(log, CONFIG, PRODUCER) == CONFIG
    assert log.topics() == {"p.rollouts": 2, "p.groups": 2, "p.control": 1, "p.liveness": 1, "p.engines": 1}
    assert wait_for_run(log) == CONFIG
    assert wait_for_run(log, "p") == CONFIG
    with ControlFollower(log, "p.control") as follower:
        kinds = [event.kind for _, event in follower.catch_up()]
    assert kinds.count("run_started") == 1
    assert len(kinds) - 1 == kinds.count(SchemaRegistered.kind) == 17


def test_starts_that_race_leave_one_run(tmp_path, log):
    def start():
        with open_log(log.url) as own:
            start_run(own, CONFIG, Producer("racer"))

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WITHIN_S)
        assert not thread.is_alive()
    assert wait_for_run(log) == CONFIG


def test_other_settings_for_a_run_are_refused_with_the_fields(log):
    start_run(log, CONFIG, PRODUCER)
    other = RunConfig(run_id="r", log=CONFIG.log, group=GroupConfig(group_size=9))
    with pytest.raises(ConfigError, match=r"group\.group_size: 9, the run has 12"):
        start_run(log, other, PRODUCER)


def test_several_runs_in_one_log_need_a_prefix(log):
    start_run(log, CONFIG, PRODUCER)
    start_run(log, RunConfig(run_id="r2", log=LogConfig(prefix="q")), PRODUCER)
    with pytest.raises(ConfigError, match="--prefix: p, q"):
        wait_for_run(log)
    assert wait_for_run(log, "q").run_id == "r2"
    with pytest.raises(ConfigError, match=r"no run with prefix z\. The log has: p, q"):
        wait_for_run(log, "z", timeout_s=0.01)


def test_a_role_waits_for_the_run_and_says_so(log):
    told = []

    def on_wait(message):
        told.append(message)
        start_run(log, CONFIG, PRODUCER)

    assert wait_for_run(log, timeout_s=WITHIN_S, on_wait=on_wait) == CONFIG
    assert len(told) == 1
    assert "trajlog scheduler --config" in told[0]


def test_waiting_ends_when_stopped(log):
    stop = threading.Event()
    stop.set()
    with pytest.raises(ConfigError, match="has no run"):
        wait_for_run(log, timeout_s=60, stop=stop)


def test_the_last_to_claim_an_epoch_wins(log):
    start_run(log, CONFIG, PRODUCER)

    def claim(follower):
        return claim_epoch(log, follower, "scheduler", scheduler_started, lambda followed: None)

    with ControlFollower(log, "p.control") as first, ControlFollower(log, "p.control") as second:
        assert claim(first) == 0
        assert claim(second) == 1
        list(first.catch_up())
        assert first.epochs.scheduler_epoch == 1


def test_a_claim_that_lost_the_race_is_made_again(log):
    start_run(log, CONFIG, PRODUCER)
    rivals = [scheduler_started(0)]

    def make(epoch):
        while rivals:  # a rival's claim of the same epoch lands just before ours
            log.append("p.control", encode([rivals.pop()]))
        return scheduler_started(epoch)

    with ControlFollower(log, "p.control") as follower:
        assert claim_epoch(log, follower, "scheduler", make, lambda followed: None) == 1


def test_a_bad_record_is_skipped_and_counted(log):
    start_run(log, CONFIG, PRODUCER)
    bad = NewRecord(key=b"r", headers=(("kind", "scheduler_started"), ("schema_version", "9")), value=b"?")
    log.append("p.control", [bad, *encode([scheduler_started(0)])])
    with ControlFollower(log, "p.control", {"scheduler_started"}) as follower:
        assert [event.kind for _, event in follower.catch_up()] == ["scheduler_started"]
        assert follower.decoder.num_bad == 1
        assert "p.control-0 offset" in follower.decoder.last_error


class SlowTransaction:
    """A log of one partition and its reader: of three records the last two are of a transaction that is over at the
    third poll."""

    url = "log"

    def __init__(self):
        self.polls = 0
        self.read = 0

    def end_offsets(self, topic, *, committed=True):
        return {TopicPartition(topic, 0): 1 if committed else 3}

    def poll(self, timeout_s):
        self.polls += 1
        end = 3 if self.polls > 2 else 1
        found = encode([verdict(None), verdict(0)])[0]
        records = [LogRecord("p.control", 0, n, START, b"r", found.headers, found.value) for n in range(self.read, end)]
        self.read = end
        return records

    def position(self, tp):
        return self.read

    def assignment(self):
        return {TopicPartition("p.control", 0)}


@pytest.mark.parametrize(("open_too", "num_read"), [(False, 1), (True, 3)])
def test_catching_up_behind_open_transactions_waits_until_they_are_over(open_too, num_read):
    log = SlowTransaction()
    offsets = [record.offset for record, _ in ControlFollower(log, "p.control", reader=log).catch_up(open_too=open_too)]
    assert sorted(set(offsets)) == list(range(num_read))


@contextlib.contextmanager
def open_transaction(broker, prefix):
    """A log with a run, a follower that has caught up with it, and a transaction of another client behind that."""
    config = RunConfig(run_id="r", log=LogConfig(prefix=prefix))
    control = config.topic("control")
    with open_log(broker.url) as log, contextlib.closing(producer([broker.bootstrap], prefix)) as other:
        start_run(log, config, PRODUCER)
        with ControlFollower(log, control) as follower:
            list(follower.catch_up())
            (record,) = encode([assigned(0)])
            other.init_transactions()
            other.begin_transaction()
            headers = [(name, value.encode()) for name, value in record.headers]
            other.send(control, key=record.key, value=record.value, headers=headers, partition=0).get(timeout=WITHIN_S)
            yield log, follower, other, control


@pytest.mark.kafka
@pytest.mark.parametrize("way", ["commit_transaction", "abort_transaction"])
def test_a_transaction_that_is_open_now_is_read_when_it_is_over(kafka_broker, kafka_prefix, way):
    with open_transaction(kafka_broker, kafka_prefix) as (_, follower, other, _):
        end = threading.Timer(0.5, getattr(other, way))
        end.start()
        read = list(follower.catch_up(open_too=True))
        end.join(WITHIN_S)
    assert len(read) == (way == "commit_transaction")


@pytest.mark.kafka
def test_own_events_are_read_back_though_another_transaction_holds_the_end_back(kafka_broker, kafka_prefix):
    with open_transaction(kafka_broker, kafka_prefix) as (log, follower, other, control):
        own = assigned(0)
        log.append(control, encode([own]))
        assert list(follower.catch_up()) == []  # neither can be read yet
        assert log.end_offsets(control, committed=False) != log.end_offsets(control)
        commit = threading.Timer(0.3, other.commit_transaction)
        commit.start()
        read = [event.event_id for _, event in follower.read_back([own])]
        commit.join(WITHIN_S)
    assert len(read) == 2
    assert read[-1] == own.event_id
