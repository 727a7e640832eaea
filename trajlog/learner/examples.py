"""Supervised examples: token ids and which of them are the assistant's. Read from an SFT corpus."""

import logging
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import torch
from torch import Tensor

from trajlog.config import LearnerConfig
from trajlog.errors import ConfigError

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Example:
    """token_ids int64 [T]; positions int64 [n], rising, 1 or more, n at least 1: the assistant's tokens."""

    token_ids: Tensor
    positions: Tensor
    task_id: str = ""
    """Of the episode; empty when the corpus does not say."""


class _Row(msgspec.Struct):
    token_ids: list[int]
    assistant_masks: list[int]
    task_id: str = ""


def make_example(token_ids: Sequence[int], assistant_masks: Sequence[int | bool], task_id: str = "") -> Example:
    """From aligned lists; the mask is 1 on assistant tokens. Raises ValueError if nothing would be trained."""
    if len(token_ids) != len(assistant_masks):
        raise ValueError(f"{len(token_ids)} token_ids beside {len(assistant_masks)} assistant_masks")
    positions = [i for i, mask in enumerate(assistant_masks) if mask and i > 0]
    if not positions:
        raise ValueError("assistant_masks marks no token after the first")
    ids = token_ids[: positions[-1] + 1]
    return Example(torch.tensor(ids, dtype=torch.int64), torch.tensor(positions, dtype=torch.int64), task_id)


def load_examples(folder: Path) -> list[Example]:
    """Every line of every `*.jsonl` file of a corpus, files by name. Each line has `token_ids`, `assistant_masks`,
    and may have `task_id`.

    Raises ConfigError naming file and line when the folder is missing or empty or a line is not an example.
    """
    files = sorted(folder.glob("*.jsonl")) if folder.is_dir() else []
    examples: list[Example] = []
    for file in files:
        for number, line in enumerate(file.read_bytes().split(b"\n"), 1):
            if not line.strip():
                continue
            try:
                row = msgspec.json.decode(line, type=_Row)
                examples.append(make_example(row.token_ids, row.assistant_masks, row.task_id))
            except (msgspec.DecodeError, ValueError) as error:
                raise ConfigError(f"{file}, line {number}: {error}; write the corpus again") from None
    if not examples:
        raise ConfigError(f"there are no examples in {folder}: make a corpus with `trajlog replay sft --out {folder}`")
    return examples


def draw(examples: Sequence[Example], count: int, seed: int, step: int) -> list[Example]:
    """`count` examples for one step (all, if there are fewer). The same seed and step draw the same ones."""
    return random.Random(f"{seed}-{step}").sample(examples, min(count, len(examples)))


def split_by_task(examples: Sequence[Example], share: float, seed: int) -> tuple[list[Example], list[Example]]:
    """Training and held-out examples, in order: `share` of the tasks (0..1, above 0 at least one) is held out whole.

    No task is in both, so the held-out loss tells of tasks that were not trained. The same tasks, share and seed hold
    out the same ones, however many examples each has. Raises ConfigError when there are not two tasks to tell apart.
    """
    if share == 0:
        return list(examples), []
    tasks = sorted({example.task_id for example in examples})
    if "" in tasks or len(tasks) < 2:
        what = "examples without a task_id" if "" in tasks else f"one task ({tasks[0]})"
        raise ConfigError(
            f"the corpus has {what}: no task can be held out. Give a corpus of several tasks (`trajlog replay sft` "
            "writes task_id), or hold nothing out (--held-out 0)"
        )
    count = min(max(round(share * len(tasks)), 1), len(tasks) - 1)
    held = set(random.Random(f"{seed}-held-out").sample(tasks, count))
    return [e for e in examples if e.task_id not in held], [e for e in examples if e.task_id in held]


def fitting(examples: Sequence[Example], max_tokens: int) -> list[Example]:
    """Those of at most `max_tokens` tokens."""
    return [e for e in examples if len(e.token_ids) <= max_tokens]


def load_anchors(config: LearnerConfig) -> list[Example]:
    """Examples that the behaviour-cloning anchor draws from; none when it is off. Raises ConfigError."""
    if config.bc_coef == 0:
        return []
    examples = load_examples(Path(config.bc_corpus))
    anchors = fitting(examples, config.max_tokens_per_microbatch)
    if not anchors:
        raise ConfigError(
            f"every example of {config.bc_corpus} is longer than learner.max_tokens_per_microbatch "
            f"({config.max_tokens_per_microbatch}): raise it, or set bc_coef to 0"
        )
    if len(anchors) < len(examples):
        _logger.warning(
            "%d of %d examples of %s are longer than learner.max_tokens_per_microbatch (%d) and are left out",
            *(len(examples) - len(anchors), len(examples), config.bc_corpus, config.max_tokens_per_microbatch),
        )
    return anchors


def draw_anchors(anchors: Sequence[Example], config: LearnerConfig, step: int) -> list[Example]:
    """The anchors of the optimizer step of that number."""
    return draw(anchors, config.bc_examples_per_step, config.seed, step)
