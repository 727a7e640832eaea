"""Whatever the interleaving, the duplication and the moments of deciding: the same members, one verdict each."""

from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.stream.assembly_fold import verdict_events
from tests.stream.stream_events import RUN, at, batches, episode
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


@st.composite
def arrivals(draw):
    """The same episodes twice, completed in the same order: in clean order, and with every episode's events shuffled
    before the one that completes it, events and whole episodes again at any later place. Each with the places where
    verdicts are made and where the process is killed and starts anew."""
    outcomes = st.sampled_from(["solved", "failed", "error"])
    named = [(f"g{group}", f"g{group}e{number}") for group in range(draw(st.integers(1, 2))) for number in range(4)]
    episodes = [episode(g, name, outcome=draw(outcomes), reward=n, versions=(0,)) for n, (g, name) in enumerate(named)]
    completions = draw(st.permutations(episodes))
    clean = [event for one in completions for event in one]
    disturbed = []
    for one in completions:
        *before, last = draw(st.permutations(one))
        for event in before:
            disturbed.insert(draw(st.integers(0, len(disturbed))), event)
        disturbed.append(last)
    for index in draw(st.lists(st.integers(0, len(disturbed) - 1), max_size=15)):
        disturbed.insert(draw(st.integers(index + 1, len(disturbed))), disturbed[index])
    disturbed += draw(st.sampled_from(episodes))
    places = st.sets(st.integers(0, len(disturbed)), max_size=8)
    return clean, disturbed, draw(places), draw(places)


def verdicts_of(events, moments, kills):
    """Verdict of every episode and reason and members of every group; each given once, however often the fold starts
    anew from its low water and the verdicts in the log."""
    log = [batches([event])[0] for event in events]
    control, judged, groups = [], {}, {}
    ledger, assembly = Ledger(), None
    committed = 0

    def start(end):
        nonlocal ledger, assembly
        ledger = Ledger()
        assembly = Assembly(CONFIG, ledger)
        for offset in range(committed, end):
            assembly.read(offset, at(offset), log[offset])
        for event in control:
            ledger.learn(event, at(0))
        assembly.settle()

    def decide(end):
        nonlocal committed
        decisions = list(assembly.decide(None))
        for decision in decisions:
            for one in decision.episodes if isinstance(decision, GroupDecision) else [decision]:
                assert one.episode_id not in judged
                judged[one.episode_id] = one.verdict
            if isinstance(decision, GroupDecision):
                assert decision.group_id not in groups
                groups[decision.group_id] = (decision.reason, [member.episode_id for member in decision.members])
        control.extend(verdict_events(decisions))
        for event in control:
            ledger.learn(event, at(0))
        assembly.settle()
        low = assembly.low_water()
        committed = end if low is None else low

    start(0)
    for offset, batch in enumerate(log):
        if offset in kills:
            start(offset)
        assembly.read(offset, at(offset), batch)
        if offset in moments:
            decide(offset + 1)
    decide(len(log))
    return judged, groups, assembly


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(arrivals())
def test_disturbed_repeated_and_read_again_the_verdicts_are_those_of_the_clean_order(arrived):
    clean, disturbed, moments, kills = arrived
    expected, groups, _ = verdicts_of(clean, set(range(len(clean))), set())
    judged, found, assembly = verdicts_of(disturbed, moments, kills)
    assert (judged, found) == (expected, groups)
    assert assembly.num_bytes == 0 or assembly.low_water() is not None
