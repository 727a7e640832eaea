"""What the fold keeps, what it lets go, and what time and a restart do to it."""

from tests.stream.assembly_fold import PRODUCER, Fold, verdict_events
from tests.stream.stream_events import RUN, at, episode, generation, started
from trajlog.schemas import EpisodeVerdict
from trajlog.stream.assembly import EpisodeDecision, GroupDecision, Ledger
from trajlog.stream.clock import FoldClock
from trajlog.stream.trajectory import FACT_BYTES, TRAJECTORY_BYTES


def test_stray_events_of_a_group_whose_verdict_is_forgotten_get_none():
    fold = Fold()
    events = [e for i, name in enumerate("abc") for e in episode("g", name, reward=i)]
    late = episode("g", "late")
    fold.read(*late[:1], *events)
    for event in verdict_events(fold.decide()):
        fold.ledger.learn(event, at(0))
    again = Fold()
    for event in verdict_events([EpisodeDecision("g", "a", "sealed", "t", None, None)]):
        again.ledger.learn(event, at(0))
    again.ledger.forget(at(1))
    assert again.ledger.forgot
    assert again.ledger.episodes == set()
    again.read(*late[1:], append_time=at(5))
    assert again.decide(at(100_000)) == []
    again.assembly.abandon(at(600))
    assert again.assembly.low_water() == 0
    again.assembly.abandon(at(605))
    assert again.assembly.low_water() is None
    assert again.assembly.num_bytes == 0


def test_the_ledger_forgets_in_the_order_of_append_times():
    ledger = Ledger()
    groups = [GroupDecision(f"g{n}", "t", "expired", (), (), {}) for n in range(4)]
    for second, event in enumerate(verdict_events(groups)):
        ledger.learn(event, at(second))
    ledger.forget(at(2))
    assert list(ledger.closed) == ["g2", "g3"]


def test_what_is_held_is_counted_until_it_is_let_go():
    fold = Fold()
    a, b, c = (episode("g", name, reward=i, versions=(0, 0)) for i, name in enumerate("abc"))
    turn = FACT_BYTES + 4 * (3 + 2 + 2)  # prompt, tokens, logprobs
    fold.read(*a[:2])
    assert fold.assembly.num_bytes == TRAJECTORY_BYTES + turn
    fold.read(c[4])  # a turn that waits for those before it
    assert fold.assembly.num_bytes == 2 * (TRAJECTORY_BYTES + turn)
    fold.read(*a[2:], *b, *c[:4])
    assert fold.assembly.num_bytes == 3 * (TRAJECTORY_BYTES + 2 * turn)
    fold.read(generation("g", "d", 1, 0, [1], [2], [3]), started("g", "d"))
    assert fold.assembly.num_bytes == 4 * TRAJECTORY_BYTES + 6 * turn  # broken: nothing of it is kept
    fold.decide()
    assert fold.assembly.num_bytes == 3 * (TRAJECTORY_BYTES + 2 * turn)
    fold.read(*c[5:])
    assert fold.group().sealed
    assert fold.assembly.num_bytes == 0


def test_a_group_of_which_only_abandoned_episodes_are_read_again_expires_like_any_other():
    fold = Fold()
    stamp = PRODUCER.stamp(RUN, group_id="g", episode_id="e")
    fold.learn(EpisodeVerdict(**stamp, verdict="abandoned", task_id="t", epoch=0))
    fold.read(*episode("g", "e", size=2)[:-1])
    decision = fold.group(at(3600))
    assert decision.numbers["group_size"] == 2
    assert (decision.group_id, decision.task_id, decision.reason, decision.episodes) == ("g", "t", "expired", ())


def test_nothing_times_out_while_records_wait_unread():
    """An assembler that was down while members kept finishing reads them all before time runs."""
    fold, clock = Fold(), FoldClock()
    for index, name in enumerate("abc"):  # a member every ten minutes: each would have timed out the one before
        events = episode("g", name, reward=index)
        fold.read(*events, append_time=at(600 * index))
        clock.read(at(600 * index), monotonic_s=1.0)
        assert clock.now(monotonic_s=5000.0) is None
        if index < 2:
            assert fold.decide(clock.now(monotonic_s=5000.0)) == []
    assert fold.group(clock.now(monotonic_s=5000.0)).reason == "full"


def test_downtime_does_not_count_after_catching_up():
    """Ten minutes after the newest record, a group that had waited five minutes still has its other five."""
    fold, clock = Fold(), FoldClock()
    fold.read(*episode("g", "a"), append_time=at(0))
    fold.read(*episode("h", "x")[:2], append_time=at(300))
    for seconds in (0, 300):
        clock.read(at(seconds), monotonic_s=0.0)
    clock.caught_up(monotonic_s=50.0)
    assert clock.now(monotonic_s=50.0) == at(300)
    assert fold.decide(clock.now(monotonic_s=50.0 + 299)) == []
    assert fold.group(clock.now(monotonic_s=50.0 + 300)).group_id == "g"


def test_a_restart_makes_no_verdict_twice():
    fold = Fold()
    open_group = episode("h", "x")
    events = [*open_group[:2], *[e for i, name in enumerate("abc") for e in episode("g", name, reward=i)]]
    late = episode("g", "d")
    fold.read(*events, *late[:1])
    done = verdict_events(fold.decide())
    assert fold.assembly.low_water() == 0  # of the open group "h"
    fold.read(*late[1:])
    done += verdict_events(fold.decide())
    again = Fold()
    again.learn(*done)
    again.read(*events, *late)
    assert again.decide() == []
    again.read(*open_group[2:])
    assert again.decide() == []
    assert again.group(at(10_000)).group_id == "h"


def test_low_water_is_the_first_offset_of_the_oldest_open_group():
    fold = Fold()
    assert fold.assembly.low_water() is None
    fold.read(*[e for i, name in enumerate("abc") for e in episode("g", name, reward=i)])
    fold.read(*episode("h", "x")[:1])
    assert fold.assembly.low_water() == 0
    assert fold.assembly.low_water(closing={"g"}) == fold.offset - 1
    fold.decide()
    assert fold.assembly.low_water() == fold.offset - 1


def test_the_clock_never_goes_back():
    clock = FoldClock()
    clock.caught_up(monotonic_s=0.0)
    assert clock.now(monotonic_s=9.0) is None  # nothing read: nothing to time
    clock.read(at(10), monotonic_s=1.0)
    clock.caught_up(monotonic_s=1.0)
    assert clock.now(monotonic_s=5.0) == at(14)
    clock.read(at(12), monotonic_s=5.0)
    assert clock.now(monotonic_s=5.0) == at(14)
    clock.read(at(20), monotonic_s=6.0)
    assert clock.now(monotonic_s=7.0) == at(21)
    assert clock.newest == at(20)
