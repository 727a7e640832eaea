"""What a checkpoint keeps, alive: the policy adapter, its optimizer, the reference, and how they are made and saved."""

from pathlib import Path

import msgspec
import torch

from trajlog.config import RunConfig
from trajlog.errors import ConfigError
from trajlog.learner import checkpoint as checkpoints
from trajlog.learner.checkpoint import Checkpoint, CheckpointState
from trajlog.learner.policy import POLICY, REFERENCE, PolicyModel
from trajlog.learner.update import make_optimizer
from trajlog.serving.adapters import AdapterConfig, load_adapter, save_adapter


class TrainingState:
    """One trained adapter on one base. Call `create` or `restore` once, before anything else.

    directory/checkpoints/  checkpoint.py
    directory/reference/    the adapter of version 0, which the KL penalty holds on to
    """

    def __init__(self, policy: PolicyModel, config: RunConfig, directory: Path) -> None:
        self.policy = policy
        self._learner = config.learner
        self._checkpoints = directory / "checkpoints"
        self._reference = directory / "reference"
        self._adapter_config = AdapterConfig(
            r=config.learner.lora_rank,
            lora_alpha=config.learner.lora_alpha,
            target_modules=tuple(sorted(config.learner.lora_targets)),
            base_model_name_or_path=config.model.name,
        )
        self.optimizer: torch.optim.AdamW

    def newest(self) -> Checkpoint[CheckpointState] | None:
        """The newest checkpoint, or None. Raises ModelError for a damaged one."""
        return checkpoints.load_newest(self._checkpoints, CheckpointState)

    def create(self) -> None:
        """Version 0 and the reference: learner.init_adapter, or a fresh adapter that changes nothing."""
        learner, lora = self._learner, self.policy.lora
        if learner.init_adapter:
            tensors, config = load_adapter(Path(learner.init_adapter))
            if (config.r, config.lora_alpha) != (learner.lora_rank, learner.lora_alpha):
                raise ConfigError(
                    f"learner.init_adapter has rank {config.r} and alpha {config.lora_alpha}, the settings say "
                    f"lora_rank {learner.lora_rank} and lora_alpha {learner.lora_alpha}: make them equal"
                )
            lora.load(POLICY, tensors, rank=config.r, alpha=config.lora_alpha)
        else:
            lora.add(POLICY, rank=learner.lora_rank, alpha=learner.lora_alpha, seed=learner.seed)
        save_adapter(self._reference, lora.export(POLICY), self._adapter_config)
        torch.manual_seed(learner.seed)
        self._prepare()

    def restore(self, found: Checkpoint[CheckpointState]) -> None:
        """Adapter, optimizer and random state of a checkpoint; the next step is what it would have been."""
        tensors, config = found.load_adapter()
        self.policy.lora.load(POLICY, tensors, rank=config.r, alpha=config.lora_alpha)
        self._prepare()
        found.restore_optimizer(self.optimizer, list(self.policy.lora.parameters(POLICY)))

    def _prepare(self) -> None:
        if self._learner.kl_coef > 0:
            tensors, config = load_adapter(self._reference)
            self.policy.lora.load(REFERENCE, tensors, rank=config.r, alpha=config.lora_alpha)
        self.optimizer = make_optimizer(
            self.policy.lora.train_only(POLICY), self._learner.learning_rate, self._learner.weight_decay
        )

    def save(self, state: CheckpointState) -> Checkpoint[CheckpointState]:
        """Durable step 2. `state.adapter_sha256` is filled in here."""
        adapter = self.policy.lora.export(POLICY)
        keys = list(self.policy.lora.parameters(POLICY))
        return checkpoints.save(self._checkpoints, state, adapter, self._adapter_config, self.optimizer, keys)

    def prune(self) -> None:
        """Keep the newest learner.keep_checkpoints."""
        checkpoints.prune(self._checkpoints, self._learner.keep_checkpoints)


def event_fields(event: msgspec.Struct, envelope: frozenset[str]) -> dict[str, object]:
    """Fields of an event without its envelope, as plain values that JSON holds."""
    return {k: v for k, v in msgspec.to_builtins(event).items() if k not in envelope}
