"""Simulated rollouts around a real scheduling core: time, workers, the closing of groups and the learner.

The 130 training tasks of the package. Task i is solved with probability
sigmoid(0.7 + 0.005 version - 0.6 (difficulty - 2.5) + n_i), n_i normal with deviation 1.3. An episode takes 60 s, times
1.6 when unsolved, times a lognormal factor (0.35), times 5 on every tenth task: the slow ones. Its ten turns are spread
over it. 4 workers of 16 slots; 2% of episodes end in error. The reward is the outcome alone, so a group is rejected as
zero_variance exactly when all its members end alike. The learner takes 4 groups a step, and 100 s.
"""

import heapq
import math
import random
import time
from bisect import bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from statistics import fmean

from trajlog.config import RunConfig
from trajlog.harness.catalog import load_catalog, select
from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeVerdict,
    FinishedEpisode,
    GroupVerdict,
    Heartbeat,
    Producer,
    RejectedGroup,
    SchedulerStarted,
    TrainStep,
)
from trajlog.stream.curriculum import PREFERRED, WINDOW, CurriculumTask
from trajlog.stream.scheduling import Abandon, Assign, Scheduling
from trajlog.stream.staleness import judge_staleness

START = datetime(2026, 1, 1, tzinfo=UTC)
PRODUCER = Producer("sim")
WORKERS, SLOTS, TICK_S = 4, 16, 15.0
NUM_TURNS, EPISODE_S, STEP_S = 10, 60.0, 100.0
SLOW_EVERY, SLOWNESS, ERRORS = 10, 5.0, 0.02


UNTIMELY = frozenset({"stale", "late", "too_few"})
ENDS = UNTIMELY | {"trained", "zero_variance"}
"""What is over and not queued, and no error: what a rule could have treated unfairly."""


class World:
    """The tasks, how likely each is solved and how long it takes."""

    def __init__(self, seed: int) -> None:
        chosen = sorted(select(load_catalog(), split="train").items())
        self.tasks = [CurriculumTask(name, task.category, task.difficulty, task.debugger) for name, task in chosen]
        self.random = random.Random(seed)
        self._ease = {t.task_id: self.random.gauss(0, 1.3) - 0.6 * (t.difficulty - 2.5) for t in self.tasks}
        self.slow = {task.task_id for task in self.random.sample(self.tasks, len(self.tasks) // SLOW_EVERY)}

    def rate(self, task_id: str, version: int) -> float:
        return 1 / (1 + math.exp(-(0.7 + 0.005 * version + self._ease[task_id])))

    def duration_s(self, task_id: str, solved: bool) -> float:
        slowness = SLOWNESS if task_id in self.slow else 1.0
        return EPISODE_S * slowness * (1.0 if solved else 1.6) * self.random.lognormvariate(0, 0.35)


@dataclass
class Episode:
    said: Assign
    begun_s: float
    outcome: str
    duration_s: float
    estimate: float
    rate: float
    end: str = ""
    """What became of it: trained, zero_variance, stale, late, too_few, error, abandoned."""
    versions: dict[int, int] = field(default_factory=dict)
    trained_turns: int = 0


@dataclass
class Group:
    task_id: str
    size: int
    finished: list[Episode] = field(default_factory=list)
    first_s: float = math.inf
    reason: str = ""


class Run:
    """One simulated run, until `num_episodes` have finished."""

    def __init__(self, world: World, scheduling: Scheduling, config: RunConfig) -> None:
        self.world, self.core, self.config = world, scheduling, config
        self.now_s = 0.0
        self.episodes: dict[str, Episode] = {}
        self.groups: dict[str, Group] = {}
        self.queue: list[str] = []
        self.published: list[float] = []
        """When each version after 0 was published."""
        self.first_sealed_s = math.nan
        self.num_sealed = self.num_trained = self.num_finished = 0
        self.phase_2_at = 0
        self.busy_s = self.decide_s = self.abandoned_s = 0.0
        self.killed: list[str] = []
        self._outcomes: dict[str, deque[bool]] = defaultdict(lambda: deque(maxlen=WINDOW))
        self._running: dict[str, set[str]] = {f"w{i}/0": set() for i in range(WORKERS)}
        self._reported: dict[str, list[FinishedEpisode]] = defaultdict(list)
        self._heap: list[tuple[float, int, str, object]] = []
        self._order, self._ids = count(), count()
        self._training: tuple[list[str], list[str]] | None = None
        self._control(SchedulerStarted(**PRODUCER.stamp("sim"), epoch=0))

    def play(self, num_episodes: int, kill_at_s: float = math.inf) -> "Run":
        self._at(0.0, "tick", None)
        if kill_at_s < math.inf:
            self._at(kill_at_s, "kill", "w0/0")
        while self.num_finished < num_episodes:
            self.now_s, _, what, subject = heapq.heappop(self._heap)
            {"tick": self._tick, "finish": self._finish, "trained": self._trained, "kill": self._kill}[what](subject)
            self._train()
            self._schedule()
        return self

    def _at(self, time_s: float, what: str, subject: object) -> None:
        heapq.heappush(self._heap, (time_s, next(self._order), what, subject))

    def _time(self) -> datetime:
        return START + timedelta(seconds=self.now_s)

    def _control(self, event: object) -> None:
        self.core.control(self._time(), event)

    def _stamp(self, group_id: str | None = None, episode_id: str | None = None) -> dict[str, object]:
        return PRODUCER.stamp("sim", group_id=group_id, episode_id=episode_id)

    def _heartbeat(self, worker: str) -> None:
        finished = tuple(self._reported[worker][-64:])
        stamp = Producer(*worker.split("/")).stamp("sim")
        running = tuple(sorted(self._running[worker]))
        beat = Heartbeat(**stamp, role="worker", num_slots=SLOTS, running=running, finished=finished)
        self.core.liveness(self._time(), beat)

    def _tick(self, _: object) -> None:
        for worker in self._running:
            self._heartbeat(worker)
        for group_id, group in list(self.groups.items()):
            if not group.reason and self.now_s >= group.first_s + self.config.group.seal_timeout_s:
                self._close(group_id, group)
        self._at(self.now_s + TICK_S, "tick", None)

    def _kill(self, worker: object) -> None:
        """kill -9 of a worker; its next incarnation comes up at once."""
        self.killed = sorted(self._running.pop(str(worker)))
        self._running[f"{str(worker).split('/', maxsplit=1)[0]}/1"] = set()

    def _schedule(self) -> None:
        while True:
            began = time.perf_counter()
            decisions = self.core.decide(self._time(), lambda: f"id{next(self._ids)}")
            self.decide_s += time.perf_counter() - began
            if not decisions:
                return
            for decision in decisions:
                if isinstance(decision, Abandon):
                    self._judge(decision.episode_id, "abandoned", epoch=0)
                    self.abandoned_s = self.now_s
                else:
                    self._begin(decision)

    def _begin(self, said: Assign) -> None:
        version = len(self.published)
        rate = self.world.rate(said.task_id, version)
        solved = self.world.random.random() < rate
        error = self.world.random.random() < ERRORS
        outcome = "error" if error else "solved" if solved else "failed"
        duration_s = self.world.duration_s(said.task_id, solved)
        known = self._outcomes[said.task_id]  # as the curriculum estimates it, in every arm
        estimate = (1 + sum(known)) / (2 + len(known)) if known else math.nan
        self.episodes[said.episode_id] = Episode(said, self.now_s, outcome, duration_s, estimate, rate)
        self.groups.setdefault(said.group_id, Group(said.task_id, said.group_size))
        self._running[said.worker].add(said.episode_id)
        self._at(self.now_s + duration_s, "finish", said.episode_id)
        assigned = EpisodeAssigned(
            **self._stamp(said.group_id, said.episode_id),
            epoch=0,
            worker=said.worker,
            task_id=said.task_id,
            attempt=said.attempt,
            group_size=said.group_size,
            curriculum_phase=said.curriculum_phase,
            success_estimate=said.success_estimate,
        )
        self._control(assigned)

    def _finish(self, episode_id: object) -> None:
        episode = self.episodes[str(episode_id)]
        said = episode.said
        if said.worker not in self._running:
            return  # it died with its worker
        self._running[said.worker].discard(said.episode_id)
        self._reported[said.worker].append(FinishedEpisode(said.episode_id, episode.outcome))
        self.num_finished += 1
        self.busy_s += episode.duration_s
        for turn in range(NUM_TURNS):
            at_s = episode.begun_s + (turn + 0.5) / NUM_TURNS * episode.duration_s
            episode.versions[turn] = bisect_right(self.published, at_s)
        self._heartbeat(said.worker)
        group = self.groups[said.group_id]
        if episode.outcome == "error":
            self._judge(said.episode_id, "error")
        elif group.reason:
            self._judge(said.episode_id, "surplus" if group.reason == "full" else "late")
        else:
            group.finished.append(episode)
            group.first_s = min(group.first_s, self.now_s)
            if len(group.finished) >= group.size:
                self._close(said.group_id, group)

    def _close(self, group_id: str, group: Group) -> None:
        settings, members = self.config.group, group.finished
        excluded, rejected = self._judge_staleness(members)
        fresh = [episode for i, episode in enumerate(members) if i not in excluded]
        reason = "full" if len(members) >= group.size else "timeout"
        if len(members) < settings.min_group_size:
            reason = "too_few"
        elif rejected:
            reason = "stale"
        elif len({episode.outcome for episode in fresh}) == 1:
            reason = "zero_variance"
        group.reason = reason
        sealed = reason in ("full", "timeout")
        for i, episode in enumerate(members):
            stale = i in excluded and reason != "too_few"
            self._judge(
                episode.said.episode_id, "stale" if stale else "sealed" if sealed else "rejected", reason=reason
            )
        if sealed:
            group.finished = fresh
            self.queue.append(group_id)
            self.num_sealed += 1
            self.first_sealed_s = self.now_s if math.isnan(self.first_sealed_s) else self.first_sealed_s
        verdict = GroupVerdict(
            **self._stamp(group_id),
            verdict="sealed" if sealed else "rejected",
            reason=reason,
            task_id=group.task_id,
            group_partition=0,
            logical_time=self._time(),
            offsets={},
            numbers={"members": float(len(fresh) if sealed else 0)},
        )
        self._control(verdict)

    def _judge_staleness(self, members: Sequence[Episode]) -> tuple[tuple[int, ...], bool]:
        limits = self.config.staleness.max_off_policy_steps, self.config.group.min_group_size
        verdict = judge_staleness(
            [episode.versions for episode in members],
            len(self.published),
            max_off_policy_steps=limits[0],
            min_group_size=limits[1],
        )
        return verdict.excluded, verdict.rejected

    def _judge(self, episode_id: str, verdict: str, *, reason: str = "", epoch: int | None = None) -> None:
        episode = self.episodes[episode_id]
        episode.end = reason if verdict == "rejected" else verdict
        solved = episode.outcome == "solved"
        if episode.outcome != "error" and verdict != "abandoned":
            self._outcomes[episode.said.task_id].append(solved)
        fits = verdict == "abandoned" or self.world.random.random() < 1 - 0.4 * math.exp(-len(self.published) / 40)
        event = EpisodeVerdict(
            **self._stamp(episode.said.group_id, episode_id),
            verdict=verdict,
            task_id=episode.said.task_id,
            outcome=None if verdict == "abandoned" else episode.outcome,
            reward=None if episode.outcome == "error" else float(solved),
            epoch=epoch,
            debugger_fits=fits,
        )
        self._control(event)
        if self.core.curriculum.phase == 2 and not self.phase_2_at:
            self.phase_2_at = self.num_finished

    def _train(self) -> None:
        """Begin a step when the learner is free and enough fresh groups wait."""
        if self._training is not None:
            return
        taken: list[str] = []
        stale: list[str] = []
        for group_id in self.queue:
            members = self.groups[group_id].finished
            _, rejected = self._judge_staleness(members)
            if rejected:
                stale.append(group_id)
            else:
                taken.append(group_id)
            if len(taken) == self.config.learner.groups_per_step:
                break
        if len(taken) < self.config.learner.groups_per_step:
            if stale:  # rejected at once, in a train_step that trains nothing
                self._reject(stale)
                self._control(self._step((), stale))
            return
        self._training = (taken, stale)
        for group_id in (*taken, *stale):
            self.queue.remove(group_id)
        for group_id in taken:
            for episode in self.groups[group_id].finished:
                oldest = len(self.published) - self.config.staleness.max_off_policy_steps
                episode.trained_turns = sum(version >= oldest for version in episode.versions.values())
                episode.end = "trained" if episode.trained_turns else "stale"
        self._reject(stale)
        self._at(self.now_s + STEP_S, "trained", None)

    def _reject(self, stale: Sequence[str]) -> None:
        for group_id in stale:
            if group_id in self.queue:
                self.queue.remove(group_id)
            for episode in self.groups[group_id].finished:
                episode.end = "stale"

    def _trained(self, _: object) -> None:
        assert self._training is not None
        (taken, stale), self._training = self._training, None
        self.published.append(self.now_s)
        self.num_trained += len(taken)
        self._control(self._step(taken, stale))

    def _step(self, taken: Sequence[str], stale: Sequence[str]) -> TrainStep:
        return TrainStep(
            **self._stamp(),
            epoch=0,
            step=len(self.published),
            policy_version=len(self.published),
            groups_trained=tuple(taken),
            groups_rejected=tuple(RejectedGroup(name, "stale") for name in stale),
            metrics={},
            offsets={},
            batch_sha256="0" * 64,
            duration_s=STEP_S,
        )

    # ---- what is reported

    def share_preferred(self, value: Callable[[Episode], float]) -> float:
        low, high = PREFERRED
        return fmean(low <= value(episode) <= high for episode in self.episodes.values())

    def summary(self) -> dict[str, float]:
        over = [episode for episode in self.episodes.values() if episode.end in ENDS]
        untimely = {True: [0, 0], False: [0, 0]}
        turns = {True: [0, 0], False: [0, 0]}
        trained, wanted = [], []
        for episode in over:
            slow, lost = episode.said.task_id in self.world.slow, episode.end in UNTIMELY
            untimely[slow][0] += lost
            untimely[slow][1] += 1
            if episode.end == "trained":
                turns[slow][0] += NUM_TURNS - episode.trained_turns
                turns[slow][1] += NUM_TURNS
                trained.append((episode.duration_s, episode.trained_turns / NUM_TURNS))
            if lost or episode.end == "trained":
                wanted.append(episode.duration_s)
        played = Counter(e.said.task_id for e in over if e.said.task_id in self.world.slow)
        kept = Counter(e.said.task_id for e in over if e.said.task_id in self.world.slow and e.end not in UNTIMELY)
        weights = [duration * share for duration, share in trained]
        return {
            "first_sealed_s": self.first_sealed_s,
            "sealed_per_1000": 1000 * self.num_sealed / self.num_finished,
            "trained_per_1000": 1000 * self.num_trained / self.num_finished,
            "trained_per_hour": 3600 * self.num_trained / self.now_s,
            "share_30_70": self.share_preferred(lambda e: e.rate),
            "share_30_70_estimated": self.share_preferred(lambda e: e.estimate),
            "share_unseen": fmean(math.isnan(episode.estimate) for episode in self.episodes.values()),
            "phase_2_at": self.phase_2_at,
            "slots_busy": self.busy_s / (self.now_s * WORKERS * SLOTS),
            "decide_ms_per_episode": 1000 * self.decide_s / self.num_finished,
            "slow_lost": untimely[True][0] / max(1, untimely[True][1]),
            "others_lost": untimely[False][0] / max(1, untimely[False][1]),
            "slow_masked": turns[True][0] / max(1, turns[True][1]),
            "others_masked": turns[False][0] / max(1, turns[False][1]),
            "slow_played": len(played),
            "slow_starved": sum(count >= 24 and not kept[task] for task, count in played.items()),
            "length_bias": fmean(d for d, _ in trained) / fmean(wanted) if trained else math.nan,
            "length_bias_turns": fmean(weights) / fmean(wanted) if trained else math.nan,
        }
