"""The learner role: sealed groups in, optimizer steps and policy versions out.

consumes `.groups` (group_sealed) and `.control` (its own past); produces learner_started, train_step and
policy_published; waits for `groups_per_step` groups that are fresh enough; is unblocked by the assembler. Engines
load a version by themselves from policy_published, while the next groups are read. Killed at any instant, the next
start goes on from the newest checkpoint in a new epoch.

A group's gradients are added up as soon as it is there, before the others of its step. It cannot turn stale meanwhile:
that depends on the version about to be trained, which moves when this learner finishes a step, or in a newer epoch, at
which it ends. It stays in the queue until the step is made, so offsets never pass it; a rebalance empties the queue
and reads it again, and it is then known by name.

Durable steps of one optimizer step, by the names that `on_durable` is told:
1 `updated`: parameters moved, in memory only. A kill here, or before, loses gradients; their groups are read again.
2 `checkpointed`: checkpoint.py. A kill here leaves a step that the log lacks: the next start appends it.
3 `logged`: train_step, policy_published and the offsets, one transaction.
So nothing is published before its checkpoint, and each sealed group ends in at most one surviving train_step.
At the very first start, version 0 goes through 2 and 3 alike.
"""

import logging
import math
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch

from trajlog.config import RunConfig
from trajlog.errors import ConfigError, RoleBusy
from trajlog.learner.adaptive_kl import next_kl_coef
from trajlog.learner.algorithms import ALGORITHMS
from trajlog.learner.batch import build_batch, trained_positions
from trajlog.learner.checkpoint import Checkpoint, CheckpointState
from trajlog.learner.consumption import JudgedGroup, batch_digest
from trajlog.learner.curves import Curves
from trajlog.learner.determinism import set_deterministic
from trajlog.learner.examples import draw_anchors, load_anchors
from trajlog.learner.following import lead
from trajlog.learner.history import History, plan_start
from trajlog.learner.intake import Intake
from trajlog.learner.policy import PolicyModel
from trajlog.learner.rank_processes import rank_processes
from trajlog.learner.ranks import Ranks
from trajlog.learner.recorded_routing import GroupRouting, RoutingShape, load_routing
from trajlog.learner.sharding import load_base
from trajlog.learner.skipped import write_skipped
from trajlog.learner.state import TrainingState, event_fields
from trajlog.learner.tensors import step_tensors, tensor_digests
from trajlog.learner.update import Step
from trajlog.learner.watchdog import Watchdog
from trajlog.schemas import (
    Event,
    LearnerStarted,
    PolicyPublished,
    Producer,
    RejectedGroup,
    TrainStep,
    encode,
)
from trajlog.stream.clock import FoldClock
from trajlog.stream.control import ControlFollower, Followed, Stop, claim_epoch
from trajlog.stream.log import Log, TopicPartition, check_identity

POLL_S = 0.2
_KINDS = frozenset({LearnerStarted.kind, TrainStep.kind, PolicyPublished.kind})
_ENVELOPE = frozenset(Event.__struct_fields__)
_logger = logging.getLogger(__name__)


def run_learner(
    log: Log,
    config: RunConfig,
    stop: Stop,
    *,
    model_path: Path,
    directory: Path,
    num_ranks: int = 1,
    on_step: Callable[[TrainStep], None] = lambda step: None,
) -> None:
    """Train until `stop` is set or `learner.max_steps` are done. `directory` keeps checkpoints and the reference.

    With several ranks this process is the first and starts the others, one GPU each (rank_processes.py).
    Raises RoleBusy when another learner lives or has taken over, ConfigError, ModelError, LogIdentityMismatch.
    """
    if not torch.cuda.is_available():
        # Threads that wait spin (seen on 2 busy cores, one step: 94 s with 2 threads, 8 to 12 s with 1).
        torch.set_num_threads(min(torch.get_num_threads(), max(1, (os.cpu_count() or 1) // 2)))
    set_deterministic(config.learner.deterministic)
    with rank_processes(num_ranks, model_path, config) as ranks:
        policy = load_base(model_path, config, ranks)
        Learner(log, config, policy, directory, on_step=on_step, ranks=ranks).run(stop)


class Learner:
    """One learner process; `run` once."""

    def __init__(
        self,
        log: Log,
        config: RunConfig,
        policy: PolicyModel,
        directory: Path,
        *,
        on_step: Callable[[TrainStep], None] = lambda step: None,
        on_durable: Callable[[str], None] = lambda name: None,
        ranks: Ranks | None = None,
    ) -> None:
        """`on_durable` is called after each durable step with its name; tests end the process there. `ranks`: the
        processes that this one leads (ranks.py)."""
        self._log = log
        self._config = config
        self._settings = config.learner
        self._algorithm = ALGORITHMS[config.learner.algorithm]
        self._directory = directory
        self._state = TrainingState(policy, config, directory)
        self._on_step = on_step
        self._on_durable = on_durable
        self._producer = Producer("learner")
        self._history = History()
        self._clock = FoldClock()
        self._anchors = load_anchors(self._settings)
        self._routing_shape = replayed_shape(policy, config)
        self._without_routing: list[str] = []
        """Turns in the open step without a record to replay, in words."""
        self._ranks = ranks or Ranks()
        self._open: Step | None = None
        self._added: list[JudgedGroup] = []
        """Groups whose gradients are in the open step, in order."""
        self._worked_s = 0.0
        """Spent on them."""
        self._done_s = 0.0
        """When the step before was over, by time.monotonic()."""
        self._publish_s = 0.0
        """What its durable step 3 and the deletion of old checkpoints took."""

    def run(self, stop: Stop) -> None:
        """Start from the newest checkpoint, then train until `stop` is set or max_steps are done."""
        found = self._state.newest()
        if found is not None:
            topics = [self._config.topic("groups")]
            check_identity(self._log, found.state.log_identity, f"checkpoint {found.path}", topics)
        offsets = {} if found is None else {_partition(n): o for n, o in found.state.offsets.items()}
        with (
            ControlFollower(
                self._log, self._config.topic("control"), _KINDS, run_id=self._config.run_id
            ) as self._control,
            Intake(self._log, self._config, offsets) as self._intake,
        ):
            self._start()
            self._done_s = time.monotonic()
            self._clock.caught_up(self._done_s)
            with (
                Curves(self._directory, self._history.steps) as self._curves,
                Watchdog(self._log, self._config, time.monotonic()) as self._watchdog,
            ):
                while not stop.is_set() and not 0 < self._settings.max_steps <= self._step:
                    self._turn()

    def _turn(self) -> None:
        """Read a little; then add a group to the step, or log rejections if nothing else is to do."""
        busy = self._intake.read(0.0 if len(self._intake.queue) > len(self._added) else POLL_S)
        self._check_epoch()
        found = self._next()
        if found is not None:
            self._add(found)
            if len(self._added) == self._settings.groups_per_step:
                self._finish()
                self._done_s = time.monotonic()
            self._watchdog.fed(time.monotonic())
            return
        if self._intake.rejected and not busy:
            self._log_rejections()
        now_s = time.monotonic()
        self._watchdog.look(now_s, self._clock.now(now_s), len(self._added))

    def _next(self) -> JudgedGroup | None:
        """The next group to train that is not in the step already."""
        ready = self._intake.take(self._settings.groups_per_step, self._policy_version, self._history.consumed())
        names = {judged.group.group_id for judged in self._added}
        return next((judged for judged in ready if judged.group.group_id not in names), None)

    def _start(self) -> None:
        """Fence older learners, restore, and append what the log lacks."""
        for followed in self._control.catch_up():
            self._see(followed)
        found = self._state.newest()  # after what the log says: whoever held the partitions may have gone on meanwhile
        plan_start(self._history, None if found is None else found.state)  # refuses before anything is appended
        self._intake.join()
        found = self._state.newest()
        state = None if found is None else found.state
        self._step = 0 if state is None else state.step
        self._epoch = claim_epoch(self._log, self._control, "learner", self._learner_started, self._see)
        plan = plan_start(self._history, state)
        self._policy_version = plan.policy_version
        if found is None:
            self._state.create()
            found = self._save(self._settings.kl_coef, {}, None)
            self._on_durable("checkpointed")
        else:
            self._state.restore(found)
        lead(self._state.policy, self._state.optimizer, self._ranks)
        self._kl_coef = found.state.kl_coef
        events: list[Event] = []
        if plan.append_train_step:
            fields = {**(found.state.train_step or {}), "epoch": self._epoch, "policy_version": self._policy_version}
            events.append(msgspec.convert({**self._stamp(), **fields}, TrainStep))
        if plan.publish:
            events.append(self._policy_published(found))
        if events:
            self._append(events, {_partition(n): o for n, o in found.state.offsets.items()})
            self._on_durable("logged")

    def _learner_started(self, epoch: int) -> LearnerStarted:
        return LearnerStarted(**self._stamp(), epoch=epoch, step=self._step)

    def _check_epoch(self) -> None:
        for followed in self._control.poll(0.0):
            self._see(followed)
        newest = self._control.epochs.learner_epoch
        if newest > self._epoch:
            raise RoleBusy(
                f"another learner has begun epoch {newest} of run {self._config.run_id}; this one (epoch "
                f"{self._epoch}) ends. Run one learner per run."
            )

    def _add(self, judged: JudgedGroup) -> None:
        began = time.monotonic()
        routing = None if self._routing_shape is None else [self._load_routing(judged, self._routing_shape)]
        if self._open is None:
            policy, optimizer = self._state.policy, self._state.optimizer
            self._open = Step(policy, optimizer, self._algorithm, self._settings, self._kl_coef, self._ranks)
        self._open.add(build_batch([(judged.group, judged.staleness)], self._algorithm, self._settings, routing))
        self._added.append(judged)
        self._worked_s += time.monotonic() - began

    def _load_routing(self, judged: JudgedGroup, shape: RoutingShape) -> GroupRouting:
        trained = trained_positions(judged.group, judged.staleness, self._settings)
        found = load_routing(judged.group, shape, trained)
        if found.without and not self._without_routing:
            _logger.warning(
                "step %d trains turns without recorded routing, by the learner's own routers; the first is %s. "
                "train_step counts them (num_turns_without_routing)",
                self._step + 1,
                found.without[0],
            )
        self._without_routing += found.without
        return found

    def _finish(self) -> None:
        began = time.monotonic()
        settings, ready = self._settings, self._added
        assert self._open is not None
        anchors = draw_anchors(self._anchors, settings, self._step + 1)
        digests = tensor_digests(step_tensors(self._open.batch, anchors, self._algorithm, settings))
        done = self._open.finish(anchors)
        self._open, self._added = None, []
        duration_s = self._worked_s + time.monotonic() - began
        waited_s = max(time.monotonic() - self._done_s - duration_s, 0.0)
        self._worked_s = 0.0
        metrics = done.metrics | _group_metrics(ready) | {"learning_rate": settings.learning_rate, "waited_s": waited_s}
        metrics |= {"publish_s": self._publish_s}
        metrics = _with_overlong(metrics, self._intake.overlong_outcomes)
        if self._routing_shape is not None:
            metrics["num_turns_without_routing"] = float(len(self._without_routing))
            self._without_routing = []
        if not done.applied:
            self._skip(ready, [ready[place] for place in done.at_fault], metrics, digests, duration_s)
            return
        self._on_durable("updated")
        self._intake.remove(ready)
        self._step += 1
        self._policy_version += 1
        self._kl_coef = next_kl_coef(self._kl_coef, done.metrics.get("kl", math.nan), settings.kl_target)
        offsets = self._intake.next_offsets()
        event = self._train_step(ready, offsets, metrics, digests, duration_s)
        began = time.monotonic()
        saved = self._save(self._kl_coef, offsets, event)
        saved_s = time.monotonic()
        event = msgspec.structs.replace(event, metrics=event.metrics | {"checkpoint_s": saved_s - began})
        self._on_durable("checkpointed")
        self._append([event, self._policy_published(saved)], offsets)
        self._on_durable("logged")
        self._intake.settled(offsets)
        self._state.prune()
        self._publish_s = time.monotonic() - saved_s
        self._curves.add(event)
        self._on_step(event)

    def _skip(
        self,
        ready: Sequence[JudgedGroup],
        faulty: Sequence[JudgedGroup],
        metrics: dict[str, float],
        digests: dict[str, str],
        duration_s: float,
    ) -> None:
        """Nothing has moved: keep the batch by name, and reject the groups at fault; the others stay in the queue."""
        would_be = self._train_step(ready, self._intake.next_offsets(), metrics, digests, duration_s)
        names = [str(judged.group.group_id) for judged in faulty]
        would_be = msgspec.structs.replace(
            would_be,
            step=self._step + 1,
            policy_version=self._policy_version + 1,
            groups_rejected=tuple(RejectedGroup(name, "non_finite") for name in names),
        )
        path = write_skipped(self._directory, would_be)
        _logger.warning(
            "loss or gradient not finite: step %d skipped, groups rejected: %s; to be trained again: %s. The batch "
            "again: trajlog replay batch --run-dir %s --skipped %s",
            would_be.step,
            ", ".join(names),
            ", ".join(name for name in would_be.groups_trained if name not in names) or "none",
            self._directory,
            path,
        )
        self._intake.reject(faulty, "non_finite")

    def _log_rejections(self) -> None:
        """Rejections while too few groups are left to train: logged at once, since the scheduler counts the queue.

        A train_step without trained groups; it repeats the number and version of the step before.
        """
        offsets = self._intake.next_offsets()
        metrics = _with_overlong({}, self._intake.overlong_outcomes)
        self._append([self._train_step([], offsets, metrics, None, 0.0)], offsets)
        self._on_durable("logged")
        self._intake.settled(offsets)

    def _train_step(
        self,
        groups: Sequence[JudgedGroup],
        offsets: dict[TopicPartition, int],
        metrics: dict[str, float],
        digests: dict[str, str] | None,
        duration_s: float,
    ) -> TrainStep:
        return TrainStep(
            **self._stamp(),
            epoch=self._epoch,
            step=self._step,
            policy_version=self._policy_version,
            groups_trained=tuple(str(judged.group.group_id) for judged in groups),
            groups_rejected=tuple(self._intake.rejected),
            metrics=metrics,
            offsets=_named(offsets),
            batch_sha256=batch_digest(
                [judged.group for judged in groups], replays_routing=self._routing_shape is not None
            ),
            duration_s=duration_s,
            tensor_digests=digests,
        )

    def _save(self, kl_coef: float, offsets: dict[TopicPartition, int], event: TrainStep | None) -> Checkpoint:
        state = CheckpointState(
            run_id=self._config.run_id,
            log_identity=self._log.identity,
            epoch=self._epoch,
            step=self._step,
            policy_version=self._policy_version,
            adapter_sha256="",
            kl_coef=kl_coef,
            offsets=_named(offsets),
            train_step=None if event is None else event_fields(event, _ENVELOPE),
        )
        return self._state.save(state)

    def _policy_published(self, saved: Checkpoint) -> PolicyPublished:
        return PolicyPublished(
            **self._stamp(),
            epoch=self._epoch,
            policy_version=self._policy_version,
            step=saved.state.step,
            uri=str(saved.adapter.resolve()),
            sha256=saved.state.adapter_sha256,
            link="file",
        )

    def _append(self, events: list[Event], offsets: dict[TopicPartition, int]) -> None:
        """Durable step 3; then the history reads it back, as any later start will."""
        with self._log.transaction(self._intake.reader) as transaction:
            transaction.append(self._config.topic("control"), encode(events))
            if offsets:
                transaction.commit_offsets(self._intake.consumer, offsets)
        for followed in self._control.read_back(events):
            self._see(followed)

    def _see(self, followed: Followed) -> None:
        self._clock.read(followed.record.append_time, time.monotonic())
        self._history.apply(followed.event)

    def _stamp(self) -> dict[str, Any]:
        return self._producer.stamp(self._config.run_id)


def replayed_shape(policy: PolicyModel, config: RunConfig) -> RoutingShape | None:
    """What recorded routing must look like; None when none is replayed. Raises ConfigError when the policy has no
    routers."""
    if not config.router_replay.directory:
        return None
    if policy.routing_shape is None:
        raise ConfigError(
            f"router_replay.directory is for mixtures (Qwen3-MoE), and {config.model.name} has no routers to replay: "
            "take it out of the run's settings"
        )
    return policy.routing_shape


def _group_metrics(ready: Sequence[JudgedGroup]) -> dict[str, float]:
    """Over the sealed members and their fresh turns."""
    members = [member for judged in ready for member in judged.group.members]
    steps = [s for judged in ready for s in judged.off_policy_steps]
    return {
        "reward_mean": math.fsum(m.reward for m in members) / len(members),
        "solved_fraction": sum(m.outcome == "solved" for m in members) / len(members),
        "off_policy_steps_mean": sum(steps) / max(len(steps), 1),
        "off_policy_steps_max": float(max(steps, default=0)),
        "num_excluded_members": float(sum(len(judged.staleness.excluded) for judged in ready)),
    }


def _with_overlong(metrics: dict[str, float], outcomes: Sequence[str]) -> dict[str, float]:
    """With members of groups that were rejected as `overlong` counted among those that left the groups trained."""
    counted = dict(metrics)
    for outcome in outcomes:
        for name in ("num_overlong_members", f"num_overlong_{outcome}"):
            counted[name] = counted.get(name, 0.0) + 1.0
    return counted


def _named(offsets: dict[TopicPartition, int]) -> dict[str, int]:
    return {f"{tp.topic}-{tp.partition}": offset for tp, offset in sorted(offsets.items())}


def _partition(name: str) -> TopicPartition:
    topic, _, partition = name.rpartition("-")
    return TopicPartition(topic, int(partition))
