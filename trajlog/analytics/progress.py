"""Where a run stands: a pure fold over its events, shown live by `trajlog up` and kept in its summary."""

from collections import Counter

from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeFinished,
    EpisodeVerdict,
    Event,
    GroupVerdict,
    PolicyAcknowledged,
    PolicyPublished,
    TrainStep,
)

FOLLOWED = frozenset(
    cls.kind
    for cls in (
        EpisodeAssigned,
        EpisodeFinished,
        EpisodeVerdict,
        GroupVerdict,
        PolicyAcknowledged,
        PolicyPublished,
        TrainStep,
    )
)


class Progress:
    """Counts over the events that count (feed what ControlFollower yields, and episode_finished from `.rollouts`)."""

    def __init__(self) -> None:
        self.assigned: set[str] = set()
        self.outcomes: dict[str, str] = {}
        self.verdicts: dict[str, str] = {}
        self.groups: dict[str, GroupVerdict] = {}
        self.trained: set[str] = set()
        self.rejected_by_learner: dict[str, str] = {}
        self.steps: dict[int, TrainStep] = {}
        self.published = -1
        self.acknowledged = -1

    def see(self, event: Event) -> None:
        match event:
            case EpisodeAssigned():
                self.assigned.add(event.episode_id or "")
            case EpisodeFinished():
                self.outcomes.setdefault(event.episode_id or "", event.outcome)
            case EpisodeVerdict():
                self.verdicts.setdefault(event.episode_id or "", event.verdict)
            case GroupVerdict():
                self.groups.setdefault(event.group_id or "", event)
            case PolicyPublished():
                self.published = max(self.published, event.policy_version)
            case PolicyAcknowledged():
                self.acknowledged = max(self.acknowledged, event.policy_version)
            case TrainStep():
                if event.groups_trained:  # otherwise it only logs rejections
                    self.steps[event.step] = event
                self.trained |= set(event.groups_trained)
                self.rejected_by_learner |= {rejected.group_id: rejected.reason for rejected in event.groups_rejected}

    @property
    def running(self) -> int:
        return len(self.assigned - self.outcomes.keys() - self.verdicts.keys())

    @property
    def sealed(self) -> int:
        return sum(verdict.verdict == "sealed" for verdict in self.groups.values())

    @property
    def rejected(self) -> dict[str, int]:
        """Rejected groups by reason, those that the learner rejected included."""
        reasons = Counter(verdict.reason for verdict in self.groups.values() if verdict.verdict == "rejected")
        reasons.update(self.rejected_by_learner.values())
        return dict(sorted(reasons.items()))

    @property
    def queue_depth(self) -> int:
        """Sealed groups that no train_step has consumed yet."""
        consumed = self.trained | self.rejected_by_learner.keys()
        return sum(v.verdict == "sealed" and group not in consumed for group, v in self.groups.items())

    @property
    def lag(self) -> int:
        """Versions between the newest published and the newest that an engine serves."""
        return max(0, self.published - self.acknowledged)

    @property
    def last_step(self) -> TrainStep | None:
        return self.steps[max(self.steps)] if self.steps else None
