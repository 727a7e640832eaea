import itertools
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
import torch

from tests.learner.groups import chain, sealed, simple_group
from tests.learner.learner_process import make_config, make_learner, make_log
from tests.learner.tiny import TARGETS, tiny_qwen3
from trajlog.errors import ConfigError, LogIdentityMismatch, ModelError, RoleBusy
from trajlog.learner import loop, update
from trajlog.learner.consumption import judge
from trajlog.learner.history import History
from trajlog.learner.loop import run_learner
from trajlog.schemas import LearnerStarted, PolicyPublished, TrainStep, encode
from trajlog.serving.adapters import AdapterConfig, adapter_sha256, load_adapter, save_adapter
from trajlog.stream.control import ControlFollower

NAMES = [f"g{n}" for n in range(6)]
FOREVER = threading.Event()


class Killed(BaseException):
    """The process ends here: nothing of it runs on but what the operating system would do."""


def killer(at: int):
    """An on_durable that ends the learner at its `at`-th call (0-based); never for -1."""
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


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Sums are rounded in the order of the threads: digests are compared between processes, so all use one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def config():
    return make_config(max_steps=3)


@pytest.fixture
def log(tmp_path, config):
    with make_log(tmp_path, config) as log:
        yield log


@pytest.fixture(scope="module")
def baseline(tmp_path_factory, one_thread):
    """Digests of every version of a run that nobody killed."""
    path, config = tmp_path_factory.mktemp("baseline"), make_config(max_steps=3)
    with make_log(path, config) as log:
        fill(log, config)
        assert run(log, config, path / "learner")
        return [e.sha256 for e in check(log, config)]


def test_three_steps(tmp_path, log, config, baseline):
    fill(log, config)
    seen = []
    make_learner(log, config, tmp_path / "l", on_step=seen.append).run(FOREVER)
    steps = history(log, config).steps
    assert [s.event_id for s in seen] == [s.event_id for s in steps]
    assert [(s.step, s.policy_version, s.groups_trained) for s in steps] == [
        (1, 1, ("g0", "g1")),
        (2, 2, ("g2", "g3")),
        (3, 3, ("g4", "g5")),
    ]
    assert [s.offsets for s in steps] == [{f"{config.topic('groups')}-0": n} for n in (2, 4, 6)]
    assert [s.metrics["off_policy_steps_mean"] for s in steps] == [0.0, 1.0, 2.0]
    assert steps[0].metrics["reward_mean"] == 0.5
    assert steps[0].metrics["kl"] == pytest.approx(0.0, abs=1e-9)
    assert steps[1].metrics["kl"] > 0
    assert [s.metrics["kl_coef"] for s in steps] == pytest.approx([0.01, 0.0098, 0.0098 * 0.98])
    assert [e.sha256 for e in check(log, config)] == baseline
    assert len(set(baseline)) == 4
    assert list(log.committed("test.learner", [config.topic("groups")]).values()) == [6]


@pytest.mark.parametrize("at", range(11))
def test_killed_after_any_durable_step_and_restarted(tmp_path, log, config, baseline, at):
    """2 at the start (checkpointed, logged), 3 for each of three steps."""
    fill(log, config)
    assert not run(log, config, tmp_path / "l", at)
    assert run(log, config, tmp_path / "l")
    assert [e.sha256 for e in check(log, config)] == baseline


@pytest.mark.parametrize("lives", [[0] * 3, [1, 2, 3, 1, 2], [3, 0, 0, 0], [4, 1, 1, 1, 1], [2, 2, 2, 2, 3]])
def test_killed_again_and_again(tmp_path, log, config, baseline, lives):
    fill(log, config)
    for at in lives:
        run(log, config, tmp_path / "l", at)
    assert run(log, config, tmp_path / "l")
    assert [e.sha256 for e in check(log, config)] == baseline
    epochs = [e.epoch for e in events(log, config) if isinstance(e, LearnerStarted)]
    assert epochs == list(range(len(lives) + 1))


@pytest.mark.slow
def test_kill_minus_nine(tmp_path, log, config, baseline):
    """Once after each durable step of a training step, in a process of its own each time, then to the end."""
    fill(log, config)
    command = [sys.executable, "-m", "tests.learner.learner_process", str(tmp_path)]
    root, env = Path(__file__).parents[2], {**os.environ, "OMP_NUM_THREADS": "1"}
    for at, expected in ((2, -signal.SIGKILL), (1, -signal.SIGKILL), (3, -signal.SIGKILL), (-1, 0)):
        done = subprocess.run([*command, str(at)], cwd=root, timeout=200, env=env)
        assert done.returncode == expected
    assert [e.sha256 for e in check(log, config)] == baseline


def test_an_older_checkpoint_goes_on_under_new_versions(tmp_path, log):
    """Two steps are lost with the disk: their groups are trained again, their versions never come back."""
    config = make_config(max_steps=3, max_off_policy_steps=10)
    fill(log, config)
    assert run(log, config, tmp_path / "l")
    for step in (2, 3):
        (tmp_path / "l/checkpoints" / f"epoch-0000-step-{step:06d}").rename(tmp_path / f"lost-{step}")
    assert run(log, config, tmp_path / "l")
    found = events(log, config)
    assert [e.step for e in found if isinstance(e, LearnerStarted)] == [0, 1]
    published = [e for e in found if isinstance(e, PolicyPublished)]
    assert [(e.policy_version, e.step) for e in published] == [(0, 0), (1, 1), (2, 2), (3, 3), (4, 1), (5, 2), (6, 3)]
    assert published[4].sha256 == published[1].sha256
    steps = history(log, config).steps
    assert [(s.step, s.policy_version) for s in steps] == [(1, 1), (2, 5), (3, 6)]
    assert sorted(g for s in steps for g in s.groups_trained) == NAMES


def test_a_restored_learner_restarted_publishes_nothing_twice(tmp_path, log):
    config = make_config(max_steps=3, max_off_policy_steps=10)
    fill(log, config)
    assert run(log, config, tmp_path / "l")
    (tmp_path / "l/checkpoints/epoch-0000-step-000003").rename(tmp_path / "lost")
    assert not run(log, config, tmp_path / "l", at=0)  # killed right after version 4 is published for step 2
    assert run(log, config, tmp_path / "l")
    published = [(e.policy_version, e.step) for e in events(log, config) if isinstance(e, PolicyPublished)]
    assert published == [(0, 0), (1, 1), (2, 2), (3, 3), (4, 2), (5, 3)]


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


def test_rejections_survive_a_restart(tmp_path, log):
    config = make_config(max_steps=2, max_off_policy_steps=0)
    fill(log, config, [simple_group(n) for n in NAMES[:4]])
    assert not run(log, config, tmp_path / "l", at=5)  # after the rejections are logged
    fill(log, config, [simple_group("g4", version=1), simple_group("g5", version=1)])
    assert run(log, config, tmp_path / "l")
    rejected = [r.group_id for s in history(log, config).steps for r in s.groups_rejected]
    assert rejected == ["g2", "g3"]
    trained = [g for s in history(log, config).steps for g in s.groups_trained]
    assert trained == ["g0", "g1", "g4", "g5"]


def test_groups_that_cannot_be_trained_are_rejected_with_the_reason(tmp_path, log):
    config = make_config(max_steps=1)
    long = sealed("long", [chain(m, [(250, 10, 0)]) for m in range(4)], [1.0, 0.0, 1.0, 0.0])
    bare = sealed("bare", [chain(m, [(2, 1, 0)], unscored=[2]) for m in range(4)], [1.0, 0.0, 1.0, 0.0])
    fill(log, config, [long, bare, simple_group("g0"), simple_group("g1")])
    assert run(log, config, tmp_path / "l")
    (step,) = history(log, config).steps
    assert [(r.group_id, r.reason) for r in step.groups_rejected] == [("long", "overlong"), ("bare", "unscored")]


def test_the_parts_of_a_steps_time_are_told_apart(tmp_path, log, config, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(loop, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def takes(owner, name, seconds):
        original = getattr(owner, name)

        def slow(*args, **kwargs):
            now[0] += seconds
            return original(*args, **kwargs)

        monkeypatch.setattr(owner, name, slow)

    takes(loop.Intake, "read", 0.5)  # two a step: one before each group
    takes(loop.Step, "add", 2.0)  # likewise
    takes(loop.Step, "finish", 10.0)
    takes(loop.TrainingState, "save", 100.0)
    takes(loop.Learner, "_append", 1000.0)
    fill(log, config)
    assert run(log, config, tmp_path / "l")
    steps = history(log, config).steps
    assert [step.duration_s for step in steps] == [14.0, 14.0, 14.0]
    assert [step.metrics["waited_s"] for step in steps] == [1.0, 1.0, 1.0]
    assert [step.metrics["checkpoint_s"] for step in steps] == [100.0, 100.0, 100.0]
    assert [step.metrics["publish_s"] for step in steps] == [0.0, 1000.0, 1000.0]


def test_a_gradient_that_is_not_finite_rejects_its_groups_and_moves_nothing(tmp_path, log, baseline, monkeypatch):
    config = make_config(max_steps=3)
    accumulate, calls = update.accumulate_policy_gradients, itertools.count()

    def overflowing(policy, *rest):
        totals = accumulate(policy, *rest)
        if next(calls) == 0:
            for parameter in policy.model.parameters():
                if parameter.grad is not None:
                    parameter.grad.fill_(torch.inf)
        return totals

    monkeypatch.setattr(update, "accumulate_policy_gradients", overflowing)
    fill(log, config, [simple_group(name) for name in ("w0", "w1", *NAMES)])
    assert run(log, config, tmp_path / "l")
    steps = history(log, config).steps
    rejected = [(r.group_id, r.reason) for s in steps for r in s.groups_rejected]
    assert rejected == [("w0", "non_finite"), ("w1", "non_finite")]
    assert [e.sha256 for e in check(log, config)] == baseline


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


def test_old_checkpoints_are_pruned(tmp_path, log):
    config = make_config(max_steps=3, keep_checkpoints=2)
    fill(log, config)
    assert run(log, config, tmp_path / "l")
    assert sorted(p.name for p in (tmp_path / "l/checkpoints").iterdir()) == [
        "epoch-0000-step-000002",
        "epoch-0000-step-000003",
    ]


def test_lost_checkpoints_are_refused_before_anything_is_written(tmp_path, log, config):
    fill(log, config)
    assert run(log, config, tmp_path / "l")
    before = log.end_offsets(config.topic("control"))
    with pytest.raises(ConfigError, match=r"versions up to 3.*restore"):
        run(log, config, tmp_path / "elsewhere")
    assert log.end_offsets(config.topic("control")) == before


def test_another_log_is_refused(tmp_path, log, config):
    fill(log, config)
    assert run(log, config, tmp_path / "l")
    (tmp_path / "other").mkdir()
    with make_log(tmp_path / "other", config) as other, pytest.raises(LogIdentityMismatch, match="checkpoint"):
        run(other, config, tmp_path / "l")


def test_a_damaged_checkpoint_is_named_not_skipped(tmp_path, log, config):
    fill(log, config)
    assert run(log, config, tmp_path / "l")
    state = tmp_path / "l/checkpoints/epoch-0000-step-000003/state.json"
    fields = json.loads(state.read_text())
    state.write_text("{")
    with pytest.raises(ModelError, match=r"step-000003 is damaged.*move it away"):
        run(log, config, tmp_path / "l")
    state.write_text(json.dumps({**fields, "adapter_sha256": "0" * 64}))
    with pytest.raises(ModelError, match="not the one it recorded"):
        run(log, config, tmp_path / "l")


def test_a_second_learner_is_refused_and_a_superseded_one_ends(tmp_path, log, config):
    learner = make_learner(log, config, tmp_path / "l", on_durable=lambda name: None)

    class Rival:
        """A stop that is asked once per turn: first it tries a second learner, then a newer epoch appears."""

        asked = 0

        def is_set(self):
            self.asked += 1
            if self.asked == 1:
                with pytest.raises(RoleBusy, match="live member"):
                    run(log, config, tmp_path / "l")
                started = LearnerStarted(**simple_stamp(config), epoch=7, step=0)
                log.append(config.topic("control"), encode([started]))
            return self.asked > 50

    with pytest.raises(RoleBusy, match="epoch 7"):
        learner.run(Rival())


def simple_stamp(config):
    from tests.learner.groups import PRODUCER

    return PRODUCER.stamp(config.run_id)


def test_version_0_is_the_adapter_that_training_starts_from(tmp_path, log):
    policy = make_learner(log, make_config(), tmp_path / "unused")._state.policy
    policy.lora.add("start", rank=2, alpha=4.0, seed=5)
    digest = save_adapter(
        tmp_path / "start", policy.lora.export("start"), AdapterConfig(r=2, lora_alpha=4.0, target_modules=TARGETS)
    )
    config = make_config(max_steps=1, init_adapter=str(tmp_path / "start"))
    fill(log, config)
    assert run(log, config, tmp_path / "l")
    assert events(log, config)[1].sha256 == digest


def test_an_adapter_of_another_rank_is_refused(tmp_path, log):
    policy = make_learner(log, make_config(), tmp_path / "unused")._state.policy
    policy.lora.add("start", rank=2, alpha=4.0)
    adapter = AdapterConfig(r=2, lora_alpha=4.0, target_modules=TARGETS)
    save_adapter(tmp_path / "start", policy.lora.export("start"), adapter)
    config = make_config(init_adapter=str(tmp_path / "start"), lora_rank=3)
    with pytest.raises(ConfigError, match="the settings say lora_rank 3"):
        run(log, config, tmp_path / "l")


def test_the_anchor_is_drawn_alike_after_a_restart(tmp_path, log):
    rows = [{"token_ids": [5, 6, 7 + n, 8], "assistant_masks": [0, 0, 1, 1]} for n in range(20)]
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus/a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    config = make_config(max_steps=3, bc_coef=0.5, bc_corpus=str(tmp_path / "corpus"))
    fill(log, config)
    assert not run(log, config, tmp_path / "l", at=5)
    assert run(log, config, tmp_path / "l")
    killed = [e.sha256 for e in check(log, config)]
    assert all(s.metrics["bc_loss"] > 0 for s in history(log, config).steps)
    (tmp_path / "whole").mkdir()
    with make_log(tmp_path / "whole", config) as whole:
        fill(whole, config)
        assert run(whole, config, tmp_path / "l2")
        assert [e.sha256 for e in check(whole, config)] == killed


def test_a_learner_that_gets_no_group_says_why(tmp_path, log, caplog):
    """g0 waits for a second group; nobody plays."""
    config = make_config(watchdog_s=0.2)
    fill(log, config, [simple_group("g0")])

    class Told:
        def is_set(self):
            return any(message.startswith("no group for ") for message in caplog.messages)

    make_learner(log, config, tmp_path / "l").run(Told())
    (line,) = (message for message in caplog.messages if message.startswith("no group for "))
    assert "1 of 2 wait here" in line
    assert "no_engine: no engine has loaded any policy version (none was heard of)" in line
    assert "no_worker: no worker lives" in line
    assert "no_scheduler: no scheduler has begun" in line


@pytest.mark.slow
def test_two_ranks_train_what_one_trains(tmp_path):
    """The other rank is a process of its own; sums over ranks are rounded otherwise, so close, not equal."""
    tiny_qwen3().save_pretrained(tmp_path / "model")
    adapters = []
    for num_ranks in (1, 2):
        config = make_config(max_steps=2, prefix=f"ranks{num_ranks}")
        path = tmp_path / str(num_ranks)
        path.mkdir()
        with make_log(path, config) as log:
            fill(log, config)
            run_learner(log, config, FOREVER, model_path=tmp_path / "model", directory=path, num_ranks=num_ranks)
            adapters.append([load_adapter(Path(e.uri))[0] for e in check(log, config, num_groups=4)])
    for one, two in zip(*adapters, strict=True):
        for name in one:
            torch.testing.assert_close(two[name], one[name], rtol=1e-3, atol=1e-5)
