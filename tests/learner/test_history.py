import pytest

from tests.learner.groups import PRODUCER
from tests.learner.test_checkpoint import state
from trajlog.errors import ConfigError
from trajlog.learner.history import History, StartPlan, plan_start
from trajlog.schemas import LearnerStarted, PolicyPublished, RejectedGroup, TrainStep


def started(epoch, step):
    return LearnerStarted(**PRODUCER.stamp("run"), epoch=epoch, step=step)


def trained(step, *groups, version=None, rejected=()):
    return TrainStep(
        **PRODUCER.stamp("run"),
        epoch=0,
        step=step,
        policy_version=step if version is None else version,
        groups_trained=groups,
        groups_rejected=tuple(RejectedGroup(g, "stale") for g in rejected),
        metrics={},
        offsets={},
        batch_sha256="0" * 64,
        duration_s=0.0,
    )


def published(version, digest):
    return PolicyPublished(
        **PRODUCER.stamp("run"), epoch=0, policy_version=version, step=0, uri="x", sha256=digest * 64, link="file"
    )


def fold(*events):
    history = History()
    for event in events:
        history.apply(event)
    return history


def at(step, digest):
    import msgspec

    found = state(step)
    fields = None if step == 0 else {"step": step}
    return msgspec.structs.replace(found, adapter_sha256=digest * 64, train_step=fields)


def test_steps_beyond_a_later_start_do_not_survive_but_versions_do():
    history = fold(
        started(0, 0),
        published(0, "a"),
        trained(1, "g1", rejected=["g2"]),
        published(1, "b"),
        trained(1, rejected=["g3"]),
        trained(2, "g4"),
        published(2, "c"),
        started(1, 1),
    )
    assert history.consumed() == {"g1", "g2", "g3"}
    assert history.trained(1)
    assert not history.trained(2)
    assert history.highest_version == 2


def test_rejections_alone_are_no_training():
    assert not fold(trained(1, rejected=["g"])).trained(1)


FIRST = (started(0, 0), published(0, "a"))
SECOND = (*FIRST, trained(1, "g1"), published(1, "b"))


@pytest.mark.parametrize(
    ("events", "checkpoint", "plan"),
    [
        ((started(0, 0),), None, StartPlan(0, True, False)),  # the very first start
        ((started(0, 0), started(1, 0)), at(0, "a"), StartPlan(0, True, False)),  # killed before version 0
        (FIRST, at(0, "a"), StartPlan(0, False, False)),
        (SECOND, at(1, "b"), StartPlan(1, False, False)),  # all there
        (FIRST, at(1, "b"), StartPlan(1, True, True)),  # killed between checkpoint and log
        (FIRST, at(1, "a"), StartPlan(1, True, True)),  # the same, and the step changed nothing
        ((*SECOND, started(1, 0)), at(0, "a"), StartPlan(2, True, False)),  # an older checkpoint restored
        ((*SECOND, started(1, 0), published(2, "a")), at(0, "a"), StartPlan(2, False, False)),  # ... once more
    ],
)
def test_plan(events, checkpoint, plan):
    assert plan_start(fold(*events), checkpoint) == plan


def test_a_trained_log_without_a_checkpoint_is_refused():
    with pytest.raises(ConfigError, match="versions up to 1"):
        plan_start(fold(*SECOND), None)
