"""Tiny random models with the shapes of real ones: a dense Qwen3 and a Qwen3-MoE, seeded, vocabulary 512."""

import torch
from transformers import Qwen3Config, Qwen3ForCausalLM, Qwen3MoeConfig, Qwen3MoeForCausalLM

VOCAB_SIZE = 512
TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj")

_SHAPE = dict(
    vocab_size=VOCAB_SIZE,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=8,
    intermediate_size=64,
    max_position_embeddings=256,
    bos_token_id=None,
    eos_token_id=1,
    pad_token_id=0,
)


def tiny_qwen3(seed: int = 0, vocab_size: int = VOCAB_SIZE) -> Qwen3ForCausalLM:
    """Dense, 2 layers, 4 query and 2 key-value heads, tied head, fp32."""
    torch.manual_seed(seed)
    return Qwen3ForCausalLM(Qwen3Config(**{**_SHAPE, "vocab_size": vocab_size}, tie_word_embeddings=True)).eval()


def tiny_qwen3_moe(seed: int = 0, num_layers: int = 2, vocab_size: int = VOCAB_SIZE) -> Qwen3MoeForCausalLM:
    """Mixture of 8 experts, 2 a token, own head, fp32."""
    torch.manual_seed(seed)
    config = Qwen3MoeConfig(
        **{**_SHAPE, "num_hidden_layers": num_layers, "vocab_size": vocab_size},
        num_experts=8,
        num_experts_per_tok=2,
        moe_intermediate_size=16,
        tie_word_embeddings=False,
    )
    return Qwen3MoeForCausalLM(config).eval()
