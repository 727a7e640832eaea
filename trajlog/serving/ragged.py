"""Forward passes over rows of different lengths, without padding: packed tokens and one key-value store a row.

A step packs the new tokens of all rows into one batch of T tokens (one for a row that decodes, many for a row whose
prompt is read). Linear layers see the T tokens; attention is done row by row over that row's own store, so no row
pays for another's length, and rows may join and leave between any two steps.

    rows:    A has 5 tokens done, 1 new        B has 0 done, 3 new
    packed:  [A5 | B0 B1 B2]                   T = 4, shape [T, 1] for transformers (batch of T, length 1)
    A5 attends over A0..A5; B1 over B0, B1

Shapes: T packed tokens, n new tokens of a row, S tokens of a row, H query heads, K key-value heads, D head size.
The batch dimension is T, so `LoraLinear.set_rows` picks an adapter for each token.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface

from trajlog.serving.router_choices import RouterChoices

ATTENTION_NAME = "trajlog_ragged"
_ROUND_TOKENS = 64


class Row:
    """Tokens of one sequence and, for the first `num_done` of them, what the model made of them."""

    def __init__(self, capacity: int):
        self.num_done = 0
        self.capacity = capacity
        """Tokens that there is room for."""
        self.stores: dict[int, Tensor] = {}
        """Layer index -> [2, K, capacity, D]; keys, then values."""
        self.choices: Tensor | None = None
        """[capacity, layers, chosen]: the experts that the routers chose (router_choices.py), where they are asked."""

    def reserve(self, capacity: int) -> None:
        """Make room for `capacity` tokens in all."""
        if capacity > self.capacity:
            self._take_over(self, capacity)

    def copy_prefix(self, num_tokens: int, capacity: int) -> "Row":
        """A new row with the first `num_tokens` done, and room for `capacity`."""
        row = Row(0)
        row.num_done = num_tokens
        row._take_over(self, capacity)
        return row

    def _take_over(self, source: "Row", capacity: int) -> None:
        """Stores with room for `capacity` tokens that begin with the source's first `num_done`."""
        self.capacity = -(-capacity // _ROUND_TOKENS) * _ROUND_TOKENS
        for layer, old in source.stores.items():
            self.stores[layer] = old.new_empty(2, old.shape[1], self.capacity, old.shape[3])
            self.stores[layer][:, :, : self.num_done] = old[:, :, : self.num_done]
        if source.choices is not None:
            old = source.choices
            self.choices = old.new_empty(self.capacity, *old.shape[1:])
            self.choices[: self.num_done] = old[: self.num_done]

    def choose(self, new: Tensor) -> None:
        """Append routers' choices [n, layers, chosen]. `num_done` moves after the step."""
        if self.choices is None:
            self.choices = new.new_empty(self.capacity, *new.shape[1:])
        self.choices[self.num_done : self.num_done + len(new)] = new

    def extend(self, layer: int, new: Tensor) -> Tensor:
        """Append `new` [2, K, n, D] to a layer's store; returns all [2, K, S, D]. `num_done` moves after the step."""
        store = self.stores.get(layer)
        if store is None:
            store = self.stores[layer] = new.new_empty(2, new.shape[1], self.capacity, new.shape[3])
        end = self.num_done + new.shape[2]
        store[:, :, self.num_done : end] = new
        return store[:, :, :end]


class Span:
    """A row's share of a step: its next tokens, which lie at [begin, begin + len(token_ids)) of the packed batch."""

    def __init__(self, row: Row, token_ids: list[int]):
        self.row = row
        self.token_ids = token_ids
        self.begin = 0
        self._mask: Tensor | None = None

    def mask(self, group: int, like: Tensor) -> Tensor:
        """Additive causal mask [group · n, S], made once a step; query g · n + i sees the first S - n + i + 1."""
        if self._mask is None:
            n, done = len(self.token_ids), self.row.num_done
            hidden = torch.ones(n, done + n, dtype=torch.bool, device=like.device).triu(done + 1)
            mask = torch.zeros(n, done + n, dtype=like.dtype, device=like.device).masked_fill_(hidden, -torch.inf)
            self._mask = mask.repeat(group, 1)
        return self._mask


def ragged_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    spans: list[Span],
    scaling: float | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """transformers' attention function. query [T, H, 1, D]; key, value [T, K, 1, D]; returns [T, 1, H, D]."""
    num_tokens, heads, _one, size = query.shape
    kv_heads = key.shape[1]
    group = heads // kv_heads
    new = torch.stack((key[:, :, 0], value[:, :, 0])).transpose(1, 2)  # [2, K, T, D]
    grouped = query.view(num_tokens, kv_heads, group, size)
    out = torch.empty_like(grouped)
    for span in spans:
        n = len(span.token_ids)
        end = span.begin + n
        keys, values = span.row.extend(module.layer_idx, new[:, :, span.begin : end])  # type: ignore[arg-type]
        if n == 1:  # the group's heads stand in for query positions, so nothing is repeated
            out[span.begin] = scaled_dot_product_attention(
                grouped[span.begin][None], keys[None], values[None], scale=scaling
            )[0]
        else:
            q = grouped[span.begin : end].permute(1, 2, 0, 3).reshape(1, kv_heads, group * n, size)
            o = scaled_dot_product_attention(q, keys[None], values[None], attn_mask=span.mask(group, q), scale=scaling)
            out[span.begin : end] = o.view(kv_heads, group, n, size).permute(2, 0, 1, 3)
    return out.view(num_tokens, 1, heads, size), None


AttentionInterface.register(ATTENTION_NAME, ragged_attention)


def forward(model: nn.Module, spans: list[Span], routers: RouterChoices | None = None) -> Tensor:
    """Run the spans' tokens and return float32 logits [R, V] after the last token of each of the R spans.

    Rows' `num_done` advance, and `routers`, which listen to this model, tell them its choices. `model` was loaded with
    `attn_implementation=ATTENTION_NAME`.
    """
    device = next(model.parameters()).device
    ids: list[int] = []
    positions: list[int] = []
    for span in spans:
        span.begin = len(ids)
        ids += span.token_ids
        positions += range(span.row.num_done, span.row.num_done + len(span.token_ids))
    last = torch.tensor([s.begin + len(s.token_ids) - 1 for s in spans], device=device)
    # Only the last tokens' logits are formed: T x V for a prompt would cost more than the whole forward pass.
    hook = model.get_output_embeddings().register_forward_pre_hook(lambda _m, args: (args[0][last],))
    try:
        logits = model(
            input_ids=torch.tensor(ids, device=device)[:, None],
            position_ids=torch.tensor(positions, device=device)[:, None],
            use_cache=False,
            spans=spans,
        ).logits
    finally:
        hook.remove()
    chosen = None if routers is None else routers.take()
    for span in spans:
        if chosen is not None:
            span.row.choose(chosen[span.begin : span.begin + len(span.token_ids)])
        span.row.num_done += len(span.token_ids)
    return logits[:, 0].float()
