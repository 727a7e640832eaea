"""A small learner on a tiny model: for tests in one process, and (run as a module) one that is really killed."""

import os
import signal
import sys
import threading
from pathlib import Path

import msgspec

from tests.learner.tiny import TARGETS, tiny_qwen3
from trajlog.config import EpisodeConfig, GroupConfig, LearnerConfig, LogConfig, RunConfig, StalenessConfig
from trajlog.learner.loop import Learner
from trajlog.learner.policy import PolicyModel
from trajlog.stream.log import Log
from trajlog.stream.open import open_log


def make_config(max_off_policy_steps: int = 4, prefix: str = "test", num_partitions: int = 1, **learner) -> RunConfig:
    """Groups of 4, two a step, contexts of 200 tokens."""
    settings = LearnerConfig(
        algorithm="weighted_grpo",
        groups_per_step=2,
        learning_rate=1e-2,
        lora_rank=2,
        lora_alpha=4.0,
        lora_targets=TARGETS,
        max_tokens_per_microbatch=200,
        length_alpha=0.5,
        kl_coef=0.01,
        keep_checkpoints=100,
    )
    return RunConfig(
        run_id="run",
        log=LogConfig(prefix=prefix, num_partitions=num_partitions),
        group=GroupConfig(group_size=4, min_group_size=3),
        episode=EpisodeConfig(context_limit=200),
        staleness=StalenessConfig(max_off_policy_steps=max_off_policy_steps),
        learner=msgspec.structs.replace(settings, **learner),
    )


def make_log(path: Path, config: RunConfig) -> Log:
    log = open_log(f"sqlite:///{path}/log.db", create=True)
    log.create_topics(config.topics())
    return log


def make_learner(log: Log, config: RunConfig, directory: Path, **callbacks) -> Learner:
    return Learner(log, config, PolicyModel(tiny_qwen3(), config.learner.lora_targets), directory, **callbacks)


def main(path: Path, at: int) -> None:
    """Train three steps; kill this process at the `at`-th durable step (0-based)."""
    calls = iter(range(10**6))

    def on_durable(name: str) -> None:
        if next(calls) == at:
            os.kill(os.getpid(), signal.SIGKILL)

    config = make_config(max_steps=3)
    with open_log(f"sqlite:///{path}/log.db") as log:
        make_learner(log, config, path / "l", on_durable=on_durable).run(threading.Event())


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
