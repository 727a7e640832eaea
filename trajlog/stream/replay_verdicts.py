"""The assembler's fold run again over what was recorded, with other limits: what would have become of each group.

Two folds run side by side over a partition of `.rollouts`: one with the run's own limits, one with the others. Both are
told what the assembler had been told: `group_verdict.offsets` says which records and control events it had read at each
decision, `logical_time` when that was. What comes of the first fold must be the recorded verdicts; how many of them are
is part of the report, and the proof of the method.

Where the assembler decided nothing, the folds are asked as often as it looks (POLL_S of append time). A decision that
the run's own limits give as well is held back to the moment at which it was really made, so that with unchanged limits
nothing differs; a decision that only the other limits give is made at once. The second fold is therefore an assembler
that was never down or behind. Policy versions, abandoned episodes and the moments of training stay as recorded: what
other limits would have done to the policy, and to what the scheduler opened, is not guessed.
"""

from collections import Counter
from collections.abc import Mapping
from contextlib import closing

import msgspec

from trajlog.config import RunConfig
from trajlog.errors import ConfigError
from trajlog.schemas import (
    EpisodeVerdict,
    GroupVerdict,
    LearnerStarted,
    PolicyPublished,
    TrainStep,
)
from trajlog.stream.decoding import Decoder
from trajlog.stream.epochs import EpochFilter
from trajlog.stream.log import TopicPartition
from trajlog.stream.recorded import Recorded, partition_name
from trajlog.stream.verdict_folds import GroupReplay, Learned, PartitionReplay, RecordedControl

LIMITS = {
    "staleness": ("max_off_policy_steps",),
    "group": ("min_group_size", "min_reward_std", "seal_timeout_s"),
    "episode": ("context_limit",),
}
"""What the fold reads from the settings. Not `group_size`: a group is filled with as many members as its episodes were
opened for (episode_started), and how many others there would have been is not known."""


class VerdictReplay(msgspec.Struct, frozen=True, kw_only=True):
    """All of a run."""

    groups: tuple[GroupReplay, ...]
    episodes: dict[str, tuple[str, str]]
    """Verdicts of every episode, recorded and replayed; `open` where there is none."""
    episodes_reproduced: int
    """Episodes for which the run's own limits gave the recorded verdict."""

    def transitions(self) -> dict[str, Counter[tuple[str, str]]]:
        """How often each recorded outcome became which: of `groups`, `episodes`, and at the `learner`."""
        return {
            "groups": Counter((str(g.recorded), str(g.replayed)) for g in self.groups),
            "episodes": Counter(self.episodes.values()),
            "learner": Counter(
                (g.recorded.trained or "not sealed", g.replayed.trained or "not sealed")
                for g in self.groups
                if g.recorded.trained or g.replayed.trained
            ),
        }


def replay_verdicts(recorded: Recorded, config: RunConfig, other: RunConfig) -> VerdictReplay:
    """Judge everything again by `config`, which is the run's, and by `other`. Raises ConfigError when the records are a
    copy of the run's, or do not begin with its first."""
    if recorded.copy_of is not None:
        raise ConfigError(
            f"{recorded.name} is a copy of {recorded.copy_of}, with the times of the copying: verdicts can only be "
            f"judged again where they were recorded. Name that log with --log, or its archive with --run-dir and "
            f"--archive."
        )
    spans = recorded.spans()
    for tp, span in spans.items():
        if span.start > 0 and span and tp.topic != config.topic("groups"):
            raise ConfigError(
                f"{recorded.name} begins with offset {span.start} of {partition_name(tp)}: verdicts cannot be judged "
                f"again without what was before. Use the archive (--archive)."
            )
    control = _read_control(recorded, TopicPartition(config.topic("control"), 0))
    groups: dict[str, GroupReplay] = {}
    episodes: dict[str, tuple[str, str]] = {}
    num_reproduced = 0
    for tp in sorted(tp for tp in spans if tp.topic == config.topic("rollouts")):
        replay = PartitionReplay(tp, config, other, control)
        with closing(recorded.records({tp: spans[tp].start})) as records:
            replay.run(records)
        for group in replay.groups():
            groups[group.group_id] = group
        for episode_id, (was, own, new) in replay.episodes().items():
            episodes[episode_id] = (was, new)
            num_reproduced += was == own
    return VerdictReplay(groups=tuple(groups.values()), episodes=episodes, episodes_reproduced=num_reproduced)


def _read_control(recorded: Recorded, tp: TopicPartition) -> RecordedControl:
    found = RecordedControl([], {}, {}, {}, {})
    steps: list[TrainStep] = []
    decoder, epochs = Decoder(), EpochFilter()
    with closing(recorded.records({tp: recorded.spans()[tp].start})) as records:
        for record in records:
            for event in decoder.events(record):
                if not epochs.admits(event):
                    continue
                match event:
                    case PolicyPublished():
                        found.inputs.append(Learned(record.offset, record.append_time, event))
                    case EpisodeVerdict():
                        found.episodes.setdefault(str(event.episode_id), event)
                        if event.verdict == "sealed":
                            found.sealed.setdefault(str(event.group_id), set()).add(str(event.episode_id))
                        if event.epoch is not None:
                            found.inputs.append(Learned(record.offset, record.append_time, event))
                    case GroupVerdict():
                        found.groups.setdefault(str(event.group_id), event)
                    case LearnerStarted():
                        steps = [step for step in steps if step.step <= event.step]
                    case TrainStep():
                        steps.append(event)
    for step in steps:
        version = step.policy_version - bool(step.groups_trained)
        found.consumed.update({group: ("trained", version) for group in step.groups_trained})
        found.consumed.update({rejected.group_id: (rejected.reason, version) for rejected in step.groups_rejected})
    return found


def limits_of(config: RunConfig) -> dict[str, float]:
    """The limits that can be changed, by name."""
    return {name: getattr(getattr(config, section), name) for section, names in LIMITS.items() for name in names}


def changed_limits(config: RunConfig, limits: Mapping[str, float | int | None]) -> RunConfig:
    """The run's settings with other limits, each by its own name; None leaves one alone. Raises ConfigError.

    >>> changed_limits(RunConfig(run_id="r"), {"max_off_policy_steps": 2}).staleness.max_off_policy_steps
    2
    """
    changed = {}
    for section, names in LIMITS.items():
        wanted = {name: limits[name] for name in names if limits.get(name) is not None}
        changed[section] = msgspec.structs.replace(getattr(config, section), **wanted)
    try:
        return msgspec.convert(msgspec.to_builtins(msgspec.structs.replace(config, **changed)), RunConfig)
    except (msgspec.ValidationError, ValueError) as error:
        raise ConfigError(f"these limits do not go together: {error}") from None
