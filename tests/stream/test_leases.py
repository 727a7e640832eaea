"""Slots and leases of workers, by what the scheduler decides: a lease of 60 s."""

from tests.stream.scheduling_fold import PRODUCER, Fold, closed, judged, per_group
from tests.stream.stream_events import RUN
from trajlog.schemas import SchedulerStarted
from trajlog.stream.scheduling import Abandon, Assign


def test_an_engine_gets_no_episodes():
    fold = Fold()
    fold.heartbeat("e/a", 4, role="engine")
    assert fold.decide() == []


def test_a_slot_is_free_when_its_episode_is_reported_finished_or_judged():
    fold = Fold()
    fold.heartbeat("w/a", 2)
    first, second = fold.decide()
    fold.heartbeat("w/a", 2, running=[second.episode_id], finished=[(first.episode_id, "solved")])
    assert len(fold.decide()) == 1
    fold.control(judged(second.group_id, second.episode_id, "error"))
    assert fold.decide() == []  # the worker still runs it, whatever its verdict
    fold.heartbeat("w/a", 2, finished=[(first.episode_id, "solved")])
    assert len(fold.decide()) == 1


def test_a_silent_workers_episodes_are_abandoned_after_the_lease_and_assigned_anew():
    fold = Fold()
    fold.heartbeat("w1/a", 2)
    lost = fold.decide()
    fold.heartbeat("w1/a", 2, running=[d.episode_id for d in lost], seconds=30)
    fold.heartbeat("w2/b", 2, seconds=89)
    assert [type(d) for d in fold.decide(89)] == [Assign, Assign]  # one completes the group, one opens another
    decisions = fold.decide(90)
    abandoned = [d for d in decisions if isinstance(d, Abandon)]
    assert [d.episode_id for d in abandoned] == [d.episode_id for d in lost]
    fold.heartbeat("w3/c", 2, seconds=91)
    assert per_group(fold.decide(91)) == {lost[0].group_id: 2}
    fold.heartbeat("w1/a", 2, running=[lost[0].episode_id], seconds=92)  # it wakes: its slot is taken, one is free
    assert [d.worker for d in fold.decide(92)] == ["w1/a"]


def test_an_episode_its_worker_never_took_is_abandoned():
    fold = Fold()
    fold.heartbeat("w/a", 2)
    taken, ignored = fold.decide()
    for seconds in (20, 40, 59):
        fold.heartbeat("w/a", 2, running=[taken.episode_id], seconds=seconds)
    decisions = fold.decide(60)
    assert [d.episode_id for d in decisions if isinstance(d, Abandon)] == [ignored.episode_id]


def test_a_worker_that_lost_an_episode_gets_no_other_until_it_is_heard_of_again():
    fold = Fold()
    fold.heartbeat("w/a", 1)
    (lost,) = fold.decide()
    fold.heartbeat("w/a", 1, seconds=1)  # it had not read the assignment yet, and was killed then
    assert fold.decide(60) == [Abandon(lost.group_id, lost.episode_id, "w/a", "t")]
    fold.heartbeat("w/a", 1, seconds=61)
    assert [d.group_id for d in fold.decide(61)] == [lost.group_id]


def test_a_finished_episode_is_not_abandoned_however_long_its_group_stays_open():
    fold = Fold()
    fold.heartbeat("w/a", 1)
    (decision,) = fold.decide()
    fold.heartbeat("w/a", 1, finished=[(decision.episode_id, "solved")], leaving=True, seconds=1)
    assert fold.decide(10_000) == []


def test_an_episode_whose_end_cannot_be_read_is_abandoned_a_lease_after_its_group_closed():
    fold = Fold()
    fold.heartbeat("w/a", 1)
    (decision,) = fold.decide()
    fold.heartbeat("w/a", 1, finished=[(decision.episode_id, "solved")], leaving=True, seconds=1)
    fold.control(closed(decision.group_id, "rejected"), seconds=500)
    assert fold.decide(559) == []
    assert [(type(d), d.episode_id) for d in fold.decide(560)] == [(Abandon, decision.episode_id)]


def test_a_worker_that_leaves_loses_what_it_did_not_finish_at_once():
    fold = Fold()
    fold.heartbeat("w/a", 2)
    done, undone = fold.decide()
    fold.heartbeat("w/a", 2, finished=[(done.episode_id, "solved")], leaving=True, seconds=1)
    assert [(type(d), d.episode_id) for d in fold.decide(1)] == [(Abandon, undone.episode_id)]


def test_a_new_scheduler_gives_every_worker_a_lease_to_be_heard():
    fold = Fold()
    fold.heartbeat("w/a", 1)
    fold.decide()
    fold.control(SchedulerStarted(**PRODUCER.stamp(RUN), epoch=1), seconds=600)  # ten minutes of downtime
    assert fold.decide(659) == []
    assert [type(d) for d in fold.decide(660)] == [Abandon]
