"""Whatever the interleaving, the duplication and the moments of deciding: the same members, one verdict each."""

from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.stream.stream_events import RUN, at, batches, episode
from tests.stream.test_assembly import verdict_events
from trajlog.config import GroupConfig, RunConfig
from trajlog.stream.assembly import Assembly, GroupDecision, Ledger

GROUP_SIZE = 2
CONFIG = RunConfig(run_id=RUN, group=GroupConfig(group_size=GROUP_SIZE, min_group_size=2, seal_timeout_s=1e6))


@st.composite
def streams(draw):
    """Encoded events of up to 3 groups of 4 episodes, shuffled within a window, some of them twice; and after
    which of them decisions are made."""
    events = []
    for group in range(draw(st.integers(1, 3))):
        for number in range(4):
            outcome = draw(st.sampled_from(["solved", "failed", "error"]))
            events.append(episode(f"g{group}", f"g{group}e{number}", outcome=outcome, reward=number, versions=(0,)))
    flat = [event for one in events for event in one]
    order = draw(st.permutations(range(len(flat))))
    again = draw(st.lists(st.sampled_from(order), max_size=20))
    order = [*order, *again] if draw(st.booleans()) else [*again, *order]
    return [flat[index] for index in order], draw(st.sets(st.integers(0, len(order)), max_size=10))


def completion_order(events):
    """Usable episodes per group, in the order of the events that completed them: the specification, in five lines."""
    seen, done = {}, {}
    for event in events:
        seqs = seen.setdefault(event.episode_id, set())
        seqs.add(event.seq)
        if len(seqs) == 5 and event.episode_id not in done.setdefault(event.group_id, []):
            done[event.group_id].append(event.episode_id)
    return done


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(streams())
def test_any_interleaving_gives_the_first_to_complete_and_one_verdict_each(stream):
    events, moments = stream
    errors = {e.episode_id for e in events if e.kind == "episode_finished" and e.outcome == "error"}
    ledger = Ledger()
    assembly = Assembly(CONFIG, ledger)
    judged, groups = Counter(), {}

    def decide():
        decisions = list(assembly.decide(None))
        for decision in decisions:
            for one in decision.episodes if isinstance(decision, GroupDecision) else [decision]:
                judged[one.episode_id] += 1
            if isinstance(decision, GroupDecision):
                assert decision.group_id not in groups
                groups[decision.group_id] = decision
        for event in verdict_events(decisions):
            ledger.learn(event)
        assembly.settle()

    for offset, event in enumerate(events):
        (batch,) = batches([event])
        assembly.read(offset, at(offset), batch)
        if offset in moments:
            decide()
    decide()

    for group_id, done in completion_order(events).items():
        usable = [episode_id for episode_id in done if episode_id not in errors]
        expected = usable[:GROUP_SIZE]
        if len(expected) == GROUP_SIZE:
            assert [m.episode_id for m in groups[group_id].members] == expected
            assert groups[group_id].reason == "full"
            assert all(judged[episode_id] == 1 for episode_id in done)
        else:
            assert group_id not in groups
            assert all(judged[episode_id] == (episode_id in errors) for episode_id in done)
    assert set(judged.values()) <= {1}
