"""The model that is trained: a frozen base, the `policy` adapter on it, and a frozen `reference` adapter beside it."""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from trajlog.errors import ModelError
from trajlog.kernels.logprobs import Selected, selected_logprobs
from trajlog.kernels.lora import LoraSet, inject_lora

POLICY = "policy"
REFERENCE = "reference"

_PROBE_TOLERANCE = {"float32": 1e-2, "bfloat16": 0.5}
"""Largest difference in nats of the self-check; the errors it looks for are wrong by whole nats."""


class PolicyModel:
    """Scores token sequences under one adapter or the other. The base is a causal language model of transformers.

    Sequences run one after another, each without padding or mask: causal attention without a mask keeps no
    [T, T] scores for the backward pass (SDPA with a block-diagonal mask did: 1 KB * T^2 on SmolLM2).
    """

    def __init__(self, model: torch.nn.Module, target_modules: Sequence[str], temperature: float = 1.0) -> None:
        """`temperature` is the sampler's: log-probabilities are those of the distribution it sampled from."""
        self.model = model.eval()
        self.temperature = temperature
        self._check_head()
        self.lora: LoraSet = inject_lora(model, target_modules)

    @classmethod
    def load(
        cls, path: Path, target_modules: Sequence[str], *, dtype: str = "float32", temperature: float = 1.0
    ) -> "PolicyModel":
        """The base from a model directory. Raises ModelError naming the path when it cannot be read."""
        from transformers import AutoModelForCausalLM

        try:
            model = AutoModelForCausalLM.from_pretrained(
                path, dtype=getattr(torch, dtype), local_files_only=True, use_safetensors=True
            )
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise ModelError(
                f"cannot load the base model from {path}: {error}. Fetch it (`trajlog models fetch`) or correct "
                "model.name in the run's settings."
            ) from error
        return cls(model.to("cuda" if torch.cuda.is_available() else "cpu"), target_modules, temperature)

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def score(self, sequences: Sequence[Tensor], positions: Sequence[Tensor], adapter: str | None) -> Selected:
        """Log-probability and entropy at chosen tokens of several sequences, one after the other, float32 [N].

        `sequences[i]` int64 [T_i] token ids; `positions[i]` int64 [n_i] indices of tokens in it, 1 or more (the first
        token has no prediction); N is the sum of n_i. `adapter` None is the base alone.
        """
        with self.lora.using(adapter):
            hidden = [self._hidden(s)[(p - 1).to(self.device)] for s, p in zip(sequences, positions, strict=True)]
        tokens = torch.cat([s[p] for s, p in zip(sequences, positions, strict=True)]).to(self.device)
        head = self.model.get_output_embeddings().weight
        return selected_logprobs(torch.cat(hidden), head, tokens, self.temperature)

    def _hidden(self, sequence: Tensor) -> Tensor:
        """Last hidden states [T, H]."""
        ids = sequence.to(self.device)[None]
        return self.model.base_model(input_ids=ids, use_cache=False).last_hidden_state[0]

    def _check_head(self) -> None:
        """Compares the output head times the last hidden state with the model's own logits, once, on eight tokens.

        Raises ModelError for a model whose logits are more than that (scaled, capped): it would train on wrong ratios
        without a sign.
        """
        head = self.model.get_output_embeddings().weight
        probe = torch.arange(1, 9, device=self.device) % head.shape[0]
        with torch.no_grad():
            ours = (self._hidden(probe) @ head.T).float().log_softmax(-1)
            theirs = self.model(input_ids=probe[None], use_cache=False).logits[0].float().log_softmax(-1)
        error = (ours - theirs).abs().max().item()
        if not error <= _PROBE_TOLERANCE[str(head.dtype).removeprefix("torch.")]:
            raise ModelError(
                f"{type(self.model).__name__} cannot be trained here: its log-probabilities differ by up to "
                f"{error:.3g} nats from its output head times the last hidden state. Choose a model with a plain head "
                "(Qwen3, Qwen3-MoE, Llama, SmolLM2)."
            )
