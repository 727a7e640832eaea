"""Each reason for silence, from events by hand: groups of 3, two a step, a lease of 60 s."""

import logging
import re

import msgspec

from tests.learner.learner_process import make_config, make_log
from tests.stream.scheduling_fold import CONFIG, PRODUCER
from tests.stream.stream_events import RUN, at
from trajlog.learner.supply import Supply
from trajlog.learner.watchdog import Watchdog, causes
from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeVerdict,
    FinishedEpisode,
    GroupVerdict,
    Heartbeat,
    PolicyAcknowledged,
    PolicyPublished,
    Producer,
    RejectedGroup,
    SchedulerStarted,
    TrainStep,
    encode,
)

NOW = 1000


class Run:
    """A run in order at second NOW - 5: one worker of four slots, an engine, policy 0, one group of three episodes."""

    def __init__(self, config=CONFIG, run_id=RUN, *, scheduler=True, worker=NOW - 5, engine=NOW - 5, loaded=0):
        self.supply, self.config, self.run_id, self.read = Supply(config), config, run_id, []
        if scheduler:
            self.control(0, SchedulerStarted(**self.stamp(), epoch=0))
        self.publish(0, seconds=0)
        if loaded is not None:
            self.control(1, self.acknowledged(loaded))
        for episode in ("e0", "e1", "e2"):
            self.assign("g", episode, seconds=NOW - 100)
        if engine is not None:
            self.heartbeat("engine-a/1", engine, role="engine", slots=0)
        if worker is not None:
            self.heartbeat("worker-a/1", worker, running=("e0", "e1", "e2"))

    def stamp(self, **ids):
        return PRODUCER.stamp(self.run_id, **ids)

    def control(self, seconds, event):
        self.read.append(event)
        self.supply.control(at(seconds), event)

    def acknowledged(self, version):
        return PolicyAcknowledged(
            **self.stamp(), engine="engine-a", endpoint="http://e", policy_version=version, sha256="0" * 64
        )

    def publish(self, version, seconds):
        event = PolicyPublished(
            **self.stamp(), epoch=0, policy_version=version, step=version, uri="u", sha256="0" * 64, link="file"
        )
        self.control(seconds, event)

    def assign(self, group, episode, seconds):
        event = EpisodeAssigned(
            **self.stamp(group_id=group, episode_id=episode),
            epoch=0,
            worker="worker-a/1",
            task_id="t",
            attempt=0,
            group_size=3,
        )
        self.control(seconds, event)

    def group(self, group, verdict="sealed", reason="full", seconds=NOW - 50):
        event = GroupVerdict(
            **self.stamp(group_id=group),
            verdict=verdict,
            reason=reason,
            task_id="t",
            group_partition=0,
            logical_time=at(seconds),
            offsets={},
            numbers={},
        )
        self.control(seconds, event)

    def episode(self, group, episode, verdict, reason=None, seconds=NOW - 50):
        stamp = self.stamp(group_id=group, episode_id=episode)
        self.control(seconds, EpisodeVerdict(**stamp, verdict=verdict, task_id="t", reason=reason))

    def step(self, trained=(), rejected=(), seconds=NOW - 40):
        event = TrainStep(
            **self.stamp(),
            epoch=0,
            step=1,
            policy_version=1,
            groups_trained=tuple(trained),
            groups_rejected=tuple(RejectedGroup(*one) for one in rejected),
            metrics={},
            offsets={},
            batch_sha256="0" * 64,
            duration_s=1.0,
        )
        self.control(seconds, event)

    def heartbeat(self, name, seconds, *, role="worker", slots=4, running=(), finished=(), leaving=False):
        event = Heartbeat(
            **Producer(*name.split("/")).stamp(self.run_id),
            role=role,
            num_slots=slots,
            running=tuple(running),
            finished=tuple(FinishedEpisode(episode, outcome) for episode, outcome in finished),
            leaving=leaving,
        )
        self.read.append(event)
        self.supply.liveness(at(seconds), event)

    def causes(self, queued=0, now=NOW):
        return {cause.name: cause.text for cause in causes(self.supply, self.config, at(now), queued)}


def test_a_run_in_order_is_told_as_such():
    run = Run()
    run.heartbeat("worker-a/1", NOW - 1, running=("e1", "e2"), finished=[("e0", "solved")])
    assert run.causes() == {
        "playing": "nothing is wrong: 1 groups are open, the oldest for 100 s; 2 episodes are played, 1 are finished "
        "and wait for the rest of their group"
    }


def test_dead_workers_are_told_by_their_leases():
    assert "playing" in Run(worker=NOW - 59).causes()
    assert Run(worker=NOW - 60).causes() == {
        "no_worker": "no worker lives (1 known, 0 left in order, last heard of 60 s ago): start one with "
        "`trajlog worker`"
    }
    assert "none was heard of" in Run(worker=None).causes()["no_worker"]
    run = Run()
    run.heartbeat("worker-a/1", NOW - 2, leaving=True)
    assert "1 known, 1 left in order" in run.causes()["no_worker"]
    run.heartbeat("worker-b/1", NOW - 1)
    assert "no_worker" not in run.causes()


def test_no_engine_has_loaded_the_version():
    assert "no engine has loaded any policy version" in Run(loaded=None).causes()["no_engine"]
    assert "last heard of 70 s ago" in Run(engine=NOW - 70).causes()["no_engine"]
    run = Run()
    run.publish(1, seconds=NOW - 59)
    assert "not_loaded" not in run.causes()
    assert run.causes(now=NOW + 1)["not_loaded"].startswith(
        "policy 1, published 60 s ago, is loaded by no engine; the newest loaded is 0"
    )
    run.control(NOW, run.acknowledged(1))
    assert "not_loaded" not in run.causes(now=NOW + 1)


def test_all_groups_rejected_as_stale():
    run = Run()
    run.step(trained=["g9"])
    for n in range(3):
        run.group(f"s{n}", "rejected", "stale")
    run.group("z", "rejected", "zero_variance")
    run.step(rejected=[("g8", "stale")])
    assert run.causes()["rejected"] == (
        "5 groups were rejected since the last step (stale 4, zero_variance 1): the workers are too slow for this "
        "learner: more slots, or a higher staleness.max_off_policy_steps"
    )
    run.step(trained=["g7"])
    assert "rejected" not in run.causes()


def test_episodes_that_fail_are_told_with_the_last_reason():
    run = Run()
    run.episode("g", "e0", "error", "no sandbox: no space left")
    run.episode("g", "e1", "error")
    assert run.causes()["failing"] == (
        "episodes failed since the last step (error 2); the last: no sandbox: no space left"
    )


def test_a_silent_assembler_is_told_by_a_full_group_without_a_verdict():
    run = Run()
    over = [(f"e{n}", "failed") for n in range(3)]
    run.heartbeat("worker-a/1", NOW - 1, finished=over[:2])
    run.heartbeat("worker-a/1", NOW, finished=over)
    assert "assembler_silent" not in run.causes(now=NOW + 59)
    run.heartbeat("worker-a/1", NOW + 58)
    run.heartbeat("engine-a/1", NOW + 58, role="engine")
    assert run.causes(now=NOW + 60) == {
        "assembler_silent": "1 groups have all their episodes and no verdict, for up to 60 s: the assembler is dead or "
        "behind, start one with `trajlog assembler` or read its log"
    }
    run.group("g", "rejected", "zero_variance", seconds=NOW + 60)
    assert "assembler_silent" not in run.causes(now=NOW + 60)


def test_an_episode_that_ended_in_error_does_not_make_a_group_full():
    run = Run()
    run.heartbeat("worker-a/1", NOW - 100, finished=[("e0", "failed"), ("e1", "failed"), ("e2", "error")])
    run.heartbeat("worker-a/1", NOW)
    assert "assembler_silent" not in run.causes()


def test_a_scheduler_that_is_paused_until_the_queue_is_at_low_water():
    run = Run()
    for name in "abc":
        run.group(name)
    assert run.causes(queued=3) == {
        "paused": "the scheduler is paused: 3 sealed groups wait, high water is 3, it goes on at 1"
    }
    run.step(trained=["a", "b"])
    assert "paused" not in run.causes(queued=1)


def test_groups_in_the_log_that_did_not_reach_the_learner():
    run = Run()
    run.group("a")
    run.group("b")
    assert "unread" not in run.causes(queued=2)
    assert run.causes(queued=1)["unread"].startswith("2 sealed groups wait in the log, 1 have reached this learner")


def test_a_scheduler_that_never_began_or_fell_silent():
    assert "no scheduler has begun" in Run(scheduler=False).causes()["no_scheduler"]
    run = Run()
    for episode in ("e0", "e1", "e2"):
        run.episode("g", episode, "sealed")
    run.group("g", "rejected", "zero_variance")
    run.heartbeat("worker-a/1", NOW - 1)
    assert run.causes()["no_scheduler"].startswith(
        "4 slots are free, no group is open and none is being opened (last assignment: 100 s ago)"
    )
    run.assign("h", "e9", seconds=NOW)
    assert "no_scheduler" not in run.causes()


def test_a_run_whose_episodes_are_all_assigned():
    scheduler = msgspec.structs.replace(CONFIG.scheduler, max_episodes=3)
    run = Run(msgspec.structs.replace(CONFIG, scheduler=scheduler))
    assert "spent" not in run.causes()
    run.group("g", "rejected", "too_few")
    run.heartbeat("worker-a/1", NOW - 1)
    assert run.causes()["spent"].startswith("all 3 episodes of scheduler.max_episodes are assigned")
    assert "no_scheduler" not in run.causes()


def test_it_tells_once_per_period_of_silence_and_reads_what_came_since(tmp_path, caplog):
    config = make_config(watchdog_s=10.0)
    run = Run(config, run_id="run", worker=None)
    with make_log(tmp_path, config) as log, Watchdog(log, config, began_s=100.0) as watchdog:
        for event in run.read:
            log.append(config.topic("engines" if isinstance(event, Heartbeat) else "control"), encode([event]))
        now = at(NOW)
        assert watchdog.look(200.0, None, 0) == []  # the log's time is not known yet
        assert watchdog.look(109.0, now, 0) == []
        with caplog.at_level(logging.WARNING):
            assert [cause.name for cause in watchdog.look(110.0, now, 1)] == ["no_worker"]
        assert re.fullmatch(
            r"no group for 10 s, 1 of 2 wait here\. no_worker: no worker lives \(none was heard of\): .*",
            caplog.messages[-1],
        )
        assert watchdog.look(119.0, now, 0) == []
        assert [cause.name for cause in watchdog.look(120.0, now, 0)] == ["no_worker"]
        watchdog.fed(121.0)
        assert watchdog.look(130.0, now, 0) == []
        run.heartbeat("worker-a/1", NOW)
        log.append(config.topic("liveness"), encode(run.read[-1:]))
        assert [cause.name for cause in watchdog.look(131.0, now, 0)] == ["playing"]
