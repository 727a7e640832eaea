"""Supervised fine-tuning of a fresh adapter: the learner's model, scoring and optimizer, on assistant tokens only.

    OUT/adapter/        the result, a PEFT directory; learner.init_adapter takes it
    OUT/metrics.jsonl   one line a step and one an evaluation
    OUT/tensorboard/    the same as curves
    OUT/checkpoints/    checkpoint.py: the newest, and the one with the least held-out loss

Durable steps, by the names that `on_durable` is told:
1 `stepped`: parameters moved, in memory, and a line of metrics. A kill here loses the steps since 2; they are made
  again, and lines beyond 2 are taken out of metrics.jsonl at the next start.
2 `checkpointed`: every `steps_per_checkpoint` steps and at the end of each pass: metrics.jsonl reaches the disk, then
  a checkpoint, which knows the held-out loss measured just before it and which checkpoint has had the least.
3 `finished`: the chosen adapter is renamed into place. Started again, nothing is trained any more.
The order of the examples and the adapter's start are functions of the settings, so a fine-tuning that was killed and
started again takes the steps that an unbroken one takes.
"""

import hashlib
import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch

from trajlog.config import RunConfig
from trajlog.errors import ConfigError, ModelError
from trajlog.held_folder import alone
from trajlog.learner import checkpoint as checkpoints
from trajlog.learner.checkpoint import Checkpoint, SavedState, checkpoint_name
from trajlog.learner.determinism import set_deterministic
from trajlog.learner.examples import Example, fitting, load_examples, split_by_task
from trajlog.learner.metric_lines import MetricLines, read_lines
from trajlog.learner.packing import pack
from trajlog.learner.policy import POLICY, PolicyModel
from trajlog.learner.update import accumulate_cloning_gradients, apply_gradients, make_optimizer
from trajlog.private_folder import make_private
from trajlog.serving.adapters import AdapterConfig, save_adapter

ADAPTER = "adapter"
METRICS = "metrics.jsonl"
_KEEP_CHECKPOINTS = 1
"""Beside the best: a newer one is only made when the one before it is whole."""


class SftConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of one fine-tuning. The adapter's rank, scale and modules are in an AdapterConfig."""

    epochs: int = 1
    """Passes over the training examples, each in a new order; an early stop may end before."""
    learning_rate: float = 1e-3
    """AdamW's, constant."""
    examples_per_step: int = 4
    max_grad_norm: float = 1.0
    max_tokens_per_microbatch: int = 16384
    """Tokens of one forward and backward; longer examples are left out and counted."""
    held_out_share: float = 0.0
    """Share (below 1) of the tasks whose examples are not trained but measured; 0 = none, and no early stop."""
    steps_per_checkpoint: int = 50
    """Steps between two checkpoints and held-out measurements; there is one at the end of each pass, too."""
    patience: int = 3
    """Stop after so many held-out measurements in a row without a new least; 0 = never."""
    seed: int = 0
    """Of the adapter's start, of the order and of what is held out."""


class SftState(SavedState, frozen=True, kw_only=True):
    """state.json of a fine-tuning's checkpoint."""

    settings: str
    """Digest of everything that decides what is trained: a folder holds one fine-tuning."""
    best: str
    """Name of the checkpoint with the least held-out loss; the newest where nothing is held out."""
    best_loss: float | None
    num_worse: int
    """Measurements since it."""


class SftStep(msgspec.Struct, frozen=True):
    """Progress: one optimizer step of `num_steps`; `loss` in nats per assistant token, before the step."""

    step: int
    num_steps: int
    loss: float
    held_out_loss: float | None
    """Measured after the step, when there was a measurement."""


class SftResult(msgspec.Struct, frozen=True):
    """`losses` of every step taken; `held_out` (step, loss) of every measurement, the first before any step."""

    adapter: Path
    sha256: str
    losses: tuple[float, ...]
    held_out: tuple[tuple[int, float], ...]
    best_step: int
    """The step whose adapter it is."""
    stopped_early: bool
    num_too_long: int


def run_sft(
    run: RunConfig,
    config: SftConfig,
    *,
    corpus: Path,
    out: Path,
    model_path: Path,
    say: Callable[[str], None],
    on_progress: Callable[[SftStep], None],
) -> SftResult:
    """Fine-tune on a corpus's folder the adapter that `run`'s model and learner settings describe.

    Raises ConfigError (nothing to train on, `out` holds another fine-tuning), ModelError, LogFull.
    """
    examples = load_examples(corpus)
    training, held_out = split_by_task(examples, config.held_out_share, config.seed)
    tasks = len({example.task_id for example in held_out})
    say(f"training on {len(training)} examples" + (f", {len(held_out)} of {tasks} tasks held out" if held_out else ""))
    learner = run.learner
    set_deterministic(learner.deterministic)
    policy = PolicyModel.of_run(model_path, run)
    adapter = AdapterConfig(
        r=learner.lora_rank,
        lora_alpha=learner.lora_alpha,
        target_modules=tuple(sorted(learner.lora_targets)),
        base_model_name_or_path=run.model.name,
    )
    return train_sft(policy, training, adapter, config, out, held_out=held_out, on_progress=on_progress)


def train_sft(
    policy: PolicyModel,
    examples: Sequence[Example],
    adapter: AdapterConfig,
    config: SftConfig,
    out: Path,
    *,
    held_out: Sequence[Example] = (),
    on_progress: Callable[[SftStep], None] = lambda step: None,
    on_durable: Callable[[str], None] = lambda name: None,
) -> SftResult:
    """Train a fresh adapter named `policy` on `policy`'s base into the folder `out`, or go on where it stopped.

    Loss of a step: mean over its examples of the mean over their assistant tokens of -log p; held-out loss likewise
    over all of `held_out`. Raises ConfigError without a usable example, when `out` holds another fine-tuning, or when
    another process is at it, ModelError when the loss is not finite or a checkpoint is damaged, LogFull.
    """
    training = _Training(policy, examples, adapter, config, out, held_out, on_progress, on_durable)
    make_private(out)
    with alone(out, "fine-tunes into"):
        return training.run()


class _Training:
    def __init__(
        self,
        policy: PolicyModel,
        examples: Sequence[Example],
        adapter: AdapterConfig,
        config: SftConfig,
        out: Path,
        held_out: Sequence[Example],
        on_progress: Callable[[SftStep], None],
        on_durable: Callable[[str], None],
    ) -> None:
        self._policy, self._adapter, self._config, self._out = policy, adapter, config, out
        self._on_progress, self._on_durable = on_progress, on_durable
        self._usable = _usable(examples, config)
        self._held_out = fitting(held_out, config.max_tokens_per_microbatch)
        if held_out and not self._held_out:
            raise ConfigError(
                f"none of {len(held_out)} held-out examples has at most {config.max_tokens_per_microbatch} tokens: "
                "raise max_tokens_per_microbatch, hold out more (--held-out) or nothing"
            )
        self._num_too_long = len(examples) + len(held_out) - len(self._usable) - len(self._held_out)
        self._plan = plan_steps(len(self._usable), config)
        self._settings = _digest(policy, self._usable, self._held_out, adapter, config)
        self._checkpoints = out / "checkpoints"

    def run(self) -> SftResult:
        found = checkpoints.load_newest(self._checkpoints, SftState)
        if found is not None and found.state.settings != self._settings:
            raise ConfigError(
                f"{self._out} holds a fine-tuning with other examples or settings: name another folder, or remove it "
                "to begin anew"
            )
        if (self._out / ADAPTER).exists():
            if found is None:
                raise ConfigError(f"{self._out} holds an adapter already: name another folder")
            return self._result(found, read_lines(self._out / METRICS, found.state.step))
        optimizer = self._restore(found)
        state = found.state if found is not None else self._state(0, 0, "", None, 0)
        lines = read_lines(self._out / METRICS, state.step if found is not None else -1)
        with MetricLines(self._out, METRICS, "sft", lines) as metrics:
            if found is None and self._held_out:
                metrics.add(0, held_out_loss=self._measure())
            for step in range(state.step + 1, len(self._plan) + 1):
                if self._stopped(state):
                    break
                loss = self._step(optimizer, step, metrics)
                due = step % self._config.steps_per_checkpoint == 0 or self._ends_pass(step)
                measured = self._measure() if due and self._held_out else None
                if measured is not None:
                    metrics.add(step, held_out_loss=measured)
                self._on_durable("stepped")
                self._on_progress(SftStep(step, len(self._plan), loss, measured))
                if due:
                    metrics.sync()
                    found = self._save(step, measured, state, optimizer)
                    state = found.state
                    self._on_durable("checkpointed")
        assert found is not None
        best = checkpoints.load(self._checkpoints / found.state.best, SftState)
        save_adapter(self._out / ADAPTER, best.load_adapter()[0], self._adapter)
        self._on_durable("finished")
        return self._result(found, metrics.lines)

    def _restore(self, found: Checkpoint[SftState] | None) -> torch.optim.Optimizer:
        lora, made = self._policy.lora, self._adapter
        if found is None:
            lora.add(POLICY, rank=made.r, alpha=made.lora_alpha, seed=self._config.seed)
        else:
            lora.load(POLICY, found.load_adapter()[0], rank=made.r, alpha=made.lora_alpha)
        optimizer = make_optimizer(lora.train_only(POLICY), self._config.learning_rate, weight_decay=0.0)
        if found is not None:
            found.restore_optimizer(optimizer, list(lora.parameters(POLICY)))
        return optimizer

    def _step(self, optimizer: torch.optim.Optimizer, step: int, metrics: MetricLines) -> float:
        began_s = time.monotonic()
        number, chosen = self._plan[step - 1]
        batch = [self._usable[index] for index in chosen]
        loss = accumulate_cloning_gradients(self._policy, batch, self._config.max_tokens_per_microbatch, 1.0)
        norm = apply_gradients(optimizer, self._config.max_grad_norm, finite=math.isfinite(loss))
        if not (math.isfinite(loss) and math.isfinite(norm)):
            raise ModelError(
                f"the loss of fine-tuning step {step} is not finite ({loss}): lower the learning rate "
                f"({self._config.learning_rate}), or use float32 for the base model"
            )
        duration_s = time.monotonic() - began_s
        num_tokens = sum(len(example.token_ids) for example in batch)
        metrics.add(
            step,
            epoch=number,
            loss=loss,
            grad_norm=norm,
            num_tokens=num_tokens,
            num_assistant_tokens=sum(len(example.positions) for example in batch),
            tokens_per_s=num_tokens / max(duration_s, 1e-9),
        )
        return loss

    def _measure(self) -> float:
        loss = cloning_loss(self._policy, self._held_out, self._config.max_tokens_per_microbatch)
        if not math.isfinite(loss):
            raise ModelError(f"the held-out loss is not finite ({loss}): lower the learning rate")
        return loss

    def _save(
        self, step: int, measured: float | None, before: SftState, optimizer: torch.optim.Optimizer
    ) -> Checkpoint[SftState]:
        number = self._plan[step - 1][0]
        own = checkpoint_name(number, step)
        if measured is None or before.best_loss is None or measured < before.best_loss:
            state = self._state(number, step, own, measured, 0)
        else:
            state = self._state(number, step, before.best, before.best_loss, before.num_worse + 1)
        lora = self._policy.lora
        keys = list(lora.parameters(POLICY))
        saved = checkpoints.save(self._checkpoints, state, lora.export(POLICY), self._adapter, optimizer, keys)
        checkpoints.prune(self._checkpoints, _KEEP_CHECKPOINTS, spare=state.best)
        return saved

    def _state(self, number: int, step: int, best: str, best_loss: float | None, num_worse: int) -> SftState:
        return SftState(
            epoch=number, step=step, settings=self._settings, best=best, best_loss=best_loss, num_worse=num_worse
        )

    def _ends_pass(self, step: int) -> bool:
        return step == len(self._plan) or self._plan[step][0] != self._plan[step - 1][0]

    def _stopped(self, state: SftState) -> bool:
        return 0 < self._config.patience <= state.num_worse

    def _result(self, found: Checkpoint[SftState], lines: Sequence[Mapping[str, Any]]) -> SftResult:
        best = checkpoints.load(self._checkpoints / found.state.best, SftState)
        return SftResult(
            adapter=self._out / ADAPTER,
            sha256=best.state.adapter_sha256,
            losses=tuple(line["loss"] for line in lines if "loss" in line),
            held_out=tuple((line["step"], line["held_out_loss"]) for line in lines if "held_out_loss" in line),
            best_step=best.state.step,
            stopped_early=found.state.step < len(self._plan),
            num_too_long=self._num_too_long,
        )


def plan_steps(num_examples: int, config: SftConfig) -> list[tuple[int, list[int]]]:
    """The pass (1, 2, ...) and the examples' indices of every step, in order: each pass has each example once."""
    shuffle = random.Random(config.seed)
    return [
        (number, order[start : start + config.examples_per_step])
        for number in range(1, config.epochs + 1)
        for order in [shuffle.sample(range(num_examples), num_examples)]
        for start in range(0, num_examples, config.examples_per_step)
    ]


def cloning_loss(policy: PolicyModel, examples: Sequence[Example], max_tokens: int) -> float:
    """The mean over examples of the mean over their assistant tokens of -log p, in nats. No gradient."""
    total = 0.0
    with torch.no_grad():
        for indices in pack([len(e.token_ids) for e in examples], max_tokens):
            chosen = [examples[i] for i in indices]
            logprobs = policy.score([e.token_ids for e in chosen], [e.positions for e in chosen], POLICY).logprobs
            lengths = [len(example.positions) for example in chosen]
            total -= sum(float(part.mean()) for part in logprobs.split(lengths))
    return total / len(examples)


def _usable(examples: Sequence[Example], config: SftConfig) -> list[Example]:
    usable = fitting(examples, config.max_tokens_per_microbatch)
    if not usable:
        raise ConfigError(
            f"none of {len(examples)} examples has at most {config.max_tokens_per_microbatch} tokens: give more or "
            "shorter demonstrations, or raise max_tokens_per_microbatch"
        )
    return usable


def _digest(
    policy: PolicyModel,
    usable: Sequence[Example],
    held_out: Sequence[Example],
    adapter: AdapterConfig,
    config: SftConfig,
) -> str:
    """SHA-256 over the settings and every example's tokens."""
    scoring = [policy.temperature, str(policy.head.dtype)]
    digest = hashlib.sha256(msgspec.json.encode([adapter, config, scoring, len(usable), len(held_out)]))
    for example in (*usable, *held_out):
        for tensor in (example.token_ids, example.positions):
            digest.update(len(tensor).to_bytes(8, "little") + tensor.numpy().astype("<i8").tobytes())
    return digest.hexdigest()
