"""A partition's fold for tests, driven by hand. Groups have 3 members, at least 2; 600 s to a partial group."""

from array import array

from tests.stream.stream_events import RUN, at, batches
from trajlog.config import EpisodeConfig, GroupConfig, RunConfig, StalenessConfig
from trajlog.schemas import EpisodeVerdict, GroupVerdict, PolicyPublished, Producer
from trajlog.stream.assembly import Assembly, EpisodeDecision, GroupDecision, Ledger

CONFIG = RunConfig(
    run_id=RUN,
    group=GroupConfig(group_size=3, min_group_size=2, seal_timeout_s=600),
    staleness=StalenessConfig(max_off_policy_steps=1),
    episode=EpisodeConfig(context_limit=20),
)
PRODUCER = Producer("test")


def verdict_events(decisions):
    """A decision as the events that the assembler writes."""
    events = []
    for decision in decisions:
        for judged in [decision] if isinstance(decision, EpisodeDecision) else decision.episodes:
            stamp = PRODUCER.stamp(RUN, group_id=judged.group_id, episode_id=judged.episode_id)
            events.append(EpisodeVerdict(**stamp, verdict=judged.verdict, task_id=judged.task_id))
        if isinstance(decision, GroupDecision):
            events.append(
                GroupVerdict(
                    **PRODUCER.stamp(RUN, group_id=decision.group_id),
                    verdict="sealed" if decision.sealed else "rejected",
                    reason=decision.reason,
                    task_id=decision.task_id,
                    group_partition=0,
                    logical_time=at(0),
                    offsets={},
                    numbers=decision.numbers,
                )
            )
    return events


class Fold:
    """One partition, driven by hand: every event takes one offset and one second of append time."""

    def __init__(self, config=CONFIG):
        self.ledger = Ledger()
        self.assembly = Assembly(config, self.ledger)
        self.offset = 0

    def read(self, *events, append_time=None):
        for event in events:
            for batch in batches([event]):
                self.assembly.read(self.offset, append_time or at(self.offset), batch)
                self.offset += 1

    def learn(self, *events):
        for event in events:
            self.ledger.learn(event)
        self.assembly.settle()

    def decide(self, now=None):
        decisions = list(self.assembly.decide(now))
        self.learn(*verdict_events(decisions))
        assert list(self.assembly.decide(now)) == [], "a decision that was learned is not made again"
        return decisions

    def group(self, now=None):
        """The one group decision that holds."""
        (decision,) = [d for d in self.decide(now) if isinstance(d, GroupDecision)]
        return decision


def ints(buffer):
    return list(array("i", buffer))


def verdicts(decision):
    return {judged.episode_id: judged.verdict for judged in decision.episodes}


def published(version):
    return PolicyPublished(
        **PRODUCER.stamp(RUN), epoch=0, policy_version=version, step=version, uri="/a", sha256="0" * 64, link="file"
    )
