"""What becomes of sealed groups that cannot be read, not yet or never, and of those that no microbatch holds."""

import threading

import msgspec
import pytest

from tests.learner.groups import chain, sealed, simple_group
from tests.learner.learner_process import make_config, make_learner, make_log
from tests.learner.lives import history
from trajlog.learner import loop
from trajlog.learner.consumption import QueuedGroup, next_offsets
from trajlog.learner.intake import Intake
from trajlog.schemas import encode
from trajlog.stream.log import TopicPartition

FIRST, SECOND = TopicPartition("groups", 0), TopicPartition("groups", 1)


def train(log, config, directory):
    make_learner(log, config, directory).run(threading.Event())
    return history(log, config).steps


def rejected(found):
    return [(r.group_id, r.reason) for step in found for r in step.groups_rejected]


@pytest.mark.parametrize("half_read", [0, 3])
def test_a_record_that_is_not_whole_is_read_again_from_its_first_part(half_read):
    assert next_offsets({FIRST: 7, SECOND: 4}, [], {FIRST: half_read, SECOND: None}) == {FIRST: half_read, SECOND: 4}


def test_a_queued_group_is_read_again():
    queued = [QueuedGroup(FIRST, 5, simple_group("g")), QueuedGroup(FIRST, 2, simple_group("h"))]
    assert next_offsets({FIRST: 7, SECOND: 4}, queued, {FIRST: 6}) == {FIRST: 2, SECOND: 4}


def cut(group, run_id="run"):
    """A record of `group` that ends too early."""
    (record,) = encode([group])
    headers = [(name, run_id if name == "run_id" else value) for name, value in record.headers]
    return msgspec.structs.replace(record, value=record.value[:-40], headers=headers)


def test_a_group_that_cannot_be_decoded_ends_in_a_train_step(tmp_path):
    config = make_config(max_steps=1)
    with make_log(tmp_path, config) as log:
        log.append(config.topic("groups"), [cut(simple_group("damaged"))])
        log.append(config.topic("groups"), encode([simple_group("g0"), simple_group("g1")]))
        found = train(log, config, tmp_path / "l")
    assert rejected(found) == [("damaged", "undecodable")]
    assert [step.groups_trained for step in found] == [("g0", "g1")]


def test_a_damaged_copy_of_a_group_or_another_runs_record_rejects_nothing(tmp_path):
    config = make_config(max_steps=1)
    with make_log(tmp_path, config) as log:
        log.append(config.topic("groups"), [cut(simple_group("g0")), cut(simple_group("theirs"), run_id="other")])
        log.append(config.topic("groups"), encode([simple_group("g0"), simple_group("g1")]))
        found = train(log, config, tmp_path / "l")
    assert rejected(found) == []
    assert [step.groups_trained for step in found] == [("g0", "g1")]


def test_members_of_an_overlong_group_are_counted_by_outcome(tmp_path):
    config = make_config(max_steps=1)
    long = sealed("long", [chain(m, [(250 if m < 3 else 5, 10, 0)]) for m in range(4)], [1.0, 0.0, 1.0, 0.0])
    with make_log(tmp_path, config) as log:
        log.append(config.topic("groups"), encode([long, simple_group("g0"), simple_group("g1")]))
        (step,) = train(log, config, tmp_path / "l")
    assert rejected([step]) == [("long", "overlong")]
    assert {name: value for name, value in step.metrics.items() if "overlong" in name} == {
        "num_overlong_members": 3.0,
        "num_overlong_solved": 2.0,
        "num_overlong_failed": 1.0,
    }


def test_turns_of_members_that_no_microbatch_holds_are_in_no_off_policy_metric(tmp_path):
    config = make_config(max_steps=2)
    turns = [[(250, 10, 0)], *[[(5, 10, 1)]] * 3]  # the long one is a step older than the others
    group = sealed("g2", [chain(m, turns[m]) for m in range(4)], [1.0, 0.0, 1.0, 0.0])
    with make_log(tmp_path, config) as log:
        groups = [simple_group("g0"), simple_group("g1"), group, simple_group("g3", version=1)]
        log.append(config.topic("groups"), encode(groups))
        _, step = train(log, config, tmp_path / "l")
    assert step.groups_trained == ("g2", "g3")
    assert step.metrics["num_overlong_members"] == 1.0
    assert (step.metrics["off_policy_steps_mean"], step.metrics["off_policy_steps_max"]) == (0.0, 0.0)


def test_a_step_that_another_learner_made_while_this_one_started_is_gone_on_from(tmp_path, monkeypatch):
    config, first = make_config(max_steps=2), make_config(max_steps=1)

    def late(*arguments):
        monkeypatch.undo()
        make_learner(log, first, tmp_path / "l").run(threading.Event())
        return Intake(*arguments)

    with make_log(tmp_path, config) as log:
        log.append(config.topic("groups"), encode([simple_group(f"g{n}") for n in range(4)]))
        monkeypatch.setattr(loop, "Intake", late)
        found = train(log, config, tmp_path / "l")
    assert [step.groups_trained for step in found] == [("g0", "g1"), ("g2", "g3")]
