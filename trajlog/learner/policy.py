"""The model that is trained: a frozen base, the `policy` adapter on it, and a frozen `reference` adapter beside it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from torch import Tensor

from trajlog.config import RunConfig
from trajlog.errors import ConfigError, ModelError
from trajlog.kernels.attention import AttentionChoice, choose_attention
from trajlog.kernels.logprobs import Selected, selected_logprobs
from trajlog.kernels.lora import LoraSet, inject_lora
from trajlog.kernels.qwen3_moe_peft import MODEL_TYPE as QWEN3_MOE
from trajlog.learner.packed_transformers import can_pack, packed_states, prepare
from trajlog.learner.qwen3_moe import Placed, Qwen3MoeModel, Recompute
from trajlog.learner.qwen3_moe_lora import Qwen3MoeLora
from trajlog.learner.recorded_routing import RoutingShape, first_recorded
from trajlog.learner.sharing import end_to_end, end_to_end_lengths, shared_length
from trajlog.learner.to_device import to_device

POLICY = "policy"
REFERENCE = "reference"

_PROBE_TOLERANCE = {"float32": 1e-2, "bfloat16": 0.5}
"""Largest difference in nats of the self-check; the errors it looks for are wrong by whole nats."""


class PolicyModel:
    """Scores token sequences under one adapter or the other. The base is a causal language model of transformers, or
    this package's Qwen3MoeModel.

    A Qwen3-MoE of transformers becomes this package's own (`model` is a Qwen3MoeModel), with adapters on its experts.
    Sequences are scored end to end in one forward pass, without padding or mask; models that packed_transformers.py
    does not know run them one after another.
    """

    def __init__(
        self,
        model: Any,
        target_modules: Sequence[str],
        temperature: float = 1.0,
        device: torch.device | str | None = None,
        *,
        attention: AttentionChoice = "auto",
        recompute: Recompute = "none",
        deterministic: bool = False,
        share_prefix: bool = False,
    ) -> None:
        """`temperature` is the sampler's: log-probabilities are those of the distribution it sampled from.

        `device` None leaves the model where it is. `attention` (kernels/attention.py, where `deterministic` chooses,
        too), `recompute` (qwen3_moe.py) and `share_prefix` (sharing.py) are a Qwen3-MoE's.
        Raises ConfigError for a choice of them that this model or device does not have.
        """
        model.eval().requires_grad_(False)
        self.temperature = temperature
        self.model: Any
        self.lora: LoraSet | Qwen3MoeLora
        self._packs, self.share_prefix = False, share_prefix
        own = isinstance(model, Qwen3MoeModel)
        if own or model.config.model_type == QWEN3_MOE:
            self.model = model if own else Qwen3MoeModel.from_transformers(model, target_modules, device)
            self.model.attention = choose_attention(
                attention,
                self.model.device,
                self.model.head.dtype,
                self.model.shape.head_dim,
                deterministic=deterministic,
            )
            self.model.recompute = recompute
            self.head: Tensor = self.model.head
            if not own:
                self._check_head(model)
            self.lora = self.model.lora
            return
        for name, value, only in (
            ("attention", attention, "auto"),
            ("recompute", recompute, "none"),
            ("share_prefix", str(share_prefix).lower(), "false"),
        ):
            if value != only:
                raise ConfigError(
                    f"learner.{name} {value} is for Qwen3-MoE models, this is {model.config.model_type}: set it to "
                    f"{only}"
                )
        self.model = model if device is None else model.to(device)
        self.head = model.get_output_embeddings().weight
        self._check_head(model)
        if can_pack(model.config):
            prepare(model)
            self._packs = True
        self.lora = inject_lora(model, target_modules)

    @classmethod
    def of_run(cls, path: Path, run: RunConfig, placed: Placed = lambda weights: weights) -> "PolicyModel":
        """`load` as a run's settings say."""
        learner = run.learner
        return cls.load(
            path,
            learner.lora_targets,
            dtype=run.model.dtype,
            temperature=run.sampling.temperature,
            attention=learner.attention,
            recompute=learner.recompute,
            deterministic=learner.deterministic,
            share_prefix=learner.share_prefix,
            placed=placed,
        )

    @classmethod
    def load(
        cls,
        path: Path,
        target_modules: Sequence[str],
        *,
        dtype: str = "float32",
        temperature: float = 1.0,
        attention: AttentionChoice = "auto",
        recompute: Recompute = "none",
        deterministic: bool = False,
        share_prefix: bool = False,
        placed: Placed = lambda weights: weights,
    ) -> "PolicyModel":
        """The base from a model directory, on the GPU where there is one.

        A Qwen3-MoE is read layer by layer, each `placed` before the next; others by transformers, whole.
        Raises ModelError naming the path, and ConfigError as the constructor does.
        """
        from transformers import AutoModelForCausalLM

        device = "cuda" if torch.cuda.is_available() else "cpu"
        kind = getattr(torch, dtype)
        config = read_config(path)
        model: Any
        with told(path):
            if config.model_type == QWEN3_MOE:
                model = Qwen3MoeModel.from_folder(
                    path, config, target_modules, dtype=kind, device=device, placed=placed
                )
            else:
                model = AutoModelForCausalLM.from_pretrained(
                    path, dtype=kind, local_files_only=True, use_safetensors=True
                )
        return cls(
            model,
            target_modules,
            temperature,
            device,
            attention=attention,
            recompute=recompute,
            deterministic=deterministic,
            share_prefix=share_prefix,
        )

    @property
    def device(self) -> torch.device:
        return self.head.device

    @property
    def routing_shape(self) -> RoutingShape | None:
        """What a record of its routing looks like; None for a model without routers."""
        if not isinstance(self.model, Qwen3MoeModel):
            return None
        shape = self.model.shape
        return RoutingShape(shape.num_layers, shape.top_k, shape.num_experts)

    def score(
        self,
        sequences: Sequence[Tensor],
        positions: Sequence[Tensor],
        adapter: str | None,
        routed_experts: Sequence[Tensor] | None = None,
        agreement: Tensor | None = None,
        *,
        entropy: bool = False,
    ) -> Selected:
        """Log-probability and, if asked for, entropy at chosen tokens of several sequences in order, float32 [N].

        `sequences[i]` int64 [T_i] token ids; `positions[i]` int64 [n_i] indices of tokens in it, 1 or more (the first
        token has no prediction); N is the sum of n_i. `adapter` None is the base alone. `routed_experts[i]` int16
        [T_i, layers, K], of a Qwen3-MoE only, and `agreement`: as Qwen3MoeModel takes them. With `share_prefix` what
        all sequences begin with is computed once (sharing.py), and each token of it routed as the first record says.
        """
        shared = shared_length(sequences, positions) if self.share_prefix else 0
        starts = accumulate((len(s) - shared for s in sequences[:-1]), initial=0)
        chosen = to_device(torch.cat([p + start for p, start in zip(positions, starts, strict=True)]), self.device)
        token_ids = to_device(end_to_end(sequences, shared), self.device)
        lengths = end_to_end_lengths([len(s) for s in sequences], shared)
        routed = None
        if routed_experts is not None:
            beginning = first_recorded([rows[:shared] for rows in routed_experts])
            routed = to_device(torch.cat([beginning, *(rows[shared:] for rows in routed_experts)]), self.device)
        states = self.states(token_ids, lengths, adapter, routed, agreement, shared_prefix=shared > 0)
        return selected_logprobs(
            states.index_select(0, chosen - 1), self.head, token_ids[chosen], self.temperature, entropy=entropy
        )

    def states(
        self,
        token_ids: Tensor,
        lengths: Sequence[int],
        adapter: str | None,
        routed_experts: Tensor | None = None,
        agreement: Tensor | None = None,
        *,
        shared_prefix: bool = False,
    ) -> Tensor:
        """Last hidden states [T, H] of sequences end to end; token_ids int64 [T] on the model's device.

        With `shared_prefix`, of a Qwen3-MoE only, the first is the beginning of every other.
        """
        if isinstance(self.model, Qwen3MoeModel):
            return self.model(
                token_ids, lengths, adapter, routed_experts, agreement, shared_prefix=shared_prefix
            ).states
        with self.lora.using(adapter):
            if self._packs:
                return packed_states(self.model, token_ids, lengths)
            each = [self.model.base_model(input_ids=s[None], use_cache=False) for s in token_ids.split(list(lengths))]
            return torch.cat([out.last_hidden_state[0] for out in each])

    def _check_head(self, model: Any) -> None:
        """Compares the output head times the last hidden state with the model's own logits, once, on eight tokens.

        Raises ModelError for a model whose logits are more than that (scaled, capped): it would train on wrong ratios
        without a sign.
        """
        probe = torch.arange(1, 9) % self.head.shape[0]
        with torch.no_grad():
            if isinstance(self.model, Qwen3MoeModel):
                hidden = self.model(probe.to(self.device), [len(probe)], None).states
            else:
                hidden = model.base_model(input_ids=probe[None].to(self.device), use_cache=False).last_hidden_state[0]
            ours = (hidden @ self.head.T).float().log_softmax(-1).cpu()
            where = next(model.parameters()).device
            theirs = model(input_ids=probe[None].to(where), use_cache=False).logits[0].float().log_softmax(-1).cpu()
        error = (ours - theirs).abs().max().item()
        if not error <= _PROBE_TOLERANCE[str(self.head.dtype).removeprefix("torch.")]:
            raise ModelError(
                f"{type(model).__name__} cannot be trained here: its log-probabilities differ by up to "
                f"{error:.3g} nats from its output head times the last hidden state. Choose a model with a plain head "
                "(Qwen3, Qwen3-MoE, Llama, SmolLM2)."
            )


def read_config(path: Path) -> Any:
    """The config of transformers in a model directory. Raises ModelError naming the path."""
    from transformers import AutoConfig

    with told(path):
        return AutoConfig.from_pretrained(path, local_files_only=True)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """What goes wrong with the base of that path becomes a ModelError that names it."""
    try:
        yield
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise ModelError(
            f"cannot load the base model from {path}: {error}. Fetch it (`trajlog models fetch`) or correct "
            "model.name in the run's settings."
        ) from error
