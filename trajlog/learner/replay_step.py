"""The tensors of one training step again, from what was recorded, and the proof that they are the very ones.

The groups come out of `.groups`, or of the archive by the members' generations; they pass the learner's own door
(consumption.judge, at the version that the step trained) and its own batching (build_batch, pack). train_step says what
must come out: batch_sha256 over the groups' tokens, tensor_digests over every array that the update consumed.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
from safetensors.torch import save
from torch import Tensor

from trajlog.config import RunConfig
from trajlog.errors import ConfigError
from trajlog.learner.algorithms import ALGORITHMS
from trajlog.learner.batch import build_batch, trained_positions
from trajlog.learner.consumption import QueuedGroup, batch_digest, judge
from trajlog.learner.examples import draw_anchors, load_anchors
from trajlog.learner.history import History
from trajlog.learner.recorded_routing import load_routing
from trajlog.learner.tensors import step_tensors, tensor_digests
from trajlog.schemas import Event, GroupSealed, LearnerStarted, TrainStep
from trajlog.stream.decoding import Decoder
from trajlog.stream.epochs import EpochFilter
from trajlog.stream.log import TopicPartition
from trajlog.stream.recorded import Recorded, whole_control


class ReplayedStep(msgspec.Struct, frozen=True, kw_only=True):
    """A step, recorded and rebuilt: the manifest."""

    run_id: str
    step: int
    epoch: int
    policy_version: int
    """The version that the step made; it trained on the one before."""
    event_id: str
    groups: dict[str, str]
    """Each group, in the order trained, and where its tokens were found."""
    batch_sha256: tuple[str, str]
    """Recorded, rebuilt."""
    tensors: dict[str, tuple[str | None, str]]
    """Digest of each array, recorded (None: the step was recorded without) and rebuilt."""
    differences: tuple[str, ...]
    """What is not as it was, in words; none: all that was recorded is proven."""

    @property
    def proven(self) -> bool:
        """Whether the step was recorded with its arrays' digests."""
        return all(recorded is not None for recorded, _ in self.tensors.values())


def replay_step(sources: Sequence[Recorded], config: RunConfig, number: int) -> tuple[ReplayedStep, dict[str, Tensor]]:
    """Rebuild optimizer step `number` of the run's surviving history; groups are looked for in the sources' order.

    Raises ConfigError when there is no such step, when it was lost by a restore or trained nothing, and when groups
    cannot be found or rebuilt any more.
    """
    step, before = find_step(_control_events(sources, TopicPartition(config.topic("control"), 0)), number)
    return rebuild(sources, config, step, {} if before is None else before.offsets)


def rebuild(
    sources: Sequence[Recorded], config: RunConfig, step: TrainStep, offsets: Mapping[str, int]
) -> tuple[ReplayedStep, dict[str, Tensor]]:
    """The tensors of a train_step, or of one that was skipped (skipped.py).

    `offsets`: none of its groups lies before these, per `<topic>-<partition>`. Raises ConfigError when groups cannot be
    found or rebuilt any more.
    """
    found = _groups(sources, step, offsets)
    groups = [found[name][0] for name in step.groups_trained]
    version, settings, algorithm = step.policy_version - 1, config.learner, ALGORITHMS[config.learner.algorithm]
    judged = [judge(QueuedGroup(TopicPartition("", 0), 0, group), version, config) for group in groups]
    differences = [f"group {j.group.group_id} would be rejected as {j.reason}" for j in judged if j.reason is not None]
    try:
        anchors = draw_anchors(load_anchors(settings), settings, step.step)
    except ConfigError as error:
        anchors = []
        differences.append(f"the behaviour-cloning examples cannot be drawn again: {error}")
    routing = None
    if config.router_replay.directory:
        routing = [load_routing(j.group, None, trained_positions(j.group, j.staleness, settings)) for j in judged]
    batch = build_batch([(j.group, j.staleness) for j in judged], algorithm, settings, routing)
    tensors = step_tensors(batch, anchors, algorithm, settings)
    digests, recorded = tensor_digests(tensors), step.tensor_digests or {}
    tokens = batch_digest(groups, replays_routing=routing is not None)
    if tokens != step.batch_sha256:
        differences.append("the groups' tokens")
    differences += [f"the array {name}" for name in digests if recorded and recorded.get(name) != digests[name]]
    differences += [f"the array {name}, which is not made any more" for name in recorded.keys() - digests.keys()]
    gone = [turn for found_routing in routing or () for turn in found_routing.without]
    if gone and any("array routed" in difference for difference in differences):
        differences.append(f"recorded routing that is not there any more, of {len(gone)} turns: {gone[0]}")
    manifest = ReplayedStep(
        run_id=step.run_id,
        step=step.step,
        epoch=step.epoch,
        policy_version=step.policy_version,
        event_id=step.event_id,
        groups={name: found[name][1] for name in step.groups_trained},
        batch_sha256=(step.batch_sha256, tokens),
        tensors={name: (recorded.get(name), digest) for name, digest in digests.items()},
        differences=tuple(differences),
    )
    return manifest, tensors


def find_step(events: Sequence[Event], number: int) -> tuple[TrainStep, TrainStep | None]:
    """The surviving train_step that trained optimizer step `number`, and the surviving one before it.

    `events` are the control events that count, in offset order. Raises ConfigError saying why there is none.
    """
    history = History()
    lost: LearnerStarted | None = None
    for event in events:
        was_there = history.trained(number)
        history.apply(event)
        if was_there and isinstance(event, LearnerStarted) and not history.trained(number):
            lost = event
    before: TrainStep | None = None
    for step in history.steps:
        if step.step == number and step.groups_trained:
            return step, before
        before = step
    trained = sorted(step.step for step in history.steps if step.groups_trained)
    there = f"It has steps {trained[0]} to {trained[-1]}." if trained else "It has trained no step yet."
    if lost is not None:
        raise ConfigError(
            f"step {number} was lost: the learner of epoch {lost.epoch} began again from step {lost.step}, and has not "
            f"come so far. {there}"
        )
    if any(step.step == number for step in history.steps):
        raise ConfigError(f"step {number} trained nothing: the learner rejected groups there. {there}")
    raise ConfigError(f"the run has no step {number}. {there}")


def _control_events(sources: Sequence[Recorded], tp: TopicPartition) -> list[Event]:
    """Events of learners that count."""
    decoder, epochs = Decoder(), EpochFilter()
    events: list[Event] = []
    with closing(whole_control(sources).records({tp: 0})) as records:
        for record in records:
            if record.header("kind") in (LearnerStarted.kind, TrainStep.kind):
                events += [event for event in decoder.events(record) if epochs.admits(event)]
    return events


def _groups(
    sources: Sequence[Recorded], step: TrainStep, offsets: Mapping[str, int]
) -> dict[str, tuple[GroupSealed, str]]:
    """Groups of a step and where each was found."""
    starts = {}
    for name, offset in offsets.items():
        topic, _, partition = name.rpartition("-")
        starts[TopicPartition(topic, int(partition))] = offset
    found: dict[str, tuple[GroupSealed, str]] = {}
    broken: dict[str, str] = {}
    for source in sources:
        missing = [name for name in step.groups_trained if name not in found]
        if missing:
            groups, why = source.sealed_groups(missing, starts)
            found |= {name: (group, source.name) for name, group in groups.items()}
            broken |= why
    missing = [name for name in step.groups_trained if name not in found]
    if missing:
        told = ", ".join(f"{name} ({broken.get(name, 'no group_sealed')})" for name in missing)
        raise ConfigError(
            f"step {step.step} cannot be rebuilt from {' and '.join(source.name for source in sources)}: {told}. "
            f"Name the run's archive with --run-dir, or a log that still holds its .groups with --log."
        )
    return found


def write_step(folder: Path, manifest: ReplayedStep, tensors: dict[str, Tensor]) -> tuple[Path, Path]:
    """step-N.safetensors and step-N.json in `folder`, each written whole and then renamed."""
    folder.mkdir(parents=True, exist_ok=True)
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    paths = folder / f"step-{manifest.step}.safetensors", folder / f"step-{manifest.step}.json"
    for path, content in zip(paths, (save(tensors), text + b"\n"), strict=True):
        fresh = path.with_name(f".{path.name}.tmp")
        fresh.write_bytes(content)
        fresh.replace(path)
    return paths
