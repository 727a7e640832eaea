"""Which groups a learner trains, which it rejects, and when: as they arrive, each once."""

import threading

import msgspec
import pytest

from tests.learner.groups import chain, sealed, simple_group
from tests.learner.learner_process import make_config, make_learner, make_log
from tests.learner.lives import FOREVER, NAMES, Added, Killed, check, events, fill, history, run
from trajlog.learner.consumption import judge
from trajlog.schemas import TrainStep, encode

pytestmark = pytest.mark.usefixtures("one_thread")


def test_a_group_is_trained_before_the_others_of_its_step_are_there(tmp_path, log, config, baseline, monkeypatch):
    """Each group is sealed only after the one before it was added: waiting for a whole step would wait for ever."""

    def then(count):
        if count < len(NAMES):
            fill(log, config, [simple_group(NAMES[count])])

    added = Added(monkeypatch, then)
    fill(log, config, [simple_group(NAMES[0])])
    assert run(log, config, tmp_path / "l")
    assert [batch.group.tolist() for batch in added.groups] == [[0] * 4] * 6
    assert [e.sha256 for e in check(log, config)] == baseline


@pytest.mark.parametrize("at", [1, 2, 3, 5])
def test_killed_while_a_step_waits_for_more_groups_and_restarted(tmp_path, log, config, baseline, monkeypatch, at):
    def then(count):
        if count == at:
            raise Killed("between two groups")

    with monkeypatch.context() as patch:
        Added(patch, then)
        fill(log, config)
        assert not run(log, config, tmp_path / "l")
    assert run(log, config, tmp_path / "l")
    assert [e.sha256 for e in check(log, config)] == baseline


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_rebalance_while_a_step_waits_reads_again_and_adds_nothing_twice(
    tmp_path, log, config, baseline, monkeypatch, at
):
    learner = make_learner(log, config, tmp_path / "l")

    def then(count):
        if count == at:
            partitions = learner._intake.reader.assignment()
            for tp, offset in (dict.fromkeys(partitions, 0) | learner._intake._assigned(partitions)).items():
                learner._intake.reader.seek(tp, offset)

    added = Added(monkeypatch, then)
    fill(log, config)
    learner.run(FOREVER)
    assert len(added.groups) == 6
    assert [e.sha256 for e in check(log, config)] == baseline


def test_rejections_logged_while_a_step_waits_do_not_pass_its_groups(tmp_path, log, monkeypatch):
    """g0 waits for a second group; g1 is stale and logged as such; killed then, g0 is read again."""
    config = make_config(max_steps=1)
    old = simple_group("g1")
    fill(log, config, [simple_group("g0"), old])
    monkeypatch.setattr(
        "trajlog.learner.intake.judge",
        lambda entry, *rest: (
            judge(entry, *rest)
            if entry.group.group_id != "g1"
            else msgspec.structs.replace(judge(entry, *rest), reason="stale")
        ),
    )
    logged = iter(range(10))

    def on_durable(name):
        if name == "logged" and next(logged) == 1:  # 0: version 0
            raise Killed(name)

    with pytest.raises(Killed):
        make_learner(log, config, tmp_path / "l", on_durable=on_durable).run(FOREVER)
    assert log.committed("test.learner", [config.topic("groups")]) == {(config.topic("groups"), 0): 0}
    fill(log, config, [simple_group("g2")])
    assert run(log, config, tmp_path / "l")
    steps = history(log, config).steps
    assert [s.groups_trained for s in steps] == [(), ("g0", "g2")]
    assert [[(r.group_id, r.reason) for r in s.groups_rejected] for s in steps] == [[("g1", "stale")], []]


def test_a_group_sealed_twice_is_trained_once(tmp_path, log, config, baseline):
    fill(log, config, [simple_group(name) for name in ["g0", "g0", "g1", "g2", "g1", "g0", *NAMES[3:]]])
    assert run(log, config, tmp_path / "l")
    assert [e.sha256 for e in check(log, config)] == baseline


def test_stale_groups_are_rejected_at_consumption_and_logged_at_once(tmp_path, log):
    config = make_config(max_steps=2, max_off_policy_steps=0)
    fill(log, config, [simple_group(n) for n in NAMES[:5]])
    stop, steps = threading.Event(), []

    def on_durable(name):
        steps[:] = [e for e in events(log, config) if isinstance(e, TrainStep)]
        if len(steps) == 2:
            log.append(config.topic("groups"), encode([simple_group("g5", version=1), simple_group("g6", version=1)]))

    make_learner(log, config, tmp_path / "l", on_durable=on_durable).run(stop)
    steps = [e for e in events(log, config) if isinstance(e, TrainStep)]
    assert [(s.step, s.policy_version, s.groups_trained) for s in steps] == [
        (1, 1, ("g0", "g1")),
        (1, 1, ()),
        (2, 2, ("g5", "g6")),
    ]
    assert [(r.group_id, r.reason) for r in steps[1].groups_rejected] == [(g, "stale") for g in ("g2", "g3", "g4")]
    assert list(steps[1].offsets.values()) == [5]
    assert history(log, config).consumed() == {f"g{n}" for n in range(7)}


def test_no_token_older_than_max_off_policy_steps_contributes_to_an_update(tmp_path):
    """The second step's groups have a turn that versions 0 and 1 sampled. With a limit of 0 the adapter it makes does
    not depend on what was sampled there; with a limit of 1 it does."""

    def adapters(limit, logprob):
        config = make_config(max_steps=2, max_off_policy_steps=limit)
        path = tmp_path / f"{limit}{logprob}"
        path.mkdir()
        later = []
        for group in ("g2", "g3"):
            chains = []
            for member in range(4):
                fresh, mixed = chain(member, [(5, 3, 1)]), [(2, [(1, 2), (0, 1), (1, 1)])]
                chains += [fresh, chain(member, mixed, first_turn=1, logprob=logprob)]
            later.append(sealed(group, chains, [1.0, 0.0, 1.0, 0.0]))
        with make_log(path, config) as log:
            fill(log, config, [simple_group("g0"), simple_group("g1"), *later])
            assert run(log, config, path / "learner")
            steps = [e for e in events(log, config) if isinstance(e, TrainStep)]
            assert [s.metrics["num_stale_turns"] for s in steps] == [0, 0 if limit else 8]
            assert steps[1].metrics["off_policy_steps_max"] == limit
            return [e.sha256 for e in check(log, config, num_groups=4)]

    assert adapters(0, -6.0) == adapters(0, -5.0)
    one, other = adapters(1, -6.0), adapters(1, -5.0)
    assert one[:2] == other[:2]
    assert one[2] != other[2]


def test_groups_that_cannot_be_trained_are_rejected_with_the_reason(tmp_path, log):
    config = make_config(max_steps=1)
    long = sealed("long", [chain(m, [(250, 10, 0)]) for m in range(4)], [1.0, 0.0, 1.0, 0.0])
    bare = sealed("bare", [chain(m, [(2, 1, 0)], unscored=[2]) for m in range(4)], [1.0, 0.0, 1.0, 0.0])
    fill(log, config, [long, bare, simple_group("g0"), simple_group("g1")])
    assert run(log, config, tmp_path / "l")
    (step,) = history(log, config).steps
    assert [(r.group_id, r.reason) for r in step.groups_rejected] == [("long", "overlong"), ("bare", "unscored")]
