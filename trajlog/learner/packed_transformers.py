"""Several sequences in one forward pass of a dense transformers model, without padding or mask.

The sequences lie end to end in one row; positions start anew in each, and attention runs sequence by sequence. That
needs a model whose layers differ from a plain decoder's in nothing that looks across tokens: `PACKED_MODEL_TYPES`.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from trajlog.kernels.documents import Documents

PACKED_MODEL_TYPES = frozenset({"llama", "qwen2", "qwen3"})
"""Their attention is causal, with one scale and no window unless the config says so."""

_NAME = "trajlog_documents"


def can_pack(config: Any) -> bool:
    """Whether a model of this config gives the same states packed as one by one."""
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    return config.model_type in PACKED_MODEL_TYPES and kinds == {"full_attention"}


def prepare(model: Any) -> None:
    """Once per model, before `packed_states`: its attention takes lengths then, and is causal over a row without."""
    from transformers import AttentionInterface

    AttentionInterface.register(_NAME, _attention)
    model.set_attn_implementation(_NAME)


def packed_states(model: Any, token_ids: Tensor, lengths: Sequence[int]) -> Tensor:
    """Last hidden states [T, H] of sequences end to end; token_ids int64 [T] on the model's device."""
    documents = Documents.of(lengths, token_ids.device)
    out = model.base_model(
        input_ids=token_ids[None],
        position_ids=documents.positions[None],
        use_cache=False,
        document_lengths=documents.lengths,
    )
    return out.last_hidden_state[0]


def _attention(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    document_lengths: Sequence[int] | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """transformers' attention interface: [1, heads, T, d] in, [1, T, heads, d] out."""
    lengths = list(document_lengths or [query.shape[2]])
    pieces = zip(*(x.split(lengths, dim=2) for x in (query, key, value)), strict=True)
    out = [
        torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scaling, enable_gqa=True)
        for q, k, v in pieces
    ]
    return torch.cat(out, dim=2).transpose(1, 2), None
