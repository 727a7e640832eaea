"""Models for the tests of this folder: the small real one, and a tiny random one with random adapters."""

from collections.abc import Callable
from pathlib import Path

import pytest

TARGETS = ("q_proj", "v_proj", "down_proj")


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """Directory of SmolLM2-135M-Instruct, fetched on first use."""
    from trajlog.serving.models import fetch_model

    return fetch_model()


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights and config of a seeded random Qwen3 of two layers; 259 tokens, as the byte tokenizer has."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    config = Qwen3Config(
        vocab_size=259,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        intermediate_size=64,
        max_position_embeddings=512,
        tie_word_embeddings=True,
    )
    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("model")
    Qwen3ForCausalLM(config).save_pretrained(path)
    return path


@pytest.fixture(scope="session")
def make_adapter(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """`make_adapter(seed)`: directory of a random adapter of rank 4 that moves the tiny model's logits visibly."""
    import torch
    from transformers import AutoModelForCausalLM

    from trajlog.kernels.lora import inject_lora
    from trajlog.serving.adapters import AdapterConfig, save_adapter

    lora = inject_lora(AutoModelForCausalLM.from_pretrained(tiny_model), TARGETS)
    root = tmp_path_factory.mktemp("adapters")

    def make(seed: int) -> Path:
        name = f"seed-{seed}"
        if not (root / name).exists():
            lora.add(name, rank=4, alpha=8.0, seed=seed)
            generator = torch.Generator().manual_seed(seed)
            tensors = {k: torch.randn(t.shape, generator=generator) for k, t in lora.export(name).items()}
            save_adapter(root / name, tensors, AdapterConfig(r=4, lora_alpha=8.0, target_modules=TARGETS))
        return root / name

    return make
