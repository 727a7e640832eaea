"""Sizes of a Qwen3-MoE decoder."""

from dataclasses import dataclass
from typing import Any

from trajlog.errors import ModelError


@dataclass(frozen=True)
class Qwen3MoeShape:
    """Field names follow transformers' Qwen3MoeConfig where they are short; all sizes are counts of elements."""

    num_layers: int
    hidden_size: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    num_experts: int
    top_k: int
    """Experts a token."""
    expert_size: int
    """Width between an expert's projections (moe_intermediate_size)."""
    vocab_size: int
    rope_theta: float
    norm_eps: float
    normalised_top_k: bool
    """Routing weights are a softmax over the chosen experts; otherwise over all of them."""

    @property
    def qkv_size(self) -> int:
        return (self.num_heads + 2 * self.num_kv_heads) * self.head_dim

    @property
    def qkv_heads(self) -> tuple[tuple[str, int], ...]:
        """The projections before attention and their heads, in the order of the fused weight."""
        return (("q_proj", self.num_heads), ("k_proj", self.num_kv_heads), ("v_proj", self.num_kv_heads))

    @classmethod
    def of(cls, config: Any) -> "Qwen3MoeShape":
        """From transformers' Qwen3MoeConfig. Raises ModelError naming what this decoder does not have."""
        rope = config.rope_parameters
        unsupported = {
            "attention_bias": bool(config.attention_bias),
            "mlp_only_layers": bool(config.mlp_only_layers),
            "decoder_sparse_step": config.decoder_sparse_step != 1,
            "sliding_window": bool(getattr(config, "sliding_window", None)),
            "hidden_act": config.hidden_act != "silu",
            "rope_parameters": rope["rope_type"] != "default",
        }
        if wrong := sorted(name for name, found in unsupported.items() if found):
            raise ModelError(
                f"this Qwen3-MoE model sets {wrong} in its config.json, which the trained decoder does not have: train "
                "a model with plain attention, a mixture in every layer and unscaled rotary positions"
            )
        return cls(
            num_layers=config.num_hidden_layers,
            hidden_size=config.hidden_size,
            num_heads=config.num_attention_heads,
            num_kv_heads=config.num_key_value_heads,
            head_dim=getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads,
            num_experts=config.num_experts,
            top_k=config.num_experts_per_tok,
            expert_size=config.moe_intermediate_size,
            vocab_size=config.vocab_size,
            rope_theta=float(rope["rope_theta"]),
            norm_eps=config.rms_norm_eps,
            normalised_top_k=bool(config.norm_topk_prob),
        )


QWEN3_CODER_30B_A3B = Qwen3MoeShape(
    num_layers=48,
    hidden_size=2048,
    num_heads=32,
    num_kv_heads=4,
    head_dim=128,
    num_experts=128,
    top_k=8,
    expert_size=768,
    vocab_size=151936,
    rope_theta=1e7,
    norm_eps=1e-6,
    normalised_top_k=True,
)
