"""The strong baseline: transformers' grouped experts, PEFT on the stacked expert weights, SDPA, layer checkpointing.

What a careful user gets without kernels of his own. Experts run by `grouped_mm` (transformers' default), the adapters
are PEFT's `target_parameters`, each layer is checkpointed, the head runs in chunks with float32 log-softmax. A pack of
several documents runs through an attention function that calls SDPA for each document: of the plain ways (one masked
row, a padded batch, one document at a time, variable-length FlashAttention 2) the fastest.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from .adapters import ALPHA, RANK, SPREAD
from .objective import POLICY, REFERENCE
from .packs import Pack
from .shape import HEAD_DIM, Shape

HEAD_CHUNK = 2048
EXPERT_WEIGHTS = {"gate_up": "gate_up_proj", "down": "down_proj"}
ATTENTION_WEIGHTS = ("q_proj", "k_proj", "v_proj", "o_proj")
_documents: list[int] = []


def base_model(shape: Shape, device: str, dtype: torch.dtype, seed: int = 3, experts: str = "grouped_mm") -> nn.Module:
    """A frozen Qwen3-MoE of transformers with random weights, made on the device.

    The token embeddings share a common part, so that the experts' load is uneven, as it is in trained models; what
    writes to the residual stream is smaller by sqrt(2 * layers), or attention's averages would make all tokens alike in
    deep layers, and send them to the same experts.
    """
    from transformers import AttentionInterface, Qwen3MoeConfig, Qwen3MoeForCausalLM

    AttentionInterface.register("documents", _attend_documents)
    config = Qwen3MoeConfig(
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden,
        num_hidden_layers=shape.num_layers,
        num_attention_heads=shape.num_heads,
        num_key_value_heads=shape.num_kv_heads,
        head_dim=HEAD_DIM,
        moe_intermediate_size=shape.expert_width,
        num_experts=shape.num_experts,
        num_experts_per_tok=shape.top_k,
        norm_topk_prob=True,
        intermediate_size=3 * shape.hidden,
        max_position_embeddings=262_144,
        rope_parameters={"rope_type": "default", "rope_theta": 1e7},
        tie_word_embeddings=False,
    )
    config._attn_implementation = "sdpa"
    config._experts_implementation = experts
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with torch.device(device):
            model = Qwen3MoeForCausalLM(config)
    finally:
        torch.set_default_dtype(before)
    model.requires_grad_(False)
    generator = torch.Generator(device).manual_seed(seed)
    for name, weight in model.named_parameters():
        if weight.dim() > 1:
            spread = 1.0 if "embed_tokens" in name else 0.02
            if "o_proj" in name or "down_proj" in name:
                spread /= (2 * shape.num_layers) ** 0.5
            weight.normal_(0.0, spread, generator=generator)
    common = torch.empty(shape.hidden, device=device, dtype=dtype).normal_(0.0, 0.5, generator=generator)
    model.model.embed_tokens.weight += common
    return model.train()


class PeftSide:
    """`model` with PEFT adapters on every expert, `policy` and `reference`."""

    def __init__(self, model: nn.Module, name: str, attention_adapters: bool = False) -> None:
        from peft import LoraConfig, get_peft_model

        self.name = name
        config = LoraConfig(
            r=RANK,
            lora_alpha=ALPHA,
            lora_dropout=0.0,
            target_modules=list(ATTENTION_WEIGHTS) if attention_adapters else [],
            target_parameters=[f"mlp.experts.{weight}" for weight in EXPERT_WEIGHTS.values()],
        )
        self.peft = get_peft_model(model, config, adapter_name=POLICY)
        self.peft.add_adapter(REFERENCE, config)
        self.peft.set_adapter(POLICY)
        self.model = model

    def load(self, adapter: str, tensors: dict[str, Tensor]) -> None:
        for key, factor in self._factors(adapter).items():
            factor.data.copy_(to_peft(key, tensors[key]))

    @torch.no_grad()
    def fill_attention(self, adapter: str, seed: int) -> None:
        """Random numbers for an adapter's attention projections, none of them zero."""
        generator = torch.Generator(self.model.device).manual_seed(seed)
        for name, parameter in self.peft.named_parameters():
            if f".{adapter}." in name and any(site in name for site in ATTENTION_WEIGHTS):
                parameter.normal_(0.0, SPREAD, generator=generator)

    def logprobs(self, pack: Pack, adapter: str) -> Tensor:
        if adapter != self.peft.active_adapter:
            self.peft.set_adapter(adapter, inference_mode=adapter != POLICY)
        states = self._states(pack)[pack.positions - 1]
        return plain_logprobs(states, self.model.lm_head.weight, pack.tokens[pack.positions])

    def parameters(self) -> list[nn.Parameter]:
        return [p for p in self.peft.parameters() if p.requires_grad]

    def gradients(self, layers: int | None = None) -> dict[str, Tensor]:
        """Of all layers, or of the first few."""
        factors = self._factors(POLICY, layers)
        return {key: from_peft(key, p.grad, self.num_experts) for key, p in factors.items()}

    def layer_input(self, pack: Pack) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """What the first layer gets: embeddings [1, T, H] and rotary tables; sets the pack's attention function."""
        _documents[:] = pack.lengths
        self.model.config._attn_implementation = "sdpa" if len(pack.lengths) == 1 else "documents"
        places = torch.cat([torch.arange(n, device=pack.tokens.device) for n in pack.lengths])[None]
        hidden = self.model.model.embed_tokens(pack.tokens[None])
        return hidden, self.model.model.rotary_emb(hidden, places)

    def routing(self, pack: Pack) -> list[Tensor]:
        """The experts chosen in each layer, int64 [T, K], of a pass without gradient."""
        chosen: list[Tensor] = []
        gates = [layer.mlp.gate for layer in self.model.model.layers]
        hooks = [gate.register_forward_hook(lambda _, __, out: chosen.append(out[2])) for gate in gates]
        try:
            with torch.no_grad():
                self.logprobs(pack, POLICY)
        finally:
            for hook in hooks:
                hook.remove()
        return chosen

    @property
    def num_experts(self) -> int:
        return self.model.config.num_experts

    def unload(self) -> nn.Module:
        """The base model alone again."""
        return self.peft.unload()

    def _states(self, pack: Pack) -> Tensor:
        hidden, rope = self.layer_input(pack)
        for layer in self.model.model.layers:
            hidden = checkpoint(layer, hidden, attention_mask=None, position_embeddings=rope, use_reentrant=False)
        return self.model.model.norm(hidden)[0]

    def _factors(self, adapter: str, layers: int | None = None) -> dict[str, nn.Parameter]:
        found = {}
        for number, layer in enumerate(self.model.model.layers[:layers]):
            for parameter, wrapper in expert_wrappers(layer).items():
                found[f"{number}.A_{parameter}"] = wrapper.lora_A[adapter].weight
                found[f"{number}.B_{parameter}"] = wrapper.lora_B[adapter].weight
        return found


def expert_wrappers(layer: nn.Module) -> dict[str, nn.Module]:
    """PEFT's nested wrappers of a layer's expert weights, by `gate_up` and `down`."""
    short = {weight: name for name, weight in EXPERT_WEIGHTS.items()}
    found, module = {}, layer.mlp.experts
    while hasattr(module, "base_layer"):
        found[short[module.parameter_name]] = module
        module = module.base_layer
    return found


def plain_logprobs(states: Tensor, head: Tensor, tokens: Tensor) -> Tensor:
    """log softmax at `tokens`, float32, one checkpoint per chunk, so that no more than one chunk's logits exist."""

    def chunk(part: Tensor, chosen: Tensor) -> Tensor:
        logits = (part @ head.T).float()
        return logits.gather(1, chosen[:, None]).squeeze(1) - logits.logsumexp(1)

    parts = zip(states.split(HEAD_CHUNK), tokens.split(HEAD_CHUNK), strict=True)
    return torch.cat([checkpoint(chunk, part, chosen, use_reentrant=False) for part, chosen in parts])


def _attend_documents(module: nn.Module, query: Tensor, key: Tensor, value: Tensor, mask, **_) -> tuple[Tensor, None]:
    parts = zip(*(x.split(_documents, 2) for x in (query, key, value)), strict=True)
    out = [F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True) for q, k, v in parts]
    return torch.cat(out, 2).transpose(1, 2), None


def to_peft(key: str, tensor: Tensor) -> Tensor:
    """[E, r, in] to [E * r, in], experts slowest; [E, out, r] to [out, r * E], experts fastest."""
    if ".A_" in key:
        return tensor.flatten(0, 1)
    return tensor.permute(1, 2, 0).flatten(1, 2)


def from_peft(key: str, tensor: Tensor, num_experts: int) -> Tensor:
    if ".A_" in key:
        return tensor.unflatten(0, (num_experts, -1))
    return tensor.unflatten(1, (-1, num_experts)).permute(2, 0, 1)
