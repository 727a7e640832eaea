"""A small fine-tuning on a tiny model: for tests in one process, and (run as a module) one that is really killed."""

import os
import signal
import sys
from pathlib import Path

import torch

from tests.learner.tiny import TARGETS, tiny_qwen3
from trajlog.learner.examples import Example, make_example
from trajlog.learner.policy import PolicyModel
from trajlog.learner.sft import SftConfig, SftResult, train_sft
from trajlog.serving.adapters import AdapterConfig

ADAPTER = AdapterConfig(r=4, lora_alpha=8.0, target_modules=tuple(sorted(TARGETS)))
CONFIG = SftConfig(
    epochs=3,
    learning_rate=2e-2,
    examples_per_step=2,
    max_tokens_per_microbatch=64,
    steps_per_checkpoint=2,
    held_out_share=0.2,
)


def examples(count: int = 5, first: int = 0) -> list[Example]:
    """Context 10+i, then the assistant's 100, 101, 102, ... ; the context is never trained."""
    return [
        make_example([10 + i, 20, *range(100, 106 + i), 30], [0, 0, *[1] * (6 + i), 0], f"task{i}")
        for i in range(first, first + count)
    ]


def fine_tune(
    out: Path,
    config: SftConfig = CONFIG,
    training=None,
    held_out=None,
    build=tiny_qwen3,
    adapter: AdapterConfig = ADAPTER,
    **callbacks,
) -> SftResult:
    return train_sft(
        PolicyModel(build(), adapter.target_modules),
        examples() if training is None else training,
        adapter,
        config,
        out,
        held_out=examples(2, first=5) if held_out is None else held_out,
        **callbacks,
    )


def main(out: Path, at: int) -> None:
    """Fine-tune; kill this process at the `at`-th durable step (0-based)."""
    torch.set_num_threads(1)
    left = iter(range(at, -1, -1))

    def on_durable(name: str) -> None:
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    fine_tune(out, on_durable=on_durable)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
