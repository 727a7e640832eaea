"""Looking only at groups that changed or whose time has come gives what a look at every group gives."""

from collections import Counter
from random import Random
from typing import get_args

from tests.stream.assembly_fold import PRODUCER, verdict_events
from tests.stream.stream_events import RUN, at
from trajlog.config import GroupConfig, RunConfig
from trajlog.schemas import EpisodeVerdict, VersionRun, token_digest
from trajlog.stream.assembly import Assembly, GroupDecision, Ledger, Reason
from trajlog.stream.trajectory import STEP, Addressed, Begin, Finish, Turn

CONFIG = RunConfig(run_id=RUN, group=GroupConfig(group_size=3, min_group_size=2, seal_timeout_s=20, open_limit_s=50))
TURN = Turn(0, 0, 0, token_digest(()), bytes(4), bytes(8), bytes(8), (VersionRun(0, 2),))


class Scanning(Assembly):
    """Looks at every open group each time."""

    def settle(self, events=None):
        super().settle()

    def decide(self, now):
        yield from self._leftover.values()
        for group in self._groups.values():
            if group.began:
                faults, usable = self._judge(group)
                yield from faults
                reason = self._closing(group, usable, now)
                if reason is not None:
                    yield self._close(group, usable, reason)

    def abandon(self, now):
        self._not_begun = {group.group_id for group in self._groups.values() if not group.began}
        super().abandon(now)

    def low_water(self, closing=()):
        return min(
            (group.first_offset for group in self._groups.values() if group.group_id not in closing), default=None
        )


def facts_of(episode_id, rng):
    """Begin, one turn (at times one that does not fit), a step, the end."""
    outcome = rng.choice(["solved", "failed", "failed", "error"])
    reward = None if outcome == "error" else float(outcome == "solved")
    turn = TURN if rng.random() < 0.9 else TURN._replace(prefix_len=1)
    return [Begin("t", rng.choice([None, 2])), turn, STEP, Finish("t", outcome, reward, 1, None)]


def shown(decisions):
    """By value: the two folds have trajectories of their own."""
    return [
        (d.group_id, d.reason, d.episodes, [m.episode_id for m in d.members], d.numbers)
        if isinstance(d, GroupDecision)
        else d
        for d in decisions
    ]


def compared(rng):
    """Both folds over one stream, out of order, with failed transactions and a clock that is set back; how often what
    was decided."""
    folds = [(ledger := Ledger(), kind(CONFIG, ledger)) for kind in (Assembly, Scanning)]
    names = [(f"g{group}", f"g{group}e{number}") for group in range(60) for number in range(4)]
    facts = {episode_id: facts_of(episode_id, rng) for _, episode_id in names}
    played, seen = Counter(), Counter()
    clock = 0.0
    for offset in range(1500):
        clock += rng.expovariate(5)
        newest = min(len(names), 20 + offset // 4)
        group_id, episode_id = rng.choice(names[max(0, newest - 20) : newest])
        group_id = group_id if rng.random() < 0.98 else rng.choice(names)[0]  # a wrong producer's
        seq = played[episode_id] % 4 if rng.random() < 0.9 else rng.randrange(4)
        played[episode_id] += 1
        row = Addressed(group_id, episode_id, seq, facts[episode_id][seq])
        append_time = at(clock - (30 if rng.random() < 0.02 else 0))  # the log's clock is set back at times
        for _, assembly in folds:
            assembly.take(offset, append_time, [row])
        now = rng.choice([None, at(clock), at(clock - 5)])
        found, expected = [list(assembly.decide(now)) for _, assembly in folds]
        assert shown(found) == shown(expected)
        seen.update(d.reason if isinstance(d, GroupDecision) else d.verdict for d in found)
        learned = verdict_events(decision for decision in found if rng.random() < 0.5)  # some transactions fail
        if rng.random() < 0.1:
            group_id, episode_id = rng.choice(names)
            stamp = PRODUCER.stamp(RUN, group_id=group_id, episode_id=episode_id)
            learned.append(EpisodeVerdict(**stamp, verdict="abandoned", task_id="t", epoch=0))
        rng.shuffle(learned)
        forgotten, stray = at(clock - 40), rng.random() < 0.1
        for ledger, assembly in folds:
            for event in learned:
                ledger.learn(event, at(clock))
            assembly.settle(learned)
            if stray:
                ledger.forget(forgotten)
                assembly.abandon(at(clock))
        (_, one), (_, other) = folds
        assert (one.num_bytes, one.low_water(), one.missing()) == (other.num_bytes, other.low_water(), other.missing())
        assert one.low_water({"g0", "g1"}) == other.low_water({"g0", "g1"})
    return seen


def test_it_decides_and_holds_what_a_look_at_every_group_gives():
    reasons = sum((compared(Random(seed)) for seed in range(20)), Counter())
    assert reasons.keys() == {*get_args(Reason), "error", "surplus", "late"} - {"stale"}, "the streams cover too little"


def test_a_decision_looks_at_no_group_that_did_not_change_and_is_not_due():
    ledger = Ledger()
    assembly = Assembly(CONFIG, ledger)
    for number in range(1000):
        assembly.take(number, at(0), [Addressed(f"g{number}", f"e{number}", 0, Begin("t", None))])
    assert list(assembly.decide(at(1))) == []
    judged = Counter()
    judge = assembly._judge
    assembly._judge = lambda group: judged.update([group.group_id]) or judge(group)
    assembly.take(1000, at(2), [Addressed("g7", "e7", 1, TURN)])
    assert list(assembly.decide(at(3))) == []
    assert judged == {"g7": 1}
    assert len(list(assembly.decide(at(21)))) == 999  # all but g7, of which there was news
