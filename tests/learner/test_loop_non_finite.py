"""A group whose loss or gradient is not finite: it alone is rejected, and nothing has moved."""

import pytest
import torch

from tests.learner.groups import simple_group
from tests.learner.lives import NAMES, check, fill, history, run
from trajlog.learner import update
from trajlog.learner.skipped import read_skipped

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(params=["loss", "gradient"])
def spoiling(request, monkeypatch):
    """Every group of three members overflows, whenever it is trained."""
    accumulate = update.accumulate_policy_gradients

    def overflowing(policy, batch, *rest):
        totals = accumulate(policy, batch, *rest)
        if len(batch.num_tokens) == 3 and request.param == "loss":
            totals[0] = torch.nan
        elif len(batch.num_tokens) == 3:
            next(p for p in policy.model.parameters() if p.grad is not None).grad.view(-1)[0] = torch.inf
        return totals

    monkeypatch.setattr(update, "accumulate_policy_gradients", overflowing)


def groups(*names):
    return [simple_group(name, size=3 if name.startswith("bad") else 4) for name in names]


def rejections(log, config):
    return [(r.group_id, r.reason) for step in history(log, config).steps for r in step.groups_rejected]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_it_alone_is_rejected_and_the_others_train_as_if_it_had_never_been(
    tmp_path, log, config, baseline, spoiling, caplog, place
):
    names = [*NAMES[:place], "bad", *NAMES[place:]]
    fill(log, config, groups(*names))
    assert run(log, config, tmp_path / "l")
    assert rejections(log, config) == [("bad", "non_finite")]
    assert [e.sha256 for e in check(log, config)] == baseline
    (file,) = (tmp_path / "l/non_finite").iterdir()
    skipped = read_skipped(file)
    tried = tuple(names[:2] if place < 2 else names[2:4])
    (other,) = set(tried) - {"bad"}
    assert skipped.groups_trained == tried
    assert [(r.group_id, r.reason) for r in skipped.groups_rejected] == [("bad", "non_finite")]
    (line,) = (message for message in caplog.messages if "not finite" in message)
    assert f"groups rejected: bad; to be trained again: {other}. The batch again: " in line


def test_two_in_one_step_are_both_rejected(tmp_path, log, config, baseline, spoiling):
    """Behind a gradient that overflowed the second is found in a step of its own; a loss tells at once."""
    fill(log, config, groups("bad1", "bad2", *NAMES))
    assert run(log, config, tmp_path / "l")
    assert rejections(log, config) == [("bad1", "non_finite"), ("bad2", "non_finite")]
    assert [e.sha256 for e in check(log, config)] == baseline


@pytest.mark.parametrize("at", range(2, 5))
def test_killed_after_a_skipped_step_and_restarted_it_is_rejected_once(tmp_path, log, config, baseline, spoiling, at):
    """2: the step without it is updated, 3: checkpointed, 4: logged, with the rejection."""
    fill(log, config, groups("g0", "bad", *NAMES[1:]))
    assert not run(log, config, tmp_path / "l", at)
    assert run(log, config, tmp_path / "l")
    assert rejections(log, config) == [("bad", "non_finite")]
    assert [e.sha256 for e in check(log, config)] == baseline


def test_the_rejection_is_logged_though_the_others_wait_for_one_more(tmp_path, log, config, spoiling):
    """The scheduler counts the queue: it must hear of it. Killed then, the group that waits is read again."""
    fill(log, config, groups("g0", "bad"))
    assert not run(log, config, tmp_path / "l", at=2)
    (step,) = history(log, config).steps
    assert (step.groups_trained, step.step) == ((), 0)
    assert rejections(log, config) == [("bad", "non_finite")]
    assert list(log.committed("test.learner", [config.topic("groups")]).values()) == [0]
