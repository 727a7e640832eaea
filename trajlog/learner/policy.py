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

_PROBE_TOLERANCE = {torch.float32: 1e-2, torch.bfloat16: 0.5}
"""Largest difference in nats of the self-check; the errors it looks for are wrong by whole nats."""


class PolicyModel:
    """Scores token sequences under one adapter or the other. The base is a causal language model of transformers.

    Sequences are run packed: laid end to end in one row, each with positions 0.. of its own, and transformers makes
    the attention block-diagonal. So no padding is computed and no sequence sees another.
    """

    def __init__(self, model: torch.nn.Module, target_modules: Sequence[str], temperature: float = 1.0) -> None:
        """`temperature` is the sampler's: log-probabilities are those of the distribution it sampled from."""
        self.model = model.eval()
        self.temperature = temperature
        self._check_head_and_packing()
        self.lora: LoraSet = inject_lora(model, target_modules)

    @classmethod
    def load(
        cls, path: Path, target_modules: Sequence[str], *, dtype: str = "float32", temperature: float = 1.0
    ) -> "PolicyModel":
        """The base from a model directory. Raises ModelError naming the path when it cannot be read."""
        from transformers import AutoModelForCausalLM

        try:
            model = AutoModelForCausalLM.from_pretrained(path, dtype=getattr(torch, dtype), local_files_only=True)
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
        hidden = self._hidden(sequences, adapter)
        starts = torch.tensor([len(s) for s in sequences]).cumsum(0) - torch.tensor([len(s) for s in sequences])
        predicting = torch.cat([p + start - 1 for p, start in zip(positions, starts.tolist(), strict=True)])
        tokens = torch.cat([s[p] for s, p in zip(sequences, positions, strict=True)]).to(self.device)
        head = self.model.get_output_embeddings().weight
        return selected_logprobs(hidden[predicting.to(self.device)], head, tokens, self.temperature)

    def _hidden(self, sequences: Sequence[Tensor], adapter: str | None) -> Tensor:
        """Last hidden states [sum T_i, H] of sequences that do not see one another."""
        ids = torch.cat(list(sequences)).to(self.device)[None]
        position_ids = torch.cat([torch.arange(len(s)) for s in sequences]).to(self.device)[None]
        with self.lora.using(adapter):
            out = self.model.base_model(input_ids=ids, position_ids=position_ids, use_cache=False)
        return out.last_hidden_state[0]

    def _check_head_and_packing(self) -> None:
        """Compares packed scoring with the model's own logits of each sequence alone, once, on eight tokens.

        Raises ModelError for a model whose logits are more than `lm_head(hidden)` (scaled, capped) or that mixes
        packed sequences: it would train on wrong ratios without a sign.
        """
        vocab = self.model.get_output_embeddings().weight.shape[0]
        sequences = [torch.arange(1, 4) % vocab, torch.arange(5, 0, -1) % vocab]
        position_ids = torch.cat([torch.arange(len(s)) for s in sequences]).to(self.device)[None]
        packed = torch.cat(sequences).to(self.device)[None]
        with torch.no_grad():
            hidden = self.model.base_model(input_ids=packed, position_ids=position_ids, use_cache=False)
            head = self.model.get_output_embeddings().weight
            ours = (hidden.last_hidden_state[0] @ head.T).float().log_softmax(-1)
            alone = [self.model(input_ids=s.to(self.device)[None], use_cache=False).logits[0] for s in sequences]
        error = (ours - torch.cat(alone).float().log_softmax(-1)).abs().max().item()
        if not error <= _PROBE_TOLERANCE.get(packed.dtype, _PROBE_TOLERANCE.get(head.dtype, 0.5)):
            raise ModelError(
                f"{type(self.model).__name__} cannot be trained here: packed log-probabilities differ from its own by "
                f"up to {error:.3g} nats. Its logits are not its output head times the last hidden state, or it "
                "mixes packed sequences. Choose a model with a plain head (Qwen3, Qwen3-MoE, Llama, SmolLM2)."
            )
