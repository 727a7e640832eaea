from msgspec.structs import replace

from tests.schemas.events import FIXED, example
from trajlog.analytics.progress import Progress
from trajlog.schemas import EpisodeAssigned, EpisodeVerdict, RejectedGroup


def verdict(group_id, name="sealed", reason="full"):
    return replace(example("group_verdict"), group_id=group_id, verdict=name, reason=reason)


def train_step(step, trained, rejected=()):
    return replace(example("train_step"), step=step, groups_trained=tuple(trained), groups_rejected=tuple(rejected))


def test_counts_follow_the_events_and_a_repeated_one_changes_nothing():
    progress = Progress()
    for episode in ("a", "b", "c"):
        progress.see(EpisodeAssigned(**{**FIXED, "episode_id": episode}, epoch=1, worker="w", task_id="t", attempt=0))
    finished = replace(example("episode_finished"), episode_id="a", outcome="solved", guard=None)
    events = [
        finished,
        finished,
        EpisodeVerdict(**{**FIXED, "episode_id": "b"}, verdict="abandoned", task_id="t", epoch=1),
        verdict("g1"),
        verdict("g2"),
        verdict("g3"),
        verdict("g4", "rejected", "zero_variance"),
        train_step(1, ["g1"]),
        train_step(1, [], [RejectedGroup("g2", "stale")]),
        replace(example("policy_published"), policy_version=1),
        replace(example("policy_acknowledged"), policy_version=0),
    ]
    for event in events:
        progress.see(event)
    assert (progress.running, progress.outcomes) == (1, {"a": "solved"})
    assert (progress.sealed, progress.rejected) == (3, {"stale": 1, "zero_variance": 1})
    assert (progress.queue_depth, progress.lag, len(progress.steps)) == (1, 1, 1)
    assert progress.last_step.groups_trained == ("g1",)


def test_an_empty_run_has_no_step_and_no_lag():
    progress = Progress()
    assert (progress.last_step, progress.lag, progress.queue_depth, progress.running) == (None, 0, 0, 0)
