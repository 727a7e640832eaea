"""Lives of a small learner on one log: what it is given, where it is killed, and what the log says afterwards."""

import itertools
import threading
from pathlib import Path

from tests.learner.groups import simple_group
from tests.learner.learner_process import make_learner
from trajlog.learner import loop
from trajlog.learner.history import History
from trajlog.schemas import PolicyPublished, encode
from trajlog.serving.adapters import adapter_sha256
from trajlog.stream.control import ControlFollower

NAMES = [f"g{n}" for n in range(6)]
FOREVER = threading.Event()


class Killed(BaseException):
    """The process ends here: nothing of it runs on but what the operating system would do."""


def killer(at: int):
    """An on_durable that ends learner or fine-tuning at its `at`-th call (0-based); never for -1."""
    calls = itertools.count()

    def on_durable(name: str) -> None:
        if next(calls) == at:
            raise Killed(name)

    return on_durable


def fill(log, config, groups=None):
    log.append(config.topic("groups"), encode(groups or [simple_group(name) for name in NAMES]))


def run(log, config, directory, at=-1):
    """One life of a learner; whether it reached its end."""
    try:
        make_learner(log, config, directory, on_durable=killer(at)).run(FOREVER)
    except Killed:
        return False
    return True


def events(log, config, counted=True):
    with ControlFollower(log, config.topic("control")) as follower:
        if not counted:
            follower.epochs.admits = lambda event: True
        return [event for _, event in follower.catch_up()]


def history(log, config):
    found = History()
    for event in events(log, config):
        found.apply(event)
    return found


def check(log, config, num_groups=6):
    """The promises: every group trained once, versions rise, one adapter per version, and it is the published one."""
    steps = history(log, config).steps
    trained = [group for step in steps for group in step.groups_trained]
    assert sorted(trained) == sorted(NAMES[:num_groups])
    published = [e for e in events(log, config, counted=False) if isinstance(e, PolicyPublished)]
    versions = [e.policy_version for e in published]
    assert versions == sorted(set(versions))
    for event in published:
        assert adapter_sha256(Path(event.uri)) == event.sha256
    return published


class Added:
    """Stands in for the loop's Step and calls `then` after each group added, with how many there were so far."""

    def __init__(self, monkeypatch, then):
        self.groups = []

        class Watched(loop.Step):
            def add(step, batch):
                super().add(batch)
                self.groups.append(batch)
                then(len(self.groups))

        monkeypatch.setattr(loop, "Step", Watched)
