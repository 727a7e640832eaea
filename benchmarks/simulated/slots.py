"""The real scheduling core at many slots: what it costs per heartbeat and per assignment. Pure, no log, no waiting.

Workers of SLOTS slots each; every event is encoded and decoded as on its way through the log. The oldest episodes end,
about in order; then its worker sends a heartbeat as a worker does, and the verdicts of a full group follow its last
member. A look is what the scheduler role does after a poll: decide, read back what was decided, until nothing is left.
"""

import random
import time
from collections import defaultdict, deque
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count

from trajlog.config import GroupConfig, RunConfig, SchedulerConfig
from trajlog.producers.worker import REPEATED_FINISHED
from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeVerdict,
    Event,
    FinishedEpisode,
    GroupVerdict,
    Heartbeat,
    Producer,
    SchedulerStarted,
    TrainStep,
    encode,
    new_id,
)
from trajlog.stream.curriculum import CurriculumTask
from trajlog.stream.decoding import Decoder
from trajlog.stream.log import LogRecord
from trajlog.stream.scheduling import Assign, Scheduling

SLOTS, GROUP_SIZE, NUM_TASKS = 16, 12, 130
START = datetime(2026, 1, 1, tzinfo=UTC)
CONTROL = Producer("sim")


class Slots:
    """`num_slots` slots and a fold that fills them."""

    def __init__(self, num_slots: int, seed: int = 0) -> None:
        self.random = random.Random(seed)
        self.num_slots = num_slots
        config = RunConfig(
            run_id="sim",
            group=GroupConfig(group_size=GROUP_SIZE),
            scheduler=SchedulerConfig(max_open_groups=2 * num_slots, high_water_groups=10**6, lease_s=1e6),
        )
        tasks = [CurriculumTask(f"task-{i}", f"category-{i % 10}", i % 3 + 1) for i in range(NUM_TASKS)]
        self.fold = Scheduling(config, tasks)
        self.seconds: dict[str, float] = defaultdict(float)
        self.counts: dict[str, int] = defaultdict(int)
        self._workers = [Producer(f"w{i}", "0") for i in range(max(1, num_slots // SLOTS))]
        self._running: dict[str, set[str]] = {f"{worker.id}/0": set() for worker in self._workers}
        self._finished = {
            name: deque((FinishedEpisode(new_id(), "failed") for _ in range(REPEATED_FINISHED)), REPEATED_FINISHED + 1)
            for name in self._running
        }
        self._episodes: dict[str, Assign] = {}
        self.busy: list[str] = []
        """Running episodes, the oldest first."""
        self._ended: dict[str, list[str]] = defaultdict(list)
        self._offsets, self._decoder, self._step = count(), Decoder(), 0
        self._read("control", [SchedulerStarted(**CONTROL.stamp("sim"), epoch=0)])

    def fill(self) -> None:
        """Every worker's first heartbeat, then all slots are given an episode."""
        for worker in self._workers:
            self._heartbeat(f"{worker.id}/0")
        self.look()
        assert len(self.busy) == len(self._workers) * min(SLOTS, self.num_slots), "a slot is left without an episode"

    def play(self, num_finished: int, per_look: int) -> None:
        """Let so many episodes end; the scheduler looks after every `per_look` of them."""
        for number in range(num_finished):
            self._finish()
            if (number + 1) % per_look == 0:
                self.look()

    def look(self) -> None:
        """Decide until nothing is left."""
        while True:
            began = time.process_time()
            decisions = self.fold.decide(self.now(), new_id)
            self.seconds["decide"] += time.process_time() - began
            self.counts["decide"] += 1
            if not decisions:
                return
            self._read("control", [self._assigned(decision) for decision in decisions])
            self.counts["assignment"] += len(decisions)

    def _assigned(self, said: object) -> EpisodeAssigned:
        assert isinstance(said, Assign)
        self._episodes[said.episode_id] = said
        self._running[said.worker].add(said.episode_id)
        self.busy.append(said.episode_id)
        return EpisodeAssigned(
            **CONTROL.stamp("sim", group_id=said.group_id, episode_id=said.episode_id),
            epoch=0,
            worker=said.worker,
            task_id=said.task_id,
            attempt=said.attempt,
            group_size=said.group_size,
            curriculum_phase=said.curriculum_phase,
            success_estimate=said.success_estimate,
        )

    def _finish(self) -> None:
        place = min(int(self.random.expovariate(1 / GROUP_SIZE)), len(self.busy) - 1)
        said = self._episodes[self.busy.pop(place)]
        self._running[said.worker].remove(said.episode_id)
        self._finished[said.worker].append(FinishedEpisode(said.episode_id, "solved"))
        self._heartbeat(said.worker)
        ended = self._ended[said.group_id]
        ended.append(said.episode_id)
        if len(ended) == said.group_size:
            self._read("control", self._verdicts(said, self._ended.pop(said.group_id)))

    def _verdicts(self, said: Assign, members: Sequence[str]) -> list[Event]:
        """What the assembler says of a full group, and the step that trains it."""
        verdicts: list[Event] = [
            EpisodeVerdict(
                **CONTROL.stamp("sim", group_id=said.group_id, episode_id=self._episodes.pop(name).episode_id),
                verdict="sealed",
                task_id=said.task_id,
                outcome="solved",
                reward=1.0,
            )
            for name in members
        ]
        group = GroupVerdict(
            **CONTROL.stamp("sim", group_id=said.group_id),
            verdict="sealed",
            reason="full",
            task_id=said.task_id,
            group_partition=0,
            logical_time=self.now(),
            offsets={},
            numbers={"members": float(len(members))},
        )
        self._step += 1
        step = TrainStep(
            **CONTROL.stamp("sim"),
            epoch=0,
            step=self._step,
            policy_version=self._step,
            groups_trained=(said.group_id,),
            groups_rejected=(),
            metrics={},
            offsets={},
            batch_sha256="0" * 64,
            duration_s=1.0,
        )
        return [*verdicts, group, step]

    def _heartbeat(self, worker: str) -> None:
        beat = Heartbeat(
            **Producer(*worker.split("/")).stamp("sim"),
            role="worker",
            num_slots=min(SLOTS, self.num_slots),
            running=tuple(self._running[worker]),
            finished=tuple(self._finished[worker]),
        )
        self._read("liveness", [beat])

    def _read(self, topic: str, events: Sequence[Event]) -> None:
        """Through the encoder (not counted), the decoder and the fold."""
        records = encode(events)
        now = self.now()
        take = self.fold.control if topic == "control" else self.fold.liveness
        began = time.process_time()
        for record in records:
            read = LogRecord(topic, 0, next(self._offsets), now, record.key, record.headers, record.value)
            for event in self._decoder.events(read):
                take(now, event)
        self.seconds[topic] += time.process_time() - began
        self.counts[topic] += len(events)
        self.counts[f"{topic}_bytes"] += sum(len(record.value) for record in records)

    def now(self) -> datetime:
        return START + timedelta(milliseconds=self.counts["liveness"])


def measure(num_slots: int, num_finished: int) -> dict[str, float]:
    """CPU of the fold at `num_slots`: when all slots are filled at once, then per event and per assignment while
    `num_finished` episodes end, the scheduler looking after each of them, then after every 64 (of 10 slots: 5)."""
    slots = Slots(num_slots)
    began = time.process_time()
    slots.fill()
    figures = {"fill_s": time.process_time() - began}
    for name, per_look in (("one", 1), ("many", min(64, num_slots // 2))):
        slots.seconds.clear()
        slots.counts.clear()
        slots.play(num_finished // 2, per_look)
        slots.look()
        seconds, counts = slots.seconds, slots.counts
        figures[f"decide_us_{name}"] = 1e6 * seconds["decide"] / counts["assignment"]
    figures["heartbeat_us"] = 1e6 * seconds["liveness"] / counts["liveness"]
    figures["heartbeat_bytes"] = counts["liveness_bytes"] / counts["liveness"]
    figures["control_event_us"] = 1e6 * seconds["control"] / counts["control"]
    figures["control_bytes_per_rollout"] = counts["control_bytes"] / counts["assignment"]
    return figures
